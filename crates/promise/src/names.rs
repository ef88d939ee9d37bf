//! Every public name of the API in one place because the community might still rename them.

/// API group of all kinds.
pub const GROUP: &str = "platform.opmodel.dev";
/// Version of all kinds.
pub const VERSION: &str = "v1alpha1";
/// `group/version`, as in `apiVersion`.
pub const API_VERSION: &str = "platform.opmodel.dev/v1alpha1";

/// Finalizer that only the controller removes (`domain.md` 3, Deletion).
pub const FINALIZER: &str = "platform.opmodel.dev/fulfilment";
/// Finalizer on a Promise that still has instances.
pub const PROMISE_FINALIZER: &str = "platform.opmodel.dev/instances";
/// Label on every object that we create: uid of the request it belongs to.
pub const REQUEST_UID_LABEL: &str = "platform.opmodel.dev/request-uid";
/// Label with the name of the request, for display.
pub const REQUEST_NAME_LABEL: &str = "platform.opmodel.dev/request";
/// Label with the id of the resource inside the promise.
pub const RESOURCE_ID_LABEL: &str = "platform.opmodel.dev/resource";
/// Label of a ConfigMap next to the controller's Lease that lists what couldn't be deleted: uid of the request that owned it.
pub const LEFT_BEHIND_LABEL: &str = "platform.opmodel.dev/left-behind";

/// Label of a ConfigMap next to the controller's Lease that lists what a deleted request handed over: uid of the request.
pub const ORPHANED_LABEL: &str = "platform.opmodel.dev/orphaned";
/// Label of a Secret that holds entered secret parameters or copied outputs.
pub const SECRET_ROLE_LABEL: &str = "platform.opmodel.dev/secret-role";

/// Annotation with which the owner of an object hands it over: uid of the request that can adopt it.
pub const ADOPT_ANNOTATION: &str = "platform.opmodel.dev/adopt-by";

/// Annotation on an orphaned object: uid of the request that owned it.
pub const RELEASED_ANNOTATION: &str = "platform.opmodel.dev/released-by";

/// Annotation with the hash of what was applied. It is written together with the object, so that a crash can't separate them.
pub const HASH_ANNOTATION: &str = "platform.opmodel.dev/applied-hash";

/// Annotation with the fields that were last applied, without their values, for planes that don't track them.
pub const APPLIED_FIELDS_ANNOTATION: &str = "platform.opmodel.dev/applied-fields";

/// Label of a Workspace object with the team that owns the workspace and everything below it, and that can enable APIs and grant
/// permissions there.
pub const OWNER_LABEL: &str = "platform.opmodel.dev/owner";

/// Label of a request with its project. Cost is grouped by it.
pub const PROJECT_LABEL: &str = "platform.opmodel.dev/project";

/// Annotation of a request with the version of its entered secrets. It changes with them, so that watchers of requests reconcile.
pub const INPUTS_ANNOTATION: &str = "platform.opmodel.dev/inputs-version";

/// Verb of the permission to decide on what the `approve` rules of a Policy or Promise ask for.
pub const APPROVE_VERB: &str = "approve";

/// Verb of the permission for an emergency override: to approve everything that the `approve` rules of a Policy or Promise ask for, alone
/// and at once.
pub const EMERGENCY_VERB: &str = "override";

/// Annotation of a request that asks again after a rejection or expiry. Its value is the time since when that question was open.
pub const ASK_AGAIN_ANNOTATION: &str = "platform.opmodel.dev/ask-again";

/// Annotation of a request with the digest of the rules to roll out. A running release keeps its rules until a user who can edit the
/// request sets it.
pub const ROLL_OUT_ANNOTATION: &str = "platform.opmodel.dev/roll-out";

