//! Which definitions are refused (apiextensions-apiserver `pkg/apis/apiextensions/validation/validation.go`).
//!
//! What all versions have alike is judged once, at the place where older definitions had it: `spec.validation`, `spec.subresources`,
//! `spec.additionalPrinterColumns`, `spec.selectableFields`.

mod conversion;
mod defaults;
pub(super) mod names;
mod version;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::{objects::metadata::Unit, registry::custom, status::Cause};

/// Broken rules of a definition; `old` is the stored state of one that is changed.
pub fn validate(definition: &Value, old: Option<&Value>) -> Vec<Cause> {
    let spec = &definition["spec"];
    let mut causes = Vec::new();
    names::check(&definition["status"]["acceptedNames"], "status.acceptedNames", &mut causes);
    if super::is_of_status(definition, old) {
        return causes;
    }
    if old.is_none() {
        named_after_its_resource(definition, &mut causes);
    }
    group(text(&spec["group"]), &mut causes);
    scope(&spec["scope"], &mut causes);
    versions(spec, &mut causes);
    for field in ["plural", "singular", "kind", "listKind"] {
        if text(&spec["names"][field]).is_empty() {
            causes.push(Cause::required(&format!("spec.names.{field}"), ""));
        }
    }
    names::check(&spec["names"], "spec.names", &mut causes);
    conversion::check(spec, old.map(|old| &old["spec"]), &mut causes);
    stored_versions(&definition["status"]["storedVersions"], &spec["versions"], &mut causes);
    if spec["preserveUnknownFields"] == true {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        causes.push(Cause::invalid("spec.preserveUnknownFields", &true.into(), detail));
    }
    approval(definition, old, &mut causes);
    if let Some(old) = old {
        unchanged(spec, old, &mut causes);
    }
    causes
}

