//! The manifest of a request, as `kubectl apply` takes it: the form's other view.
//!
//! The text is the source as long as it is shown: comments, order and fields that aren't submitted stay in it as they were written. The form
//! shows the same values. What is changed there is put into the text, in which everything else stays as it is ([`shown`]).
//!
//! Secrets are never part of the text: [`without_secrets`] takes them out before anything is stored.

mod lines;
mod retouch;
mod secrets;
mod suggest;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::control::YamlError;
use super::yaml;
use super::yaml::places::{Place, Places};
use crate::api::{DeletionPolicy, PromiseRequestSpec, UpgradePolicy};
use crate::names;
use crate::problem::Problem;

pub use secrets::without_secrets;
pub use suggest::suggested;

/// Kind of the object.
const KIND: &str = "PromiseRequest";

/// What a manifest has to be about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Name of the promise.
    pub promise: &'a str,
    /// Path of its home workspace.
    pub home: &'a str,
    /// Namespace and name of the request that is being changed. Absent for a new request.
    pub request: Option<(&'a str, &'a str)>,
}

/// The settings of a request besides its parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Terms {
    /// Version constraint.
    pub version: Option<String>,
    /// Newer versions that are rolled out automatically.
    pub upgrade: UpgradePolicy,
    /// What happens to the objects when the request is deleted.
    pub deletion_policy: DeletionPolicy,
    /// Time at which the request expires.
    pub expires_at: Option<String>,
    /// Whether the request is paused.
    pub paused: bool,
}

impl Terms {
    /// Returns the settings of a request.
    pub fn of(spec: &PromiseRequestSpec) -> Self {
        Self {
            version: spec.promise.version.clone(),
            upgrade: spec.upgrade,
            deletion_policy: spec.deletion_policy,
            expires_at: spec.expires_at.clone(),
            paused: spec.paused,
        }
    }

    /// Puts the settings into a request.
    pub fn apply(&self, spec: &mut PromiseRequestSpec) {
        spec.promise.version.clone_from(&self.version);
        spec.upgrade = self.upgrade;
        spec.deletion_policy = self.deletion_policy;
        spec.expires_at.clone_from(&self.expires_at);
        spec.paused = self.paused;
    }
}

/// A manifest that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// Name of the request, or empty.
    pub name: String,
    /// Its namespace, if the manifest contains one.
    pub namespace: Option<String>,
    /// Reason for the request, or empty.
    pub reason: String,
    /// Parameters.
    pub parameters: Value,
    /// The other settings.
    pub terms: Terms,
    /// What is wrong with it besides the parameters, with paths such as `.metadata.name`.
    pub problems: Vec<Problem>,
    /// Paths of the fields that aren't submitted.
    pub unsent: Vec<String>,
}

impl Manifest {
    /// Whether it requests the same.
    fn says_the_same(&self, other: &Self) -> bool {
        let namespace = self.namespace.is_none() || self.namespace == other.namespace;
        let of = |one: &Self| (one.name.clone(), one.reason.clone(), one.parameters.clone(), one.terms.clone());
        namespace && of(self) == of(other)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    api_version: &'static str,
    kind: &'static str,
    metadata: Metadata<'a>,
    spec: PromiseRequestSpec,
}

#[derive(Serialize)]
struct Metadata<'a> {
    name: &'a str,
    namespace: &'a str,
}

/// Writes a manifest.
pub fn write(name: &str, namespace: &str, spec: &PromiseRequestSpec) -> String {
    // The requester is set by admission, regardless of what is sent.
    let spec = PromiseRequestSpec { requester: None, ..spec.clone() };
    yaml::write(&Written { api_version: names::API_VERSION, kind: KIND, metadata: Metadata { name, namespace }, spec })
}

/// Returns the manifest of a request: the text that it was entered as, with what changed since, or else a new one.
pub fn shown(before: Option<&str>, subject: &Subject<'_>, name: &str, namespace: &str, spec: &PromiseRequestSpec) -> String {
    let fresh = write(name, namespace, spec);
    let kept = || {
        let (text, now) = (before?, read(&fresh, subject).ok()?);
        let before = read(text, subject).ok().filter(|before| before.problems.is_empty())?;
        if before.says_the_same(&now) {
            return Some(text.to_owned());
        }
        let text = retouch::retouched(text, &before, &now)?;
        read(&text, subject).is_ok_and(|read| read.problems.is_empty() && read.says_the_same(&now)).then_some(text)
    };
    kept().unwrap_or(fresh)
}

