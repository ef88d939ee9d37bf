//! What people of a story do on the plane, with their own tokens and as the portal would write it for them.

use cluster::kinds::{Approval, ApprovalKind, PromiseRequest, PromiseRequestKind, object};
use cluster::{Endpoint, Scope, Token, WorkspacePath};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use promise::api::{
    ApprovalSpec, ApprovalState, ApprovalStatus, ApprovedRequest, Decision, PromiseRef, PromiseRequestSpec, PromiseRequestStatus,
};
use promise::names;
use serde_json::{Value, json};

use super::PlayError;
use super::story::{Step, Wanted};
use crate::serve::{Running, Sandbox};

/// Namespace of all requests of a story.
pub(super) const NAMESPACE: &str = "default";

/// A person who acts in a workspace.
pub(super) struct Actor<'a> {
    endpoint: &'a Endpoint,
    token: &'a Token,
    step: &'a Step,
}

impl<'a> Actor<'a> {
    /// Returns the person of a step.
    pub(super) fn of(running: &'a Running, sandbox: &'a Sandbox, step: &'a Step) -> Result<Self, PlayError> {
        let unknown = || PlayError::Stuck { step: step.title(), why: "this person doesn't exist".to_owned() };
        Ok(Self { endpoint: &running.portal.endpoint, token: sandbox.identities.token(&step.who).ok_or_else(unknown)?, step })
    }

    fn scope(path: &str) -> Result<Scope, PlayError> {
        WorkspacePath::parse(path).map(Scope::Workspace).map_err(|error| PlayError::Stuck { step: path.to_owned(), why: error.to_string() })
    }

    /// Returns the requests of the step's workspace.
    fn requests(&self) -> Result<Api<PromiseRequest>, PlayError> {
        let scope = Self::scope(self.step.place().0)?;
        Ok(Api::namespaced(self.endpoint.client(self.token, &scope), NAMESPACE))
    }

    /// Creates a request.
    pub(super) async fn request(&self, home: &str, wanted: &Wanted) -> Result<(), PlayError> {
        let promise = PromiseRef { name: wanted.promise.clone(), workspace: Some(home.to_owned()), version: None };
        let spec = PromiseRequestSpec {
            promise,
            parameters: Some(if wanted.parameters.is_null() { json!({}) } else { wanted.parameters.clone() }),
            upgrade: wanted.upgrade,
            deletion_policy: wanted.deletion_policy,
            reason: wanted.reason.clone(),
            ..PromiseRequestSpec::default()
        };
        let mut request = object::<PromiseRequestKind>(self.step.place().1, Some(NAMESPACE), spec);
        if !wanted.project.is_empty() {
            request.metadata.labels = Some([(names::PROJECT_LABEL.to_owned(), wanted.project.clone())].into());
        }
        self.requests()?.create(&post(), &request).await.map(drop).map_err(|error| self.refused(error))
    }

    /// Patches the request.
    pub(super) async fn patch(&self, patch: &Value) -> Result<(), PlayError> {
        let params = PatchParams { field_manager: Some(names::MANAGER_PORTAL.to_owned()), ..PatchParams::default() };
        let patched = self.requests()?.patch(self.step.place().1, &params, &Patch::Merge(patch)).await;
        patched.map(drop).map_err(|error| self.refused(error))
    }

    /// Deletes the request.
    pub(super) async fn delete(&self) -> Result<(), PlayError> {
        let deleted = self.requests()?.delete(self.step.place().1, &DeleteParams::default()).await;
        deleted.map(drop).map_err(|error| self.refused(error))
    }

    /// Decides about the request, for the first open rule that names the person. `number` makes the name of the decision unique.
    pub(super) async fn decide(&self, decision: Decision, number: usize, groups: &[String]) -> Result<(), PlayError> {
        let name = self.step.place().1;
        let request = self.requests()?.get(name).await.map_err(|error| self.refused(error))?;
        let status = request.status.unwrap_or_default();
        let rule = open(&status, &self.step.who, groups).ok_or_else(|| self.stuck("no open rule asks this person"))?;
        let hash = status.candidate.as_ref().map(|candidate| candidate.content_hash.clone()).unwrap_or_default();
        let spec = ApprovalSpec {
            request: ApprovedRequest {
                cluster: request.metadata.annotations.and_then(|mut all| all.remove("kcp.io/cluster")),
                namespace: NAMESPACE.to_owned(),
                name: name.to_owned(),
                uid: request.metadata.uid.unwrap_or_default(),
            },
            rule: rule.rule.clone(),
            content_hash: hash.clone(),
            decision,
            emergency: false,
            comment: self.step.comment.clone(),
            fields: self.step.fields.clone(),
            decided_by: None,
        };
        let approvals: Api<Approval> = Api::all(self.endpoint.client(self.token, &Self::scope(&rule.source)?));
        let named = format!("{name}-{}-{number:08x}", hash.get(..10).unwrap_or(&hash));
        let created = approvals.create(&post(), &object::<ApprovalKind>(&named, None, spec)).await;
        created.map(drop).map_err(|error| self.refused(error))
    }

    fn refused(&self, source: kube::Error) -> PlayError {
        PlayError::Plane { step: self.step.title(), source: Box::new(source) }
    }

    fn stuck(&self, why: &str) -> PlayError {
        PlayError::Stuck { step: self.step.title(), why: why.to_owned() }
    }
}

/// Returns the open approval that asks a person of some groups.
fn open<'s>(status: &'s PromiseRequestStatus, person: &str, groups: &[String]) -> Option<&'s ApprovalStatus> {
    let asks = |approval: &ApprovalStatus| {
        let approvers = &approval.approvers;
        approvers.users.iter().any(|user| user == person) || approvers.groups.iter().any(|group| groups.contains(group))
    };
    status
        .approvals
        .iter()
        .find(|approval| matches!(approval.state, ApprovalState::Waiting | ApprovalState::ChangesRequested) && asks(approval))
}

fn post() -> PostParams {
    PostParams { dry_run: false, field_manager: Some(names::MANAGER_PORTAL.to_owned()) }
}
