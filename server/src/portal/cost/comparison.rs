//! Amounts beside those of an earlier month: the same first days of it, and all of it.

use app::view::{Compared, ComparedMonth, CostBy};
use promise::Result;
use promise::ledger::{Figures, Month as Calendar, comparable_days};
use promise::price::Money;

use super::report_scope::ReportScope;
use super::sums::{self, Month};
use crate::portal::Caller;

/// Number of months to choose from. Earlier ones are reached one by one.
const CHOICES: usize = 24;

/// The month that is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Former {
    pub(super) month: Calendar,
    /// How many of the first days of both months are compared; 0 for a month that is over, which is compared as a whole.
    pub(super) days: i64,
}

impl Former {
    /// Returns the month that `asked` names, or the month before. `None` if nothing had been recorded by then: `began` is the first second
    /// of the first recorded month.
    pub(super) fn of(scope: &ReportScope, asked: &str, began: Option<i64>) -> Option<Self> {
        let earlier = |month: &Calendar| *month < scope.month && began.is_some_and(|began| month.start() >= began);
        let month = Calendar::parse(asked).filter(earlier).or_else(|| scope.month.previous().filter(earlier))?;
        let days = if scope.is_current { comparable_days(scope.month, scope.counted(), month) } else { 0 };
        Some(Self { month, days })
    }

    pub(super) fn shown(&self) -> ComparedMonth {
        ComparedMonth { month: self.month.to_string(), title: self.month.title(), days: self.days }
    }

    /// Returns figures beside those of this month.
    pub(super) fn compared(&self, figures: &Figures, currency: &str) -> Compared {
        let money = |micros| Money::new(micros, currency);
        Compared { days: money(figures.days), same_days: money(figures.same_days), whole: money(figures.before) }
    }
}

/// Adds the amounts of the other month to the sums, also of values that cost something only then.
pub(super) async fn add(caller: &Caller, scope: &ReportScope, by: CostBy, former: &Former, month: &mut Month) -> Result<()> {
    let then = sums::book(caller, scope, former.month, by).await?;
    sums::each_month(scope, &then, by, |value, currency, micros| {
        let of = month.figures(value, currency);
        of.before = of.before.saturating_add(micros);
    });
    if former.days == 0 {
        return Ok(());
    }
    let until = |first: Calendar| first.start() + former.days * sums::DAY;
    sums::each_day(scope, &then, by, until(former.month), |value, currency, micros| {
        let of = month.figures(value, currency);
        of.same_days = of.same_days.saturating_add(micros);
    });
    let now = sums::book(caller, scope, scope.month, by).await?;
    sums::each_day(scope, &now, by, until(scope.month), |value, currency, micros| {
        let of = month.figures(value, currency);
        of.days = of.days.saturating_add(micros);
    });
    Ok(())
}

/// Returns the months with a page, newest first.
pub(super) fn choices(present: Calendar, began: Option<i64>) -> Vec<(String, String)> {
    let months = std::iter::successors(Some(present), |month| month.previous());
    let recorded = months.take_while(|month| *month == present || began.is_some_and(|began| month.start() >= began));
    recorded.take(CHOICES).map(|month| (month.to_string(), month.title())).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn scope(month: &str, is_current: bool, days: i64) -> ReportScope {
        let month = Calendar::parse(month).unwrap();
        let posted = Some(month.start() + days * sums::DAY + 3_600);
        ReportScope { top: None, places: Vec::new(), month, is_current, posted, ahead: None, teams: HashMap::new() }
    }

    #[test]
    fn an_earlier_recorded_month_is_compared_with_and_otherwise_the_one_before() {
        let began = Calendar::parse("2026-08").map(Calendar::start);
        let now = scope("2026-11", true, 20);
        let of = |asked: &str| Former::of(&now, asked, began).map(|former| (former.month.to_string(), former.days));
        assert_eq!(of("2026-08"), Some(("2026-08".to_owned(), 20)));
        for other in ["", "2026-11", "2026-12", "2026-07", "x"] {
            assert_eq!(of(other), Some(("2026-10".to_owned(), 20)), "{other}");
        }
        let whole = Former::of(&scope("2026-10", false, 31), "", began);
        assert_eq!(whole.map(|former| (former.month.to_string(), former.days)), Some(("2026-09".to_owned(), 0)));
        assert_eq!(Former::of(&scope("2026-08", false, 31), "", began), None);
        assert_eq!(Former::of(&now, "", None), None);
    }

    #[test]
    fn every_recorded_month_can_be_chosen_and_the_present_one_in_any_case() {
        let (present, began) = (Calendar::parse("2026-02").unwrap(), Calendar::parse("2025-12").unwrap().start());
        let of = |began: Option<i64>| choices(present, began).into_iter().map(|(month, _)| month).collect::<Vec<_>>();
        assert_eq!(of(Some(began)), ["2026-02", "2026-01", "2025-12"]);
        assert_eq!(of(None), ["2026-02"]);
        assert_eq!(of(Some(0)).len(), CHOICES);
    }
}
