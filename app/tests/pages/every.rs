//! Every page of the portal once, in the states that differ in look.

use app::backend::{FormOf, Sample, Visit};
use app::document::Page;
use app::pages::{
    approvals, catalog, cost, gallery, home, kept, notifications, platform, refused, requests, resources, sign_in, workspaces,
};
use promise::Error;
use promise::view::{
    CatalogQuery, CostQuery, DeliveriesQuery, InboxQuery, NoticesQuery, ObjectKey, OverviewQuery, PoliciesQuery, RequestQuery,
    ResourceQuery,
};

use crate::world::decided::UID;
use crate::world::{WORKSPACE, World, full, visit};

fn wrong() -> World {
    World { fits: false, ..full() }
}

fn viewer() -> World {
    World { refused: Some("Your role in shop can look, not ask. An owner of acme can change that.".into()), ..full() }
}

fn nothing() -> World {
    World { empty: true, ..full() }
}

/// The form of a new request.
fn new(promise: &str) -> FormOf<'_> {
    FormOf::New { promise, home: None, start: None }
}

const EDIT: FormOf<'_> = FormOf::Edit { namespace: "default", name: "orders-db" };

/// A part of the page of a request.
async fn part(world: World, view: &str) -> Page {
    let visit = visit(Some(world), "/w/root:acme:shop/requests/default/orders-db");
    requests::detail(&visit, WORKSPACE, "default", "orders-db", requests::View::parse(view, 1)).await
}

/// What was made, with the Secrets as one box of the graph.
async fn folded() -> Page {
    let visit = visit(Some(full()), "/w/root:acme:shop/requests/default/orders-db?view=resources&fold=Secret");
    let view = requests::View { fold: requests::Fold::parse("Secret"), ..requests::View::parse("resources", 1) };
    requests::detail(&visit, WORKSPACE, "default", "orders-db", view).await
}

/// The page of an object, in the workspace or at a Destination.
async fn object(world: World, at: &str) -> Page {
    let visit = visit(Some(world), "/w/root:acme:shop/requests/default/orders-db/objects/Secret/login");
    let key = ObjectKey { kind: "Secret".into(), name: "login".into(), at: at.into(), ..ObjectKey::default() };
    resources::object(&visit, WORKSPACE, "default", "orders-db", &key).await
}

