//! Cases: a choice begins with what is recorded, and each step says what follows.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Choice, Chosen, Heard, Observed, Request, RequesterUnknown, status};
use crate::api::{
    ApprovalState, ApprovalStatus, CandidateState, CandidateStatus, CurrentStatus, PromiseReleaseSpec, PromiseRequestStatus, PromiseSpec,
    QuestionStatus, Requester, StepStatus, WaitingKind, WaitingReason, WorkflowName, WorkflowPhase, WorkflowStatus,
};
use crate::approval::Judgement;
use crate::context::Context;
use crate::names;
use crate::policy::Judged;
use crate::preflight::Preflight;
use crate::preflight::tests::{Case, checked};
use crate::problem::Problem;
use crate::render::Compiled;
use crate::visibility::Place;

/// The stored parts of a request that cases differ in.
#[derive(Default)]
struct Stored {
    generation: i64,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
    requester: Option<Requester>,
    status: PromiseRequestStatus,
    candidate: Option<PromiseReleaseSpec>,
}

impl Stored {
    fn of(generation: i64) -> Self {
        Self { generation, ..Self::default() }
    }

    fn request(&self) -> Request<'_> {
        Request {
            generation: Some(self.generation),
            labels: &self.labels,
            annotations: &self.annotations,
            requester: self.requester.as_ref(),
            status: Some(&self.status),
            candidate: self.candidate.as_ref(),
        }
    }
}

/// What the rules make of a request for a level.
fn evaluated(level: u8, rules: &Value, former: Option<&Chosen>) -> Preflight {
    let former = former.map(|former| former.release.clone());
    checked(&Case { parameters: json!({"level": level}), rules: rules.clone(), former, ..Case::default() })
}

fn chosen(release: PromiseReleaseSpec, generation: i64) -> Chosen {
    Chosen {
        name: format!("orders-{}", &release.content_hash[..8]),
        release,
        version: "1.0.0".to_owned(),
        compiled: Arc::new(Compiled::compile(&PromiseSpec::default()).unwrap()),
        context: Arc::new(Context::default()),
        home: Place { cluster: "platform".to_owned(), path: "root:platform".to_owned() },
        trusted: true,
        generation,
    }
}

/// The release of a level without rules, accepted in a generation.
fn release(level: u8, generation: i64) -> Chosen {
    chosen(evaluated(level, &Value::Null, None).release.unwrap(), generation)
}

fn heard(content: &Chosen, state: CandidateState) -> Heard {
    let judgement =
        Judgement { state, approvals: Vec::new(), deadlines: Vec::new(), message: String::new(), waits: None, expires_in: None };
    Heard { judgement, question: question(content) }
}

fn question(content: &Chosen) -> QuestionStatus {
    let content_hash = content.release.content_hash.clone();
    QuestionStatus { content_hash, since: "2026-11-27T00:00:00Z".to_owned(), generation: Some(1), answered: None }
}

/// A status whose candidate was decided against.
fn decided(content: &Chosen, state: CandidateState) -> PromiseRequestStatus {
    let candidate = CandidateStatus {
        release: content.name.clone(),
        content_hash: content.release.content_hash.clone(),
        state,
        generation: Some(content.generation),
        ..CandidateStatus::default()
    };
    PromiseRequestStatus { candidate: Some(candidate), question: Some(question(content)), ..PromiseRequestStatus::default() }
}

/// The names of the releases that run, run next and are held.
fn levels(choice: &Choice) -> [Option<Value>; 3] {
    let held = choice.held.as_ref().map(|held| &held.chosen);
    [choice.current.as_ref(), choice.next.as_ref(), held].map(|chosen| Some(chosen?.release.parameters.as_ref()?["level"].clone()))
}

