//! The releases of a request, what differs between two of them, and the versions that it can move to.

use std::sync::Arc;

use app::routes;
use app::view::{
    AddedObject, DeprecationNotice, DisabledReason, ReleaseCause, ReleaseComparison, ReleaseLine, ReleaseState, ReleasesPage, UpgradeOffer,
};
use cluster::kinds::{PromiseRelease, PromiseRequest, PromiseRevision};
use cluster::watch::Key;
use kube::ResourceExt as _;
use promise::api::{CandidateState, Lifecycle, PromiseReleaseSpec, PromiseRequestStatus, PromiseSpec, ReleaseTerms};
use promise::attribute::{AttributedObject, ObjectDifference, difference};
use promise::outdated::{self, Today};
use promise::price::{Day, Estimate, Money};
use promise::rest::{Amount, Page, ReleaseItem, ReleaseItemState};
use promise::upgrade::{self, Published};
use promise::wording::humanise;
use promise::{Result, changelog, preflight, release, versions};

use super::{adds, decisions, timeline};
use crate::portal::Caller;
use crate::portal::approvals::review;
use crate::portal::known::home;
use crate::portal::place::Workspace;
use crate::portal::rights::Right;

/// Returns the releases of a request that the user can read, newest first, and the difference between the two that are named.
pub(super) async fn page(
    caller: &Caller,
    workspace: &Workspace,
    namespace: &str,
    name: &str,
    (from, to): (&str, &str),
) -> Result<ReleasesPage> {
    let request = caller.read_request(workspace, namespace, name).await?;
    let releases = caller.read_releases(workspace, &request).await?;
    let may = caller.may(&workspace.cluster, Right::request("patch", namespace, name)).await?;
    let lines = lines(caller, workspace, &request, &releases, may);
    let named = |name: &str| releases.iter().find(|release| release.name_any() == name);
    let compared = match (named(from), named(to)) {
        (Some(before), Some(after)) if from != to => Some(compared(caller, &request, before, after).await?),
        _ => None,
    };
    Ok(ReleasesPage { releases: lines, compared })
}

