use serde_json::{Value, json};

use super::{Deletion, HeldDeletion, PATIENCE, deletion, owner};

/// 2026-11-21T10:00:00Z.
const BEGAN: i64 = 1_795_255_200;

fn deleted(finalizers: Value) -> Value {
    let metadata = json!({"name": "a", "deletionTimestamp": "2026-11-21T10:00:00Z", "finalizers": finalizers});
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
}

fn held(object: &Value) -> HeldDeletion {
    match deletion(object, BEGAN + PATIENCE) {
        Some(Deletion::Held(held)) => held,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_object_counts_as_held_after_two_minutes() {
    let object = deleted(json!(["example.org/held"]));
    assert_eq!(deletion(&object, BEGAN), Some(Deletion::Recent(PATIENCE)));
    assert_eq!(deletion(&object, BEGAN + PATIENCE - 1), Some(Deletion::Recent(1)));
    let expected = HeldDeletion { finalizers: vec!["example.org/held".into()], since: "2026-11-21T10:00:00Z".into() };
    assert_eq!(held(&object), expected);
    assert_eq!(deletion(&object, BEGAN - 86_400), Some(Deletion::Recent(PATIENCE)), "a clock that goes wrong delays nothing for long");
}

#[test]
fn only_a_deletion_with_finalizers_is_held() {
    assert_eq!(deletion(&deleted(json!([])), BEGAN + 9_000), None);
    assert_eq!(deletion(&deleted(Value::Null), BEGAN + 9_000), None);
    let stays = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"finalizers": ["example.org/held"]}});
    assert_eq!(deletion(&stays, BEGAN + 9_000), None);
}

#[test]
fn a_namespace_is_held_by_the_finalizers_of_its_content() {
    let mut namespace = deleted(Value::Null);
    (namespace["kind"], namespace["spec"]) = (json!("Namespace"), json!({"finalizers": ["kubernetes"]}));
    assert_eq!(held(&namespace).finalizers, ["kubernetes"]);
    let many: Vec<String> = (0..40).map(|at| format!("example.org/{at}")).collect();
    assert_eq!(held(&deleted(json!(many))).finalizers.len(), 5);
}

#[test]
fn the_reason_names_the_finalizers_their_owners_and_the_time() {
    let reason = held(&deleted(json!(["example.org/held"]))).reason("ConfigMap a");
    let expected = "ConfigMap a can't be deleted until the controller of example.org removes the finalizer example.org/held. \
                    It has been waiting since 21 Nov 2026, 10:00 UTC";
    assert_eq!(reason, expected);
    let both = held(&deleted(json!(["kubernetes.io/pvc-protection", "custom"]))).reason("PersistentVolumeClaim a");
    let expected = "PersistentVolumeClaim a can't be deleted until Kubernetes removes the finalizer kubernetes.io/pvc-protection, which \
                    waits for the pods that use this claim and the controller that added it removes the finalizer custom. \
                    It has been waiting since 21 Nov 2026, 10:00 UTC";
    assert_eq!(both, expected);
}

#[test]
fn well_known_finalizers_have_an_owner() {
    for (finalizer, name) in [
        ("kubernetes.io/pvc-protection", "Kubernetes"),
        ("foregroundDeletion", "Kubernetes"),
        ("orphan", "Kubernetes"),
        ("customresourcecleanup.apiextensions.k8s.io", "Kubernetes"),
        ("service.kubernetes.io/load-balancer-cleanup", "the cloud provider's controller"),
        ("external-attacher/ebs-csi-aws-com", "the CSI driver"),
        ("resources-finalizer.argocd.argoproj.io", "Argo CD"),
        ("post-delete-finalizer.argocd.argoproj.io/cleanup", "Argo CD"),
        ("finalizers.fluxcd.io", "Flux"),
        ("finalizer.managedresource.crossplane.io", "Crossplane"),
        ("composite.apiextensions.crossplane.io", "Crossplane"),
        ("finalizer.acme.cert-manager.io", "cert-manager"),
        ("cluster.cluster.x-k8s.io", "Cluster API"),
        ("apis.kcp.io/apibinding-finalizer", "kcp"),
        ("finalizer.keda.sh", "KEDA"),
        ("platform.opmodel.dev/fulfilment", "the platform"),
        ("databases.example.org/cleanup", "the controller of databases.example.org"),
        ("notkeda.sh/x", "the controller of notkeda.sh"),
        ("custom", "the controller that added it"),
    ] {
        assert_eq!(owner(finalizer).name, name, "{finalizer}");
    }
}
