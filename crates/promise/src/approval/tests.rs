//! Tests of one stage. [`stages`] covers stages, `all` and emergencies, [`people`] covers representatives, and [`laws`] covers properties
//! that always hold.

mod laws;
mod people;
mod required;
mod stages;
mod verdicts;

use super::{Judgement, Matter, Right, Vote, is_answer, judge, rule_of};
use crate::api::{
    ApprovalRule, ApprovalSpec, ApprovalState, Approve, ApprovedRequest, CandidateState, Decision, DecisionReason, DecisionState,
    Enforcement, QuestionStatus, Requester, Required,
};
use crate::policy::{Origin, Provenance, Ruling};

fn ruling(approve: Approve) -> Ruling<Approve> {
    let from = Provenance {
        origin: Origin::Ancestor { distance: 1 },
        workspace: "root:acme".into(),
        cluster: "c1".into(),
        policy: "careful".into(),
        rule: "look".into(),
        title: None,
        owner: Some("operations".into()),
        reason: None,
        enforcement: Enforcement::Block,
    };
    Ruling { from, path: crate::path::Path::default(), effect: approve }
}

fn request() -> ApprovedRequest {
    ApprovedRequest { cluster: Some("c2".into()), namespace: "default".into(), name: "web".into(), uid: "u-1".into() }
}

fn person(name: &str) -> Requester {
    Requester { username: name.to_owned(), groups: Vec::new(), cluster: None }
}

/// A decision on exactly the content in question.
fn spec(by: &str, decision: Decision) -> ApprovalSpec {
    ApprovalSpec {
        request: request(),
        rule: ApprovalRule { policy: Some("careful".into()), promise: None, name: "look".into() },
        content_hash: "h".into(),
        decision,
        emergency: false,
        comment: Some("because".into()),
        fields: Vec::new(),
        decided_by: Some(person(by)),
    }
}

fn question() -> QuestionStatus {
    QuestionStatus { content_hash: "h".into(), since: "t0".into(), generation: Some(1), answered: None }
}

/// A decision, whether its author has the permission, and its time in seconds after the question was asked.
type Cast = (ApprovalSpec, Right, i64);

struct Case {
    rulings: Vec<Ruling<Approve>>,
    votes: Vec<Cast>,
    /// In seconds after the question was asked.
    now: i64,
}

fn judged(case: Case) -> Judgement {
    judged_of(case, &[])
}

/// Evaluates the case with these users as the last to change the request.
fn judged_of(case: Case, changers: &[Requester]) -> Judgement {
    let (request, dana, question) = (request(), person("dana"), question());
    let former = ["former".to_owned()];
    let matter = Matter { request: &request, requester: Some(&dana), changers, question: &question, since: 1000, former: &former };
    let names: Vec<String> = (0..case.votes.len()).map(|index| format!("a{index:02}")).collect();
    let times: Vec<String> = case.votes.iter().map(|(.., at)| format!("t{at:09}")).collect();
    let votes: Vec<Vote<'_>> = case
        .votes
        .iter()
        .zip(names.iter().zip(&times))
        .map(|((spec, right, at), (name, time))| Vote {
            name,
            cluster: "c1",
            at: Some(time),
            written: 1000_i64.saturating_add(*at),
            spec,
            right: right.clone(),
        })
        .collect();
    judge(&case.rulings, &matter, &votes, case.now.saturating_add(1000))
}

fn of(approve: Approve, votes: &[(&str, Decision)]) -> Judgement {
    // Each one second after the previous one.
    let votes = votes.iter().zip(0..).map(|((by, decision), at)| (spec(by, *decision), Right::Has, at)).collect();
    judged(Case { rulings: vec![ruling(approve)], votes, now: 9 })
}

#[test]
fn what_is_waited_for_names_a_policy_by_its_title() {
    let mut titled = ruling(Approve::default());
    titled.from.title = Some("Careful changes".into());
    let waits = judged(Case { rulings: vec![titled], votes: Vec::new(), now: 0 }).waits.unwrap();
    assert_eq!(waits.reason, crate::api::WaitingReason::ApprovalNeeded);
    assert!(waits.message.ends_with(": the policy Careful changes at root:acme requires it"), "{}", waits.message);
}

#[test]
fn one_of_those_who_may_is_enough_and_says_so() {
    let waiting = of(Approve::default(), &[]);
    assert_eq!(waiting.state, CandidateState::AwaitingApproval);
    assert!(waiting.waits.as_ref().unwrap().message.contains("can approve: the policy careful at root:acme requires it"));
    assert!(
        waiting.message.contains("An approval is missing")
            && waiting.message.contains("permission approve on the policy careful in root:acme")
    );
    let approved = of(Approve::default(), &[("amara", Decision::Approve)]);
    assert_eq!((approved.state, approved.waits), (CandidateState::Accepted, None));
    assert!(super::approved(&approved.approvals).starts_with("amara approved it (the rule look"));
}

