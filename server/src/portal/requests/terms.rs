//! The terms of a request in its form: version, upgrades, deletion, expiry and pause; and what moves when the form is for another version.

use std::sync::Arc;

use super::form::{Opened, Typed};
use super::kept::Base;
use super::posting::input;
use super::source;
use crate::portal::Caller;
use crate::portal::approvals::review;
use crate::portal::place::Workspace;
use crate::web::pairs::field;
use app::backend::Pairs;
use app::view::{ParameterLine, RestoredRelease, TermsForm, ValueChange, VersionMove, VersionOption, VersionOptionKind};
use cluster::kinds::PromiseRevision;
use kube::ResourceExt as _;
use promise::api::{PromiseRequestSpec, ReleaseTerms, UpgradePolicy};
use promise::expiry::{self, Expiry};
use promise::form::manifest::Terms;
use promise::form::{Draft, Summary, keep_immutable};
use promise::upgrade::{self, Lost, Published, VersionChoice, carried};
use promise::{Result, changelog};
use serde_json::Value;

/// Label of the reason for a request.
pub(super) const REASON: &str = "Reason";

/// Value of the option that leaves the version constraint as it is.
const UNCHANGED: &str = "unchanged";

impl Opened {
    /// Makes it the form of the version that these terms select. `None` stands for the terms of the request.
    pub(super) fn follow(&mut self, caller: &Caller, workspace: &Workspace, terms: Option<&Terms>) -> Result<()> {
        self.use_spec(caller, workspace, &self.wanted(terms))
    }

    /// Makes it the form of a published version. An unknown one changes nothing.
    pub(super) fn use_version(&mut self, caller: &Caller, workspace: &Workspace, version: &str) -> Result<()> {
        let mut wanted = self.wanted(None);
        wanted.promise.version = Some(format!("={version}"));
        self.use_spec(caller, workspace, &wanted)
    }

    fn use_spec(&mut self, caller: &Caller, workspace: &Workspace, wanted: &PromiseRequestSpec) -> Result<()> {
        let running = self.request.running.as_deref();
        let version = caller.published_version(&self.offered, wanted, running);
        if version.is_none_or(|version| version == self.spec.version) {
            return Ok(());
        }
        self.spec = caller.published(&self.offered, wanted, running);
        self.effective = caller.rules(workspace, &self.offered.home, &self.offered.key.name, &self.spec)?;
        Ok(())
    }

    /// Returns what determines the version.
    fn wanted(&self, terms: Option<&Terms>) -> PromiseRequestSpec {
        let mut wanted =
            PromiseRequestSpec { promise: self.existing.promise.clone(), upgrade: self.existing.upgrade, ..PromiseRequestSpec::default() };
        if let Some(terms) = terms {
            terms.apply(&mut wanted);
        }
        wanted
    }

    pub(super) fn is_edit(&self) -> bool {
        self.start.version.is_some()
    }

    /// Returns the terms if they differ from those of the request, which can change meanwhile.
    fn changed(&self, terms: Terms) -> Option<Terms> {
        Some(terms).filter(|terms| *terms != Terms::of(&self.existing))
    }
}

/// The published versions of the promise of a form.
struct Versions(Vec<(String, Arc<PromiseRevision>)>);

impl Versions {
    fn of(caller: &Caller, opened: &Opened) -> Self {
        let key = &opened.offered.key;
        let all = caller.portal().world.revisions_of(&key.cluster, &key.name);
        Self(all.into_iter().map(|(key, revision)| (key.name.clone(), revision)).collect())
    }

    fn published(&self) -> Vec<Published<'_>> {
        self.0.iter().map(|(name, revision)| Published { revision: name, version: &revision.spec.version }).collect()
    }

    /// Returns the constraint for one of the versions, or `None` if it isn't published.
    fn constraint_for(&self, opened: &Opened, version: &str, policy: UpgradePolicy) -> Option<String> {
        let published = self.published();
        let is_known = published.iter().any(|one| one.version == version);
        is_known.then(|| upgrade::constraint_for(&published, version, opened.request.running.as_deref(), policy))
    }
}

