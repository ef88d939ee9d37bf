//! Admission policies. On kcp they are in the provider workspace and apply to our kinds in every consumer, and no one there can remove
//! them; on Kubernetes they belong to the cluster.

use promise::names;
use serde_json::{Value, json};

use super::rbac::STATUS;
use super::{FULFILLER, Identities};

const STAMP: &str = "requester-stamp.platform.opmodel.dev";
const FROZEN: &str = "requester-frozen.platform.opmodel.dev";
const ACTOR: &str = "actor-stamp.platform.opmodel.dev";
const ACTION: &str = "action-frozen.platform.opmodel.dev";
const CHANGER: &str = "changer-stamp.platform.opmodel.dev";
const DECIDER: &str = "decider-stamp.platform.opmodel.dev";
const DECIDED: &str = "approval-frozen.platform.opmodel.dev";
const SKIP: &str = "skip-comment.platform.opmodel.dev";
const TAKEN_BACK: &str = "approval-taken-back.platform.opmodel.dev";
const GUARD: &str = "finalizer-guard.platform.opmodel.dev";
const RECORDS: &str = "records-guard.platform.opmodel.dev";
const IMPERSONATION: &str = "impersonation-guard.platform.opmodel.dev";
const FULFILLERS: &str = "fulfiller-guard.platform.opmodel.dev";

/// Prefix of users of a Kubernetes cluster that clean up after others.
const CLEANERS: &str = "system:serviceaccount:kube-system:";

/// Returns the policies for kcp, and their bindings. Each workspace has a `kube-system` of its own there, so its accounts are a tenant's.
pub(super) fn of_workspaces(identities: &Identities) -> Vec<Value> {
    everywhere(identities, Plane::Workspaces)
}

/// Returns the policies for a Kubernetes cluster, and their bindings.
pub(super) fn of_cluster(identities: &Identities) -> Vec<Value> {
    let mut all = everywhere(identities, Plane::Cluster);
    all.extend(fulfillers());
    all.extend(records(&identities.is_controller()));
    all
}

/// Where the policies are installed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plane {
    Workspaces,
    Cluster,
}

impl Plane {
    /// Returns a CEL expression over an admission request: a list with the logical cluster of the ServiceAccount that sends it, empty for
    /// everyone else. On a Kubernetes cluster the names of ServiceAccounts are unique, and only kcp is believed about logical clusters.
    fn home(self) -> String {
        if self == Self::Cluster {
            return "[]".to_owned();
        }
        let (extra, home) = ("request.userInfo.extra", quoted(names::KCP_USER_CLUSTER));
        format!(
            "(request.userInfo.username.startsWith('system:serviceaccount:') && has({extra}) && {home} in {extra} && \
             {extra}[{home}].size() > 0 ? [{extra}[{home}][0]] : [])"
        )
    }

    /// Returns a CEL expression that checks whether a stamp is of the person who sends an admission request.
    fn is_stamped_by(self, stamp: &str) -> String {
        let username = format!("{stamp}.username == request.userInfo.username");
        match self {
            // Stamps of earlier installations have no cluster.
            Self::Workspaces => format!("({username} && (!has({stamp}.cluster) || [{stamp}.cluster] == {}))", self.home()),
            Self::Cluster => username,
        }
    }
}

fn everywhere(identities: &Identities, plane: Plane) -> Vec<Value> {
    let mut all = not_impersonated();
    all.extend(stamp(plane, STAMP, "promiserequests", "requester"));
    all.extend(frozen());
    all.extend(stamp(plane, ACTOR, "promiseactions", "requester"));
    all.extend(action_frozen());
    all.extend(changer(plane, &identities.is_controller()));
    all.extend(stamp(plane, DECIDER, "approvals", "decidedBy"));
    all.extend(decided());
    all.extend(explained());
    all.extend(taken_back(plane, &identities.is_controller()));
    all.extend(guard(&identities.is_controller()));
    all
}

