//! What the person was told in this world.

use app::backend::{Notices, Pairs};
use app::view::*;
use async_trait::async_trait;
use promise::notify::{Away, Event, Quiet, Settings};
use promise::{Problem, Result};

use super::World;

fn notice(number: usize, event: Event, at: &str) -> Notice {
    Notice {
        id: format!("n{number}"),
        event,
        title: "orders-db waits for an approval".into(),
        text: "“Fine for Q4. Please add a retention note in January.”".into(),
        why: "You are among those whom the policy production-databases, set at root:acme, asks.".into(),
        names_workspace: false,
        link: "/approvals/u-1?hash=aa11".into(),
        workspace: super::WORKSPACE.into(),
        at: at.into(),
        unread: number < 3,
    }
}

/// For whom the person stands in.
pub fn cover(lacks: Vec<String>) -> CoverLine {
    CoverLine { person: "amara".into(), until: "2026-12-04".into(), now: true, lacks }
}

#[async_trait]
impl Notices for World {
    async fn unread(&self) -> Option<u64> {
        Some(3)
    }

    async fn notices(&self, query: &NoticesQuery) -> Result<NoticesPage> {
        let at = |number: usize| if number < 9 { "2026-11-21T10:00:00Z" } else { "2026-11-20T10:00:00Z" };
        let rows: Vec<Notice> = Event::ALL.into_iter().enumerate().map(|(number, event)| notice(number, event, at(number))).collect();
        let rows = if self.empty { Vec::new() } else { rows };
        let total = rows.len() as u64;
        let unread = if self.empty { 0 } else { 3 };
        let value = |path: &str, count| FacetValue { value: path.into(), label: path.into(), count, chosen: query.workspace == path };
        let workspaces = Facet { values: vec![value("root:acme", 5), value("root:acme:shop", 3)], left_out: 0 };
        Ok(NoticesPage { rows, unread, total, workspaces, page: 1, pages: 2, query: query.clone(), kept_days: 90, seen: "3-n0".into() })
    }

    async fn mark_read(&self, _: &Selection, _: &str) -> Result<()> {
        Ok(())
    }

    async fn notice_rules(&self, _: Option<&Pairs>) -> Result<NoticeRules> {
        let texts = [("quiet.from", "19:00"), ("quiet.to", "07:00"), ("zone", "Europe/Berlin"), ("digest.at", "17:00")];
        let problem = |path: &str| Problem { path: path.into(), message: "Enter a time such as 07:30.".into() };
        Ok(NoticeRules {
            settings: Settings { quiet: Some(Quiet { from: 1140, to: 420, weekends: true }), ..Settings::default() },
            texts: texts.map(|(name, text)| (name.to_owned(), text.to_owned())).into(),
            problems: if self.fits { Vec::new() } else { vec![problem("quiet.from")] },
            channels: if self.empty {
                Vec::new()
            } else {
                vec![Channel { name: "shop-ops".into(), title: "Chat, channel #shop-ops".into() }]
            },
            mail: if self.empty { Err(NoMailReason::NoMailServer) } else { Ok("dana@acme.example".into()) },
        })
    }

    async fn save_notice_rules(&self, _: &Pairs) -> Result<()> {
        Ok(())
    }

    async fn stand_in(&self, _: Option<&Pairs>) -> Result<StandInPage> {
        let away = Away { deputy: "olga".into(), from: "2026-12-21".into(), to: "2027-01-04".into() };
        let lacks = if self.refused.is_some() { vec!["A second pair of eyes, set at root:acme".to_owned()] } else { Vec::new() };
        let texts = [("deputy", "olga"), ("from", "2026-12-21"), ("to", "2027-01-04")];
        let problem = |path: &str| Problem { path: path.into(), message: "Enter a date such as 2026-12-21.".into() };
        let named = NamedLine { away, now: true, lacks: lacks.clone(), looked: self.fits.then(|| "2026-11-21T10:00:00Z".into()) };
        Ok(StandInPage {
            named: (!self.empty).then_some(named),
            texts: texts.map(|(name, text)| (name.to_owned(), text.to_owned())).into(),
            problems: if self.fits { Vec::new() } else { vec![problem("from")] },
            zone: "Europe/Berlin".into(),
            covers: if self.empty { Vec::new() } else { vec![cover(lacks)] },
        })
    }

    async fn set_delegate(&self, _: &Pairs) -> Result<()> {
        Ok(())
    }

    async fn end_delegation(&self) -> Result<()> {
        Ok(())
    }

    async fn delivers(&self) -> bool {
        self.refused.is_none()
    }

    async fn deliveries(&self, query: &DeliveriesQuery) -> Result<DeliveriesPage> {
        let row = DeliveryRow {
            id: "0123456789abcdef0123456789abcdef".into(),
            channel: "webhook".into(),
            target: "shop-ops".into(),
            event: Event::ApprovalNeeded,
            attempts: 9,
            problem: "shop-ops answered 503.".into(),
            created: "2026-11-20T10:00:00Z".into(),
            at: "2026-11-21T10:00:00Z".into(),
        };
        let rows = if self.empty { Vec::new() } else { vec![row.clone(), row] };
        Ok(DeliveriesPage { dead: rows.len() as u64, waiting: 1, retried: 1, sent: 40, page: 1, pages: 1, query: query.clone(), rows })
    }

    async fn send_again(&self, _: &Selection) -> Result<()> {
        Ok(())
    }
}