#[test]
fn a_new_request_is_accepted_once_everyone_agreed_and_there_is_room() {
    let stored = Stored::of(1);
    let request = stored.request();
    let mut choice = Choice::recalled(&request, None, None);
    let release = choice.weigh(&request, &evaluated(4, &Value::Null, None)).unwrap();
    let new = chosen(release, 1);
    assert!(choice.asks(&request, &new));
    let accepted = choice.answered(&request, new.clone(), heard(&new, CandidateState::Accepted)).unwrap().unwrap();
    assert_eq!(levels(&choice), [None, None, None], "not before there is room");
    choice.accept(accepted);
    assert_eq!((levels(&choice), choice.fresh), ([None, Some(json!(4)), None], true));
    choice.promote();
    assert_eq!(levels(&choice), [Some(json!(4)), None, None]);
}

#[test]
fn an_edit_replaces_what_is_being_rolled_out_unless_it_cannot_be_recorded() {
    let stored = Stored::of(3);
    let request = stored.request();
    let mut choice = Choice::recalled(&request, Some(release(3, 1)), Some(release(4, 2)));
    let new = chosen(choice.weigh(&request, &evaluated(5, &Value::Null, choice.wanted())).unwrap(), 3);
    let accepted = choice.answered(&request, new.clone(), heard(&new, CandidateState::Accepted)).unwrap().unwrap();
    choice.accept(accepted);
    assert_eq!(levels(&choice), [Some(json!(3)), Some(json!(5)), None]);
    choice.take_back();
    assert_eq!(levels(&choice), [Some(json!(3)), Some(json!(4)), None]);
}

#[test]
fn what_was_accepted_continues_while_approvers_decide_about_an_edit() {
    for state in [CandidateState::AwaitingApproval, CandidateState::Rejected, CandidateState::Expired] {
        let stored = Stored::of(3);
        let request = stored.request();
        let mut choice = Choice::recalled(&request, Some(release(3, 1)), Some(release(4, 2)));
        let new = chosen(choice.weigh(&request, &evaluated(5, &Value::Null, choice.wanted())).unwrap(), 3);
        assert!(choice.answered(&request, new.clone(), heard(&new, state)).unwrap().is_none());
        assert_eq!(levels(&choice), [Some(json!(4)), None, Some(json!(5))], "{state:?}");
    }
}

#[test]
fn an_edit_that_misfits_or_that_policies_refuse_changes_nothing_that_runs() {
    let rules = json!([{"name": "small", "constrain": {"parameter": ".level", "maximum": 4}}]);
    for (level, rules) in [(12, Value::Null), (5, rules)] {
        let stored = Stored::of(2);
        let request = stored.request();
        let mut choice = Choice::recalled(&request, Some(release(3, 1)), None);
        assert!(choice.weigh(&request, &evaluated(level, &rules, choice.wanted())).is_none());
        assert_eq!((levels(&choice), choice.full), ([Some(json!(3)), None, None], false));
        assert!(!choice.problems.is_empty() || !choice.refusals.is_empty());
        assert_eq!(choice.approvals, Some(Vec::new()));
    }
}

#[test]
fn an_edit_without_new_content_is_the_accepted_release_in_a_new_generation() {
    let stored = Stored { status: decided(&release(5, 2), CandidateState::AwaitingApproval), ..Stored::of(3) };
    let request = stored.request();
    let mut choice = Choice::recalled(&request, Some(release(4, 1)), None);
    assert!(!choice.is_settled(&request));
    assert!(choice.weigh(&request, &evaluated(4, &Value::Null, choice.wanted())).is_none());
    assert!(choice.is_settled(&request));
    assert_eq!(choice.question, None, "the edit was undone, so its approvers have nothing to decide");
}

#[test]
fn a_decision_stands_until_the_requester_edits_relabels_or_asks_again() {
    let against = release(5, 2);
    let today = chosen(evaluated(6, &Value::Null, None).release.unwrap(), 2);
    let asks = |change: &dyn Fn(&mut Stored)| {
        let status = decided(&against, CandidateState::Rejected);
        let mut stored = Stored { status, candidate: Some(against.release.clone()), ..Stored::of(2) };
        change(&mut stored);
        let request = stored.request();
        let mut choice = Choice::recalled(&request, Some(release(3, 1)), None);
        let asks = choice.asks(&request, &today);
        assert_eq!(choice.upheld.is_some(), !asks);
        asks
    };
    let annotate = |stored: &mut Stored| {
        stored.annotations.insert(names::ASK_AGAIN_ANNOTATION.to_owned(), question(&against).since);
    };
    assert!(!asks(&|_| ()), "other policies or prices reopen nothing");
    assert!(asks(&|stored| stored.generation = 3), "an edit");
    assert!(asks(&|stored| drop(stored.labels.insert("team".to_owned(), "shop".to_owned()))), "a label");
    assert!(asks(&annotate), "asked again");
}

