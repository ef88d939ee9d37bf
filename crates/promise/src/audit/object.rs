//! What the log knows of an object: enough to tell whether it was changed, and by whom, and nothing that it says.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::identity::{Changer, PersonId};
use crate::names;
use crate::revision::digest;

/// This annotation repeats the whole object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// Annotations by which people ask for something, which admission stamps like the spec.
const ASKING: [&str; 3] = [names::ROLL_OUT_ANNOTATION, names::ASK_AGAIN_ANNOTATION, names::INPUTS_ANNOTATION];

/// State of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditState {
    /// uid.
    pub uid: String,
    /// Generation, which grows with each change of the spec.
    pub generation: i64,
    /// Digest of what each change of what people write changes: uid, generation, labels and annotations.
    pub edition: String,
    /// Hash of the content, if the whole object is known. Secrets have none: a value that can be guessed could be found by its hash.
    pub hash: Option<String>,
    /// Digest of what admission stamps, if the whole object is known and of such a kind.
    pub stamped: Option<String>,
    /// Who changed it last, or created it, as admission stamped it; empty without a stamp.
    pub stamp: String,
    /// Whether the plane says that a component of the platform created it, whose later changes keep the stamp of a person.
    pub is_made: bool,
}

impl AuditState {
    /// Returns the state of a whole object.
    pub fn of(object: &Value) -> Self {
        let is_secret = object["kind"] == "Secret";
        Self {
            hash: if is_secret { None } else { digest(&content(object)).ok() },
            stamped: (object["kind"] == "PromiseRequest").then(|| digest(&stamped(object)).ok()).flatten(),
            ..Self::of_row(&object["metadata"], &object["spec"])
        }
    }

    /// Returns the state of an object of which only a part is known: its metadata, and the stamps in its spec.
    pub fn of_row(metadata: &Value, spec: &Value) -> Self {
        let (uid, generation) = (text(&metadata["uid"]), metadata["generation"].as_i64().unwrap_or_default());
        let edition = json!([uid, generation, metadata["labels"].as_object(), annotations(metadata)]);
        let workspace = text(&metadata["annotations"][names::KCP_CLUSTER]);
        let stamp = |stamp: &Value| {
            let cluster = stamp["cluster"].as_str().or(Some(workspace.as_str()).filter(|workspace| !workspace.is_empty()));
            stamp["username"].as_str().map(|username| PersonId::new(username, cluster).to_string())
        };
        let creator = stamp(&spec["requester"]).or_else(|| stamp(&spec["decidedBy"])).unwrap_or_default();
        let changer = Changer::of(&strings(&metadata["annotations"])).map(|changer| changer.stamp.person(&workspace).to_string());
        Self {
            is_made: is_of_platform(&creator),
            stamp: changer.unwrap_or(creator),
            edition: digest(&edition).unwrap_or_default(),
            uid,
            generation,
            hash: None,
            stamped: None,
        }
    }

    /// Returns who made the change from one state to the other, if the stamps prove it; otherwise nothing.
    pub fn changed_by(&self, before: Option<&Self>) -> &str {
        let Some(before) = before.filter(|before| before.uid == self.uid) else {
            // Creating it is stamped, too; a changer in between is the best that is known.
            return &self.stamp;
        };
        let is_new_stamp = self.stamp != before.stamp;
        // A component's change keeps the stamp of the person before, and so does a change that admission doesn't stamp.
        let is_stamped_again = !self.is_made && before.stamped.is_some() && self.stamped.is_some() && before.stamped != self.stamped;
        if is_new_stamp || is_stamped_again { &self.stamp } else { "" }
    }
}

/// Returns what is hashed of an object: everything that people write, and which object it is. Status, versions and who manages which field
/// are left out, because the plane and the controller write them.
fn content(object: &Value) -> Value {
    let metadata = &object["metadata"];
    let mut content: Map<String, Value> = object
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| !matches!(name.as_str(), "metadata" | "status"))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let labels: Map<String, Value> = metadata["labels"].as_object().cloned().unwrap_or_default();
    let metadata = json!({
        "name": metadata["name"], "namespace": metadata["namespace"], "uid": metadata["uid"],
        "labels": labels, "annotations": annotations(metadata),
    });
    content.insert("metadata".to_owned(), metadata);
    Value::Object(content)
}

