//! One small world to render pages from: the sample promises and policies of the repository, one person, three requests.

use std::collections::BTreeMap;
use std::sync::Arc;

use app::backend::{Account, Assets, Catalog, Drafts, PresetOf, Presets, Refusal, Refusals, Search, Visit, Workspaces};
use app::view::*;
use async_trait::async_trait;
use promise::api::{Lifecycle, PolicyOutcome, PolicyResult, PolicySpec, PromiseSpec, WaitingKind};
use promise::date::DateStyle;
use promise::form::ByLine;
use promise::people::PeopleNames;
use promise::policy::{Candidate, Effective, Target, compose, gather};
use promise::sentence::{Actor, StatusSentence};
use promise::state::{RequestState, RequestStates};
use promise::versions::VersionChange;
use promise::{ConflictReason, DeniedReason, Error, GuardedOperation, Problem, Result};

#[path = "world/audits.rs"]
mod audits;
#[path = "world/authored.rs"]
mod authored;
#[path = "world/catalog.rs"]
mod catalog;
#[path = "world/costs.rs"]
mod costs;
#[path = "world/decided.rs"]
pub mod decided;
#[path = "world/fleets.rs"]
mod fleets;
#[path = "world/governed.rs"]
mod governed;
#[path = "world/homes.rs"]
mod homes;
#[path = "world/notices.rs"]
mod notices;
#[path = "world/preview.rs"]
mod preview;
#[path = "world/releases.rs"]
mod releases;
#[path = "world/requests.rs"]
mod requests;
#[path = "world/required.rs"]
mod required;
#[path = "world/resources.rs"]
mod resources;
#[path = "world/runs.rs"]
mod runs;
#[path = "world/troubleshooting.rs"]
mod troubleshooting;
#[path = "world/workflow.rs"]
mod workflow;

/// Where everything happens.
pub const WORKSPACE: &str = "root:acme:shop";
const NOW: &str = "2026-11-21T11:06:00Z";

/// The person's portal. It answers from what it holds, and writes nothing.
pub struct World {
    /// What the person may not do, as a sentence.
    pub refused: Option<String>,
    /// Whether anything is offered and asked for.
    pub empty: bool,
    /// Whether the typed values fit.
    pub fits: bool,
}

/// A visit of `dev-shop`, or of nobody.
pub fn visit(world: Option<World>, address: &str) -> Visit {
    Visit {
        backend: world.map(|world| Arc::new(world) as Arc<dyn app::backend::Backend>),
        people: [("dev-shop", "Develops the shop"), ("viewer-shop", "Looks at the shop"), ("platform-engineer", "Publishes promises")]
            .map(|(name, role)| Person { username: name.into(), display_name: name.into(), role: role.into() })
            .into(),
        providers: Vec::new(),
        takes_tokens: false,
        sign_in_token: "sign-in-token".into(),
        nonce: "nonce".into(),
        assets: Arc::new(Assets {
            style: "/assets/portal.css".into(),
            page: "/pkg/page.js".into(),
            morph: "/assets/morph.js".into(),
            inbox: "/assets/inbox.js".into(),
            keys: "/assets/keys.js".into(),
            palette: "/pkg/palette.js".into(),
            palette_wasm: "/pkg/palette.wasm".into(),
            islands: "/pkg/islands.js".into(),
            islands_wasm: "/pkg/islands.wasm".into(),
            script: "/pkg/portal.js".into(),
            wasm: "/pkg/portal.wasm".into(),
        }),
        theme: String::new(),
        recent: vec!["root:acme:data".to_owned(), "root:acme:shop".to_owned()],
        works_in: None,
        favourites: vec!["root:acme:shop".to_owned()],
        above: vec!["root:acme".to_owned()],
        creates_in: Some("root:acme:shop".to_owned()),
        favourite_promises: vec![PromiseKey { home: "root:platform".into(), name: "redis".into() }],
        platform: true,
        waits: Some(2),
        unread: Some(3),
        embedded: true,
        demo_dismissed: false,
        server: "the embedded plane".into(),
        address: address.into(),
        reference: "5f3a9c0211d84e7b".into(),
        now: NOW.into(),
        names: PeopleNames::new([("dev-data".to_owned(), "Deniz Arslan".to_owned())]),
        dates: DateStyle::default(),
        zone: promise::date::Zone::default(),
    }
}

/// Everything is allowed and there.
pub fn full() -> World {
    World { refused: None, empty: false, fits: true }
}

/// The one object in a file of `examples/`.
fn read<S: serde::de::DeserializeOwned>(file: &str) -> (String, S) {
    testdata::samples(file).remove(0)
}

