//! What is told to who writes an object that is taken, but may not do what was meant.
//! Source: kubernetes `WarningsOnCreate` and `WarningsOnUpdate` of `pkg/registry/*/*/strategy.go`, `pkg/api/service/warnings.go`.

mod workloads;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;

use super::validate::{
    addresses::unusual,
    amounts,
    reading::{items, list, text},
};
use crate::registry::Resource;

const HINTS: &str = "service.kubernetes.io/topology-aware-hints";
const INGRESS_CLASS: &str = "kubernetes.io/ingress.class";

/// Warnings about an object of a built-in kind that is about to be stored; `old` is the stored one on an update.
pub fn warnings(resource: &Resource, subresource: &str, object: &Value, old: Option<&Value>) -> Vec<String> {
    match (resource.group.as_str(), resource.kind.as_str(), subresource) {
        ("", "Service", "status") | ("networking.k8s.io", "Ingress", "status") => points(object),
        (_, _, "status" | "scale") => Vec::new(),
        ("", "Secret", _) => secret(object),
        ("", "Service", _) => service(object),
        ("", "Endpoints", _) => endpoints(object),
        ("", "PersistentVolumeClaim", _) => claim(&object["spec"]),
        ("", "PersistentVolume", _) => volume(&object["spec"]),
        ("", "ResourceQuota", _) if old.is_none() => quota(&object["spec"]["hard"]),
        ("networking.k8s.io", "Ingress", _) if old.is_none() => ingress(object).into_iter().collect(),
        _ if resource.is_built_in() => workloads::warnings(resource, object, old),
        _ => Vec::new(),
    }
}

/// Whether a certificate and its key can be read at all; whether they belong together is not found out.
fn secret(secret: &Value) -> Vec<String> {
    if secret["type"] != "kubernetes.io/tls" {
        return Vec::new();
    }
    for (key, what) in [("tls.crt", "certificate"), ("tls.key", "key")] {
        let bytes = STANDARD.decode(text(&secret["data"][key])).unwrap_or_default();
        if !bytes.windows(11).any(|window| window == b"-----BEGIN ") {
            return vec![format!("tls: failed to find any PEM data in {what} input")];
        }
    }
    Vec::new()
}

