//! Putting back what somebody else changes, without fighting for ever.
//!
//! An autoscaler, an operator or a person may write into the same field again and again. The first repairs follow at once; then
//! each waits longer than the one before, up to an hour, and the status says so. Whoever leaves the object alone for a while is
//! forgiven. (Argo CD backs off in the same way when it heals; Crossplane stops watching what changes too often.)

use crate::api::Repairs;

/// Repairs in a row that follow at once.
const AT_ONCE: u32 = 3;
/// First and longest pause before another repair, in seconds.
const PAUSE: (i64, i64) = (60, 3600);
/// Seconds without a change after which the next one is the first again.
const CALM: i64 = 600;

/// Seconds until an object may be put back; none when it may be at once.
pub(super) fn wait(before: Option<&Repairs>, now: i64) -> Option<i64> {
    let before = before.filter(|before| goes_on(before, now))?;
    let left = before.last + pause(before.count) - now;
    (left > 0).then_some(left)
}

/// What is to be remembered when an object was put back just now.
pub(super) fn repaired(before: Option<&Repairs>, now: i64) -> Repairs {
    let before = before.filter(|before| goes_on(before, now));
    Repairs { count: before.map_or(0, |before| before.count).saturating_add(1), last: now, contested: false }
}

/// What is to be remembered of an object that is as it should be.
pub(super) fn held(before: Option<&Repairs>, now: i64) -> Option<Repairs> {
    let before = before.filter(|before| now >= before.last && now - before.last <= CALM)?;
    Some(Repairs { contested: false, ..*before })
}

/// Whether a change belongs to those before. A record from the future is of a clock that was put right since.
fn goes_on(before: &Repairs, now: i64) -> bool {
    now >= before.last && (before.contested || now - before.last <= CALM)
}

fn pause(count: u32) -> i64 {
    match count.checked_sub(AT_ONCE) {
        None => 0,
        Some(more) => PAUSE.0.saturating_mul(1 << more.min(10)).min(PAUSE.1),
    }
}

#[cfg(test)]
mod tests {
    use super::{held, repaired, wait};
    use crate::api::Repairs;

    /// Times of the repairs when somebody changes the object anew five seconds after each.
    fn fight(until: i64) -> Vec<i64> {
        let (mut times, mut known, mut now) = (Vec::new(), None::<Repairs>, 0);
        while now < until {
            match wait(known.as_ref(), now) {
                Some(left) => {
                    known = known.map(|known| Repairs { contested: true, ..known });
                    now += left;
                }
                None => {
                    known = Some(repaired(known.as_ref(), now));
                    times.push(now);
                    now += 5;
                }
            }
        }
        times
    }

    #[test]
    fn who_keeps_changing_it_is_answered_less_and_less_often() {
        let times = fight(6 * 3600);
        assert_eq!(times[..4], [0, 5, 10, 70]);
        assert!(times.len() <= 14, "{times:?}");
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] <= 3600));
    }

    #[test]
    fn calm_ends_it_and_so_does_a_clock_that_was_put_right() {
        let before = Repairs { count: 9, last: 1000, contested: false };
        assert!(wait(Some(&before), 1100).is_some());
        assert_eq!(wait(Some(&before), 1601), None);
        assert_eq!(repaired(Some(&before), 1601).count, 1);
        assert_eq!((held(Some(&before), 1600), held(Some(&before), 1601)), (Some(before), None));
        assert_eq!((wait(Some(&before), 900), repaired(Some(&before), 900).count), (None, 1));
    }
}
