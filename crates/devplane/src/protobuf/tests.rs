use proptest::prelude::*;
use serde_json::json;

use super::*;

fn there_and_back(object: Value) {
    let bytes = encode(&object).unwrap();
    assert_eq!(decode(&bytes, "", "").unwrap(), object);
}

#[test]
fn objects_come_back_as_they_went() {
    there_and_back(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "labels": {"b": "c"},
        "creationTimestamp": "2024-01-01T00:00:00Z"}, "data": {"k": "v"}, "binaryData": {"z": "AAE="}, "immutable": false}));
    there_and_back(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "deletionGracePeriodSeconds": 0,
        "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u", "controller": true}]},
        "spec": {"containers": [{"name": "c", "image": "nginx", "ports": [{"containerPort": 80}],
            "resources": {"limits": {"cpu": "500m"}},
            "livenessProbe": {"httpGet": {"port": "http"}, "initialDelaySeconds": -1},
            "env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "m", "key": "k", "optional": true}}}]}],
            "securityContext": {"supplementalGroups": [1, 2]},
            "volumes": [{"name": "v", "emptyDir": {}}, {"name": "w", "configMap": {"name": "m"}}]}}));
    there_and_back(json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "r"}, "rules": null}));
    there_and_back(json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"},
        "spec": {"renewTime": "2024-01-01T00:00:00.000012Z"}}));
    there_and_back(json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview",
        "status": {"userInfo": {"username": "a", "extra": {"k": ["x", "y"]}}}}));
}

#[test]
fn a_status_has_the_bytes_of_the_real_server() {
    let message = "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf";
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message, "reason": "NotAcceptable", "code": 406});
    let recorded = [
        b"k8s\0\n\x0c\n\x02v1\x12\x06Status\x12\x99\x01\n\x06\n\0\x12\0\x1a\0\x12\x07Failure\x1at".as_slice(),
        message.as_bytes(),
        b"\"\rNotAcceptable0\x96\x03\x1a\0\"\0",
    ]
    .concat();
    let written = encode(&status).unwrap();
    assert_eq!(written, recorded);
    assert_eq!(decode(&written, "", "").unwrap()["code"], 406);
}

#[test]
fn what_is_no_message_is_told() {
    assert_eq!(decode(b"{}", "v1", "ConfigMap"), Err(ProtobufError::Prefix));
    assert_eq!(decode(b"k8s\0\x12\x05\x0a", "v1", "ConfigMap"), Err(ProtobufError::Cut));
    assert!(matches!(decode(b"k8s\0", "example.org/v1", "Widget"), Err(ProtobufError::UnknownKind { .. })));
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), kind in prop::sample::select(vec!["Pod", "ConfigMap", "Secret", "Event", "Status"])) {
        let mut envelope = MAGIC.to_vec();
        put_bytes(&mut envelope, 2, &bytes);
        drop(decode(&envelope, "v1", kind));
        drop(decode(&bytes, "v1", kind));
    }

    #[test]
    fn texts_and_numbers_survive(name in "\\PC{1,20}", replicas in any::<i32>(), seconds in any::<i64>()) {
        let object = json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": name, "deletionGracePeriodSeconds": seconds},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"a": name}}, "template": {"spec": {"containers": null}}}});
        prop_assert_eq!(decode(&encode(&object).unwrap(), "", "").unwrap(), object);
    }
}