fn promise(name: &str) -> PromiseSpec {
    read(&format!("promises/{name}.yaml")).1
}

fn effective(name: &str, spec: &PromiseSpec) -> Effective {
    let of = |file: &str, workspace: &str, cluster: &str, trusted| {
        let (policy, spec) = read::<PolicySpec>(file);
        Candidate { policy, workspace: workspace.into(), cluster: cluster.into(), trusted, spec }
    };
    let policies = [
        of("policies/platform/backup-required.yaml", "root:platform", "platform", true),
        of("policies/acme/production-baseline.yaml", "root:acme", "acme", false),
        of("policies/acme/european-data.yaml", "root:acme", "acme", false),
    ];
    let (labels, lineage) = (BTreeMap::new(), ["root", "acme", "shop"].map(str::to_owned));
    let target = Target {
        promise: name,
        spec,
        home: "root:platform",
        home_cluster: "platform",
        home_trusted: true,
        workspace: WORKSPACE,
        labels: &labels,
        lineage: &lineage,
    };
    compose(&target, &gather(&policies, &target))
}

fn offer(name: &str, availability: Availability) -> OfferRow {
    let spec = promise(name);
    let shown = spec.presentation;
    OfferRow {
        name: name.into(),
        home: "root:platform".into(),
        display_name: shown.display_name.unwrap_or_else(|| name.into()),
        summary: shown.summary.unwrap_or_default(),
        category: shown.category.unwrap_or_default(),
        tags: shown.tags,
        icon: shown.icon.unwrap_or_default(),
        version: spec.version,
        lifecycle: if name == "object-bucket" { Lifecycle::Deprecated } else { Lifecycle::Published },
        team: "data-services".into(),
        price: "from €24.80/month".into(),
        shelf: if name == "redis" { String::new() } else { "root:platform/standard".into() },
        availability,
        new_version: name == "redis",
        ends: (name == "object-bucket").then(|| "1 March 2027".into()),
        here: (name != "web-application").then_some(OfferUse { running: 3, older: 1, ready_in: Some(ReadyIn { median: 69, measured: 6 }) }),
        ..OfferRow::default()
    }
}

fn row(name: &str, promise: &str, state: RequestState, what: &str) -> RequestRow {
    RequestRow {
        workspace: WORKSPACE.into(),
        namespace: "default".into(),
        name: name.into(),
        promise: promise.into(),
        promise_title: offer(promise, Availability::default()).display_name,
        icon: offer(promise, Availability::default()).icon,
        version: "1.2.0".into(),
        states: RequestStates { state, change: None },
        sentence: StatusSentence {
            who: Actor::Platform,
            what: what.into(),
            since: Some("2026-11-21T11:02:00Z".into()),
            next: Some("Credentials are published, then it is ready".into()),
            kind: WaitingKind::Step,
        },
        requester: "dev-shop".into(),
        created: "2026-11-21T09:02:00Z".into(),
        mine: true,
        price: (promise != "object-bucket").then(|| promise::price::Money::new(24_800_000, "EUR")),
        labels: vec!["platform.opmodel.dev/project=web".into(), "team=shop".into(), "a=b".into(), "c=d".into()],
    }
}

impl World {
    fn availability(&self) -> Availability {
        match &self.refused {
            None => Availability::default(),
            Some(why) => Availability { state: AvailabilityState::Denied, reason: Some(why.clone()) },
        }
    }

    /// Returns the reason as an error if the user can't do it.
    fn unless_refused<E>(&self, reason: E) -> std::result::Result<(), E> {
        if self.refused.is_some() { Err(reason) } else { Ok(()) }
    }

    fn rows(&self) -> Vec<RequestRow> {
        if self.empty {
            return Vec::new();
        }
        vec![
            row("orders-db", "postgresql", RequestState::Provisioning, "Waits until the database is healthy"),
            row("sessions", "redis", RequestState::Ready, "Nothing to wait for"),
            row("media", "object-bucket", RequestState::Failed, "The bucket name is taken; choose another one"),
        ]
    }
}

fn facets(values: &[(&str, usize, bool)]) -> Facet {
    let values = values.iter().map(|(value, count, chosen)| FacetValue {
        value: (*value).into(),
        label: (*value).into(),
        count: *count,
        chosen: *chosen,
    });
    Facet { values: values.collect(), left_out: 3 }
}

#[async_trait]
impl Account for World {
    fn viewer(&self) -> Viewer {
        Viewer {
            username: "dev-shop".into(),
            display_name: "dev-shop".into(),
            groups: vec!["shop".into()],
            form_token: "form-token".into(),
        }
    }

    async fn home(&self) -> Result<Home> {
        Ok(homes::home(self))
    }

