//! How long instances took to get ready, promise by promise: half of them, and nearly all.

use leptos::prelude::*;

use crate::routes;
use crate::texts::platform as texts;
use crate::view::TimeLine;

/// The section.
pub(super) fn times(times: &[TimeLine]) -> impl IntoView + use<> {
    let measured: usize = times.iter().map(|line| line.measured).sum();
    let longest = times.iter().map(|line| line.most).max().unwrap_or_default();
    let rows = times.iter().map(|line| {
        view! {
            <tr><th scope="row"><a class="name" href=routes::all_requests(&[("promise", &line.promise)])>{line.title.clone()}</a></th><td class="num" data-label=texts::MEDIAN>{texts::span(line.half)}</td><td class="num" data-label=texts::P95>{texts::span(line.most)}</td><td data-label=texts::RANGE>{range(line, longest)}</td><td class="num" data-label=texts::MEASURED>{line.measured}</td><td class="num" data-label=texts::FAILED>{texts::part_of(line.failed, line.all)}</td></tr>
        }
    });
    let rows = rows.collect_view();
    let none = times.is_empty();
    view! {
        <section aria-labelledby="times">
            <div class="section-head"><h2 id="times">{texts::TIME_TO_READY}</h2><p class="basis">{texts::measured_on(measured)}</p></div>
            {if none {
                view! { <p class="muted">{texts::NOT_MEASURED_YET}</p> }.into_any()
            } else {
                view! {
                    <div class="card"><table class="table" aria-labelledby="times"><thead><tr><th scope="col">{texts::PROMISE}</th><th scope="col" class="num">{texts::MEDIAN}</th><th scope="col" class="num">{texts::P95}</th><th scope="col">{texts::up_to(longest)}</th><th scope="col" class="num">{texts::MEASURED}</th><th scope="col" class="num">{texts::FAILED}</th></tr></thead><tbody>{rows}</tbody></table></div>
                    <p class="small muted mt-3">{texts::RANGES_SHOW}</p>
                }
                .into_any()
            }}
        </section>
    }
}

/// A bar from the median to the 95th percentile, on a line up to the longest of all. The numbers beside it say the same.
fn range(line: &TimeLine, longest: i64) -> impl IntoView + use<> {
    let (from, to) = (share(line.half, longest), share(line.most, longest));
    view! {
        <span class="vh">{texts::spans(line.half, line.most)}</span>
        <svg class="meter-bar h-2.5 min-w-34" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="track" y="4" width="100" height="2"></rect><rect class="chart-1" x=from y="3" width=to.saturating_sub(from) height="4"></rect><rect class="chart-1" x=from.clamp(1, 99) - 1 width="2" height="10"></rect></svg>
    }
}

/// Returns a part of the longest in percent.
fn share(seconds: i64, longest: i64) -> u8 {
    u8::try_from(seconds.clamp(0, longest).saturating_mul(100).checked_div(longest).unwrap_or_default()).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn a_range_ends_at_the_longest() {
        assert_eq!([share(0, 90), share(45, 90), share(90, 90), share(120, 90)], [0, 50, 100, 100]);
        assert_eq!(share(0, 0), 0, "everything was ready at once");
    }
}
