//! Finds what rolling out the present policies would change in a running instance (`domain.md` 3, 5).
//!
//! A changed policy or price never affects a running release. The change is shown, and rolled out when a user who can edit the request does
//! so.

use std::collections::BTreeMap;

use crate::api::{OutdatedPrice, OutdatedRule, OutdatedStatus, PromiseSpec, ReleaseRule, Rule, RuleChange};
use crate::names::ROLL_OUT_ANNOTATION;
use crate::policy::{Provenance, Ruling, sentence};
use crate::price::Money;
use crate::release::same_rules;
use crate::revision::digest;
use crate::wording::lower_first;

/// Number of characters of a digest, enough to distinguish the rules of one request.
const LETTERS: usize = 16;
/// Maximum number of rules that the sentence names. The status lists them all.
const MAX_LISTED: usize = 4;

/// Returns the digest of rules with their effects, regardless of their order: the value of the annotation that rolls them out. Doesn't fail
/// in practice; rules that can't be serialized have the digest of nothing, which no user can enter.
pub fn rules_digest(rules: &[ReleaseRule]) -> String {
    let by_id: BTreeMap<&str, _> = rules.iter().map(|rule| (rule.id.as_str(), &rule.effect)).collect();
    digest(&by_id).map(|digest| digest.chars().take(LETTERS).collect()).unwrap_or_default()
}

/// Whether the annotations of a request roll out these rules. An empty digest never matches.
pub fn rolls_out<'a>(annotation: impl Fn(&str) -> Option<&'a str>, rules: &[ReleaseRule]) -> bool {
    annotation(ROLL_OUT_ANNOTATION).is_some_and(|asked| !asked.is_empty() && asked == rules_digest(rules))
}

/// The present policies and prices, for a request that runs under others.
#[derive(Clone, Debug)]
pub struct Today<'a> {
    /// Present rules, with their effects.
    pub rules: &'a [ReleaseRule],
    /// The rules as sentences.
    pub sentences: &'a [Ruling<String>],
    /// Monthly price now and at the time of the release. Absent if both are the same.
    pub price: Option<OutdatedPrice>,
    /// Reasons why it would be refused.
    pub refusals: Vec<String>,
}

/// Returns the changes since a release was accepted, or nothing if the rules have the same effects and the price is the same. `place`
/// returns the path of a workspace by its id, because only the id of a removed rule's workspace is stored.
pub fn compare(
    promise: &PromiseSpec,
    accepted: &[ReleaseRule],
    today: Today<'_>,
    place: impl Fn(&str) -> Option<String>,
) -> Option<OutdatedStatus> {
    if same_rules(accepted, today.rules) && today.price.is_none() {
        return None;
    }
    let of =
        |rules: &[ReleaseRule]| -> BTreeMap<String, ReleaseRule> { rules.iter().map(|rule| (rule.id.clone(), rule.clone())).collect() };
    let (former, present) = (of(accepted), of(today.rules));
    let mut rules = Vec::new();
    for (id, rule) in &present {
        let change = match former.get(id) {
            Some(before) if same_rules(std::slice::from_ref(before), std::slice::from_ref(rule)) => continue,
            Some(_) => RuleChange::Changed,
            None => RuleChange::Added,
        };
        let told = today.sentences.iter().find(|ruling| ruling.from.id() == *id);
        rules.push(told.map_or_else(|| former_rule(promise, id, rule, change, &place), |ruling| present_rule(ruling, change)));
    }
    let gone = former.iter().filter(|(id, _)| !present.contains_key(*id));
    rules.extend(gone.map(|(id, rule)| former_rule(promise, id, rule, RuleChange::Removed, &place)));
    Some(OutdatedStatus { digest: rules_digest(today.rules), rules, price: today.price, refusals: today.refusals })
}

fn present_rule(ruling: &Ruling<String>, change: RuleChange) -> OutdatedRule {
    let Provenance { policy, rule, workspace, .. } = ruling.from.clone();
    OutdatedRule { policy, rule, source: Some(workspace), change, sentence: Some(ruling.effect.clone()) }
}

/// Returns a rule of which only identity and effect are known.
fn former_rule(
    promise: &PromiseSpec,
    id: &str,
    rule: &ReleaseRule,
    change: RuleChange,
    place: &impl Fn(&str) -> Option<String>,
) -> OutdatedRule {
    let mut parts = id.rsplitn(3, '/');
    let (name, policy) = (parts.next().unwrap_or_default().to_owned(), parts.next().unwrap_or_default().to_owned());
    // For a promise's own rule, the prefix contains more than the workspace.
    let source = parts.next().and_then(|rest| place(rest.split('/').next()?));
    let mut effect = rule.effect.clone().unwrap_or_default();
    // The message to users isn't part of the effect.
    let told = effect.get("validate").is_none();
    if let Some(fields) = effect.as_object_mut() {
        fields.insert("name".to_owned(), name.clone().into());
    }
    let sentence = serde_json::from_value::<Rule>(effect).ok().filter(|_| told).map(|rule| sentence::of_rule(promise, &rule));
    OutdatedRule { policy, rule: name, source, change, sentence }
}