#[test]
fn a_table_of_what_counts() {
    use Decision::{Approve as Yes, Reject as No, RequestChanges as Change};
    let two = || Approve { required: Some(Required::Count(2)), ..Approve::default() };
    let own = || Approve { self_approval: true, ..Approve::default() };
    let cases = [
        ("one of two", two(), vec![("amara", Yes)], ApprovalState::Waiting),
        ("two of two", two(), vec![("amara", Yes), ("olga", Yes)], ApprovalState::Approved),
        ("one person twice is one", two(), vec![("amara", Yes), ("amara", Yes)], ApprovalState::Waiting),
        ("one's own", Approve::default(), vec![("dana", Yes)], ApprovalState::Waiting),
        ("one's own where that is allowed", own(), vec![("dana", Yes)], ApprovalState::Approved),
        ("one's own does not help to two", two(), vec![("dana", Yes), ("amara", Yes)], ApprovalState::Waiting),
        ("turned down by the requester", Approve::default(), vec![("dana", No)], ApprovalState::Rejected),
        ("turned down", Approve::default(), vec![("amara", No)], ApprovalState::Rejected),
        ("turned down by one and approved by another", Approve::default(), vec![("amara", Yes), ("olga", No)], ApprovalState::Rejected),
        ("changes asked for", Approve::default(), vec![("amara", Change), ("olga", Yes)], ApprovalState::ChangesRequested),
        ("thought better of it", Approve::default(), vec![("amara", No), ("amara", Yes)], ApprovalState::Approved),
        ("thought worse of it", Approve::default(), vec![("amara", Yes), ("amara", No)], ApprovalState::Rejected),
        ("nobody required is one", Approve { required: Some(Required::Count(0)), ..Approve::default() }, vec![], ApprovalState::Waiting),
    ];
    for (what, approve, votes, state) in cases {
        assert_eq!(of(approve, &votes).approvals[0].state, state, "{what}");
    }
}

#[test]
fn whoever_changed_it_last_is_kept_from_it_as_whoever_asked() {
    let yes = |by: &str| spec(by, Decision::Approve);
    let no = |by: &str| spec(by, Decision::Reject);
    let broken = |by: &str| ApprovalSpec { emergency: true, ..spec(by, Decision::Approve) };
    let own = || Approve { self_approval: true, ..Approve::default() };
    let changed = "olga changed it last, and this rule needs someone else to approve.";
    let asked = "dana requested it, and this rule needs someone else to approve.";
    let cases = [
        ("what one changed", vec!["olga"], Approve::default(), yes("olga"), ApprovalState::Waiting, Some(changed)),
        ("the same in an emergency", vec!["olga"], Approve::default(), broken("olga"), ApprovalState::Waiting, Some(changed)),
        ("the same behind a promise", vec!["pat", "olga"], Approve::default(), yes("olga"), ApprovalState::Waiting, Some(changed)),
        ("where one's own is allowed", vec!["olga"], own(), yes("olga"), ApprovalState::Approved, None),
        ("an emergency there", vec!["olga"], own(), broken("olga"), ApprovalState::Approved, None),
        ("turned down by who changed it", vec!["olga"], Approve::default(), no("olga"), ApprovalState::Rejected, None),
        ("what another changed", vec!["olga"], Approve::default(), yes("amara"), ApprovalState::Approved, None),
        ("an emergency of another", vec!["olga"], Approve::default(), broken("amara"), ApprovalState::Approved, None),
        ("what one asked for and another changed", vec!["olga"], Approve::default(), yes("dana"), ApprovalState::Waiting, Some(asked)),
        ("what one asked for and changed", vec!["dana"], Approve::default(), yes("dana"), ApprovalState::Waiting, Some(asked)),
        ("what who asked changed again", vec!["dana"], Approve::default(), yes("olga"), ApprovalState::Approved, None),
    ];
    for (what, changers, approve, vote, state, why) in cases {
        let changers: Vec<Requester> = changers.into_iter().map(person).collect();
        let judged = judged_of(Case { rulings: vec![ruling(approve)], votes: vec![(vote, Right::Has, 0)], now: 0 }, &changers);
        let line = &judged.approvals[0];
        assert_eq!((line.state, line.given[0].void.as_deref()), (state, why), "{what}");
    }
}

