//! Everything that a decision is based on, from the frozen release.

use std::collections::BTreeSet;

use app::view::{
    Asked, CheckLine, CheckState, InboxRow, ParameterLine, PolicyLine, PriceStep, ReviewPage, RoomLine, Since, ValueChange, ValueSource,
    deciders, policy_outcomes,
};
use cluster::kinds::PromiseRequest;
use promise::Result;
use promise::api::{
    ApprovalState, ApprovalStatus, CandidateState, Decision, PolicyOutcome, PolicyResult, PromiseReleaseSpec, PromiseSpec, ReleaseTerms,
};
use promise::attribute::Touched;
use promise::change::{self, Change};
use promise::outline::Breadcrumb;
use promise::price::{Amount, Change as PriceChange, Estimate, Money};
use promise::wording::{all_of, counted, lower_first};
use serde_json::Value;

use super::content::{self, Content};
use super::matter::{self, Matter};
use super::standing::{Standing, is_open, rule_id};
use super::{alike, inbox, similar, step, terms, thread, versions, withdraw};
use crate::portal::Caller;
use crate::portal::requests::{adds, decisions, detail, preflight_panel};

/// Number of values that a title names.
const NAMED: usize = 3;

/// Returns the page. `since` is a content hash: the page shows the differences to that content.
pub(super) async fn page(caller: &Caller, uid: &str, since: &str) -> Result<ReviewPage> {
    let matter = matter::find(caller, uid).await?;
    of(caller, &matter, since).await
}

/// Returns the page of a request that has been found.
pub(super) async fn of(caller: &Caller, matter: &Matter, since: &str) -> Result<ReviewPage> {
    let status = matter.status();
    let standings = caller.standings(&matter.request).await?;
    let (candidate, former) = matter.both();
    let unknown = PromiseSpec::default();
    let revision = candidate.or(former).and_then(|release| caller.portal().world.revision_of(&release.spec.revision));
    let spec = revision.as_ref().map_or(&unknown, |revision| &revision.spec.spec);
    let content = content::of(caller, matter).await?;
    let outcomes = candidate.map(|candidate| candidate.spec.outcomes.as_slice()).unwrap_or(&status.policies);
    let policies = caller.entitle(policy_outcomes(outcomes, content.effective.as_ref()));
    let tallies = content.effective.as_ref().map(|effective| effective.tallies.as_slice()).unwrap_or_default();
    let estimate = candidate.and_then(|candidate| Estimate::recorded(&candidate.spec));
    let room = preflight_panel::room(&content.limits, &content.budgets, tallies, estimate.as_ref());
    let row = inbox::row(caller, &matter.key, &matter.request, &standings);
    let price = priced(former.map(|release| &release.spec), candidate.map(|release| &release.spec));
    let told = Told { spec, outcomes, policies: &policies };
    let changes = match (candidate, former) {
        (Some(candidate), Some(former)) => {
            versions::put(caller, told.changes(&former.spec, &candidate.spec), &former.spec, &candidate.spec)
        }
        _ => Vec::new(),
    };
    let mut values = detail::parameters(
        Some(spec),
        matter.request.spec.parameters.as_ref(),
        candidate.and_then(|candidate| candidate.spec.parameters.as_ref()),
        outcomes,
        &|source, policy| caller.policy_title(source, policy),
    );
    let asked_for = candidate.map_or_else(|| Some(ReleaseTerms::from(&matter.request.spec)), |candidate| candidate.spec.terms.clone());
    values.extend(asked_for.iter().flat_map(terms::lines));
    let hash = matter.hash();
    let (step, summed_up) = (step::step(&matter.request), title(&row.name, &row.promise_title, row.change, &changes));
    let checked = checks(&policies, &room, content.touched, &price, row.change);
    let page = ReviewPage {
        run: None,
        title: step.map_or_else(|| summed_up.clone(), |step| format!("{} of {summed_up}", step::name(step))),
        reason: matter.request.spec.reason.clone().unwrap_or_default(),
        settled: settled(caller, matter),
        asked: asked(caller, &standings),
        why_not: why_not(&standings),
        reconsiders: standings.iter().any(Standing::reconsiders),
        route: decisions::lines(caller, &matter.request),
        values,
        since: compared(caller, matter, &told, since),
        checks: step.map(step::check).into_iter().chain(checked).collect(),
        price,
        room,
        touched: content.touched,
        objects: objects(spec, &row, &content),
        steps: promise::workflow::planned(spec, former.is_some()),
        before: similar::told(caller, matter, &standings),
        alike: alike::count(caller, matter, &standings),
        comments: thread::of(caller, matter).await?,
        withdraw: withdraw::allowed(caller, matter).await?,
        again: withdraw::may_ask_again(caller, &matter.key.cluster, &matter.request).await?,
        opens: matter.opens,
        policies,
        changes,
        hash,
        row,
    };
    Ok(match &matter.run {
        Some(run) => step::of_run(caller, matter, page, (spec, run)),
        None => page,
    })
}

