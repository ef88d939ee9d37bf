//! The figures at the top of the page, each with its basis, one row for each currency.

use crate::view::{CostPage, CostSum, difference};
use leptos::prelude::*;
use promise::price::Money;

use crate::texts::{cost as texts, home};
use crate::ui::day_and_time;

/// The figures.
pub(super) fn figures(found: &CostPage) -> impl IntoView + use<> {
    let several = found.sums.len() > 1;
    let up_to = found.up_to.clone();
    let rows = found.sums.iter().map(|sum| {
        let title = several.then(|| view! { <h2>{sum.currency.clone()}</h2> });
        view! { {title}<dl class="figures">{cells(found, sum, up_to.as_deref())}</dl> }
    });
    rows.collect_view()
}

fn cells(found: &CostPage, sum: &CostSum, up_to: Option<&str>) -> impl IntoView + use<> {
    let metered = up_to.map_or_else(|| texts::METERING_NOT_STARTED.to_owned(), |at| texts::metered_until(&day_and_time(at)));
    let (month, forecast) =
        if found.is_current { (texts::MONTH_FORECAST, texts::AT_CURRENT_USAGE) } else { (texts::MONTH_TOTAL, texts::MONTH_IS_OVER) };
    let beside = found.against.as_ref().zip(sum.compared.as_ref());
    let same_days = beside.filter(|(month, _)| month.days > 0).and_then(|(month, compared)| {
        let more = compared.days.minus(&compared.same_days)?.rounded();
        Some(texts::against_same_days(month.days, &more, difference(&compared.days, &compared.same_days), &month.title))
    });
    let whole = beside.and_then(|(month, compared)| {
        let more = sum.forecast.minus(&compared.whole)?.rounded();
        Some(texts::against_whole(&more, difference(&sum.forecast, &compared.whole), &month.title))
    });
    let budget = sum.budget.as_ref().map(|budget| {
        let left = match budget.money.minus(&sum.forecast).filter(|_| budget.whole) {
            Some(left) if left.micros < 0 => {
                texts::over_budget(&Money::new(left.micros.saturating_neg(), left.currency).rounded(), &budget.policy)
            }
            Some(left) => texts::left_of_budget(&left.rounded(), &budget.policy, found.is_current),
            None => texts::partly_visible_budget(&budget.policy),
        };
        let amount = match &budget.used {
            Some(used) => home::spent_of(&used.rounded(), &budget.money),
            None => budget.money.to_string(),
        };
        cell(texts::BUDGET, amount, [Some(left), None])
    });
    let waiting = sum.waiting.as_ref();
    let waiting =
        waiting.map(|(more, count)| cell(texts::WAITING_FOR_APPROVAL, more.signed(), [Some(texts::not_in_forecast(*count)), None]));
    let against = sum.against_estimate().map(texts::to_date_against_estimate);
    let estimate = sum
        .estimate
        .as_ref()
        .map(|estimate| cell(texts::ESTIMATE, estimate.to_string(), [Some(texts::full_month(sum.instances)), against]));
    view! {
        {cell(texts::TO_DATE, sum.to_date.rounded().to_string(), [Some(metered), same_days])}
        {cell(month, sum.forecast.rounded().to_string(), [Some(forecast.to_owned()), whole])}
        {estimate}
        {budget}
        {waiting}
    }
}

/// A figure with what it is based on, and what it is compared with.
fn cell(label: &'static str, value: String, basis: [Option<String>; 2]) -> impl IntoView + use<> {
    let basis = basis.into_iter().flatten().map(|basis| view! { <span class="basis">{basis}</span> }).collect_view();
    view! { <div class="figure"><dt>{label}</dt><dd><b>{value}</b>{basis}</dd></div> }
}

/// Formats seconds as `3 h 20 min`.
pub(super) fn hours(seconds: i64) -> String {
    match (seconds / 3_600, seconds % 3_600 / 60) {
        (0, 0) if seconds == 0 => texts::NONE_METERED.to_owned(),
        (0, 0) => texts::LESS_THAN_A_MINUTE.to_owned(),
        (0, minutes) => format!("{minutes}\u{a0}min"),
        (hours, 0) => format!("{hours}\u{a0}h"),
        (hours, minutes) => format!("{hours}\u{a0}h {minutes}\u{a0}min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_words() {
        assert_eq!(
            [hours(30), hours(1_200), hours(7_200), hours(7_260)].join(","),
            "Less than a minute,20\u{a0}min,2\u{a0}h,2\u{a0}h 1\u{a0}min"
        );
    }
}
