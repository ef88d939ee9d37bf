//! What a cache keeps of an object: one function per kind, for each of the two readers that keep caches.
//!
//! Portal and controller share no memory, so what neither of them reads would be stored twice. When a reader needs more, keep it here;
//! single objects are read whole from the control plane.

mod release;

use kube::api::ObjectMeta;
use promise::api::{
    ApprovalStatus, Condition, DestinationSpec, EndpointSpec, InventoryItem, OutdatedStatus, PolicyResult, PromiseActionStatus,
    PromiseReleaseSpec, PromiseRequestSpec, PromiseRequestStatus, PromiseSpec, Requester, StepStatus, WaitingOn,
};
use promise::names;
use promise::workflow::asks_about_step;

use crate::kinds::{
    Approval, Destination, Endpoint, Kind, Object, Policy, Promise, PromiseAction, PromiseCatalog, PromiseRelease, PromiseRequest,
    PromiseRequestKind, PromiseRevision, PromiseWorkflow,
};
use crate::watch::Row;

pub use release::CachedRelease;

/// This annotation repeats the whole object, the values of a Secret included.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The component that keeps the caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The portal: what offers look like, what would be created from them, and the rows of lists of requests. It doesn't need other
    /// people's values.
    Portal,
    /// The controller: what decides about releases, and what a change affects.
    Controller,
}

/// A kind of which caches keep only a part.
pub(crate) trait Projected {
    /// Fields of the spec that no row keeps and in which users can write anything. A row exists whatever they contain.
    const UNREAD: &'static [&'static str] = &[];

    /// Drops what this reader doesn't read.
    fn keep_for(&mut self, reader: Reader);
}

/// How a cache keeps an object of one of our kinds.
pub(crate) trait CachedRow: Row {
    /// The kind.
    type Kind: Kind;

    /// Creates the row of an object, of which only what the reader reads is left.
    fn of(object: Object<Self::Kind>) -> Self;
}

impl<K: Kind> CachedRow for Object<K> {
    type Kind = K;

    fn of(object: Self) -> Self {
        object
    }
}

/// Drops what only the server and `kubectl` need.
pub(crate) fn bare(metadata: &mut ObjectMeta) {
    metadata.managed_fields = None;
    if let Some(annotations) = metadata.annotations.as_mut() {
        annotations.remove(LAST_APPLIED);
    }
}

/// Drops the annotation `kcp.io/cluster`, which repeats the workspace in the row's key. Most requests have no other annotation, and a map
/// with one entry takes as much memory as one with eleven.
fn without_workspace(metadata: &mut ObjectMeta) {
    if let Some(mut annotations) = metadata.annotations.take() {
        annotations.remove(names::KCP_CLUSTER);
        metadata.annotations = Some(annotations).filter(|annotations| !annotations.is_empty());
    }
}

impl Projected for PromiseRequest {
    // A request that could exist without a row would count toward no limit, and look like a deleted one.
    const UNREAD: &'static [&'static str] = &["parameters"];

    fn keep_for(&mut self, reader: Reader) {
        match reader {
            // What a row of a list shows, of the request and of what was created for it. A single request is read as the user who views it.
            Reader::Portal => {
                let spec = std::mem::take(&mut self.spec);
                let requester = spec.requester.map(|requester| Requester { groups: Vec::new(), ..requester });
                // Approvers read it first.
                let is_asked = |status: &PromiseRequestStatus| !status.approvals.is_empty() || asks_about_step(status).is_some();
                let reason = spec.reason.filter(|_| self.status.as_ref().is_some_and(is_asked));
                self.spec = PromiseRequestSpec {
                    promise: spec.promise,
                    requester,
                    reason,
                    expires_at: spec.expires_at,
                    ..PromiseRequestSpec::default()
                };
                self.status = self.status.take().map(line);
            }
            // A reconcile reads its request itself; rows say what a change affects.
            Reader::Controller => {
                without_workspace(&mut self.metadata);
                self.spec.parameters = None;
                self.status = self.status.take().map(|status| PromiseRequestStatus {
                    observed_generation: status.observed_generation,
                    phase: status.phase,
                    current: status.current,
                    candidate: status.candidate,
                    // The outcome of each decision, for the decision's own status.
                    approvals: status.approvals.into_iter().map(without_words).collect(),
                    // An Endpoint that changes concerns the steps that call it.
                    steps: kept(status.steps, |step| is_asked(step) || step.is_calling()).map(silent).collect(),
                    question: status.question,
                    // Whether it waits for room.
                    waiting_on: status.waiting_on.map(|waits| WaitingOn { kind: waits.kind, ..WaitingOn::default() }),
                    inventory: places(status.inventory),
                    ..PromiseRequestStatus::default()
                });
            }
        }
    }
}

