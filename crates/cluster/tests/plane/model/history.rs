//! What controllers wrote to the plane: everything is named by an inventory before it exists, and nothing else is changed or deleted.

use std::collections::{BTreeMap, BTreeSet};

use http::{Method, StatusCode};
use promise::names;
use serde_json::Value;

use super::published::STEP_ANNOTATION;

/// Kind, namespace and name.
type Object = (String, String, String);

/// What was written.
#[derive(Default)]
pub struct History {
    /// Objects that the inventory of each request names now, by its uid.
    named: BTreeMap<String, BTreeSet<Object>>,
    /// Objects that any inventory ever named.
    ever: BTreeSet<Object>,
    /// Steps of the Jobs that were created, by their name.
    jobs: BTreeMap<String, String>,
    pub violations: Vec<String>,
    pub writes: usize,
}

/// Where a call goes.
struct Target<'p> {
    resource: &'p str,
    namespace: &'p str,
    name: Option<&'p str>,
    subresource: Option<&'p str>,
}

impl History {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// How many Jobs each step had.
    pub fn jobs(&self) -> BTreeMap<String, usize> {
        let mut jobs = BTreeMap::new();
        for step in self.jobs.values() {
            *jobs.entry(step.clone()).or_default() += 1;
        }
        jobs
    }

    /// Notes a write and what it was answered with.
    pub fn note(&mut self, method: &Method, path: &str, sent: &[u8], status: StatusCode, received: &[u8]) {
        self.writes += 1;
        if !status.is_success() {
            return;
        }
        let Some(target) = Target::of(path) else { return };
        let received: Value = serde_json::from_slice(received).unwrap_or_default();
        let Some(kind) = kind(target.resource) else { return };
        if kind == "PromiseRequest" && target.subresource == Some("status") {
            return self.report(&received);
        }
        let name = target.name.or(received["metadata"]["name"].as_str()).unwrap_or_default();
        let object = (kind.to_owned(), target.namespace.to_owned(), name.to_owned());
        if *method == Method::DELETE {
            let options: Value = serde_json::from_slice(sent).unwrap_or_default();
            if !self.ever.contains(&object) {
                self.violations.push(format!("{object:?} was deleted, and no inventory ever named it"));
            }
            if options["preconditions"]["uid"].as_str().is_none() {
                self.violations.push(format!("{object:?} was deleted whatever it was"));
            }
            return;
        }
        // The controller writes finalizers of all requests.
        if kind == "PromiseRequest" && status != StatusCode::CREATED {
            return;
        }
        let owner = received["metadata"]["labels"][names::REQUEST_UID_LABEL].as_str().unwrap_or_default();
        if !self.named.get(owner).is_some_and(|named| named.contains(&object)) {
            self.violations.push(format!("{object:?} of {owner:?} was written before its inventory named it"));
        }
        if kind == "Job" && status == StatusCode::CREATED {
            let step = received["metadata"]["annotations"][STEP_ANNOTATION].as_str().unwrap_or_default();
            if self.jobs.insert(object.2.clone(), step.to_owned()).is_some() {
                self.violations.push(format!("{object:?} was created twice"));
            }
        }
    }

    /// Takes in the status of a request.
    fn report(&mut self, request: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let items = request["status"]["inventory"].as_array().into_iter().flatten();
        let named: BTreeSet<Object> = items.map(|item| (text(&item["kind"]), text(&item["namespace"]), text(&item["name"]))).collect();
        self.ever.extend(named.iter().cloned());
        self.named.insert(text(&request["metadata"]["uid"]), named);
    }
}

impl<'p> Target<'p> {
    /// Parses `…/namespaces/<namespace>/<resource>[/<name>[/<subresource>]]`.
    fn of(path: &'p str) -> Option<Self> {
        let (_, rest) = path.split_once("/namespaces/")?;
        let mut parts = rest.split('/');
        let (namespace, resource) = (parts.next()?, parts.next()?);
        Some(Self { resource, namespace, name: parts.next(), subresource: parts.next() })
    }
}

/// The kind of what requests are made of. Releases are recorded before anything is made of them, and belong to their request.
fn kind(resource: &str) -> Option<&'static str> {
    match resource {
        "configmaps" => Some("ConfigMap"),
        "secrets" => Some("Secret"),
        "jobs" => Some("Job"),
        "promiserequests" => Some("PromiseRequest"),
        _ => None,
    }
}
