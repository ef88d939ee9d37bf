//! Home in this world, and the views that the person has saved.

use app::backend::{Pairs, Views};
use app::view::*;
use async_trait::async_trait;
use promise::api::Enforcement;
use promise::price::Money;
use promise::risk::Risk;
use promise::state::{ChangeState, RequestState};
use promise::{Error, Result};

use super::{WORKSPACE, World, costs, decided};

fn tour() -> TourLine {
    TourLine {
        title: "Request a database".into(),
        text: "See its policies, approvals and price before you submit it.".into(),
        href: format!("/w/{WORKSPACE}/promises/postgresql/request"),
    }
}

/// What the person sees first. Whoever may do nothing sees little.
pub fn home(world: &World) -> Home {
    let rows = world.rows();
    let unseen = if world.fits { Vec::new() } else { vec!["root:acme:lab".to_owned(), "some other workspaces".to_owned()] };
    let whole = Whole::new(rows.clone(), (!world.fits).then(|| "2026-11-21T11:00:00Z".into()), unseen.clone());
    let (waiting, others): (Vec<RequestRow>, Vec<RequestRow>) = rows.into_iter().partition(|row| row.states.state == RequestState::Failed);
    let looks_after = !world.empty && world.refused.is_none();
    let money = |cents: i64| Money::new(cents * 10_000, "EUR");
    let cap = |title: &str, promises: &str, below, room| CapLine {
        title: title.into(),
        source: "root:acme".into(),
        policy: "spending".into(),
        workspace: if below { "root:acme".into() } else { WORKSPACE.into() },
        seen_from: WORKSPACE.into(),
        below,
        promises: promises.into(),
        room,
    };
    let caps = vec![
        cap("Monthly spending", "", true, CapRoom::Spent { used: money(284_250), most: money(250_000), unknown: 1 }),
        cap("Fair share", "Redis", false, CapRoom::Count { used: 1, most: 3 }),
    ];
    let change = |title: &str, older, deprecated: Option<&str>| ChangeLine {
        workspace: WORKSPACE.into(),
        promise: "postgresql".into(),
        title: title.into(),
        icon: "database".into(),
        newest: "1.2.0".into(),
        older,
        all: 5,
        deprecated: deprecated.map(str::to_owned),
    };
    let place = |path: &str, requests| PlaceLine { path: path.into(), requests, broken: 1, forecast: vec![money(84_250)] };
    Home {
        tour: world.refused.is_none().then(tour).into_iter().collect(),
        attention: whole.total_of(|row| row.states.state == RequestState::Failed),
        waiting_total: whole.total_of(|row| row.states.state == RequestState::Failed),
        decisions: match (looks_after, world.fits) {
            (true, true) => {
                Some(Ok(HomeDecisions { rows: vec![decided::row("orders-db", Risk::Raised, ""), decided::run_row()], total: 2 }))
            }
            (_, false) => Some(Err("the plane does not answer".into())),
            (false, true) => None,
        },
        recent_total: whole.total_of(|row| row.states.state != RequestState::Failed),
        asks_in: world.refused.is_none().then(|| "root:acme:shop".into()),
        broken: if looks_after { waiting.clone() } else { Vec::new() },
        broken_total: whole.total_of(|row| row.states.state == RequestState::Failed),
        requests: whole.total(),
        states: if world.empty {
            Vec::new()
        } else {
            vec![(RequestState::Provisioning, 1), (RequestState::Ready, 1), (RequestState::Failed, 1)]
        },
        pending: if world.empty { Vec::new() } else { vec![(ChangeState::AwaitingApproval, 1)] },
        changes: if looks_after {
            vec![change("PostgreSQL", 2, None), change("Object bucket", 0, Some("Use the other one until spring"))]
        } else {
            Vec::new()
        },
        platform: match (looks_after, world.fits) {
            (true, _) => Some(Ok(PlatformGlance {
                weeks: vec![super::week("2026-11-09", 4), super::week("2026-11-16", 8)],
                waiting: 2,
                waiting_since: Some("2026-11-21T09:02:00Z".into()),
                versions: (9, 7),
            })),
            (false, false) => Some(Err("the plane does not answer".into())),
            (false, true) => None,
        },
        cost: match (world.empty, world.fits) {
            (true, _) => None,
            (false, true) => Some(Ok(costs::glance())),
            (false, false) => Some(Err("the portal's database does not answer".into())),
        },
        caps_total: 7,
        caps: if world.empty { Vec::new() } else { caps },
        places: if world.empty { Vec::new() } else { vec![place(WORKSPACE, Some(3)), place("root:acme:data", None)] },
        places_total: if world.empty { 0 } else { 5 },
        unseen,
        as_of: whole.total().as_of().map(str::to_owned),
        seen: "5f".into(),
        waiting,
        recent: others,
        drafts: if world.fits { Vec::new() } else { super::drafts() },
    }
}