/// Puts the posted terms into what was entered, and moves its values to the version that they select. `rendered` are the posted pairs, the
/// draft that the form was opened with, and what it was rendered from.
pub(super) fn settle(
    caller: &Caller,
    workspace: &Workspace,
    opened: &mut Opened,
    typed: &mut Typed,
    rendered: (&Pairs, Option<&Typed>, &Base),
) -> Result<()> {
    let (pairs, before, base) = rendered;
    let before_it = opened.spec.version.clone();
    if !source::is_shown(typed) {
        typed.terms = entered(caller, opened, pairs, base.terms.clone());
    }
    opened.follow(caller, workspace, typed.terms.as_ref())?;
    if opened.spec.version == before_it {
        return Ok(());
    }
    if let Some(text) = field(pairs, input::MANIFEST) {
        // Secrets of this version are taken out of the text as well.
        let (version, original) = (typed.version.take(), typed.original.take());
        *typed = Typed { version, original, ..source::entered(opened, text, before, &base.parameters) };
        return Ok(());
    }
    typed.draft.parameters = carried(&opened.spec, &opened.spec, &typed.draft.parameters).parameters;
    Ok(())
}

/// Returns the posted terms, or those that the form was rendered with if it doesn't show them.
fn entered(caller: &Caller, opened: &Opened, pairs: &Pairs, rendered: Option<Terms>) -> Option<Terms> {
    let Some(constraint) = field(pairs, input::CONSTRAINT) else { return rendered };
    let former = rendered.unwrap_or_else(|| Terms::of(&opened.existing));
    let upgrade = field(pairs, input::UPGRADE).and_then(read).unwrap_or(former.upgrade);
    let version = match constraint {
        UNCHANGED => opened.existing.promise.version.clone(),
        "" => None,
        text => {
            let version = text.strip_prefix('=');
            let known = version.and_then(|version| Versions::of(caller, opened).constraint_for(opened, version, upgrade));
            Some(known.unwrap_or_else(|| text.to_owned()))
        }
    };
    let deletion_policy = field(pairs, input::DELETION).and_then(read).unwrap_or(former.deletion_policy);
    let paused = if opened.is_edit() { field(pairs, input::PAUSED).is_some() } else { former.paused };
    let expires_at = match field(pairs, input::EXPIRES) {
        Some(day) => expiry::of_day(day, former.expires_at.as_deref()),
        None => former.expires_at,
    };
    opened.changed(Terms { version, upgrade, deletion_policy, expires_at, paused })
}

/// Reads a posted word.
fn read<T: serde::de::DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(Value::from(word)).ok()
}

/// Returns the initial state of a form for a version. `None` if it isn't published.
pub(super) fn start_of_version(caller: &Caller, workspace: &Workspace, opened: &mut Opened, version: &str) -> Result<Option<Typed>> {
    let former = Terms::of(&opened.existing);
    let Some(constraint) = Versions::of(caller, opened).constraint_for(opened, version, former.upgrade) else { return Ok(None) };
    let terms = opened.changed(Terms { version: Some(constraint), ..former });
    opened.follow(caller, workspace, terms.as_ref())?;
    let parameters = carried(&opened.spec, &opened.spec, &opened.start.draft.parameters).parameters;
    Ok(Some(Typed { draft: Draft::of(parameters), terms, ..opened.start.clone() }))
}

/// Returns the initial state of a form that renews the request. `None` if it doesn't expire.
pub(super) async fn start_of_renewal(caller: &Caller, workspace: &Workspace, opened: &Opened) -> Result<Option<Typed>> {
    let request = caller.read_request(workspace, &opened.start.namespace, &opened.start.name).await?;
    let current = request.status.as_ref().and_then(|status| status.current.as_ref());
    let Some(expiry) = current.and_then(|current| Expiry::parse(current.expires_at.as_deref()?)) else { return Ok(None) };
    let accepted = current.and_then(|current| current.accepted_at.as_deref()?.parse().ok());
    let until = expiry::renewed(expiry, accepted, caller.portal().clock.now());
    let terms = opened.changed(Terms { expires_at: Some(until.to_string()), ..Terms::of(&opened.existing) });
    Ok(Some(Typed { terms, ..opened.start.clone() }))
}

