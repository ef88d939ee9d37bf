//! Every address of the portal, written once, and the only URL builder. Links are absolute, and colons aren't encoded (`architecture.md`,
//! URLs).

use crate::view::ObjectKey;

mod authoring;
mod done;
mod needed;
mod pattern;
mod presets;
mod runs;
mod session;
mod start;

pub use authoring::{author, fleet, fleet_with, promise_edit, promise_new, promise_retire, rollout};
pub use done::{ENDED, SAVED, delegate_saved, delegation_ended, settings_saved};
pub use needed::{continued, needed, request_needed};
pub(crate) use pattern::has_dot_segments;
pub use pattern::{Pattern, at, with_query};
pub use presets::{preset_delete, preset_new, presets, presets_after, presets_without};
pub use runs::{action, run, skip, skip_in_run};
pub use session::{authenticate_again, sign_in, sign_in_again, sign_in_callback, sign_in_with, sign_out_with, signed_out};
pub use start::{
    RELEASE_START, RENEWAL_START, VERSION_START, copy_of, releases_compared, request_copy, request_edit_from, start_of_release,
    start_of_version,
};

/// Patterns of pages, in the router's syntax; each answers GET.
pub mod page {
    /// Home.
    pub const HOME: &str = "/";
    /// Sign-in page.
    pub const SIGN_IN: &str = "/sign-in";
    /// Redirects to an identity provider to sign in: query `back`.
    pub const SIGN_IN_WITH: &str = "/sign-in/{provider}";
    /// Where an identity provider sends the browser back to: query `code`, `state` and `iss`, or `error`.
    pub const SIGN_IN_CALLBACK: &str = "/sign-in/{provider}/callback";
    /// Redirects to an identity provider to end the session there.
    pub const SIGN_OUT_WITH: &str = "/sign-in/{provider}/sign-out";
    /// The user's sessions.
    pub const SESSIONS: &str = "/account/sessions";
    /// Workspaces.
    pub const WORKSPACES: &str = "/workspaces";
    /// A workspace: what is in it, what applies to it, and who can do what there.
    pub const WORKSPACE: &str = "/w/{workspace}";
    /// Catalog of a workspace.
    pub const CATALOG: &str = "/w/{workspace}/catalog";
    /// A promise.
    pub const PROMISE: &str = "/w/{workspace}/promises/{name}";
    /// The form of a new request.
    pub const REQUEST_NEW: &str = "/w/{workspace}/promises/{name}/request";
    /// Review of a new request, before it is submitted.
    pub const REQUEST_REVIEW: &str = "/w/{workspace}/promises/{name}/request/review";
    /// Requests of all workspaces.
    pub const ALL_REQUESTS: &str = "/requests";
    /// The same as comma-separated values, all rows.
    pub const ALL_REQUESTS_CSV: &str = "/requests.csv";
    /// Requests of a workspace as comma-separated values, all rows.
    pub const REQUESTS_CSV: &str = "/w/{workspace}/requests.csv";
    /// Requests of a workspace.
    pub const REQUESTS: &str = "/w/{workspace}/requests";
    /// Presets of a workspace; with the query `promise`, the form that saves one from `draft` or `start`.
    pub const PRESETS: &str = "/w/{workspace}/presets";
    /// Objects that were created for the requests of a workspace.
    pub const RESOURCES: &str = "/w/{workspace}/resources";
    /// The same as comma-separated values, all rows.
    pub const RESOURCES_CSV: &str = "/w/{workspace}/resources.csv";
    /// One object that was created for a request: query `group`, `in` (its namespace) and `at` (its Destination) distinguish objects with
    /// the same name.
    pub const OBJECT: &str = "/w/{workspace}/requests/{namespace}/{name}/objects/{kind}/{object}";
    /// A request.
    pub const REQUEST: &str = "/w/{workspace}/requests/{namespace}/{name}";
    /// The form of an existing request.
    pub const REQUEST_EDIT: &str = "/w/{workspace}/requests/{namespace}/{name}/edit";
    /// Review of a change, before it is submitted.
    pub const EDIT_REVIEW: &str = "/w/{workspace}/requests/{namespace}/{name}/edit/review";
    /// A request with the value of a secret output that was just revealed: query `output` and `grant`.
    pub const REQUEST_REVEALED: &str = "/w/{workspace}/requests/{namespace}/{name}/revealed";
    /// Confirmation before a request is deleted.
    pub const REQUEST_DELETE: &str = "/w/{workspace}/requests/{namespace}/{name}/delete";
    /// The form of an action of a request.
    pub const ACTION: &str = "/w/{workspace}/requests/{namespace}/{name}/actions/{action}";
    /// A run of an action.
    pub const RUN: &str = "/w/{workspace}/requests/{namespace}/{name}/runs/{run}";
    pub use super::runs::{SKIP, SKIP_IN_RUN};
    /// What the platform creates for a new request, line by line.
    pub const REQUEST_ADDS: &str = "/w/{workspace}/promises/{name}/request/adds";
    /// What the platform creates for a change, line by line.
    pub const EDIT_ADDS: &str = "/w/{workspace}/requests/{namespace}/{name}/edit/adds";
    /// Overview of requests, for platform teams.
    pub const PLATFORM: &str = "/platform";
    /// Promises in workspaces where the user can list them.
    pub const PROMISES: &str = "/platform/promises";
    /// The form that a schema makes, before anything is published.
    pub const PROMISE_PREVIEW: &str = "/platform/promises/preview";
    /// A promise for its authors.
    pub const AUTHOR: &str = "/platform/promises/{place}/{promise}";
    /// A new promise, as YAML.
    pub const PROMISE_NEW: &str = "/platform/promises/new";
    /// An existing promise, as YAML.
    pub const PROMISE_EDIT: &str = "/platform/promises/{place}/{promise}/edit";
    /// Confirmation before a promise is no longer offered: query `page`.
    pub const PROMISE_RETIRE: &str = "/platform/promises/{place}/{promise}/retire";
    /// Its instances, checked against a version: query `q`, `workspace`, `version`, `to` and `page`.
    pub const FLEET: &str = "/platform/promises/{place}/{promise}/fleet";
    /// An upgrade of many instances in waves.
    pub const ROLLOUT: &str = "/platform/promises/{place}/{promise}/rollouts/{rollout}";
    /// Policies of all workspaces that the user can read.
    pub const POLICIES: &str = "/platform/policies";
    /// A policy.
    pub const POLICY: &str = "/platform/policies/{place}/{policy}";
    /// A new policy, as YAML.
    pub const POLICY_NEW: &str = "/platform/policies/new";
    /// An existing policy, as YAML.
    pub const POLICY_EDIT: &str = "/platform/policies/{place}/{policy}/edit";
    /// Decisions: waiting, decided and open.
    pub const APPROVALS: &str = "/approvals";
    /// One decision on a light page, for links from elsewhere; the uid is that of the request.
    pub const APPROVAL: &str = "/approvals/{uid}";
    /// All open requests of the same shape as one.
    pub const ALIKE: &str = "/approvals/{uid}/alike";
    /// Confirmation before a policy is deleted.
    pub const POLICY_DELETE: &str = "/platform/policies/{place}/{policy}/delete";
    /// Cost: query `workspace`, `by`, `month`, `against`, `table`, `page` and `rows`.
    pub const COST: &str = "/cost";
    /// The same as a file for a spreadsheet.
    pub const COST_EXPORT: &str = "/cost/export.csv";
    /// The same with the columns of FOCUS.
    pub const COST_FOCUS: &str = "/cost/focus.csv";
    /// The user's notifications.
    pub const NOTIFICATIONS: &str = "/notifications";
    /// The user's notification settings.
    pub const NOTIFICATION_SETTINGS: &str = "/notifications/settings";
    /// The user's delegate.
    pub const STAND_IN: &str = "/notifications/stand-in";
    /// Emergency approvals: who overrode all other approvers, when, and why.
    pub const EMERGENCIES: &str = "/platform/emergencies";
    /// Messages that could not be delivered.
    pub const DELIVERIES: &str = "/platform/deliveries";
    /// Audit log: query `q`, `person`, `workspace`, `operation`, `outcome`, `source`, `from`, `to` and `page`.
    pub const AUDIT: &str = "/platform/audit";
    /// All of it as JSON Lines.
    pub const AUDIT_EXPORT: &str = "/platform/audit/export.jsonl";
    /// One record of the audit log.
    pub const AUDIT_RECORD: &str = "/platform/audit/{chain}/{record}";
    /// Search over everything that the user can list: query `q`, `kind`, `workspace` and `page`.
    pub const SEARCH: &str = "/search";
    /// The results of the same query as a fragment of HTML, for the palette.
    pub const SEARCH_SUGGESTIONS: &str = "/search/suggestions";
    /// Keyboard shortcuts.
    pub const KEYBOARD: &str = "/keyboard";
    /// The REST API, for people who write programs.
    pub const API: &str = "/docs/api";
    /// Why a post was refused: query `id`.
    pub const REFUSED: &str = "/refused";
    /// Gallery of the design system; embedded plane only.
    pub const GALLERY: &str = "/dev/ui";
}

