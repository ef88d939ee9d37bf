//! Where a rule comes from, and what is shown about that.

#[cfg(feature = "engine")]
use std::sync::Arc;

use serde::{Deserialize, Serialize};

#[cfg(feature = "engine")]
use super::reading::Reading;
use crate::api::{Enforcement, PolicySpec};

/// How a policy came to apply to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// Set at the request's workspace or above it; the number counts levels between them.
    Ancestor {
        /// 0 is the request's own workspace.
        distance: u32,
    },
    /// A trusted home put the workspace into the policy's range.
    TrustedHome,
    /// The promise names the policy.
    Reference,
    /// A rule of the promise itself.
    Promise,
}

/// A policy somewhere on the plane, before it is known whether it applies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Name of the Policy.
    pub policy: String,
    /// Path of the workspace that holds it.
    pub workspace: String,
    /// Logical cluster id of that workspace: the identity, since paths can be reused.
    pub cluster: String,
    /// Whether that workspace is a trusted home.
    pub trusted: bool,
    /// The policy.
    pub spec: PolicySpec,
}

/// A policy that applies.
#[cfg(feature = "engine")]
#[derive(Clone, Debug)]
pub struct PolicySource {
    /// Name of the Policy; of the promise for its own rules.
    pub policy: String,
    /// Path of the workspace where it is set.
    pub workspace: String,
    /// Logical cluster id of that workspace.
    pub cluster: String,
    /// Team that owns it.
    pub owner: Option<String>,
    /// How it came to apply.
    pub origin: Origin,
    /// The policy, read.
    pub reading: Arc<Reading>,
}

#[cfg(feature = "engine")]
impl PolicySource {
    /// A policy with how it came to apply.
    pub fn new(policy: &str, workspace: &str, cluster: &str, origin: Origin, reading: Arc<Reading>) -> Self {
        let owner = reading.spec.owner.as_ref().and_then(|owner| owner.team.clone());
        Self { policy: policy.to_owned(), workspace: workspace.to_owned(), cluster: cluster.to_owned(), owner, origin, reading }
    }

    /// The policy as it was written.
    pub fn spec(&self) -> &PolicySpec {
        &self.reading.spec
    }

    /// Its place in the stable order of sources; the identity of a policy that applies.
    pub(super) fn place(&self) -> (Origin, &str, &str, &str) {
        (self.origin, &self.workspace, &self.cluster, &self.policy)
    }

    /// What is shown about one of its rules.
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

/// Which rule did something: shown before and after submit, and kept in the release.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// How the policy came to apply.
    pub origin: Origin,
    /// Path of the workspace where it is set.
    pub workspace: String,
    /// Logical cluster id of that workspace.
    pub cluster: String,
    /// Name of the policy, or of the promise for its own rules.
    pub policy: String,
    /// Name of the rule.
    pub rule: String,
    /// Name of the policy for people.
    pub title: Option<String>,
    /// Team that owns it.
    pub owner: Option<String>,
    /// Why it exists.
    pub reason: Option<String>,
    /// What a violation does.
    pub enforcement: Enforcement,
}

impl Provenance {
    /// `cluster/policy/rule`, or `cluster/promise/name/rule` for a promise's own: the identity of a rule in releases, content hashes and
    /// usage. A policy and a promise of one name in one home are two things.
    pub fn id(&self) -> String {
        let own = if self.origin == Origin::Promise { "promise/" } else { "" };
        format!("{}/{own}{}/{}", self.cluster, self.policy, self.rule)
    }
}
