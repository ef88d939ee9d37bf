//! Rules as sentences for users: plain English, never the expression.

use serde_json::Value;

use super::bounds::Bounds;
use super::window;
use crate::api::{AppliesTo, Approve, Approvers, Constrain, FIRST_STAGE, Limit, PromiseSpec, Required, Rule, Schedule, Window};
use crate::path::Path;
use crate::price::Money;
use crate::text_kind::cron;
use crate::wording::{all_of, counted, lower_first, noun, number, one_of, upper_first, value};

/// Describes one rule of a policy, as a sentence with a full stop.
pub fn of_rule(spec: &PromiseSpec, rule: &Rule) -> String {
    let condition = rule.when().and_then(|when| condition(spec, when));
    under(spec, rule, condition.as_deref())
}

/// Describes one rule of a policy with this scope: rules for actions say so.
pub fn in_scope(spec: &PromiseSpec, range: &AppliesTo, rule: &Rule) -> String {
    if !range.is_for_actions() {
        let is_of_one = matches!(range.promises.as_slice(), [only] if !only.contains('*'));
        return match &rule.limit {
            // Such a limit counts the requests of each promise on its own.
            Some(limit) if !is_of_one && rule.when().is_none() => most(limit, "each promise"),
            _ => of_rule(spec, rule),
        };
    }
    let runs = format!("Runs of {}", all_of(&range.actions));
    match &rule.window {
        Some(window) => format!("{runs} start {}.", open(window)),
        None => format!("{runs}: {}", of_rule(spec, rule)),
    }
}

/// Describes a condition, such as `tier is production`. Returns nothing if it isn't simple enough, or isn't an expression.
pub fn condition(spec: &PromiseSpec, when: &str) -> Option<String> {
    super::condition::words(spec, &super::compile(when).ok()?)
}

/// Describes one rule with its condition in words, such as `tier is production`, if there is one.
pub fn under(spec: &PromiseSpec, rule: &Rule, condition: Option<&str>) -> String {
    let sentence = plain(spec, rule);
    // A name that begins the sentence stays as it is.
    let rest = if rule.approve.as_ref().is_some_and(begins_with_name) { sentence.clone() } else { lower_first(&sentence) };
    match (rule.when(), condition) {
        (None, _) => sentence,
        (Some(_), Some(condition)) => format!("When {condition}, {rest}"),
        (Some(_), None) => format!("In some cases, {rest}"),
    }
}

fn plain(spec: &PromiseSpec, rule: &Rule) -> String {
    let named = |text: &str| Path::parse(text).map_or_else(|_| text.to_owned(), |path| upper_first(&noun(spec, &path)));
    if let Some(validate) = &rule.validate {
        return with_stop(&validate.message);
    }
    if let Some(constrain) = &rule.constrain {
        return format!("{} must be {}.", named(&constrain.parameter), bounds(constrain));
    }
    if let Some(set) = &rule.set {
        return format!("{} is always {}.", named(&set.parameter), value(&set.value));
    }
    if let Some(default) = &rule.default {
        return format!("{} defaults to {}; you can change it.", named(&default.parameter), value(&default.value));
    }
    if let Some(inject) = &rule.inject {
        let whom =
            if inject.r#match.kinds.is_empty() { "every object".to_owned() } else { format!("every {}", all_of(&inject.r#match.kinds)) };
        return format!("The platform adds {} to {whom} of this request.", added(inject.merge.as_ref()));
    }
    if let Some(limit) = &rule.limit {
        return most(limit, "this promise");
    }
    if let Some(budget) = &rule.budget {
        let most = Money::parse(&budget.monthly, budget.currency.as_str());
        let most = most.map_or_else(|_| format!("{} {}", budget.monthly, budget.currency), |most| most.to_string());
        return format!("Budget: {most} a month for all covered requests {}.", scope(&budget.per));
    }
    if let Some(approve) = &rule.approve {
        return format!("{}.", approval(approve));
    }
    if let Some(schedule) = &rule.schedule {
        return runs(schedule);
    }
    if let Some(window) = &rule.window {
        return window_of_change(window);
    }
    format!("The rule {} has no effect.", rule.name)
}

fn most(limit: &Limit, promise: &str) -> String {
    let scope = if limit.per == "promise" { String::new() } else { format!(" {}", scope(&limit.per)) };
    let verb = if limit.count == 1 { "is" } else { "are" };
    format!("At most {} of {promise} {verb} allowed{scope}.", counted(limit.count, "request"))
}

