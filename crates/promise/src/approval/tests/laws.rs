//! Properties that hold for any decisions, in any order and with any permissions.

use proptest::prelude::*;

use super::{Case, Cast, judged, ruling, spec};
use crate::api::{ApprovalSpec, ApprovalState, Approve, Approvers, CandidateState, Decision, DecisionState, Requester, Required};
use crate::approval::{Judgement, Right};
use crate::policy::Ruling;

const PEOPLE: [&str; 5] = ["dana", "amara", "olga", "pat", "erin"];

fn required() -> impl Strategy<Value = Required> {
    prop_oneof![(1..3_u32).prop_map(Required::Count), Just(Required::All)]
}

fn rule(index: usize) -> impl Strategy<Value = Ruling<Approve>> {
    (required(), 1..4_u32, prop::option::of(1..50_u32), any::<bool>(), any::<bool>()).prop_map(move |settings| {
        let (required, stage, hours, self_approval, same_person) = settings;
        let approvers = Approvers { groups: vec!["legal".into()], users: vec!["amara".into()] };
        let expires_after = hours.map(|hours| format!("{hours}s"));
        let (required, stage) = (Some(required), Some(stage));
        let approve = Approve { required, stage, expires_after, self_approval, same_person, approvers, when: None };
        let mut ruling = ruling(approve);
        ruling.from.rule = format!("r{index}");
        ruling.from.policy = if index == 2 { "another".into() } else { "careful".into() };
        ruling
    })
}

fn rules() -> impl Strategy<Value = Vec<Ruling<Approve>>> {
    (rule(0), rule(1), rule(2), 1..4_usize).prop_map(|(a, b, c, count)| [a, b, c].into_iter().take(count).collect())
}

fn cast() -> impl Strategy<Value = Cast> {
    let decision = prop_oneof![4 => Just(Decision::Approve), 1 => Just(Decision::Reject), 1 => Just(Decision::RequestChanges)];
    let right = prop_oneof![4 => Just(Right::Has), 1 => Just(Right::Lacks), 1 => Just(Right::Unknown("No answer.".into())), 1 => Just(Right::NotAsked)];
    let hash = prop_oneof![6 => Just("h"), 1 => Just("former"), 1 => Just("never")];
    (0..PEOPLE.len(), 0..3_usize, decision, right, hash, any::<bool>(), 0..60_i64, prop::bool::weighted(0.2)).prop_map(
        |(who, rule, decision, right, hash, legal, at, emergency)| {
            let groups = if legal { vec!["legal".to_owned()] } else { Vec::new() };
            let mut spec = spec(PEOPLE[who], decision);
            spec.decided_by = Some(Requester { username: PEOPLE[who].into(), groups, cluster: None });
            spec.rule.name = format!("r{rule}");
            spec.rule.policy = Some(if rule == 2 { "another".into() } else { "careful".into() });
            spec.content_hash = hash.to_owned();
            spec.emergency = emergency;
            (spec, right, at)
        },
    )
}

fn case() -> impl Strategy<Value = (Vec<Ruling<Approve>>, Vec<Cast>, i64)> {
    (rules(), prop::collection::vec(cast(), 0..12), 0..100_i64)
}

fn run(rulings: &[Ruling<Approve>], votes: &[Cast], now: i64) -> Judgement {
    judged(Case { rulings: rulings.to_vec(), votes: votes.to_vec(), now })
}

/// Returns the decisions that could count for a rule by themselves.
fn could_count(approve: &Approve, (spec, right, _): &Cast) -> bool {
    let person = spec.decided_by.clone().unwrap_or_default();
    let own = person.username == "dana";
    let member = person.username == "amara" || person.groups.contains(&"legal".into());
    (member || spec.emergency)
        && *right == Right::Has
        && spec.content_hash == "h"
        && (approve.self_approval || !own || spec.decision != Decision::Approve)
}

