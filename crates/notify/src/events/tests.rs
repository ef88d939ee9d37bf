use promise::api::{CurrentStatus, Requester};
use serde_json::json;

use promise::notify::Event;

use super::*;
use crate::texts;

const HOUR: i64 = 3600;

/// Some display names.
struct Titled;

impl Titles for Titled {
    fn promise_at(&self, home: &str, name: &str) -> Option<String> {
        (home == "root:platform" && name == "postgresql").then(|| "PostgreSQL".to_owned())
    }

    fn promise_in(&self, _: &str, _: &str) -> Option<String> {
        None
    }

    fn policy_in(&self, cluster: &str, name: &str) -> Option<String> {
        (cluster == "acme" && name == "production-databases").then(|| "A second pair of eyes".to_owned())
    }
}

/// No display names.
struct Untitled;

impl Titles for Untitled {
    fn promise_at(&self, _: &str, _: &str) -> Option<String> {
        None
    }

    fn promise_in(&self, _: &str, _: &str) -> Option<String> {
        None
    }

    fn policy_in(&self, _: &str, _: &str) -> Option<String> {
        None
    }
}

static NOBODY: std::sync::LazyLock<PeopleNames> = std::sync::LazyLock::new(PeopleNames::default);

/// Texts that use the names of objects and usernames.
fn nameless() -> Names<'static> {
    Names { people: &NOBODY, titles: &Untitled }
}

fn request(status: serde_json::Value) -> PromiseRequest {
    serde_json::from_value(json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest",
        "metadata": {"name": "orders-db", "namespace": "default", "uid": "u-1", "creationTimestamp": "2026-11-21T08:00:00Z"},
        "spec": {"promise": {"name": "postgresql"}, "requester": {"username": "dev-shop"}},
        "status": status,
    }))
    .unwrap()
}

fn waiting(given: serde_json::Value) -> PromiseRequest {
    let rule = json!({"policy": "production-databases", "name": "operations-agree"});
    request(json!({
        "observedGeneration": 1, "phase": "AwaitingApproval",
        "candidate": {
            "release": "orders-db-aa", "version": "1.0.0", "revision": "r", "contentHash": "aa11", "state": "awaitingApproval",
            "since": "2026-11-21T09:00:00Z",
        },
        "approvals": [{
            "rule": rule, "source": "root:acme", "cluster": "acme", "approvers": {"groups": ["acme-approvers"], "users": ["olga"]},
            "required": 2, "given": given, "state": "waiting", "expiresAt": "2026-11-24T09:00:00Z",
        }],
    }))
}

/// The page for deciding about the content.
fn changed() -> Page {
    Page::ApprovalSince { uid: "u-1".into(), hash: "aa11".into() }
}

fn at(text: &str) -> i64 {
    seconds(text).unwrap()
}

fn events(request: &PromiseRequest) -> Vec<Event> {
    of(request, "root:acme:shop", at("2026-11-21T10:00:00Z"), 24 * HOUR, nameless()).into_iter().map(|told| told.content.event()).collect()
}