#[test]
fn a_withdrawn_question_accepts_nothing_new_and_keeps_what_was_accepted_before() {
    for (accepted_before, state) in [(false, CandidateState::Withdrawn), (true, CandidateState::Accepted)] {
        let new = release(5, 2);
        let status = if accepted_before { decided(&new, CandidateState::Accepted) } else { PromiseRequestStatus::default() };
        let mut stored = Stored { status, ..Stored::of(2) };
        stored.annotations.insert(names::WITHDRAW_ANNOTATION.to_owned(), question(&new).since);
        let request = stored.request();
        let mut choice = Choice::recalled(&request, None, None);
        let accepted = choice.answered(&request, new.clone(), heard(&new, CandidateState::Accepted)).unwrap();
        assert_eq!(accepted.is_some(), state == CandidateState::Accepted);
        assert_eq!(choice.held.map(|held| held.judgement.state), (!accepted_before).then_some(state));
    }
}

#[test]
fn a_request_without_a_known_requester_is_never_accepted() {
    let stamped = || Some(Requester { username: "dev-shop".to_owned(), ..Requester::default() });
    let asked_about = decided(&release(5, 1), CandidateState::AwaitingApproval);
    let unknown = Ok(Some(Requester::default()));
    for (what, stored, current, expected) in [
        ("a stamp whose author is gone", Stored { requester: stamped(), ..Stored::of(1) }, None, Err(RequesterUnknown)),
        ("no stamp", Stored::of(1), None, Ok(None)),
        ("an accepted one", Stored { requester: stamped(), ..Stored::of(1) }, Some(release(3, 1)), Ok(None)),
        ("an open question", Stored { requester: stamped(), status: asked_about, ..Stored::of(1) }, None, unknown),
    ] {
        let request = stored.request();
        assert_eq!(Choice::recalled(&request, current, None).requester(&request, None), expected, "{what}");
    }
    let stored = Stored { requester: stamped(), ..Stored::of(2) };
    let (request, new) = (stored.request(), release(5, 2));
    let mut choice = Choice::recalled(&request, Some(release(3, 1)), Some(release(4, 1)));
    assert_eq!(choice.answered(&request, new.clone(), heard(&new, CandidateState::Accepted)).err(), Some(RequesterUnknown));
    assert_eq!(levels(&choice), [Some(json!(4)), None, None]);
}

#[test]
fn a_release_without_room_is_refused_and_the_accepted_one_continues() {
    let stored = Stored::of(2);
    let request = stored.request();
    let mut choice = Choice::recalled(&request, None, Some(release(4, 1)));
    choice.refuse(Judged::default());
    assert_eq!((levels(&choice), choice.full, choice.fresh), ([Some(json!(4)), None, None], true, false));
}

#[test]
fn new_rules_are_reported_and_rolled_out_only_when_someone_asks() {
    let rules = json!([{"name": "small", "constrain": {"parameter": ".level", "maximum": 8}}]);
    let (spec, place) = (PromiseSpec::default(), |_: &str| None);
    let base = release(4, 1);
    let today = evaluated(4, &rules, Some(&base));
    let mut stored = Stored::of(1);
    let mut choice = Choice::recalled(&stored.request(), Some(base.clone()), None);
    assert!(choice.is_unchanged(&stored.request(), "ab12", &BTreeMap::new()));
    assert!(choice.stays(&stored.request(), &spec, &today, place) && choice.outdated.is_some());
    let asked = choice.outdated.unwrap().digest;
    stored.annotations.insert(names::ROLL_OUT_ANNOTATION.to_owned(), asked);
    let request = stored.request();
    let mut choice = Choice::recalled(&request, Some(base), None);
    assert!(!choice.stays(&request, &spec, &today, place));
    assert!(choice.weigh(&request, &today).is_some());
}

