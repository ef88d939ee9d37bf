//! Names of inputs inside lists, maps and objects, and the texts of their rows.

use std::collections::{BTreeMap, BTreeSet};

/// Says that a list, map or tick was drawn, since an empty one posts nothing.
pub(super) fn shown(name: &str) -> String {
    format!("{name}/~shown")
}

/// Says that a value was there explicitly before, so that it is kept even where it equals the default.
pub(super) fn explicit(name: &str) -> String {
    format!("{name}/~set")
}

/// Says that an optional object is there.
pub(super) fn present(name: &str) -> String {
    format!("{name}/~present")
}

/// Says that an optional object was drawn as not there.
pub(super) fn absent(name: &str) -> String {
    format!("{name}/~absent")
}

/// The tick that removes a kept secret.
pub(super) fn clear(name: &str) -> String {
    format!("{name}/~clear")
}

/// The input of a list's row.
pub(super) fn item(name: &str, index: usize) -> String {
    format!("{name}/{index}")
}

/// The row of a map.
pub(super) fn entry(name: &str, index: usize) -> String {
    format!("{name}/~rows/{index}")
}

/// The texts of the rows of a list, in order; numbers in names may have gaps.
pub(super) fn list(texts: &BTreeMap<String, String>, name: &str) -> Vec<String> {
    let prefix = format!("{name}/");
    let mut rows: Vec<(usize, &String)> = within(texts, &prefix).filter_map(|(rest, text)| Some((rest.parse().ok()?, text))).collect();
    rows.sort_by_key(|(index, _)| *index);
    rows.into_iter().map(|(_, text)| text.clone()).collect()
}

/// The names and values of the rows of a map, in order.
pub(super) fn map(texts: &BTreeMap<String, String>, name: &str) -> Vec<(String, String)> {
    let prefix = format!("{name}/~rows/");
    let numbers: BTreeSet<usize> =
        within(texts, &prefix).filter_map(|(rest, _)| rest.split_once('/').and_then(|(index, _)| index.parse().ok())).collect();
    let text = |index: usize, part: &str| texts.get(&format!("{prefix}{index}/{part}")).cloned().unwrap_or_default();
    numbers.into_iter().map(|index| (text(index, "~key"), text(index, "~value"))).collect()
}

/// Writes the rows of a list back, numbered without gaps.
pub(super) fn put_list(texts: &mut BTreeMap<String, String>, name: &str, rows: Vec<String>) {
    let prefix = format!("{name}/");
    let old: Vec<String> =
        within(texts, &prefix).filter(|(rest, _)| rest.parse::<usize>().is_ok()).map(|(rest, _)| format!("{prefix}{rest}")).collect();
    old.iter().for_each(|name| drop(texts.remove(name)));
    for (index, text) in rows.into_iter().enumerate() {
        texts.insert(item(name, index), text);
    }
}

/// Writes the rows of a map back, numbered without gaps.
pub(super) fn put_map(texts: &mut BTreeMap<String, String>, name: &str, rows: Vec<(String, String)>) {
    remove_below(texts, &format!("{name}/~rows"));
    for (index, (key, value)) in rows.into_iter().enumerate() {
        let row = entry(name, index);
        texts.insert(format!("{row}/~key"), key);
        texts.insert(format!("{row}/~value"), value);
    }
}

/// Forgets everything typed at and below a name.
pub(super) fn remove_below(texts: &mut BTreeMap<String, String>, name: &str) {
    let prefix = format!("{name}/");
    texts.retain(|known, _| known != name && !known.starts_with(&prefix));
}

/// Whether anything was posted at or below a name.
pub(super) fn any_below(texts: &BTreeMap<String, String>, name: &str) -> bool {
    texts.contains_key(name) || within(texts, &format!("{name}/")).next().is_some()
}

fn within<'t>(texts: &'t BTreeMap<String, String>, prefix: &'t str) -> impl Iterator<Item = (&'t str, &'t String)> {
    texts.range(prefix.to_owned()..).map_while(move |(name, text)| name.strip_prefix(prefix).map(|rest| (rest, text)))
}
