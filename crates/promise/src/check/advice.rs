//! Advice for authors in the report of `opm-portal check`.

use super::spec;
use crate::api::PromiseSpec;
use crate::lint::lint;
use crate::manifest::Manifest;
use crate::wording::counted;

/// Maximum number of suggestions in a report.
const MOST: usize = 100;

/// Returns a report with the advice for the promises of valid objects: one line for each suggestion, then what was checked.
pub fn with_advice<'m>(objects: impl Iterator<Item = &'m Manifest>, checked: &str) -> String {
    let promises = objects.filter(|manifest| manifest.text_at(".kind") == "Promise");
    let found = promises.filter_map(|manifest| Some((manifest, lint(&spec::<PromiseSpec>(&manifest.object).ok()?))));
    let all: Vec<_> = found.flat_map(|(manifest, found)| found.into_iter().map(move |lint| (manifest, lint))).collect();
    let lines =
        all.iter().take(MOST).map(|(manifest, lint)| format!("{}\n", manifest.wrong(&format!(".spec{}", lint.place), &lint.sentence())));
    let lines: String = lines.collect();
    let more = if all.len() > MOST { format!("{} more suggestions aren't listed\n", all.len() - MOST) } else { String::new() };
    match all.len() {
        0 => checked.to_owned(),
        count => format!("{lines}{more}{checked}, with {}", counted(count as u64, "suggestion")),
    }
}