#[test]
fn a_removal_remembers_its_release_and_a_failure_forgets_no_question() {
    let asked = decided(&release(5, 2), CandidateState::AwaitingApproval);
    let current = CurrentStatus { release: "orders-1".to_owned(), ..CurrentStatus::default() };
    let before = PromiseRequestStatus { current: Some(current.clone()), ..asked.clone() };
    let observed =
        Observed { generation: 2, deleting: true, plan: None, moved: None, failure: None, undecided: false, run: None, outputs: &[] };
    let now = "2026-11-27T00:00:00Z";
    let removing = status(Some(&before), &Choice::default(), &observed, now);
    assert_eq!((removing.current, removing.candidate), (Some(current), asked.candidate.clone()));
    let failing = Observed { deleting: false, undecided: true, failure: Some("The server is busy."), ..observed };
    assert_eq!(status(Some(&before), &Choice::default(), &failing, now).candidate, asked.candidate);
}

/// Whether agreed content may be carried out at noon, under a window that opens in the evening, and what holds it.
fn at_noon(choice: &mut Choice, new: &Chosen, is_overridden: bool) -> bool {
    let rules = json!([{"name": "evening", "window": {"from": "20:00", "to": "22:00"}}]);
    let windows = evaluated(5, &rules, None).effective.windows;
    let rule = crate::api::ApprovalRule { promise: Some("level".to_owned()), name: "evening".to_owned(), ..Default::default() };
    let state = if is_overridden { ApprovalState::Approved } else { ApprovalState::AwaitingWindow };
    let line = ApprovalStatus { rule, cluster: "platform".to_owned(), window: true, state, ..ApprovalStatus::default() };
    choice.opens(new.clone(), (&windows, &[line]), false, "2026-11-27T12:00:00Z".parse().unwrap()).is_some()
}

/// Otherwise a change that is accepted while its window is open would be carried out whenever someone resumes the request.
#[test]
fn a_change_of_a_paused_request_waits_although_its_window_is_open() {
    let windows = |rules: Value| evaluated(5, &rules, None).effective.windows;
    let evening = windows(json!([{"name": "evening", "window": {"from": "20:00", "to": "22:00"}}]));
    let (request, new, at) = (Stored::of(2), release(5, 2), "2026-11-27T21:00:00Z".parse().unwrap());
    let running = || Choice::recalled(&request.request(), Some(release(3, 1)), None);
    let mut choice = running();
    assert!(choice.opens(new.clone(), (&evening, &[]), true, at).is_none());
    assert_eq!(levels(&choice), [Some(json!(3)), None, Some(json!(5))]);
    assert_eq!(choice.held.unwrap().judgement.waits.unwrap().reason, WaitingReason::Paused);
    assert!(running().opens(new.clone(), (&evening, &[]), false, at).is_some(), "it is resumed");
    assert!(running().opens(new.clone(), (&[], &[]), true, at).is_some(), "without windows, it can be accepted while it is paused");
    assert!(Choice::recalled(&request.request(), None, None).opens(new, (&evening, &[]), true, at).is_some(), "nothing runs yet");
}

#[test]
fn an_agreed_change_waits_for_its_window_and_a_first_release_does_not() {
    let stored = Stored::of(2);
    let (request, new) = (stored.request(), release(5, 2));
    assert!(at_noon(&mut Choice::recalled(&request, None, None), &new, false), "nothing runs yet");
    assert!(at_noon(&mut Choice::recalled(&request, None, Some(release(3, 1))), &new, false), "the first release isn't there yet");

    let mut choice = Choice::recalled(&request, Some(release(3, 1)), None);
    assert!(!at_noon(&mut choice, &new, false));
    assert_eq!(levels(&choice), [Some(json!(3)), None, Some(json!(5))]);
    let noon = "2026-11-27T12:00:00Z";
    assert_eq!(choice.changes_in(noon.parse().unwrap()).map(|left| left.as_secs()), Some(8 * 3600));
    let observed =
        Observed { generation: 2, deleting: false, plan: None, moved: None, failure: None, undecided: false, run: None, outputs: &[] };
    let said = status(None, &choice, &observed, noon);
    assert_eq!(said.candidate.map(|candidate| candidate.state), Some(CandidateState::AwaitingWindow));
    assert_eq!(said.waiting_on.map(|waiting| waiting.reason), Some(WaitingReason::ChangeWindow));
    assert_eq!(said.approvals[0].opens_at.as_deref(), Some("2026-11-27T20:00:00Z"));

    let mut choice = Choice::recalled(&request, Some(release(3, 1)), None);
    assert!(at_noon(&mut choice, &new, true), "someone overrode it");
    assert_eq!(choice.approvals.map(|approvals| approvals.len()), Some(1), "and the status says who");
}

