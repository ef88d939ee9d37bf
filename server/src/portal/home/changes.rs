//! Promises in use whose instances might have to be upgraded or migrated: newer versions, and promises that end.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use app::view::ChangeLine;
use promise::api::{Lifecycle, PromiseSpec};

use crate::portal::Caller;
use crate::portal::register::{Counts, Of};
use crate::portal::requests::listing::Place;

/// How many lines are shown.
const SHOWN: usize = 5;

/// Returns what ends first, then what has the most outdated instances. `counted` has the counts for each of `places`.
pub(super) fn of(caller: &Caller, places: &[Place], counted: &[Cow<'_, Counts>]) -> Vec<ChangeLine> {
    let mut used: BTreeMap<&Of, (String, usize, BTreeMap<&str, usize>)> = BTreeMap::new();
    for (place, counts) in places.iter().zip(counted) {
        for (of, counts) in counts.promises.iter().filter(|(_, counts)| counts.running() > 0) {
            let (_, all, versions) = used.entry(of).or_insert_with(|| (place.path.to_string(), 0, BTreeMap::new()));
            *all += counts.running();
            for (version, count) in &counts.versions {
                *versions.entry(version).or_default() += count;
            }
        }
    }
    let line = |(of, (workspace, all, versions)): (&Of, (String, usize, BTreeMap<&str, usize>))| {
        let promise = caller.known_promise(of.home.as_deref(), &of.name, places.iter().map(|place| &place.cluster))?;
        let spec = &promise.spec;
        let older = all - versions.get(spec.version.as_str()).copied().unwrap_or_default();
        let deprecated = deprecated(spec);
        (older > 0 || deprecated.is_some()).then(|| ChangeLine {
            workspace,
            promise: of.name.clone(),
            title: spec.presentation.display_name.clone().unwrap_or_else(|| of.name.clone()),
            icon: spec.presentation.icon.clone().unwrap_or_default(),
            newest: spec.version.clone(),
            older,
            all,
            deprecated,
        })
    };
    let mut lines: Vec<ChangeLine> = used.into_iter().filter_map(line).collect();
    lines.sort_by_key(|line| (line.deprecated.is_none(), Reverse(line.older)));
    lines.truncate(SHOWN);
    lines
}

/// Explains why a promise should no longer be used, and until when it can be.
fn deprecated(spec: &PromiseSpec) -> Option<String> {
    let said = |otherwise: &str| {
        let why = spec.deprecation.as_ref().and_then(|deprecation| deprecation.message.clone()).unwrap_or_else(|| otherwise.to_owned());
        match spec.deprecation.as_ref().and_then(|deprecation| deprecation.remove_after.as_ref()) {
            Some(day) => format!("{}; until {day}", why.trim_end_matches('.')),
            None => why,
        }
    };
    match spec.lifecycle {
        Lifecycle::Deprecated => Some(said("Deprecated")),
        Lifecycle::Retired => Some(said("No longer offered")),
        Lifecycle::Draft | Lifecycle::Published => None,
    }
}

#[cfg(test)]
mod tests {
    use promise::api::Deprecation;

    use super::*;

    #[test]
    fn what_ends_says_why_and_until_when() {
        let spec = |lifecycle, deprecation| PromiseSpec { lifecycle, deprecation, ..PromiseSpec::default() };
        let until = Deprecation { message: Some("Use buckets.".into()), remove_after: Some("2027-03-01".into()), replaced_by: None };
        assert_eq!(deprecated(&spec(Lifecycle::Deprecated, Some(until.clone()))).as_deref(), Some("Use buckets; until 2027-03-01"));
        assert_eq!(deprecated(&spec(Lifecycle::Retired, None)).as_deref(), Some("No longer offered"));
        assert_eq!(deprecated(&spec(Lifecycle::Published, Some(until))), None);
    }
}
