//! A promise for its authors, its fleet, and a rollout.

use app::backend::Fleet;
use app::view::{
    AuthorPage, AuthoredPromise, AuthoredVersion, Facet, FacetValue, FleetCheck, FleetPage, FleetQuery, FleetRow, PublishState,
    RolloutCommand, RolloutCounts, RolloutForm, RolloutLine, RolloutMember, RolloutPage,
};
use async_trait::async_trait;
use promise::api::Lifecycle;
use promise::rollout::{MemberReason, MemberState, Obstacle, RolloutState};
use promise::state::{RequestState, RequestStates};
use promise::{Problem, Result};

use super::{WORKSPACE, World};

/// Id of a rollout that is completed and skipped an instance.
const SKIPPED: &str = "2";

const READY: RequestStates = RequestStates { state: RequestState::Ready, change: None };

pub(super) fn promise() -> AuthoredPromise {
    AuthoredPromise {
        workspace: "root:platform".into(),
        name: "redis".into(),
        title: "Redis".into(),
        icon: "database".into(),
        summary: "A cache.".into(),
        version: "2.0.0".into(),
        lifecycle: Lifecycle::Published,
        state: PublishState::Published,
        can_edit: true,
    }
}

fn row(name: &str, version: &str, check: FleetCheck) -> FleetRow {
    FleetRow { workspace: WORKSPACE.into(), namespace: "default".into(), name: name.into(), version: version.into(), states: READY, check }
}

fn member(position: i64, name: &str, state: MemberState, reason: Option<MemberReason>) -> RolloutMember {
    RolloutMember {
        position,
        workspace: WORKSPACE.into(),
        namespace: "default".into(),
        name: name.into(),
        from: "1.0.0".into(),
        state,
        wave: 1,
        states: Some(READY),
        reason,
    }
}

fn rows() -> Vec<FleetRow> {
    let problem = Problem { path: ".parameters.zone".into(), message: "Enter zone.".into() };
    let blocked = |what| FleetCheck::Blocked(what);
    let ready = |needs_approval| FleetCheck::Ready { needs_approval, lost: vec!["Window".into()], price: "+€2.00/month".into() };
    vec![
        row("sessions", "2.0.0", FleetCheck::There),
        row("orders", "1.0.0", ready(false)),
        row("carts", "1.0.0", ready(true)),
        row("mails", "0.9.0", blocked(Obstacle::Input { problems: vec![problem], total: 1 })),
        row("jobs", "1.0.0", blocked(Obstacle::Refused { reasons: vec!["Replicas can be at most 5.".into()] })),
    ]
}

#[async_trait]
impl Fleet for World {
    async fn author(&self, _: &str, _: &str) -> Result<AuthorPage> {
        if self.empty {
            return Ok(AuthorPage { promise: promise(), ..AuthorPage::default() });
        }
        let version = |version: &str, revision: &str, breaking: &[&str]| AuthoredVersion {
            version: version.into(),
            revision: revision.into(),
            since: "2026-11-20T10:00:00Z".into(),
            instances: 2,
            breaking: breaking.iter().map(|text| (*text).to_owned()).collect(),
        };
        let line = |id: &str, state, skipped| RolloutLine {
            id: id.into(),
            version: "2.0.0".into(),
            state,
            skipped,
            created: "2026-11-21T10:00:00Z".into(),
        };
        Ok(AuthorPage {
            promise: promise(),
            versions: vec![
                version("2.0.0", "redis-2", &["zone becomes required"]),
                version("1.1.0", "redis-1", &[]),
                version("1.0.0", "redis-0", &[]),
                version("0.9.0", "", &[]),
            ],
            instances: 8,
            workspaces: 2,
            rollouts: vec![line("1", RolloutState::Stopped, 0), line(SKIPPED, RolloutState::Completed, 1)],
            unseen: vec!["root:acme:data".into()],
        })
    }

    async fn fleet(&self, _: &str, _: &str, query: &FleetQuery) -> Result<FleetPage> {
        let versions: Vec<String> = ["2.0.0", "1.0.0"].map(str::to_owned).to_vec();
        if self.empty {
            return Ok(FleetPage { promise: promise(), versions: versions.clone(), published: versions, pages: 1, ..FleetPage::default() });
        }
        let value = |value: &str, count| FacetValue { value: value.into(), label: value.into(), count, chosen: false };
        Ok(FleetPage {
            promise: promise(),
            versions: versions.clone(),
            published: versions,
            to: "2.0.0".into(),
            rows: rows(),
            fit: 5,
            behind: 4,
            total: 30,
            pages: 2,
            places: Facet { values: vec![value(WORKSPACE, 4), value("root:acme:data", 1)], left_out: 0 },
            running: Facet { values: vec![value("1.0.0", 3), value("2.0.0", 1)], left_out: 1 },
            query: FleetQuery { to: "2.0.0".into(), page: 1, ..query.clone() },
            unseen: Vec::new(),
            as_of: (!self.fits).then(|| "2026-11-21T11:05:00Z".into()),
        })
    }

    async fn start_rollout(&self, _: &RolloutForm) -> Result<String> {
        Ok("1".to_owned())
    }

    async fn rollout(&self, _: &str, _: &str, id: &str, page: usize) -> Result<RolloutPage> {
        let late = member(1, "carts", MemberState::Failed, Some(MemberReason::Late { minutes: 30 }));
        let hidden = RolloutMember { workspace: String::new(), name: String::new(), ..member(3, "", MemberState::Waiting, None) };
        let skipped = member(4, "jobs", MemberState::Skipped, Some(MemberReason::ByPerson));
        if id == SKIPPED {
            return Ok(RolloutPage {
                promise: promise(),
                id: id.to_owned(),
                version: "2.0.0".into(),
                state: RolloutState::Completed,
                wave_size: 5,
                minutes: 30,
                created: "2026-11-21T10:00:00Z".into(),
                counts: RolloutCounts { total: 2, done: 1, skipped: 1, ..RolloutCounts::default() },
                members: vec![member(0, "orders", MemberState::Done, None), skipped],
                page: 1,
                pages: 1,
                ..RolloutPage::default()
            });
        }
        let state = match (self.empty, self.fits) {
            (true, _) => RolloutState::Paused,
            (_, true) => RolloutState::Running,
            (_, false) => RolloutState::Stopped,
        };
        let second = if self.fits { member(1, "carts", MemberState::Started, None) } else { late.clone() };
        Ok(RolloutPage {
            promise: promise(),
            id: id.to_owned(),
            version: "2.0.0".into(),
            state,
            wave_size: 5,
            minutes: 30,
            skips: true,
            created: "2026-11-21T10:00:00Z".into(),
            counts: RolloutCounts { total: 60, done: 1, in_progress: 1, waiting: 57, failed: 0, skipped: 1 },
            failed: if self.fits { Vec::new() } else { vec![late] },
            awaits_approval: self.fits,
            members: vec![member(0, "orders", MemberState::Done, None), second, hidden, skipped],
            page: page.max(1),
            pages: 2,
            seen: "5f".into(),
        })
    }

    async fn direct_rollout(&self, _: &str, _: RolloutCommand, _: i64) -> Result<()> {
        Ok(())
    }
}