/// Patterns of posts whose answer is a page, and which are therefore not actions (`crate::actions`). Each carries the form token in the field
/// `_token`.
pub mod post {
    /// `Requests::preflight` with `FormOf::New`: the form with the posted values, for the script that updates its preflight panel. It saves
    /// a draft.
    pub const PREFLIGHT_NEW: &str = "/w/{workspace}/promises/{name}/request/preflight";
    /// `Requests::preflight` with `FormOf::Edit`.
    pub const PREFLIGHT_EDIT: &str = "/w/{workspace}/requests/{namespace}/{name}/edit/preflight";
    /// `Platform::policy_preflight`: the form of a policy with the posted values, for the script that updates it. It saves a draft.
    pub const PREFLIGHT_POLICY: &str = "/platform/policies/preflight";
}

/// Where an identity provider says that a session is over (OpenID Connect Back-Channel Logout 1.0): the post carries a `logout_token`.
pub const BACK_CHANNEL_LOGOUT: &str = "/sign-in/{provider}/back-channel-logout";

/// Server-sent events: query `topic` is `requests` with `workspace`, `request` with `workspace`, `namespace`, `name`, `rollout` with
/// its id as `name`, or one of `notifications`, `home`, `platform` and `decisions`; each also sends the user's notifications. `seen` identifies the data that the page
/// was rendered from, so that changes from before the stream opened are sent at once.
pub const LIVE: &str = "/live";