/// Annotation of a request with the user name of the last user who changed its spec. Set by admission; any value sent is replaced. Absent
/// if the request was never changed.
pub const CHANGED_BY_ANNOTATION: &str = "platform.opmodel.dev/changed-by";
/// Annotation next to it with the logical cluster of a ServiceAccount, if the plane has logical clusters.
pub const CHANGED_BY_CLUSTER_ANNOTATION: &str = "platform.opmodel.dev/changed-by-cluster";
/// Annotation next to it with the groups, one per line, with `%` as `%25` and line breaks as `%0A`. Absent if an earlier installation
/// recorded the change.
pub const CHANGED_BY_GROUPS_ANNOTATION: &str = "platform.opmodel.dev/changed-by-groups";

/// Annotation of a request with which its requester withdraws it. Its value is the time since when the question is open. No one has to
/// decide any more.
pub const WITHDRAW_ANNOTATION: &str = "platform.opmodel.dev/withdraw";
/// Annotation on a request that retries a workflow that failed. Its value is the attempt that failed, `status.workflow.attempt`.
pub const RETRY_ANNOTATION: &str = "platform.opmodel.dev/retry";
/// Annotation on a request that cancels its workflow. Its value is the attempt that is running, `status.workflow.attempt`.
pub const CANCEL_ANNOTATION: &str = "platform.opmodel.dev/cancel";
/// Annotation on the Job of a step and on its pods: the same for every attempt that means the same effect.
pub const IDEMPOTENCY_KEY_ANNOTATION: &str = "platform.opmodel.dev/idempotency-key";

/// Label of a run that a schedule started: key of the rule, `status.schedules[].key` of the request.
pub const SCHEDULE_LABEL: &str = "platform.opmodel.dev/schedule";
/// Annotation next to it with the name of the policy, or of the promise for its own rules.
pub const SCHEDULE_POLICY_ANNOTATION: &str = "platform.opmodel.dev/schedule-policy";
/// Annotation next to it with the name of the rule.
pub const SCHEDULE_RULE_ANNOTATION: &str = "platform.opmodel.dev/schedule-rule";
/// Annotation next to it with the RFC 3339 time for which the run was started.
pub const SCHEDULED_AT_ANNOTATION: &str = "platform.opmodel.dev/scheduled-at";

/// Field manager of the controller.
pub const MANAGER_FULFIL: &str = "opm-fulfil";
/// Field manager for the write that releases an object.
pub const MANAGER_RELEASE: &str = "opm-release";
/// Field manager of the changes that actions make to objects of a request.
pub const MANAGER_ACTION: &str = "opm-portal-actions";
/// Field manager of the portal.
pub const MANAGER_PORTAL: &str = "opm-portal";

/// The APIExport that consumers bind: PromiseRequest, PromiseRelease and PromiseAction.
pub const EXPORT_REQUESTS: &str = "requests.platform.opmodel.dev";
/// The APIExport that home and governing workspaces bind as well: all other kinds.
pub const EXPORT_CATALOG: &str = "catalog.platform.opmodel.dev";

/// Extra field of a user in which kcp reports the logical cluster of a ServiceAccount. Their names are unique only within it.
pub const KCP_USER_CLUSTER: &str = "authentication.kcp.io/cluster-name";
/// Extra field of a user in which kcp reports the workspaces that the user is limited to. Real users have no such limit.
pub const KCP_USER_SCOPES: &str = "authentication.kcp.io/scopes";
/// Extra field of an impersonated user in which the controller of a Kubernetes cluster identifies itself as the impersonator. Tenants can't
/// set it because it needs a permission that no role for people has.
pub const IMPERSONATED_BY_EXTRA: &str = "platform.opmodel.dev/impersonated-by";
/// Value of that field.
pub const IMPERSONATED_BY_CONTROLLER: &str = "opm-controller";
/// Annotation of kcp with the logical cluster id of any object. Can't be forged.
pub const KCP_CLUSTER: &str = "kcp.io/cluster";
/// Annotation of kcp with the path of the workspace. Its admin can forge it, so it is for display only.
pub const KCP_PATH: &str = "kcp.io/path";

/// Returns the name of the Secret that holds the entered secret parameters of a request.
pub fn inputs_secret(request: &str) -> String {
    format!("{request}-inputs")
}

/// Returns the name of the Secret into which the controller copies secret outputs.
pub fn outputs_secret(request: &str) -> String {
    format!("{request}-outputs")
}
