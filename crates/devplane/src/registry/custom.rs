//! Resources that a CustomResourceDefinition defines.
//! Source: apiextensions-apiserver `pkg/apiserver/customresource_handler.go`.

use std::sync::Arc;

use serde_json::Value;

use super::{CustomShape, GroupResource, NameRule, Resource, Shape, Subresource, Traits, shared};
use crate::store::Stored;

/// Verbs of custom resources, in the order in which the real server tells them.
const VERBS: [&str; 8] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/// The resources of a definition, one per served version; none while it is not established.
pub fn resources(stored: &Stored) -> Vec<Arc<Resource>> {
    let definition = &stored.object();
    if !condition(definition, "Established") {
        return Vec::new();
    }
    let names = &definition["status"]["acceptedNames"];
    let versions = definition["spec"]["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let served = versions.iter().filter(|version| version["served"] == true);
    served.map(|version| Arc::new(resource(definition, names, version, stored.revision))).collect()
}

/// Whether a condition of the definition is true.
pub fn condition(definition: &Value, kind: &str) -> bool {
    let conditions = definition["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    conditions.iter().any(|condition| condition["type"] == kind && condition["status"] == "True")
}

/// The resource of one version of a definition (or of an APIResourceSchema, whose spec has the same fields) under these names.
/// `revision` is that of its last change.
pub fn resource(definition: &Value, names: &Value, version: &Value, revision: u64) -> Resource {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let texts = |value: &Value| value.as_array().map(|list| list.iter().map(text).collect()).unwrap_or_default();
    let spec = &definition["spec"];
    let (group, plural) = (text(&spec["group"]), text(&names["plural"]));
    let versions = spec["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let storage = versions.iter().find(|version| version["storage"] == true);
    let storage_version = storage.map(|version| text(&version["name"]));
    // An APIResourceSchema has the schema itself where a definition has an object around it.
    let schema = |version: &Value| shared::schema(version.pointer("/schema/openAPIV3Schema").unwrap_or(&version["schema"]));
    let kind = text(&names["kind"]);
    let has_status = version.pointer("/subresources/status").is_some();
    let scale = version.pointer("/subresources/scale").filter(|scale| scale.is_object()).cloned();
    let verbs = || ["get", "patch", "update"].map(str::to_owned).to_vec();
    let mut subresources = Vec::new();
    if has_status {
        subresources.push(Subresource {
            name: "status".into(),
            group: String::new(),
            version: String::new(),
            kind: kind.clone(),
            verbs: verbs(),
        });
    }
    if scale.is_some() {
        subresources.push(Subresource {
            name: "scale".into(),
            group: "autoscaling".into(),
            version: "v1".into(),
            kind: "Scale".into(),
            verbs: verbs(),
        });
    }
    let name = text(&version["name"]);
    let deprecation = (version["deprecated"] == true).then(|| {
        let said = version["deprecationWarning"].as_str().map(str::to_owned);
        said.unwrap_or_else(|| {
            let newer = newer_version(versions, &name).map(|newer| format!("; use {group}/{newer} {kind}"));
            format!("{group}/{name} {kind} is deprecated{}", newer.unwrap_or_default())
        })
    });
    Resource {
        storage: GroupResource::new(&group, &plural),
        storage_version: storage_version.unwrap_or_else(|| name.clone()),
        group,
        plural,
        singular: text(&names["singular"]),
        list_kind: text(&names["listKind"]),
        kind,
        namespaced: spec["scope"] == "Namespaced",
        verbs: VERBS.map(str::to_owned).to_vec(),
        short_names: texts(&names["shortNames"]),
        categories: texts(&names["categories"]),
        subresources,
        traits: Traits { generation: true, unconditional_update: false, create_on_update: false, name: NameRule::Subdomain, review: false },
        shape: Shape::Custom(Arc::new(CustomShape {
            schema: schema(version),
            stored: storage.filter(|storage| storage["name"] != version["name"]).map(schema),
            revision,
            columns: version["additionalPrinterColumns"].as_array().cloned().unwrap_or_default(),
            selectable: version["selectableFields"]
                .as_array()
                .map(|fields| fields.iter().map(|field| text(&field["jsonPath"])).collect())
                .unwrap_or_default(),
            has_status,
            scale,
            deprecation,
            export: None,
        })),
        version: name,
    }
}

/// The best served version that is not deprecated and better than this one: what to use in its place.
fn newer_version<'v>(versions: &'v [Value], than: &str) -> Option<&'v str> {
    let usable = versions.iter().filter(|version| version["served"] == true && version["deprecated"] != true);
    let best = usable.filter_map(|version| version["name"].as_str()).max_by_key(|name| priority(name))?;
    (priority(best) > priority(than)).then_some(best)
}

/// Kubernetes' order of versions: stable before beta before alpha, higher numbers first.
pub fn priority(version: &str) -> (u8, u32, u32) {
    let Some(rest) = version.strip_prefix('v') else { return (0, 0, 0) };
    let digits = |text: &str| text.parse::<u32>().ok();
    if let Some(major) = digits(rest) {
        return (3, major, 0);
    }
    for (rank, word) in [(2, "beta"), (1, "alpha")] {
        if let Some((major, minor)) = rest.split_once(word)
            && let (Some(major), Some(minor)) = (digits(major), digits(minor))
        {
            return (rank, major, minor);
        }
    }
    (0, 0, 0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_deprecated_version_names_what_to_use_in_its_place() {
        let versions = [
            json!({"name": "v1", "served": true}),
            json!({"name": "v1beta1", "served": true, "deprecated": true}),
            json!({"name": "v2", "served": false}),
        ];
        assert_eq!(newer_version(&versions, "v1beta1"), Some("v1"));
        assert_eq!(newer_version(&versions[1..], "v1beta1"), None);
        assert!(priority("v1") > priority("v2beta1") && priority("v1beta2") > priority("v1alpha9") && priority("x") == (0, 0, 0));
    }
}