/// Returns what admission stamps of a request: see `changer-stamp` in `cluster::install`.
fn stamped(object: &Value) -> Value {
    let mut spec = object["spec"].clone();
    if let Some(spec) = spec.as_object_mut() {
        spec.remove("paused");
    }
    let annotations = strings(&object["metadata"]["annotations"]);
    let asking: BTreeMap<&str, &str> = ASKING.iter().filter_map(|name| Some((*name, annotations.get(*name)?.as_str()))).collect();
    json!([spec, object["metadata"]["labels"].as_object(), asking])
}

fn annotations(metadata: &Value) -> Map<String, Value> {
    let all = metadata["annotations"].as_object().into_iter().flatten();
    all.filter(|(name, _)| *name != LAST_APPLIED).map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn strings(value: &Value) -> BTreeMap<String, String> {
    let all = value.as_object().into_iter().flatten();
    all.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Whether a stamp is of the controller, or of the account of a namespace in whose name it works.
fn is_of_platform(stamp: &str) -> bool {
    let username = crate::identity::username_of(stamp);
    let account = username.rsplit(':').next().unwrap_or(username);
    let is_account = username.starts_with("system:serviceaccount:");
    username == "opm-controller" || (is_account && matches!(account, "opm-controller" | "opm-fulfiller"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(spec: Value, changes: &[(&str, &str)]) -> Value {
        let mut annotations = json!({"kcp.io/cluster": "c1"});
        for (name, value) in changes {
            annotations[*name] = (*value).into();
        }
        let mut spec = spec;
        spec["requester"] = json!({"username": "dev-shop"});
        json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "spec": spec, "status": {"phase": "Ready"},
            "metadata": {"name": "db", "namespace": "default", "uid": "u1", "generation": 1, "resourceVersion": "7", "annotations": annotations,
                "managedFields": [{"manager": "kubectl"}]},
        })
    }

    #[test]
    fn what_the_plane_writes_changes_neither_hash_nor_edition() {
        let mut object = request(json!({"promise": {"name": "redis"}}), &[]);
        let before = AuditState::of(&object);
        object["status"]["phase"] = "Failed".into();
        object["metadata"]["resourceVersion"] = "8".into();
        object["metadata"]["managedFields"] = json!([]);
        object["metadata"]["annotations"][LAST_APPLIED] = "{}".into();
        assert_eq!(AuditState::of(&object), before);
        object["metadata"]["labels"] = json!({"team": "shop"});
        let labelled = AuditState::of(&object);
        assert!(labelled.edition != before.edition && labelled.hash != before.hash);
        let row = AuditState::of_row(&object["metadata"], &object["spec"]);
        assert_eq!((row.edition, row.hash), (labelled.edition, None), "a row tells editions apart as a whole object does");
    }

    #[test]
    fn a_secret_has_no_hash() {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db-inputs", "uid": "u2"}, "data": {"password": "aHVudGVyMg=="}});
        let state = AuditState::of(&secret);
        assert_eq!(state.hash, None);
        assert!(!format!("{state:?}").contains("aHVudGVyMg"));
    }

    #[test]
    fn a_change_is_of_the_person_whose_stamp_proves_it() {
        let created = AuditState::of(&request(json!({"promise": {"name": "redis"}}), &[]));
        assert_eq!(created.changed_by(None), "dev-shop");
        let stamp = [(names::CHANGED_BY_ANNOTATION, "org-owner")];
        let changed = AuditState::of(&request(json!({"promise": {"name": "redis"}, "reason": "a"}), &stamp));
        assert_eq!(changed.changed_by(Some(&created)), "org-owner");
        let again = AuditState::of(&request(json!({"promise": {"name": "redis"}, "reason": "b"}), &stamp));
        assert_eq!(again.changed_by(Some(&changed)), "org-owner", "the same person again");
        let paused = AuditState::of(&request(json!({"promise": {"name": "redis"}, "reason": "b", "paused": true}), &stamp));
        assert_eq!(paused.changed_by(Some(&again)), "", "pausing isn't stamped");
        let unknown = AuditState { stamped: None, ..changed };
        assert_eq!(again.changed_by(Some(&unknown)), "", "nothing proves it");
    }

    #[test]
    fn what_the_controller_changes_is_of_no_person() {
        let made = |reason: &str| {
            let mut object = request(json!({"reason": reason}), &[(names::CHANGED_BY_ANNOTATION, "org-owner")]);
            object["spec"]["requester"] = json!({"username": "system:serviceaccount:opm-system:opm-controller"});
            AuditState::of(&object)
        };
        assert!(made("a").is_made);
        assert_eq!(made("b").changed_by(Some(&made("a"))), "");
        for other in ["opm-controllers", "system:serviceaccount:shop:robot"] {
            assert!(!is_of_platform(other), "{other}");
        }
    }
}