/// Describes what a constraint allows, as words that follow “must be” or “requires”.
pub fn bounds(constrain: &Constrain) -> String {
    let mut parts = Vec::new();
    if !constrain.r#enum.is_empty() {
        parts.push(one_of(&constrain.r#enum.iter().map(value).collect::<Vec<_>>()));
    }
    parts.extend(match (constrain.minimum, constrain.maximum) {
        (Some(low), Some(high)) if low == high => Some(number(low)),
        (Some(low), Some(high)) => Some(format!("between {} and {}", number(low), number(high))),
        (Some(low), None) => Some(format!("at least {}", number(low))),
        (None, Some(high)) => Some(format!("at most {}", number(high))),
        (None, None) => None,
    });
    parts.extend(counted_range(constrain.min_length, constrain.max_length, "character"));
    parts.extend(counted_range(constrain.min_items, constrain.max_items, "item"));
    if constrain.pattern.is_some() {
        parts.push("in the format that the platform requires".to_owned());
    }
    all_of(&parts)
}

/// Describes the numbers that bounds allow: `1 to 7`, `at least 2`, `above 0 and at most 1`.
pub(crate) fn span(of: &Bounds) -> Option<String> {
    let low = of.minimum.map(|low| format!("{} {}", if of.exclusive_minimum { "above" } else { "at least" }, number(low)));
    let high = of.maximum.map(|high| format!("{} {}", if of.exclusive_maximum { "below" } else { "at most" }, number(high)));
    match (of.minimum, of.maximum) {
        (Some(low), Some(high)) if !of.exclusive_minimum && !of.exclusive_maximum => Some(format!("{} to {}", number(low), number(high))),
        _ => low.into_iter().chain(high).reduce(|low, high| format!("{low} and {high}")),
    }
}

/// Describes a count: `2 to 5 items`, `at least 1 item`, `at most 63 characters`.
pub(crate) fn counted_range(low: Option<u64>, high: Option<u64>, noun: &str) -> Option<String> {
    match (low, high) {
        (Some(low), Some(high)) if low == high => Some(format!("exactly {}", counted(low, noun))),
        (Some(low), Some(high)) => Some(format!("{low} to {}", counted(high, noun))),
        (Some(low), None) => Some(format!("at least {}", counted(low, noun))),
        (None, Some(high)) => Some(format!("at most {}", counted(high, noun))),
        (None, None) => None,
    }
}

/// Describes who has to approve, as a sentence without its full stop.
pub fn approval(approve: &Approve) -> String {
    let mut people = approve.approvers.groups.clone();
    people.extend(approve.approvers.users.iter().cloned());
    let anybody = people.is_empty();
    let one = one_of(&people);
    let required = match approve.required() {
        Required::All if approve.required().voices(&approve.approvers) == 1 => Required::Count(1),
        other => other,
    };
    let who = match required {
        Required::Count(0 | 1) if anybody => "An approver must approve".to_owned(),
        Required::Count(0 | 1) if approve.approvers.groups.is_empty() => format!("{one} must approve"),
        Required::Count(0 | 1) => format!("One of {one} must approve"),
        Required::Count(count) if anybody => format!("{count} approvers must approve"),
        Required::Count(count) => format!("{count} of {one} must approve"),
        Required::All => format!("{} must approve", all_named(&approve.approvers)),
    };
    let when = match approve.stage() {
        0 | FIRST_STAGE => "first".to_owned(),
        stage => format!("in stage {stage}"),
    };
    let open = approve.expires_after.as_ref().map(|after| format!("; the approval expires after {}", duration(after))).unwrap_or_default();
    let own = if approve.self_approval { ", and the requester can approve" } else { "" };
    format!("{who} {when}{own}{open}")
}

/// Whether the sentence of an approval begins with a user name: those are never capitalized.
fn begins_with_name(approve: &Approve) -> bool {
    let is_one = matches!(approve.required(), Required::Count(0 | 1)) && approve.approvers.groups.is_empty();
    !approve.approvers.users.is_empty() && (is_one || approve.required() == Required::All)
}

/// Returns `amara, one of a and one of b`, or `One of a and one of b` if no user is named.
fn all_named(approvers: &Approvers) -> String {
    let mut all = approvers.users.clone();
    all.extend(approvers.groups.iter().map(|group| format!("one of {group}")));
    let all = all_of(&all);
    if approvers.users.is_empty() { upper_first(&all) } else { all }
}

fn window_of_change(window: &Window) -> String {
    format!("Changes of running instances are carried out {}.", open(window))
}

/// Returns when a window is open: `every day between 02:00 and 06:00 (UTC)`.
fn open(window: &Window) -> String {
    let named: Vec<String> = window.days.iter().map(|day| window::day_name(day).unwrap_or(day).to_owned()).collect();
    let days = if named.is_empty() { "every day".to_owned() } else { format!("on {}", all_of(&named)) };
    let next = if window.to <= window.from { " on the next day" } else { "" };
    let zone = window.timezone.as_deref().unwrap_or("UTC");
    format!("{days} between {} and {}{next} ({zone})", window.from, window.to)
}

fn runs(schedule: &Schedule) -> String {
    let zone = schedule.timezone.as_deref().unwrap_or("UTC");
    let when = cron::said_in(schedule.cron.trim(), zone).map(|words| cron::lower_start(&words));
    let when = when.unwrap_or_else(|| format!("on the schedule {} ({zone})", schedule.cron));
    let kept = schedule.retention.as_ref().map(|kept| format!(" and keeps results for {}", duration(kept))).unwrap_or_default();
    format!("The platform runs {} {when}{kept}.", schedule.action)
}

fn scope(per: &str) -> &str {
    match per {
        "subtree" => "in the workspace where this is set and below",
        _ => "in each workspace",
    }
}

/// Formats `72h` as `72 h`, with a non-breaking space before the unit.
fn duration(text: &str) -> String {
    match text.find(|letter: char| !letter.is_ascii_digit()) {
        Some(at) if at > 0 => format!("{}\u{a0}{}", &text[..at], &text[at..]),
        _ => text.to_owned(),
    }
}

/// Describes what a merge writes, by the names of its deepest fields.
fn added(merge: Option<&Value>) -> String {
    fn leaves(at: &Value, name: &str, into: &mut Vec<String>) {
        match at {
            Value::Object(fields) if !fields.is_empty() => fields.iter().for_each(|(key, next)| leaves(next, key, into)),
            _ => into.push(name.to_owned()),
        }
    }
    let mut names = Vec::new();
    if let Some(merge) = merge {
        leaves(merge, "", &mut names);
    }
    names.retain(|name| !name.is_empty());
    if names.is_empty() { "settings".to_owned() } else { lower_first(&all_of(&names)) }
}

fn with_stop(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?', '…']) { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::{in_scope, of_rule};
    use crate::api::{AppliesTo, PromiseSpec, Rule};
    use serde_json::{Value, json};

    fn sentence(rule: Value) -> String {
        let form = json!({"fields": {".storage": {"title": "Storage of each replica"}}});
        let spec = PromiseSpec { form: serde_json::from_value(form).unwrap(), ..PromiseSpec::default() };
        let mut rule: Rule = serde_json::from_value(rule).unwrap();
        rule.name = "r".into();
        of_rule(&spec, &rule)
    }

    #[test]
    fn rules_for_actions_name_them() {
        let range = AppliesTo { actions: vec!["restore".into(), "scale".into()], ..AppliesTo::default() };
        let of = |rule: Value| in_scope(&PromiseSpec::default(), &range, &serde_json::from_value(rule).unwrap());
        let window = json!({"name": "w", "window": {"from": "02:00", "to": "06:00"}});
        assert_eq!(of(window), "Runs of restore and scale start every day between 02:00 and 06:00 (UTC).");
        let validate = json!({"name": "v", "validate": {"expression": "false", "message": "Ask Operations"}});
        assert_eq!(of(validate), "Runs of restore and scale: Ask Operations.");
        let approve = json!({"name": "a", "approve": {"approvers": {"groups": ["operations"]}}});
        assert_eq!(of(approve), "Runs of restore and scale: One of operations must approve first.");
    }

    #[test]
    fn a_limit_over_several_promises_counts_each_of_them() {
        let of = |promises: &[&str], limit: Value| {
            let range = AppliesTo { promises: promises.iter().map(|name| (*name).to_owned()).collect(), ..AppliesTo::default() };
            in_scope(&PromiseSpec::default(), &range, &serde_json::from_value(json!({"name": "l", "limit": limit})).unwrap())
        };
        let limit = json!({"count": 3, "per": "workspace"});
        for several in [&[][..], &["redis", "postgresql"], &["post*"]] {
            assert_eq!(of(several, limit.clone()), "At most 3 requests of each promise are allowed in each workspace.");
        }
        assert_eq!(of(&["redis"], limit), "At most 3 requests of this promise are allowed in each workspace.");
        assert_eq!(of(&[], json!({"count": 1, "per": "promise"})), "At most 1 request of each promise is allowed.");
    }

    #[test]
    fn every_kind_of_rule_reads_as_plain_english() {
        for (rule, words) in [
            (json!({"validate": {"expression": "parameters.a > 1", "message": "Choose more than one"}}), "Choose more than one."),
            (
                json!({"constrain": {"parameter": ".storage", "minimum": 10, "maximum": 200}}),
                "Storage of each replica must be between 10 and 200.",
            ),
            (json!({"constrain": {"parameter": ".region", "enum": ["eu-west", "eu-central"]}}), "Region must be eu-west or eu-central."),
            (
                json!({"constrain": {"parameter": ".name", "maxLength": 20, "pattern": "^x"}}),
                "Name must be at most 20 characters and in the format that the platform requires.",
            ),
            (json!({"set": {"parameter": ".backup.enabled", "value": true}}), "Enabled is always on."),
            (json!({"default": {"parameter": ".region", "value": "eu-west"}}), "Region defaults to eu-west; you can change it."),
            (
                json!({"inject": {"match": {"kinds": ["Deployment"]}, "merge": {"spec": {"runAsNonRoot": true}}}}),
                "The platform adds runAsNonRoot to every Deployment of this request.",
            ),
            (json!({"limit": {"count": 3, "per": "workspace"}}), "At most 3 requests of this promise are allowed in each workspace."),
            (json!({"limit": {"count": 1, "per": "promise"}}), "At most 1 request of this promise is allowed."),
            (
                json!({"budget": {"monthly": "500.00", "currency": "EUR", "per": "subtree"}}),
                "Budget: €500.00 a month for all covered requests in the workspace where this is set and below.",
            ),
            (
                json!({"approve": {"approvers": {"groups": ["platform"]}, "expiresAfter": "72h"}}),
                "One of platform must approve first; the approval expires after 72\u{a0}h.",
            ),
            (
                json!({"approve": {"approvers": {"users": ["amara"]}, "when": "parameters.x || parameters.y"}}),
                "In some cases, amara must approve first.",
            ),
            (json!({"approve": {"approvers": {"groups": ["a", "b"]}, "required": 2}}), "2 of a or b must approve first."),
            (json!({"approve": {"required": 2, "stage": 2}}), "2 approvers must approve in stage 2."),
            (
                json!({"approve": {"approvers": {"groups": ["a", "b"], "users": ["amara"]}, "required": "all"}}),
                "amara, one of a and one of b must approve first.",
            ),
            (
                json!({"schedule": {"action": "backup", "cron": "0 3 * * *", "retention": "7d"}}),
                "The platform runs backup every day at 03:00 (UTC) and keeps results for 7\u{a0}d.",
            ),
            (
                json!({"schedule": {"action": "backup", "cron": "0 2 * * 1-5", "timezone": "Europe/Berlin"}}),
                "The platform runs backup Monday to Friday at 02:00 (Europe/Berlin).",
            ),
            (json!({"schedule": {"action": "backup", "cron": "7 2 1 * 1"}}), "The platform runs backup on the schedule 7 2 1 * 1 (UTC)."),
            (
                json!({"window": {"days": ["sat", "sun"], "from": "22:00", "to": "06:00", "timezone": "Europe/Berlin"}}),
                "Changes of running instances are carried out on Saturday and Sunday between 22:00 and 06:00 on the next day \
                 (Europe/Berlin).",
            ),
            (
                json!({"window": {"from": "02:00", "to": "06:00"}}),
                "Changes of running instances are carried out every day between 02:00 and 06:00 (UTC).",
            ),
        ] {
            let rule = {
                let mut rule = rule;
                rule["name"] = json!("r");
                rule
            };
            assert_eq!(sentence(rule), words);
        }
    }
}