/// Reads a manifest. What is wrong with its fields is in [`Manifest::problems`].
///
/// # Errors
/// If it isn't valid YAML, with every place.
pub fn read(text: &str, subject: &Subject<'_>) -> Result<Manifest, Vec<YamlError>> {
    let mut reader = Reader::default();
    let fields = match yaml::read_all(text)? {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    for (key, wanted) in [("apiVersion", names::API_VERSION), ("kind", KIND)] {
        if fields.get(key).and_then(Value::as_str) != Some(wanted) {
            reader.problem(&format!(".{key}"), format!("Set {key}: {wanted}."));
        }
    }
    reader.metadata(fields.get("metadata").unwrap_or(&Value::Null), subject);
    reader.spec(fields.get("spec").unwrap_or(&Value::Null), subject);
    reader.others("", &fields, &["apiVersion", "kind", "metadata", "spec"]);
    Ok(reader.manifest)
}

#[derive(Default)]
struct Reader {
    manifest: Manifest,
}

impl Reader {
    fn problem(&mut self, path: &str, message: String) {
        self.manifest.problems.push(Problem { path: path.to_owned(), message });
    }

    /// Notes the fields besides these, if they have a value.
    fn others(&mut self, at: &str, fields: &Map<String, Value>, known: &[&str]) {
        let is_empty = |value: &Value| value.is_null() || value.as_object().is_some_and(Map::is_empty);
        let others = fields.iter().filter(|(key, value)| !known.contains(&key.as_str()) && !is_empty(value));
        let steps = others.map(|(key, _)| format!("{at}{}", crate::path::Path::default().child(key)));
        self.manifest.unsent.extend(steps);
    }

    fn metadata(&mut self, value: &Value, subject: &Subject<'_>) {
        let empty = Map::new();
        let fields = value.as_object().unwrap_or(&empty);
        self.manifest.name = self.text(fields, "name", ".metadata.name").unwrap_or_default();
        self.manifest.namespace = self.text(fields, "namespace", ".metadata.namespace").filter(|text| !text.is_empty());
        if let Some((namespace, name)) = subject.request {
            if self.manifest.name != name {
                self.problem(".metadata.name", format!("Keep the name {name}. With another name, it would be another request."));
            }
            if self.manifest.namespace.as_deref().is_some_and(|given| given != namespace) {
                let message = format!("Keep the namespace {namespace}. In another namespace, it would be another request.");
                self.problem(".metadata.namespace", message);
            }
        }
        self.others(".metadata", fields, &["name", "namespace"]);
    }

    fn spec(&mut self, value: &Value, subject: &Subject<'_>) {
        let empty = Map::new();
        let Some(fields) = value.as_object() else {
            return self.problem(".spec", "Add the spec with the promise and its parameters.".to_owned());
        };
        let promise = fields.get("promise").and_then(Value::as_object).unwrap_or(&empty);
        match promise.get("name").and_then(Value::as_str) {
            Some(name) if name == subject.promise => {}
            Some(name) => {
                let message =
                    format!("Keep the promise {}: this form is for it. To request {name}, open the form of {name}.", subject.promise);
                self.problem(".spec.promise.name", message);
            }
            None => self.problem(".spec.promise.name", format!("Set name: {}, the promise of this form.", subject.promise)),
        }
        if let Some(home) = self.text(promise, "workspace", ".spec.promise.workspace")
            && !home.is_empty()
            && home != subject.home
        {
            self.problem(
                ".spec.promise.workspace",
                format!("Keep the workspace {}: the promise of this form is from there.", subject.home),
            );
        }
        self.manifest.parameters = match fields.get("parameters") {
            None | Some(Value::Null) => Value::Object(Map::new()),
            Some(parameters @ Value::Object(_)) => parameters.clone(),
            Some(_) => {
                let message = "Enter the parameters as names with values, such as \"name: value\".";
                self.problem(".spec.parameters", message.to_owned());
                Value::Object(Map::new())
            }
        };
        self.manifest.reason = self.text(fields, "reason", ".spec.reason").unwrap_or_default();
        self.manifest.terms = Terms {
            version: self.text(promise, "version", ".spec.promise.version"),
            upgrade: self.typed(fields, "upgrade", "Choose manual, patch or minor."),
            deletion_policy: self.typed(fields, "deletionPolicy", "Choose Delete or Orphan."),
            expires_at: self.text(fields, "expiresAt", ".spec.expiresAt"),
            paused: self.typed(fields, "paused", "Choose true or false."),
        };
        self.others(".spec.promise", promise, &["name", "workspace", "version"]);
        self.others(".spec", fields, &["promise", "parameters", "reason", "upgrade", "deletionPolicy", "expiresAt", "paused"]);
    }

    fn text(&mut self, fields: &Map<String, Value>, key: &str, path: &str) -> Option<String> {
        match fields.get(key)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            Value::Bool(_) | Value::Number(_) => {
                self.problem(path, format!("Put the {key} in quotation marks: it is a text."));
                None
            }
            Value::Array(_) | Value::Object(_) => {
                self.problem(path, format!("Enter the {key} as a text."));
                None
            }
        }
    }

    fn typed<T: DeserializeOwned + Default>(&mut self, fields: &Map<String, Value>, key: &str, message: &str) -> T {
        let given = fields.get(key).filter(|value| !value.is_null());
        let read = given.map(|value| serde_json::from_value(value.clone()));
        match read {
            None => T::default(),
            Some(Ok(value)) => value,
            Some(Err(_)) => {
                self.problem(&format!(".spec.{key}"), message.to_owned());
                T::default()
            }
        }
    }
}

/// Returns the path in a manifest of a problem with a request, whose parameters start with `.parameters`. Empty if it is about the whole.
pub fn path_of(problem: &Problem) -> String {
    let path = problem.path.as_str();
    let is_of_object = [".metadata", ".spec", ".apiVersion", ".kind"].iter().any(|root| path.starts_with(root));
    if path.is_empty() || is_of_object { path.to_owned() } else { format!(".spec{path}") }
}

/// Returns where a path is in a manifest: its own place, or that of the nearest field around it. `None` for the whole.
pub fn place_of(places: &Places, path: &str) -> Option<Place> {
    (!path.is_empty()).then(|| places.place(path))
}

#[cfg(test)]
mod tests;
