//! Everything by which a decision is taken, from the frozen release.

use std::collections::BTreeSet;

use cluster::kinds::PromiseRequest;
use promise::api::{
    ApprovalState, ApprovalStatus, CandidateState, Decision, PolicyOutcome, PolicyResult, PromiseReleaseSpec, PromiseSpec, ReleaseTerms,
};
use promise::attribute::Touched;
use promise::change::{self, Change};
use promise::price::{Amount, Change as PriceChange, Estimate, Money};
use promise::view::{
    Asked, CheckLine, CheckState, InboxRow, PolicyLine, PriceStep, ReviewPage, RoomLine, Since, ValueChange, deciders, policy_outcomes,
};
use promise::wording::{all_of, counted, lower_first};
use promise::{Result, wording};

use super::content::{self, Content};
use super::matter::{self, Matter};
use super::standing::{Standing, is_open, rule_id};
use super::{alike, inbox, similar, terms, thread, withdraw};
use crate::auth::Caller;
use crate::portal::requests::{adds, decisions, detail, rail};

/// Values that a title names.
const NAMED: usize = 3;

/// The page; `since` is a content of which the differences are wanted.
pub(super) async fn page(caller: &Caller, uid: &str, since: &str) -> Result<ReviewPage> {
    let matter = matter::find(caller, uid).await?;
    of(caller, &matter, since).await
}

/// The page of what was found.
pub(super) async fn of(caller: &Caller, matter: &Matter, since: &str) -> Result<ReviewPage> {
    let status = matter.status();
    let standings = caller.standings(&matter.request).await?;
    let (candidate, former) = matter.both();
    let unknown = PromiseSpec::default();
    let revision = candidate.or(former).and_then(|release| caller.portal().world.revision_of(&release.spec.revision));
    let spec = revision.as_ref().map_or(&unknown, |revision| &revision.spec.spec);
    let content = content::of(caller, matter).await?;
    let outcomes = candidate.map(|candidate| candidate.spec.outcomes.as_slice()).unwrap_or(&status.policies);
    let policies = policy_outcomes(outcomes, content.effective.as_ref());
    let tallies = content.effective.as_ref().map(|effective| effective.tallies.as_slice()).unwrap_or_default();
    let estimate = candidate.and_then(|candidate| Estimate::kept(&candidate.spec));
    let room = rail::room(&content.limits, &content.budgets, tallies, estimate.as_ref());
    let row = inbox::row(caller, &matter.key, &matter.request, &standings);
    let price = priced(former.map(|release| &release.spec), candidate.map(|release| &release.spec));
    let told = Told { spec, outcomes, policies: &policies };
    let changes = match (candidate, former) {
        (Some(candidate), Some(former)) => told.changes(&former.spec, &candidate.spec),
        _ => Vec::new(),
    };
    let mut values = detail::parameters(
        Some(spec),
        matter.request.spec.parameters.as_ref(),
        candidate.and_then(|candidate| candidate.spec.parameters.as_ref()),
        outcomes,
    );
    let asked_for = candidate.map_or_else(|| Some(ReleaseTerms::from(&matter.request.spec)), |candidate| candidate.spec.terms.clone());
    values.extend(asked_for.iter().flat_map(terms::lines));
    let hash = matter.hash();
    Ok(ReviewPage {
        title: title(&row.name, &row.promise_title, row.change, &changes),
        reason: matter.request.spec.reason.clone().unwrap_or_default(),
        settled: settled(matter),
        asked: asked(&standings),
        why_not: why_not(&standings),
        reconsiders: standings.iter().any(Standing::reconsiders),
        route: decisions::lines(caller, &matter.request).await?,
        values,
        since: compared(caller, matter, &told, since),
        checks: checks(&policies, &room, content.touched, &price, row.change),
        price,
        room,
        touched: content.touched,
        objects: objects(spec, &row, &content),
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
    })
}

fn objects(spec: &PromiseSpec, row: &InboxRow, content: &Content) -> Vec<promise::view::AddedObject> {
    let requester = if row.mine { "You" } else { row.requester.as_str() };
    adds::objects(adds::Told { spec, requester }, &content.objects, content.difference.as_deref())
}