/// Returns `next` if it is an address of this site, otherwise home: one slash, then something that no browser reads as a host.
pub fn safe_redirect(next: &str) -> &str {
    let local = next.starts_with('/')
        && !next.starts_with("//")
        && !next.contains(['\\', '\n', '\r', '\t'])
        && next.parse::<http::Uri>().is_ok_and(|uri| uri.host().is_none());
    if local { next } else { page::HOME }
}

/// Why a post was refused.
pub fn refused(id: &str) -> String {
    with_query(page::REFUSED, &[("id", id)])
}

/// The search, opened in a workspace; an empty path for none.
pub fn search(workspace: &str) -> String {
    with_query(page::SEARCH, &[("workspace", workspace)])
}

/// A workspace.
pub fn workspace(workspace: &str) -> String {
    at(page::WORKSPACE, &[workspace])
}

/// The page of another workspace that is like the one at an address; its catalog where there is none.
pub fn alike_in(workspace: &str, address: &str) -> String {
    let path = address.split('?').next().unwrap_or(address);
    let rest = path.strip_prefix("/w/").map(|rest| rest.split_once('/').map_or("", |(_, rest)| rest));
    match rest {
        Some("") => self::workspace(workspace),
        Some(rest) if rest.starts_with("requests") => requests(workspace),
        Some(rest) if rest.starts_with("resources") => resources(workspace),
        _ => catalog(workspace),
    }
}

