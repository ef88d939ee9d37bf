//! Which policies apply to a promise in a workspace.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Candidate, Origin, PolicySource};
use crate::api::{AppliesTo, PolicySpec, PromiseSpec};
use crate::glob;

/// The promise and the workspace that rules are gathered for.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Name of the promise.
    pub promise: &'a str,
    /// Its spec, for its own rules and references.
    pub spec: &'a PromiseSpec,
    /// Path of its home.
    pub home: &'a str,
    /// Logical cluster id of its home.
    pub home_cluster: &'a str,
    /// Whether its home is a trusted one.
    pub home_trusted: bool,
    /// Path of the request's workspace.
    pub workspace: &'a str,
    /// Labels of that workspace.
    pub labels: &'a BTreeMap<String, String>,
    /// Logical cluster ids from the root down to the request's workspace, proven by Workspace objects.
    pub lineage: &'a [String],
}

/// The policies that apply, each once, in a stable order.
///
/// A policy applies when it is set at an ancestor (or the workspace itself), when it is in a trusted home and its range
/// covers promise and workspace, or when the promise refers to it; its own `appliesTo` narrows it in every case but the
/// last, because a promise that names a policy of its home means it. The promise's own rules come last.
pub fn gather(candidates: &[Candidate], target: &Target<'_>) -> Vec<PolicySource> {
    let referenced: BTreeSet<&str> = target.spec.policy_refs.iter().map(|reference| reference.name.as_str()).collect();
    let mut sources: Vec<PolicySource> =
        candidates.iter().filter_map(|candidate| origin(candidate, target, &referenced).map(|origin| applied(candidate, origin))).collect();
    if !target.spec.policies.is_empty() {
        sources.push(own_rules(target));
    }
    sources.sort_by(|a, b| (a.origin, &a.workspace, &a.cluster, &a.policy).cmp(&(b.origin, &b.workspace, &b.cluster, &b.policy)));
    sources
}

fn origin(candidate: &Candidate, target: &Target<'_>, referenced: &BTreeSet<&str>) -> Option<Origin> {
    let in_home = candidate.cluster == target.home_cluster;
    let covered = covers(&candidate.spec.applies_to, target);
    let level = target.lineage.iter().position(|cluster| *cluster == candidate.cluster);
    if let (Some(level), true) = (level, covered) {
        let distance = u32::try_from(target.lineage.len() - 1 - level).unwrap_or(u32::MAX);
        return Some(Origin::Ancestor { distance });
    }
    if in_home && referenced.contains(candidate.policy.as_str()) {
        return Some(Origin::Reference);
    }
    (candidate.trusted && covered).then_some(Origin::TrustedHome)
}

fn covers(range: &AppliesTo, target: &Target<'_>) -> bool {
    (range.promises.is_empty() || glob::any_name_matches(&range.promises, target.promise))
        && (range.workspaces.is_empty() || glob::any_path_matches(&range.workspaces, target.workspace))
        && range.workspace_labels.iter().all(|(key, value)| target.labels.get(key) == Some(value))
}

fn applied(candidate: &Candidate, origin: Origin) -> PolicySource {
    PolicySource {
        policy: candidate.policy.clone(),
        workspace: candidate.workspace.clone(),
        cluster: candidate.cluster.clone(),
        owner: candidate.spec.owner.as_ref().and_then(|owner| owner.team.clone()),
        trusted: candidate.trusted,
        origin,
        spec: candidate.spec.clone(),
    }
}

fn own_rules(target: &Target<'_>) -> PolicySource {
    let presentation = &target.spec.presentation;
    PolicySource {
        policy: target.promise.to_owned(),
        workspace: target.home.to_owned(),
        cluster: target.home_cluster.to_owned(),
        owner: presentation.maintainer.as_ref().and_then(|maintainer| maintainer.team.clone()),
        trusted: target.home_trusted,
        origin: Origin::Promise,
        spec: PolicySpec { title: presentation.display_name.clone(), rules: target.spec.policies.clone(), ..PolicySpec::default() },
    }
}