#[test]
fn a_window_is_no_part_of_the_content() {
    let rules = json!([{"name": "evening", "window": {"from": "20:00", "to": "22:00"}}]);
    let hash = |rules: &Value| evaluated(5, rules, None).release.unwrap().content_hash;
    assert_eq!(hash(&rules), hash(&Value::Null));
}

/// A release that expires.
fn expiring(at: Option<&'static str>, generation: i64) -> Chosen {
    let case = Case { parameters: json!({"level": 3}), expires_at: at, ..Case::default() };
    chosen(checked(&case).release.unwrap(), generation)
}

#[test]
fn a_request_ends_after_its_grace_period_unless_it_is_renewed_or_a_renewal_waits_for_approval() {
    const SOON: Option<&str> = Some("2027-01-01T00:00:00Z");
    const LATER: Option<&str> = Some("2027-02-01T00:00:00Z");
    let stored = Stored::of(2);
    let request = stored.request();
    let ends = |choice: &Choice, at: &str| choice.ends(at.parse().unwrap());
    let running = || Choice::recalled(&request, Some(expiring(SOON, 1)), None);
    for (at, over) in [("2026-12-31T23:59:59Z", false), ("2027-01-03T23:59:59Z", false), ("2027-01-04T00:00:00Z", true)] {
        assert_eq!(ends(&running(), at), over, "{at}");
    }
    const OVER: &str = "2027-01-05T00:00:00Z";
    assert!(!ends(&Choice::recalled(&request, Some(expiring(None, 1)), None), OVER), "it never expires");
    assert!(!ends(&Choice::recalled(&request, None, None), OVER), "nothing was ever accepted");
    assert!(!ends(&Choice::recalled(&request, Some(expiring(SOON, 1)), Some(expiring(LATER, 2))), OVER), "renewed, and being rolled out");
    for (renewal, state, over) in [
        (LATER, CandidateState::AwaitingApproval, false),
        (None, CandidateState::AwaitingApproval, false),
        (LATER, CandidateState::Rejected, true),
        (LATER, CandidateState::Expired, true),
        (SOON, CandidateState::AwaitingApproval, true),
    ] {
        let (mut choice, new) = (running(), expiring(renewal, 2));
        assert!(choice.answered(&request, new.clone(), heard(&new, state)).unwrap().is_none());
        assert_eq!(ends(&choice, OVER), over, "{renewal:?} {state:?}");
    }
    let unknown = Choice { unknown: Some("The policies can't be read.".to_owned()), ..running() };
    assert!(!ends(&unknown, OVER), "a renewal might wait for approval");
    let of = |at: &str| running().changes_in(at.parse().unwrap()).map(|left| left.as_secs());
    assert_eq!((of("2026-12-31T23:59:50Z"), of("2027-01-03T23:59:50Z"), of(OVER)), (Some(11), Some(11), None));

    let observed =
        Observed { generation: 1, deleting: false, plan: None, moved: None, failure: None, undecided: false, run: None, outputs: &[] };
    let plan = crate::plan::Plan { applied: true, healthy: true, ..Default::default() };
    let said = |now: &str| status(None, &running(), &Observed { plan: Some(&plan), ..observed }, now);
    assert_eq!(said("2026-12-31T00:00:00Z").waiting_on, None);
    let expired = said("2027-01-02T00:00:00Z");
    let waits = expired.waiting_on.unwrap();
    assert_eq!((waits.kind, waits.reason), (WaitingKind::Person, WaitingReason::Expired));
    assert_eq!(waits.message, "Expired on 1 Jan 2027, 00:00 UTC. It is deleted after 4 Jan 2027, 00:00 UTC unless it is renewed");
    assert_eq!((expired.phase, expired.current.unwrap().expires_at.as_deref()), (crate::api::Phase::Ready, SOON));
}