#[test]
fn a_question_goes_to_whom_its_rule_asks_and_not_to_who_asked_or_has_answered() {
    let given = json!([{"by": "amara", "at": "2026-11-21T09:30:00Z", "approval": "a-1", "decision": "approve", "comment": "Fine for Q4."}]);
    let told = of(&waiting(given), "root:acme:shop", at("2026-11-21T10:00:00Z"), 24 * HOUR, nameless());
    let [question, decision] = told.as_slice() else { panic!("{told:#?}") };
    assert_eq!(question.content.event(), Event::ApprovalNeeded);
    let Audience::Approvers { approvers, except } = &question.audience else { panic!("{question:?}") };
    assert_eq!((approvers.groups.as_slice(), approvers.users.as_slice()), (&["acme-approvers".to_owned()][..], &["olga".to_owned()][..]));
    assert_eq!(except, &["amara", "dev-shop"]);
    assert_eq!(question.link, changed());
    assert_eq!(texts::text(question), "dev-shop requested postgresql in root:acme:shop. Expires on 24\u{a0}Nov\u{a0}2026, 09:00 UTC.");
    assert_eq!(decision.content.event(), Event::Approved);
    assert_eq!(decision.audience, Audience::Person("dev-shop".into()));
    assert_eq!((&*texts::title(&decision.content), &*texts::text(decision)), ("amara approved orders-db", "“Fine for Q4.”"));
    let names = PeopleNames::new([("amara".to_owned(), "Amara Okafor".to_owned()), ("dev-shop".to_owned(), "Dana Shaw".to_owned())]);
    let given = json!([{"by": "amara", "at": "2026-11-21T09:30:00Z", "approval": "a-1", "decision": "approve"}]);
    let named = of(&waiting(given), "root:acme:shop", at("2026-11-21T10:00:00Z"), 24 * HOUR, Names { people: &names, titles: &Titled });
    assert!(named.iter().any(|told| texts::title(&told.content) == "Amara Okafor approved orders-db"), "{named:#?}");
    assert!(named.iter().any(|told| texts::text(told).starts_with("Dana Shaw requested postgresql")), "its home isn't known: {named:#?}");
    assert!(
        named
            .iter()
            .any(|told| texts::because(&told.because) == "You're an approver for the policy A second pair of eyes, set at root:acme."),
        "{named:#?}"
    );
    let mut of_home = waiting(json!([]));
    of_home.spec.promise.workspace = Some("root:platform".into());
    let titled = of(&of_home, "root:acme:shop", at("2026-11-21T10:00:00Z"), 24 * HOUR, Names { people: &names, titles: &Titled });
    assert!(texts::text(&titled[0]).starts_with("Dana Shaw requested PostgreSQL in"), "{titled:#?}");
    assert_eq!(named.iter().map(|told| &told.key).collect::<Vec<_>>(), [&question.key, &decision.key], "a name makes nothing new");
}

#[test]
fn the_last_reminder_that_is_due_is_told_and_none_that_was_missed() {
    let reminders = |now: &str| {
        let told = of(&waiting(json!([])), "root:acme:shop", at(now), 24 * HOUR, nameless());
        told.into_iter().filter(|told| told.content.event() == Event::Reminder).map(|told| told.at).collect::<Vec<_>>()
    };
    assert_eq!(reminders("2026-11-22T08:59:59Z"), Vec::<i64>::new());
    assert_eq!(reminders("2026-11-22T09:00:00Z"), [at("2026-11-22T09:00:00Z")]);
    assert_eq!(reminders("2026-11-24T12:00:00Z"), [at("2026-11-24T09:00:00Z")]);
    let key = |now: &str| {
        of(&waiting(json!([])), "root:acme:shop", at(now), 24 * HOUR, nameless()).into_iter().map(|told| told.key).collect::<Vec<_>>()
    };
    assert_eq!(key("2026-11-22T09:00:00Z"), key("2026-11-23T08:59:59Z"), "the same reminder all day");
}

#[test]
fn nobody_is_reminded_while_changes_are_asked_for() {
    let remind = |request: &PromiseRequest| {
        let told = of(request, "root:acme:shop", at("2026-11-22T10:00:00Z"), 24 * HOUR, nameless());
        told.into_iter().filter(|told| told.content.event() == Event::Reminder).count()
    };
    let mut held = waiting(json!([]));
    let approvals = &mut held.status.as_mut().unwrap().approvals;
    let mut other = approvals[0].clone();
    other.rule.name = "security-agrees".into();
    approvals.push(other);
    assert_eq!(remind(&held), 2);
    held.status.as_mut().unwrap().approvals[1].state = promise::api::ApprovalState::ChangesRequested;
    assert_eq!(remind(&held), 0, "nor by the rule that still waits");
}

#[test]
fn what_does_not_count_is_no_decision() {
    let given = json!([{"by": "mallory", "approval": "a-2", "decision": "approve", "void": "mallory does not have the right."}]);
    assert_eq!(events(&waiting(given)), [Event::ApprovalNeeded]);
    let own = json!([{"by": "dev-shop", "approval": "a-3", "decision": "reject"}]);
    assert_eq!(events(&waiting(own)), [Event::ApprovalNeeded], "nobody is told what they did themselves");
}

