//! What people and Kubernetes do meanwhile: they decide about steps, and end Jobs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cluster::kinds::{Approval, PromiseRequest, object};
use k8s_openapi::api::batch::v1::Job;
use kube::api::{ListParams, Patch, PatchParams, PostParams};
use kube::{Api, ResourceExt as _};
use promise::api::{StepKind, StepPhase};
use promise::names;
use serde_json::{Value, json};

use super::prediction::index_of;
use super::published::STEP_ANNOTATION;
use super::scenario::{Action, Fate, Scenario};
use crate::world::{Plane, apply};

/// How often they look.
const LOOK: Duration = Duration::from_secs(3);

/// Those who act on one request.
pub struct People {
    plane: Arc<Plane>,
    scenario: Scenario,
    promise: String,
    request: PromiseRequest,
    /// Whether what was bad at first is good by now.
    pub repaired: AtomicBool,
}

impl People {
    pub fn new(plane: Arc<Plane>, scenario: &Scenario, promise: &str, request: PromiseRequest) -> Arc<Self> {
        Arc::new(Self { plane, scenario: scenario.clone(), promise: promise.to_owned(), request, repaired: AtomicBool::new(false) })
    }

    /// Acts until it is aborted.
    pub async fn act(self: Arc<Self>) {
        let decides = self.scenario.uses(|action| matches!(action, Action::Approve(_)));
        let ends = self.scenario.uses(|action| matches!(action, Action::Job(_)));
        loop {
            tokio::time::sleep(LOOK).await;
            if decides {
                self.decide().await;
            }
            if ends {
                self.end_jobs().await;
            }
        }
    }

    fn is_good(&self, fate: Fate) -> bool {
        fate.is_good(self.repaired.load(Ordering::SeqCst))
    }

    /// Decides about every step that asks.
    async fn decide(&self) {
        let Some(request) = self.plane.requests("admin").get_opt(&self.request.name_any()).await.unwrap() else { return };
        let Some(status) = &request.status else { return };
        let Some(run) = &status.workflow else { return };
        let waits = status.steps.iter().filter(|step| step.kind == StepKind::Approve && step.phase == StepPhase::Running);
        for (step, hash) in waits.filter_map(|step| Some((step, step.content_hash.clone()?))) {
            let Action::Approve(fate) = self.scenario.steps(run.name)[index_of(&step.id)].action else { continue };
            let decision = if self.is_good(fate) { "approve" } else { "reject" };
            let spec = json!({
                "request": {"namespace": request.namespace(), "name": request.name_any(), "uid": request.uid()},
                "rule": {"promise": self.promise, "name": step.id}, "contentHash": hash, "decision": decision, "comment": "I looked",
            });
            let approval: Approval = object(&format!("a-{hash}"), None, serde_json::from_value(spec).unwrap());
            let approvals: Api<Approval> = Api::all(self.plane.client("erin", "root:platform"));
            match approvals.create(&PostParams::default(), &approval).await {
                Err(kube::Error::Api(status)) if status.code == 409 => {}
                answer => drop(answer.unwrap()),
            }
        }
    }

    /// Ends every Job that runs.
    async fn end_jobs(&self) {
        let jobs: Api<Job> = self.plane.in_shop("admin");
        let own = ListParams::default().labels(&format!("{}={}", names::REQUEST_UID_LABEL, self.request.uid().unwrap()));
        for job in jobs.list(&own).await.unwrap().items {
            let has_ended = job.status.as_ref().is_some_and(|status| status.conditions.as_ref().is_some_and(|all| !all.is_empty()));
            let step = job.annotations().get(STEP_ANNOTATION).cloned().unwrap_or_default();
            if has_ended || job.metadata.deletion_timestamp.is_some() {
                continue;
            }
            let fate = self.scenario.named_steps().find(|(name, _)| *name == step).map(|(_, step)| step.action.clone());
            let Some(Action::Job(fate)) = fate else { panic!("no step has the Job {job:?}") };
            let patch = Patch::Merge(json!({"status": ended(self.is_good(fate))}));
            match jobs.patch_status(&job.name_any(), &PatchParams::default(), &patch).await {
                Err(kube::Error::Api(status)) if status.code == 404 => {}
                answer => drop(answer.unwrap()),
            }
        }
    }
}

/// The status of a Job that ended.
fn ended(is_good: bool) -> Value {
    let at = "2026-05-01T08:00:00Z";
    let condition = |kind: &str| json!({"type": kind, "status": "True", "reason": "Test", "message": "the test", "lastTransitionTime": at});
    match is_good {
        true => json!({"startTime": at, "completionTime": at, "succeeded": 1,
            "conditions": [condition("SuccessCriteriaMet"), condition("Complete")]}),
        false => json!({"startTime": at, "conditions": [condition("FailureTarget"), condition("Failed")]}),
    }
}

/// Lets Erin decide about steps of all promises.
pub async fn let_decide(plane: &Plane) {
    let own = |resource: &str, verbs: Value| json!({"apiGroups": ["platform.opmodel.dev"], "resources": [resource], "verbs": verbs});
    let access = json!({"nonResourceURLs": ["/"], "verbs": ["access"]});
    let rules = json!([access, own("approvals", json!(["get", "create", "delete"])), own("promises", json!(["approve"]))]);
    let role =
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "decides"}, "rules": rules});
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "decides"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "decides"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "erin"}],
    });
    for object in [role, binding] {
        apply(&plane.client("admin", "root:platform"), &object).await.unwrap();
    }
}

/// Lets promises run Jobs in the namespace of their request.
pub async fn let_run_jobs(plane: &Plane) {
    let rules = json!([
        {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["get", "list", "watch", "create", "patch", "delete"]},
        {"apiGroups": [""], "resources": ["pods", "pods/log"], "verbs": ["get", "list", "watch"]},
    ]);
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "jobs", "namespace": plane.namespace()},
        "rules": rules,
    });
    let account = json!({"kind": "ServiceAccount", "name": cluster::install::FULFILLER, "namespace": plane.namespace()});
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "jobs", "namespace": plane.namespace()},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "jobs"}, "subjects": [account],
    });
    for object in [role, binding] {
        apply(&plane.client("admin", "cluster"), &object).await.unwrap();
    }
}