/// Stamps and guards believe user names, and an admin of a workspace of a kcp can impersonate any user in it. kcp scopes impersonated users
/// to the workspace, which real users never are. ServiceAccounts are scoped to their own workspace; with the groups of people, or scoped to
/// another workspace than their own, they are impersonated too. On Kubernetes no request says that it is impersonated; RBAC decides there.
fn not_impersonated() -> Vec<Value> {
    let extra = "request.userInfo.extra";
    let (scopes, home) = (quoted(names::KCP_USER_SCOPES), quoted(names::KCP_USER_CLUSTER));
    let own = format!(
        "request.userInfo.username.startsWith('system:serviceaccount:') && {home} in {extra} && {extra}[{home}].size() == 1 && \
         {extra}[{scopes}].all(scope, scope == 'cluster:' + {extra}[{home}][0]) && (!has(request.userInfo.groups) || \
         request.userInfo.groups.all(group, group == 'system:authenticated' || group == 'system:serviceaccounts' || \
         group.startsWith('system:serviceaccounts:')))"
    );
    let expression = format!("!has({extra}) || !({scopes} in {extra}) || ({own})");
    let mut constraints = matching("promiserequests", &["CREATE", "UPDATE", "DELETE"]);
    constraints["resourceRules"][0]["resources"] = json!(["promiserequests", "promiseactions", "promises", "approvals"]);
    validating(
        IMPERSONATION,
        constraints,
        &expression,
        "an impersonated user can't write requests, actions, promises or approvals; write them as yourself, without --as",
    )
}

/// What the fulfiller of a namespace writes into requests counts as the controller's, and no one checks who is behind it. Anyone who can
/// impersonate ServiceAccounts of the namespace, or issue tokens for them, could write in its name; only the controller can say who
/// impersonates it.
fn fulfillers() -> Vec<Value> {
    let (extra, by) = ("request.userInfo.extra", quoted(names::IMPERSONATED_BY_EXTRA));
    let expression = format!(
        "!(request.userInfo.username.startsWith('system:serviceaccount:') && request.userInfo.username.endsWith(':{FULFILLER}')) || \
         (has({extra}) && {by} in {extra} && {extra}[{by}] == [{}])",
        quoted(names::IMPERSONATED_BY_CONTROLLER)
    );
    validating(
        FULFILLERS,
        matching("promiserequests", &["CREATE", "UPDATE", "DELETE"]),
        &expression,
        "only the controller writes requests as the ServiceAccount opm-fulfiller; write them as yourself",
    )
}

/// Writes who creates an object of a kind into a field of its spec, whatever was sent: the requester, or the author of a decision.
fn stamp(plane: Plane, name: &str, resource: &str, field: &str) -> Vec<Value> {
    // A JSON patch, because an apply configuration must not touch a list that is replaced as a whole.
    let mut expression = format!(
        "[JSONPatch{{op: \"add\", path: \"/spec/{field}\", value: Object.spec.{field}{{\
         username: request.userInfo.username, groups: request.userInfo.groups}}}}]"
    );
    if plane == Plane::Workspaces {
        let patch = format!("JSONPatch{{op: 'add', path: '/spec/{field}/cluster', value: cluster}}");
        expression = format!("{expression} + {}.map(cluster, {patch})", plane.home());
    }
    mutating(name, matching(resource, &["CREATE"]), &[], &expression)
}

