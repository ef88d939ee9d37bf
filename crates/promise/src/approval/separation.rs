//! Separation of duties: one person approves at most one rule of a request, unless the rule says `samePerson`.
//!
//! If one person approves several rules, the first approval counts. Which one is first depends neither on the open stage nor on the present
//! time, so an approval that counts isn't lost while others decide.

use std::collections::BTreeMap;

use super::count::{Turn, decider, each_alone};
use super::{Matter, Vote, is_for, rule_of};
use crate::api::{ApprovalRule, Approve, Decision, DecisionState};
use crate::identity::PersonId;
use crate::policy::Ruling;

/// An approval whose author already approved another rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Elsewhere {
    /// Name of the Approval of the second rule.
    pub(super) approval: String,
    /// The rule that the same person approved first.
    pub(super) rule: ApprovalRule,
    /// Stage of that rule.
    pub(super) stage: u32,
}

/// The approvals that don't count, by rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ApprovedElsewhere(Vec<Vec<Elsewhere>>);

impl ApprovedElsewhere {
    /// Returns those of one rule, by its index.
    pub(super) fn of_rule(&self, index: usize) -> &[Elsewhere] {
        self.0.get(index).map(Vec::as_slice).unwrap_or_default()
    }
}

/// One person's approvals of one rule, each of which could count alone.
struct Voice<'v> {
    /// Index of the rule.
    rule: usize,
    /// Time, stage and index since when the person approves it.
    since: (i64, u32, usize),
    /// The approvals. The last one doesn't replace the others if it is too late.
    votes: Vec<&'v Vote<'v>>,
}

/// Finds the approvals that don't count because their author already approved another rule of the request.
pub(super) fn approved_elsewhere<'v>(rulings: &[Ruling<Approve>], matter: &Matter<'_>, votes: &'v [Vote<'v>]) -> ApprovedElsewhere {
    approved_elsewhere_of(rulings, &vec![*matter; rulings.len()], votes)
}

/// The same for rules that each ask about something else, such as a step.
pub(super) fn approved_elsewhere_of<'v>(rulings: &[Ruling<Approve>], matters: &[Matter<'_>], votes: &'v [Vote<'v>]) -> ApprovedElsewhere {
    let mut people: BTreeMap<PersonId, Vec<Voice<'v>>> = BTreeMap::new();
    for (index, (ruling, matter)) in rulings.iter().zip(matters).enumerate() {
        for (person, voice) in voices(index, ruling, matter, votes) {
            people.entry(person).or_default().push(voice);
        }
    }
    let mut second = vec![Vec::new(); rulings.len()];
    for voices in people.into_values() {
        for voice in &voices {
            let Some(ruling) = rulings.get(voice.rule).filter(|ruling| !ruling.effect.same_person) else { continue };
            // An override for a policy approves all of its rules, including this one.
            let is_other = |other: &&Voice<'_>| {
                let rule = rule_of(&ruling.from);
                let is_for_both = |vote: &&Vote<'_>| is_for(&rule, &ruling.from.cluster, vote.cluster, vote.spec);
                other.rule != voice.rule && !other.votes.iter().all(is_for_both)
            };
            let earlier = voices.iter().filter(is_other).filter(|other| other.since < voice.since).min_by_key(|other| other.since);
            let Some(of) = earlier.and_then(|earlier| rulings.get(earlier.rule)) else { continue };
            if let Some(lines) = second.get_mut(voice.rule) {
                let ordinary = voice.votes.iter().filter(|vote| !vote.spec.emergency);
                lines.extend(ordinary.map(|vote| Elsewhere {
                    approval: vote.name.to_owned(),
                    rule: rule_of(&of.from),
                    stage: of.effect.stage(),
                }));
            }
        }
    }
    ApprovedElsewhere(second)
}

/// Returns who approves a rule, and since when without having decided otherwise.
fn voices<'v>(index: usize, ruling: &Ruling<Approve>, matter: &Matter<'_>, votes: &'v [Vote<'v>]) -> BTreeMap<PersonId, Voice<'v>> {
    let mut people: BTreeMap<PersonId, Voice<'v>> = BTreeMap::new();
    // Stage and deadline are ignored: an approval that is too early or too late is still an approval.
    for heard in each_alone(ruling, matter, votes, Turn::Since(matter.since), None) {
        let Some(stamp) = decider(heard.vote).filter(|_| heard.speaks) else { continue };
        let person = stamp.person(heard.vote.cluster);
        let could_count = matches!(heard.state, DecisionState::Counts | DecisionState::Pending);
        if heard.vote.spec.decision != Decision::Approve || !could_count {
            people.remove(&person);
            continue;
        }
        let since = (heard.vote.written, ruling.effect.stage(), index);
        people.entry(person).or_insert(Voice { rule: index, since, votes: Vec::new() }).votes.push(heard.vote);
    }
    people
}