#[test]
fn of_one_persons_decisions_in_one_second_the_more_restrictive_wins() {
    use Decision::{Approve as Yes, Reject as No, RequestChanges as Change};
    for (votes, state) in [
        ([No, Yes], ApprovalState::Rejected),
        ([Yes, No], ApprovalState::Rejected),
        ([Change, Yes], ApprovalState::ChangesRequested),
        ([Yes, Change], ApprovalState::ChangesRequested),
        ([No, Change], ApprovalState::Rejected),
        ([Change, No], ApprovalState::Rejected),
    ] {
        let cast = votes.map(|decision| (spec("amara", decision), Right::Has, 1)).to_vec();
        let judged = judged(Case { rulings: vec![ruling(Approve::default())], votes: cast, now: 9 });
        assert_eq!(judged.approvals[0].state, state, "{votes:?}, in the order of their names");
    }
}

#[test]
fn nothing_counts_without_the_right_and_the_reason_is_told() {
    for (right, says) in [
        (Right::Lacks, "amara doesn't have permission to approve for the policy careful in root:acme"),
        (Right::Unknown("The plane gave no answer.".into()), "The plane gave no answer."),
        (Right::NotAsked, "whether amara has permission to approve"),
    ] {
        for decision in [Decision::Approve, Decision::Reject, Decision::RequestChanges] {
            let votes = vec![(spec("amara", decision), right.clone(), 0)];
            let judged = judged(Case { rulings: vec![ruling(Approve::default())], votes, now: 0 });
            assert_eq!(judged.approvals[0].state, ApprovalState::Waiting, "{right:?} {decision:?}");
            assert!(judged.message.contains(says), "{}", judged.message);
        }
    }
    let mut unstamped = spec("amara", Decision::Approve);
    unstamped.decided_by = None;
    let judged = judged(Case { rulings: vec![ruling(Approve::default())], votes: vec![(unstamped, Right::Has, 0)], now: 0 });
    assert_eq!(judged.approvals[0].state, ApprovalState::Waiting);
}

#[test]
fn a_decision_answers_one_content_of_one_request_at_one_place() {
    let (request, rule, question) = (request(), ruling(Approve::default()), question());
    let matter = Matter { request: &request, requester: None, changers: &[], question: &question, since: 0, former: &[] };
    let answers = |from: &Provenance, cluster: &str, spec: &ApprovalSpec| {
        is_answer(from, &matter, &Vote { name: "a", cluster, at: Some("t1"), written: 1, spec, right: Right::NotAsked })
    };
    let good = spec("amara", Decision::Approve);
    assert!(answers(&rule.from, "c1", &good));
    assert!(!answers(&rule.from, "c2", &good), "where the rule does not live");
    let without_cluster = ApprovalSpec { request: ApprovedRequest { cluster: None, ..request.clone() }, ..good.clone() };
    assert!(answers(&rule.from, "c1", &without_cluster), "the uid says which");
    let changes: [fn(&mut ApprovalSpec); 9] = [
        |spec| spec.content_hash = "other".into(),
        |spec| spec.content_hash = String::new(),
        |spec| spec.request.uid = "u-2".into(),
        |spec| spec.request.name = "other".into(),
        |spec| spec.request.namespace = "other".into(),
        |spec| spec.request.cluster = Some("c9".into()),
        |spec| spec.rule.name = "other".into(),
        |spec| spec.rule.policy = Some("other".into()),
        |spec| spec.rule = ApprovalRule { policy: None, promise: Some("careful".into()), name: "look".into() },
    ];
    for change in changes {
        let mut other = good.clone();
        change(&mut other);
        assert!(!answers(&rule.from, "c1", &other), "{other:?}");
    }
    let own = Provenance { origin: Origin::Promise, ..rule.from };
    assert_eq!(rule_of(&own).promise.as_deref(), Some("careful"));
}

#[test]
fn decisions_about_other_contents_are_told_and_do_not_count() {
    let about = |hash: &str| (ApprovalSpec { content_hash: hash.to_owned(), ..spec("amara", Decision::Approve) }, Right::NotAsked, 1);
    let votes = vec![about("former"), about("never"), (spec("olga", Decision::Approve), Right::Has, 2)];
    let two = Approve { required: Some(Required::Count(2)), ..Approve::default() };
    let judged = judged(Case { rulings: vec![ruling(two)], votes, now: 3 });
    let given: Vec<_> = judged.approvals[0].given.iter().map(|given| (given.state, given.void.as_deref().unwrap_or_default())).collect();
    let reasons: Vec<_> = judged.approvals[0].given.iter().map(|given| given.reason).collect();
    assert_eq!(reasons, [Some(DecisionReason::FormerContent), Some(DecisionReason::OtherContent), None]);
    assert_eq!(judged.approvals[0].state, ApprovalState::Waiting);
    assert!(matches!(given[0], (DecisionState::Superseded, why) if why.contains("for content former. web has changed since")));
    assert!(matches!(given[1], (DecisionState::Void, why) if why.contains("for content never, which web doesn't have")));
    assert_eq!(given[2], (DecisionState::Counts, ""));
}