fn objects(spec: &PromiseSpec, row: &InboxRow, content: &Content) -> Vec<app::view::AddedObject> {
    let requester = if row.mine { "You" } else { row.requester.as_str() };
    adds::objects(adds::Told { spec, requester }, &content.objects, content.difference.as_deref())
}

/// Returns the change of the version. `None` if it stays the same.
pub(in crate::portal) fn version_change(from: &str, to: &str) -> Option<ValueChange> {
    (from != to).then(|| one("version", "Version", from, to))
}

/// Returns the change of `paused`.
pub(in crate::portal) fn pause_change(paused: bool) -> ValueChange {
    let (from, to) = if paused { ("No", "Yes") } else { ("Yes", "No") };
    one("paused", "Paused", from, to)
}

fn one(path: &str, label: &str, from: &str, to: &str) -> ValueChange {
    let (before, after) = (Some(from.to_owned()), Some(to.to_owned()));
    ValueChange { path: path.to_owned(), label: label.to_owned(), before, after, ..ValueChange::default() }
}

/// Returns the terms that differ.
pub(in crate::portal) fn term_changes(before: &ReleaseTerms, after: &ReleaseTerms) -> Vec<ValueChange> {
    terms::between(Some(before), after, false)
}

/// Returns the terms that aren't the default.
pub(in crate::portal) fn given_terms(terms: &ReleaseTerms) -> Vec<ParameterLine> {
    terms::lines(terms).into_iter().filter(|line| line.source != ValueSource::Default).collect()
}

/// Returns the values that change.
pub(super) fn changed(spec: &PromiseSpec, before: &PromiseReleaseSpec, after: &PromiseReleaseSpec) -> Vec<Change> {
    change::between(spec, parameters(before), parameters(after))
}

/// Returns the parameters of a release, or null.
pub(in crate::portal) fn parameters(release: &PromiseReleaseSpec) -> &Value {
    release.parameters.as_ref().unwrap_or(&Value::Null)
}

/// The promise and the effects of its rules, which are needed to describe values.
pub(super) struct Told<'a> {
    /// The promise.
    pub(super) spec: &'a PromiseSpec,
    /// What rules did to the values.
    pub(super) outcomes: &'a [PolicyOutcome],
    /// The same in words.
    pub(super) policies: &'a [PolicyLine],
}

