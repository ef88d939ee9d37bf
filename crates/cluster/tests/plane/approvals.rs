//! Approvals: who decided is stamped, and what was decided holds for exactly one content. Decisions that do not count are in [`refused`],
//! several stages in [`stages`], questions that are asked again and broken glass in [`again`], requests that promises make in [`composed`],
//! requests that somebody else changed in [`changed`], content that changes without an edit in [`content`], a controller that dies in
//! [`killed`], ServiceAccounts of one name in [`robots`], how many releases are kept in [`trimmed`], and releases that cannot be written down
//! in [`unrecorded`].

mod again;
mod changed;
mod composed;
mod content;
mod killed;
mod refused;
mod robots;
mod stages;
mod trimmed;
mod unrecorded;

use cluster::kinds::{Approval, PromiseRelease, PromiseRequest, object};
use k8s_openapi::api::authorization::v1::SubjectAccessReview;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt};
use promise::api::{ApprovalState, CandidateState, CandidateStatus, DecisionReason, DecisionState, Phase, WaitingKind, WaitingReason};
use serde_json::{Value, json};

use crate::running::Running;
use crate::world::{PATIENCE, Plane, apply, condition, on_every_plane, settings, wait};

on_every_plane![
    who_decided_is_stamped_and_a_decision_never_changes,
    what_needs_approval_is_held_until_it_is_given,
    drift_is_put_back_while_people_think,
    only_the_right_decision_of_the_right_person_counts,
    a_right_that_was_revoked_and_a_decision_that_was_withdrawn_count_no_more,
    who_asks_may_decide_where_the_rule_allows_it,
    what_nobody_decides_in_time_expires_until_it_is_asked_again,
    a_removal_goes_by_what_was_agreed_to,
];

fn approvals(plane: &Plane, who: &str) -> Api<Approval> {
    Api::all(plane.client(who, "root:platform"))
}

fn decision(name: &str, hash: &str) -> Approval {
    let spec = json!({
        "request": {"namespace": "default", "name": "web", "uid": "u-1"}, "rule": {"policy": "careful", "name": "look"},
        "contentHash": hash, "decision": "approve", "decidedBy": {"username": "erin", "groups": ["system:masters"]},
    });
    object(name, None, serde_json::from_value(spec).unwrap())
}

async fn who_decided_is_stamped_and_a_decision_never_changes(plane: Plane) {
    let api = approvals(&plane, "admin");
    let made = api.create(&PostParams::default(), &decision("posted", "h")).await.unwrap();
    let applied = api.patch("applied", &PatchParams::apply("test"), &Patch::Apply(decision("applied", "h"))).await.unwrap();
    for made in [made, applied] {
        assert_eq!(made.spec.decided_by.unwrap().username, "admin", "whatever was sent");
    }
    let changes = [
        json!({"decision": "reject"}),
        json!({"contentHash": "other"}),
        json!({"decidedBy": {"username": "erin", "groups": []}}),
        json!({"decidedBy": null}),
        json!({"comment": "I meant something else"}),
        json!({"request": {"uid": "u-2"}}),
    ];
    for spec in changes {
        let answer = api.patch("posted", &PatchParams::default(), &Patch::Merge(json!({"spec": spec}))).await;
        assert!(matches!(&answer, Err(kube::Error::Api(status)) if status.code == 422), "{spec}: {answer:?}");
    }
    let labelled = json!({"metadata": {"labels": {"seen": "yes"}}});
    let labelled = api.patch("posted", &PatchParams::default(), &Patch::<Value>::Merge(labelled)).await.unwrap();
    assert_eq!(labelled.spec.decided_by.unwrap().username, "admin");
}

/// Whether a request lists a decision that doesn't count for this reason.
fn uncounted(name: &'static str, reason: DecisionReason) -> impl Fn(&PromiseRequest) -> bool {
    move |request| {
        let given = request.status.iter().flat_map(|status| &status.approvals).flat_map(|approval| &approval.given);
        given.into_iter().any(|given| given.approval == name && given.reason == Some(reason))
    }
}

/// Everybody's request at level 5 or more needs somebody's approval.
pub fn careful(approve: Value) -> Value {
    json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "careful"},
        "spec": {
            "title": "Careful", "owner": {"team": "operations"}, "appliesTo": {"promises": ["settings"]},
            "rules": [{"name": "look", "approve": approve}],
        },
    })
}

