//! Who confirms what others own takes exactly that over.

use cluster::error::contested;
use cluster::takeover;
use kube::api::{PatchParams, PostParams};
use promise::{Contested, names};
use serde_json::json;

use crate::world::{Plane, request};

crate::world::on_every_plane_in_full![what_was_confirmed_is_taken_over_and_nothing_else,];

async fn what_was_confirmed_is_taken_over_and_nothing_else(plane: Plane) {
    let requests = plane.requests("dana");
    let by_kubectl = PostParams { field_manager: Some("kubectl-create".to_owned()), ..PostParams::default() };
    let mut asked = request("web", "settings", json!({"level": 1}));
    asked.metadata.namespace = Some(plane.namespace().to_owned());
    let made = requests.create(&by_kubectl, &asked).await.unwrap();
    let body = |version: &str, level: i64| {
        json!({
            "apiVersion": names::API_VERSION, "kind": "PromiseRequest",
            "metadata": {"name": "web", "namespace": plane.namespace(), "resourceVersion": version},
            "spec": {"promise": {"name": "settings"}, "parameters": {"level": level}},
        })
    };
    let version = made.metadata.resource_version.unwrap();
    let portal = PatchParams::apply(names::MANAGER_PORTAL);
    let refused = takeover::apply(&requests, "web", &portal, &body(&version, 2), &[]).await.unwrap_err();
    let seen = contested(&refused);
    assert_eq!(seen, [Contested { path: ".spec.parameters".into(), manager: "kubectl-create".into() }]);

    let of_another = [Contested { manager: "somebody".into(), ..seen[0].clone() }];
    takeover::apply(&requests, "web", &portal, &body(&version, 2), &of_another).await.unwrap_err();
    let mut unpinned = body(&version, 2);
    unpinned["metadata"].as_object_mut().unwrap().remove("resourceVersion");
    takeover::apply(&requests, "web", &portal, &unpinned, &seen).await.unwrap_err();
    assert_eq!(requests.get("web").await.unwrap().spec.parameters.unwrap()["level"], 1, "nothing was written so far");

    let taken = takeover::apply(&requests, "web", &portal, &body(&version, 2), &seen).await.unwrap();
    assert_eq!(taken.spec.parameters.unwrap()["level"], 2);
    let stale = takeover::apply(&requests, "web", &portal, &body(&version, 3), &seen).await.unwrap_err();
    assert!(contested(&stale).is_empty(), "another version than the person saw: {stale}");
    let again = takeover::apply(&requests, "web", &portal, &body(&taken.metadata.resource_version.unwrap(), 4), &[]).await.unwrap();
    assert_eq!(again.spec.parameters.unwrap()["level"], 4, "it is the portal's now");
}
