//! Stages, rules that require `all`, requested changes, and emergency overrides.

use serde_json::json;

use super::{Case, Cast, judged, ruling, spec};
use crate::api::{
    ApprovalSpec, ApprovalState, Approve, Approvers, CandidateState, Decision, DecisionState, PromiseSpec, Requester, Required,
    WaitingReason,
};
use crate::approval::{Judgement, Right, objected};
use crate::people::PeopleNames;
use crate::policy::Ruling;

/// Rules of one policy, each with its stage: `one`, `two`, …
fn rules(stages: &[Approve]) -> Vec<Ruling<Approve>> {
    let named = |(index, approve): (usize, &Approve)| {
        let mut ruling = ruling(approve.clone());
        ruling.from.rule = ["one", "two", "three"][index].to_owned();
        ruling
    };
    stages.iter().enumerate().map(named).collect()
}

fn stage(stage: u32) -> Approve {
    Approve { stage: Some(stage), expires_after: Some("1h".into()), ..Approve::default() }
}

fn about(rule: &str, by: &str, decision: Decision) -> ApprovalSpec {
    let mut spec = spec(by, decision);
    spec.rule.name = rule.to_owned();
    spec
}

fn yes(rule: &str, by: &str, at: i64) -> Cast {
    (about(rule, by, Decision::Approve), Right::Has, at)
}

fn states(judged: &Judgement) -> Vec<ApprovalState> {
    judged.approvals.iter().map(|approval| approval.state).collect()
}

#[test]
fn a_stage_is_asked_when_all_of_the_one_before_agree() {
    use ApprovalState::{Approved, Queued, Waiting};
    let rulings = || rules(&[stage(1), stage(2), stage(1)]);
    let at = |now, votes| judged(Case { rulings: rulings(), votes, now });
    let first = at(0, vec![]);
    assert_eq!((states(&first), first.state), (vec![Waiting, Queued, Waiting], CandidateState::AwaitingApproval));
    assert!(first.message.contains("Stage 2 follows"), "{}", first.message);
    assert!(first.waits.as_ref().unwrap().message.ends_with("and 1 more rule requires approval; stage 2 follows"), "{:?}", first.waits);
    let half = at(10, vec![yes("one", "amara", 5)]);
    assert_eq!(states(&half), [Approved, Queued, Waiting]);
    assert_eq!(half.deadlines, [Some(4600), None, Some(4600)]);
    let second = at(3000, vec![yes("one", "amara", 5), yes("three", "olga", 2900)]);
    assert_eq!(states(&second), [Approved, Waiting, Approved]);
    assert_eq!((second.deadlines[1], second.expires_in), (Some(1000 + 2900 + 3600), Some(3500)), "its clock runs from then");
    assert!(second.message.contains("Stage 2: An approval is missing for the rule two"), "{}", second.message);
    let all = at(6000, vec![yes("one", "amara", 5), yes("three", "olga", 2900), yes("two", "pat", 6000)]);
    assert_eq!((states(&all), all.state), (vec![Approved; 3], CandidateState::Accepted));
    let late = at(6600, vec![yes("one", "amara", 5), yes("three", "olga", 2900), yes("two", "pat", 6500)]);
    assert_eq!(late.state, CandidateState::Expired);
    assert!(late.message.contains("No one decided in time for the rule two"), "{}", late.message);
}

#[test]
fn one_person_does_not_pass_two_stages() {
    let two = || rules(&[stage(1), stage(2)]);
    let alone = judged(Case { rulings: two(), votes: vec![yes("one", "amara", 1), yes("two", "amara", 2)], now: 3 });
    assert_eq!(states(&alone), [ApprovalState::Approved, ApprovalState::Waiting]);
    let given = &alone.approvals[1].given[0];
    let why = "amara approved stage 1 (the rule one of the policy careful), and this rule needs another person.";
    assert_eq!((given.state, given.void.as_deref()), (DecisionState::Void, Some(why)));
    let both = judged(Case { rulings: two(), votes: vec![yes("one", "amara", 1), yes("two", "amara", 2), yes("two", "pat", 3)], now: 4 });
    assert_eq!(both.state, CandidateState::Accepted);

    let allowed = || rules(&[stage(1), Approve { same_person: true, ..stage(2) }]);
    let same = judged(Case { rulings: allowed(), votes: vec![yes("one", "amara", 1), yes("two", "amara", 2)], now: 3 });
    assert_eq!(same.state, CandidateState::Accepted, "the rule says that the same person can");
}