/// The page of a workspace.
pub fn workspace(world: &World, path: &str) -> WorkspacePage {
    let home = home(world);
    let rows = world.rows();
    let unseen = if world.fits { Vec::new() } else { vec!["root:acme:lab".to_owned()] };
    let policy = |source: &str, promises: &str, enforcement| EffectivePolicy {
        source: source.into(),
        name: "production-baseline".into(),
        title: "Production baseline".into(),
        sentences: vec!["Production needs at least 2 replicas.".into()],
        more: 3,
        enforcement,
        owner: "acme-operations".into(),
        promises: promises.into(),
    };
    let member = |kind, name: &str, abilities: &[Ability], source: &str| MemberLine {
        kind,
        name: name.into(),
        abilities: abilities.into(),
        roles: vec!["opm-owner".into()],
        source: source.into(),
        namespace: if kind == MemberKind::ServiceAccount { "default".into() } else { String::new() },
    };
    let child = |name: &str, open, workspaces| ChildLine {
        path: format!("{path}:{name}"),
        open,
        workspaces,
        requests: 3,
        broken: 1,
        forecast: vec![Money::new(84_250 * 10_000, "EUR")],
    };
    let policies = vec![
        policy(path, "", Enforcement::Block),
        policy("root:acme", "PostgreSQL", Enforcement::Warn),
        policy("root:platform", "", Enforcement::Audit),
    ];
    let members = Members {
        lines: vec![
            member(MemberKind::User, "olga", &[Ability::ManageMembers, Ability::CreateRequests], path),
            member(MemberKind::Group, "acme-approvers", &[Ability::Approve], "root:acme"),
            member(MemberKind::ServiceAccount, "ci/deployer", &[], path),
        ],
        total: 4,
        unread: vec!["root".into()],
    };
    WorkspacePage {
        path: path.into(),
        owner: "acme-operations".into(),
        above: vec!["root:acme".into()],
        requests: match &world.refused {
            Some(why) => Err(why.clone()),
            None => Ok(WorkspaceRequests {
                total: rows.len(),
                states: home.states.clone(),
                pending: home.pending.clone(),
                resources: 9,
                healthy: 6,
                broken: 1,
                newest: rows,
            }),
        },
        below: Whole::new(vec![90], None, unseen).total_by(|count| *count),
        policies_total: 4,
        policies: if world.empty { Vec::new() } else { policies },
        policies_unknown: (!world.fits).then(|| "root:acme doesn't show its policies. Ask its owner.".into()),
        caps: home.caps,
        caps_total: home.caps_total,
        members: if world.refused.is_some() {
            Err("You can't view the members. Ask acme-operations for access.".into())
        } else {
            Ok(members)
        },
        cost: home.cost,
        children: if world.empty { Vec::new() } else { vec![child("web", true, 2), child("lab", false, 1), child("one", true, 0)] },
        children_total: 14,
        as_of: home.as_of,
        seen: "5f".into(),
    }
}

#[async_trait]
impl Views for World {
    async fn saved_views(&self, list: SavedList, workspace: &str, filter: Vec<(String, String)>) -> SavedViews {
        let view =
            |id: &str, title: &str, filter: &[(String, String)]| ViewLine { id: id.into(), title: title.into(), filter: filter.into() };
        let failing = [("health".to_owned(), "Degraded".to_owned())];
        let views = if self.empty { Vec::new() } else { vec![view("v1", "Failing", &failing), view("v2", "This one", &filter)] };
        SavedViews { list, workspace: workspace.into(), views, filter, unread: !self.fits }
    }

    async fn save_view(&self, _: &Pairs) -> Result<()> {
        Err(Error::Internal)
    }

    async fn rename_view(&self, _: &str, _: &str) -> Result<()> {
        Err(Error::Internal)
    }

    async fn forget_view(&self, _: &str) -> Result<()> {
        Err(Error::Internal)
    }
}