/// Returns the initial state of a form that goes back to a release: its version, values and terms. `None` if there is no such release.
pub(super) async fn start_of_release(caller: &Caller, workspace: &Workspace, opened: &mut Opened, name: &str) -> Result<Option<Typed>> {
    let request = caller.read_request(workspace, &opened.start.namespace, &opened.start.name).await?;
    let releases = caller.read_releases(workspace, &request).await?;
    let Some(release) = releases.into_iter().find(|release| release.name_any() == name) else { return Ok(None) };
    let spec = &release.spec;
    let former = Terms::of(&opened.existing);
    let recorded = spec.terms.clone().unwrap_or_else(|| ReleaseTerms::from(&opened.existing));
    let version = caller.portal().world.revision_of(&spec.revision).map(|revision| revision.spec.version.clone());
    let versions = Versions::of(caller, opened);
    let constraint = version.as_deref().and_then(|version| versions.constraint_for(opened, version, recorded.upgrade));
    let is_unpublished = constraint.is_none();
    let terms = opened.changed(Terms {
        // The version that would be used anyway needs no constraint.
        version: constraint.filter(|_| version.as_deref() != Some(&opened.usual_version)).or_else(|| former.version.clone()),
        upgrade: recorded.upgrade,
        deletion_policy: recorded.deletion_policy,
        ..former
    });
    opened.follow(caller, workspace, terms.as_ref())?;
    let present = opened.start.draft.parameters.clone();
    let resolved = carried(&opened.spec, &opened.spec, spec.parameters.as_ref().unwrap_or(&Value::Null)).parameters;
    let mut parameters = upgrade::requested(&opened.spec, &resolved, &present);
    if let Some(accepted) = opened.accepted() {
        keep_immutable(&opened.spec, accepted, &mut parameters);
    }
    let digests = opened.request.former.as_ref().map(|former| &former.secrets);
    opened.restored = Some(RestoredRelease {
        at: release.creation_timestamp().map(|time| time.0.to_string()).unwrap_or_default(),
        secrets: digests.map(|digests| upgrade::changed_secrets(&opened.spec, &spec.secrets, digests)).unwrap_or_default(),
        is_unpublished,
    });
    Ok(Some(Typed { draft: Draft::of(parameters), terms, ..opened.start.clone() }))
}

/// Returns the terms as the form shows them.
pub(super) fn form(caller: &Caller, opened: &Opened, typed: &Typed) -> TermsForm {
    let terms = typed.terms.clone().unwrap_or_else(|| Terms::of(&opened.existing));
    let versions = Versions::of(caller, opened);
    let published = versions.published();
    let running = opened.request.running.as_deref();
    let kept = opened.existing.promise.version.as_deref().unwrap_or_default();
    let selected = |constraint: &str| {
        let chosen = upgrade::choose(&published, constraint, running, terms.upgrade);
        chosen.map(|chosen| chosen.version.to_owned()).unwrap_or_default()
    };
    let mut options = vec![VersionOption {
        value: if opened.is_edit() { UNCHANGED.to_owned() } else { String::new() },
        version: selected(kept),
        kind: if opened.is_edit() { VersionOptionKind::Unchanged } else { VersionOptionKind::Newest },
        is_chosen: terms.version == opened.existing.promise.version,
        ..VersionOption::default()
    }];
    let is_moved = terms.version != opened.existing.promise.version;
    let constraint = terms.version.as_deref().unwrap_or_default();
    let of_version = |choice: VersionChoice| VersionOption {
        is_chosen: is_moved && upgrade::constraint_for(&published, &choice.version, running, terms.upgrade) == constraint,
        value: format!("={}", choice.version),
        kind: VersionOptionKind::Version,
        is_prerelease: choice.is_prerelease,
        is_breaking: choice.is_breaking,
        version: choice.version,
    };
    options.extend(upgrade::versions(&published, running).into_iter().map(of_version));
    if !options.iter().any(|option| option.is_chosen) {
        options.push(VersionOption {
            value: constraint.to_owned(),
            version: selected(constraint),
            kind: VersionOptionKind::Constraint,
            is_chosen: true,
            ..VersionOption::default()
        });
    }
    TermsForm {
        versions: options,
        upgrade: terms.upgrade,
        deletion_policy: terms.deletion_policy,
        expires: terms.expires_at.as_deref().map(expiry::day).unwrap_or_default(),
        paused: opened.is_edit().then_some(terms.paused),
        is_changed: typed.terms.is_some(),
        rendered: opened.spec.version.clone(),
    }
}

