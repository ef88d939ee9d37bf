//! Representatives: people in several groups, for rules that need all approvers and rules that need some.

use super::{Case, Cast, judged, ruling, spec};
use crate::api::{ApprovalSpec, ApprovalState, Approve, Approvers, CandidateState, Decision, Requester, Required};
use crate::approval::Right;

const BOTH: [&str; 2] = ["legal", "security"];

fn of_both(required: Required) -> Approve {
    let approvers = Approvers { groups: BOTH.iter().map(|group| (*group).to_owned()).collect(), users: Vec::new() };
    Approve { required: Some(required), approvers, ..Approve::default() }
}

/// An approver's approval, this number of seconds after the question was asked.
fn yes(name: &str, groups: &[&str], at: i64) -> Cast {
    let decided_by =
        Some(Requester { username: name.to_owned(), groups: groups.iter().map(|group| (*group).to_owned()).collect(), cluster: None });
    (ApprovalSpec { decided_by, ..spec(name, Decision::Approve) }, Right::Has, at)
}

#[test]
fn a_table_of_who_is_enough() {
    use ApprovalState::{Approved, Waiting};
    let (all, one, two) = (Required::All, Required::Count(1), Required::Count(2));
    let cases = [
        ("all: one person of both groups", all, vec![yes("a", &BOTH, 1)], Waiting),
        ("all: one person of both groups twice", all, vec![yes("a", &BOTH, 1), yes("a", &BOTH, 2)], Waiting),
        ("all: two people of both groups", all, vec![yes("a", &BOTH, 1), yes("b", &BOTH, 2)], Approved),
        ("all: one of both and one of the first", all, vec![yes("a", &BOTH, 1), yes("b", &["legal"], 2)], Approved),
        ("all: one of the second and one of both", all, vec![yes("a", &["security"], 1), yes("b", &BOTH, 2)], Approved),
        ("all: one of both and one of none", all, vec![yes("a", &BOTH, 1), yes("b", &[], 2)], Waiting),
        ("all: whoever asked is not one of them", all, vec![yes("a", &BOTH, 1), yes("dana", &BOTH, 2)], Waiting),
        ("two: one person of both groups", two, vec![yes("a", &BOTH, 1)], Waiting),
        ("two: two people of both groups", two, vec![yes("a", &BOTH, 1), yes("b", &BOTH, 2)], Approved),
        ("two: two people of one group", two, vec![yes("a", &["legal"], 1), yes("b", &["legal"], 2)], Approved),
        ("two: people with the permission, of neither group", two, vec![yes("a", &[], 1), yes("b", &[], 2)], Waiting),
        ("two: one of them is of neither group", two, vec![yes("a", &["legal"], 1), yes("b", &["staff"], 2)], Waiting),
        ("one: one person of both groups", one, vec![yes("a", &BOTH, 1)], Approved),
    ];
    for (what, required, votes, state) in cases {
        let judged = judged(Case { rulings: vec![ruling(of_both(required))], votes, now: 9 });
        assert_eq!(judged.approvals[0].state, state, "{what}");
        assert_eq!(judged.approvals[0].missing.is_empty(), state == Approved || required != all, "{what}");
    }
}

#[test]
fn whoever_is_in_both_groups_is_told_that_somebody_else_is_missing() {
    let half = judged(Case { rulings: vec![ruling(of_both(Required::All))], votes: vec![yes("a", &BOTH, 1)], now: 9 });
    assert_eq!(half.approvals[0].missing, ["security"]);
    assert!(half.message.starts_with("The approval of security is missing"), "{}", half.message);
    let says =
        "legal and security with the permission approve on the policy careful in root:acme can decide, and no one counts for two of them.";
    assert!(half.message.contains(says), "{}", half.message);
    // A member of only the first group works as well: the member of both then represents the second.
    let votes = vec![yes("a", &BOTH, 1), yes("b", &["legal"], 2)];
    let whole = judged(Case { rulings: vec![ruling(of_both(Required::All))], votes, now: 9 });
    assert_eq!(whole.state, CandidateState::Accepted);
}

#[test]
fn only_those_whom_a_rule_names_decide_for_it() {
    let named = || Approve { approvers: Approvers { groups: vec!["legal".into()], users: vec!["amara".into()] }, ..Approve::default() };
    for decision in [Decision::Approve, Decision::Reject, Decision::RequestChanges] {
        let by = |name: &str, groups: &[&str]| {
            let cast = yes(name, groups, 1);
            vec![(ApprovalSpec { decision, ..cast.0 }, cast.1, cast.2)]
        };
        for (who, votes, counts) in [
            ("a named user", by("amara", &[]), true),
            ("of a named group", by("olga", &["staff", "legal"]), true),
            ("of another group", by("olga", &["staff"]), false),
            ("of no group", by("olga", &[]), false),
            ("a user with the name of the group", by("legal", &[]), false),
            ("of a group with the name of the user", by("olga", &["amara"]), false),
        ] {
            let judged = judged(Case { rulings: vec![ruling(named())], votes, now: 9 });
            let line = &judged.approvals[0];
            assert_eq!(line.state != ApprovalState::Waiting, counts, "{decision:?} of {who}");
            let why = line.given[0].void.as_deref().unwrap_or_default();
            assert_eq!(why.ends_with("isn't one of the approvers of this rule: legal and amara."), !counts, "{who}: {why}");
        }
    }
    let votes = vec![(ApprovalSpec { emergency: true, ..spec("olga", Decision::Approve) }, Right::Has, 1)];
    let overridden = judged(Case { rulings: vec![ruling(named())], votes, now: 9 });
    assert_eq!(overridden.state, CandidateState::Accepted, "an override takes its own permission alone");
}

#[test]
fn the_next_stage_is_open_from_when_a_second_person_agreed() {
    let mut later = ruling(Approve { stage: Some(2), expires_after: Some("1h".into()), ..Approve::default() });
    later.from.rule = "later".into();
    let rulings = || vec![ruling(of_both(Required::All)), later.clone()];
    let first = judged(Case { rulings: rulings(), votes: vec![yes("a", &BOTH, 1)], now: 60 });
    assert_eq!((first.approvals[1].state, first.deadlines[1]), (ApprovalState::Queued, None));
    let second = judged(Case { rulings: rulings(), votes: vec![yes("a", &BOTH, 1), yes("b", &["legal"], 50)], now: 60 });
    assert_eq!((second.approvals[1].state, second.deadlines[1]), (ApprovalState::Waiting, Some(1000 + 50 + 3600)));
}

#[test]
fn a_rule_that_names_one_person_in_two_ways_takes_two() {
    let approvers = Approvers { groups: vec!["legal".into()], users: vec!["amara".into()] };
    let rule = || vec![ruling(Approve { required: Some(Required::All), approvers: approvers.clone(), ..Approve::default() })];
    let alone = judged(Case { rulings: rule(), votes: vec![yes("amara", &["legal"], 1)], now: 9 });
    assert_eq!(alone.state, CandidateState::AwaitingApproval);
    assert_eq!(alone.approvals[0].missing, ["legal"]);
    let both = judged(Case { rulings: rule(), votes: vec![yes("amara", &["legal"], 1), yes("b", &["legal"], 2)], now: 9 });
    assert_eq!(both.state, CandidateState::Accepted);
}
