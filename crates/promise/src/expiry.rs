//! Expiry of a request: its owner is reminded, can renew it for a while afterwards, and then it is deleted (`domain.md` 3).
//!
//! Only what was accepted counts: neither a renewal nor an earlier end that isn't approved changes when a request ends. A renewal that waits
//! for approval holds the end back, because a slow approver must not cost a team its database.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use crate::api::{PromiseReleaseSpec, PromiseRequestSpec};
use crate::problem::Problem;

/// How long an expired request keeps running, so that its owner can renew it.
pub const GRACE: SignedDuration = SignedDuration::from_hours(72);
/// How long before a request expires its owner is reminded.
pub const REMINDERS: [SignedDuration; 2] = [SignedDuration::from_hours(7 * 24), SignedDuration::from_hours(24)];
/// A day.
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// How long a renewal lasts if it isn't known how long the request was accepted for.
const USUAL: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Most days that a renewal suggests.
const LONGEST: i64 = 366;
/// Field of a request.
const FIELD: &str = ".expiresAt";

/// When an accepted request expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expiry {
    /// When it expires.
    pub at: Timestamp,
}

/// Where a request is on the way to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpiryStage {
    /// It doesn't expire soon.
    Running,
    /// It expires soon.
    Soon,
    /// It has expired and can still be renewed.
    Grace,
    /// It is deleted.
    Over,
}

impl Expiry {
    /// Returns when a release expires, if it does.
    pub fn of(release: &PromiseReleaseSpec) -> Option<Self> {
        Self::parse(release.terms.as_ref()?.expires_at.as_deref()?)
    }

    /// Reads an RFC 3339 time.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(|at| Self { at })
    }

    /// Returns when its resources are deleted unless it is renewed.
    pub fn ends(self) -> Timestamp {
        self.at.saturating_add(GRACE).unwrap_or(Timestamp::MAX)
    }

    /// Returns the stage at a time.
    pub fn stage(self, now: Timestamp) -> ExpiryStage {
        match () {
            () if now >= self.ends() => ExpiryStage::Over,
            () if now >= self.at => ExpiryStage::Grace,
            () if now >= self.before(REMINDERS[0]) => ExpiryStage::Soon,
            () => ExpiryStage::Running,
        }
    }

    /// Returns how long its stage lasts; `None` if nothing comes after it.
    pub fn lasts(self, now: Timestamp) -> Option<SignedDuration> {
        let next = match self.stage(now) {
            ExpiryStage::Running => self.before(REMINDERS[0]),
            ExpiryStage::Soon => self.at,
            ExpiryStage::Grace => self.ends(),
            ExpiryStage::Over => return None,
        };
        Some(next.duration_since(now))
    }

    /// Returns the reminders that were due at a time, latest first, each as the time before the end.
    pub fn reminders(self, now: Timestamp) -> impl Iterator<Item = (SignedDuration, Timestamp)> {
        let due = REMINDERS.into_iter().rev().map(move |before| (before, self.before(before)));
        due.filter(move |(_, at)| *at <= now && now < self.at)
    }

    fn before(self, duration: SignedDuration) -> Timestamp {
        self.at.saturating_sub(duration).unwrap_or(Timestamp::MIN)
    }
}

/// Returns the day of an end as forms show it: `2027-01-31`. Other text stays as it is.
pub fn day(end: &str) -> String {
    Expiry::parse(end).map_or_else(|| end.to_owned(), |expiry| expiry.at.strftime("%Y-%m-%d").to_string())
}

/// Returns the end for a day that was entered in a form: its beginning in UTC. The day of the present end leaves that as it is.
pub fn of_day(entered: &str, present: Option<&str>) -> Option<String> {
    match entered.trim() {
        "" => None,
        kept if present.is_some_and(|present| day(present) == kept) => present.map(str::to_owned),
        other if other.parse::<Date>().is_ok() => Some(format!("{other}T00:00:00Z")),
        other => Some(other.to_owned()),
    }
}

/// Returns the end that a renewal suggests: as long again as the request was accepted for, from now or from its end, whichever is later.
pub fn renewed(expiry: Expiry, accepted: Option<Timestamp>, now: Timestamp) -> Timestamp {
    let lifetime = accepted.map(|accepted| expiry.at.duration_since(accepted)).filter(|lifetime| *lifetime >= DAY);
    let days = lifetime.unwrap_or(USUAL).as_secs().div_euclid(DAY.as_secs()).min(LONGEST);
    expiry.at.max(now).saturating_add(DAY * i32::try_from(days).unwrap_or(1)).unwrap_or(Timestamp::MAX)
}

/// Formats a time to the minute, for status and events: `31 Jan 2027, 00:00 UTC`.
pub(crate) fn minute(at: Timestamp) -> String {
    at.strftime("%-d %b %Y, %H:%M UTC").to_string()
}

