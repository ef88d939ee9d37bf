//! The source of a rule, and what is shown about it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::reading::Reading;
use crate::api::{Enforcement, PolicySpec};

/// Reason why a policy applies to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// Set at the request's workspace or above it, at this number of levels.
    Ancestor {
        /// Number of levels above the request's workspace, 0 for the workspace itself.
        distance: u32,
    },
    /// Set in a trusted home, with the workspace in scope.
    TrustedHome,
    /// Referenced by the promise.
    Reference,
    /// The promise's own rule.
    Promise,
}

/// A policy on the plane, before it is known whether it applies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Name of the Policy.
    pub policy: String,
    /// Path of its workspace.
    pub workspace: String,
    /// Logical cluster id of that workspace. This is its identity, since paths can be reused.
    pub cluster: String,
    /// Whether that workspace is a trusted home.
    pub trusted: bool,
    /// The policy.
    pub spec: PolicySpec,
}

/// A policy that applies.
#[derive(Clone, Debug)]
pub struct PolicySource {
    /// Name of the Policy, or of the promise for its own rules.
    pub policy: String,
    /// Path of the workspace that defines it.
    pub workspace: String,
    /// Logical cluster id of that workspace.
    pub cluster: String,
    /// Team that owns it.
    pub owner: Option<String>,
    /// Reason why it applies.
    pub origin: Origin,
    /// The parsed policy.
    pub reading: Arc<Reading>,
}

impl PolicySource {
    /// Creates a source from a policy and the reason why it applies.
    pub fn new(policy: &str, workspace: &str, cluster: &str, origin: Origin, reading: Arc<Reading>) -> Self {
        let owner = reading.spec.owner.as_ref().and_then(|owner| owner.team.clone());
        Self { policy: policy.to_owned(), workspace: workspace.to_owned(), cluster: cluster.to_owned(), owner, origin, reading }
    }

    /// Returns the policy as written.
    pub fn spec(&self) -> &PolicySpec {
        &self.reading.spec
    }

    /// Returns its position in the stable order of sources, which is the identity of a policy that applies.
    pub(super) fn place(&self) -> (Origin, &str, &str, &str) {
        (self.origin, &self.workspace, &self.cluster, &self.policy)
    }

    /// Returns the provenance of one of its rules.
    pub fn provenance(&self, rule: &str) -> Provenance {
        Provenance {
            policy: self.policy.clone(),
            title: self.spec().title.clone(),
            rule: rule.to_owned(),
            workspace: self.workspace.clone(),
            cluster: self.cluster.clone(),
            owner: self.owner.clone(),
            reason: self.spec().description.clone(),
            enforcement: self.spec().enforcement,
            origin: self.origin,
        }
    }
}

/// Identifies the rule that did something: shown before and after submit, and stored in the release.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// Reason why the policy applies.
    pub origin: Origin,
    /// Path of the workspace that defines it.
    pub workspace: String,
    /// Logical cluster id of that workspace.
    pub cluster: String,
    /// Name of the policy, or of the promise for its own rules.
    pub policy: String,
    /// Name of the rule.
    pub rule: String,
    /// Display name of the policy.
    pub title: Option<String>,
    /// Team that owns it.
    pub owner: Option<String>,
    /// Purpose of the policy.
    pub reason: Option<String>,
    /// What happens when the rule is violated.
    pub enforcement: Enforcement,
}

impl Provenance {
    /// Returns what is shown about a rule of a promise itself. `workspace` is the path of its home, and `cluster` its logical cluster id.
    pub fn of_promise(workspace: &str, cluster: &str, promise: &str, rule: &str) -> Self {
        Self {
            origin: Origin::Promise,
            workspace: workspace.to_owned(),
            cluster: cluster.to_owned(),
            policy: promise.to_owned(),
            rule: rule.to_owned(),
            title: None,
            owner: None,
            reason: None,
            enforcement: Enforcement::default(),
        }
    }

    /// Returns `cluster/policy/rule`, or `cluster/promise/name/rule` for a promise's own rule: the identity of a rule in releases, content
    /// hashes and usage. A policy and a promise with the same name in the same home are different.
    pub fn id(&self) -> String {
        match self.origin {
            Origin::Promise => format!("{}/promise/{}/{}", self.cluster, self.policy, self.rule),
            _ => Self::id_of_policy(&self.cluster, &self.policy, &self.rule),
        }
    }

    /// Returns the [`Self::id`] of a rule of a policy in the workspace with this logical cluster id.
    pub fn id_of_policy(cluster: &str, policy: &str, rule: &str) -> String {
        format!("{cluster}/{policy}/{rule}")
    }
}
