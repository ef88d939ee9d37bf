//! Decisions: an inbox, one in full, several of one shape.

use app::backend::{Approvals, Vote};
use app::view::*;
use async_trait::async_trait;
use promise::attribute::Touched;
use promise::risk::Risk;
use promise::{DeniedReason, Error, Result};

use super::{WORKSPACE, World, approval, policies, preflight, tier};

/// uid of the request that everybody is asked about.
pub const UID: &str = "0f6d2c1e-0000-4000-8000-000000000001";

/// What names a step of a run of an action of the same request.
pub const RUN_UID: &str = "0f6d2c1e-0000-4000-8000-000000000001.5e7b";

/// A run of an action in the inbox.
pub fn run_row() -> InboxRow {
    let note = "Required by Careful restores";
    InboxRow { uid: RUN_UID.into(), action: "Restore".into(), price: String::new(), ..row("inventory-db", Risk::Low, note) }
}

/// The review of that run.
fn run_review() -> ReviewPage {
    let policy = PolicyLink {
        title: "Careful restores".into(),
        source: "root:acme".into(),
        href: app::routes::policy("root:acme", "production-restores", WORKSPACE),
    };
    let value = "inventory-db-backup-1 (finished 20\u{a0}Nov\u{a0}2026, 22:04 UTC)";
    let waiting = CheckLine {
        state: CheckState::Unknown,
        what: "The run is waiting for this approval".into(),
        detail: "One of acme-approvers must approve.".into(),
        target: String::new(),
    };
    ReviewPage {
        row: InboxRow { change: false, ..run_row() },
        title: "Restore inventory-db".into(),
        run: Some(ReviewedRun {
            policy: Some(policy),
            step: "Approval required by Careful restores".into(),
            description: "Replaces the data with that of a backup.".into(),
            confirm: true,
            href: Some(app::routes::run(WORKSPACE, "default", "inventory-db", "inventory-db-restore-1")),
        }),
        hash: Some("5e7b".into()),
        asked: vec![Asked {
            rule: "acme/production-restores/look".into(),
            title: "One of acme-approvers must approve".into(),
            ordinary: true,
            emergency: false,
            window: false,
        }],
        route: vec![approval()],
        values: vec![ParameterLine { path: ".backup".into(), label: "Backup".into(), value: value.into(), ..ParameterLine::default() }],
        checks: vec![waiting],
        opens: true,
        ..ReviewPage::default()
    }
}

/// A request in the inbox.
pub fn row(name: &str, risk: Risk, note: &str) -> InboxRow {
    InboxRow {
        uid: UID.into(),
        workspace: WORKSPACE.into(),
        namespace: "default".into(),
        name: name.into(),
        promise: "postgresql".into(),
        promise_title: "PostgreSQL".into(),
        icon: "database".into(),
        version: "1.2.0".into(),
        change: true,
        requester: "dev-shop".into(),
        price: "+€93.20/month".into(),
        since: "2026-11-21T09:02:00Z".into(),
        expires: Some("2026-11-21T11:58:00Z".into()),
        risk,
        why: if risk == Risk::Low { Vec::new() } else { vec!["1 rule warns".into()] },
        note: note.into(),
        ..InboxRow::default()
    }
}

fn asked(world: &World) -> Vec<Asked> {
    let one = |rule: &str, emergency| Asked {
        ordinary: true,
        rule: rule.into(),
        title: format!("One of acme-approvers must approve ({rule})"),
        emergency,
        window: false,
    };
    if world.refused.is_some() { Vec::new() } else { vec![one("acme/production-databases/four-eyes", true), one("acme/other/rule", false)] }
}

fn changed() -> Vec<ValueChange> {
    let change = |label: &str, before: Option<&str>, note: &str| ValueChange {
        path: format!(".{}", label.to_lowercase()),
        headings: Vec::new(),
        label: label.into(),
        before: before.map(str::to_owned),
        after: Some("200 GiB".into()),
        note: note.into(),
    };
    vec![change("Storage", Some("150 GiB"), "Storage must be at most 2000."), change("Extra", None, "")]
}

#[async_trait]
impl Approvals for World {
    async fn waits(&self) -> Option<usize> {
        Some(2)
    }

    async fn inbox(&self, query: &InboxQuery) -> Result<InboxPage> {
        let given =
            GivenLine { by: "dev-shop".into(), at: "2026-11-21T11:02:00Z".into(), decision: "approved".into(), ..GivenLine::default() };
        let rows = match InboxView::parse(&query.view) {
            _ if self.empty => Vec::new(),
            InboxView::Decided => vec![InboxRow { given: Some(given), ..row("orders-db", Risk::Low, "") }],
            _ => vec![row("orders-db", Risk::High, "Changed since you approved"), row("other", Risk::Raised, ""), run_row()],
        };
        let facet = |value: &str| super::facets(&[(value, 2, false)]);
        Ok(InboxPage {
            next: Some(NextApproval { uid: "u-2".into(), name: "cache".into(), left: 2 }),
            total: rows.len(),
            all: rows.len(),
            pages: 2,
            waiting: rows.len(),
            promises: facet("postgresql"),
            workspaces: facet(WORKSPACE),
            risks: facet("high"),
            query: query.clone(),
            as_of: (!self.fits).then(|| "2026-11-21T11:05:00Z".to_owned()),
            absent: query.open == "gone",
            seen: "5f".into(),
            review: if rows.is_empty() || query.view == "decided" || query.open == "gone" {
                None
            } else {
                Some(self.review(UID, "").await?)
            },
            done: if query.done.is_empty() { String::new() } else { "orders-db: you approved.".into() },
            covers: if self.empty { Vec::new() } else { vec![super::notices::cover(Vec::new())] },
            rows,
        })
    }