    async fn dismiss_tour(&self) -> Result<()> {
        Ok(())
    }

    async fn sessions(&self) -> Result<Vec<SessionLine>> {
        Ok(Vec::new())
    }

    async fn end_session(&self, _: &str) -> Result<()> {
        Ok(())
    }
}

fn tier() -> ParameterLine {
    ParameterLine {
        path: ".tier".into(),
        headings: Vec::new(),
        label: "Tier".into(),
        value: "production".into(),
        source: ValueSource::Asked,
    }
}

fn price() -> PriceView {
    let line = |name: &str, monthly: Option<&str>| PriceLine { name: name.into(), monthly: monthly.map(Into::into), why: String::new() };
    PriceView {
        monthly: Some("€118.00".into()),
        change: Some("+€93.20/month".into()),
        lines: vec![line("instance", Some("€118.00")), line("support", None)],
        unknown: None,
        basis: PriceSource::List { catalog: "standard".into(), from: "2026-01-01".into() },
    }
}

fn preflight(fits: bool) -> PreflightView {
    let check = |state, what: &str, target: &str| CheckLine { state, what: what.into(), detail: String::new(), target: target.into() };
    let rule = promise::form::rule_anchor("root:acme", "production-baseline", "production-has-a-standby");
    PreflightView {
        verdict: if fits { Verdict::NeedsApproval } else { Verdict::Refused },
        sentence: if fits { "One of acme-approvers must approve.".into() } else { "Storage: enter a whole number".into() },
        checks: vec![
            if fits {
                check(CheckState::Passed, "All values fit", "")
            } else {
                check(CheckState::Failed, "Storage: enter a whole number", "f-storage")
            },
            check(CheckState::NotYet, "Dry run", ""),
            check(CheckState::Unknown, "The region is not known", ""),
        ],
        approvals: vec![ApprovalStep {
            who: "One of acme-approvers".into(),
            stage: 1,
            title: "Production baseline".into(),
            source: "root:acme".into(),
            anchor: rule.clone(),
        }],
        price: price(),
        room: vec![RoomLine {
            what: "Requests in root:acme:shop".into(),
            after: "2 of 5".into(),
            used: 20,
            then: 40,
            over: !fits,
            known: true,
            title: "Production baseline".into(),
            source: "root:acme".into(),
            anchor: rule,
        }],
        added: Some(AddedCount { objects: 6, lines: 148, yours: 12, policies: 23 }),
    }
}

/// The rules of the samples, one of them with a result.
fn policies(promise_name: &str) -> Vec<PolicyLine> {
    let refused = PolicyOutcome {
        policy: "production-baseline".into(),
        rule: "production-has-a-standby".into(),
        source: "root:acme".into(),
        result: PolicyResult::Denied,
        message: Some("Choose at least 2 replicas".into()),
        ..PolicyOutcome::default()
    };
    policy_lines(&effective(promise_name, &promise(promise_name)), &[refused])
}

fn approval() -> ApprovalLine {
    let given = |decision: &str, void: &str| GivenLine {
        by: "approver".into(),
        at: "2026-11-21T11:02:00Z".into(),
        decision: decision.into(),
        comment: "Fine for the season".into(),
        void: void.into(),
    };
    ApprovalLine {
        rule: "acme/production-baseline/four-eyes".into(),
        policy: "production-baseline".into(),
        title: "Production baseline".into(),
        own: false,
        source: "root:acme".into(),
        who: "One of acme-approvers must approve".into(),
        stage: 1,
        standing: ApprovalStanding::Open,
        note: Some(ApprovalNote::Expires("2026-11-22T11:02:00Z".into())),
        given: vec![given("approved", "It was about an earlier content.")],
    }
}

/// A draft of a new request, and a shared one of a change.
fn drafts() -> Vec<DraftLine> {
    let line = |name: &str, editing, shared: Option<&str>| DraftLine {
        id: "d1".into(),
        address: format!("/w/{WORKSPACE}/promises/postgresql/request?draft=d1"),
        name: name.into(),
        promise: "PostgreSQL".into(),
        icon: "database".into(),
        workspace: WORKSPACE.into(),
        editing,
        saved: "2026-11-21T10:58:00Z".into(),
        shared: shared.map(str::to_owned),
    };
    vec![line("", false, None), line("orders-db", true, Some("/w/root:acme:shop/requests/default/orders-db/edit?draft=d2"))]
}

#[async_trait]
impl Drafts for World {
    async fn drafts(&self, _: Option<&str>) -> Result<Vec<DraftLine>> {
        Ok(drafts())
    }

    async fn share_draft(&self, _: &str, _: bool) -> Result<()> {
        Err(Error::from(DeniedReason::ControlPlane { message: "this world takes nothing".into() }))
    }

