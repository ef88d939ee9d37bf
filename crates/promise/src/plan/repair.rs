//! Repairs drift with backoff.
//!
//! An autoscaler, an operator or a person might write to the same field again and again. The first repairs follow immediately; then each
//! waits longer than the previous one, up to an hour, and the status says so. The counter is reset once the object is left alone for a
//! while. (Argo CD self-heal backs off in the same way; Crossplane stops watching objects that change too often.)

use crate::api::Repairs;

/// Number of consecutive repairs without a delay.
const AT_ONCE: u32 = 3;
/// First and maximum delay before another repair, in seconds.
const PAUSE: (i64, i64) = (60, 3600);
/// Seconds without a change after which the counter is reset.
const CALM: i64 = 600;

/// Returns the seconds until an object can be repaired, or nothing if it can be repaired immediately.
pub(super) fn wait(before: Option<&Repairs>, now: i64) -> Option<i64> {
    let before = before.filter(|before| goes_on(before, now))?;
    let left = before.last + pause(before.count) - now;
    (left > 0).then_some(left)
}

/// Returns the repair record of an object that was just repaired.
pub(super) fn repaired(before: Option<&Repairs>, now: i64) -> Repairs {
    let before = before.filter(|before| goes_on(before, now));
    Repairs { count: before.map_or(0, |before| before.count).saturating_add(1), last: now, contested: false }
}

/// Returns the repair record of an object that is as desired.
pub(super) fn held(before: Option<&Repairs>, now: i64) -> Option<Repairs> {
    let before = before.filter(|before| now >= before.last && now - before.last <= CALM)?;
    Some(Repairs { contested: false, ..*before })
}

/// Whether a change belongs to the previous series. A record from the future comes from a clock that has been corrected since.
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

    /// Returns the times of repairs if something changes the object again five seconds after each.
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