impl Told<'_> {
    /// Describes everything that changes, values first.
    fn changes(&self, before: &PromiseReleaseSpec, after: &PromiseReleaseSpec) -> Vec<ValueChange> {
        let values = self.all_in_words(&changed(self.spec, before, after), parameters(before), parameters(after));
        values.into_iter().chain(terms::changed(Some(before), after)).collect()
    }

    /// Describes the changes between two sets of parameters.
    pub(super) fn all_in_words(&self, changes: &[Change], before: &Value, after: &Value) -> Vec<ValueChange> {
        changes.iter().map(|change| self.words(change, before, after)).collect()
    }

    /// Describes a change, with the rule that narrows or fixes the value.
    fn words(&self, change: &Change, before: &Value, after: &Value) -> ValueChange {
        let Breadcrumb { headings, label } = change.place(self.spec, before, after);
        let path = change.path.to_string();
        let did = self.outcomes.iter().find(|outcome| {
            matches!(outcome.result, PolicyResult::Constrained | PolicyResult::Set | PolicyResult::Defaulted | PolicyResult::Warned)
                && outcome.paths.contains(&path)
        });
        let line = did.and_then(|did| {
            let same = |line: &&PolicyLine| (&line.policy, &line.rule, &line.source) == (&did.policy, &did.rule, &did.source);
            self.policies.iter().find(same)
        });
        ValueChange {
            headings,
            label,
            before: change.before_in_words(self.spec),
            after: change.after_in_words(self.spec),
            note: line.map(|line| line.sentence.clone()).unwrap_or_default(),
            path,
        }
    }
}

fn title(name: &str, promise: &str, is_change: bool, changes: &[ValueChange]) -> String {
    if !is_change {
        return format!("{name}: new {promise}");
    }
    let labels: Vec<String> = changes.iter().take(NAMED).map(|change| lower_first(&change.label)).collect();
    match changes.len() {
        0 => format!("{name}: same values, but different policies, prices or version"),
        all if all > NAMED => format!("{name}: {} and {} more", labels.join(", "), all - NAMED),
        _ => format!("{name}: {}", all_of(&labels)),
    }
}

/// Explains why there is nothing to decide, for a request that needed approval.
fn settled(caller: &Caller, matter: &Matter) -> String {
    let status = matter.status();
    let said = |what: &str| {
        let message = status.candidate.as_ref().and_then(|candidate| candidate.message.clone()).unwrap_or_default();
        if message.is_empty() { what.to_owned() } else { format!("{what} {message}") }
    };
    match status.candidate.as_ref().map(|candidate| candidate.state) {
        _ if matter.request.metadata.deletion_timestamp.is_some() && step::step(&matter.request).is_none() => {
            "The request is being deleted.".to_owned()
        }
        Some(CandidateState::ChangesRequested) if matter.hash().is_none() => {
            said("Changes were requested, and policies changed since. The requester edits or resubmits the request.")
        }
        Some(CandidateState::AwaitingApproval | CandidateState::ChangesRequested | CandidateState::AwaitingWindow) => String::new(),
        Some(CandidateState::Evaluating) => "The request changed and is being checked.".to_owned(),
        Some(CandidateState::Accepted) => "The request was approved and is being provisioned.".to_owned(),
        Some(CandidateState::Rejected) => said("The request was rejected."),
        Some(CandidateState::Expired) => said("No one decided in time."),
        Some(CandidateState::Withdrawn) => {
            let names = caller.portal().people.names();
            let requester = matter.request.spec.requester.as_ref();
            let who = requester.map_or("The requester", |requester| names.of(&requester.username));
            format!("The request was withdrawn. {}", promise::approval::withdrew(who))
        }
        Some(CandidateState::Failed) => said("Provisioning failed."),
        None => "The request was approved and provisioned.".to_owned(),
    }
}

impl Caller {
    /// Returns what this user can decide about a request now.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub(in crate::portal) async fn asked(&self, request: &PromiseRequest) -> Result<Vec<Asked>> {
        Ok(asked(self, &self.standings(request).await?))
    }
}

fn asked(caller: &Caller, standings: &[Standing<'_>]) -> Vec<Asked> {
    let one = |standing: &Standing<'_>| Asked {
        rule: rule_id(standing.approval),
        title: who(caller, standing.approval),
        ordinary: standing.waits() || standing.reconsiders(),
        emergency: standing.breaks,
        window: standing.approval.window,
    };
    // Ordinary approvals come before overrides.
    let ordinary = standings.iter().filter(|standing| standing.waits() || standing.reconsiders());
    ordinary.chain(standings.iter().filter(|standing| standing.only_breaks())).map(one).collect()
}

