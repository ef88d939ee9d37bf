//! Rules as pages show them: what each says, who set it where, and what it did.

use serde::{Deserialize, Serialize};

use crate::api::{Approvers, Enforcement, PolicyOutcome, PolicyResult, Required};
use crate::form::part_of_id;
use crate::policy::{Effective, Origin, Provenance, Ruling};
use crate::wording;

/// A rule in words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyLine {
    /// What it does.
    pub sentence: String,
    /// Name of the policy, or of the promise for its own rules.
    pub policy: String,
    /// Name of the rule in the policy.
    pub rule: String,
    /// Title of the policy.
    pub title: String,
    /// Path of the workspace where it is set.
    pub source: String,
    /// Whether it is a rule of the promise itself, so that no policy has a page.
    pub own: bool,
    /// Team that set it; empty when nobody is named.
    pub owner: String,
    /// Why it exists; may be empty.
    pub why: String,
    /// What a violation does.
    pub enforcement: Enforcement,
    /// What it did to these values; absent where there are no values.
    pub result: Option<PolicyResult>,
    /// What it says about these values; may be empty.
    pub message: String,
}

impl PolicyLine {
    /// Id of the rule in a list, to which [`crate::form::ByLine`]s lead.
    pub fn anchor(&self) -> String {
        rule_anchor(&self.source, &self.policy, &self.rule)
    }
}

/// Who decides, in words: `One of acme-approvers decides`.
pub fn deciders(approvers: &Approvers, required: Required) -> String {
    let people: Vec<String> = approvers.groups.iter().chain(&approvers.users).cloned().collect();
    let named = wording::one_of(&people);
    match (people.as_slice(), required, required.voices(approvers)) {
        ([], _, 1) => "An approver decides".to_owned(),
        ([], _, count) => format!("{count} approvers decide"),
        ([only], _, 1) if approvers.groups.is_empty() => format!("{only} decides"),
        (_, _, 1) => format!("One of {named} decides"),
        (_, Required::Count(_), count) => format!("{count} of {named} decide"),
        (_, Required::All, _) => {
            let groups = approvers.groups.iter().map(|group| format!("one of {group}"));
            let all: Vec<String> = approvers.users.iter().cloned().chain(groups).collect();
            format!("All decide: {}", wording::all_of(&all))
        }
    }
}

/// Id of a rule in a page: the same wherever the rule is named.
pub fn rule_anchor(workspace: &str, policy: &str, rule: &str) -> String {
    format!("why-{}-{}-{}", part_of_id(workspace), part_of_id(policy), part_of_id(rule))
}

/// The rules in words, in their stable order, each with what it did to the values at hand, if there are some.
pub fn policy_lines(effective: &Effective, outcomes: &[PolicyOutcome]) -> Vec<PolicyLine> {
    let line = |ruling: &Ruling<String>| {
        let from = &ruling.from;
        let did = outcomes.iter().filter(|outcome| is_of(outcome, from)).max_by_key(|outcome| outcome.result);
        PolicyLine {
            sentence: ruling.effect.clone(),
            policy: from.policy.clone(),
            rule: from.rule.clone(),
            title: from.title.clone().unwrap_or_else(|| from.policy.clone()),
            source: from.workspace.clone(),
            own: from.origin == Origin::Promise,
            owner: from.owner.clone().unwrap_or_default(),
            why: from.reason.clone().unwrap_or_default(),
            enforcement: from.enforcement,
            result: did.map(|did| did.result),
            message: did.and_then(|did| did.message.clone()).unwrap_or_default(),
        }
    };
    effective.sentences.iter().map(line).collect()
}

fn is_of(outcome: &PolicyOutcome, from: &Provenance) -> bool {
    (&outcome.policy, &outcome.rule, &outcome.source) == (&from.policy, &from.rule, &from.workspace)
}

/// What rules did to a request that is there: in the words that they have now, else in those that were noted.
pub fn policy_outcomes(noted: &[PolicyOutcome], now: Option<&Effective>) -> Vec<PolicyLine> {
    let known = now.map(|effective| policy_lines(effective, &[])).unwrap_or_default();
    let line = |outcome: &PolicyOutcome| {
        let same = known.iter().find(|line| (&line.policy, &line.rule, &line.source) == (&outcome.policy, &outcome.rule, &outcome.source));
        let message = outcome.message.clone().unwrap_or_default();
        let line = same.cloned().unwrap_or_else(|| PolicyLine {
            sentence: if message.is_empty() { wording::humanise(&outcome.rule) } else { message.clone() },
            policy: outcome.policy.clone(),
            rule: outcome.rule.clone(),
            source: outcome.source.clone(),
            owner: outcome.owner.clone().unwrap_or_default(),
            enforcement: outcome.enforcement,
            ..PolicyLine::default()
        });
        PolicyLine { result: Some(outcome.result), message, ..line }
    };
    noted.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{deciders, rule_anchor};
    use crate::api::{Approvers, Required};

    #[test]
    fn deciders_are_named() {
        let people = |groups: &[&str], users: &[&str]| Approvers {
            groups: groups.iter().map(|name| (*name).to_owned()).collect(),
            users: users.iter().map(|name| (*name).to_owned()).collect(),
        };
        let one = Required::Count(1);
        assert_eq!(deciders(&people(&["security"], &[]), one), "One of security decides");
        assert_eq!(deciders(&people(&["a", "b"], &[]), Required::Count(2)), "2 of a or b decide");
        assert_eq!(deciders(&people(&[], &["amara"]), one), "amara decides");
        assert_eq!(deciders(&people(&[], &[]), one), "An approver decides");
        assert_eq!(deciders(&people(&["security"], &[]), Required::All), "One of security decides");
        assert_eq!(deciders(&people(&["a", "b"], &["amara"]), Required::All), "All decide: amara, one of a and one of b");
    }

    #[test]
    fn different_rules_have_different_anchors() {
        let one = rule_anchor("root:acme", "a-b", "c");
        assert!(one.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_'), "{one}");
        assert_ne!(one, rule_anchor("root:acme", "a", "b-c"));
    }
}