/// Which values become others.
pub(super) fn changed(spec: &PromiseSpec, before: &PromiseReleaseSpec, after: &PromiseReleaseSpec) -> Vec<Change> {
    let of = |release: &PromiseReleaseSpec| release.parameters.clone().unwrap_or_default();
    change::between(spec, &of(before), &of(after))
}

/// The promise and what its rules did, by which values are put into words.
pub(super) struct Told<'a> {
    /// The promise.
    pub(super) spec: &'a PromiseSpec,
    /// What rules did to the values.
    pub(super) outcomes: &'a [PolicyOutcome],
    /// The same in words.
    pub(super) policies: &'a [PolicyLine],
}

impl Told<'_> {
    /// Everything that becomes another, in words: values first.
    fn changes(&self, before: &PromiseReleaseSpec, after: &PromiseReleaseSpec) -> Vec<ValueChange> {
        let values = changed(self.spec, before, after);
        values.iter().map(|change| self.words(change)).chain(terms::changed(Some(before), after)).collect()
    }

    /// A change in words, with the rule that narrows or fixes the value.
    pub(super) fn words(&self, change: &Change) -> ValueChange {
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
            label: wording::label(self.spec, &change.path),
            before: change.before_in_words(self.spec),
            after: change.after_in_words(self.spec),
            note: line.map(|line| line.sentence.clone()).unwrap_or_default(),
            path,
        }
    }
}

fn title(name: &str, promise: &str, is_change: bool, changes: &[ValueChange]) -> String {
    if !is_change {
        return format!("{name}: a new {promise}");
    }
    let labels: Vec<String> = changes.iter().take(NAMED).map(|change| lower_first(&change.label)).collect();
    match changes.len() {
        0 => format!("{name}: the same values under other rules, prices or versions"),
        all if all > NAMED => format!("{name}: {} and {} more", labels.join(", "), all - NAMED),
        _ => format!("{name}: {}", all_of(&labels)),
    }
}

/// Why there is nothing to decide, for a request that people were asked about.
fn settled(matter: &Matter) -> String {
    let status = matter.status();
    let said = |what: &str| {
        let message = status.candidate.as_ref().and_then(|candidate| candidate.message.clone()).unwrap_or_default();
        if message.is_empty() { what.to_owned() } else { format!("{what} {message}") }
    };
    match status.candidate.as_ref().map(|candidate| candidate.state) {
        _ if matter.request.metadata.deletion_timestamp.is_some() => "The request is being deleted.".to_owned(),
        Some(CandidateState::ChangesRequested) if matter.hash().is_none() => {
            said("Changes were requested, and policies changed since. The requester edits or resubmits the request.")
        }
        Some(CandidateState::AwaitingApproval | CandidateState::ChangesRequested) => String::new(),
        Some(CandidateState::Evaluating) => "It was changed, and is being checked.".to_owned(),
        Some(CandidateState::Accepted) => "It was approved, and is being made.".to_owned(),
        Some(CandidateState::Rejected) => said("It was rejected."),
        Some(CandidateState::Expired) => said("No one decided in time."),
        Some(CandidateState::Withdrawn) => said("It was withdrawn."),
        Some(CandidateState::Failed) => said("It could not be made."),
        None => "It was approved and made.".to_owned(),
    }
}

impl Caller {
    /// What this person may decide about a request now.
    ///
    /// # Errors
    /// The plane does not answer.
    pub(in crate::portal) async fn asked(&self, request: &PromiseRequest) -> Result<Vec<Asked>> {
        Ok(asked(&self.standings(request).await?))
    }
}

fn asked(standings: &[Standing<'_>]) -> Vec<Asked> {
    let one = |standing: &Standing<'_>| Asked {
        rule: rule_id(standing.approval),
        title: who(standing.approval),
        ordinary: standing.waits() || standing.reconsiders(),
        emergency: standing.breaks,
    };
    // What can be answered in the ordinary way comes first.
    let ordinary = standings.iter().filter(|standing| standing.waits() || standing.reconsiders());
    ordinary.chain(standings.iter().filter(|standing| standing.only_breaks())).map(one).collect()
}

