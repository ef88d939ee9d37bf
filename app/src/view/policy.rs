//! Policy rules as shown on pages: what each says, who owns it, and its result.

use serde::{Deserialize, Serialize};

use promise::api::{Approvers, Enforcement, PolicyOutcome, PolicyResult, Required};
use promise::form::rule_anchor;
use promise::policy::{Effective, Origin, Provenance, Ruling};
use promise::wording;

/// A policy rule in words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyLine {
    /// What the rule does.
    pub sentence: String,
    /// Name of the policy, or of the promise for its own rules.
    pub policy: String,
    /// Name of the rule in the policy.
    pub rule: String,
    /// Title of the policy.
    pub title: String,
    /// Path of the workspace that defines it.
    pub source: String,
    /// Whether it is a promise's own rule, which has no policy page.
    pub own: bool,
    /// Team that owns it, or empty.
    pub owner: String,
    /// Purpose, or empty.
    pub why: String,
    /// What happens when a rule is violated.
    pub enforcement: Enforcement,
    /// Result for these values. Absent if there are none.
    pub result: Option<PolicyResult>,
    /// Message about these values, or empty.
    pub message: String,
}

impl PolicyLine {
    /// Returns the id of the rule in a list, which [`promise::form::ByLine`]s link to.
    pub fn anchor(&self) -> String {
        rule_anchor(&self.source, &self.policy, &self.rule)
    }
}

/// Returns who must approve, in words: `One of acme-approvers must approve`.
pub fn deciders(approvers: &Approvers, required: Required) -> String {
    let people: Vec<String> = approvers.groups.iter().chain(&approvers.users).cloned().collect();
    let named = wording::one_of(&people);
    match (people.as_slice(), required, required.voices(approvers)) {
        ([], _, 1) => "An approver must approve".to_owned(),
        ([], _, count) => format!("{count} approvers must approve"),
        ([only], _, 1) if approvers.groups.is_empty() => format!("{only} must approve"),
        (_, _, 1) => format!("One of {named} must approve"),
        (_, Required::Count(_), count) => format!("{count} of {named} must approve"),
        (_, Required::All, _) => {
            let groups = approvers.groups.iter().map(|group| format!("one of {group}"));
            let all: Vec<String> = approvers.users.iter().cloned().chain(groups).collect();
            format!("All must approve: {}", wording::all_of(&all))
        }
    }
}

/// Returns the rules in words, in stable order, each with its result for the values at hand, if any.
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

/// Returns the results of rules for an existing request, in their present wording, or else in the recorded one.
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
    use super::deciders;
    use promise::api::{Approvers, Required};
    use promise::form::rule_anchor;

    #[test]
    fn deciders_are_named() {
        let people = |groups: &[&str], users: &[&str]| Approvers {
            groups: groups.iter().map(|name| (*name).to_owned()).collect(),
            users: users.iter().map(|name| (*name).to_owned()).collect(),
        };
        let one = Required::Count(1);
        assert_eq!(deciders(&people(&["security"], &[]), one), "One of security must approve");
        assert_eq!(deciders(&people(&["a", "b"], &[]), Required::Count(2)), "2 of a or b must approve");
        assert_eq!(deciders(&people(&[], &["amara"]), one), "amara must approve");
        assert_eq!(deciders(&people(&[], &[]), one), "An approver must approve");
        assert_eq!(deciders(&people(&["security"], &[]), Required::All), "One of security must approve");
        assert_eq!(deciders(&people(&["a", "b"], &["amara"]), Required::All), "All must approve: amara, one of a and one of b");
    }

    #[test]
    fn different_rules_have_different_anchors() {
        let one = rule_anchor("root:acme", "a-b", "c");
        assert!(one.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_'), "{one}");
        assert_ne!(one, rule_anchor("root:acme", "a", "b-c"));
    }
}