proptest! {
    #[test]
    fn only_who_may_decides_about_this_content_and_never_alone_about_their_own((rulings, votes, now) in case()) {
        let judged = run(&rulings, &votes, now);
        for (ruling, approval) in rulings.iter().zip(&judged.approvals) {
            for given in approval.given.iter().filter(|given| given.state == DecisionState::Counts) {
                let index: usize = given.approval[1..].parse().unwrap();
                prop_assert!(could_count(&ruling.effect, &votes[index]), "{given:?}");
                prop_assert!(given.void.is_none());
            }
            for given in approval.given.iter().filter(|given| given.state != DecisionState::Counts) {
                prop_assert!(given.void.as_ref().is_some_and(|why| why.ends_with('.')), "{given:?}");
            }
            let mut people: Vec<&str> = approval.given.iter().filter(|g| g.state == DecisionState::Counts).map(|g| g.by.as_str()).collect();
            let counted = people.len();
            people.sort_unstable();
            people.dedup();
            prop_assert_eq!(people.len(), counted, "one person has one voice");
        }
    }

    #[test]
    fn what_is_accepted_was_agreed_by_enough((rulings, votes, now) in case()) {
        let judged = run(&rulings, &votes, now);
        prop_assert_eq!(judged.state == CandidateState::Accepted, judged.approvals.iter().all(|a| a.state == ApprovalState::Approved));
        for (ruling, approval) in rulings.iter().zip(&judged.approvals).filter(|(_, a)| a.state == ApprovalState::Approved) {
            let agreed: Vec<&ApprovalSpec> = approval.given.iter()
                .filter(|given| given.state == DecisionState::Counts && given.decision == Decision::Approve)
                .map(|given| &votes[given.approval[1..].parse::<usize>().unwrap()].0)
                .collect();
            let broken = agreed.iter().any(|spec| spec.emergency);
            let enough = match ruling.effect.required() {
                Required::Count(count) => agreed.len() >= count as usize,
                Required::All => {
                    let person = |spec: &&ApprovalSpec| spec.decided_by.clone().unwrap();
                    // Each person represents only one name.
                    let people: Vec<Requester> = agreed.iter().map(person).collect();
                    let (amara, others): (Vec<&Requester>, Vec<&Requester>) = people.iter().partition(|person| person.username == "amara");
                    !amara.is_empty() && others.iter().any(|person| person.groups.contains(&"legal".into()))
                }
            };
            prop_assert!(broken || enough, "{approval:?}");
        }
    }

    #[test]
    fn one_person_approves_one_rule_unless_it_allows_the_same_person((rulings, votes, now) in case()) {
        let judged = run(&rulings, &votes, now);
        // Rules for which each person's approval counts without an override.
        let mut approved: std::collections::BTreeMap<&str, Vec<&crate::api::ApprovalStatus>> = std::collections::BTreeMap::new();
        for approval in &judged.approvals {
            for given in approval.given.iter().filter(|given| given.state == DecisionState::Counts && !given.emergency) {
                if given.decision == Decision::Approve {
                    approved.entry(&given.by).or_default().push(approval);
                }
            }
        }
        for (person, rules) in approved {
            let exclusive = rules.iter().filter(|rule| !rule.same_person).count();
            prop_assert!(exclusive <= 1, "{person} approved {rules:?}");
        }
    }

    #[test]
    fn nobody_is_asked_before_every_earlier_stage_agreed((rulings, votes, now) in case()) {
        let judged = run(&rulings, &votes, now);
        for later in &judged.approvals {
            let earlier = judged.approvals.iter().filter(|approval| approval.stage < later.stage);
            let agreed = earlier.clone().all(|approval| approval.state == ApprovalState::Approved);
            let broken = super::super::is_emergency(later);
            if !agreed {
                prop_assert_ne!(later.state, ApprovalState::Waiting);
                prop_assert!(later.state != ApprovalState::Approved || broken, "{later:?}");
            } else {
                prop_assert_ne!(later.state, ApprovalState::Queued);
            }
        }
    }

    #[test]
    fn the_order_in_which_they_are_seen_does_not_matter((rulings, votes, now) in case(), seed in any::<u64>()) {
        // Names increase with time, so that evaluation order can differ from creation order.
        let request = super::request();
        let (question, former, dana) = (super::question(), ["former".to_owned()], super::person("dana"));
        let matter = super::Matter { request: &request, requester: Some(&dana), changers: &[], question: &question, since: 1000, former: &former };
        let names: Vec<String> = (0..votes.len()).map(|index| format!("a{index:02}")).collect();
        let times: Vec<String> = votes.iter().map(|(.., at)| format!("t{at:09}")).collect();
        let mut seen: Vec<super::Vote<'_>> = votes.iter().zip(names.iter().zip(&times)).map(|((spec, right, at), (name, time))| super::Vote {
            name, cluster: "c1", at: Some(time), written: 1000 + at, spec, right: right.clone(),
        }).collect();
        let before = super::judge(&rulings, &matter, &seen, 1000 + now);
        let turn = usize::try_from(seed).unwrap_or_default() % seen.len().max(1);
        seen.rotate_left(turn);
        seen.reverse();
        prop_assert_eq!(super::judge(&rulings, &matter, &seen, 1000 + now), before);
    }

    #[test]
    fn a_right_that_is_taken_away_never_makes_an_approval((rulings, votes, now) in case(), who in 0..PEOPLE.len()) {
        // A stage that opens later also expires later, so without one approval a late vote might still be in time.
        let rulings: Vec<Ruling<Approve>> = rulings.into_iter().map(|mut ruling| {
            ruling.effect.expires_after = None;
            ruling
        }).collect();
        let approvals_only: Vec<Cast> = votes.into_iter().filter(|(spec, ..)| spec.decision == Decision::Approve).collect();
        let without: Vec<Cast> = approvals_only.iter().cloned().map(|(spec, right, at)| {
            let theirs = spec.decided_by.as_ref().is_some_and(|person| person.username == PEOPLE[who]);
            (spec, if theirs { Right::Lacks } else { right }, at)
        }).collect();
        let (with, without) = (run(&rulings, &approvals_only, now), run(&rulings, &without, now));
        prop_assert!(with.state == CandidateState::Accepted || without.state != CandidateState::Accepted);
    }

    #[test]
    fn whoever_waits_is_told_and_time_only_ends_questions((rulings, votes, now) in case()) {
        let judged = run(&rulings, &votes, now);
        let waits = matches!(judged.state, CandidateState::AwaitingApproval | CandidateState::ChangesRequested);
        prop_assert_eq!(judged.waits.is_some(), waits);
        let later = run(&rulings, &votes, now + 1000);
        let ended = judged.state == CandidateState::AwaitingApproval && later.state == CandidateState::Expired;
        prop_assert!(ended || judged.state == later.state, "{:?} became {:?}", judged.state, later.state);
        if let Some(left) = judged.expires_in {
            prop_assert!(left > 0);
            prop_assert_eq!(run(&rulings, &votes, now + left).state, CandidateState::Expired);
        }
    }
}