fn service(service: &Value) -> Vec<String> {
    let spec = &service["spec"];
    let kind = text(&spec["type"]);
    let is_headless = kind == "ClusterIP" && spec["clusterIP"] == "None";
    let has_outside = !list(&spec["externalIPs"]).is_empty();
    let mut warnings = Vec::new();
    if service["metadata"]["annotations"].get(HINTS).is_some() {
        warnings.push(format!("annotation {HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead"));
    }
    addresses(spec, "clusterIPs", &mut warnings);
    if is_headless {
        let ignored = [
            (!text(&spec["loadBalancerIP"]).is_empty(), "spec.loadBalancerIP"),
            (has_outside, "spec.externalIPs"),
            (spec["sessionAffinity"] != "None", "spec.SessionAffinity"),
        ];
        let ignored = ignored.into_iter().filter(|(is_said, _)| *is_said);
        warnings.extend(ignored.map(|(_, field)| format!("{field} is ignored for headless services")));
    }
    addresses(spec, "externalIPs", &mut warnings);
    if has_outside && !is_headless && kind != "ExternalName" {
        warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters".into());
    }
    warnings.extend(unusual("spec.loadBalancerIP", text(&spec["loadBalancerIP"])));
    if kind == "ExternalName" && has_outside {
        warnings.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".into());
    }
    if kind != "ExternalName" && !text(&spec["externalName"]).is_empty() {
        warnings.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".into());
    }
    if spec["trafficDistribution"] == "PreferClose" {
        warnings.push("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"".into());
    }
    warnings
}

/// The addresses of a list in a spec.
fn addresses(spec: &Value, name: &str, warnings: &mut Vec<String>) {
    for (index, address) in items(&spec[name]) {
        warnings.extend(unusual(&format!("spec.{name}[{index}]"), text(address)));
    }
}

/// The addresses of a load balancer.
fn points(object: &Value) -> Vec<String> {
    let points = items(&object["status"]["loadBalancer"]["ingress"]);
    points.filter_map(|(index, point)| unusual(&format!("status.loadBalancer.ingress[{index}]"), text(&point["ip"]))).collect()
}

fn endpoints(object: &Value) -> Vec<String> {
    let mut warnings = Vec::new();
    for (index, subset) in items(&object["subsets"]) {
        for name in ["addresses", "notReadyAddresses"] {
            for (place, address) in items(&subset[name]) {
                warnings.extend(unusual(&format!("subsets[{index}].{name}[{place}].ip"), text(&address["ip"])));
            }
        }
    }
    warnings
}

fn claim(spec: &Value) -> Vec<String> {
    let parts = ["requests", "limits"].into_iter().filter(|part| !amounts::is_whole(&spec["resources"][*part]["storage"]));
    parts
        .map(|part| {
            let amount = &spec["resources"][part]["storage"];
            format!("spec.resources.{part}[storage]: fractional byte value {amount} is invalid, must be an integer")
        })
        .collect()
}

fn volume(spec: &Value) -> Vec<String> {
    let mut warnings = Vec::new();
    if spec["persistentVolumeReclaimPolicy"] == "Recycle" {
        let why = "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";
        warnings.push(format!("spec.persistentVolumeReclaimPolicy: {why}"));
    }
    for (field, shown, since, gone) in [
        ("cephfs", "cephfs", "v1.28", "v1.31+"),
        ("photonPersistentDisk", "photonPersistentDisk", "v1.11", "v1.16+"),
        ("scaleIO", "scaleIO", "v1.16", "v1.22+"),
        ("storageos", "storageOS", "v1.22", "v1.25+"),
        ("glusterfs", "glusterfs", "v1.25", "v1.26+"),
        ("rbd", "rbd", "v1.28", "v1.31+"),
    ] {
        if !spec[field].is_null() {
            warnings.push(format!("spec.{shown}: deprecated in {since}, non-functional in {gone}"));
        }
    }
    warnings
}

/// What is asked for is not more than what may be had.
fn quota(hard: &Value) -> Vec<String> {
    let mut warnings = Vec::new();
    for resource in ["cpu", "memory", "storage", "ephemeral-storage"] {
        let (full, limit) = (format!("requests.{resource}"), format!("limits.{resource}"));
        let is_bare = hard[&full].is_null() && matches!(resource, "cpu" | "memory");
        let request = if is_bare { resource } else { full.as_str() };
        if let (Some(asked), Some(most)) = (hard[request].as_str(), hard[&limit].as_str())
            && amounts::compare(&hard[request], &hard[&limit]).is_gt()
        {
            warnings.push(format!("ResourceQuota {request} ({asked}) should be less than {limit} ({most})"));
        }
    }
    warnings
}

fn ingress(ingress: &Value) -> Option<String> {
    let is_said = ingress["metadata"]["annotations"].get(INGRESS_CLASS).is_some() && ingress["spec"]["ingressClassName"].is_null();
    is_said.then(|| format!("annotation {INGRESS_CLASS:?} is deprecated, please use 'spec.ingressClassName' instead"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn headless_services_ignore_what_they_cannot_do() {
        let spec = json!({"type": "ClusterIP", "clusterIP": "None", "sessionAffinity": "ClientIP"});
        assert_eq!(service(&json!({"spec": spec})), ["spec.SessionAffinity is ignored for headless services"]);
    }

    #[test]
    fn certificates_are_looked_for() {
        let found = secret(&json!({"type": "kubernetes.io/tls", "data": {"tls.crt": "YQ==", "tls.key": "Yg=="}}));
        assert_eq!(found, ["tls: failed to find any PEM data in certificate input"]);
    }
}