/// Catalog of a workspace.
pub fn catalog(workspace: &str) -> String {
    at(page::CATALOG, &[workspace])
}

/// A promise; `home` is the home of a shadowed promise.
pub fn promise(workspace: &str, name: &str, home: Option<&str>) -> String {
    with_query(&at(page::PROMISE, &[workspace, name]), &[("home", home.unwrap_or_default())])
}

/// The form of a new request, filled in from an example or preset.
pub fn request_from(workspace: &str, promise: &str, home: Option<&str>, start: &str) -> String {
    with_query(&request_new(workspace, promise, home), &[("start", start)])
}

/// Requests of a workspace, with a message about one that is being deleted.
pub fn requests_after(workspace: &str, namespace: &str, name: &str) -> String {
    with_query(&requests(workspace), &[("namespace", namespace), ("deleted", name)])
}

/// The form of a new request.
pub fn request_new(workspace: &str, promise: &str, home: Option<&str>) -> String {
    with_query(&at(page::REQUEST_NEW, &[workspace, promise]), &[("home", home.unwrap_or_default())])
}

/// Review of a new request.
pub fn request_review(workspace: &str, promise: &str, home: Option<&str>) -> String {
    with_query(&at(page::REQUEST_REVIEW, &[workspace, promise]), &[("home", home.unwrap_or_default())])
}

/// The preview of a draft.
pub fn promise_preview_draft(draft: &str) -> String {
    with_query(page::PROMISE_PREVIEW, &[("draft", draft)])
}

/// The preview of a promise's form.
pub fn promise_preview(workspace: &str, promise: &str) -> String {
    with_query(page::PROMISE_PREVIEW, &[("workspace", workspace), ("promise", promise)])
}

/// What the platform creates for a new request; `origin` selects the lines of one origin.
pub fn request_adds(workspace: &str, promise: &str, home: Option<&str>, draft: &str, origin: &str) -> String {
    let path = at(page::REQUEST_ADDS, &[workspace, promise]);
    with_query(&path, &[("home", home.unwrap_or_default()), ("draft", draft), ("origin", origin)])
}

/// Preflight of the form of a new request, for the script.
pub fn preflight_new(workspace: &str, promise: &str, home: Option<&str>) -> String {
    let path = at(post::PREFLIGHT_NEW, &[workspace, promise]);
    with_query(&path, &[("home", home.unwrap_or_default())])
}

/// A tab of a promise's page; an empty `tab` is its overview.
pub fn promise_tab(workspace: &str, name: &str, home: Option<&str>, tab: &str) -> String {
    with_query(&promise(workspace, name, home), &[("tab", tab)])
}

/// A policy; `seen_from` is the workspace in which the user found one of its rules.
pub fn policy(workspace: &str, name: &str, seen_from: &str) -> String {
    with_query(&at(page::POLICY, &[workspace, name]), &[("from", seen_from)])
}

/// A record of the audit log.
pub fn audit_record(chain: &str, sequence: u64) -> String {
    at(page::AUDIT_RECORD, &[chain, &sequence.to_string()])
}

/// A policy as YAML, for editing.
pub fn policy_edit(workspace: &str, name: &str) -> String {
    at(page::POLICY_EDIT, &[workspace, name])
}

/// Confirmation before a policy is deleted.
pub fn policy_delete(workspace: &str, name: &str) -> String {
    at(page::POLICY_DELETE, &[workspace, name])
}

/// The list of policies, with a message about one that was deleted.
pub fn policies_after(workspace: &str, name: &str) -> String {
    with_query(page::POLICIES, &[("from", workspace), ("deleted", name)])
}