proptest! {
    /// Whatever happens to a request, what was accepted stays wanted until something else is accepted.
    #[test]
    fn an_accepted_release_is_never_forgotten(steps in proptest::collection::vec((0u8..7, 1u8..9), 1..12)) {
        let stored = Stored::of(7);
        let request = stored.request();
        let mut choice = Choice::recalled(&request, None, Some(release(3, 1)));
        for (step, level) in steps {
            let before = choice.wanted().map(|wanted| wanted.release.content_hash.clone());
            let new = release(level, 7);
            let mut accepted = false;
            match step {
                0 => drop(choice.weigh(&request, &evaluated(level, &Value::Null, choice.wanted()))),
                1 => drop(choice.answered(&request, new.clone(), heard(&new, CandidateState::AwaitingApproval)).unwrap()),
                2 => (choice.accept(new), accepted = true).0,
                3 => choice.refuse(Judged::default()),
                4 => choice.reject(&request, Problem { path: ".promise.name".to_owned(), message: String::new() }),
                5 => choice.promote(),
                _ => choice.end(),
            }
            let after = choice.wanted().map(|wanted| wanted.release.content_hash.clone());
            prop_assert!(after.is_some());
            prop_assert!(accepted || after == before, "step {} of level {}", step, level);
        }
    }
}

/// A release with a step that calls an Endpoint and can be undone.
fn calling(level: u8, generation: i64) -> Chosen {
    let spec = json!({
        "version": "1.0.0", "parameters": {"type": "object"},
        "workflows": {"upgrade": {"steps": [{"id": "ticket", "http": {
            "endpoint": "tickets", "method": "POST", "path": "/tickets", "undo": {"method": "DELETE", "path": "/tickets/1"}}}]}},
    });
    let compiled = Compiled::compile(&serde_json::from_value(spec).unwrap()).unwrap();
    Chosen { compiled: Arc::new(compiled), ..release(level, generation) }
}

#[test]
fn an_edit_waits_for_the_undos_of_a_rollback() {
    let (running, failing) = (release(4, 1), calling(7, 2));
    let mut stored = Stored::of(2);
    let run = |phase, release: &Chosen| {
        let name = WorkflowName::Upgrade;
        Some(WorkflowStatus { name, phase, release: release.name.clone(), ..WorkflowStatus::default() })
    };
    let chosen = |stored: &Stored| {
        let request = stored.request();
        let mut choice = Choice::recalled(&request, Some(running.clone()), Some(failing.clone()));
        let finishes = choice.finishes_rollback(&request);
        (finishes, choice.is_pending, levels(&choice), choice.failed.is_some())
    };
    let both = [Some(json!(4)), Some(json!(7)), None];
    stored.status.workflow = run(WorkflowPhase::RollingBack, &failing);
    stored.status.steps = vec![StepStatus { id: "ticket".into(), called: true, ..StepStatus::default() }];
    assert_eq!(chosen(&stored), (true, false, both.clone(), false));
    stored.generation = 3;
    assert_eq!(chosen(&stored), (true, true, both.clone(), false), "its call isn't undone yet");
    stored.status.steps[0].undone = true;
    assert_eq!(chosen(&stored), (false, false, [Some(json!(4)), None, None], true), "the former release continues");
    stored.status.workflow = run(WorkflowPhase::RollingBack, &running);
    assert_eq!(chosen(&stored), (false, false, both.clone(), false), "another release was rolled back");
    stored.status.workflow = run(WorkflowPhase::RolledBack, &failing);
    assert_eq!(chosen(&stored), (false, false, both, false));
}