/// Returns the problem with the end of a request. A request that was accepted with it keeps it after the time has passed.
pub fn problem(request: &PromiseRequestSpec, former: Option<&PromiseReleaseSpec>, now: Timestamp) -> Option<Problem> {
    let text = request.expires_at.as_deref()?;
    let message = match Expiry::parse(text) {
        None => format!("The expiry date “{text}” isn't an RFC 3339 time. Enter one such as 2027-01-31T00:00:00Z."),
        Some(_) if former.and_then(|former| former.terms.as_ref()?.expires_at.as_deref()) == Some(text) => return None,
        Some(expiry) if expiry.at <= now => format!("The expiry date {} has passed. Enter a time in the future.", minute(expiry.at)),
        Some(_) => return None,
    };
    Some(Problem { path: FIELD.to_owned(), message })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::ReleaseTerms;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn an_owner_is_reminded_then_has_time_to_renew_and_then_it_is_over() {
        let expiry = Expiry::parse("2027-01-31T00:00:00Z").unwrap();
        for (now, stage, hours, reminders) in [
            ("2027-01-01T00:00:00Z", ExpiryStage::Running, Some(23 * 24), 0),
            ("2027-01-24T00:00:00Z", ExpiryStage::Soon, Some(7 * 24), 1),
            ("2027-01-30T12:00:00Z", ExpiryStage::Soon, Some(12), 2),
            ("2027-01-31T00:00:00Z", ExpiryStage::Grace, Some(72), 0),
            ("2027-02-02T23:00:00Z", ExpiryStage::Grace, Some(1), 0),
            ("2027-02-03T00:00:00Z", ExpiryStage::Over, None, 0),
        ] {
            let now = at(now);
            assert_eq!((expiry.stage(now), expiry.lasts(now)), (stage, hours.map(SignedDuration::from_hours)), "{now}");
            assert_eq!(expiry.reminders(now).count(), reminders, "{now}");
        }
        let last = expiry.reminders(at("2027-01-30T12:00:00Z")).next();
        assert_eq!(last, Some((REMINDERS[1], at("2027-01-30T00:00:00Z"))), "the latest comes first");
        assert_eq!(Expiry { at: Timestamp::MAX }.ends(), Timestamp::MAX, "no time overflows");
    }

    #[test]
    fn a_form_enters_days_and_changes_no_end_that_it_only_shows() {
        let present = Some("2027-01-31T17:30:00+02:00");
        assert_eq!(day("2027-01-31T23:30:00-02:00"), "2027-02-01");
        assert_eq!(day("soon"), "soon");
        assert_eq!(of_day("2027-01-31", present).as_deref(), present);
        assert_eq!(of_day("2027-02-01", present).as_deref(), Some("2027-02-01T00:00:00Z"));
        assert_eq!(of_day(" ", present), None);
        assert_eq!(of_day("31 January", None).as_deref(), Some("31 January"), "its problem is shown");
    }

    #[test]
    fn a_renewal_is_as_long_as_the_request_was_accepted_for() {
        let expiry = Expiry::parse("2027-01-31T00:00:00Z").unwrap();
        let of = |accepted: Option<&str>, now: &str| renewed(expiry, accepted.map(at), at(now)).to_string();
        assert_eq!(of(Some("2027-01-17T00:00:00Z"), "2027-01-20T00:00:00Z"), "2027-02-14T00:00:00Z");
        assert_eq!(of(Some("2027-01-17T00:00:00Z"), "2027-02-02T00:00:00Z"), "2027-02-16T00:00:00Z", "it has expired");
        assert_eq!(of(None, "2027-01-20T00:00:00Z"), "2027-03-02T00:00:00Z");
        assert_eq!(of(Some("2027-01-30T23:00:00Z"), "2027-01-20T00:00:00Z"), "2027-03-02T00:00:00Z");
        assert_eq!(of(Some("1990-01-01T00:00:00Z"), "2027-01-20T00:00:00Z"), "2028-02-01T00:00:00Z");
    }

    #[test]
    fn an_end_is_a_time_in_the_future_when_it_is_accepted() {
        let now = at("2026-12-01T00:00:00Z");
        let of = |text: &str, former: Option<&PromiseReleaseSpec>| {
            let request = PromiseRequestSpec { expires_at: Some(text.to_owned()), ..PromiseRequestSpec::default() };
            problem(&request, former, now).map(|problem| (problem.path, problem.message))
        };
        for text in ["2027-01-31T00:00:00Z", "2027-01-31T00:00:00+02:00", "2026-12-01T00:00:00.5Z"] {
            assert_eq!(of(text, None), None, "{text}");
        }
        for (text, part) in [
            ("yesterday", "RFC 3339"),
            ("2027-01-31", "RFC 3339"),
            ("", "RFC 3339"),
            ("2027-13-01T00:00:00Z", "RFC 3339"),
            ("2026-12-01T00:00:00Z", "has passed"),
            ("2020-01-01T00:00:00Z", "in the future"),
        ] {
            let (path, message) = of(text, None).unwrap();
            assert!(path == FIELD && message.contains(part), "{text}: {message}");
        }
        let release = |text: &str| {
            let terms = ReleaseTerms { expires_at: Some(text.to_owned()), ..ReleaseTerms::default() };
            PromiseReleaseSpec { terms: Some(terms), ..PromiseReleaseSpec::default() }
        };
        let passed = "2026-11-01T00:00:00Z";
        assert_eq!(of(passed, Some(&release(passed))), None, "it was in the future once");
        assert!(of(passed, Some(&release("2026-10-01T00:00:00Z"))).is_some());
        assert_eq!(problem(&PromiseRequestSpec::default(), Some(&release(passed)), now), None);
        assert_eq!(Expiry::of(&release(passed)), Expiry::parse(passed));
        assert_eq!(Expiry::of(&PromiseReleaseSpec::default()), None);
    }
}
