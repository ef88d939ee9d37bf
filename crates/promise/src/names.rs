//! Every public name of the API in one place, because the community may still rename them.

/// API group of all kinds.
pub const GROUP: &str = "platform.opmodel.dev";
/// Version of all kinds.
pub const VERSION: &str = "v1alpha1";
/// `group/version`, as it stands in `apiVersion`.
pub const API_VERSION: &str = "platform.opmodel.dev/v1alpha1";

/// Finalizer that only the controller removes (`domain.md` 3, Deletion).
pub const FINALIZER: &str = "platform.opmodel.dev/fulfilment";
/// Finalizer on a Promise that still has instances.
pub const PROMISE_FINALIZER: &str = "platform.opmodel.dev/instances";
/// Label on every object that we create: uid of the request it belongs to.
pub const REQUEST_UID_LABEL: &str = "platform.opmodel.dev/request-uid";
/// Label with the name of the request, for people.
pub const REQUEST_NAME_LABEL: &str = "platform.opmodel.dev/request";
/// Label with the id of the resource inside the promise.
pub const RESOURCE_ID_LABEL: &str = "platform.opmodel.dev/resource";
/// Label of a ConfigMap beside the controller's Lease that says what nobody could remove: uid of the request it belonged to.
pub const LEFT_BEHIND_LABEL: &str = "platform.opmodel.dev/left-behind";

/// Label of a ConfigMap beside the controller's Lease that lists what a deleted request handed over, with the uid of the request.
pub const ORPHANED_LABEL: &str = "platform.opmodel.dev/orphaned";
/// Label of a Secret that holds typed secret parameters or copied outputs.
pub const SECRET_ROLE_LABEL: &str = "platform.opmodel.dev/secret-role";

/// Annotation with which the owner of an object hands it over: uid of the request that may take it.
pub const ADOPT_ANNOTATION: &str = "platform.opmodel.dev/adopt-by";

/// Annotation on an object that was left to itself: uid of the request that it belonged to.
pub const RELEASED_ANNOTATION: &str = "platform.opmodel.dev/released-by";

/// Annotation with the hash of what was applied: it changes with the object in one write, so a crash cannot part them.
pub const HASH_ANNOTATION: &str = "platform.opmodel.dev/applied-hash";

/// Annotation with the fields that were applied last, without their values, where the plane keeps no account of them.
pub const APPLIED_FIELDS_ANNOTATION: &str = "platform.opmodel.dev/applied-fields";

/// Label of a Workspace object with the team that owns the workspace and everything below: whoever may enable and allow things there.
pub const OWNER_LABEL: &str = "platform.opmodel.dev/owner";

/// Label of a request with the project that it is for: cost is added up by it.
pub const PROJECT_LABEL: &str = "platform.opmodel.dev/project";

/// Annotation of a request with the version of its typed secrets: it changes with them, so that whoever watches requests looks again.
pub const INPUTS_ANNOTATION: &str = "platform.opmodel.dev/inputs-version";

/// Verb of the right to decide: on a Policy or Promise, about what its `approve` rules ask for.
pub const APPROVE_VERB: &str = "approve";

/// Verb of the right to break the glass: on a Policy or Promise, to approve alone and at once whatever its `approve` rules ask for.
pub const EMERGENCY_VERB: &str = "override";

/// Annotation of a request with the time since which a question was open that was turned down or has expired: it is asked once more.
pub const ASK_AGAIN_ANNOTATION: &str = "platform.opmodel.dev/ask-again";

/// Annotation of a request with the digest of the rules that are to be rolled out: what runs keeps its rules until somebody who may edit the
/// request says so.
pub const ROLL_OUT_ANNOTATION: &str = "platform.opmodel.dev/roll-out";

/// Annotation of a request with the user name of whoever changed last what it asks for, as admission notes it, whatever was sent. Absent
/// while it is as it was first asked for.
pub const CHANGED_BY_ANNOTATION: &str = "platform.opmodel.dev/changed-by";
/// Annotation beside it: the logical cluster of a ServiceAccount, where the plane names one.
pub const CHANGED_BY_CLUSTER_ANNOTATION: &str = "platform.opmodel.dev/changed-by-cluster";
/// Annotation beside it: the groups, one per line, with `%` as `%25` and line breaks as `%0A`. Absent where an earlier installation noted the
/// change.
pub const CHANGED_BY_GROUPS_ANNOTATION: &str = "platform.opmodel.dev/changed-by-groups";

/// Annotation of a request with the time since which a question is open that its requester takes back: nobody has to decide any more.
pub const WITHDRAW_ANNOTATION: &str = "platform.opmodel.dev/withdraw";

/// Field manager of the controller.
pub const MANAGER_FULFIL: &str = "opm-fulfil";
/// Field manager of the write that releases an object.
pub const MANAGER_RELEASE: &str = "opm-release";
/// Field manager of the portal.
pub const MANAGER_PORTAL: &str = "opm-portal";

/// The export that consumers bind: PromiseRequest, PromiseRelease, PromiseAction.
pub const EXPORT_REQUESTS: &str = "requests.platform.opmodel.dev";
/// The export that homes and governing workspaces bind too: all other kinds.
pub const EXPORT_CATALOG: &str = "catalog.platform.opmodel.dev";

/// Field of a user in which kcp names the logical cluster of a ServiceAccount. Their names are unique only together with it.
pub const KCP_USER_CLUSTER: &str = "authentication.kcp.io/cluster-name";
/// Field of a user in which kcp names the workspaces in which the user counts. Real users count everywhere.
pub const KCP_USER_SCOPES: &str = "authentication.kcp.io/scopes";
/// Field of an impersonated user in which the controller of a Kubernetes cluster says that it is the one who impersonates. Tenants can't set
/// it: it takes a right that no role for people has.
pub const IMPERSONATED_BY_EXTRA: &str = "platform.opmodel.dev/impersonated-by";
/// What the controller says there.
pub const IMPERSONATED_BY_CONTROLLER: &str = "opm-controller";
/// Annotation of kcp: logical cluster id of any object; cannot be forged.
pub const KCP_CLUSTER: &str = "kcp.io/cluster";
/// Annotation of kcp: path of the workspace; forgeable by its admin, for display only.
pub const KCP_PATH: &str = "kcp.io/path";

/// Name of the Secret that holds typed secret parameters of a request.
pub fn inputs_secret(request: &str) -> String {
    format!("{request}-inputs")
}

/// Name of the Secret into which the controller copies secret outputs.
pub fn outputs_secret(request: &str) -> String {
    format!("{request}-outputs")
}