#[test]
fn the_first_of_two_approvals_of_one_person_counts_until_it_is_taken_back() {
    let rulings = || rules(&[stage(1), stage(1)]);
    let of = |votes| states(&judged(Case { rulings: rulings(), votes, now: 9 }));
    use ApprovalState::{Approved, Rejected, Waiting};
    assert_eq!(of(vec![yes("two", "amara", 1), yes("one", "amara", 2)]), [Waiting, Approved]);
    assert_eq!(of(vec![yes("one", "amara", 1), yes("two", "amara", 1)]), [Approved, Waiting], "in one second the first rule");
    let again = vec![yes("one", "amara", 1), yes("two", "amara", 2), yes("one", "amara", 3)];
    assert_eq!(of(again), [Approved, Waiting], "who says it again said it first");
    let too_late = vec![yes("one", "amara", 1), yes("two", "amara", 2), yes("two", "amara", 5000)];
    assert_eq!(of(too_late), [Approved, Waiting], "saying it again when it is too late makes the second one no other person's");
    let no = (about("one", "amara", Decision::Reject), Right::Has, 3);
    assert_eq!(of(vec![yes("one", "amara", 1), yes("two", "amara", 2), no]), [Rejected, Approved]);
    let void = (about("one", "amara", Decision::Approve), Right::Lacks, 1);
    assert_eq!(of(vec![void, yes("two", "amara", 2)]), [Waiting, Approved], "what never counted keeps nobody");
}

#[test]
fn who_overrides_one_policy_is_not_the_second_person_of_another() {
    let mut rulings = rules(&[stage(1), stage(2)]);
    rulings[1].from.policy = "another".into();
    let mut other = yes("two", "erin", 2);
    other.0.rule.policy = Some("another".into());
    let judged = judged(Case { rulings, votes: vec![broken("erin", Right::Has, 1), other], now: 3 });
    assert_eq!(states(&judged), [ApprovalState::Approved, ApprovalState::Waiting]);
}

#[test]
fn what_is_agreed_before_its_turn_counts_from_then() {
    let early = vec![yes("two", "pat", 1)];
    let waits = judged(Case { rulings: rules(&[stage(1), stage(2)]), votes: early.clone(), now: 2 });
    assert_eq!(waits.approvals[1].state, ApprovalState::Queued);
    let given = &waits.approvals[1].given[0];
    assert_eq!((given.state, given.void.as_deref()), (DecisionState::Pending, Some("This decision counts once stage 1 is approved.")));
    let both = judged(Case { rulings: rules(&[stage(1), stage(2)]), votes: [early, vec![yes("one", "amara", 9)]].concat(), now: 10 });
    assert_eq!(both.state, CandidateState::Accepted);
}

#[test]
fn a_no_of_a_later_stage_need_not_wait() {
    let no = (about("two", "pat", Decision::Reject), Right::Has, 1);
    let judged = judged(Case { rulings: rules(&[stage(1), stage(2)]), votes: vec![no], now: 2 });
    assert_eq!(judged.state, CandidateState::Rejected);
    assert!(judged.message.contains("ask-again=t0"), "{}", judged.message);
}

#[test]
fn a_right_that_is_gone_closes_the_stages_behind_it() {
    let votes = |right| vec![(about("one", "amara", Decision::Approve), right, 1), yes("two", "pat", 2)];
    let before = judged(Case { rulings: rules(&[stage(1), stage(2)]), votes: votes(Right::Has), now: 3 });
    assert_eq!(before.state, CandidateState::Accepted);
    let after = judged(Case { rulings: rules(&[stage(1), stage(2)]), votes: votes(Right::Lacks), now: 3 });
    assert_eq!(states(&after), [ApprovalState::Waiting, ApprovalState::Queued]);
}

#[test]
fn all_is_every_user_and_somebody_of_every_group() {
    let all = || Approve {
        required: Some(Required::All),
        approvers: Approvers { groups: vec!["legal".into(), "security".into()], users: vec!["amara".into()] },
        ..Approve::default()
    };
    let by = |name: &str, groups: &[&str], at| {
        let decided_by =
            Some(Requester { username: name.into(), groups: groups.iter().map(|group| (*group).to_owned()).collect(), cluster: None });
        (ApprovalSpec { decided_by, ..about("one", name, Decision::Approve) }, Right::Has, at)
    };
    let of = |votes| judged(Case { rulings: rules(&[all()]), votes, now: 9 });
    let cases = [
        ("nobody", vec![], vec!["legal", "security", "amara"]),
        ("one", vec![by("amara", &[], 1)], vec!["legal", "security"]),
        (
            "three people of one group",
            vec![by("a", &["legal"], 1), by("b", &["legal"], 1), by("c", &["legal"], 1)],
            vec!["security", "amara"],
        ),
        ("one of each, and not the user", vec![by("a", &["legal"], 1), by("b", &["security"], 2)], vec!["amara"]),
        (
            "people whom it does not name",
            vec![by("x", &["staff"], 1), by("y", &[], 1), by("z", &[], 2)],
            vec!["legal", "security", "amara"],
        ),
    ];
    for (what, votes, missing) in cases {
        let judged = of(votes);
        assert_eq!(
            (&judged.approvals[0].missing, judged.approvals[0].state),
            (&missing.iter().map(ToString::to_string).collect(), ApprovalState::Waiting),
            "{what}"
        );
        assert!(judged.message.contains("The approval of "), "{}", judged.message);
    }
    assert!(of(vec![by("amara", &[], 1), by("a", &["legal"], 2)]).waits.unwrap().who == ["security"]);
    let whole = of(vec![by("amara", &[], 1), by("a", &["legal"], 2), by("b", &["security"], 4)]);
    assert_eq!((whole.state, whole.approvals[0].missing.len()), (CandidateState::Accepted, 0));
    let anybody = Approve { required: Some(Required::All), ..Approve::default() };
    let waits = judged(Case { rulings: rules(std::slice::from_ref(&anybody)), votes: vec![], now: 9 });
    assert_eq!(waits.state, CandidateState::AwaitingApproval, "all of nobody is not nobody");
    let one = judged(Case { rulings: rules(&[anybody]), votes: vec![by("x", &[], 1)], now: 9 });
    assert_eq!(one.state, CandidateState::Accepted);
}