impl Caller {
    /// Returns the releases of a request that the user can read, newest first.
    ///
    /// # Errors
    /// If there is no such request that the user can read, or the control plane doesn't respond.
    pub(crate) async fn list_releases(&self, workspace: &str, namespace: &str, name: &str) -> Result<Page<ReleaseItem>> {
        let workspace = self.enter(workspace).await?;
        let request = self.read_request(&workspace, namespace, name).await?;
        let releases = self.read_releases(&workspace, &request).await?;
        let running = request.status.as_ref().and_then(|status| status.current.as_ref()).map(|current| current.release.as_str());
        let running = releases.iter().find(|release| Some(release.name_any().as_str()) == running).map(|release| &release.spec);
        let items: Vec<ReleaseItem> = newest_first(&releases).into_iter().map(|release| item(self, &request, release, running)).collect();
        let total = Some(items.len() as u64);
        Ok(Page { items, total, total_at_least: None, r#continue: None, unread: Vec::new(), as_of: None })
    }
}

fn newest_first(releases: &[PromiseRelease]) -> Vec<&PromiseRelease> {
    let mut sorted: Vec<&PromiseRelease> = releases.iter().collect();
    // Times are whole seconds.
    sorted.sort_by_key(|release| std::cmp::Reverse((release.creation_timestamp(), release.spec.request_generation)));
    sorted
}

/// Returns a release for programs. `running` is the one that runs.
fn item(caller: &Caller, request: &PromiseRequest, release: &PromiseRelease, running: Option<&PromiseReleaseSpec>) -> ReleaseItem {
    let spec = &release.spec;
    let revision = revision(caller, spec);
    let unknown = PromiseSpec::default();
    let promise = revision.as_ref().map_or(&unknown, |revision| &revision.spec.spec);
    let terms = spec.terms.clone().unwrap_or_else(|| ReleaseTerms::from(&request.spec));
    let (resolved, present) = (spec.parameters.clone().unwrap_or_default(), request.spec.parameters.clone().unwrap_or_default());
    let version = revision.as_ref().map(|revision| revision.spec.version.clone());
    let estimate = Estimate::recorded(spec);
    ReleaseItem {
        name: release.name_any(),
        state: match state(request.status.as_ref(), &release.name_any()) {
            ReleaseState::Running => ReleaseItemState::Running,
            ReleaseState::Candidate => ReleaseItemState::Candidate,
            ReleaseState::Former => ReleaseItemState::Former,
        },
        created: release.creation_timestamp().map(|time| time.0.to_string()).unwrap_or_default(),
        changed_by: timeline::changer(release),
        parameters: upgrade::requested(promise, &resolved, &present),
        deletion_policy: terms.deletion_policy,
        upgrade: terms.upgrade,
        constraint: version.as_ref().map(|version| format!("={version}")),
        changed_secrets: running.map(|running| upgrade::changed_secrets(promise, &spec.secrets, &running.secrets)).unwrap_or_default(),
        cost: estimate.and_then(|estimate| estimate.monthly.money().map(Amount::from)),
        version,
    }
}

fn lines(caller: &Caller, workspace: &Workspace, request: &PromiseRequest, releases: &[PromiseRelease], may: bool) -> Vec<ReleaseLine> {
    let newest_first = newest_first(releases);
    let line = |(index, release): (usize, &&PromiseRelease)| {
        let state = state(request.status.as_ref(), &release.name_any());
        let version = version(caller, &release.spec);
        let before = newest_first.get(index + 1).map(|before| &before.spec);
        let estimate = Estimate::recorded(&release.spec);
        ReleaseLine {
            name: release.name_any(),
            at: release.creation_timestamp().map(|time| time.0.to_string()).unwrap_or_default(),
            by: timeline::changer(release),
            causes: causes(caller, before, &release.spec),
            monthly: estimate.and_then(|estimate| estimate.monthly.money().map(Money::to_string)).unwrap_or_default(),
            restore: (state != ReleaseState::Running).then(|| restorable(workspace, request, version.is_some(), may)),
            state,
            version,
        }
    };
    newest_first.iter().enumerate().map(line).collect()
}

/// Returns whether the request can go back to a release.
fn restorable(workspace: &Workspace, request: &PromiseRequest, is_published: bool, may: bool) -> std::result::Result<(), DisabledReason> {
    if request.metadata.deletion_timestamp.is_some() {
        return Err(DisabledReason::BeingDeleted);
    }
    if !may {
        return Err(DisabledReason::CannotChange { workspace: workspace.path.to_string() });
    }
    if is_published { Ok(()) } else { Err(DisabledReason::VersionUnpublished) }
}

fn state(status: Option<&PromiseRequestStatus>, release: &str) -> ReleaseState {
    let runs = status.and_then(|status| status.current.as_ref()).is_some_and(|current| current.release == release);
    let candidate = status.and_then(|status| status.candidate.as_ref()).filter(|candidate| candidate.release == release);
    match candidate.map(|candidate| candidate.state) {
        _ if runs => ReleaseState::Running,
        Some(state) if state.is_open() || matches!(state, CandidateState::Evaluating | CandidateState::Accepted) => ReleaseState::Candidate,
        _ => ReleaseState::Former,
    }
}

fn revision(caller: &Caller, release: &PromiseReleaseSpec) -> Option<Arc<PromiseRevision>> {
    caller.portal().world.revision_of(&release.revision)
}

fn version(caller: &Caller, release: &PromiseReleaseSpec) -> Option<String> {
    Some(revision(caller, release)?.spec.version.clone())
}

/// Returns why a release differs from the one before.
fn causes(caller: &Caller, before: Option<&PromiseReleaseSpec>, after: &PromiseReleaseSpec) -> Vec<ReleaseCause> {
    let Some(before) = before else { return vec![ReleaseCause::First] };
    let mut causes = Vec::new();
    if let (Some(from), Some(to)) = (version(caller, before), version(caller, after))
        && from != to
    {
        causes.push(ReleaseCause::Version { from, to });
    }
    let revision = revision(caller, after);
    let spec = revision.as_ref().map(|revision| &revision.spec.spec);
    let values = spec.map(|spec| review::values_between(caller, spec, before, after)).unwrap_or_default();
    if !values.is_empty() {
        causes.push(ReleaseCause::Values(values));
    }
    if !release::same_rules(&before.rules, &after.rules) {
        causes.push(ReleaseCause::Policies);
    }
    if before.price != after.price {
        causes.push(ReleaseCause::Price);
    }
    if causes.is_empty() {
        causes.push(ReleaseCause::Other);
    }
    causes
}

async fn compared(caller: &Caller, request: &PromiseRequest, before: &PromiseRelease, after: &PromiseRelease) -> Result<ReleaseComparison> {
    let revision = revision(caller, &after.spec);
    let unknown = PromiseSpec::default();
    let spec = revision.as_ref().map_or(&unknown, |revision| &revision.spec.spec);
    let tree = caller.portal().world.tree();
    let place = |cluster: &str| {
        let cluster = cluster::ClusterId::parse(cluster).ok()?;
        tree.path(&cluster).map(|path| path.to_string())
    };
    let today = Today { rules: &after.spec.rules, sentences: &[], price: None, refusals: Vec::new() };
    let rules = outdated::compare(spec, &before.spec.rules, today, place).map(|outdated| outdated.rules).unwrap_or_default();
    let told = adds::Told { spec, requester: &request.spec.requester.as_ref().map(|one| one.username.clone()).unwrap_or_default() };
    let differences = differences(caller, &before.spec, &after.spec).await?;
    let objects = differences.map(|(difference, added)| -> Vec<AddedObject> {
        let difference: Vec<ObjectDifference> = difference.into_iter().filter(|object| object.changed).collect();
        adds::objects(told, &added, Some(&difference))
    });
    Ok(ReleaseComparison {
        from: before.name_any(),
        to: after.name_any(),
        changes: review::pending(caller, spec, &before.spec, &after.spec),
        policies: rules.iter().map(|rule| decisions::change(caller, rule)).collect(),
        price: review::priced(Some(&before.spec), Some(&after.spec)),
        objects,
    })
}

/// Returns the objects of two releases as a difference, and those of the second one. `None` if one of the versions is no longer published.
async fn differences(
    caller: &Caller,
    before: &PromiseReleaseSpec,
    after: &PromiseReleaseSpec,
) -> Result<Option<(Vec<ObjectDifference>, Vec<AttributedObject>)>> {
    let (Some(former), Some(latter)) = (revision(caller, before), revision(caller, after)) else { return Ok(None) };
    let (compiled, before, after) = (caller.portal().compiled.clone(), before.clone(), after.clone());
    let turn = caller.evaluation_turn().await?;
    let found = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let objects = |revision: &PromiseRevision, release: &PromiseReleaseSpec| {
            let read = compiled.read(&revision.spec.hash, &revision.spec.spec).ok()?;
            Some(preflight::running(&read, release))
        };
        let (before, after) = (objects(&former, &before)?, objects(&latter, &after)?);
        Some((difference(&before, &after), after))
    });
    Ok(found.await.ok().flatten())
}