/// Describes the approvers of a rule.
pub(super) fn who(caller: &Caller, approval: &ApprovalStatus) -> String {
    let policy = approval.rule.policy.as_ref().map(|policy| caller.policy_title(&approval.source, policy));
    let of = policy.or_else(|| approval.rule.promise.clone()).unwrap_or_default();
    if approval.window {
        return format!("Window of {of}, set at {}", approval.source);
    }
    format!("{} ({of}, set at {})", deciders(&approval.approvers, approval.required), approval.source)
}

/// Explains why the user has nothing to decide although something is open.
fn why_not(standings: &[Standing<'_>]) -> String {
    if standings.iter().any(Standing::waits) {
        return String::new();
    }
    let open = |standing: &&Standing<'_>| is_open(standing.approval) && standing.elsewhere.is_some();
    if let Some((standing, stage)) = standings.iter().find(open).and_then(|standing| Some((standing, standing.elsewhere?))) {
        let who = deciders(&standing.approval.approvers, standing.approval.required);
        return format!("You approved stage {stage}. Stage {} needs another person. {who}.", standing.approval.stage);
    }
    if let Some(decided) = standings.iter().find_map(|standing| standing.decided) {
        return match decided {
            Decision::Approve => "You approved this. Others decide on the rest.".to_owned(),
            Decision::Reject => "You rejected this.".to_owned(),
            Decision::Skip => "You skipped this.".to_owned(),
            Decision::RequestChanges => "You requested changes. You're asked again after the requester edits the request.".to_owned(),
        };
    }
    if standings.iter().any(|standing| standing.held) {
        return "Changes were requested: it's the requester's turn.".to_owned();
    }
    if let Some(standing) = standings.iter().find(|standing| standing.own && is_open(standing.approval)) {
        let did = if standing.changed { "You made the last change" } else { "You requested this yourself" };
        return format!("{did}, so someone else decides.");
    }
    if standings.iter().any(|standing| standing.may && standing.approval.state != ApprovalState::Approved) {
        return "It's not your turn yet: an earlier stage is still open.".to_owned();
    }
    "Others decide on this.".to_owned()
}

fn in_words(amount: &Amount) -> Option<String> {
    amount.money().map(Money::to_string)
}

/// Returns the price change, by the quotes that both releases were made with.
pub(in crate::portal) fn priced(former: Option<&PromiseReleaseSpec>, candidate: Option<&PromiseReleaseSpec>) -> PriceStep {
    let (before, after) = (former.and_then(Estimate::recorded), candidate.and_then(Estimate::recorded));
    let Some(after) = after else { return PriceStep::default() };
    let view = preflight_panel::price(Some(&after));
    let change = before.as_ref().map(|before| PriceChange { before: before.monthly.clone(), after: after.monthly.clone() });
    PriceStep {
        now: before.as_ref().and_then(|before| in_words(&before.monthly)),
        after: view.monthly,
        change: match (&change, former, after.monthly.money()) {
            (Some(change), ..) if change.is_none() => Some("no change".to_owned()),
            (Some(change), ..) => Some(change.to_string()),
            (None, None, Some(money)) => Some(money.as_change()),
            (None, ..) => None,
        },
        unknown: view.unknown.unwrap_or_default(),
        lines: view.lines,
        basis: view.basis,
    }
}

/// Returns the results of the checks, most severe first.
fn checks(policies: &[PolicyLine], room: &[RoomLine], touched: Option<Touched>, price: &PriceStep, is_change: bool) -> Vec<CheckLine> {
    let line = |state, what: String, detail: &str| CheckLine { state, what, detail: detail.to_owned(), target: String::new() };
    let mut checks = Vec::new();
    for warned in policies.iter().filter(|line| matches!(line.result, Some(PolicyResult::Warned | PolicyResult::Denied))) {
        let said = if warned.message.is_empty() { &warned.sentence } else { &warned.message };
        let state = if warned.result == Some(PolicyResult::Denied) { CheckState::Failed } else { CheckState::Warned };
        checks.push(line(state, said.clone(), &warned.title));
    }
    let fine = policies.len() - checks.len();
    if fine > 0 {
        checks.push(line(CheckState::Passed, format!("{} passed", counted(fine as u64, "rule")), ""));
    }
    // Exceeded limits are among the warnings.
    let fits = room.iter().filter(|room| !room.over);
    let said = |known| if known { CheckState::Passed } else { CheckState::Unknown };
    checks.extend(fits.map(|room| line(said(room.known), format!("{}: {}", room.what, room.after), &room.title)));
    if !price.unknown.is_empty() {
        checks.push(line(CheckState::Unknown, "Price unknown".to_owned(), &price.unknown));
    }
    checks.push(effects(touched, is_change));
    checks.sort_by_key(|check| check.state);
    checks
}

/// Describes what happens to objects.
pub(in crate::portal) fn effects(touched: Option<Touched>, is_change: bool) -> CheckLine {
    let line = |state, what: String, detail: &str| CheckLine { state, what, detail: detail.to_owned(), target: String::new() };
    match touched {
        None => line(CheckState::Unknown, "Affected objects unknown".to_owned(), "The revision of the promise no longer exists."),
        Some(touched) if touched.replaced + touched.removed > 0 => {
            line(CheckState::Warned, summary(touched), "Replaced or removed objects lose the data that only they keep.")
        }
        Some(touched) if is_change && touched.changed > 0 => {
            line(CheckState::Passed, summary(touched), "Nothing is replaced or removed. Changed objects can restart.")
        }
        Some(touched) if is_change => line(CheckState::Passed, summary(touched), "Nothing is replaced or removed."),
        Some(touched) => line(CheckState::Passed, summary(touched), ""),
    }
}

/// Describes what happens to objects: `2 of 7 objects change, 1 is new`.
pub(super) fn summary(touched: Touched) -> String {
    let all = touched.all();
    if all == touched.made {
        return format!("Creates {}", counted(all as u64, "object"));
    }
    let part = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    let parts: Vec<String> = [
        part(touched.changed, "changes", "change"),
        part(touched.made, "is new", "are new"),
        part(touched.replaced, "is replaced", "are replaced"),
        part(touched.removed, "is removed", "are removed"),
    ]
    .into_iter()
    .flatten()
    .collect();
    match (parts.as_slice(), all) {
        ([], _) => format!("No changes to {}", counted(all as u64, "object")),
        ([only], 1) => only.replacen("1 ", "1 object ", 1),
        (parts, _) => format!("Of {}, {}", counted(all as u64, "object"), all_of(parts)),
    }
}

/// Returns what has changed since the user's last decision, or since the content named in the address.
fn compared(caller: &Caller, matter: &Matter, told: &Told<'_>, wanted: &str) -> Option<Since> {
    // Steps have hashes of their own: decisions about the content are no earlier decisions about them.
    let now = matter.status().candidate.filter(|_| step::step(&matter.request).is_none())?.content_hash;
    let mine = caller.decided_about(matter.request.metadata.uid.as_deref().unwrap_or_default());
    let last = mine.into_iter().find(|approval| wanted.is_empty() || approval.spec.content_hash == wanted);
    let hash = if wanted.is_empty() { last.as_ref()?.spec.content_hash.clone() } else { wanted.to_owned() };
    if hash == now {
        return None;
    }
    let decision = last.as_ref().map(|approval| match approval.spec.decision {
        Decision::Approve => "Your approval",
        Decision::Reject => "Your rejection",
        Decision::Skip => "Your skip of a step",
        Decision::RequestChanges => "Your request for changes",
    });
    let at = last.as_ref().and_then(|approval| approval.metadata.creation_timestamp.as_ref()).map(|time| time.0.to_string());
    let mut since = Since { hash, decision: decision.unwrap_or_default().to_owned(), at: at.unwrap_or_default(), ..Since::default() };
    let (Some(before), Some(after)) = (matter.of_content(&since.hash), matter.both().0) else {
        since.unknown = "The earlier version is no longer stored.".to_owned();
        return Some(since);
    };
    since.changes = told.changes(&before.spec, &after.spec);
    since.also = others(&before.spec, &after.spec, caller, matter);
    Some(since)
}

/// Describes what a change would do to what is running.
pub(in crate::portal) fn pending(
    caller: &Caller,
    spec: &PromiseSpec,
    before: &PromiseReleaseSpec,
    after: &PromiseReleaseSpec,
) -> Vec<ValueChange> {
    versions::put(caller, Told { spec, outcomes: &[], policies: &[] }.changes(before, after), before, after)
}

/// Returns the labels of the values and terms that differ between two releases.
pub(in crate::portal) fn values_between(
    caller: &Caller,
    spec: &PromiseSpec,
    before: &PromiseReleaseSpec,
    after: &PromiseReleaseSpec,
) -> Vec<String> {
    let mut changes = Told { spec, outcomes: &[], policies: &[] }.changes(before, after);
    versions::relabel(caller, &mut changes, before);
    changes.into_iter().map(|change| change.label).collect()
}

/// Describes the values that differ between two sets of parameters, with what rules do to them.
pub(in crate::portal) fn between(
    spec: &PromiseSpec,
    outcomes: &[PolicyOutcome],
    policies: &[PolicyLine],
    before: &Value,
    after: &Value,
) -> Vec<ValueChange> {
    Told { spec, outcomes, policies }.all_in_words(&change::between(spec, before, after), before, after)
}

/// Returns what has changed besides values.
fn others(before: &PromiseReleaseSpec, after: &PromiseReleaseSpec, caller: &Caller, matter: &Matter) -> Vec<String> {
    let mut also = Vec::new();
    if let (Some(was), Some(is)) = (Estimate::recorded(before), Estimate::recorded(after)) {
        let change = PriceChange { before: was.monthly, after: is.monthly };
        if !change.is_none() {
            also.push(format!("The price changed by {change}."));
        }
    }
    let version = |release: &PromiseReleaseSpec| Some(caller.portal().world.revision_of(&release.revision)?.spec.version.clone());
    if before.revision.hash != after.revision.hash {
        let title = &matter.request.spec.promise.name;
        also.push(match (version(before), version(after)) {
            (Some(was), Some(is)) => format!("The version of {title} changed from {was} to {is}."),
            _ => format!("The version of {title} changed."),
        });
    }
    if !promise::release::same_rules(&before.rules, &after.rules) {
        let ids = |release: &PromiseReleaseSpec| release.rules.iter().map(|rule| rule.id.clone()).collect::<BTreeSet<_>>();
        let (was, is) = (ids(before), ids(after));
        let count = is.symmetric_difference(&was).count();
        also.push(match count {
            0 => "Rules that apply have changed.".to_owned(),
            count => format!("{} added or removed.", counted(count as u64, "rule")),
        });
    }
    also
}

#[cfg(test)]
mod tests {
    use promise::attribute::Touched;

    use super::summary;

    #[test]
    fn what_is_touched_is_one_sentence() {
        assert_eq!(summary(Touched { made: 1, ..Touched::default() }), "Creates 1 object");
        assert_eq!(summary(Touched { made: 3, ..Touched::default() }), "Creates 3 objects");
        assert_eq!(summary(Touched { changed: 2, kept: 5, ..Touched::default() }), "Of 7 objects, 2 change");
        assert_eq!(
            summary(Touched { changed: 1, removed: 1, replaced: 2, ..Touched::default() }),
            "Of 4 objects, 1 changes, 2 are replaced and 1 is removed"
        );
        assert_eq!(summary(Touched { kept: 4, ..Touched::default() }), "No changes to 4 objects");
        assert_eq!(summary(Touched { kept: 1, ..Touched::default() }), "No changes to 1 object");
        assert_eq!(summary(Touched { changed: 1, ..Touched::default() }), "1 object changes");
        assert_eq!(summary(Touched { removed: 1, ..Touched::default() }), "1 object is removed");
    }
}