/// A plane on which requests for settings need an approval by a rule of the platform, and Erin may give it.
async fn governed(plane: &Plane, approve: Value) -> Running {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.govern(&careful(approve)).await;
    let_decide(plane, "erin", &["careful"]).await;
    controller
}

fn platform(plane: &Plane) -> Client {
    plane.client("admin", "root:platform")
}

/// Gives somebody the right to decide for these policies alone, and to say so; for none it takes it away.
pub async fn let_decide(plane: &Plane, who: &str, policies: &[&str]) {
    let_do(plane, "approve", who, policies).await;
}

/// The same for one verb of those who decide.
pub async fn let_do(plane: &Plane, verb: &str, who: &str, policies: &[&str]) {
    let name = format!("{verb}-{who}");
    let own = |resource: &str, verbs: Value| json!({"apiGroups": ["platform.opmodel.dev"], "resources": [resource], "verbs": verbs});
    let mut rules = vec![json!({"nonResourceURLs": ["/"], "verbs": ["access"]}), own("approvals", json!(["get", "create", "delete"]))];
    if !policies.is_empty() {
        let mut decides = own("policies", json!([verb]));
        decides["resourceNames"] = json!(policies);
        rules.push(decides);
    }
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules});
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": who}],
    });
    apply(&platform(plane), &role).await.unwrap();
    apply(&platform(plane), &binding).await.unwrap();
}

/// Waits until the candidate waits for people, and says what it is.
pub async fn asked(plane: &Plane, name: &str) -> PromiseRequest {
    plane.until(name, "waiting for an approval", |request| condition(request, "Approved").starts_with("False AwaitingApproval")).await
}

pub fn candidate(request: &PromiseRequest) -> CandidateStatus {
    request.status.as_ref().and_then(|status| status.candidate.clone()).expect("there is a candidate")
}

/// A decision about the content that a request asks for now.
pub fn about(name: &str, request: &PromiseRequest, decision: &str) -> Approval {
    let spec = json!({
        "request": {"namespace": request.namespace(), "name": request.name_any(), "uid": request.uid()},
        "rule": {"policy": "careful", "name": "look"},
        "contentHash": candidate(request).content_hash, "decision": decision, "comment": "because I looked",
    });
    object(name, None, serde_json::from_value(spec).unwrap())
}