/// The form of one rule of a policy.
pub fn policy_rule(workspace: &str, name: &str, rule: usize) -> String {
    with_query(&policy_edit(workspace, name), &[("rule", &rule.to_string())])
}

/// A page that edits a policy, as YAML.
pub fn as_yaml(page: &str) -> String {
    with_query(page, &[("view", "yaml")])
}

/// A new policy in a workspace.
pub fn policy_new(workspace: &str) -> String {
    with_query(page::POLICY_NEW, &[("workspace", workspace)])
}

/// Cost of a workspace and everything below it; of everything for the empty path.
pub fn cost(workspace: &str) -> String {
    with_query(page::COST, &[("workspace", workspace)])
}

/// Requests of a workspace; of all workspaces for the empty path.
pub fn requests(workspace: &str) -> String {
    if workspace.is_empty() { page::ALL_REQUESTS.to_owned() } else { at(page::REQUESTS, &[workspace]) }
}

/// The same as comma-separated values.
pub fn requests_csv(workspace: &str) -> String {
    if workspace.is_empty() { page::ALL_REQUESTS_CSV.to_owned() } else { at(page::REQUESTS_CSV, &[workspace]) }
}

/// Requests of all workspaces, filtered.
pub fn all_requests(pairs: &[(&str, &str)]) -> String {
    with_query(page::ALL_REQUESTS, pairs)
}

/// Objects that were created for the requests of a workspace.
pub fn resources(workspace: &str) -> String {
    at(page::RESOURCES, &[workspace])
}

/// The same as comma-separated values.
pub fn resources_csv(workspace: &str) -> String {
    at(page::RESOURCES_CSV, &[workspace])
}

/// A request.
pub fn request(workspace: &str, namespace: &str, name: &str) -> String {
    at(page::REQUEST, &[workspace, namespace, name])
}

/// A tab of a request; an empty `view` is its overview. Pages count from 1.
pub fn request_view(workspace: &str, namespace: &str, name: &str, view: &str, number: usize) -> String {
    let number = if number > 1 { number.to_string() } else { String::new() };
    with_query(&request(workspace, namespace, name), &[("view", view), ("page", &number)])
}

/// One object that was created for a request.
pub fn object(workspace: &str, namespace: &str, request: &str, object: &ObjectKey) -> String {
    let path = at(page::OBJECT, &[workspace, namespace, request, &object.kind, &object.name]);
    with_query(&path, &[("group", &object.group), ("in", &object.namespace), ("at", &object.at)])
}

/// The form of an existing request.
pub fn request_edit(workspace: &str, namespace: &str, name: &str) -> String {
    at(page::REQUEST_EDIT, &[workspace, namespace, name])
}

/// Review of a change.
pub fn edit_review(workspace: &str, namespace: &str, name: &str) -> String {
    at(page::EDIT_REVIEW, &[workspace, namespace, name])
}

/// What the platform creates for a change; `origin` selects the lines of one origin.
pub fn edit_adds(workspace: &str, namespace: &str, name: &str, draft: &str, origin: &str) -> String {
    with_query(&at(page::EDIT_ADDS, &[workspace, namespace, name]), &[("draft", draft), ("origin", origin)])
}

/// Preflight of the form of an existing request, for the script.
pub fn preflight_edit(workspace: &str, namespace: &str, name: &str) -> String {
    at(post::PREFLIGHT_EDIT, &[workspace, namespace, name])
}

/// The inbox, filtered.
pub fn approvals(pairs: &[(&str, &str)]) -> String {
    with_query(page::APPROVALS, pairs)
}

/// One decision on a light page.
pub fn approval(uid: &str) -> String {
    at(page::APPROVAL, &[uid])
}

/// One decision with what changed since a content.
pub fn approval_since(uid: &str, since: &str) -> String {
    with_query(&approval(uid), &[("since", since)])
}