#[test]
fn who_decided_about_another_content_hears_that_it_changed() {
    let given = json!([{
        "by": "amara", "at": "2026-11-21T08:30:00Z", "approval": "a-1", "decision": "approve", "contentHash": "0000", "state": "superseded",
        "void": "It was about an earlier content.",
    }]);
    let told = of(&waiting(given), "root:acme:shop", at("2026-11-21T10:00:00Z"), 24 * HOUR, nameless());
    let [question, void] = told.as_slice() else { panic!("{told:#?}") };
    let Audience::Approvers { except, .. } = &question.audience else { panic!("{question:?}") };
    assert_eq!(except, &["dev-shop"], "amara is asked again");
    assert_eq!((void.content.event(), &void.audience), (Event::DecisionVoid, &Audience::Person("amara".into())));
    assert_eq!((&*texts::text(void), &void.link), ("It was about an earlier content.", &changed()));
}

#[test]
fn broken_glass_is_told_to_everybody_who_would_have_been_asked() {
    let given = json!([{
        "by": "olga", "at": "2026-11-21T09:30:00Z", "approval": "a-1", "decision": "approve", "comment": "Shop is down.", "emergency": true,
        "contentHash": "aa11", "state": "counts",
    }]);
    let told = of(&waiting(given), "root:acme:shop", at("2026-11-21T10:00:00Z"), 24 * HOUR, nameless());
    let loud = told.iter().find(|told| told.content.event() == Event::Emergency).expect("it is told");
    assert_eq!((&*texts::title(&loud.content), &*texts::text(loud)), ("olga approved orders-db with an override", "“Shop is down.”"));
    assert!(
        matches!(&loud.audience, Audience::Approvers { approvers, except } if approvers.groups == ["acme-approvers"] && except == &["olga"])
    );
}

/// A request whose release is rolled out, with one step of its workflow.
fn with_step(step: serde_json::Value) -> PromiseRequest {
    request(json!({
        "observedGeneration": 1, "phase": "Provisioning",
        "candidate": {
            "release": "orders-db-aa", "version": "1.0.0", "revision": "r", "contentHash": "aa11", "state": "accepted",
            "since": "2026-11-21T08:30:00Z",
        },
        "workflow": {"name": "provision", "release": "orders-db-aa", "run": 1, "attempt": 1, "phase": "Running"},
        "steps": [step],
    }))
}

#[test]
fn a_step_that_waits_is_told_to_its_approvers_and_a_skip_to_who_requested_it() {
    let line = |state: &str, given: serde_json::Value| {
        json!({
            "rule": {"promise": "postgresql", "name": "board"}, "source": "root:platform", "cluster": "platform",
            "approvers": {"groups": ["operations"]}, "required": 1, "given": given, "state": state,
        })
    };
    let waiting = with_step(json!({
        "id": "board", "kind": "approve", "phase": "Running", "attempts": 1, "startedAt": "2026-11-21T09:00:00Z", "contentHash": "5e7b",
        "approval": line("waiting", json!([])),
    }));
    let only = |request: &PromiseRequest, event: Event| {
        let told = of(request, "root:acme:shop", at("2026-11-21T10:00:00Z"), 24 * HOUR, nameless());
        let mut found = told.into_iter().filter(|told| told.content.event() == event);
        found.next().filter(|_| found.next().is_none()).expect("exactly one")
    };
    let question = only(&waiting, Event::ApprovalNeeded);
    assert_eq!(question.at, at("2026-11-21T09:00:00Z"));
    let Audience::Approvers { approvers, except } = &question.audience else { panic!("{question:?}") };
    assert_eq!((approvers.groups.as_slice(), except.as_slice()), (&["operations".to_owned()][..], &["dev-shop".to_owned()][..]));
    assert_eq!(question.link, Page::ApprovalSince { uid: "u-1".into(), hash: "5e7b".into() });

    let given = json!([{
        "by": "olga", "at": "2026-11-21T09:30:00Z", "approval": "s-1", "decision": "skip", "comment": "Done by hand.", "contentHash": "5e7b",
        "state": "counts",
    }]);
    let skipped = with_step(json!({"id": "ticket", "kind": "http", "phase": "Skipped", "attempts": 1, "approval": line("waiting", given)}));
    let skip = only(&skipped, Event::Emergency);
    assert_eq!(skip.audience, Audience::Person("dev-shop".into()));
    assert_eq!((&*texts::title(&skip.content), &*texts::text(&skip)), ("olga skipped a step of orders-db", "“Done by hand.”"));
}

