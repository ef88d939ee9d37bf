//! Objects as the API server prints its internal structures in faults: every field, under its Go name, empty ones as null or zero.
//! Source: Go `encoding/json`; kubernetes `pkg/apis/core/types.go` (where it differs from `k8s.io/api`), `pkg/apis/core/v1/conversion.go`.

use serde_json::Value;

use super::{
    go_json,
    table::{self, Count, Field, Message, Type},
};

/// Fields of a `PodSpec` in the order of the internal structure; those that are not here have moved into its security context.
const POD_SPEC: [&str; 37] = [
    "volumes",
    "initContainers",
    "containers",
    "ephemeralContainers",
    "restartPolicy",
    "terminationGracePeriodSeconds",
    "activeDeadlineSeconds",
    "dnsPolicy",
    "nodeSelector",
    "serviceAccountName",
    "automountServiceAccountToken",
    "nodeName",
    "securityContext",
    "imagePullSecrets",
    "hostname",
    "subdomain",
    "setHostnameAsFQDN",
    "affinity",
    "schedulerName",
    "tolerations",
    "hostAliases",
    "priorityClassName",
    "priority",
    "preemptionPolicy",
    "dnsConfig",
    "readinessGates",
    "runtimeClassName",
    "overhead",
    "enableServiceLinks",
    "topologySpreadConstraints",
    "os",
    "schedulingGates",
    "resourceClaims",
    "resources",
    "hostnameOverride",
    "schedulingGroup",
    "workloadRef",
];
/// What of a `PodSpec` stands in the internal security context, before its own fields.
const HOST: [&str; 5] = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];
const SECURITY_CONTEXT: [&str; 13] = [
    "seLinuxOptions",
    "windowsOptions",
    "runAsUser",
    "runAsGroup",
    "runAsNonRoot",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "seccompProfile",
    "appArmorProfile",
    "seLinuxChangePolicy",
];

/// Go names that are more than the name in JSON with its first letter in upper case.
const NAMES: [(&str, &str); 30] = [
    ("apiGroup", "APIGroup"),
    ("apiVersion", "APIVersion"),
    ("awsElasticBlockStore", "AWSElasticBlockStore"),
    ("cephfs", "CephFS"),
    ("chapAuthDiscovery", "DiscoveryCHAPAuth"),
    ("chapAuthSession", "SessionCHAPAuth"),
    ("csi", "CSI"),
    ("dnsConfig", "DNSConfig"),
    ("dnsPolicy", "DNSPolicy"),
    ("fc", "FC"),
    ("fsGroup", "FSGroup"),
    ("fsGroupChangePolicy", "FSGroupChangePolicy"),
    ("fsType", "FSType"),
    ("gcePersistentDisk", "GCEPersistentDisk"),
    ("gmsaCredentialSpec", "GMSACredentialSpec"),
    ("gmsaCredentialSpecName", "GMSACredentialSpecName"),
    ("grpc", "GRPC"),
    ("httpGet", "HTTPGet"),
    ("httpHeaders", "HTTPHeaders"),
    ("ip", "IP"),
    ("iscsi", "ISCSI"),
    ("nfs", "NFS"),
    ("os", "OS"),
    ("rbd", "RBD"),
    ("scaleIO", "ScaleIO"),
    ("seLinuxChangePolicy", "SELinuxChangePolicy"),
    ("seLinuxOptions", "SELinuxOptions"),
    ("storageos", "StorageOS"),
    ("tcpSocket", "TCPSocket"),
    ("tty", "TTY"),
];

/// A value of this kind in one line.
pub fn compact(api_version: &str, kind: &str, value: &Value) -> String {
    let mut text = String::new();
    node(api_version, kind, value).write(None, &mut text);
    text
}

/// A value of this kind over many lines, each level further in by one blank.
pub fn indented(api_version: &str, kind: &str, value: &Value) -> String {
    let mut text = String::new();
    node(api_version, kind, value).write(Some(0), &mut text);
    text
}

enum Node {
    Text(String),
    List(Vec<Node>),
    Fields(Vec<(String, Node)>),
}

impl Node {
    /// Writes the value; `depth` is none for one line.
    fn write(&self, depth: Option<usize>, text: &mut String) {
        let inner = depth.map(|depth| depth + 1);
        match self {
            Self::Text(own) => text.push_str(own),
            Self::List(items) if items.is_empty() => text.push_str("[]"),
            Self::Fields(fields) if fields.is_empty() => text.push_str("{}"),
            Self::List(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    separate(index, inner, text);
                    item.write(inner, text);
                }
                end(depth, text);
                text.push(']');
            }
            Self::Fields(fields) => {
                text.push('{');
                for (index, (name, value)) in fields.iter().enumerate() {
                    separate(index, inner, text);
                    text.push_str(&Value::from(name.as_str()).to_string());
                    text.push_str(if depth.is_some() { ": " } else { ":" });
                    value.write(inner, text);
                }
                end(depth, text);
                text.push('}');
            }
        }
    }
}

fn separate(index: usize, depth: Option<usize>, text: &mut String) {
    if index > 0 {
        text.push(',');
    }
    end(depth, text);
}

/// Goes to the next line, if there are lines.
fn end(depth: Option<usize>, text: &mut String) {
    if let Some(depth) = depth {
        text.push('\n');
        text.push_str(&" ".repeat(depth));
    }
}

fn node(api_version: &str, kind: &str, value: &Value) -> Node {
    match table::message(api_version, kind) {
        Some(message) => Node::Fields(structure(message, kind, value)),
        None => plain(value),
    }
}