/// Returns the newest version, if a request doesn't move to it by itself.
pub(super) fn upgrade(caller: &Caller, request: &PromiseRequest) -> Option<UpgradeOffer> {
    let from = caller.made_from(request)?;
    let running = from.spec.version.as_str();
    let world = &caller.portal().world;
    let home = home(world, request)?;
    let all = world.revisions_of(&home, &from.spec.promise);
    let published: Vec<Published<'_>> =
        all.iter().map(|(key, revision)| Published { revision: &key.name, version: &revision.spec.version }).collect();
    let constraint = request.spec.promise.version.as_deref().unwrap_or_default();
    let newest = upgrade::newer(&published, constraint, Some(running), request.spec.upgrade)?;
    let (_, to) = all.iter().find(|(_, revision)| revision.spec.version == newest)?;
    let is_breaking = upgrade::versions(&published, Some(running)).iter().any(|one| one.version == newest && one.is_breaking);
    // The promise describes all of its versions, also those that were published before the description was written.
    let promise = world.promises.get(&Key::cluster_scoped(&home, &from.spec.promise));
    let described = promise.map(|promise| changelog::between(&promise.spec.presentation.changelog, running, &newest));
    Some(UpgradeOffer {
        changes: versions::between(&from.spec.spec, &to.spec.spec),
        changelog: described.unwrap_or_default(),
        is_breaking,
        version: newest,
    })
}

/// Returns until when the promise of a request can be used. `None` if it isn't deprecated.
pub(super) fn deprecation(caller: &Caller, workspace: &Workspace, request: &PromiseRequest) -> Option<DeprecationNotice> {
    let promise = caller.promise_of(&workspace.cluster, request)?;
    let lifecycle = promise.spec.lifecycle;
    if !matches!(lifecycle, Lifecycle::Deprecated | Lifecycle::Retired) {
        return None;
    }
    let told = promise.spec.deprecation.clone().unwrap_or_default();
    let home = request.spec.promise.workspace.as_deref();
    let replacement = told.replaced_by.map(|name| {
        let other = caller.known_promise(home, &name, [&workspace.cluster]);
        let title = other.and_then(|other| other.spec.presentation.display_name.clone()).unwrap_or_else(|| humanise(&name));
        (title, routes::promise(workspace.path.as_str(), &name, None))
    });
    Some(DeprecationNotice {
        is_retired: lifecycle == Lifecycle::Retired,
        message: told.message.unwrap_or_default(),
        replacement,
        remove_after: told.remove_after.map(|day| Day::parse(&day).map_or(day, Day::title)),
    })
}

#[cfg(test)]
mod tests {
    use promise::api::{CandidateStatus, CurrentStatus};

    use super::*;

    #[test]
    fn a_release_runs_is_next_or_was_before() {
        let status = |state| PromiseRequestStatus {
            current: Some(CurrentStatus { release: "runs".into(), ..CurrentStatus::default() }),
            candidate: Some(CandidateStatus { release: "asked".into(), state, ..CandidateStatus::default() }),
            ..PromiseRequestStatus::default()
        };
        let states = |of| ["runs", "asked", "before"].map(|release| state(Some(&status(of)), release));
        let (running, former) = (ReleaseState::Running, ReleaseState::Former);
        assert_eq!(states(CandidateState::AwaitingApproval), [running, ReleaseState::Candidate, former]);
        assert_eq!(states(CandidateState::Rejected), [running, former, former]);
        assert_eq!(state(None, "runs"), former);
    }
}