#[test]
fn a_rule_whose_turn_has_not_come_asks_nobody() {
    let mut queued = waiting(json!([]));
    queued.status.as_mut().unwrap().approvals[0].state = promise::api::ApprovalState::Queued;
    assert_eq!(events(&queued), []);
}

#[test]
fn another_content_and_another_question_are_news_and_the_same_is_none() {
    let id = |request: &PromiseRequest| {
        let told = of(request, "root:acme:shop", at("2026-11-21T10:00:00Z"), 24 * HOUR, nameless());
        id("u-1", &told[0], "olga")
    };
    let first = waiting(json!([]));
    assert_eq!(id(&first), id(&waiting(json!([]))));
    let mut changed = first.clone();
    changed.status.as_mut().unwrap().candidate.as_mut().unwrap().content_hash = "bb22".into();
    assert_ne!(id(&changed), id(&first));
    let mut again = first.clone();
    again.status.as_mut().unwrap().candidate.as_mut().unwrap().since = Some("2026-11-21T09:45:00Z".into());
    assert_ne!(id(&again), id(&first));
    assert_ne!(hashed(&["ab", "c"]), hashed(&["a", "bc"]));
}

#[test]
fn a_request_is_told_of_once_per_turn_it_takes() {
    let status = |phase: &str, more: serde_json::Value| {
        let mut status = json!({"observedGeneration": 2, "phase": phase});
        status.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request(status)
    };
    let current = json!({"release": "orders-db-aa", "version": "1.0.0", "revision": "r", "since": "2026-11-21T09:30:00Z"});
    assert_eq!(events(&status("Ready", json!({"current": current}))), [Event::Ready]);
    assert_eq!(events(&status("Provisioning", json!({}))), []);
    assert_eq!(
        events(&status("Rejected", json!({"waitingOn": {"kind": "person", "reason": "PolicyViolation", "message": "Too large"}}))),
        [Event::Refused]
    );
    let unhealthy = |at: &str| {
        json!({"current": current, "conditions": [
            {"type": "Healthy", "status": "False", "reason": "Broken", "lastTransitionTime": at},
            {"type": "Applied", "status": "True", "reason": "Applied", "lastTransitionTime": "2026-11-21T09:00:00Z"},
        ]})
    };
    let keys = |request: &PromiseRequest| of(request, "w", 0, HOUR, nameless()).into_iter().map(|told| told.key).collect::<Vec<_>>();
    let (one, two) = (status("Degraded", unhealthy("2026-11-21T10:00:00Z")), status("Degraded", unhealthy("2026-11-21T11:00:00Z")));
    assert_eq!(events(&one), [Event::Degraded]);
    assert_ne!(keys(&one), keys(&two), "it broke again");
    assert_eq!(events(&status("Failed", unhealthy("2026-11-21T10:00:00Z"))), [Event::Failed]);
}

/// A working instance whose change is refused by its Destination is not reported as an outage.
#[test]
fn a_change_that_is_refused_is_not_told_as_an_outage() {
    let title = |phase: &str, applied: (&str, &str), healthy: &str| {
        let condition = |name: &str, (status, reason): (&str, &str)| json!({"type": name, "status": status, "reason": reason, "lastTransitionTime": "2026-11-21T10:00:00Z"});
        let conditions = [condition("Applied", applied), condition("Healthy", (healthy, "r"))];
        let told = of(&request(json!({"observedGeneration": 2, "phase": phase, "conditions": conditions})), "w", 0, HOUR, nameless());
        Some(texts::title(&told.into_iter().find(|told| told.content.event() == Event::Degraded)?.content))
    };
    let (not_changed, outage) = (Some("orders-db could not be changed"), Some("orders-db is degraded"));
    assert_eq!(title("Ready", ("False", "Refused"), "True").as_deref(), not_changed);
    assert_eq!(title("Ready", ("False", "Applying"), "True"), None, "it is on its way");
    assert_eq!(title("Degraded", ("False", "r"), "True").as_deref(), not_changed);
    assert_eq!(title("Degraded", ("True", "r"), "False").as_deref(), outage);
    assert_eq!(title("Degraded", ("False", "r"), "False").as_deref(), outage);
}