#[test]
fn changes_that_are_asked_for_hold_it_without_a_clock() {
    let change = ApprovalSpec { fields: vec![".size".into(), ".replicas".into()], ..about("one", "amara", Decision::RequestChanges) };
    let held = judged(Case { rulings: rules(&[stage(1), stage(2)]), votes: vec![(change, Right::Has, 1)], now: 99_999 });
    assert_eq!((held.state, held.expires_in), (CandidateState::ChangesRequested, None));
    let waits = held.waits.as_ref().unwrap();
    assert_eq!(
        (waits.reason, waits.message.as_str()),
        (WaitingReason::ChangesRequested, "amara requested changes to .size and .replicas: because")
    );
    assert!(held.message.contains("amara requested changes to .size and .replicas (the rule one"), "{}", held.message);
    let names = PeopleNames::new([("amara".to_owned(), "Amara Okafor".to_owned())]);
    let form = json!({"fields": {".size": {"title": "Disk size"}}});
    let promise = PromiseSpec { form: serde_json::from_value(form).unwrap(), ..PromiseSpec::default() };
    assert_eq!(
        objected(&held.approvals, &names, &promise).as_deref(),
        Some("Amara Okafor requested changes to “Disk size” and “Replicas”: because")
    );
    let agreed = judged(Case { rulings: rules(&[stage(1)]), votes: Vec::new(), now: 0 });
    assert_eq!(objected(&agreed.approvals, &names, &promise), None, "there are no objections without a decision");
}

fn broken(by: &str, right: Right, at: i64) -> Cast {
    (ApprovalSpec { emergency: true, ..about("one", by, Decision::Approve) }, right, at)
}

#[test]
fn who_breaks_the_glass_approves_for_every_stage_of_their_policy_at_once() {
    let two = Approve { required: Some(Required::Count(2)), ..stage(1) };
    let rulings = || rules(&[two.clone(), stage(2), stage(3)]);
    let whole = judged(Case { rulings: rulings(), votes: vec![broken("erin", Right::Has, 1)], now: 2 });
    assert_eq!((whole.state, states(&whole)), (CandidateState::Accepted, vec![ApprovalState::Approved; 3]));
    let said = super::super::approved(&whole.approvals);
    assert!(
        said.starts_with("EMERGENCY: erin overrode all other approvers and approved it alone (the rule one") && said.contains(": because"),
        "{said}"
    );
    let mut other = rulings();
    other[1].from.policy = "another".into();
    let half = judged(Case { rulings: other, votes: vec![broken("erin", Right::Has, 1)], now: 2 });
    assert_eq!(states(&half), [ApprovalState::Approved, ApprovalState::Waiting, ApprovalState::Approved]);
}

#[test]
fn glass_is_not_broken_for_nothing() {
    let (mut silent, mut no) = (broken("erin", Right::Has, 1), broken("erin", Right::Has, 1));
    silent.0.comment = Some(" ".into());
    no.0.decision = Decision::Reject;
    for (cast, says) in [
        (broken("erin", Right::Lacks, 1), "erin doesn't have permission to override for the policy careful in root:acme."),
        (broken("erin", Right::NotAsked, 1), "whether erin has permission to override"),
        (broken("dana", Right::Has, 1), "dana requested it"),
        (broken("erin", Right::Has, 4000), "after the approval expired"),
        (silent, "needs a comment"),
        (no, "can only approve"),
    ] {
        let judged = judged(Case { rulings: rules(&[stage(1), stage(2)]), votes: vec![cast], now: 2 });
        assert_eq!(judged.state, CandidateState::AwaitingApproval, "{says}");
        let why = judged.approvals[0].given[0].void.as_deref().unwrap_or_default();
        assert!(why.contains(says), "{why}");
    }
    let no = (about("two", "olga", Decision::Reject), Right::Has, 1);
    let judged = judged(Case { rulings: rules(&[stage(1), stage(2)]), votes: vec![no, broken("erin", Right::Has, 2)], now: 3 });
    assert_eq!(judged.state, CandidateState::Rejected, "it stands in for those who have not said anything, and overrules nobody");
}

#[test]
fn a_void_emergency_does_not_take_the_place_of_what_was_said_before() {
    let votes = vec![yes("one", "erin", 1), broken("erin", Right::Lacks, 2)];
    let judged = judged(Case { rulings: rules(&[stage(1)]), votes, now: 3 });
    assert_eq!(judged.state, CandidateState::Accepted);
}
