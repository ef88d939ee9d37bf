//! Compares budgets with accrued and forecast cost, and decides which notifications are due.

use std::collections::BTreeMap;

use super::month::{HOUR, Month};
use crate::api::{AppliesTo, Budget};
use crate::glob;
use crate::price::decimal_micros;

/// Seconds of a month after which its forecast is compared with budgets. In the first days little has accrued, and a resource that someone
/// tries out for an hour is in the forecast as if it ran for the whole month.
const TELLING: i64 = 72 * HOUR;

/// A budget that a policy or promise defines.
#[derive(Clone, Copy, Debug)]
pub struct Cap<'a> {
    /// The budget.
    pub budget: &'a Budget,
    /// Scope of its policy. A promise's own rules have none.
    pub range: &'a AppliesTo,
    /// The promise, for one of its own rules. Absent for a policy.
    pub own: Option<Own<'a>>,
    /// Logical cluster id of the workspace that defines it.
    pub cluster: &'a str,
    /// Whether that is a trusted home, whose policies and promises apply across the tree.
    pub trusted: bool,
}

/// A promise that has a budget of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own<'a> {
    /// Name of the promise.
    pub promise: &'a str,
    /// Path of its home workspace.
    pub home: &'a str,
}

/// A workspace with costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spender {
    /// Path of the workspace.
    pub path: String,
    /// Labels of the workspace.
    pub labels: BTreeMap<String, String>,
    /// Logical cluster ids from the root down to it.
    pub lineage: Vec<String>,
}

/// Cost of the requests of one promise in one workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spending<'a> {
    /// The workspace.
    pub by: &'a Spender,
    /// Path of the promise's home as named in requests. Empty if they name none.
    pub home: &'a str,
    /// Name of the promise.
    pub promise: &'a str,
    /// ISO 4217 code.
    pub currency: &'a str,
    /// Accrued amount, in millionths.
    pub micros: i64,
    /// Cost of everything that is ready now until the end of the month, in millionths.
    pub rest: i64,
}

/// A notification about a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Logical cluster id of the workspace that the amounts are for, including everything below it if the budget says so.
    pub cluster: String,
    /// Cause of the notification.
    pub cause: Cause,
    /// Accrued amount, in millionths.
    pub spent: i64,
    /// Forecast for the end of the month if everything that is ready stays ready, in millionths.
    pub forecast: i64,
    /// Budget, in millionths.
    pub most: i64,
}

/// Cause of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The accrued amount reached a threshold: the largest percentage reached.
    Threshold(u32),
    /// The budget isn't used up yet, but the forecast exceeds it.
    Forecast,
}

impl Warning {
    /// Returns the deduplication key for one budget: each threshold once for each month and amount, the forecast once a month.
    pub fn key(&self, month: Month) -> String {
        match self.cause {
            Cause::Threshold(percent) => format!("{}|{month}|{}|{percent}", self.cluster, self.most),
            Cause::Forecast => format!("{}|{month}|forecast", self.cluster),
        }
    }
}

