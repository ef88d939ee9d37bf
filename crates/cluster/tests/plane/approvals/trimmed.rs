//! Releases of what nobody approves.

use cluster::kinds::PromiseRelease;
use kube::Api;
use kube::api::ListParams;
use serde_json::json;

use super::{asked, candidate, edit, governed};
use crate::world::{PATIENCE, Plane, on_every_plane};

on_every_plane![however_often_it_is_edited_ten_releases_are_kept];

async fn however_often_it_is_edited_ten_releases_are_kept(plane: Plane) {
    let controller = governed(&plane, json!({})).await;
    plane.ask("web", "settings", json!({"level": 1})).await;
    asked(&plane, "web").await;
    let mut last = None;
    for (level, extra) in (1..=7).flat_map(|level| [(level, true), (level, false)]) {
        let edited = edit(&plane, "web", json!({"parameters": {"level": level, "extra": extra}})).await;
        let is_asked = |request: &cluster::kinds::PromiseRequest| {
            let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
            candidate.is_some_and(|candidate| candidate.generation == edited.metadata.generation)
        };
        last = Some(plane.until("web", "asked about anew", is_asked).await);
    }
    let releases: Api<PromiseRelease> = plane.in_shop("dana");
    let kept = async {
        loop {
            let kept = releases.list(&ListParams::default()).await.unwrap().items;
            if kept.len() <= 10 {
                return kept;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    let kept = tokio::time::timeout(PATIENCE, kept).await.expect("no more than ten are kept");
    let asked = candidate(&last.unwrap()).release;
    assert!(kept.iter().any(|release| release.metadata.name.as_deref() == Some(asked.as_str())), "what is asked about is kept");
    controller.stop().await;
}