#[test]
fn an_agreement_keeps_its_key_when_it_becomes_what_runs() {
    let given = json!([{"by": "amara", "at": "2026-11-21T09:30:00Z", "approval": "a-1", "decision": "approve"}]);
    let mut accepted = waiting(given);
    let status = accepted.status.as_mut().unwrap();
    status.approvals[0].state = promise::api::ApprovalState::Approved;
    status.candidate.as_mut().unwrap().state = promise::api::CandidateState::Accepted;
    status.phase = promise::api::Phase::Provisioning;
    let mut runs = accepted.clone();
    let status = runs.status.as_mut().unwrap();
    status.candidate = None;
    status.current = Some(CurrentStatus { release: "orders-db-aa".into(), ..CurrentStatus::default() });
    let told = |request: &PromiseRequest| {
        of(request, "w", 0, HOUR, nameless()).into_iter().filter(|told| told.content.event() == Event::Accepted).collect::<Vec<_>>()
    };
    assert_eq!(told(&accepted).len(), 1);
    assert_eq!(told(&accepted), told(&runs));
    assert_eq!(told(&accepted)[0].at, at("2026-11-21T09:30:00Z"));
}

#[test]
fn of_a_request_that_nobody_asked_for_nobody_is_told() {
    let mut nobodys =
        request(json!({"observedGeneration": 1, "phase": "Ready", "current": {"release": "a", "version": "1", "revision": "r"}}));
    nobodys.spec.requester = Some(Requester::default());
    assert_eq!(events(&nobodys), []);
    nobodys.spec.requester = None;
    assert_eq!(events(&nobodys), []);
}

#[test]
fn an_owner_is_reminded_before_a_request_expires_and_told_when_it_has() {
    let current = |expires: &str| json!({"release": "orders-db-aa", "version": "1.0.0", "revision": "r", "expiresAt": expires});
    let told_at = |now: &str, renewed: &str| {
        let request = request(json!({"observedGeneration": 1, "phase": "Ready", "current": current(renewed)}));
        let told = of(&request, "root:acme:shop", at(now), HOUR, nameless());
        let told = told.into_iter().filter(|told| !matches!(told.content, Content::Outcome { outcome: Outcome::Ready, .. }));
        told.map(|told| (texts::title(&told.content), texts::text(&told), told.key)).collect::<Vec<_>>()
    };
    let end = "2027-01-31T00:00:00Z";
    assert_eq!(told_at("2027-01-20T00:00:00Z", end), []);
    let [week] = told_at("2027-01-24T00:00:00Z", end).try_into().unwrap();
    assert_eq!(
        (week.0.as_str(), week.1.as_str()),
        ("orders-db expires on 31\u{a0}Jan\u{a0}2027, 00:00 UTC", "Renew it on its page if you still need it.")
    );
    assert_eq!(told_at("2027-01-29T00:00:00Z", end), std::slice::from_ref(&week), "once");
    let [day] = told_at("2027-01-30T01:00:00Z", end).try_into().unwrap();
    assert!(day.0 == week.0 && day.2 != week.2);
    let [over] = told_at("2027-01-31T00:00:00Z", end).try_into().unwrap();
    assert_eq!(
        (over.0.as_str(), over.1.as_str()),
        ("orders-db has expired", "Renew it on its page, or it is deleted after 3\u{a0}Feb\u{a0}2027, 00:00 UTC.")
    );
    assert_ne!(told_at("2027-01-31T00:00:00Z", "2027-02-01T00:00:00Z")[0].2, day.2, "a renewal expires, too");

    let deleted = |at: &str| {
        let mut request = request(json!({"observedGeneration": 1, "phase": "Deleting", "current": current(end)}));
        request.metadata.deletion_timestamp = Some(serde_json::from_value(json!(at)).unwrap());
        let [told] = of(&request, "root:acme:shop", 0, HOUR, nameless()).try_into().unwrap();
        texts::text(&told)
    };
    assert_eq!(deleted("2027-02-03T00:00:10Z"), "It expired and wasn't renewed.");
    assert_eq!(deleted("2027-01-31T00:00:00Z"), "The request disappears once everything is deleted.");
}
