use serde_json::json;

use super::{ActionSchedule, scheduled};
use crate::api::{PolicySpec, Schedule};
use crate::policy::{Origin, PolicySource, Reading};

#[test]
fn a_schedule_is_read_with_its_defaults() {
    let schedule: Schedule = serde_json::from_value(json!({"action": "backup", "cron": " @daily ", "retention": "7d"})).unwrap();
    let parsed = ActionSchedule::parse(&schedule).unwrap();
    assert_eq!((parsed.timezone.as_str(), parsed.retention, parsed.cron.as_str()), ("UTC", Some(7 * 86_400), "@daily"));
    assert_eq!(parsed.next("2026-11-27T12:00:00Z".parse().unwrap()).unwrap().to_string(), "2026-11-28T00:00:00Z");
}

#[test]
fn broken_and_suspended_rules_schedule_nothing() {
    let rule = |name: &str, cron: &str| json!({"name": name, "schedule": {"action": "backup", "cron": cron}});
    let of = |disabled: bool| {
        let rules = json!([rule("nightly", "0 2 * * *"), rule("broken", "often"), rule("dense", "* * * * *")]);
        let spec: PolicySpec = serde_json::from_value(json!({"rules": rules, "disabled": disabled})).unwrap();
        let reading = std::sync::Arc::new(Reading::of(spec, false));
        let source = PolicySource::new("backups", "root:acme", "acme", Origin::TrustedHome, reading);
        // The same policy found twice is one.
        let found = scheduled(&[source.clone(), source]);
        found.into_iter().map(|ruling| ruling.from.rule).collect::<Vec<_>>()
    };
    assert_eq!(of(false), ["nightly"]);
    assert_eq!(of(true), [] as [&str; 0]);
}
