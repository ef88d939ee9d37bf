//! Selects the policies that apply to a promise in a workspace.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::reading::Reading;
use super::source::{Candidate, Origin, PolicySource};
use crate::api::{AppliesTo, PolicySpec, PromiseSpec};
use crate::glob;
use crate::resolve::PromiseReading;

/// The promise and the workspace for which rules are gathered.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Name of the promise.
    pub promise: &'a str,
    /// Spec of the promise, for its own rules and references.
    pub spec: &'a PromiseSpec,
    /// Path of its home workspace.
    pub home: &'a str,
    /// Logical cluster id of its home.
    pub home_cluster: &'a str,
    /// Whether its home is trusted.
    pub home_trusted: bool,
    /// Path of the request's workspace.
    pub workspace: &'a str,
    /// Labels of that workspace.
    pub labels: &'a BTreeMap<String, String>,
    /// Logical cluster ids from the root down to the request's workspace, proven by Workspace objects.
    pub lineage: &'a [String],
}

/// Returns the policies that apply, each once, in a stable order. For frequent lookups, use a [`super::Book`] instead.
///
/// A policy applies if it is set at an ancestor or the workspace itself, if it is in a trusted home and its scope includes promise and
/// workspace, or if the promise references it. Its own `appliesTo` restricts it except in the last case, because a promise that references
/// a policy of its home wants it. The promise's own rules come last.
pub fn gather(candidates: &[Candidate], target: &Target<'_>) -> Vec<PolicySource> {
    let source = |candidate: &Candidate| {
        let Candidate { policy, workspace, cluster, trusted, spec } = candidate;
        let origin = origin(policy, cluster, *trusted, spec, target)?;
        Some(PolicySource::new(policy, workspace, cluster, origin, Arc::new(Reading::of(spec.clone(), *trusted))))
    };
    let own = own_rules(target, &PromiseReading::of(target.spec, target.home_trusted));
    let mut sources: Vec<PolicySource> = candidates.iter().filter_map(source).chain(own).collect();
    sources.sort_by(|a, b| a.place().cmp(&b.place()));
    sources
}

/// Whether [`gather`] would return a policy. Its rules aren't parsed, so that many policies can be checked for many workspaces.
pub fn applies(candidate: &Candidate, target: &Target<'_>) -> bool {
    origin_of(candidate, target).is_some()
}

/// Returns how a policy applies, or nothing if it doesn't.
pub fn origin_of(candidate: &Candidate, target: &Target<'_>) -> Option<Origin> {
    origin(&candidate.policy, &candidate.cluster, candidate.trusted, &candidate.spec, target)
}

/// Returns how a policy applies, or nothing if it doesn't.
pub(super) fn origin(policy: &str, cluster: &str, trusted: bool, spec: &PolicySpec, target: &Target<'_>) -> Option<Origin> {
    let covered = covers(&spec.applies_to, target);
    let level = target.lineage.iter().position(|known| *known == cluster);
    if let (Some(level), true) = (level, covered) {
        let distance = u32::try_from(target.lineage.len() - 1 - level).unwrap_or(u32::MAX);
        return Some(Origin::Ancestor { distance });
    }
    if cluster == target.home_cluster && target.spec.policy_refs.iter().any(|reference| reference.name == policy) {
        return Some(Origin::Reference);
    }
    (trusted && covered).then_some(Origin::TrustedHome)
}

fn covers(range: &AppliesTo, target: &Target<'_>) -> bool {
    covers_promise(range, target.promise) && range.covers_workspace(target.workspace, target.labels)
}

/// Whether a policy of one workspace must fit a promise of another if the name is in its scope: a promise of a trusted home can be offered
/// anywhere, any other promise to its home and below. A policy from below the promise's home can refuse requests in its own workspace, but
/// isn't reported as a problem of the promise. Policy and promise are given by the path of their workspace, and the promise also by whether
/// that is a trusted home.
pub fn has_to_fit(policy: &str, (promise, trusted): (&str, bool)) -> bool {
    trusted || policy.strip_prefix(promise).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// Whether a promise with that name is in scope.
pub fn covers_promise(range: &AppliesTo, promise: &str) -> bool {
    range.promises.is_empty() || glob::any_name_matches(&range.promises, promise)
}

/// Returns the promise's own rules as a source.
pub(super) fn own_rules(target: &Target<'_>, promise: &PromiseReading) -> Option<PolicySource> {
    let reading = Arc::clone(promise.rules());
    (!reading.spec.rules.is_empty()).then(|| PolicySource::new(target.promise, target.home, target.home_cluster, Origin::Promise, reading))
}