/// Returns where something was created, and which requests were: of all objects at a Destination one item is left.
fn places(inventory: Vec<InventoryItem>) -> Vec<InventoryItem> {
    let mut places: Vec<InventoryItem> = Vec::new();
    for item in inventory {
        let place = InventoryItem { uid: made_request(&item), destination: item.destination, ..InventoryItem::default() };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places.shrink_to_fit();
    places
}

/// Drops what people wrote, which is shown with the request itself.
fn without_words(mut approval: ApprovalStatus) -> ApprovalStatus {
    for given in &mut approval.given {
        given.comment = None;
        given.fields = Vec::new();
    }
    approval
}

/// Returns the steps that people decide or decided about, without what they found.
fn decided(steps: Vec<StepStatus>) -> impl Iterator<Item = StepStatus> {
    kept(steps, is_asked)
}

fn is_asked(step: &StepStatus) -> bool {
    step.approval.is_some() || step.content_hash.is_some()
}

fn kept(steps: Vec<StepStatus>, matches: impl Fn(&StepStatus) -> bool) -> impl Iterator<Item = StepStatus> {
    steps.into_iter().filter(move |step| matches(step)).map(|step| StepStatus {
        id: step.id,
        title: step.title,
        kind: step.kind,
        phase: step.phase,
        started_at: step.started_at,
        message: step.message,
        content_hash: step.content_hash,
        approval: step.approval,
        policy: step.policy,
        undone: step.undone,
        undo_attempts: step.undo_attempts,
        undo_skipped: step.undo_skipped,
        ..StepStatus::default()
    })
}

/// Drops what people wrote about a step.
fn silent(step: StepStatus) -> StepStatus {
    let approval = step.approval.map(|approval| Box::new(without_words(*approval)));
    StepStatus { title: None, message: None, approval, ..step }
}

/// Returns phase, version, what is waited for, what was created, progress in machine-readable form, cost, which rules refuse the request or
/// have changed since, and who is asked.
fn line(status: PromiseRequestStatus) -> PromiseRequestStatus {
    let stands = |result| matches!(result, PolicyResult::Denied | PolicyResult::Warned);
    let denied = status.policies.into_iter().filter(|outcome| stands(outcome.result));
    // Why it would be refused today is shown with the request; it might name values.
    let outdated = status.outdated.map(|outdated| OutdatedStatus { refusals: Vec::new(), ..outdated });
    PromiseRequestStatus {
        observed_generation: status.observed_generation,
        phase: status.phase,
        waiting_on: status.waiting_on,
        current: status.current,
        candidate: status.candidate,
        conditions: status.conditions.into_iter().map(|condition| Condition { message: String::new(), ..condition }).collect(),
        inventory: status.inventory.into_iter().map(made).collect(),
        policies: denied.collect(),
        // With what people wrote: the people concerned are notified of it.
        approvals: status.approvals,
        workflow: status.workflow,
        steps: decided(status.steps).collect(),
        question: status.question,
        outdated,
        cost: status.cost,
        ..PromiseRequestStatus::default()
    }
}

/// Returns what an object is, and how it is; not what it is compared by.
fn made(item: InventoryItem) -> InventoryItem {
    InventoryItem { uid: made_request(&item), external_id: None, hash: None, kept: None, ..item }
}

/// Returns the uid of a request that was created for another one. It leads to the requester of both.
fn made_request(item: &InventoryItem) -> Option<String> {
    item.uid.clone().filter(|_| item.group == names::GROUP && item.kind == PromiseRequestKind::KIND)
}

impl Projected for PromiseAction {
    const UNREAD: &'static [&'static str] = &["parameters"];

    /// Which runs there are and how they are. A single run is read as the user who views it, or by its reconcile.
    fn keep_for(&mut self, _: Reader) {
        self.status = self.status.take().map(|status| PromiseActionStatus {
            phase: status.phase,
            started_at: status.started_at,
            finished_at: status.finished_at,
            observed_generation: status.observed_generation,
            // Others don't wait for a run that waits for its window.
            waiting_on: status.waiting_on.map(|waits| WaitingOn { kind: waits.kind, reason: waits.reason, ..WaitingOn::default() }),
            steps: decided(status.steps).map(silent).collect(),
            ..PromiseActionStatus::default()
        });
    }
}

