//! Steps that policies require of one run: each has a question of its own, and people approve one of them.

use super::{person, request, ruling};
use crate::api::{ApprovalRule, ApprovalSpec, ApprovalState, ApprovalStatus, Approve, Decision, DecisionReason, QuestionStatus};
use crate::approval::{Matter, Right, Vote, judge_required_step};
use crate::policy::Ruling;

fn of(policy: &str, approve: Approve) -> Ruling<Approve> {
    let mut ruling = ruling(approve);
    ruling.from.policy = policy.to_owned();
    ruling
}

/// A decision about the step of a policy by someone, this number of seconds after the run started.
type Cast = (&'static str, &'static str, Decision, i64);

/// Returns the states of two steps, and why the last decision about the second doesn't count.
fn judged(second: Approve, casts: &[Cast]) -> (ApprovalState, ApprovalState, Option<DecisionReason>) {
    let lines = lines(second, casts, &[]);
    (lines[0].state, lines[1].state, lines[1].given.last().and_then(|given| given.reason))
}

/// Judges two steps. `succeeded` are those that succeeded before.
fn lines(second: Approve, casts: &[Cast], succeeded: &[(usize, &ApprovalStatus)]) -> [ApprovalStatus; 2] {
    let (request, dana) = (request(), person("dana"));
    let question = |policy: &str| QuestionStatus { content_hash: format!("h-{policy}"), ..QuestionStatus::default() };
    let questions = [question("one"), question("two")];
    let matters = questions.each_ref().map(|question| Matter {
        request: &request,
        requester: Some(&dana),
        changers: &[],
        question,
        since: 1000,
        former: &[],
    });
    let rulings = [of("one", Approve::default()), of("two", second)];
    let steps: Vec<(Ruling<Approve>, Matter<'_>)> = rulings.into_iter().zip(matters).collect();
    let spec = |(by, policy, decision, _): &Cast| ApprovalSpec {
        request: request.clone(),
        rule: ApprovalRule { policy: Some((*policy).to_owned()), promise: None, name: "look".into() },
        content_hash: format!("h-{policy}"),
        decision: *decision,
        decided_by: Some(person(by)),
        ..ApprovalSpec::default()
    };
    let specs: Vec<ApprovalSpec> = casts.iter().map(spec).collect();
    let names: Vec<String> = (0..casts.len()).map(|index| format!("a{index}")).collect();
    let times: Vec<String> = casts.iter().map(|(.., at)| format!("t{at:09}")).collect();
    let vote = |index: usize| Vote {
        name: &names[index],
        cluster: "c1",
        at: Some(&times[index]),
        written: 1000 + casts[index].3,
        spec: &specs[index],
        right: Right::Has,
    };
    let votes: Vec<Vote<'_>> = (0..casts.len()).map(vote).collect();
    [0, 1].map(|at| judge_required_step(&steps, at, &votes, succeeded).unwrap())
}

#[test]
fn one_person_approves_one_of_the_steps_unless_its_rule_allows_it() {
    use ApprovalState::{Approved, Waiting};
    let once = [("erin", "one", Decision::Approve, 1), ("erin", "two", Decision::Approve, 2)];
    assert_eq!(judged(Approve::default(), &once), (Approved, Waiting, Some(DecisionReason::ApprovedElsewhere)));
    let allowed = Approve { same_person: true, ..Approve::default() };
    assert_eq!(judged(allowed, &once), (Approved, Approved, None));
    let two = [("erin", "one", Decision::Approve, 1), ("amara", "two", Decision::Approve, 2)];
    assert_eq!(judged(Approve::default(), &two), (Approved, Approved, None));
    // Of two approvals in one second, the first step counts, whichever is judged.
    let at_once = [("erin", "two", Decision::Approve, 1), ("erin", "one", Decision::Approve, 1)];
    assert_eq!(judged(Approve::default(), &at_once).0, Approved);
    assert_eq!(judged(Approve::default(), &at_once).1, Waiting);
}

#[test]
fn an_approval_that_is_deleted_after_its_step_succeeded_still_keeps_its_author_from_approving_another() {
    let [first, _] = lines(Approve::default(), &[("erin", "one", Decision::Approve, 1)], &[]);
    let succeeded = [(0, &first)];
    let again = [("erin", "two", Decision::Approve, 2)];
    let [_, second] = lines(Approve::default(), &again, &succeeded);
    assert_eq!((second.state, second.given[0].reason), (ApprovalState::Waiting, Some(DecisionReason::ApprovedElsewhere)));
    let allowed = Approve { same_person: true, ..Approve::default() };
    assert_eq!(lines(allowed, &again, &succeeded)[1].state, ApprovalState::Approved);
    let other = [("amara", "two", Decision::Approve, 2)];
    assert_eq!(lines(Approve::default(), &other, &succeeded)[1].state, ApprovalState::Approved);
    let before = [("erin", "two", Decision::Approve, 0)];
    assert_eq!(lines(Approve::default(), &before, &succeeded)[1].state, ApprovalState::Approved, "it was the first one");
}

#[test]
fn the_person_who_runs_it_approves_only_where_the_rule_allows_it() {
    let own = [("dana", "two", Decision::Approve, 1)];
    assert_eq!(judged(Approve::default(), &own).2, Some(DecisionReason::OwnRequest));
    let allowed = Approve { self_approval: true, ..Approve::default() };
    assert_eq!(judged(allowed, &own).1, ApprovalState::Approved);
    assert_eq!(judged(Approve::default(), &[("dana", "two", Decision::Reject, 1)]).1, ApprovalState::Rejected);
}

#[test]
fn an_approval_expires_from_the_start_of_its_step() {
    let brief = || Approve { expires_after: Some("10s".into()), ..Approve::default() };
    assert_eq!(judged(brief(), &[("erin", "two", Decision::Approve, 9)]).1, ApprovalState::Approved);
    let late = judged(brief(), &[("erin", "two", Decision::Approve, 11)]);
    assert_eq!((late.1, late.2), (ApprovalState::Waiting, Some(DecisionReason::Late)));
}