impl Cap<'_> {
    /// Returns the notifications due at a time for each workspace with this budget, from the amount accrued in the month so far and the
    /// forecast.
    pub fn warnings<'s>(&self, at: i64, spendings: impl IntoIterator<Item = Spending<'s>>) -> Vec<Warning> {
        let Ok(most) = decimal_micros(&self.budget.monthly) else { return Vec::new() };
        let mut sums: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
        for spending in spendings {
            if let Some(cluster) = self.bearer(spending.by).filter(|_| self.counts(&spending)) {
                let (spent, forecast) = sums.entry(cluster).or_default();
                *spent = spent.saturating_add(spending.micros);
                *forecast = forecast.saturating_add(spending.micros).saturating_add(spending.rest);
            }
        }
        let thresholds = self.budget.thresholds();
        let is_telling = at.saturating_sub(Month::of(at).start()) >= TELLING;
        let mut warnings = Vec::new();
        for (cluster, (spent, forecast)) in sums {
            let is = |percent: &&u32| spent > 0 && i128::from(spent) * 100 >= i128::from(most) * i128::from(**percent);
            let reached = thresholds.iter().rev().find(is).map(|percent| Cause::Threshold(*percent));
            // The thresholds cover a budget that is used up.
            let foreseen = (is_telling && spent < most && most < forecast).then_some(Cause::Forecast);
            let causes = reached.into_iter().chain(foreseen);
            warnings.extend(causes.map(|cause| Warning { cluster: cluster.to_owned(), cause, spent, forecast, most }));
        }
        warnings
    }

    /// Whether the cost of a promise counts toward this budget, in any workspace.
    fn counts(&self, spending: &Spending<'_>) -> bool {
        let promise = match self.own {
            // For requests that name no home, only the name has to match.
            Some(own) => own.promise == spending.promise && (spending.home.is_empty() || spending.home == own.home),
            None => self.range.promises.is_empty() || glob::any_name_matches(&self.range.promises, spending.promise),
        };
        promise && spending.currency == self.budget.currency
    }

    /// Returns the workspace whose budget a workspace spends: its own, or the one that defines a budget for everything below it. The same
    /// requests count as in the evaluation of a new request ([`crate::policy::Tally`]).
    fn bearer<'s>(&'s self, spender: &'s Spender) -> Option<&'s str> {
        let below = spender.lineage.iter().any(|cluster| cluster == self.cluster);
        if !self.range.covers_workspace(&spender.path, &spender.labels) || !(below || self.trusted) {
            return None;
        }
        match self.budget.per.as_str() {
            "workspace" => spender.lineage.last().map(String::as_str),
            "subtree" => Some(self.cluster),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-01.
    const NOVEMBER: i64 = 1_793_491_200;
    const DAY: i64 = 24 * HOUR;

    fn budget(per: &str) -> Budget {
        Budget { monthly: "10.00".into(), currency: "EUR".into(), per: per.into(), thresholds: Some(vec![100, 50]), ..Budget::default() }
    }

    fn thresholds(warnings: Vec<Warning>) -> Vec<(String, u32, i64)> {
        let threshold = |warning: Warning| match warning.cause {
            Cause::Threshold(percent) => Some((warning.cluster, percent, warning.spent)),
            Cause::Forecast => None,
        };
        warnings.into_iter().filter_map(threshold).collect()
    }

    fn spender(path: &str) -> Spender {
        let lineage: Vec<String> = path.split(':').map(str::to_owned).collect();
        Spender { path: path.to_owned(), labels: BTreeMap::from([("org".to_owned(), "acme".to_owned())]), lineage }
    }

    fn reached(per: &str, range: &AppliesTo, trusted: bool, spendings: &[(&str, &str, &str, i64)]) -> Vec<(String, u32, i64)> {
        let spenders: Vec<Spender> = spendings.iter().map(|(path, ..)| spender(path)).collect();
        let cap = Cap { budget: &budget(per), range, own: None, cluster: "acme", trusted };
        let all = spendings.iter().zip(&spenders);
        let all = all.map(|((_, promise, currency, micros), by)| Spending { by, home: "", promise, currency, micros: *micros, rest: 0 });
        thresholds(cap.warnings(NOVEMBER + 9 * DAY, all))
    }

    const ALL: fn() -> AppliesTo = AppliesTo::default;

    #[test]
    fn a_subtree_spends_together_and_workspaces_each_for_themselves() {
        let spent = [
            ("root:acme:shop", "redis", "EUR", 3_000_000),
            ("root:acme:data", "redis", "EUR", 2_000_000),
            ("root:globex", "redis", "EUR", 90_000_000),
        ];
        assert_eq!(reached("subtree", &ALL(), false, &spent), [("acme".to_owned(), 50, 5_000_000)]);
        assert_eq!(reached("workspace", &ALL(), false, &spent), []);
        let spent = [("root:acme:shop", "redis", "EUR", 10_000_000), ("root:acme:data", "redis", "EUR", 4_999_999)];
        assert_eq!(reached("workspace", &ALL(), false, &spent), [("shop".to_owned(), 100, 10_000_000)]);
    }

    #[test]
    fn other_currencies_promises_and_places_do_not_count() {
        let spent = [("root:acme:shop", "redis", "USD", 99_000_000), ("root:acme:shop", "postgresql", "EUR", 5_000_000)];
        assert_eq!(reached("subtree", &ALL(), false, &spent), [("acme".to_owned(), 50, 5_000_000)]);
        let redis = AppliesTo { promises: vec!["redis".into()], ..AppliesTo::default() };
        assert_eq!(reached("subtree", &redis, false, &spent), []);
        let elsewhere = AppliesTo { workspaces: vec!["root:globex:**".into()], ..AppliesTo::default() };
        let spent = [("root:globex:web", "redis", "EUR", 11_000_000)];
        assert_eq!(reached("subtree", &elsewhere, false, &spent), [], "only trusted homes reach across the tree");
        assert_eq!(reached("subtree", &elsewhere, true, &spent), [("acme".to_owned(), 100, 11_000_000)]);
        assert_eq!(reached("workspace", &elsewhere, true, &spent), [("web".to_owned(), 100, 11_000_000)]);
        let others = AppliesTo { workspace_labels: [("org".to_owned(), "globex".to_owned())].into(), ..AppliesTo::default() };
        assert_eq!(reached("workspace", &others, true, &spent), []);
        assert_eq!(reached("subtree", &others, true, &spent), []);
    }

    #[test]
    fn workspaces_of_one_label_spend_together() {
        let spenders = [("root:acme:shop", "web"), ("root:acme:data", "data"), ("root:acme:pay", "web")]
            .map(|(path, team)| Spender { labels: [("team".to_owned(), team.to_owned())].into(), ..spender(path) });
        let range = AppliesTo { workspace_labels: [("team".to_owned(), "web".to_owned())].into(), ..AppliesTo::default() };
        let cap = Cap { budget: &budget("subtree"), range: &range, own: None, cluster: "acme", trusted: false };
        let all = spenders.iter().zip([3_000_000, 90_000_000, 2_000_000]);
        let all = all.map(|(by, micros)| Spending { by, home: "", promise: "redis", currency: "EUR", micros, rest: 0 });
        assert_eq!(thresholds(cap.warnings(NOVEMBER, all)), [("acme".to_owned(), 50, 5_000_000)]);
    }

    #[test]
    fn nothing_reaches_nothing_and_sums_do_not_overflow() {
        assert_eq!(reached("subtree", &ALL(), false, &[("root:acme", "redis", "EUR", 0)]), []);
        let spent = [("root:acme", "redis", "EUR", i64::MAX), ("root:acme:shop", "redis", "EUR", i64::MAX)];
        assert_eq!(reached("subtree", &ALL(), false, &spent), [("acme".to_owned(), 100, i64::MAX)]);
        assert_eq!(reached("month", &ALL(), false, &spent), []);
    }

    #[test]
    fn what_counts_for_a_promise_is_told_apart_by_name_and_home() {
        let spent = [
            ("root:acme:shop", "root:acme", "redis", 5_000_000),
            ("root:acme:shop", "root:platform", "redis", 90_000_000),
            ("root:acme:data", "", "redis", 4_000_000),
            ("root:acme:data", "root:acme", "postgresql", 90_000_000),
            ("root:globex", "root:acme", "redis", 90_000_000),
        ];
        let spenders = spent.map(|(path, ..)| spender(path));
        let reached = |per: &str, trusted: bool| {
            let own = Some(Own { promise: "redis", home: "root:acme" });
            let cap = Cap { budget: &budget(per), range: &ALL(), own, cluster: "acme", trusted };
            let all = spent.iter().zip(&spenders);
            let all = all.map(|((_, home, promise, micros), by)| Spending { by, home, promise, currency: "EUR", micros: *micros, rest: 0 });
            thresholds(cap.warnings(NOVEMBER, all))
        };
        assert_eq!(reached("subtree", false), [("acme".to_owned(), 50, 9_000_000)], "beyond its home nobody is offered it");
        assert_eq!(reached("subtree", true), [("acme".to_owned(), 100, 99_000_000)]);
        assert_eq!(reached("workspace", false), [("shop".to_owned(), 50, 5_000_000)]);
    }

    #[test]
    fn a_forecast_beyond_the_budget_is_told_until_it_is_used_up_and_not_in_the_first_days() {
        let by = spender("root:acme:shop");
        for (at, micros, rest, told) in [
            (4 * DAY, 1_000_000, 9_000_000, vec![]),
            (4 * DAY, 1_000_000, 9_000_001, vec![Cause::Forecast]),
            (TELLING - 1, 1_000_000, 9_000_001, vec![]),
            (TELLING, 1_000_000, 9_000_001, vec![Cause::Forecast]),
            (4 * DAY, 0, i64::MAX, vec![Cause::Forecast]),
            (4 * DAY, 5_000_000, i64::MAX, vec![Cause::Threshold(50), Cause::Forecast]),
            (4 * DAY, 10_000_000, 9_000_000, vec![Cause::Threshold(100)]),
            (TELLING - 1, 10_000_000, 9_000_000, vec![Cause::Threshold(100)]),
        ] {
            let cap = Cap { budget: &budget("subtree"), range: &ALL(), own: None, cluster: "acme", trusted: false };
            let spending = Spending { by: &by, home: "", promise: "redis", currency: "EUR", micros, rest };
            let causes: Vec<Cause> = cap.warnings(NOVEMBER + at, [spending]).iter().map(|warning| warning.cause).collect();
            assert_eq!(causes, told, "{at}: {micros} and {rest}");
        }
    }

    #[test]
    fn each_threshold_is_told_once_for_an_amount_and_the_forecast_once_a_month() {
        let warning = |cause, most| Warning { cluster: "acme".into(), cause, spent: 1, forecast: 2, most };
        let key = |cause, most| warning(cause, most).key(Month::of(NOVEMBER));
        assert_eq!(key(Cause::Threshold(80), 10), "acme|2026-11|10|80");
        assert_ne!(key(Cause::Threshold(80), 10), key(Cause::Threshold(80), 20));
        assert_eq!(key(Cause::Forecast, 10), "acme|2026-11|forecast");
        assert_eq!(key(Cause::Forecast, 10), key(Cause::Forecast, 20));
        assert_ne!(warning(Cause::Forecast, 10).key(Month::of(NOVEMBER).next()), key(Cause::Forecast, 10));
    }
}
