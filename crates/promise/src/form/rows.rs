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

/// Says that a row of objects is there, since its fields may all be empty.
pub(super) fn there(row: &str) -> String {
    format!("{row}/~there")
}

/// Which row of the object that is being edited a row was drawn from, so that what it has no input for moves with it.
pub(super) fn from(row: &str) -> String {
    format!("{row}/~from")
}

/// The input of a list's row.
pub(super) fn item(name: &str, index: usize) -> String {
    format!("{name}/{index}")
}

/// The row of a map.
pub(super) fn entry(name: &str, index: usize) -> String {
    format!("{name}/~rows/{index}")
}

/// The numbers of the rows of a list of objects, in order.
pub(super) fn items(texts: &BTreeMap<String, String>, name: &str) -> Vec<usize> {
    numbers(texts, &format!("{name}/"))
}

/// The numbers of the rows of a map of objects, in order.
pub(super) fn entries(texts: &BTreeMap<String, String>, name: &str) -> Vec<usize> {
    numbers(texts, &format!("{name}/~rows/"))
}

/// The numbers of the rows below `prefix`, which ends in a slash, in order.
pub(super) fn numbers(texts: &BTreeMap<String, String>, prefix: &str) -> Vec<usize> {
    let found: BTreeSet<usize> = within(texts, prefix).filter_map(|(rest, _)| rest.split('/').next()?.parse().ok()).collect();
    found.into_iter().collect()
}

/// Puts rows in another order: `order` holds the old numbers in their new order, and rows that it does not name are forgotten.
/// `base` is everything before the number, with its slash.
pub(super) fn rearrange(texts: &mut BTreeMap<String, String>, base: &str, order: &[usize]) {
    let of_rows: Vec<(usize, String, String)> = within(texts, base)
        .filter_map(|(rest, text)| {
            let (number, inside) = rest.split_once('/').map_or((rest, ""), |(number, _)| (number, &rest[number.len()..]));
            Some((number.parse().ok()?, inside.to_owned(), text.clone()))
        })
        .collect();
    for (number, inside, _) in &of_rows {
        texts.remove(&format!("{base}{number}{inside}"));
    }
    for (number, inside, text) in of_rows {
        if let Some(place) = order.iter().position(|old| *old == number) {
            texts.insert(format!("{base}{place}{inside}"), text);
        }
    }
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
    let text = |index: usize, part: &str| texts.get(&format!("{prefix}{index}/{part}")).cloned().unwrap_or_default();
    numbers(texts, &prefix).into_iter().map(|index| (text(index, "~key"), text(index, "~value"))).collect()
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