/// Describes the changes and how to roll them out, as sentences.
pub fn summary(outdated: &OutdatedStatus) -> String {
    let mut said = Vec::new();
    if !outdated.rules.is_empty() {
        let mut changes: Vec<String> = outdated.rules.iter().take(MAX_LISTED).map(changed).collect();
        if let Some(more) = outdated.rules.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
            changes.push(format!("{more} more"));
        }
        said.push(format!("Rules changed after this request was accepted: {}.", changes.join("; ")));
    }
    if let Some(price) = &outdated.price {
        said.push(format!("It was accepted at {} and would cost {} today.", amount(&price.before), amount(&price.today)));
    }
    if let Some(first) = outdated.refusals.first() {
        said.push(format!("It would be refused today: {}.", lower_first(first.trim_end_matches('.'))));
    }
    said.push(format!(
        "Running resources stay as they are. To roll this out, edit the request or annotate it with {ROLL_OUT_ANNOTATION}={}.",
        outdated.digest
    ));
    said.join(" ")
}

fn changed(rule: &OutdatedRule) -> String {
    let verb = match rule.change {
        RuleChange::Added => "was added",
        RuleChange::Changed => "changed",
        RuleChange::Removed => "was removed",
    };
    let source = rule.source.as_ref().map(|source| format!(" at {source}")).unwrap_or_default();
    let says = rule.sentence.as_ref().map(|says| format!(" ({})", says.trim_end_matches('.'))).unwrap_or_default();
    format!("{} of {}{source} {verb}{says}", rule.rule, rule.policy)
}

fn amount(cost: &crate::api::CostStatus) -> String {
    match (&cost.monthly, &cost.currency) {
        (Some(monthly), Some(currency)) => match Money::parse(monthly, currency.as_str()) {
            Ok(money) => format!("{money} a month"),
            Err(_) => format!("{currency}\u{a0}{monthly} a month"),
        },
        (Some(monthly), None) => format!("{monthly} a month"),
        (None, _) => "an unknown price".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Today, compare, rolls_out, rules_digest, summary};
    use crate::api::{CostStatus, OutdatedPrice, PromiseSpec, ReleaseRule, RuleChange};

    fn rule(id: &str, maximum: u32) -> ReleaseRule {
        let effect = json!({"constrain": {"parameter": ".level", "maximum": maximum}, "enforcement": "block"});
        ReleaseRule { id: format!("c1/modest/{id}"), effect: Some(effect) }
    }

    fn today(rules: &[ReleaseRule]) -> Today<'_> {
        Today { rules, sentences: &[], price: None, refusals: Vec::new() }
    }

    #[test]
    fn what_came_changed_and_went_is_told_in_words() {
        let (before, now) = ([rule("a", 5), rule("b", 5), rule("c", 5)], [rule("d", 2), rule("b", 7), rule("c", 5)]);
        let outdated = compare(&PromiseSpec::default(), &before, today(&now), |_| None).unwrap();
        let changes: Vec<_> = outdated.rules.iter().map(|rule| (rule.rule.as_str(), rule.policy.as_str(), rule.change)).collect();
        assert_eq!(
            changes,
            [("b", "modest", RuleChange::Changed), ("d", "modest", RuleChange::Added), ("a", "modest", RuleChange::Removed)]
        );
        let words = summary(&outdated);
        for part in [
            "b of modest changed (Level must be at most 7)",
            "d of modest was added",
            "a of modest was removed (Level must be at most 5)",
            &outdated.digest,
        ] {
            assert!(words.contains(part), "{words}");
        }
    }

    #[test]
    fn a_rule_that_went_says_where_it_was_set() {
        let own = ReleaseRule { id: "c2/promise/redis/e".to_owned(), ..rule("e", 5) };
        let place = |cluster: &str| (cluster != "gone").then(|| format!("root:{cluster}"));
        let of = |before: &[ReleaseRule]| compare(&PromiseSpec::default(), before, today(&[]), place).unwrap().rules;
        let told: Vec<_> = of(&[rule("a", 5), own]).into_iter().map(|rule| (rule.policy, rule.rule, rule.source)).collect();
        let line = |policy: &str, rule: &str, source: &str| (policy.to_owned(), rule.to_owned(), Some(source.to_owned()));
        assert_eq!(told, [line("modest", "a", "root:c1"), line("redis", "e", "root:c2")]);
        assert_eq!(of(&[ReleaseRule { id: "gone/modest/a".to_owned(), ..rule("a", 5) }])[0].source, None);
    }

    #[test]
    fn the_same_rules_in_another_order_change_nothing() {
        let (one, other) = ([rule("a", 5), rule("b", 5)], [rule("b", 5), rule("a", 5)]);
        assert_eq!(compare(&PromiseSpec::default(), &one, today(&other), |_| None), None);
        assert_eq!(rules_digest(&one), rules_digest(&other));
        assert_ne!(rules_digest(&one), rules_digest(&one[..1]));
    }

    #[test]
    fn a_price_alone_is_told_too() {
        let rules = [rule("a", 5)];
        let cost = |monthly: Option<&str>| CostStatus {
            monthly: monthly.map(str::to_owned),
            currency: Some("EUR".to_owned()),
            ..CostStatus::default()
        };
        let price = Some(OutdatedPrice { before: cost(Some("10.00")), today: cost(None) });
        let outdated = compare(&PromiseSpec::default(), &rules, Today { price, ..today(&rules) }, |_| None).unwrap();
        assert!(summary(&outdated).contains("accepted at €10.00 a month and would cost an unknown price today"), "{}", summary(&outdated));
    }

    #[test]
    fn only_the_digest_of_today_rolls_out() {
        let rules = [rule("a", 5)];
        let digest = rules_digest(&rules);
        for (asked, rolls) in [(Some(digest.as_str()), true), (Some("yes"), false), (Some(""), false), (None, false)] {
            assert_eq!(rolls_out(|_| asked, &rules), rolls, "{asked:?}");
        }
    }
}