/// Records who last changed the content of a request, whatever was sent: its spec except for pausing, the labels, which rules and templates
/// read, and the annotations that roll out rules, ask again or replace typed secrets.
///
/// The records are annotations, because a changed spec is a new generation, and that one takes today's rules, not those that are rolled out
/// by name. The identity that creates requests for a promise replaces no one: what someone wrote into such a request by hand might remain
/// in it.
fn changer(plane: Plane, controller: &str) -> Vec<Value> {
    let has = |object: &str, name: &str| format!("has({object}.metadata.annotations) && {name} in {object}.metadata.annotations");
    let read = |object: &str, name: &str| format!("({} ? {object}.metadata.annotations[{name}] : '')", has(object, name));
    let labels = |object: &str| format!("(has({object}.metadata.labels) ? {object}.metadata.labels : {{}})");
    let asking = [names::ROLL_OUT_ANNOTATION, names::ASK_AGAIN_ANNOTATION, names::INPUTS_ANNOTATION].map(quoted).join(", ");
    let same = format!(
        "object.spec.all(field, field == 'paused' || field in oldObject.spec && object.spec[field] == oldObject.spec[field]) && \
         oldObject.spec.all(field, field == 'paused' || field in object.spec) && {} == {} && [{asking}].all(name, {} == {})",
        labels("object"),
        labels("oldObject"),
        read("object", "name"),
        read("oldObject", "name"),
    );
    let fulfiller = match plane {
        Plane::Workspaces => String::new(),
        Plane::Cluster => {
            format!(" || request.userInfo.username == 'system:serviceaccount:' + oldObject.metadata.namespace + ':{FULFILLER}'")
        }
    };
    let maker =
        format!("has(oldObject.spec.requester) && {} && ({controller}{fulfiller})", plane.is_stamped_by("oldObject.spec.requester"));
    // Each record is a list with the text of its annotation, or an empty list if there is none.
    let note = |annotation: &str, now: &str| {
        let name = quoted(annotation);
        let before = format!("({} ? [oldObject.metadata.annotations[{name}]] : [])", has("oldObject", &name));
        format!("oldObject == null ? [] : variables.kept ? {before} : {now}")
    };
    let groups = "[(has(request.userInfo.groups) ? request.userInfo.groups : [])\
                  .map(group, group.replace('%', '%25').replace('\\n', '%0A')).join('\\n')]";
    let notes = [
        ("who", names::CHANGED_BY_ANNOTATION, "[request.userInfo.username]".to_owned()),
        ("home", names::CHANGED_BY_CLUSTER_ANNOTATION, plane.home()),
        ("groups", names::CHANGED_BY_GROUPS_ANNOTATION, groups.to_owned()),
    ];
    let mut variables = vec![("same", same), ("kept", format!("oldObject == null || variables.same || {maker}"))];
    let mut expression =
        "(has(object.metadata.annotations) ? [] : [JSONPatch{op: 'add', path: '/metadata/annotations', value: {}}])".to_owned();
    for (variable, annotation, now) in &notes {
        variables.push((variable, note(annotation, now)));
        let path = format!("/metadata/annotations/{}", annotation.replace('/', "~1"));
        let sent = has("object", &quoted(annotation));
        expression.push_str(&format!(
            " + (variables.{variable}.size() > 0 ? [JSONPatch{{op: 'add', path: '{path}', value: variables.{variable}[0]}}] : \
             {sent} ? [JSONPatch{{op: 'remove', path: '{path}'}}] : [])"
        ));
    }
    let expression = format!("variables.who.size() > 0 || has(object.metadata.annotations) ? {expression} : []");
    mutating(CHANGER, matching("promiserequests", &["CREATE", "UPDATE"]), &variables, &expression)
}

/// The requester can't be changed afterwards.
fn frozen() -> Vec<Value> {
    let expression = "has(object.spec.requester) == has(oldObject.spec.requester) && \
                      (!has(object.spec.requester) || object.spec.requester == oldObject.spec.requester)";
    validating(
        FROZEN,
        matching("promiserequests", &["UPDATE"]),
        expression,
        "spec.requester is set when the request is created and can't be changed; leave it out",
    )
}

/// What an action does, and for whom, can't be changed afterwards: it might have begun. It can be cancelled.
fn action_frozen() -> Vec<Value> {
    let same = |field: &str| {
        format!(
            "has(object.spec.{field}) == has(oldObject.spec.{field}) && \
             (!has(object.spec.{field}) || object.spec.{field} == oldObject.spec.{field})"
        )
    };
    let fields = ["request", "action", "parameters", "requester"].map(same).join(" && ");
    let stays = "!(has(oldObject.spec.cancel) && oldObject.spec.cancel) || (has(object.spec.cancel) && object.spec.cancel)";
    validating(
        ACTION,
        matching("promiseactions", &["UPDATE"]),
        &format!("{fields} && ({stays})"),
        "of an action that exists only spec.cancel can be set; create another PromiseAction",
    )
}

/// A decision can't be changed afterwards, by anyone. It can be deleted, and no longer counts then.
fn decided() -> Vec<Value> {
    validating(
        DECIDED,
        matching("approvals", &["UPDATE"]),
        "object.spec == oldObject.spec",
        "a decision can't be changed; create another Approval",
    )
}

/// Who skips a step says why: nothing else tells what was left out, and whether it has to be made up for.
fn explained() -> Vec<Value> {
    validating(
        SKIP,
        matching("approvals", &["CREATE"]),
        "!has(object.spec.decision) || object.spec.decision != 'skip' || (has(object.spec.comment) && object.spec.comment.trim() != '')",
        "to skip a step, add a comment that says why",
    )
}