/// Waits until the plane dates what is written later than this decision: of one person's decisions in one second the more restrictive wins.
async fn a_second_after(plane: &Plane, name: &str) {
    let written = approvals(plane, "admin").get(name).await.unwrap().metadata.creation_timestamp.unwrap().0;
    let is_over = |now: jiff::Timestamp| now.as_second() > written.as_second();
    #[expect(clippy::disallowed_methods, reason = "the clock of this test binary")]
    while !is_over(jiff::Timestamp::now()) {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

pub async fn decide(plane: &Plane, who: &str, approval: &Approval) {
    let api = approvals(plane, who);
    // Rights reach a server after a moment.
    let closed = |error: &kube::Error| matches!(error, kube::Error::Api(status) if status.code == 403);
    let deciding = async {
        loop {
            match api.create(&PostParams::default(), approval).await {
                Err(error) if closed(&error) => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
                answer => return answer.unwrap(),
            }
        }
    };
    tokio::time::timeout(PATIENCE, deciding).await.unwrap_or_else(|_| panic!("{who} may not create approvals"));
}

pub async fn edit(plane: &Plane, name: &str, spec: Value) -> PromiseRequest {
    plane.requests("dana").patch(name, &PatchParams::default(), &Patch::Merge(json!({"spec": spec}))).await.unwrap()
}

pub async fn level(plane: &Plane, name: &str) -> Option<String> {
    let map = plane.config_maps().get_opt(&format!("{name}-config")).await.unwrap()?;
    map.data.and_then(|mut data| data.remove("level"))
}

async fn what_needs_approval_is_held_until_it_is_given(plane: Plane) {
    let controller = governed(&plane, json!({"approvers": {"groups": ["operations"]}})).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let waiting = asked(&plane, "web").await;
    let status = waiting.status.clone().unwrap();
    assert_eq!((status.phase, candidate(&waiting).state), (Phase::AwaitingApproval, CandidateState::AwaitingApproval));
    let ball = status.waiting_on.unwrap();
    assert_eq!(
        (ball.kind, ball.reason, ball.who.as_slice()),
        (WaitingKind::Person, WaitingReason::ApprovalNeeded, &["operations".to_owned()][..])
    );
    assert!(ball.message.contains("the policy Careful"), "{ball:?}");
    let said = condition(&waiting, "Approved");
    assert!(said.contains("permission approve on the policy careful") && said.contains(" at "), "{said}");
    assert_eq!(status.approvals.len(), 1);
    assert_eq!(status.approvals[0].rule.policy.as_deref(), Some("careful"));
    let releases: Api<PromiseRelease> = plane.in_shop("dana");
    let recorded = releases.get(&candidate(&waiting).release).await.unwrap();
    assert_eq!(recorded.spec.content_hash, candidate(&waiting).content_hash, "what is decided about is written down");
    assert_eq!(level(&plane, "web").await, None, "nothing is made before");

    decide(&plane, "erin", &about("yes", &waiting, "approve")).await;
    let ready = plane.ready("web").await;
    assert!(condition(&ready, "Approved").starts_with("True Approved: erin approved it"), "{}", condition(&ready, "Approved"));
    let given = &ready.status.as_ref().unwrap().approvals[0];
    assert_eq!((given.state, given.given[0].by.as_str(), given.given[0].approval.as_str()), (ApprovalState::Approved, "erin", "yes"));

    // A change of content asks anew, and what runs stays as it is.
    edit(&plane, "web", json!({"parameters": {"level": 7}})).await;
    let again = asked(&plane, "web").await;
    let status = again.status.as_ref().unwrap();
    assert_eq!(status.phase, Phase::Ready, "what runs goes on");
    let summary = condition(&again, "Ready");
    assert!(summary.starts_with("False AwaitingApproval: "), "what is asked for is not in place: {summary}");
    assert_eq!(status.waiting_on.as_ref().unwrap().reason, WaitingReason::ApprovalNeeded);
    let former = &status.approvals[0].given;
    assert_eq!(
        (former.len(), former[0].state),
        (1, DecisionState::Superseded),
        "a decision about another content does not count: {former:?}"
    );
    assert_ne!(candidate(&again).content_hash, candidate(&waiting).content_hash);
    assert_eq!(level(&plane, "web").await.as_deref(), Some("2"));
    decide(&plane, "erin", &about("no", &again, "reject")).await;
    let refused = plane.until("web", "turned down", |r| condition(r, "Approved").starts_with("False Rejected")).await;
    assert!(condition(&refused, "Approved").contains("erin rejected it"), "{}", condition(&refused, "Approved"));
    assert!(condition(&refused, "Approved").contains("because I looked"));
    assert!(condition(&refused, "Ready").starts_with("False Rejected: "), "{}", condition(&refused, "Ready"));
    assert_eq!(candidate(&refused).state, CandidateState::Rejected);
    assert_eq!(level(&plane, "web").await.as_deref(), Some("2"));

    // Back to what was approved: nobody is asked about what runs.
    edit(&plane, "web", json!({"parameters": {"level": 2}})).await;
    let back =
        plane.until("web", "as it was", |r| r.status.as_ref().is_some_and(|s| s.candidate.is_none() && s.phase == Phase::Ready)).await;
    assert!(condition(&back, "Ready").starts_with("True Ready: "), "{}", condition(&back, "Ready"));
    assert_eq!(back.status.unwrap().current.unwrap().generation, back.metadata.generation);
    controller.stop().await;
}

async fn drift_is_put_back_while_people_think(plane: Plane) {
    let controller = governed(&plane, json!({"when": "parameters.level > 5"})).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    plane.ready("web").await;
    edit(&plane, "web", json!({"parameters": {"level": 7}})).await;
    asked(&plane, "web").await;
    plane.config_maps().patch("web-config", &PatchParams::default(), &Patch::Merge(json!({"data": {"level": "9"}}))).await.unwrap();
    wait(plane.config_maps(), "web-config", "put back", |map: &ConfigMap| map.data.as_ref().is_some_and(|data| data["level"] == "2")).await;
    controller.stop().await;
}

/// What does not count, each followed by what does.
async fn only_the_right_decision_of_the_right_person_counts(plane: Plane) {
    let controller = governed(&plane, json!({})).await;
    // Dana may decide for another policy, and asks herself.
    let_decide(&plane, "dana", &["careful"]).await;
    let_decide(&plane, "opm-portal", &["another"]).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let waiting = asked(&plane, "web").await;
    decide(&plane, "dana", &about("own", &waiting, "approve")).await;
    let own = plane.until("web", "its own requester's approval is not counted", uncounted("own", DecisionReason::OwnRequest)).await;
    assert!(condition(&own, "Approved").starts_with("False AwaitingApproval"), "{}", condition(&own, "Approved"));
    if !plane.has_namespaces() {
        decide(&plane, "opm-portal", &about("unauthorised", &waiting, "approve")).await;
        let not_permitted = uncounted("unauthorised", DecisionReason::NotPermitted);
        plane.until("web", "the missing permission is reported", not_permitted).await;
    }
    for (name, change) in [
        ("other-hash", json!({"contentHash": "0000"})),
        ("other-uid", json!({"request": {"namespace": waiting.namespace(), "name": "web", "uid": "another"}})),
        ("other-name", json!({"request": {"namespace": waiting.namespace(), "name": "other", "uid": waiting.uid()}})),
        ("other-rule", json!({"rule": {"policy": "careful", "name": "other"}})),
        ("other-policy", json!({"rule": {"policy": "another", "name": "look"}})),
        ("of-a-promise", json!({"rule": {"promise": "careful", "name": "look"}})),
        ("both", json!({"rule": {"policy": "careful", "promise": "careful", "name": "look"}})),
    ] {
        let mut other = json!(about(name, &waiting, "approve"));
        for (field, value) in change.as_object().unwrap() {
            other["spec"][field] = value.clone();
        }
        decide(&plane, "erin", &serde_json::from_value(other).unwrap()).await;
    }
    if !plane.has_namespaces() {
        // Where the rule does not live, whoever administers the place may say what they like.
        let elsewhere: Api<Approval> = Api::all(plane.client("admin", "root:acme"));
        elsewhere.create(&PostParams::default(), &about("elsewhere", &waiting, "approve")).await.unwrap();
        looks_like_one(&plane, &waiting).await;
    }
    // Whatever would have become of them came before this one: it changes what is told.
    let mut thought = about("thought", &waiting, "requestChanges");
    thought.spec.comment = Some("smaller, please".into());
    decide(&plane, "erin", &thought).await;
    let changes = plane.until("web", "asked for changes", |r| condition(r, "Approved").starts_with("False ChangesRequested")).await;
    let ball = changes.status.as_ref().unwrap().waiting_on.clone().unwrap();
    assert_eq!((ball.reason, ball.message.as_str()), (WaitingReason::ChangesRequested, "erin requested changes: smaller, please"));
    let given: Vec<&str> = changes.status.as_ref().unwrap().approvals[0].given.iter().map(|given| given.approval.as_str()).collect();
    assert!(given.iter().all(|name| ["own", "unauthorised", "other-hash", "thought"].contains(name)), "{given:?}");
    assert_eq!(level(&plane, "web").await, None);
    a_second_after(&plane, "thought").await;
    decide(&plane, "erin", &about("yes", &waiting, "approve")).await;
    plane.ready("web").await;
    controller.stop().await;
}

/// A kind of a tenant's own with our name, where nobody stamps who decided.
async fn looks_like_one(plane: &Plane, waiting: &PromiseRequest) {
    let shop = plane.client("dana", "root:acme:shop");
    let definition = cluster::kinds::crds().into_iter().find(|crd| crd["spec"]["names"]["kind"] == "Approval").unwrap();
    apply(&shop, &definition).await.unwrap();
    let definitions: Api<CustomResourceDefinition> = Api::all(shop.clone());
    wait(definitions, "approvals.platform.opmodel.dev", "served", |crd| {
        let conditions = crd.status.as_ref().and_then(|status| status.conditions.as_ref());
        conditions.is_some_and(|all| all.iter().any(|c| c.type_ == "Established" && c.status == "True"))
    })
    .await;
    let mut forged = about("looks-like-one", waiting, "approve");
    forged.spec.decided_by = Some(promise::api::Requester { username: "erin".into(), groups: Vec::new(), cluster: None });
    let made = Api::<Approval>::all(shop).create(&PostParams::default(), &forged).await.unwrap();
    assert_eq!(made.spec.decided_by.unwrap().username, "erin", "it is not ours, so nobody stamps it");
}

async fn a_right_that_was_revoked_and_a_decision_that_was_withdrawn_count_no_more(plane: Plane) {
    let controller = governed(&plane, json!({"required": 2})).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let waiting = asked(&plane, "web").await;
    decide(&plane, "erin", &about("first", &waiting, "approve")).await;
    let counted = |wanted: usize| {
        move |request: &PromiseRequest| {
            let given = request.status.iter().flat_map(|status| &status.approvals).flat_map(|approval| &approval.given);
            given.filter(|given| given.void.is_none()).count() == wanted
        }
    };
    plane.until("web", "approved by one of two", counted(1)).await;
    approvals(&plane, "erin").delete("first", &DeleteParams::default()).await.unwrap();
    plane.until("web", "approved by nobody", counted(0)).await;
    decide(&plane, "erin", &about("again", &waiting, "approve")).await;
    plane.until("web", "approved by one again", counted(1)).await;

    let_decide(&plane, "erin", &[]).await;
    let_decide(&plane, "sandbox", &["careful"]).await;
    denied(&plane, "erin").await;
    decide(&plane, "sandbox", &about("second", &waiting, "approve")).await;
    let half = plane.until("web", "the lost permission is reported", uncounted("again", DecisionReason::NotPermitted)).await;
    assert_eq!(half.status.unwrap().phase, Phase::AwaitingApproval);
    assert_eq!(level(&plane, "web").await, None);
    // What is granted again comes without a word, and is found out all the same.
    let_decide(&plane, "erin", &["careful"]).await;
    plane.ready("web").await;
    controller.stop().await;
}

/// Waits until the plane knows that somebody has the right no more.
async fn denied(plane: &Plane, who: &str) {
    let attributes = json!({"group": "platform.opmodel.dev", "resource": "policies", "name": "careful", "verb": "approve"});
    let review: SubjectAccessReview =
        serde_json::from_value(json!({"metadata": {}, "spec": {"user": who, "resourceAttributes": attributes}})).unwrap();
    let api: Api<SubjectAccessReview> = Api::all(platform(plane));
    let waiting = async {
        while api.create(&PostParams::default(), &review).await.unwrap().status.unwrap().allowed {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("the right is gone in time");
}

async fn who_asks_may_decide_where_the_rule_allows_it(plane: Plane) {
    let controller = governed(&plane, json!({"selfApproval": true})).await;
    let_decide(&plane, "dana", &["careful"]).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let waiting = asked(&plane, "web").await;
    decide(&plane, "dana", &about("own", &waiting, "approve")).await;
    plane.ready("web").await;
    controller.stop().await;
}

async fn what_nobody_decides_in_time_expires_until_it_is_asked_again(plane: Plane) {
    let controller = governed(&plane, json!({"expiresAfter": "2s"})).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let expired = plane.until("web", "expired", |r| condition(r, "Approved").starts_with("False Expired")).await;
    assert_eq!((expired.status.as_ref().unwrap().phase, candidate(&expired).state), (Phase::Rejected, CandidateState::Expired));
    decide(&plane, "erin", &about("late", &expired, "approve")).await;
    let late = plane.until("web", "the late approval is reported", uncounted("late", DecisionReason::Late)).await;
    assert_eq!(candidate(&late).state, CandidateState::Expired);
    plane.govern(&careful(json!({"expiresAfter": "1h"}))).await;
    edit(&plane, "web", json!({"reason": "please"})).await;
    let again = asked(&plane, "web").await;
    decide(&plane, "erin", &about("in-time", &again, "approve")).await;
    plane.ready("web").await;
    controller.stop().await;
}

async fn a_removal_goes_by_what_was_agreed_to(plane: Plane) {
    let controller = governed(&plane, json!({})).await;
    for (name, agreed, wished) in [("goes", "Delete", "Orphan"), ("stays", "Orphan", "Delete")] {
        plane.ask(name, "settings", json!({"level": 2})).await;
        edit(&plane, name, json!({"deletionPolicy": agreed})).await;
        let terms = |request: &PromiseRequest| {
            let asked = condition(request, "Approved").starts_with("False AwaitingApproval");
            asked && request.status.as_ref().map(|status| status.observed_generation) == request.metadata.generation
        };
        let first = plane.until(name, "asked about", terms).await;
        decide(&plane, "erin", &about(&format!("{name}-yes"), &first, "approve")).await;
        plane.ready(name).await;
        edit(&plane, name, json!({"deletionPolicy": wished})).await;
        asked(&plane, name).await;
        plane.requests("dana").delete(name, &DeleteParams::default()).await.unwrap();
        plane.gone(plane.requests("dana"), name).await;
        assert_eq!(level(&plane, name).await.is_some(), agreed == "Orphan", "{agreed} was agreed to, and {wished} only asked for");
    }
    controller.stop().await;
}
