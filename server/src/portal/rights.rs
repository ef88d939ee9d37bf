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
    /// A verb on a resource of a group.
    Do {
        /// Such as `create`.
        verb: &'static str,
        /// API group, empty for core.
        group: &'static str,
        /// Plural.
        resource: &'static str,
        /// Namespace; empty for all.
        namespace: String,
        /// Name of the one object; empty for all.
        name: String,
    },
}

impl Right {
    /// A verb on promise requests in a namespace; the empty one stands for all.
    pub fn requests(verb: &'static str, namespace: &str) -> Self {
        Self::request(verb, namespace, "")
    }

    /// A verb on promises.
    pub fn promises(verb: &'static str) -> Self {
        Self::Do { verb, group: promise::names::GROUP, resource: "promises", namespace: String::new(), name: String::new() }
    }

    /// A verb on policies; the empty name stands for all.
    pub fn policy(verb: &'static str, name: &str) -> Self {
        Self::Do { verb, group: promise::names::GROUP, resource: "policies", namespace: String::new(), name: name.to_owned() }
    }

    /// A verb on one promise request.
    pub fn request(verb: &'static str, namespace: &str, name: &str) -> Self {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        Self::Do { verb, group: promise::names::GROUP, resource: "promiserequests", namespace, name }
    }

    /// A verb on one Secret.
    pub fn secret(verb: &'static str, namespace: &str, name: &str) -> Self {
        Self::Do { verb, group: "", resource: "secrets", namespace: namespace.to_owned(), name: name.to_owned() }
    }

    fn attributes(&self) -> (&'static str, Value) {
        match self {
            Self::Enter => ("nonResourceAttributes", json!({"path": "/", "verb": "access"})),
            Self::Do { verb, group, resource, namespace, name } => {
                ("resourceAttributes", json!({"verb": verb, "group": group, "resource": resource, "namespace": namespace, "name": name}))
            }
        }
    }
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
        let now = self.clock.now();
        let question = (person.clone(), cluster.clone(), right);
        if let Some((allowed, at)) = self.answers.lock().get(&question)
            && now.duration_since(*at) < FRESH
        {
            return Ok(*allowed);
        }
        let allowed = self.ask(token, cluster, &question.2).await?;
        let mut answers = self.answers.lock();
        if answers.len() >= KEPT {
            answers.retain(|_, (_, at)| now.duration_since(*at) < FRESH);
        }
        if answers.len() < KEPT {
            answers.insert(question, (allowed, now));
        }
        Ok(allowed)
    }

    async fn ask(&self, token: &Token, cluster: &ClusterId, right: &Right) -> Result<bool> {
        let (field, attributes) = match right {
            Right::Enter => entering(cluster).attributes(),
            Right::Do { .. } => right.attributes(),
        };
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {field: attributes}
        });
        let client = self.endpoint.client(token, &Scope::Cluster(cluster.clone()));
        let request = http::Request::post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
            .header(http::header::CONTENT_TYPE, "application/json")
            .body(review.to_string().into_bytes())
            .map_err(|_| Error::Internal)?;
        match client.request::<Value>(request).await {
            Ok(answer) => Ok(answer.pointer("/status/allowed").and_then(Value::as_bool).unwrap_or(false)),
            Err(error) => match from_plane(&error, "your rights") {
                // Who may not enter a workspace may not even ask there.
                Error::Denied { .. } | Error::NotFound { .. } => Ok(false),
                other => Err(other),
            },
        }
    }
}

/// What lets somebody enter: on kcp a right of its own; on plain Kubernetes, where there is none, to list requests of the namespace, and
/// promises for the cluster as a whole.
fn entering(cluster: &ClusterId) -> Right {
    match Namespaces::of(cluster) {
        Namespaces::Any => Right::Enter,
        Namespaces::One(namespace) => Right::requests("list", &namespace),
        Namespaces::None => Right::promises("list"),
    }
}