/// A decision is withdrawn by its author: people who are allowed to decide aren't allowed to delete the decisions of others. Garbage
/// collection and the removal of whole workspaces, which stand above people, continue to work.
fn taken_back(plane: Plane, controller: &str) -> Vec<Value> {
    let cleaners = match plane {
        Plane::Cluster => format!(" || request.userInfo.username.startsWith('{CLEANERS}')"),
        Plane::Workspaces => String::new(),
    };
    let author = plane.is_stamped_by("oldObject.spec.decidedBy");
    let expression = format!(
        "!has(oldObject.spec.decidedBy) || {author} || \
         {controller} || \
         (request.userInfo.username.startsWith('system:') && (!request.userInfo.username.startsWith('system:serviceaccount:'){cleaners})) || \
         (has(request.userInfo.groups) && 'system:masters' in request.userInfo.groups)"
    );
    validating(
        TAKEN_BACK,
        matching("approvals", &["DELETE"]),
        &expression,
        "only the person who made a decision can withdraw it; decide yourself in another Approval",
    )
}

/// Only the controller removes the finalizers by which it cleans up.
fn guard(controller: &str) -> Vec<Value> {
    let kept = |finalizer: &str| {
        format!(
            "(!has(oldObject.metadata.finalizers) || !('{finalizer}' in oldObject.metadata.finalizers) || \
             (has(object.metadata.finalizers) && '{finalizer}' in object.metadata.finalizers))"
        )
    };
    let expression = format!("{controller} || ({} && {})", kept(names::FINALIZER), kept(names::PROMISE_FINALIZER));
    let mut constraints = matching("promiserequests", &["UPDATE"]);
    constraints["resourceRules"][0]["resources"] = json!(["promiserequests", "promiseactions", "promises"]);
    validating(
        GUARD,
        constraints,
        &expression,
        "only the controller can remove the finalizers of platform.opmodel.dev, after it has cleaned up",
    )
}

/// Status, releases and revisions belong to the controller, whatever permissions a user has. On kcp the maximal permission policy says so.
/// Deleting releases and revisions is left to the cluster's own controllers, which clean up, and to its superusers.
fn records(controller: &str) -> Vec<Value> {
    let expression = format!(
        "{controller} || (request.operation == 'DELETE' && (\
         request.userInfo.username.startsWith('{CLEANERS}') || \
         request.userInfo.username == 'system:kube-controller-manager' || \
         (has(request.userInfo.groups) && 'system:masters' in request.userInfo.groups)))"
    );
    let rule = |resources: &[&str], operations: &[&str]| json!({"apiGroups": [names::GROUP], "apiVersions": ["*"], "operations": operations, "resources": resources});
    let constraints = json!({"resourceRules": [
        rule(&["promisereleases", "promiserevisions"], &["CREATE", "UPDATE", "DELETE"]),
        rule(STATUS, &["UPDATE"]),
    ]});
    validating(RECORDS, constraints, &expression, "only the controller can write status, releases and revisions")
}

/// Returns a text as a CEL literal.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

fn mutating(name: &str, constraints: Value, variables: &[(&str, String)], expression: &str) -> Vec<Value> {
    let mut spec = json!({
        "failurePolicy": "Fail",
        "reinvocationPolicy": "IfNeeded",
        "matchConstraints": constraints,
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}],
    });
    if !variables.is_empty() {
        let variables: Vec<Value> = variables.iter().map(|(name, expression)| json!({"name": name, "expression": expression})).collect();
        spec["variables"] = Value::Array(variables);
    }
    vec![
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": name},
            "spec": spec,
        }),
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": name},
            "spec": {"policyName": name},
        }),
    ]
}

fn validating(name: &str, constraints: Value, expression: &str, message: &str) -> Vec<Value> {
    vec![
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name},
            "spec": {
                "failurePolicy": "Fail",
                "matchConstraints": constraints,
                "validations": [{"expression": expression, "message": message}],
            },
        }),
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": name},
            "spec": {"policyName": name, "validationActions": ["Deny"]},
        }),
    ]
}

fn matching(resource: &str, operations: &[&str]) -> Value {
    json!({"resourceRules": [{
        "apiGroups": [names::GROUP], "apiVersions": ["*"], "operations": operations, "resources": [resource],
    }]})
}