impl Projected for PromiseRelease {
    fn keep_for(&mut self, reader: Reader) {
        match reader {
            // What is already accepted, for limits and budgets.
            Reader::Portal => {
                let spec = std::mem::take(&mut self.spec);
                self.spec = PromiseReleaseSpec { revision: spec.revision, price: spec.price, ..PromiseReleaseSpec::default() };
            }
            // This record is for people; objects are rendered again from parameters and revision.
            Reader::Controller => self.spec.objects = Vec::new(),
        }
    }
}

impl Projected for Promise {
    fn keep_for(&mut self, reader: Reader) {
        match reader {
            Reader::Portal => without_templates(&mut self.spec),
            // Requests are fulfilled from revisions. Of a promise, it matters whether it is offered.
            Reader::Controller => {
                let spec = std::mem::take(&mut self.spec);
                let PromiseSpec { version, lifecycle, visibility, workflows, .. } = spec;
                // A PromiseWorkflow that changes concerns the promises that refer to it.
                self.spec = PromiseSpec { version, lifecycle, visibility, workflows: workflows.references(), ..PromiseSpec::default() };
            }
        }
    }
}

impl Projected for PromiseRevision {
    /// Both readers render from it: the controller what is created, the portal what would be.
    fn keep_for(&mut self, _: Reader) {}
}

impl Projected for PromiseCatalog {
    fn keep_for(&mut self, _: Reader) {}
}

impl Projected for Policy {
    fn keep_for(&mut self, _: Reader) {}
}

impl Projected for Approval {
    fn keep_for(&mut self, _: Reader) {}
}

impl Projected for Destination {
    fn keep_for(&mut self, reader: Reader) {
        // What promises can require of it, and whether its objects can be orphaned.
        if reader == Reader::Portal {
            let DestinationSpec { allowed_kinds, allow_orphan, .. } = std::mem::take(&mut self.spec);
            self.spec = DestinationSpec { allowed_kinds, allow_orphan, ..DestinationSpec::default() };
        }
    }
}

impl Projected for Endpoint {
    fn keep_for(&mut self, reader: Reader) {
        // What its line shows. The portal calls no endpoint.
        if reader == Reader::Portal {
            let EndpointSpec { title, url, .. } = std::mem::take(&mut self.spec);
            self.spec = EndpointSpec { title, url, ..EndpointSpec::default() };
        }
    }
}

impl Projected for PromiseWorkflow {
    fn keep_for(&mut self, _: Reader) {}
}

fn without_templates(spec: &mut PromiseSpec) {
    for resource in &mut spec.implementation.resources {
        resource.template = None;
        resource.application = None;
        resource.module = None;
    }
}

#[cfg(test)]
mod tests {
    use kube::ResourceExt as _;
    use serde_json::{Value, json};

    use super::{Projected, Reader, bare};
    use crate::kinds::{Promise, PromiseRelease, PromiseRequest};
    use crate::watch::Row as _;

    const READERS: [Reader; 2] = [Reader::Portal, Reader::Controller];

    fn text(object: &impl serde::Serialize) -> String {
        serde_json::to_string(object).unwrap()
    }

    fn metadata() -> Value {
        json!({
            "name": "web", "namespace": "default", "uid": "u-1", "resourceVersion": "7", "generation": 3,
            "managedFields": [{"manager": "kubectl"}],
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{\"everything\": \"again\"}", "kcp.io/cluster": "a"},
        })
    }

    #[test]
    fn what_only_servers_need_goes() {
        let mut kept = serde_json::from_value(metadata()).unwrap();
        bare(&mut kept);
        assert_eq!(kept.managed_fields, None);
        assert_eq!(kept.annotations.unwrap().into_keys().collect::<Vec<_>>(), ["kcp.io/cluster"]);
    }

