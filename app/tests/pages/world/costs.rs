//! What things cost in this world.

use app::backend::Cost;
use app::view::*;
use async_trait::async_trait;
use promise::price::Money;
use promise::{DeniedReason, Error, Result};

use super::{WORKSPACE, World};

fn euros(cents: i64) -> Money {
    Money::new(cents * 10_000, "EUR")
}

fn compared(cents: i64) -> Compared {
    Compared { days: euros(cents - 100), same_days: euros(cents * 9 / 10), whole: euros(cents * 7 / 5) }
}

fn row(value: &str, depth: usize, cents: i64, budget: Option<i64>) -> CostRow {
    CostRow {
        value: value.into(),
        label: value.into(),
        depth,
        instances: 2,
        to_date: euros(cents),
        forecast: euros(cents * 3 / 2),
        estimate: Some(euros(cents * 4 / 3)),
        budget: budget.map(|cents| CostBudget { money: euros(cents), used: None, policy: "Budget of Acme".into(), whole: true }),
        expected: Some(euros(cents * 21 / 20)),
        compared: Some(compared(cents)),
    }
}

fn instance(name: &str, standing: InstanceStanding, price: Option<i64>) -> CostInstance {
    CostInstance {
        workspace: WORKSPACE.into(),
        namespace: "default".into(),
        name: name.into(),
        promise: "PostgreSQL".into(),
        owner: "dev-shop".into(),
        project: String::new(),
        to_date: price.map(euros),
        estimate: price.filter(|_| standing != InstanceStanding::Gone).map(euros),
        standing,
        ready: 36_000,
        unobserved: 3_600,
        basis: PriceSource::of_status("standard at root:platform, prices from 2026-01-01"),
    }
}

pub fn movers() -> CostMovers {
    let mover = |label: &str, namespace: &str, before: i64, after: i64| CostMover {
        label: label.into(),
        workspace: WORKSPACE.into(),
        namespace: namespace.into(),
        promise: "postgresql".into(),
        before: euros(before),
        after: euros(after),
    };
    let lines = vec![mover("orders-db", "default", 2_480, 8_320), mover("PostgreSQL", "", 9_000, 6_000), mover("new", "default", 0, 390)];
    CostMovers { before: "October 2026".into(), lines }
}

fn saving(name: &str, why: SavingWhy) -> CostSaving {
    CostSaving {
        why,
        workspace: WORKSPACE.into(),
        namespace: "default".into(),
        name: name.into(),
        promise: "PostgreSQL".into(),
        saves: euros(2_480),
    }
}

/// What home says about cost.
pub fn glance() -> CostGlance {
    CostGlance {
        month: "November 2026".into(),
        workspaces: 3,
        up_to: Some("2026-11-21T11:00:00Z".into()),
        sums: vec![CostSum {
            currency: "EUR".into(),
            to_date: euros(165_296),
            forecast: euros(243_871),
            estimate: Some(euros(232_870)),
            instances: 12,
            waiting: None,
            budget: None,
            expected: None,
            compared: None,
        }],
        unpriced_instances: 1,
        movers: Some(movers()),
        forecasts: [(WORKSPACE.to_owned(), vec![euros(84_581)])].into(),
    }
}

#[async_trait]
impl Cost for World {
    async fn cost(&self, query: &CostQuery) -> Result<CostPage> {
        if let Some(why) = &self.refused {
            return Err(Error::from(DeniedReason::ControlPlane { message: why.clone() }));
        }
        let page = CostPage {
            query: CostQuery { page: query.page.max(1), rows: query.rows.max(1), ..query.clone() },
            unshown: Vec::new(),
            by: CostBy::parse(&query.by),
            month: "November 2026".into(),
            days_in_month: 30,
            is_current: true,
            previous: Some("2026-10".into()),
            next: None,
            choices: [("2026-11", "November 2026"), ("2026-10", "October 2026")].map(|(month, title)| (month.into(), title.into())).into(),
            against: None,
            workspaces: 3,
            up_to: None,
            counted: None,
            as_of: None,
            ahead: None,
            sums: Vec::new(),
            unpriced: 0,
            unpriced_instances: 0,
            unobserved: 0,
            rows: Vec::new(),
            rows_total: 0,
            rows_pages: 1,
            labels: Default::default(),
            days: Vec::new(),
            instances: Vec::new(),
            instances_total: 0,
            pages: 0,
            months: Vec::new(),
            movers: None,
            savings: Some(CostSavings::default()),
        };
        if self.empty {
            return Ok(page);
        }
        let rows = vec![
            row("root:acme", 0, 165_296, Some(320_000)),
            row("root:acme:shop", 1, 57_329, None),
            row("root:acme:data", 1, 107_967, Some(100_000)),
        ];
        let days = (1..=20).flat_map(|day| {
            [("root:acme:shop", 2_730), ("root:acme:data", 5_141)].map(|(value, cents)| CostDay {
                day,
                value: value.into(),
                money: euros(cents),
            })
        });
        Ok(CostPage {
            up_to: Some("2026-11-21T11:00:00Z".into()),
            counted: Some(20 * 86_400 + 11 * 3_600),
            against: Some(ComparedMonth { month: "2026-10".into(), title: "October 2026".into(), days: 20 }),
            as_of: (!self.fits).then(|| "2026-11-21T10:00:00Z".into()),
            ahead: (!self.fits).then(|| "2026-12-21T10:00:00Z".into()),
            sums: vec![CostSum {
                currency: "EUR".into(),
                to_date: euros(165_296),
                forecast: euros(243_871),
                estimate: Some(euros(232_870)),
                instances: 12,
                waiting: Some((euros(52_000), 3)),
                budget: Some(CostBudget {
                    money: euros(320_000),
                    used: Some(euros(232_870)),
                    policy: "Budget of Acme".into(),
                    whole: self.fits,
                }),
                expected: Some(euros(170_000)),
                compared: Some(compared(165_296)),
            }],
            unpriced: 7_200,
            unpriced_instances: 1,
            unobserved: 3_600,
            rows,
            days: days.collect(),
            instances: vec![
                instance("orders-db", InstanceStanding::Requested, Some(2_480)),
                instance("old-sessions", InstanceStanding::Gone, Some(390)),
                instance("sessions", InstanceStanding::Requested, None),
                instance(
                    "left-sessions",
                    InstanceStanding::Orphaned { released_with: "ConfigMap opm-system/orphaned-7e0c".into() },
                    Some(390),
                ),
            ],
            instances_total: 60,
            rows_total: 103,
            rows_pages: 2,
            pages: 2,
            months: [("2026-10", "October 2026", 201_340), ("2026-11", "November 2026", 165_296)]
                .map(|(month, title, cents)| CostMonth { month: month.into(), title: title.into(), sums: vec![euros(cents)] })
                .into(),
            movers: Some(movers()),
            savings: Some(CostSavings {
                lines: vec![
                    saving("old-sessions", SavingWhy::Expired("2026-11-01T00:00:00Z".into())),
                    saving("orders-db", SavingWhy::Cheaper("the preset Trial".into())),
                    saving("media", SavingWhy::Untouched("2026-05-02T08:00:00Z".into())),
                ],
                instances: 12,
                priced: 5,
            }),
            ..page
        })
    }

    async fn cost_export(&self, query: &CostQuery) -> Result<CostFile> {
        Ok(CostFile { month: query.month.clone(), text: String::new() })
    }

    async fn cost_focus(&self, query: &CostQuery) -> Result<CostFile> {
        self.cost_export(query).await
    }
}
