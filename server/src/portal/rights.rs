//! What a person may do, asked of the plane as that person and remembered for a short while.

use std::collections::HashMap;
use std::sync::Arc;

use cluster::error::from_plane;
use cluster::{ClusterId, Endpoint, Scope, Token};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use promise::{Error, Result};
use serde_json::{Value, json};

use super::place::Namespaces;
use crate::clock::Clock;

/// How long an answer counts; a revoked right is gone from every page and event stream after that.
const FRESH: SignedDuration = SignedDuration::from_secs(20);
/// How many answers are kept before the stale ones are thrown away; a person may have hundreds of workspaces, each with a few.
const KEPT: usize = 32_768;

/// A right in one workspace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Right {
    /// To enter the workspace at all.
    Enter,
    /// To do something in it.
    Do(Deed),
}

/// A verb on a resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Deed {
    /// Such as `create`.
    pub verb: &'static str,
    /// API group, empty for core.
    pub group: &'static str,
    /// Plural.
    pub resource: &'static str,
    /// Namespace; empty for all.
    pub namespace: String,
    /// Name of the one object; empty for all.
    pub name: String,
}

impl Right {
    /// A verb on promise requests in a namespace; the empty one stands for all.
    pub fn requests(verb: &'static str, namespace: &str) -> Self {
        Self::request(verb, namespace, "")
    }

    /// A verb on promises.
    pub fn promises(verb: &'static str) -> Self {
        Self::Do(Deed { verb, group: promise::names::GROUP, resource: "promises", namespace: String::new(), name: String::new() })
    }

    /// A verb on policies; the empty name stands for all.
    pub fn policy(verb: &'static str, name: &str) -> Self {
        Self::Do(Deed { verb, group: promise::names::GROUP, resource: "policies", namespace: String::new(), name: name.to_owned() })
    }

    /// A verb on one promise request.
    pub fn request(verb: &'static str, namespace: &str, name: &str) -> Self {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        Self::Do(Deed { verb, group: promise::names::GROUP, resource: "promiserequests", namespace, name })
    }

    /// A verb on one Secret.
    pub fn secret(verb: &'static str, namespace: &str, name: &str) -> Self {
        Self::Do(Deed { verb, group: "", resource: "secrets", namespace: namespace.to_owned(), name: name.to_owned() })
    }
}

/// What the plane said.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Allowed,
    Refused,
    /// Who may not enter a workspace may not even ask there.
    Outside,
}

type Question = (Arc<str>, ClusterId, Right);

/// Answers of the plane about people's rights.
pub struct Rights {
    endpoint: Endpoint,
    clock: Arc<dyn Clock>,
    answers: Mutex<HashMap<Question, (bool, Timestamp)>>,
}

impl Rights {
    /// Nothing is known yet.
    pub fn new(endpoint: Endpoint, clock: Arc<dyn Clock>) -> Self {
        Self { endpoint, clock, answers: Mutex::new(HashMap::new()) }
    }

    /// Whether `person`, whose token is `token`, has the right in that workspace.
    ///
    /// # Errors
    /// The plane does not answer.
    pub async fn has(&self, person: &Arc<str>, token: &Token, cluster: &ClusterId, right: Right) -> Result<bool> {
        let question = (person.clone(), cluster.clone(), right);
        if let Some(known) = self.known(&question) {
            return Ok(known);
        }
        let (.., right) = question;
        let is_entry = right == Right::Enter;
        let deed = match right {
            Right::Enter => entering(cluster),
            Right::Do(deed) => deed,
        };
        let answer = self.ask(token, cluster, &deed).await?;
        let may = answer == Answer::Allowed;
        self.keep((person.clone(), cluster.clone(), Right::Do(deed)), may);
        // One question is enough for both where workspaces are entered (`kcp`: without access the review itself is refused).
        let enters = match Namespaces::of(cluster) {
            Namespaces::Any => Some(answer != Answer::Outside),
            Namespaces::One(_) | Namespaces::None => is_entry.then_some(may),
        };
        if let Some(enters) = enters {
            self.keep((person.clone(), cluster.clone(), Right::Enter), enters);
        }
        Ok(enters.filter(|_| is_entry).unwrap_or(may))
    }

    /// What the plane said a short while ago.
    fn known(&self, question: &Question) -> Option<bool> {
        let now = self.clock.now();
        self.answers.lock().get(question).filter(|(_, at)| now.duration_since(*at) < FRESH).map(|(said, _)| *said)
    }

    fn keep(&self, question: Question, said: bool) {
        let now = self.clock.now();
        let mut answers = self.answers.lock();
        if answers.len() >= KEPT {
            answers.retain(|_, (_, at)| now.duration_since(*at) < FRESH);
        }
        if answers.len() < KEPT {
            answers.insert(question, (said, now));
        }
    }

    async fn ask(&self, token: &Token, cluster: &ClusterId, deed: &Deed) -> Result<Answer> {
        let Deed { verb, group, resource, namespace, name } = deed;
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {"verb": verb, "group": group, "resource": resource, "namespace": namespace, "name": name}},
        });
        let client = self.endpoint.client(token, &Scope::Cluster(cluster.clone()));
        let request = http::Request::post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
            .header(http::header::CONTENT_TYPE, "application/json")
            .body(review.to_string().into_bytes())
            .map_err(|_| Error::Internal)?;
        match client.request::<Value>(request).await {
            Ok(answer) if answer.pointer("/status/allowed") == Some(&Value::Bool(true)) => Ok(Answer::Allowed),
            Ok(_) => Ok(Answer::Refused),
            Err(error) => match from_plane(&error, "your rights") {
                Error::Denied { .. } | Error::NotFound { .. } => Ok(Answer::Outside),
                other => Err(other),
            },
        }
    }
}

/// What is asked to learn whether somebody may enter. On plain Kubernetes entering is no right of its own: who may list the requests of a
/// namespace enters it, and who may list promises the cluster as a whole. On kcp whoever is answered at all may; requests are asked about
/// because a page that asks this lists them next.
fn entering(cluster: &ClusterId) -> Deed {
    let (resource, namespace) = match Namespaces::of(cluster) {
        Namespaces::Any => ("promiserequests", String::new()),
        Namespaces::One(namespace) => ("promiserequests", namespace),
        Namespaces::None => ("promises", String::new()),
    };
    Deed { verb: "list", group: promise::names::GROUP, resource, namespace, name: String::new() }
}