    #[test]
    fn requests_and_releases_are_rows() {
        let inventory = json!([{"id": "a", "destination": "sandbox", "version": "v1", "kind": "ConfigMap", "name": "long-name", "hash": "long-digest"}]);
        let object = json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": metadata(),
            "spec": {"promise": {"name": "settings"}, "parameters": {"text": "their-text"}, "reason": "their-reason"},
            "status": {
                "observedGeneration": 3, "phase": "Ready", "inventory": inventory,
                "conditions": [{"type": "Applied", "status": "True", "reason": "Applied", "message": "long-message"}],
                "current": {"release": "web-1", "version": "1.0.0", "revision": "settings-1"},
                "outdated": {"digest": "d", "rules": [{"policy": "modest", "rule": "a"}], "refusals": ["Choose less than their-text."]},
            },
        });
        let mut whole: PromiseRequest = serde_json::from_value(object).unwrap();
        bare(&mut whole.metadata);
        for reader in READERS {
            let mut row = whole.clone();
            row.keep_for(reader);
            assert!(row.same_edition(&whole), "a row says which state of the object it is");
            assert_eq!(row.spec.promise.name, "settings");
            let names = if reader == Reader::Controller { "long-name" } else { "long-digest" };
            for gone in ["their-text", "long-message", names] {
                assert!(!text(&row).contains(gone), "{reader:?} keeps {gone}");
            }
        }
        let mut row = whole.clone();
        row.keep_for(Reader::Portal);
        let status = row.status.unwrap();
        assert_eq!((status.phase, status.current.unwrap().version.as_str()), (promise::api::Phase::Ready, "1.0.0"));
        assert_eq!(status.inventory[0].name, "long-name", "the portal lists what was made");
        assert_eq!(status.outdated.unwrap().rules[0].policy, "modest", "and files it under what changed");
        let mut row = whole.clone();
        row.keep_for(Reader::Controller);
        let status = row.status.unwrap();
        assert_eq!(status.phase, promise::api::Phase::Ready);
        assert_eq!(status.inventory[0].destination.as_deref(), Some("sandbox"));
        assert_eq!(status.current.unwrap().revision, "settings-1");
        assert_eq!(row.metadata.annotations, None);
        let mut changed = whole;
        changed.annotations_mut().insert("platform.opmodel.dev/retry".to_owned(), "again".to_owned());
        changed.keep_for(Reader::Controller);
        assert_eq!(changed.annotations().keys().collect::<Vec<_>>(), ["platform.opmodel.dev/retry"], "other annotations stay");

        let spec = json!({
            "requestUid": "u-1", "revision": {"cluster": "a", "name": "settings-1", "hash": "h"}, "contentHash": "c",
            "parameters": {"text": "their-text"}, "objects": [{"kind": "ConfigMap", "data": {"rendered": "text"}}],
        });
        let object = json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRelease", "metadata": metadata(), "spec": spec});
        let whole: PromiseRelease = serde_json::from_value(object).unwrap();
        for reader in READERS {
            let mut row = whole.clone();
            row.keep_for(reader);
            assert!(!text(&row).contains("rendered"), "{reader:?}");
            assert_eq!(text(&row).contains("their-text"), reader == Reader::Controller);
        }
    }

    #[test]
    fn of_what_was_made_the_uids_of_requests_are_kept() {
        let item =
            |group: &str, kind: &str, uid: &str| json!({"id": "a", "group": group, "version": "v1", "kind": kind, "name": "a", "uid": uid});
        let inventory = json!([
            item("platform.opmodel.dev", "PromiseRequest", "u-2"),
            item("", "ConfigMap", "u-3"),
            item("x.dev", "PromiseRequest", "u-4")
        ]);
        let object = json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": metadata(),
            "spec": {"promise": {"name": "settings"}}, "status": {"inventory": inventory},
        });
        let made = Some("u-2".to_owned());
        // The controller keeps one item of all that is beside the request.
        for (reader, expected) in [(Reader::Portal, vec![made.clone(), None, None]), (Reader::Controller, vec![made, None])] {
            let mut row: PromiseRequest = serde_json::from_value(object.clone()).unwrap();
            row.keep_for(reader);
            let uids: Vec<Option<String>> = row.status.unwrap().inventory.into_iter().map(|item| item.uid).collect();
            assert_eq!(uids, expected, "{reader:?}");
        }
    }

    #[test]
    fn an_offer_comes_without_templates() {
        let spec = json!({
            "version": "1.0.0", "lifecycle": "published", "presentation": {"description": "long-description"},
            "parameters": {"type": "object", "properties": {"size": {"type": "string"}}},
            "implementation": {"resources": [{"id": "a", "template": {"kind": "ConfigMap", "data": {"text": "their-template"}}}]},
        });
        let object = json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Promise", "metadata": metadata(), "spec": spec});
        let whole: Promise = serde_json::from_value(object).unwrap();
        let (mut offered, mut known) = (whole.clone(), whole.clone());
        offered.keep_for(Reader::Portal);
        assert!(!text(&offered).contains("their-template") && text(&offered).contains("long-description"));
        known.keep_for(Reader::Controller);
        assert!(!text(&known).contains("their-template") && !text(&known).contains("long-description"));
        assert_eq!((known.spec.version, known.spec.lifecycle), (whole.spec.version, whole.spec.lifecycle));
    }
}