/// Returns what moves to the version of the form. `needs` are the fields that need input. `None` for a new request, and if nothing moves.
pub(super) fn moved(caller: &Caller, opened: &Opened, needs: &[Summary]) -> Option<VersionMove> {
    let is_other = opened.spec.version != opened.usual_version;
    if !opened.is_edit() || !(is_other || opened.restored.is_some()) {
        return None;
    }
    let from = opened.request.running.clone().unwrap_or_else(|| opened.usual_version.clone());
    let lost = if opened.restored.is_some() || !is_other { Vec::new() } else { lost(caller, opened) };
    Some(VersionMove {
        is_breaking: major(&from) != major(&opened.spec.version),
        changelog: changelog::between(&opened.offered.promise.spec.presentation.changelog, &from, &opened.spec.version),
        to: opened.spec.version.clone(),
        from,
        needs: needs.to_vec(),
        lost: lost.into_iter().map(|lost| (lost.label, lost.value)).collect(),
        restored: opened.restored.clone(),
    })
}

fn major(version: &str) -> Option<&str> {
    version.split('.').next()
}

/// Returns the values of the request that the version of the form has no field for.
pub(super) fn lost(caller: &Caller, opened: &Opened) -> Vec<Lost> {
    let before = caller.published(&opened.offered, &opened.wanted(None), opened.request.running.as_deref());
    carried(&before, &opened.spec, opened.existing.parameters.as_ref().unwrap_or(&Value::Null)).lost
}

/// Returns the terms that a new request sets, for its review.
pub(super) fn lines(opened: &Opened, spec: &PromiseRequestSpec) -> Vec<ParameterLine> {
    if opened.is_edit() { Vec::new() } else { review::given_terms(&ReleaseTerms::from(spec)) }
}

/// Returns the version and the terms that a change changes, in the words of an approval.
pub(super) fn changes(opened: &Opened, spec: &PromiseRequestSpec) -> Vec<ValueChange> {
    let version = opened.request.running.clone().map(|running| (running, opened.spec.version.clone()));
    let (before, after) = (ReleaseTerms::from(&opened.existing), ReleaseTerms::from(spec));
    let paused = (opened.existing.paused != spec.paused).then(|| review::pause_change(spec.paused));
    let reason = (opened.existing.reason != spec.reason).then(|| reason_change(opened.existing.reason.clone(), spec.reason.clone()));
    version
        .and_then(|(from, to)| review::version_change(&from, &to))
        .into_iter()
        .chain(review::term_changes(&before, &after))
        .chain(paused)
        .chain(reason)
        .collect()
}

/// Returns the change of the reason.
fn reason_change(before: Option<String>, after: Option<String>) -> ValueChange {
    ValueChange { path: "reason".to_owned(), label: REASON.to_owned(), before, after, ..ValueChange::default() }
}

#[cfg(test)]
mod tests {
    use promise::api::{DeletionPolicy, UpgradePolicy};

    use super::read;

    #[test]
    fn posted_words_are_those_of_the_request() {
        assert_eq!(read("patch"), Some(UpgradePolicy::Patch));
        assert_eq!(read("Orphan"), Some(DeletionPolicy::Orphan));
        assert_eq!(read::<UpgradePolicy>("always"), None);
    }
}
