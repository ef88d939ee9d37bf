//! Every page of the portal once, in the states that differ in look.

use app::app::{App, render};
use app::backend::Visit;
use app::document::{Page, show};
use app::pages::{refused, requests};
use axum::body::{Body, to_bytes};
use axum::response::Response;
use http::Request;
use promise::{BusyReason, DeniedReason, Error, TooManyReason};

use crate::world::decided::{RUN_UID, UID};
use crate::world::{WORKSPACE, World, full, visit};

/// A page as a browser gets it.
#[derive(Debug)]
pub struct Rendered {
    /// HTTP status.
    pub status: u16,
    /// The document.
    pub html: String,
}

fn wrong() -> World {
    World { fits: false, ..full() }
}

fn viewer() -> World {
    World { refused: Some("Your role in shop can look, not ask. An owner of acme can change that.".into()), ..full() }
}

fn nothing() -> World {
    World { empty: true, ..full() }
}

/// Name, world, and address.
fn addresses() -> Vec<(&'static str, Option<World>, String)> {
    let shop = |rest: &str| format!("/w/{WORKSPACE}{rest}");
    let postgresql = |rest: &str| shop(&format!("/promises/postgresql{rest}"));
    let orders = |rest: &str| shop(&format!("/requests/default/orders-db{rest}"));
    let approval = |rest: &str| format!("/approvals/{UID}{rest}");
    let here = |name, address: String| (name, Some(full()), address);
    let bad = |name, address: String| (name, Some(wrong()), address);
    let looks = |name, address: String| (name, Some(viewer()), address);
    let empty = |name, address: String| (name, Some(nothing()), address);
    let closed = |name, address: String| (name, Some(World { empty: true, ..viewer() }), address);
    let to = str::to_owned;
    let of_data = "?kind=Cluster&workspace=root:acme:data&below=true";
    vec![
        ("sign-in", None, to("/sign-in")),
        ("sign-in-refused", None, to("/sign-in?problem=token-refused")),
        ("signed-out", None, to("/")),
        here("home", to("/")),
        empty("home-empty", to("/")),
        looks("home-viewer", to("/")),
        bad("home-stale", to("/")),
        ("home-unanswered", Some(World { fits: false, ..nothing() }), to("/")),
        here("workspaces", to("/workspaces")),
        here("workspace", shop("")),
        bad("workspace-unread", shop("")),
        looks("workspace-denied", shop("")),
        empty("workspace-empty", shop("")),
        here("search", to("/search?workspace=root:acme:shop")),
        here("search results", to("/search?q=orders&workspace=root:acme:shop")),
        here("keyboard", to("/keyboard")),
        here("catalog", shop("/catalog")),
        empty("catalog-empty", shop("/catalog")),
        here("promise", postgresql("")),
        here("promise-policies", postgresql("?tab=policies")),
        here("promise-fields", postgresql("?tab=fields")),
        here("promise-versions", postgresql("?tab=versions")),
        here("promise-used-by", postgresql("?tab=used-by&page=2")),
        empty("promise-unused", postgresql("?tab=used-by")),
        looks("promise-viewer", postgresql("")),
        here("not-found", shop("/promises/nothing")),
        here("nowhere", to("/no/such/page")),
        here("unreadable", shop("/requests?page=many")),
        here("request-new", postgresql("/request")),
        bad("request-error", postgresql("/request?draft=d1")),
        looks("request-viewer", shop("/promises/redis/request")),
        here("request-web", shop("/promises/web-application/request")),
        here("request-shared", postgresql("/request?draft=shared")),
        here("request-manifest", postgresql("/request?draft=yaml")),
        bad("request-manifest-error", postgresql("/request?draft=yaml")),
        here("request-posted", postgresql("/request?draft=posted")),
        looks("request-required", postgresql("/request?draft=required")),
        here("request-needed", postgresql("/request?for=form:web-application")),
        looks("promise-required", shop("/promises/redis")),
        here("request-continued", orders("?for=form:web-application")),
        bad("request-conflict", orders("/edit?draft=d1")),
        bad("requests-drafts", shop("/requests")),
        here("review-change", orders("/edit/review?draft=d1")),
        here("request-gone", shop("/requests/default/was-there")),
        here("review", postgresql("/request/review?draft=d1")),
        here("adds", postgresql("/request/adds?draft=d1")),
        bad("adds-policy", orders("/edit/adds?origin=policy")),
        here("adds-nothing", orders("/edit/adds?origin=default")),
        empty("adds-unknown", orders("/edit/adds")),
        here("approvals", to("/approvals")),
        empty("approvals-empty", to("/approvals")),
        here("approvals-gone", to("/approvals?open=gone")),
        here("approvals-decided", format!("/approvals?view=decided&done={UID}")),
        bad("approvals-old", to("/approvals")),
        here("approvals-again", format!("/approvals?open={UID}&refused=decision")),
        looks("approvals-viewer", to("/approvals")),
        here("approval", approval("")),
        bad("approval-settled", approval("")),
        looks("approval-viewer", approval("")),
        here("approval-run", format!("/approvals/{RUN_UID}")),
        here("approval-again", approval("?refused=decision")),
        here("approval-alike", approval("/alike?refused=decision")),
        here("requests", shop("/requests")),
        here("requests-all", to("/requests?outcome=failed&week=2026-11-16")),
        bad("requests-below", to("/w/root:acme/requests?below=true&label=team=shop")),
        empty("requests-of-children", to("/w/root:acme/requests")),
        here("requests-narrowed", shop("/requests?q=a")),
        empty("requests-kept", shop("/requests?q=a")),
        empty("requests-empty", shop("/requests")),
        here("request", orders("")),
        here("request-resources", orders("?view=resources")),
        here("request-resources-folded", orders("?view=resources&fold=Secret")),
        here("request-resources-tree", orders("?view=resources&layout=tree")),
        here("request-resources-chosen", orders("?view=resources&layout=tree&open=database")),
        here("request-configuration", orders("?view=configuration")),
        here("request-policies", orders("?view=policies")),
        here("request-adds", orders("?view=adds")),
        here("request-history", orders("?view=history")),
        here("request-yaml", orders("?view=yaml")),
        here("request-events", orders("?view=events")),
        bad("request-events-elsewhere", orders("?view=events")),
        here("request-logs", orders("?view=logs")),
        here("request-logs-chosen", orders("?view=logs&pod=orders-db-web-1")),
        here("request-logs-previous", orders("?view=logs&pod=orders-db-web-1&previous=true")),
        looks("request-logs-denied", orders("?view=logs&pod=orders-db-web-1")),
        bad("request-logs-elsewhere", orders("?view=logs")),
        looks("request-viewer-detail", orders("")),
        bad("request-refused", orders("")),
        ("request-refused-viewer", Some(World { fits: false, ..viewer() }), orders("")),
        here("request-not-completed", orders("?refused=changed")),
        here("presets", shop("/presets?saved=Nightly")),
        empty("presets-empty", shop("/presets")),
        here("preset-delete", shop(&format!("/presets?delete={}", "7".repeat(32)))),
        here("preset-deleted", shop("/presets?deleted=Weekly")),
        here("preset-not-deleted", shop("/presets?deleted=Nightly")),
        here("preset-new", shop("/presets?promise=postgresql&start=request:default/orders-db")),
        here("preset-refused", shop("/presets?promise=postgresql&draft=d1&refused=changed")),
        here("preset-lost", shop("/presets?promise=postgresql")),
        here("edit", orders("/edit")),
        here("upgrade", orders("/edit?start=version:1.3.0")),
        bad("upgrade-breaking", orders("/edit?start=version:2.0.0")),
        here("roll-back", orders("/edit?start=release:orders-db-1")),
        here("request-releases", orders("?view=releases")),
        here("request-releases-compared", orders("?view=releases&from=orders-db-2&to=orders-db-3")),
        here("request-actions", orders("?view=actions")),
        looks("request-actions-viewer", orders("?view=actions")),
        here("action", orders("/actions/restore")),
        bad("action-wrong", orders("/actions/restore?draft=d1")),
        empty("action-bare", orders("/actions/backup?draft=gone")),
        looks("action-viewer", orders("/actions/restore")),
        here("run", orders("/runs/orders-db-backup-1")),
        bad("run-failed", orders("/runs/orders-db-backup-1?refused=changed")),
        empty("run-done", orders("/runs/orders-db-backup-1")),
        here("step-skip", orders("/steps/ticket/skip")),
        here("step-skip-refused", orders("/steps/ticket/skip?refused=changed")),
        looks("step-skip-viewer", orders("/steps/ticket/skip")),
        empty("step-skip-of-run", orders("/runs/orders-db-backup-1/steps/ticket/skip")),
        here("edit-review", orders("/edit/review?draft=d1")),
        here("delete", orders("/delete")),
        bad("delete-unagreed", orders("/delete")),
        here("delete-bare", shop("/requests/default/media/delete")),
        here("delete-wrong", orders("/delete?refused=confirmation")),
        here("resources", shop("/resources")),
        here("resources-below", shop(&format!("/resources{of_data}"))),
        empty("resources-empty", shop("/resources")),
        looks("resources-denied", shop("/resources")),
        looks("resources-denied-below", shop(&format!("/resources{of_data}"))),
        empty("resources-unread", shop(&format!("/resources{of_data}"))),
        here("object", orders("/objects/Secret/login")),
        bad("object-elsewhere", orders("/objects/Secret/login?at=sandbox")),
        empty("object-absent", orders("/objects/Secret/login")),
        here("cost", to("/cost")),
        bad("cost-stale", to("/cost?workspace=root:acme")),
        empty("cost-empty", to("/cost")),
        looks("cost-denied", to("/cost")),
        here("notifications", to("/notifications")),
        empty("notifications-empty", to("/notifications")),
        here("notification-settings", to("/notifications/settings")),
        bad("notification-settings-wrong", to("/notifications/settings")),
        empty("notification-settings-bare", to("/notifications/settings")),
        here("notification-settings-saved", to("/notifications/settings?done=saved")),
        here("stand-in", to("/notifications/stand-in")),
        here("stand-in-saved", to("/notifications/stand-in?done=saved")),
        empty("stand-in-ended", to("/notifications/stand-in?done=ended")),
        bad("stand-in-wrong", to("/notifications/stand-in")),
        looks("stand-in-lacking", to("/notifications/stand-in")),
        empty("stand-in-none", to("/notifications/stand-in")),
        here("overview", to("/platform")),
        here("overview-year", to("/platform?range=year")),
        empty("overview-empty", to("/platform")),
        closed("overview-closed", to("/platform")),
        here("emergencies", to("/platform/emergencies")),
        bad("emergencies-unseen", to("/platform/emergencies")),
        empty("emergencies-none", to("/platform/emergencies")),
        here("deliveries", to("/platform/deliveries")),
        empty("deliveries-none", to("/platform/deliveries")),
        here("audit", to("/platform/audit")),
        bad("audit-narrowed", to("/platform/audit?person=dana&operation=sign-in&outcome=done")),
        empty("audit-empty", to("/platform/audit")),
        empty("audit-nothing", to("/platform/audit?q=a")),
        here("audit-record", to("/platform/audit/opm-portal-3f9c2a417be0d865/2")),
        here("promises", to("/platform/promises?state=published&sort=-instances")),
        empty("promises-empty", to("/platform/promises")),
        here("preview", to("/platform/promises/preview?draft=d1")),
        empty("preview-empty", to("/platform/promises/preview")),
        bad("preview-wrong", to("/platform/promises/preview?draft=d1")),
        here("promise-new", to("/platform/promises/new")),
        here("promise-edit", to("/platform/promises/root:platform/redis/edit?draft=d1")),
        bad("promise-edit-wrong", to("/platform/promises/root:platform/redis/edit?draft=d1")),
        here("promise-retire", to("/platform/promises/root:platform/redis/retire")),
        empty("promise-retire-unused", to("/platform/promises/root:platform/redis/retire")),
        here("author", to("/platform/promises/root:platform/redis")),
        empty("author-empty", to("/platform/promises/root:platform/redis")),
        here("fleet", to("/platform/promises/root:platform/redis/fleet?q=a")),
        empty("fleet-empty", to("/platform/promises/root:platform/redis/fleet")),
        bad("fleet-refused", to("/platform/promises/root:platform/redis/fleet?refused=changed")),
        here("rollout", to("/platform/promises/root:platform/redis/rollouts/1")),
        bad("rollout-failed", to("/platform/promises/root:platform/redis/rollouts/1")),
        empty("rollout-paused", to("/platform/promises/root:platform/redis/rollouts/1")),
        here("rollout-skipped", to("/platform/promises/root:platform/redis/rollouts/2")),
        here("policies", to("/platform/policies")),
        empty("policies-empty", to("/platform/policies")),
        closed("policies-none", to("/platform/policies")),
        here("policy", to("/platform/policies/root:acme/a")),
        here(
            "policy-tried",
            format!("/platform/policies/root:acme/a?promise=root:platform/postgresql&in={WORKSPACE}&try=tier:+production"),
        ),
        bad(
            "policy-unread",
            format!("/platform/policies/root:acme/a?promise=root:platform/postgresql&in={WORKSPACE}&try=tier:+production"),
        ),
        looks("policy-viewer", format!("/platform/policies/root:acme/a?from={WORKSPACE}")),
        empty("policy-new", to("/platform/policies/new?workspace=root:acme")),
        here("policy-edit", to("/platform/policies/root:acme/a/edit")),
        bad("policy-wrong", to("/platform/policies/root:acme/a/edit?draft=d1")),
        here("policy-delete", to("/platform/policies/root:acme/a/delete")),
        here("policy-yaml", to("/platform/policies/root:acme/a/edit?view=yaml")),
        here("refused-post", to("/refused?id=denied")),
        here("refused-until-authenticated", to("/refused?id=authentication")),
        here("gallery", to("/dev/ui")),
    ]
}