    async fn emergencies(&self, _: usize) -> Result<EmergenciesPage> {
        let line = |name: &str, void: &str| EmergencyLine {
            uid: UID.into(),
            workspace: WORKSPACE.into(),
            namespace: "default".into(),
            name: name.into(),
            is_there: name == "orders-db",
            of: "production-databases".into(),
            title: "A second pair of eyes".into(),
            own: false,
            rule: "four-eyes".into(),
            source: "root:acme".into(),
            approval: format!("{name}-9f2c41d0aa"),
            given: GivenLine {
                by: "olga".into(),
                at: "2026-11-21T09:58:00Z".into(),
                decision: "approved in an emergency".into(),
                comment: "The shop is down.".into(),
                void: void.into(),
            },
        };
        let rows = if self.empty { Vec::new() } else { vec![line("orders-db", ""), line("gone-db", "The content changed.")] };
        let unseen = if self.fits { Vec::new() } else { vec!["2 workspaces".to_owned()] };
        let whole = Whole::new(rows.clone(), None, unseen);
        Ok(EmergenciesPage { rows, total: whole.total(), recent: whole.total(), places: 2, page: 1, pages: 1 })
    }

    async fn review(&self, uid: &str, _: &str) -> Result<ReviewPage> {
        if uid == RUN_UID {
            return Ok(run_review());
        }
        if uid != UID {
            return Err(Error::NotFound { what: "decision at this address".into() });
        }
        let looked = preflight(self.fits);
        let line = |text: &str, side| AddedLine { text: text.into(), side, ..AddedLine::default() };
        let lines =
            vec![line("kind: Cluster", LineSide::Kept), line("  size: 150Gi", LineSide::Removed), line("  size: 200Gi", LineSide::Added)];
        let object = AddedObject { title: "Cluster orders-db".into(), lines, ..AddedObject::default() };
        Ok(ReviewPage {
            row: InboxRow { change: self.fits, ..row("orders-db", Risk::High, "") },
            title: "orders-db: storage".into(),
            run: None,
            reason: if self.fits { "Monthly reports take nine hours.".into() } else { String::new() },
            hash: self.fits.then(|| "9f2c41d0aa11".to_owned()),
            settled: if self.fits { String::new() } else { "It was turned down.".into() },
            asked: asked(self),
            why_not: "Others decide about it.".into(),
            reconsiders: false,
            route: vec![approval(), ApprovalLine { stage: 2, standing: ApprovalStanding::Queued, ..approval() }],
            changes: changed(),
            values: vec![tier()],
            since: Some(Since {
                hash: "77aa".into(),
                decision: "Your approval".into(),
                at: "2026-11-21T09:58:00Z".into(),
                changes: changed(),
                also: vec!["The price changed by +€12.00/month.".into()],
                unknown: String::new(),
            }),
            checks: looked.checks,
            policies: policies("postgresql"),
            price: PriceStep {
                now: Some("€24.80".into()),
                after: Some("€118.00".into()),
                change: Some("+€93.20/month".into()),
                ..PriceStep::default()
            },
            room: looked.room,
            touched: Some(Touched { changed: 1, kept: 5, ..Touched::default() }),
            objects: vec![object],
            steps: super::workflow::planned(),
            before: vec!["In 90 days, for the policy “Four eyes”: 3 decisions on other requests of this promise, 3 approved.".into()],
            alike: 2,
            comments: vec![CommentLine { by: "approver".into(), at: "2026-11-21T10:58:00Z".into(), text: "Why now?\nCan it wait?".into() }],
            withdraw: Some(self.unless_refused(DeniedReason::ChangeRequest { workspace: Some(WORKSPACE.into()) })),
            again: (!self.fits).then_some(Ok(())),
            opens: self.refused.is_none(),
        })
    }

    async fn decide(&self, _: &str, _: &Vote) -> Result<()> {
        Ok(())
    }

    async fn alike(&self, uid: &str) -> Result<AlikePage> {
        let like = self.review(uid, "").await?;
        let asked = Asked {
            rule: "acme/production-databases/four-eyes".into(),
            title: "One of acme-approvers must approve".into(),
            ordinary: true,
            emergency: false,
            window: false,
        };
        let rows = ["orders-db", "other"].map(|name| AlikeRow {
            row: row(name, Risk::Low, ""),
            hash: "9f2c".into(),
            decided_against: String::new(),
        });
        Ok(AlikePage { like: like.row, asked, changes: changed(), rows: rows.into(), others: 1 })
    }

    async fn decide_together(&self, _: &Vote, items: &[(String, String)]) -> Result<usize> {
        Ok(items.len())
    }

    async fn comment(&self, _: &str, _: &str) -> Result<()> {
        Ok(())
    }

    async fn ask_again(&self, _: &str) -> Result<()> {
        Ok(())
    }

    async fn withdraw(&self, _: &str, _: &str) -> Result<()> {
        Ok(())
    }
}