    async fn discard_draft(&self, _: &str) -> Result<()> {
        Err(Error::from(DeniedReason::ControlPlane { message: "this world takes nothing".into() }))
    }
}

#[async_trait]
impl Refusals for World {
    async fn keep_refusal(&self, _: &Refusal) -> Result<String> {
        Ok("kept".to_owned())
    }

    async fn refusal(&self, id: &str) -> Result<Option<Refusal>> {
        let invalid = |path: &str, message: &str| Error::Invalid { problems: vec![Problem { path: path.into(), message: message.into() }] };
        let error = match id {
            "denied" => DeniedReason::ControlPlane { message: "you need permission to send messages again".to_owned() }.into(),
            "authentication" => {
                let (operation, provider) = (GuardedOperation::Override, "sso".to_owned());
                DeniedReason::AuthenticationTooOld { operation, provider, within: 600 }.into()
            }
            "decision" => invalid("comment", "say in the comment why it is rejected"),
            "confirmation" => invalid("confirmation", "Type orders-db"),
            "changed" => ConflictReason::ChangedByOthers.into(),
            _ => return Ok(None),
        };
        Ok(Some(Refusal { error, back: "/platform/deliveries".to_owned(), fields: Vec::new() }))
    }
}

#[async_trait]
impl Search for World {
    async fn search(&self, query: &SearchQuery) -> Result<SearchPage> {
        let shop = || "root:acme:shop".to_owned();
        let target = |name: &str| SearchTarget::Request { workspace: shop(), namespace: "default".into(), name: name.into() };
        let promise = SearchTarget::Promise {
            workspace: shop(),
            name: "postgresql".into(),
            home: None,
            icon: "database".into(),
            requestable: self.fits,
        };
        let states = Some(RequestStates { state: RequestState::Ready, change: None });
        let hits = vec![
            SearchHit { target: promise, title: "PostgreSQL".into(), detail: "A database".into(), states: None },
            SearchHit { target: target("orders-db"), title: "orders-db".into(), detail: "PostgreSQL".into(), states },
            SearchHit { target: SearchTarget::Workspace(shop()), title: "shop".into(), detail: String::new(), states: None },
        ];
        let found = if self.empty { Vec::new() } else { hits };
        let counts = found.iter().map(|hit| (hit.target.kind(), 1)).collect();
        let unseen = if self.fits { Vec::new() } else { vec!["root:acme:data".to_owned()] };
        Ok(SearchPage { query: query.clone(), hits: found, counts, exact: self.fits, pages: 1, unseen })
    }
}

#[async_trait]
impl Workspaces for World {
    async fn workspaces(&self, query: &str) -> Result<WorkspaceTree> {
        let nodes = [("root", 0, false), ("root:acme", 1, false), ("root:acme:shop", 2, true), ("root:acme:data", 2, true)];
        let node = |(path, depth, open): (&str, usize, bool)| WorkspaceNode {
            path: path.into(),
            name: path.rsplit(':').next().unwrap_or(path).into(),
            depth,
            open,
            requests: open.then_some(3),
        };
        Ok(WorkspaceTree { nodes: nodes.map(node).into(), total: 5, query: query.into() })
    }

    async fn workspace(&self, path: &str) -> Result<WorkspacePage> {
        Ok(homes::workspace(self, path))
    }

    async fn set_favourite(&self, _: &str, _: bool) -> Result<()> {
        Err(Error::Internal)
    }
}

#[async_trait]
impl Presets for World {
    async fn presets(&self, _: &str) -> Result<Vec<PresetLine>> {
        if let Some(why) = &self.refused {
            return Err(Error::from(DeniedReason::ControlPlane { message: why.clone() }));
        }
        let line = |title: &str, address: &str| PresetLine {
            id: "7".repeat(32),
            title: title.into(),
            promise: "PostgreSQL".into(),
            icon: "database".into(),
            address: address.into(),
            by: "dev-shop".into(),
            at: "2026-11-20T10:06:00Z".into(),
        };
        let form = "/w/root:acme:shop/promises/postgresql/request?start=saved:77";
        Ok(if self.empty { Vec::new() } else { vec![line("Nightly", form), line("Of a promise that is gone", "")] })
    }

    async fn save_preset(&self, _: &str, _: PresetOf<'_>, _: &str) -> Result<()> {
        Ok(())
    }

    async fn delete_preset(&self, _: &str, _: &str) -> Result<()> {
        Ok(())
    }
}

/// A week of the charts.
fn week(day: &str, ready: usize) -> WeekLine {
    WeekLine { day: day.into(), ready, under_way: 1, rejected: 0, lapsed: 0, failed: 2 }
}