#[test]
fn what_does_not_count_is_told_up_to_a_number_and_what_counts_always() {
    let mut votes: Vec<Cast> = (0..50).map(|at| (spec(&format!("p{at}"), Decision::Approve), Right::Lacks, at)).collect();
    votes.insert(0, (spec("amara", Decision::Approve), Right::Has, 0));
    let judged =
        judged(Case { rulings: vec![ruling(Approve { required: Some(Required::Count(2)), ..Approve::default() })], votes, now: 60 });
    let given = &judged.approvals[0].given;
    assert_eq!((given.len(), given[0].by.as_str(), given.last().unwrap().by.as_str()), (21, "amara", "p49"));
}

#[test]
fn every_rule_has_to_agree_and_one_no_is_a_no() {
    let mut other = ruling(Approve::default());
    other.from.rule = "second".into();
    let rulings = vec![ruling(Approve::default()), other];
    let yes = (spec("amara", Decision::Approve), Right::Has, 0);
    let mut second = spec("olga", Decision::Approve);
    second.rule.name = "second".into();
    let mut no = spec("olga", Decision::Reject);
    no.rule.name = "second".into();
    let half = judged(Case { rulings: rulings.clone(), votes: vec![yes.clone()], now: 0 });
    assert_eq!(half.state, CandidateState::AwaitingApproval);
    assert!(half.message.contains("amara approved it") && half.message.contains("the rule second"), "{}", half.message);
    let whole = judged(Case { rulings: rulings.clone(), votes: vec![yes.clone(), (second, Right::Has, 1)], now: 0 });
    assert_eq!(whole.state, CandidateState::Accepted);
    let refused = judged(Case { rulings, votes: vec![yes, (no, Right::Has, 1)], now: 0 });
    assert_eq!(refused.state, CandidateState::Rejected);
    assert!(refused.message.contains("olga rejected it") && refused.message.contains(": because."), "{}", refused.message);
}

#[test]
fn a_question_that_is_taken_back_asks_nobody_and_undoes_nothing() {
    let two = || vec![ruling(Approve { required: Some(Required::Count(2)), expires_after: Some("1h".into()), ..Approve::default() })];
    let yes = |by: &str| (spec(by, Decision::Approve), Right::Has, 0);
    let open = judged(Case { rulings: two(), votes: vec![yes("amara")], now: 0 });
    let approvals = open.approvals.clone();
    let back = open.taken_back(Some(&person("dana")), false);
    assert_eq!((back.state, &back.waits, back.expires_in), (CandidateState::Withdrawn, &None, None));
    assert!(back.message.starts_with("dana withdrew it") && back.approvals == approvals, "{}", back.message);
    let agreed = judged(Case { rulings: two(), votes: vec![yes("amara"), yes("olga")], now: 0 });
    assert_eq!(agreed.state, CandidateState::Accepted);
    let late = agreed.taken_back(Some(&person("dana")), false);
    assert_eq!((late.state, &late.message), (CandidateState::Withdrawn, &back.message), "a later approval changes nothing");
    let no = (spec("olga", Decision::Reject), Right::Has, 0);
    for over in [judged(Case { rulings: two(), votes: vec![no], now: 0 }), judged(Case { rulings: two(), votes: vec![], now: 3600 })] {
        assert_eq!(over.clone().taken_back(Some(&person("dana")), false), over, "what has ended stays as it ended");
    }
    let later = judged(Case { rulings: two(), votes: vec![], now: 3600 }).taken_back(Some(&person("dana")), true);
    assert_eq!((later.state, later.message), (CandidateState::Withdrawn, late.message), "a withdrawn question doesn't expire");
}

#[test]
fn what_nobody_decides_in_time_expires() {
    let hour = || ruling(Approve { expires_after: Some("1h".into()), ..Approve::default() });
    let at = |now, votes| judged(Case { rulings: vec![hour()], votes, now });
    let open = at(3599, vec![]);
    assert_eq!((open.state, open.expires_in), (CandidateState::AwaitingApproval, Some(1)));
    let expired = at(3600, vec![]);
    assert_eq!((expired.state, expired.expires_in), (CandidateState::Expired, None));
    assert!(expired.message.contains("To request approval again, edit the request"), "{}", expired.message);
    let agreed = at(9999, vec![(spec("amara", Decision::Approve), Right::Has, 0)]);
    assert_eq!(agreed.state, CandidateState::Accepted, "whoever decided in time is not undone by a late look");
    let late = at(9999, vec![(spec("amara", Decision::Approve), Right::Has, 5000)]);
    assert_eq!(late.state, CandidateState::Expired, "and whoever comes too late is too late");
}