/// Broken rules of the versions of an APIResourceSchema.
pub fn exported_versions(schema: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (index, version) in list(&schema["spec"]["versions"]).iter().enumerate() {
        version::exported(version, &format!("spec.versions[{index}]"), &mut causes);
    }
    causes
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn named_after_its_resource(definition: &Value, causes: &mut Vec<Cause>) {
    let (spec, name) = (&definition["spec"], text(&definition["metadata"]["name"]));
    if name != format!("{}.{}", text(&spec["names"]["plural"]), text(&spec["group"])) {
        causes.push(Cause::invalid("metadata.name", &name.into(), "must be spec.names.plural+\".\"+spec.group"));
    }
}

fn group(group: &str, causes: &mut Vec<Cause>) {
    let faults = crate::objects::metadata::subdomain_faults(group, Unit::Characters);
    if group.is_empty() {
        causes.push(Cause::required("spec.group", ""));
    } else if !faults.is_empty() {
        causes.push(Cause::invalid("spec.group", &group.into(), &faults.join(",")));
    } else if !group.contains('.') {
        causes.push(Cause::invalid("spec.group", &group.into(), "should be a domain with at least one dot"));
    }
}

fn scope(scope: &Value, causes: &mut Vec<Cause>) {
    match text(scope) {
        "Namespaced" | "Cluster" => {}
        "" => causes.push(Cause::required("spec.scope", "")),
        other => causes.push(Cause::unsupported("spec.scope", other, &["Cluster", "Namespaced"])),
    }
}

/// The versions: their names, and what each of them or all together say.
fn versions(spec: &Value, causes: &mut Vec<Cause>) {
    let versions = list(&spec["versions"]);
    for (index, version) in versions.iter().enumerate() {
        let at = format!("spec.versions[{index}]");
        if version.pointer("/schema/openAPIV3Schema").is_none_or(Value::is_null) {
            causes.push(Cause::required(&format!("{at}.schema.openAPIV3Schema"), ""));
        }
        if let Some(fault) = names::label_fault(text(&version["name"])) {
            causes.push(Cause::invalid(&format!("{at}.name"), &version["name"], &fault));
        }
        version::deprecation(version, &at, causes);
    }
    // The first version is told a second time under the name that it had when there was but one.
    if let Some(first) = versions.first()
        && !text(&first["name"]).is_empty()
        && let Some(fault) = names::label_fault(text(&first["name"]))
    {
        causes.push(Cause::invalid("spec.version", &first["name"], &fault));
    }
    for part in version::PARTS {
        let shared = versions.split_first().filter(|(first, others)| {
            let own = &first[part.field];
            !own.is_null() && *own != json!([]) && others.iter().all(|other| other[part.field] == *own)
        });
        match shared {
            // They are looked up in the schema that all versions have, too.
            Some((first, others))
                if part.field == "selectableFields"
                    && (first["schema"].is_null() || others.iter().any(|other| other["schema"] != first["schema"])) =>
            {
                let detail = "may only be set when validations.schema is included";
                causes.push(Cause::invalid("spec.selectableFields", &"".into(), detail));
            }
            Some((first, _)) => (part.check)(&first[part.field], first, &format!("spec.{}", part.shared), causes),
            None => {
                for (index, version) in versions.iter().enumerate() {
                    (part.check)(&version[part.field], version, &format!("spec.versions[{index}].{}", part.field), causes);
                }
            }
        }
    }
    let names: BTreeSet<&str> = versions.iter().map(|version| text(&version["name"])).collect();
    let mut refuse = |why: &str| causes.push(Cause::invalid_shown("spec.versions", &printed(&spec["versions"]), why));
    if names.len() < versions.len() {
        refuse("must contain unique version names");
    }
    if versions.iter().filter(|version| version["storage"] == true).count() != 1 {
        refuse("must have exactly one version marked as storage version");
    }
}

/// Versions as the Go structures print them. What all of them share is not there.
fn printed(versions: &Value) -> String {
    let Some(versions) = versions.as_array() else { return "null".into() };
    let alike = |field: &str| versions.windows(2).all(|pair| pair[0][field] == pair[1][field]);
    let shared: Vec<&str> = version::PARTS.iter().map(|part| part.field).filter(|field| alike(field)).collect();
    let shown = |version: &Value| {
        let flag = |field: &str| version[field] == true;
        let own = |field: &str| if shared.contains(&field) { Value::Null } else { version[field].clone() };
        let fields = [
            ("Name", version["name"].clone()),
            ("Served", flag("served").into()),
            ("Storage", flag("storage").into()),
            ("Deprecated", flag("deprecated").into()),
            ("DeprecationWarning", version["deprecationWarning"].clone()),
            ("Schema", own("schema")),
            ("Subresources", own("subresources")),
            ("AdditionalPrinterColumns", own("additionalPrinterColumns")),
            ("SelectableFields", own("selectableFields")),
        ];
        let fields: Vec<String> = fields.into_iter().map(|(name, value)| format!("{name:?}:{value}")).collect();
        format!("{{{}}}", fields.join(","))
    };
    format!("[{}]", versions.iter().map(shown).collect::<Vec<_>>().join(","))
}

/// What was stored once stays readable: its version must not go while `status` names it.
fn stored_versions(stored: &Value, versions: &Value, causes: &mut Vec<Cause>) {
    const FIELD: &str = "status.storedVersions";
    let names = list(stored);
    if names.is_empty() {
        causes.push(Cause::invalid(FIELD, &Value::Null, "must have at least one stored version"));
        return;
    }
    let kept: BTreeSet<&str> = names.iter().map(text).collect();
    let known: BTreeSet<&str> = list(versions).iter().map(|version| text(&version["name"])).collect();
    for version in list(versions).iter().filter(|version| version["storage"] == true && !kept.contains(text(&version["name"]))) {
        causes.push(Cause::invalid(FIELD, stored, &format!("must have the storage version {}", text(&version["name"]))));
    }
    for (index, name) in names.iter().enumerate().filter(|(_, name)| !known.contains(text(name))) {
        let shown = text(name);
        let detail = format!(
            "missing from spec.versions; {shown} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in {shown} and removes {shown} from status.storedVersions"
        );
        causes.push(Cause::invalid(&format!("{FIELD}[{index}]"), name, &detail));
    }
}

/// Groups of the Kubernetes community are kept for what it has approved.
fn approval(definition: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    const ANNOTATION: &str = "api-approved.kubernetes.io";
    let group = text(&definition["spec"]["group"]);
    let protected = ["k8s.io", "kubernetes.io"].iter().any(|domain| group == *domain || group.ends_with(&format!(".{domain}")));
    let said = |definition: &Value| text(&definition["metadata"]["annotations"][ANNOTATION]).to_owned();
    let approved = said(definition);
    if !protected || old.is_some_and(|old| said(old) == approved) {
        return;
    }
    let field = format!("metadata.annotations[{ANNOTATION}]");
    let see = "see https://github.com/kubernetes/enhancements/pull/1111";
    if approved.is_empty() {
        causes.push(Cause::required(&field, &format!("protected groups must have approval annotation {ANNOTATION:?}, {see}")));
    } else if !(approved.starts_with("unapproved") || approved.contains("://") && approved.contains('.')) {
        let detail = format!(
            "protected groups must have approval annotation {ANNOTATION:?} with either a URL or a reason starting with \"unapproved\", {see}"
        );
        causes.push(Cause::invalid(&field, &approved.into(), &detail));
    }
}

fn unchanged(spec: &Value, old: &Value, causes: &mut Vec<Cause>) {
    let before = &old["spec"];
    let mut immutable = |field: &str, new: &Value, old: &Value| {
        if new != old {
            causes.push(Cause::invalid(field, new, "field is immutable"));
        }
    };
    if custom::condition(old, "Established") {
        immutable("spec.scope", &spec["scope"], &before["scope"]);
        immutable("spec.names.kind", &spec["names"]["kind"], &before["names"]["kind"]);
    }
    immutable("spec.group", &spec["group"], &before["group"]);
    immutable("spec.names.plural", &spec["names"]["plural"], &before["names"]["plural"]);
}

/// The fields of an object, none of anything else.
fn fields(value: &Value) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    value.as_object().unwrap_or(&NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition() -> Value {
        let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
            "type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}}}}});
        json!({
            "metadata": {"name": "things.example.org"},
            "spec": {
                "group": "example.org", "scope": "Namespaced", "versions": [version], "conversion": {"strategy": "None"},
                "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
            },
            "status": {"storedVersions": ["v1"]},
        })
    }

    /// `field: message` of what is wrong after a change.
    fn faults(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut changed = definition();
        change(&mut changed);
        validate(&changed, None).into_iter().map(|cause| cause.to_string()).collect()
    }

    #[test]
    fn a_complete_definition_is_accepted() {
        assert_eq!(faults(|_| ()), Vec::<String>::new());
    }

    #[test]
    fn names_are_judged() {
        let kind = faults(|definition| definition["spec"]["names"]["kind"] = json!("bad_kind"));
        assert!(kind[0].starts_with(
            "spec.names.kind: Invalid value: \"bad_kind\": may have mixed case, but should otherwise match: a DNS-1035 label"
        ));
        let same = faults(|definition| definition["spec"]["names"]["listKind"] = json!("Thing"));
        assert_eq!(same, ["spec.names.listKind: Invalid value: \"Thing\": kind and listKind may not be the same"]);
        let group = faults(|definition| {
            definition["spec"]["group"] = json!("org");
            definition["metadata"]["name"] = json!("things.org");
        });
        assert_eq!(group, ["spec.group: Invalid value: \"org\": should be a domain with at least one dot"]);
        let community = faults(|definition| {
            definition["spec"]["group"] = json!("x.k8s.io");
            definition["metadata"]["name"] = json!("things.x.k8s.io");
        });
        assert!(community[0].starts_with("metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups"));
    }

    #[test]
    fn what_all_versions_share_is_told_where_older_definitions_had_it() {
        let columns = json!([{"name": "", "type": "foo", "jsonPath": "a"}]);
        let told = [
            "name: Required value",
            "type: Invalid value: \"foo\": must be one of boolean,date,integer,number,string",
            "JSONPath: Invalid value: \"a\": must be a simple json path starting with .",
        ];
        let one = faults(|definition| definition["spec"]["versions"][0]["additionalPrinterColumns"] = columns.clone());
        assert_eq!(one, told.map(|text| format!("spec.additionalPrinterColumns[0].{text}")));
        let two = faults(|definition| {
            let mut second = definition["spec"]["versions"][0].clone();
            second["name"] = json!("v2");
            second["storage"] = json!(false);
            second["additionalPrinterColumns"] = columns;
            definition["spec"]["versions"].as_array_mut().unwrap().push(second);
        });
        assert_eq!(two, told.map(|text| format!("spec.versions[1].additionalPrinterColumns[0].{text}")));
    }

    #[test]
    fn versions_have_unique_names_and_one_is_stored() {
        let twice = faults(|definition| {
            let mut second = definition["spec"]["versions"][0].clone();
            second["storage"] = json!(false);
            definition["spec"]["versions"].as_array_mut().unwrap().push(second);
        });
        assert!(twice[0].ends_with("must contain unique version names"), "{twice:?}");
        assert!(
            twice[0].contains(r#"{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null"#)
        );
        let none = faults(|definition| definition["spec"]["versions"] = json!([]));
        assert_eq!(none[0], "spec.versions: Invalid value: []: must have exactly one version marked as storage version");
        let gone = faults(|definition| definition["status"]["storedVersions"] = json!(["v1", "v0"]));
        assert!(gone[0].starts_with("status.storedVersions[1]: Invalid value: \"v0\": missing from spec.versions; v0 was previously"));
    }

    #[test]
    fn scales_selectable_fields_conversions_and_warnings_are_judged() {
        let scale = faults(|definition| {
            definition["spec"]["versions"][0]["subresources"] =
                json!({"scale": {"specReplicasPath": ".status.x", "statusReplicasPath": ""}});
        });
        assert_eq!(
            scale,
            [
                "spec.subresources.scale.specReplicasPath: Invalid value: \".status.x\": should be a json path under .spec",
                "spec.subresources.scale.statusReplicasPath: Required value",
            ]
        );
        let selectable = faults(|definition| {
            definition["spec"]["versions"][0]["selectableFields"] =
                [".spec.nope", ".spec.a", ".spec.a", ".spec", "spec.a", ".spec["].iter().map(|path| json!({"jsonPath": path})).collect();
        });
        assert_eq!(
            selectable,
            [
                "spec.selectableFields[0].jsonPath: Invalid value: \".spec.nope\": is an invalid path: does not refer to a valid field",
                "spec.selectableFields[2].jsonPath: Duplicate value: \".spec.a\"",
                "spec.selectableFields[3].jsonPath: Invalid value: \".spec\": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
                "spec.selectableFields[4].jsonPath: Invalid value: \"spec.a\": is an invalid path: expected [ or . but got: spec",
                "spec.selectableFields[5].jsonPath: Invalid value: \".spec[\": is an invalid path: array notation is not allowed",
            ]
        );
        let conversion = faults(|definition| definition["spec"]["conversion"] = json!({"strategy": "Webhook"}));
        assert_eq!(
            conversion,
            [
                "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
                "spec.conversion.conversionReviewVersions: Required value",
            ]
        );
        let reviews = |versions: Value| {
            let client = json!({"url": "http://u@/a?b#c"});
            let webhook = json!({"clientConfig": client, "conversionReviewVersions": versions});
            faults(|definition| definition["spec"]["conversion"] = json!({"strategy": "Webhook", "webhook": webhook}))
        };
        assert_eq!(
            reviews(json!(["v1", "v1"])),
            [
                "spec.conversion.webhookClientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
                "spec.conversion.webhookClientConfig.url: Invalid value: \"\": host must be specified; desired format: https://host[/path]",
                "spec.conversion.webhookClientConfig.url: Invalid value: \"u\": user information is not permitted in the URL",
                "spec.conversion.webhookClientConfig.url: Invalid value: \"c\": fragments are not permitted in the URL",
                "spec.conversion.webhookClientConfig.url: Invalid value: \"b\": query parameters are not permitted in the URL",
                "spec.conversion.conversionReviewVersions[1]: Invalid value: \"v1\": duplicate version",
            ]
        );
        let warning = faults(|definition| definition["spec"]["versions"][0]["deprecationWarning"] = json!("x"));
        assert_eq!(warning, ["spec.versions[0].deprecationWarning: Invalid value: \"x\": can only be set for deprecated versions"]);
    }

    #[test]
    fn whoever_writes_the_status_may_say_anything_of_what_is_stored() {
        let old = definition();
        let mut new = old.clone();
        new["status"]["storedVersions"] = json!(["v0"]);
        assert_eq!(validate(&new, Some(&old)), []);
        new["status"]["acceptedNames"] = json!({"plural": "Bad"});
        assert!(validate(&new, Some(&old))[0].message.starts_with("Invalid value: \"Bad\": a DNS-1035 label"));
        new["spec"]["names"]["shortNames"] = json!(["th"]);
        assert!(validate(&new, Some(&old)).iter().any(|cause| cause.field == "status.storedVersions[0]"), "written with the spec");
    }

    #[test]
    fn what_an_established_definition_says_of_its_place_stays() {
        let mut old = definition();
        let mut new = old.clone();
        new["spec"]["scope"] = json!("Cluster");
        assert_eq!(validate(&new, Some(&old)), [], "before anybody could use it");
        old["status"]["conditions"] = json!([{"type": "Established", "status": "True"}]);
        assert_eq!(validate(&new, Some(&old))[0].message, "Invalid value: \"Cluster\": field is immutable");
    }
}
