//! Creating, replacing and deleting.

use kube::ResourceExt;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions};
use serde_json::json;

use crate::behaviours;
use crate::ground::{Ground, config_map, refused, request};

behaviours![
    a_taken_name_and_a_missing_one_are_told_apart,
    a_write_with_another_uid_changes_nothing,
    a_delete_with_another_uid_is_a_conflict,
    finalizers_hold_a_deletion,
    an_unknown_field_goes_and_a_wrong_type_is_refused_with_its_path,
    defaults_are_filled_in,
    status_and_spec_are_written_apart,
    a_rehearsal_judges_and_writes_nothing,
    a_list_comes_in_chunks_of_one_version,
];

/// Not through an export, whose claims have no such verb.
pub const DIRECT: &[crate::Behaviour] = &[("a_stale_replace_is_a_conflict", |ground| Box::pin(a_stale_replace_is_a_conflict(ground)))];

async fn a_taken_name_and_a_missing_one_are_told_apart(ground: Ground) {
    let api = ground.config_maps();
    api.create(&PostParams::default(), &config_map("a", "1")).await.unwrap();
    assert_eq!(refused(api.create(&PostParams::default(), &config_map("a", "2")).await), (409, "AlreadyExists".to_owned()));
    assert_eq!(refused(api.get("b").await), (404, "NotFound".to_owned()));
    assert!(api.get_opt("b").await.unwrap().is_none());
}

async fn a_stale_replace_is_a_conflict(ground: Ground) {
    let api = ground.config_maps();
    let first = api.create(&PostParams::default(), &config_map("a", "1")).await.unwrap();
    let mut next = config_map("a", "2");
    next.metadata.resource_version = first.resource_version();
    let second = api.replace("a", &PostParams::default(), &next).await.unwrap();
    assert_ne!(second.resource_version(), first.resource_version());
    assert_eq!(refused(api.replace("a", &PostParams::default(), &next).await), (409, "Conflict".to_owned()));
}

async fn a_write_with_another_uid_changes_nothing(ground: Ground) {
    let api = ground.config_maps();
    api.create(&PostParams::default(), &config_map("a", "1")).await.unwrap();
    let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"uid": "another"}, "data": {"key": "2"}});
    let apply = PatchParams::apply("contract").force();
    for (params, patch) in [(PatchParams::default(), Patch::Merge(&body)), (apply, Patch::Apply(&body))] {
        assert_eq!(refused(api.patch("a", &params, &patch).await), (422, "Invalid".to_owned()), "{patch:?}");
    }
    assert_eq!(api.get("a").await.unwrap().data.unwrap()["key"], "1");
}

async fn a_delete_with_another_uid_is_a_conflict(ground: Ground) {
    let api = ground.config_maps();
    let made = api.create(&PostParams::default(), &config_map("a", "1")).await.unwrap();
    let of = |uid: Option<String>| DeleteParams {
        preconditions: Some(Preconditions { uid, resource_version: None }),
        ..DeleteParams::background()
    };
    assert_eq!(refused(api.delete("a", &of(Some("another".to_owned()))).await.map(|_| ())), (409, "Conflict".to_owned()));
    api.delete("a", &of(made.uid())).await.unwrap();
    assert_eq!(refused(api.delete("a", &of(made.uid())).await.map(|_| ())), (404, "NotFound".to_owned()));
}

