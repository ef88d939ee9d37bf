//! Messages of typed Go clients.

use devplane::fuzzing;
use serde_json::Value;

use crate::bytes::Bytes;

const WORDS: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
    "name",
    "namespace",
    "labels",
    "annotations",
    "finalizers",
    "ownerReferences",
    "uid",
    "creationTimestamp",
    "2030-01-01T00:00:00Z",
    "managedFields",
    "fieldsV1",
    "time",
    "spec",
    "status",
    "data",
    "binaryData",
    "stringData",
    "YQ==",
    "type",
    "Opaque",
    "template",
    "containers",
    "image",
    "ports",
    "containerPort",
    "protocol",
    "TCP",
    "resources",
    "limits",
    "cpu",
    "1Gi",
    "replicas",
    "selector",
    "matchLabels",
    "matchExpressions",
    "key",
    "operator",
    "values",
    "rules",
    "verbs",
    "roleRef",
    "subjects",
    "holderIdentity",
    "renewTime",
    "volumes",
    "emptyDir",
    "targetPort",
    "http",
    "env",
    "value",
    "conditions",
    "replicas",
    "strategy",
    "rollingUpdate",
    "maxSurge",
];
const KINDS: &[(&str, &str)] = &[
    ("v1", "Pod"),
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("v1", "Namespace"),
    ("v1", "Service"),
    ("v1", "Event"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("batch/v1", "Job"),
    ("coordination.k8s.io/v1", "Lease"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"),
    ("meta.k8s.io/v1", "DeleteOptions"),
];

/// Decodes bytes, or encodes an object first.
pub(crate) fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data, WORDS);
    let (api_version, kind) = bytes.one_of(KINDS);
    let message = if bytes.one_in(2) {
        [b"k8s\0", data.get(2..).unwrap_or_default()].concat()
    } else {
        let mut object = bytes.object();
        object["apiVersion"] = api_version.into();
        object["kind"] = kind.into();
        match fuzzing::encode_message(&object) {
            Some(message) => message.to_vec(),
            None => return,
        }
    };
    // What a client leaves out may be written in full: from then on it stays as it is.
    let rewritten = |object: &Value| fuzzing::decode_message(&fuzzing::encode_message(object)?, api_version, kind);
    if let Some(once) = fuzzing::decode_message(&message, api_version, kind).as_ref().and_then(rewritten) {
        assert_eq!(rewritten(&once).as_ref(), Some(&once), "written and read it is another");
    }
}
