//! Permission claims: what an export asks for, what a binding accepts, and what is in force. Pure functions over JSON.
//! Source: kcp `pkg/permissionclaim`, `pkg/reconciler/apis/permissionclaimlabel`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::controller::text;

/// A claim in force in one workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// API group.
    pub group: String,
    /// Plural resource.
    pub resource: String,
    /// Identity of the export that the resource comes from; empty for built-in ones.
    pub identity: String,
    /// Verbs that both sides wrote; words, so `*` and `get` have none in common.
    pub verbs: Vec<String>,
    /// `matchLabels` of the selector: filter of what is seen, added to what is written.
    pub labels: BTreeMap<String, String>,
}

impl Claim {
    /// Whether the claim is about this resource and its verbs have this one.
    pub fn allows(&self, group: &str, resource: &str, verb: &str) -> bool {
        self.group == group && self.resource == resource && self.verbs.iter().any(|own| own == "*" || own == verb)
    }

    /// Whether an object is within the selector.
    pub fn selects(&self, object: &Value) -> bool {
        self.labels.iter().all(|(key, value)| object["metadata"]["labels"][key] == value.as_str())
    }
}

/// `status.appliedPermissionClaims`: accepted claims that the export (still) makes.
pub fn applied(asked: &[Value], answered: &[Value]) -> Vec<Value> {
    let accepted = answered.iter().filter(|claim| claim["state"] == "Accepted" && asked.iter().any(|own| same(own, claim)));
    accepted
        .map(|claim| {
            let mut shown = claim.clone();
            if let Some(fields) = shown.as_object_mut() {
                fields.remove("state");
            }
            shown
        })
        .collect()
}

/// What is in force, from the two lists of a binding's status.
pub fn in_force(status: &Value) -> Vec<Claim> {
    let list = |field: &str| status[field].as_array().cloned().unwrap_or_default();
    let asked = list("exportPermissionClaims");
    list("appliedPermissionClaims")
        .iter()
        .filter_map(|applied| {
            let own = asked.iter().find(|own| same(own, applied))?;
            let verbs = verbs(own).into_iter().filter(|verb| verbs(applied).contains(verb)).collect();
            let labels = applied["selector"]["matchLabels"].as_object().into_iter().flatten();
            Some(Claim {
                group: text(&applied["group"]),
                resource: text(&applied["resource"]),
                identity: text(&applied["identityHash"]),
                verbs,
                labels: labels.map(|(key, value)| (key.clone(), text(value))).collect(),
            })
        })
        .collect()
}

/// All claims of an export as a binding accepts them that nobody was asked about.
pub fn accept_all(asked: &[Value]) -> Vec<Value> {
    let accept = |claim: &Value| {
        let selector = if claim["defaultSelector"].is_object() { claim["defaultSelector"].clone() } else { json!({"matchAll": true}) };
        json!({
            "group": text(&claim["group"]), "resource": claim["resource"], "identityHash": text(&claim["identityHash"]),
            "verbs": claim["verbs"], "selector": selector, "state": "Accepted",
        })
    };
    asked.iter().map(accept).collect()
}

/// The text about accepted claims whose verbs differ from what the export asks for; none if all agree.
/// An export that asks for `*` agrees with any list.
pub fn mismatch(asked: &[Value], answered: &[Value]) -> Option<String> {
    const SHOWN: usize = 10;
    let differing: Vec<String> = answered
        .iter()
        .filter(|claim| claim["state"] == "Accepted")
        .filter_map(|claim| {
            let own = asked.iter().find(|own| same(own, claim))?;
            let (asked, accepted) = (verbs(own), verbs(claim));
            let agree = asked.iter().any(|verb| verb == "*") || asked.iter().all(|verb| accepted.contains(verb));
            let name = format!("{}.{}", text(&claim["resource"]), text(&claim["group"]));
            (!agree).then(|| format!("{name} (verbs: accepted [{}], exported [{}])", accepted.join(" "), asked.join(" ")))
        })
        .collect();
    let shown = differing.len().min(SHOWN);
    (shown > 0).then(|| {
        let listed = differing[..shown].join(", ");
        format!("{} permission claim(s) have mismatched verbs or selectors (showing first {shown}): {listed}", differing.len())
    })
}

/// Accepted or rejected claims that the export does not make, named.
pub fn unexpected(asked: &[Value], answered: &[Value]) -> Vec<String> {
    let unknown = answered.iter().filter(|claim| !asked.iter().any(|own| same(own, claim)));
    unknown.map(|claim| crate::status::qualified(&text(&claim["resource"]), &text(&claim["group"]))).collect()
}

fn same(a: &Value, b: &Value) -> bool {
    ["group", "resource", "identityHash"].into_iter().all(|field| text(&a[field]) == text(&b[field]))
}

fn verbs(claim: &Value) -> Vec<String> {
    claim["verbs"].as_array().into_iter().flatten().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(resource: &str, verbs: &[&str]) -> Value {
        json!({"group": "", "resource": resource, "identityHash": "", "verbs": verbs})
    }

    fn answered(resource: &str, verbs: &[&str], state: &str) -> Value {
        json!({"group": "", "resource": resource, "verbs": verbs, "state": state, "selector": {"matchAll": true}})
    }

    #[test]
    fn verbs_meet_as_words() {
        let status = json!({
            "exportPermissionClaims": [claim("configmaps", &["*"]), claim("secrets", &["create", "get"])],
            "appliedPermissionClaims": [claim("configmaps", &["get"]), claim("secrets", &["get"])],
        });
        let claims = in_force(&status);
        assert!(!claims.iter().any(|claim| claim.allows("", "configmaps", "get")));
        assert!(claims.iter().any(|claim| claim.allows("", "secrets", "get")));
        assert!(!claims.iter().any(|claim| claim.allows("", "secrets", "create")));
    }

    #[test]
    fn only_what_is_asked_and_accepted_is_applied() {
        let asked = [claim("configmaps", &["*"]), claim("secrets", &["get"])];
        let answers = [
            answered("configmaps", &["*"], "Accepted"),
            answered("secrets", &["get"], "Rejected"),
            answered("leases", &["get"], "Accepted"),
        ];
        let applied = applied(&asked, &answers);
        assert_eq!(applied.len(), 1);
        assert_eq!(applied[0]["resource"], "configmaps");
        assert_eq!(unexpected(&asked, &answers), ["leases"]);
    }

    #[test]
    fn fewer_verbs_are_told() {
        let asked = [claim("configmaps", &["*"]), claim("secrets", &["create", "get"])];
        let answers = [answered("configmaps", &["get"], "Accepted"), answered("secrets", &["get"], "Accepted")];
        assert_eq!(
            mismatch(&asked, &answers).as_deref(),
            Some(
                "1 permission claim(s) have mismatched verbs or selectors (showing first 1): secrets. (verbs: accepted [get], exported [create get])"
            )
        );
        assert_eq!(mismatch(&asked[..1], &answers[..1]), None);
    }

    #[test]
    fn a_selector_is_a_filter() {
        let status = json!({
            "exportPermissionClaims": [claim("secrets", &["*"])],
            "appliedPermissionClaims": [{"group": "", "resource": "secrets", "verbs": ["*"], "selector": {"matchLabels": {"a": "b"}}}],
        });
        let claims = in_force(&status);
        assert!(claims[0].selects(&json!({"metadata": {"labels": {"a": "b"}}})));
        assert!(!claims[0].selects(&json!({"metadata": {}})));
    }
}