async fn finalizers_hold_a_deletion(ground: Ground) {
    let api = ground.config_maps();
    let mut held = config_map("a", "1");
    held.metadata.finalizers = Some(vec!["example.org/held".to_owned()]);
    let made = api.create(&PostParams::default(), &held).await.unwrap();
    let answer = api.delete("a", &DeleteParams::default()).await.unwrap();
    let there = answer.left().expect("the object, because it stays");
    assert!(there.metadata.deletion_timestamp.is_some());
    let (code, _) = refused(
        api.patch(
            "a",
            &PatchParams::default(),
            &Patch::Merge(json!({"metadata": {"finalizers": ["example.org/held", "example.org/new"]}})),
        )
        .await,
    );
    assert_eq!(code, 422, "nothing new may hold what is being deleted");
    let patch = json!({"metadata": {"uid": made.uid(), "finalizers": []}});
    api.patch("a", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    assert!(api.get_opt("a").await.unwrap().is_none());
}

async fn an_unknown_field_goes_and_a_wrong_type_is_refused_with_its_path(ground: Ground) {
    let api = ground.requests("admin");
    let merge = |patch| async { api.patch("a", &PatchParams::default(), &Patch::Merge(patch)).await };
    api.create(&PostParams::default(), &request("a")).await.unwrap();
    let patched = merge(json!({"spec": {"nosuch": 1, "reason": "kept"}})).await.unwrap();
    let stored = serde_json::to_value(&patched.spec).unwrap();
    assert_eq!((&stored["reason"], stored.get("nosuch")), (&json!("kept"), None));
    let kube::Error::Api(status) = merge(json!({"spec": {"paused": "yes"}})).await.unwrap_err() else { panic!("a Status") };
    assert_eq!((status.code, status.reason.as_str()), (422, "Invalid"));
    assert_eq!(status.details.as_ref().unwrap().causes[0].field, "spec.paused");
}

async fn defaults_are_filled_in(ground: Ground) {
    let made = ground.requests("admin").create(&PostParams::default(), &request("a")).await.unwrap();
    let made = serde_json::to_value(&made).unwrap();
    assert_eq!(made["metadata"]["generation"], 1);
    assert!(made["metadata"]["uid"].as_str().is_some_and(|uid| !uid.is_empty()));
    assert!(made["metadata"]["managedFields"].as_array().is_some_and(|managers| managers.len() == 1));
}

async fn status_and_spec_are_written_apart(ground: Ground) {
    let api = ground.requests("opm-controller");
    let mut asked = request("a");
    asked.status = Some(serde_json::from_value(json!({"phase": "Ready"})).unwrap());
    let made = api.create(&PostParams::default(), &asked).await.unwrap();
    assert!(made.status.is_none(), "a new object has no status");
    let body = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "a", "uid": made.uid()},
        "status": {"observedGeneration": 1, "phase": "Provisioning"},
    });
    let told = api.patch_status("a", &PatchParams::apply("opm-fulfil").force(), &Patch::Apply(&body)).await.unwrap();
    assert_eq!((told.metadata.generation, told.status.is_some()), (Some(1), true));
    let patch = json!({"spec": {"reason": "changed"}, "status": {"phase": "Ready"}});
    let changed = api.patch("a", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    assert_eq!(changed.metadata.generation, Some(2));
    let status = serde_json::to_value(changed.status).unwrap();
    assert_eq!(status["phase"], "Provisioning", "the status is not written beside the spec");
    let patch = json!({"spec": {"reason": "by status"}, "status": {"phase": "Failed"}});
    let told = api.patch_status("a", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    assert_eq!((told.metadata.generation, told.spec.reason.as_deref()), (Some(2), Some("changed")));
}

async fn a_rehearsal_judges_and_writes_nothing(ground: Ground) {
    let api = ground.requests("admin");
    let rehearsal = PostParams { dry_run: true, field_manager: None };
    let judged = api.create(&rehearsal, &request("a")).await.unwrap();
    assert_eq!(judged.spec.requester.unwrap().username, "admin", "admission has its say");
    assert!(api.get_opt("a").await.unwrap().is_none());
    api.create(&PostParams::default(), &request("a")).await.unwrap();
    assert_eq!(refused(api.create(&rehearsal, &request("a")).await), (409, "AlreadyExists".to_owned()));
}

async fn a_list_comes_in_chunks_of_one_version(ground: Ground) {
    let api = ground.config_maps();
    for name in ["a", "b", "c", "d", "e"] {
        api.create(&PostParams::default(), &config_map(name, "1").labelled()).await.unwrap();
    }
    let params = ListParams::default().labels("contract=yes").limit(2);
    let mut names = Vec::new();
    let first = api.list(&params).await.unwrap();
    let (mut chunk, version) = (first.clone(), first.metadata.resource_version.clone());
    api.create(&PostParams::default(), &config_map("late", "1").labelled()).await.unwrap();
    loop {
        names.extend(chunk.items.iter().map(ResourceExt::name_any));
        let Some(token) = chunk.metadata.continue_.clone().filter(|token| !token.is_empty()) else { break };
        chunk = api.list(&params.clone().continue_token(&token)).await.unwrap();
        assert_eq!(chunk.metadata.resource_version, version);
    }
    assert_eq!(names, ["a", "b", "c", "d", "e"], "what came later is not in it");
}

/// Marks an object so that a list finds it by label.
trait Labelled {
    fn labelled(self) -> Self;
}

impl<K: ResourceExt> Labelled for K {
    fn labelled(mut self) -> Self {
        self.labels_mut().insert("contract".to_owned(), "yes".to_owned());
        self
    }
}