/// Name and page.
pub async fn every() -> Vec<(&'static str, Page)> {
    let at = |world: World, address: &str| -> Visit { visit(Some(world), address) };
    let query = CatalogQuery::default();
    let list = RequestQuery::default();
    let narrowed = RequestQuery { q: "a".into(), ..RequestQuery::default() };
    let policies = PoliciesQuery::default();
    let sample = Sample { promise: "root:platform/postgresql".into(), workspace: WORKSPACE.into(), text: "tier: production\n".into() };
    let here = full;
    let decided = InboxQuery { view: "decided".into(), done: UID.into(), ..InboxQuery::default() };
    let again = || approvals::Again {
        why: "say in the comment why it is rejected".into(),
        field: "comment".into(),
        status: 422,
        ..approvals::Again::default()
    };
    let of_data = ResourceQuery { kind: "Cluster".into(), workspace: "root:acme:data".into(), ..ResourceQuery::default() };
    let (made, below) = (ResourceQuery::default(), ResourceQuery { below: true, page: 1, ..of_data });
    vec![
        ("sign-in", sign_in::page(&visit(None, "/sign-in"), "/", None)),
        ("home", home::page(&at(here(), "/")).await),
        ("home-empty", home::page(&at(nothing(), "/")).await),
        ("home-viewer", home::page(&at(viewer(), "/")).await),
        ("home-stale", home::page(&at(wrong(), "/")).await),
        ("home-unanswered", home::page(&at(World { fits: false, ..nothing() }, "/")).await),
        ("workspaces", workspaces::page(&at(here(), "/workspaces"), "", "").await),
        ("catalog", catalog::list(&at(here(), "/w/root:acme:shop/catalog"), WORKSPACE, &query).await),
        ("catalog-empty", catalog::list(&at(nothing(), "/w/root:acme:shop/catalog"), WORKSPACE, &query).await),
        (
            "promise",
            catalog::promise(&at(here(), "/w/root:acme:shop/promises/postgresql"), WORKSPACE, "postgresql", catalog::Shown::default())
                .await,
        ),
        (
            "promise-policies",
            catalog::promise(
                &at(here(), "/w/root:acme:shop/promises/postgresql?tab=policies"),
                WORKSPACE,
                "postgresql",
                catalog::Shown { tab: "policies", ..catalog::Shown::default() },
            )
            .await,
        ),
        (
            "promise-viewer",
            catalog::promise(&at(viewer(), "/w/root:acme:shop/promises/postgresql"), WORKSPACE, "postgresql", catalog::Shown::default())
                .await,
        ),
        (
            "request-new",
            requests::form(&at(here(), "/w/root:acme:shop/promises/postgresql/request"), WORKSPACE, new("postgresql"), None).await,
        ),
        (
            "request-error",
            requests::form(&at(wrong(), "/w/root:acme:shop/promises/postgresql/request"), WORKSPACE, new("postgresql"), Some("d1")).await,
        ),
        ("request-viewer", requests::form(&at(viewer(), "/w/root:acme:shop/promises/redis/request"), WORKSPACE, new("redis"), None).await),
        (
            "request-web",
            requests::form(&at(here(), "/w/root:acme:shop/promises/web-application/request"), WORKSPACE, new("web-application"), None)
                .await,
        ),
        (
            "review",
            requests::review(&at(here(), "/w/root:acme:shop/promises/postgresql/request/review"), WORKSPACE, new("postgresql"), "d1").await,
        ),
        (
            "adds",
            requests::adds(&at(here(), "/w/root:acme:shop/promises/postgresql/request/adds"), WORKSPACE, new("postgresql"), Some("d1"), "")
                .await,
        ),
        (
            "adds-policy",
            requests::adds(&at(wrong(), "/w/root:acme:shop/promises/postgresql/request/adds"), WORKSPACE, EDIT, None, "policy").await,
        ),
        (
            "adds-nothing",
            requests::adds(&at(here(), "/w/root:acme:shop/promises/postgresql/request/adds"), WORKSPACE, EDIT, None, "default").await,
        ),
        (
            "adds-unknown",
            requests::adds(&at(nothing(), "/w/root:acme:shop/promises/postgresql/request/adds"), WORKSPACE, EDIT, None, "").await,
        ),
        ("approvals", approvals::inbox(&at(here(), "/approvals"), &InboxQuery::default(), None).await),
        ("approvals-empty", approvals::inbox(&at(nothing(), "/approvals"), &InboxQuery::default(), None).await),
        (
            "approvals-gone",
            approvals::inbox(&at(here(), "/approvals?open=gone"), &InboxQuery { open: "gone".into(), ..InboxQuery::default() }, None).await,
        ),
        ("approvals-decided", approvals::inbox(&at(here(), "/approvals?view=decided"), &decided, None).await),
        ("approvals-old", approvals::inbox(&at(wrong(), "/approvals"), &InboxQuery::default(), None).await),
        (
            "approvals-again",
            approvals::inbox(&at(here(), "/approvals"), &InboxQuery { open: UID.into(), ..InboxQuery::default() }, Some(again())).await,
        ),
        ("approvals-viewer", approvals::inbox(&at(viewer(), "/approvals"), &InboxQuery::default(), None).await),
        ("approval", approvals::light(&at(here(), "/approvals/1"), UID, "", None).await),
        ("approval-settled", approvals::light(&at(wrong(), "/approvals/1"), UID, "", None).await),
        ("approval-viewer", approvals::light(&at(viewer(), "/approvals/1"), UID, "", None).await),
        ("approval-again", approvals::light(&at(here(), "/approvals/1"), UID, "", Some(again())).await),
        ("approval-alike", approvals::alike(&at(here(), "/approvals/1/alike"), UID, Some(again())).await),
        ("requests-narrowed", requests::list(&at(here(), "/w/root:acme:shop/requests?q=a"), WORKSPACE, &narrowed).await),
        ("requests-kept", requests::list(&at(nothing(), "/w/root:acme:shop/requests?q=a"), WORKSPACE, &narrowed).await),
        ("requests", requests::list(&at(here(), "/w/root:acme:shop/requests"), WORKSPACE, &list).await),
        ("requests-empty", requests::list(&at(nothing(), "/w/root:acme:shop/requests"), WORKSPACE, &list).await),
        ("request", part(here(), "").await),
        ("request-resources", part(here(), "resources").await),
        ("request-resources-folded", folded().await),
        ("request-configuration", part(here(), "configuration").await),
        ("request-policies", part(here(), "policies").await),
        ("request-adds", part(here(), "adds").await),
        ("request-history", part(here(), "history").await),
        ("request-yaml", part(here(), "yaml").await),
        ("request-viewer-detail", part(viewer(), "").await),
        ("request-refused", part(wrong(), "").await),
        ("request-refused-viewer", part(World { fits: false, ..viewer() }, "").await),
        (
            "request-told",
            requests::with_message(
                &at(here(), "/w/root:acme:shop/requests/default/orders-db"),
                WORKSPACE,
                "default",
                "orders-db",
                "it changed",
            )
            .await,
        ),
        (
            "request-revealed",
            requests::revealed(&at(here(), "/w/root:acme:shop/requests/default/orders-db"), WORKSPACE, "default", "orders-db", "password")
                .await,
        ),
        ("edit", requests::form(&at(here(), "/w/root:acme:shop/requests/default/orders-db/edit"), WORKSPACE, EDIT, None).await),
        (
            "edit-review",
            requests::review(&at(here(), "/w/root:acme:shop/requests/default/orders-db/edit/review"), WORKSPACE, EDIT, "d1").await,
        ),
        (
            "delete",
            requests::delete(&at(here(), "/w/root:acme:shop/requests/default/orders-db/delete"), WORKSPACE, "default", "orders-db", None)
                .await,
        ),
        (
            "delete-unagreed",
            requests::delete(&at(wrong(), "/w/root:acme:shop/requests/default/orders-db/delete"), WORKSPACE, "default", "orders-db", None)
                .await,
        ),
        (
            "delete-wrong",
            requests::delete(
                &at(here(), "/w/root:acme:shop/requests/default/orders-db/delete"),
                WORKSPACE,
                "default",
                "orders-db",
                Some("Type orders-db"),
            )
            .await,
        ),
        ("policies", platform::list(&at(here(), "/platform/policies"), &policies).await),
        ("policies-empty", platform::list(&at(nothing(), "/platform/policies"), &policies).await),
        ("policies-none", platform::list(&at(World { empty: true, ..viewer() }, "/platform/policies"), &policies).await),
        ("policy", platform::policy(&at(here(), "/platform/policies/root:acme/a"), "root:acme", "a", "", None).await),
        ("policy-tried", platform::policy(&at(here(), "/platform/policies/root:acme/a"), "root:acme", "a", "", Some(&sample)).await),
        ("policy-unread", platform::policy(&at(wrong(), "/platform/policies/root:acme/a"), "root:acme", "a", "", Some(&sample)).await),
        ("policy-viewer", platform::policy(&at(viewer(), "/platform/policies/root:acme/a"), "root:acme", "a", WORKSPACE, None).await),
        ("policy-new", platform::new(&at(nothing(), "/platform/policies/new"), "root:acme", None).await),
        ("policy-edit", platform::text(&at(here(), "/platform/policies/root:acme/a/edit"), "root:acme", "a", None).await),
        ("policy-wrong", platform::text(&at(wrong(), "/platform/policies/root:acme/a/edit"), "root:acme", "a", None).await),
        ("resources", resources::list(&at(here(), "/w/root:acme:shop/resources"), WORKSPACE, &made).await),
        ("resources-below", resources::list(&at(here(), "/w/root:acme:shop/resources?below=1"), WORKSPACE, &below).await),
        ("resources-empty", resources::list(&at(nothing(), "/w/root:acme:shop/resources"), WORKSPACE, &made).await),
        ("resources-denied", resources::list(&at(viewer(), "/w/root:acme:shop/resources"), WORKSPACE, &made).await),
        ("resources-denied-below", resources::list(&at(viewer(), "/w/root:acme:shop/resources?below=1"), WORKSPACE, &below).await),
        ("resources-unread", resources::list(&at(nothing(), "/w/root:acme:shop/resources?below=1"), WORKSPACE, &below).await),
        ("object", object(here(), "").await),
        ("object-elsewhere", object(wrong(), "sandbox").await),
        ("object-absent", object(nothing(), "").await),
        ("cost", cost::page(&at(here(), "/cost"), &CostQuery::default()).await),
        ("cost-stale", cost::page(&at(wrong(), "/cost"), &CostQuery { workspace: "root:acme".into(), ..CostQuery::default() }).await),
        ("cost-empty", cost::page(&at(nothing(), "/cost"), &CostQuery::default()).await),
        ("cost-denied", cost::page(&at(viewer(), "/cost"), &CostQuery::default()).await),
        ("notifications", notifications::list(&at(here(), "/notifications"), &NoticesQuery::default()).await),
        ("notifications-empty", notifications::list(&at(nothing(), "/notifications"), &NoticesQuery::default()).await),
        ("notification-settings", notifications::settings(&at(here(), "/notifications/settings"), None).await),
        ("notification-settings-wrong", notifications::settings(&at(wrong(), "/notifications/settings"), None).await),
        ("notification-settings-bare", notifications::settings(&at(nothing(), "/notifications/settings"), None).await),
        ("stand-in", notifications::stand_in(&at(here(), "/notifications/stand-in"), None).await),
        ("stand-in-wrong", notifications::stand_in(&at(wrong(), "/notifications/stand-in"), None).await),
        ("stand-in-lacking", notifications::stand_in(&at(viewer(), "/notifications/stand-in"), None).await),
        ("stand-in-none", notifications::stand_in(&at(nothing(), "/notifications/stand-in"), None).await),
        ("deliveries", platform::deliveries(&at(here(), "/platform/deliveries"), &DeliveriesQuery::default()).await),
        ("deliveries-none", platform::deliveries(&at(nothing(), "/platform/deliveries"), &DeliveriesQuery::default()).await),
        ("emergencies", platform::emergencies(&at(here(), "/platform/emergencies"), 1).await),
        ("emergencies-unseen", platform::emergencies(&at(wrong(), "/platform/emergencies"), 1).await),
        ("emergencies-none", platform::emergencies(&at(nothing(), "/platform/emergencies"), 1).await),
        ("overview", platform::overview(&at(here(), "/platform"), &OverviewQuery::default()).await),
        ("overview-year", platform::overview(&at(here(), "/platform?range=year"), &OverviewQuery { range: "year".into() }).await),
        ("overview-empty", platform::overview(&at(nothing(), "/platform"), &OverviewQuery::default()).await),
        ("overview-closed", platform::overview(&at(World { empty: true, ..viewer() }, "/platform"), &OverviewQuery::default()).await),
        ("gallery", gallery::page(&at(here(), "/dev/ui"))),
        (
            "not-found",
            catalog::promise(&at(here(), "/w/root:acme:shop/promises/nothing"), WORKSPACE, "nothing", catalog::Shown::default()).await,
        ),
        (
            "denied",
            refused(&at(here(), "/"), Some(WORKSPACE), &Error::Denied { why: "You may not list requests in root:acme:data".into() }),
        ),
        ("refused-post", kept(&at(here(), "/refused?id=kept"), "kept").await),
        ("not-enabled", refused(&at(here(), "/"), None, &Error::NotEnabled { what: "request orders-db".into() })),
        ("not-read-yet", refused(&at(here(), "/"), None, &Error::Busy { message: "requests are still being read".into() })),
        (
            "too-many-requests",
            refused(&at(here(), "/"), None, &Error::TooManyRequests { message: "Wait 3 seconds, then try again.".into(), seconds: 3 }),
        ),
        ("unreachable", refused(&at(here(), "/"), None, &Error::Unreachable { what: "the plane".into() })),
        ("unreachable-signed-out", refused(&visit(None, "/"), None, &Error::Unreachable { what: "the database".into() })),
        ("our-mistake", refused(&at(here(), "/"), None, &Error::Internal)),
        ("signed-out", home::page(&visit(None, "/")).await),
    ]
}
