//! Rules about the requester, for everyone behind a request.

use serde_json::json;

use super::kinds::policy;
use super::world::{context, settled_for};
use crate::api::Enforcement::Block;
use crate::api::{DeletionPolicy, Requester};
use crate::context::Context;

fn person(name: &str, groups: &[&str]) -> Requester {
    Requester { username: name.to_owned(), groups: groups.iter().map(|group| (*group).to_owned()).collect(), cluster: None }
}

fn behind(requester: Requester, changers: &[Requester]) -> Context {
    let mut context = context();
    (context.request.requester, context.request.changers) = (requester, changers.to_vec());
    context
}

#[test]
fn a_validate_rule_has_to_hold_for_everyone_who_is_behind_a_request() {
    let rule = json!([{"name": "r", "validate": {"expression": "!('guests' in request.requester.groups)", "message": "Not for guests."}}]);
    let rule = [policy("p", 1, Block, rule)];
    let (member, guest) = (|| person("dana", &["team"]), || person("erin", &["guests"]));
    for (what, context, refused) in [
        ("a member", behind(member(), &[]), None),
        ("a guest", behind(guest(), &[]), Some("Not for guests. The policy p at root:level1 (team p) requires this.")),
        ("a member, after a member", behind(member(), &[person("olga", &["team"])]), None),
        ("a guest, after a member", behind(member(), &[guest()]), Some("The rule also applies to erin")),
        ("a member, after a guest", behind(guest(), &[member()]), Some("Not for guests.")),
        ("two of whom one is a guest", behind(member(), &[member(), guest()]), Some("The rule also applies to erin")),
    ] {
        let refusals = settled_for(&rule, &json!({}), &context).resolved.refusals;
        match refused {
            Some(says) => assert!(refusals.len() == 1 && refusals[0].problem().message.contains(says), "{what}: {refusals:?}"),
            None => assert!(refusals.is_empty(), "{what}: {refusals:?}"),
        }
    }
}

#[test]
fn a_condition_counts_when_it_holds_for_one_of_those_who_are_behind_a_request() {
    let rule = json!([{"name": "r", "set": {"parameter": ".region", "value": "eu", "when": "'guests' in request.requester.groups"}}]);
    let rule = [policy("p", 1, Block, rule)];
    let region = |context: Context| settled_for(&rule, &json!({}), &context).resolved.parameters.get("region").cloned();
    assert_eq!(region(behind(person("dana", &["team"]), &[])), None);
    assert_eq!(region(behind(person("dana", &["team"]), &[person("erin", &["guests"])])), Some(json!("eu")));
    assert_eq!(region(behind(person("erin", &["guests"]), &[person("dana", &["team"])])), Some(json!("eu")));
}

#[test]
fn expressions_know_the_deletion_policy_and_the_cluster_of_a_service_account() {
    let of = |expression: &str, context: &Context| {
        let rule = json!([{"name": "r", "validate": {"expression": expression, "message": "No."}}]);
        settled_for(&[policy("p", 1, Block, rule)], &json!({}), context).resolved.refusals.is_empty()
    };
    let mut context = context();
    assert!(of("request.deletionPolicy == 'Delete'", &context) && of("request.requester.cluster == ''", &context));
    context.request.deletion_policy = DeletionPolicy::Orphan;
    context.request.requester.cluster = Some("a1".to_owned());
    assert!(of("request.deletionPolicy == 'Orphan'", &context) && of("request.requester.cluster == 'a1'", &context));
}