/// The fields of a structure.
fn structure(message: &'static Message, kind: &str, value: &Value) -> Vec<(String, Node)> {
    let known = go_json::declared(message);
    let find = |name: &&str| known.iter().find(|field| field.name == *name).copied();
    match kind {
        "PodSpec" => POD_SPEC.iter().filter_map(find).map(|field| (go_name(field.name), in_pod(field, value))).collect(),
        "PodSecurityContext" => SECURITY_CONTEXT.iter().filter_map(find).map(|field| pair(field, value)).collect(),
        _ => {
            let parts = |field: &'static Field| if field.name == "metadata" { metadata(field, value) } else { vec![pair(field, value)] };
            known.into_iter().flat_map(parts).collect()
        }
    }
}

fn pair(field: &'static Field, value: &Value) -> (String, Node) {
    (go_name(field.name), content(field, &value[field.name]))
}

/// Metadata stands among the fields of its object, as it is outside.
fn metadata(field: &'static Field, value: &Value) -> Vec<(String, Node)> {
    match content(field, &value[field.name]) {
        Node::Fields(fields) => fields,
        other => vec![(go_name(field.name), other)],
    }
}

/// A field of a pod's spec.
fn in_pod(field: &'static Field, spec: &Value) -> Node {
    if field.name != "securityContext" {
        return content(field, &spec[field.name]);
    }
    let host = HOST.iter().map(|name| {
        let unsaid = if name.starts_with("hostU") || name.starts_with("share") { "null" } else { "false" };
        let said = &spec[*name];
        (go_name(name), Node::Text(if said.is_null() { unsaid.to_owned() } else { said.to_string() }))
    });
    let own = match field.kind {
        Type::Message(place) => structure(table::at(place), table::short(place), &spec[field.name]),
        _ => Vec::new(),
    };
    Node::Fields(host.chain(own).collect())
}

fn content(field: &'static Field, value: &Value) -> Node {
    match (field.count, field.kind, value) {
        (Count::List | Count::Map | Count::Maybe, _, Value::Null) => Node::Text("null".into()),
        (Count::List, Type::Message(place), Value::Array(items)) => Node::List(items.iter().map(|item| message(place, item)).collect()),
        (Count::One | Count::Maybe, Type::Message(place), _) => message(place, value),
        (Count::One, kind, Value::Null) => Node::Text(zero(kind).into()),
        _ => plain(value),
    }
}

/// Structures of `meta/v1` are the same inside and outside.
fn message(place: usize, value: &Value) -> Node {
    if table::is_shared(place) {
        return external(table::at(place), value);
    }
    Node::Fields(structure(table::at(place), table::short(place), value))
}

/// A structure as clients see it: names of JSON, without what is empty.
fn external(message: &'static Message, value: &Value) -> Node {
    let fields = go_json::declared(message)
        .into_iter()
        .filter(|field| !go_json::is_empty(&value[field.name]) || (field.always && field.kind != Type::Time));
    let shown = fields.map(|field| {
        let said = &value[field.name];
        let node = match (field.count, field.kind, said) {
            (Count::List, Type::Message(place), Value::Array(items)) => {
                Node::List(items.iter().map(|item| external(table::at(place), item)).collect())
            }
            (Count::One | Count::Maybe, Type::Message(place), _) => external(table::at(place), said),
            (Count::One, kind, Value::Null) => Node::Text(zero(kind).into()),
            _ => plain(said),
        };
        (field.name.to_owned(), node)
    });
    Node::Fields(shown.collect())
}

/// A value of which no more is known than what it says.
fn plain(value: &Value) -> Node {
    match value {
        Value::Array(items) => Node::List(items.iter().map(plain).collect()),
        Value::Object(fields) => Node::Fields(fields.iter().map(|(name, value)| (name.clone(), plain(value))).collect()),
        other => Node::Text(other.to_string()),
    }
}

/// What a field holds of which nothing was said.
fn zero(kind: Type) -> &'static str {
    match kind {
        Type::Text => "\"\"",
        Type::Flag => "false",
        Type::Int32 | Type::Int64 | Type::IntOrString => "0",
        Type::Quantity => "\"0\"",
        Type::Bytes | Type::Time | Type::MicroTime | Type::Raw | Type::Wrapped | Type::Message(_) => "null",
    }
}

fn go_name(name: &str) -> String {
    if let Some((_, known)) = NAMES.iter().find(|(json, _)| *json == name) {
        return (*known).to_owned();
    }
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_field_is_there_under_its_go_name() {
        let strategy = compact("apps/v1", "DeploymentStrategy", &json!({"type": "Frob"}));
        assert_eq!(strategy, r#"{"Type":"Frob","RollingUpdate":null}"#);
        let context = json!({"privileged": true, "capabilities": {"add": ["X"]}});
        let context = compact("v1", "SecurityContext", &context);
        assert!(context.starts_with(r#"{"Capabilities":{"Add":["X"],"Drop":null},"Privileged":true,"SELinuxOptions":null,"#), "{context}");
    }

    #[test]
    fn a_template_has_its_metadata_among_its_fields() {
        let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"hostNetwork": true}});
        let text = compact("v1", "PodTemplateSpec", &template);
        assert!(text.starts_with(r#"{"labels":{"a":"b"},"Spec":{"Volumes":null,"InitContainers":null,"#), "{text}");
        assert!(text.contains(r#""SecurityContext":{"HostNetwork":true,"HostPID":false,"HostIPC":false,"ShareProcessNamespace":null,"#));
    }

    #[test]
    fn lines_go_in_by_one_blank() {
        let text = indented("v1", "PodSpec", &json!({"containers": [{"name": "c"}]}));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..6],
            ["{", " \"Volumes\": null,", " \"InitContainers\": null,", " \"Containers\": [", "  {", "   \"Name\": \"c\","]
        );
        assert_eq!(lines[34..38], ["  }", " ],", " \"EphemeralContainers\": null,", " \"RestartPolicy\": \"\","]);
    }
}
