//! What stands in the first lines of a request: path, query, media types, tokens of lists.

use devplane::fuzzing;

use crate::bytes::Bytes;

const WORDS: &[&str] = &[
    "/",
    "api",
    "apis",
    "v1",
    "namespaces",
    "default",
    "pods",
    "status",
    "watch",
    "clusters",
    "services",
    "apiexport",
    "root:a",
    "*",
    "apps",
    "deployments",
    "%2f",
    "%00",
    "%",
    "?",
    "&",
    "=",
    "+",
    "limit",
    "continue",
    "resourceVersion",
    "resourceVersionMatch",
    "Exact",
    "NotOlderThan",
    "timeout",
    "1m30s",
    "500ms",
    "1e9h",
    "timeoutSeconds",
    "labelSelector",
    "fieldSelector",
    "watch",
    "true",
    "false",
    "1",
    "0",
    "-1",
    "dryRun",
    "All",
    "fieldManager",
    "fieldValidation",
    "Strict",
    "pretty",
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    ";as=Table",
    ";v=v1",
    ";g=meta.k8s.io",
    ",",
    ";q=0.5",
    "*/*",
    "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0",
    "99999999999999999999",
    "sendInitialEvents",
];

/// Reads them.
pub(crate) fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data, WORDS);
    let method = bytes.one_of(&["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);
    let mut part = || {
        let length = bytes.byte();
        (0..length).map_while(|_| (!bytes.is_empty()).then(|| bytes.text())).collect::<String>()
    };
    let (path, query, accept) = (part(), part(), part());
    fuzzing::request(method, &path, &query, &accept);
}