/// Who decides for which rule, in words.
pub(super) fn who(approval: &ApprovalStatus) -> String {
    let of = approval.rule.policy.as_ref().or(approval.rule.promise.as_ref()).map(String::as_str).unwrap_or_default();
    format!("{} ({of}, set at {})", deciders(&approval.approvers, approval.required), approval.source)
}

/// Why the person has nothing to decide, though something is open.
fn why_not(standings: &[Standing<'_>]) -> String {
    if standings.iter().any(Standing::waits) {
        return String::new();
    }
    let open = |standing: &&Standing<'_>| is_open(standing.approval) && standing.elsewhere.is_some();
    if let Some((standing, stage)) = standings.iter().find(open).and_then(|standing| Some((standing, standing.elsewhere?))) {
        let who = deciders(&standing.approval.approvers, standing.approval.required);
        return format!("You approved stage {stage}. Stage {} needs another person: {}.", standing.approval.stage, lower_first(&who));
    }
    if let Some(decided) = standings.iter().find_map(|standing| standing.decided) {
        return match decided {
            Decision::Approve => "You have approved it. Others decide about the rest.".to_owned(),
            Decision::Reject => "You have turned it down.".to_owned(),
            Decision::RequestChanges => "You have asked for changes. The requester edits it, and you are asked again.".to_owned(),
        };
    }
    if standings.iter().any(|standing| standing.held) {
        return "Changes are asked for: it is the requester's turn.".to_owned();
    }
    if let Some(standing) = standings.iter().find(|standing| standing.own && is_open(standing.approval)) {
        let did = if standing.changed { "You changed it last" } else { "You asked for it yourself" };
        return format!("{did}: somebody else decides.");
    }
    if standings.iter().any(|standing| standing.may && standing.approval.state != ApprovalState::Approved) {
        return "It is not your turn: a stage before yours is still open.".to_owned();
    }
    "Others decide about it.".to_owned()
}

fn in_words(amount: &Amount) -> Option<String> {
    amount.money().map(Money::to_string)
}

/// What the price becomes, by the quotes that both releases were made with.
fn priced(former: Option<&PromiseReleaseSpec>, candidate: Option<&PromiseReleaseSpec>) -> PriceStep {
    let (before, after) = (former.and_then(Estimate::kept), candidate.and_then(Estimate::kept));
    let Some(after) = after else { return PriceStep::default() };
    let view = rail::price(Some(&after));
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

/// What was looked at, the gravest first.
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
        checks.push(line(CheckState::Passed, format!("{} let it pass", counted(fine as u64, "rule")), ""));
    }
    // What is too much is among the warnings.
    let fits = room.iter().filter(|room| !room.over);
    let said = |known| if known { CheckState::Passed } else { CheckState::Unknown };
    checks.extend(fits.map(|room| line(said(room.known), format!("{}: {}", room.what, room.after), &room.title)));
    if !price.unknown.is_empty() {
        checks.push(line(CheckState::Unknown, "The price is not known".to_owned(), &price.unknown));
    }
    checks.push(match touched {
        None => line(CheckState::Unknown, "What it touches cannot be told".to_owned(), "The revision of the promise is gone."),
        Some(touched) if touched.replaced + touched.removed > 0 => {
            line(CheckState::Warned, summary(touched), "What is replaced or removed loses what only it keeps.")
        }
        Some(touched) if is_change => line(CheckState::Passed, summary(touched), "Nothing is replaced or removed."),
        Some(touched) => line(CheckState::Passed, summary(touched), ""),
    });
    checks.sort_by_key(|check| check.state);
    checks
}