/// Pages that say no, wherever they stand.
fn refusals() -> Vec<(&'static str, Option<World>, Error)> {
    vec![
        ("denied", Some(full()), Error::from(DeniedReason::ControlPlane { message: "You can't list requests in root:acme:data".into() })),
        ("not-enabled", Some(full()), Error::NotEnabled { what: "request orders-db".into() }),
        ("not-read-yet", Some(full()), BusyReason::LoadingRequests { failed: false }.into()),
        ("too-many-requests", Some(full()), Error::TooManyRequests { reason: TooManyReason::Requests, seconds: 3 }),
        ("unreachable", Some(full()), Error::Unreachable { what: "the plane".into() }),
        ("unreachable-signed-out", None, Error::Unreachable { what: "the database".into() }),
        ("our-mistake", Some(full()), Error::Internal),
    ]
}

/// Every page by name.
pub fn every() -> Vec<(&'static str, Rendered)> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        // This is what makes leptos use the runtime.
        assert!(!leptos_axum::generate_route_list(App).is_empty());
        let mut pages = Vec::new();
        for (name, world, address) in addresses() {
            pages.push((name, opened(world, &address).await));
        }
        for (name, world, error) in refusals() {
            let visit = visit(world, "/");
            let page = refused(&visit, Some(WORKSPACE), &error);
            pages.push((name, shown(visit, page).await));
        }
        let visit = visit(Some(full()), "/w/root:acme:shop/requests/default/orders-db/revealed");
        let page = requests::revealed(&visit, WORKSPACE, "default", "orders-db", ("password", "granted")).await.expect("a page");
        pages.push(("request-revealed", shown(visit, page).await));
        pages
    })
}

async fn opened(world: Option<World>, address: &str) -> Rendered {
    let request = Request::get(address).body(Body::empty()).expect("a request");
    read(render(visit(world, address), request).await).await
}

async fn shown(visit: Visit, page: Page) -> Rendered {
    read(show(visit, page).await).await
}

async fn read(response: Response) -> Rendered {
    let status = response.status().as_u16();
    let bytes = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
    Rendered { status, html: String::from_utf8(bytes.into()).expect("text") }
}
