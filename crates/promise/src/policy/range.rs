//! Which policies apply to a promise in a workspace.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::reading::Reading;
use super::source::{Candidate, Origin, PolicySource};
use crate::api::{AppliesTo, PolicySpec, PromiseSpec};
use crate::glob;
use crate::resolve::PromiseReading;

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

/// The policies that apply, each once, in a stable order. Whoever asks often holds a [`super::Book`] instead.
///
/// A policy applies when it is set at an ancestor (or the workspace itself), when it is in a trusted home and its range
/// covers promise and workspace, or when the promise refers to it; its own `appliesTo` narrows it in every case but the
/// last, because a promise that names a policy of its home means it. The promise's own rules come last.
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

/// Whether a policy is one of those that [`gather`] finds. Its rules are not read, so that many can be asked about many workspaces.
pub fn applies(candidate: &Candidate, target: &Target<'_>) -> bool {
    origin(&candidate.policy, &candidate.cluster, candidate.trusted, &candidate.spec, target).is_some()
}

/// How a policy applies; nothing if it does not.
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

/// Whether a policy set at one workspace has to fit a promise of another, if the name is in its range: a promise of a trusted home may be
/// offered anywhere, any other to its home and below. Who is below a policy can refuse requests of his own promise by it, and not blemish it.
/// Each is the path of a workspace, and of the promise whether that is a trusted home.
pub fn has_to_fit(policy: &str, (promise, trusted): (&str, bool)) -> bool {
    trusted || policy.strip_prefix(promise).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// Whether a promise of that name is in the range.
pub fn covers_promise(range: &AppliesTo, promise: &str) -> bool {
    range.promises.is_empty() || glob::any_name_matches(&range.promises, promise)
}

/// The promise's own rules, as a source.
pub(super) fn own_rules(target: &Target<'_>, promise: &PromiseReading) -> Option<PolicySource> {
    let reading = Arc::clone(promise.rules());
    (!reading.spec.rules.is_empty()).then(|| PolicySource::new(target.promise, target.home, target.home_cluster, Origin::Promise, reading))
}