/// What becomes of objects, in words: `2 of 7 objects change, 1 is new`.
pub(super) fn summary(touched: Touched) -> String {
    let all = touched.all();
    if all == touched.made {
        return format!("{} made", if all == 1 { "1 object is".to_owned() } else { format!("{all} objects are") });
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
    if parts.is_empty() {
        format!("None of {all} objects changes")
    } else {
        format!("Of {}, {}", counted(all as u64, "object"), all_of(&parts))
    }
}

/// What has changed since the person decided last, or since the content of the address.
fn compared(caller: &Caller, matter: &Matter, told: &Told<'_>, wanted: &str) -> Option<Since> {
    let now = matter.status().candidate?.content_hash;
    let mine = caller.decided_about(matter.request.metadata.uid.as_deref().unwrap_or_default());
    let last = mine.into_iter().find(|approval| wanted.is_empty() || approval.spec.content_hash == wanted);
    let hash = if wanted.is_empty() { last.as_ref()?.spec.content_hash.clone() } else { wanted.to_owned() };
    if hash == now {
        return None;
    }
    let decision = last.as_ref().map(|approval| match approval.spec.decision {
        Decision::Approve => "Your approval",
        Decision::Reject => "Your rejection",
        Decision::RequestChanges => "Your wish for changes",
    });
    let at = last.as_ref().and_then(|approval| approval.metadata.creation_timestamp.as_ref()).map(|time| time.0.to_string());
    let mut since = Since { hash, decision: decision.unwrap_or_default().to_owned(), at: at.unwrap_or_default(), ..Since::default() };
    let (Some(before), Some(after)) = (matter.of_content(&since.hash), matter.both().0) else {
        since.unknown = "What it was then is not kept any more.".to_owned();
        return Some(since);
    };
    since.changes = told.changes(&before.spec, &after.spec);
    since.also = others(&before.spec, &after.spec, caller, matter);
    Some(since)
}

/// What a change would make of what runs, in words.
pub(in crate::portal) fn pending(spec: &PromiseSpec, before: &PromiseReleaseSpec, after: &PromiseReleaseSpec) -> Vec<ValueChange> {
    Told { spec, outcomes: &[], policies: &[] }.changes(before, after)
}

/// What has changed besides values.
fn others(before: &PromiseReleaseSpec, after: &PromiseReleaseSpec, caller: &Caller, matter: &Matter) -> Vec<String> {
    let mut also = Vec::new();
    if let (Some(was), Some(is)) = (Estimate::kept(before), Estimate::kept(after)) {
        let change = PriceChange { before: was.monthly, after: is.monthly };
        if !change.is_none() {
            also.push(format!("The price changed by {change}."));
        }
    }
    let version = |release: &PromiseReleaseSpec| Some(caller.portal().world.revision_of(&release.revision)?.spec.version.clone());
    if before.revision.hash != after.revision.hash {
        let title = &matter.request.spec.promise.name;
        also.push(match (version(before), version(after)) {
            (Some(was), Some(is)) => format!("It is made of version {is} of {title} instead of {was}."),
            _ => format!("It is made of another version of {title}."),
        });
    }
    if !promise::release::same_rules(&before.rules, &after.rules) {
        let ids = |release: &PromiseReleaseSpec| release.rules.iter().map(|rule| rule.id.clone()).collect::<BTreeSet<_>>();
        let (was, is) = (ids(before), ids(after));
        let count = is.symmetric_difference(&was).count();
        also.push(match count {
            0 => "Rules that apply say something else.".to_owned(),
            count => format!("{} came or went.", counted(count as u64, "rule")),
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
        assert_eq!(summary(Touched { made: 1, ..Touched::default() }), "1 object is made");
        assert_eq!(summary(Touched { made: 3, ..Touched::default() }), "3 objects are made");
        assert_eq!(summary(Touched { changed: 2, kept: 5, ..Touched::default() }), "Of 7 objects, 2 change");
        assert_eq!(
            summary(Touched { changed: 1, removed: 1, replaced: 2, ..Touched::default() }),
            "Of 4 objects, 1 changes, 2 are replaced and 1 is removed"
        );
        assert_eq!(summary(Touched { kept: 4, ..Touched::default() }), "None of 4 objects changes");
    }
}