/// All open requests of the same shape as one.
pub fn alike(uid: &str) -> String {
    at(page::ALIKE, &[uid])
}

/// Confirmation before a request is deleted.
pub fn request_delete(workspace: &str, namespace: &str, name: &str) -> String {
    at(page::REQUEST_DELETE, &[workspace, namespace, name])
}

/// A request with the value of a secret output, as long as `grant` lasts.
pub fn request_revealed(workspace: &str, namespace: &str, name: &str, output: &str, grant: &str) -> String {
    with_query(&at(page::REQUEST_REVEALED, &[workspace, namespace, name]), &[("output", output), ("grant", grant)])
}

/// Stream of changes to a list of requests since the state `seen`.
pub fn live_requests(workspace: &str, seen: &str) -> String {
    with_query(LIVE, &[("topic", "requests"), ("workspace", workspace), ("seen", seen)])
}

/// Stream of changes to a list of requests that includes child workspaces since the state `seen`.
pub fn live_requests_below(workspace: &str, seen: &str) -> String {
    with_query(LIVE, &[("topic", "requests"), ("workspace", workspace), ("below", "true"), ("seen", seen)])
}

/// Stream of the user's notifications since the state `seen`.
pub fn live_notifications(seen: &str) -> String {
    with_query(LIVE, &[("topic", "notifications"), ("seen", seen)])
}

/// Stream of changes to home since the state `seen`.
pub fn live_home(seen: &str) -> String {
    with_query(LIVE, &[("topic", "home"), ("seen", seen)])
}

/// Stream of changes to the overview's counts since the state `seen`.
pub fn live_platform(seen: &str) -> String {
    with_query(LIVE, &[("topic", "platform"), ("seen", seen)])
}

/// Stream of changes to the inbox since the state `seen`.
pub fn live_decisions(seen: &str) -> String {
    with_query(LIVE, &[("topic", "decisions"), ("seen", seen)])
}

/// Stream of changes to a rollout since the state `seen`.
pub fn live_rollout(id: &str, seen: &str) -> String {
    with_query(LIVE, &[("topic", "rollout"), ("name", id), ("seen", seen)])
}

/// Stream of changes to one request since the state `seen`.
pub fn live_request(workspace: &str, namespace: &str, name: &str, seen: &str) -> String {
    let pairs = [("topic", "request"), ("workspace", workspace), ("namespace", namespace), ("name", name), ("seen", seen)];
    with_query(LIVE, &pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_stay_on_this_site() {
        for stays in ["/", "/w/root:acme:shop/catalog?q=a", "/approvals"] {
            assert_eq!(safe_redirect(stays), stays);
        }
        for goes in ["", "//evil.example", "https://evil.example", "/\\evil.example", "/\t/evil.example", "javascript:alert(1)", "evil"] {
            assert_eq!(safe_redirect(goes), "/", "{goes}");
        }
    }

    #[test]
    fn another_workspace_opens_on_the_same_kind_of_page() {
        let kinds = ["", "/requests", "/resources", "/catalog"];
        let from = [
            "/w/root:acme",
            "/w/root:acme/requests/default/db?view=yaml",
            "/w/root:acme/resources?q=a",
            "/w/root:acme/promises/db/request",
        ];
        for (from, kind) in from.into_iter().zip(kinds) {
            assert_eq!(alike_in("root:globex", from), format!("/w/root:globex{kind}"), "{from}");
        }
        assert_eq!(alike_in("root:globex", "/cost"), "/w/root:globex/catalog");
    }

    #[test]
    fn objects_are_told_apart_by_where_they_are() {
        let key = ObjectKey { kind: "Role".into(), name: "a:b/c".into(), at: "eu-1".into(), ..ObjectKey::default() };
        assert_eq!(object("root:acme", "default", "db", &key), "/w/root:acme/requests/default/db/objects/Role/a:b%2Fc?at=eu-1");
    }
}
