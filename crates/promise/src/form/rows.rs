//! Input names inside lists, maps and objects, and the texts of their rows.

use std::collections::{BTreeMap, BTreeSet};

/// Marks a list, map or checkbox as rendered, since an empty one posts nothing.
pub(super) fn shown(name: &str) -> String {
    format!("{name}/~shown")
}

/// Marks a value as explicitly set before, so that it is kept even if it equals the default.
pub(super) fn explicit(name: &str) -> String {
    format!("{name}/~set")
}

/// Name of the checkbox that sets a field to an empty value.
pub(super) fn empty(name: &str) -> String {
    format!("{name}/~empty")
}

/// Marks an object that is unchanged since the form was opened, and whose fields aren't rendered.
pub(super) fn stored(name: &str) -> String {
    format!("{name}/~stored")
}

/// Marks a required list or object that isn't in the object being edited. It is added only when the user enters it. The value is `null` if
/// the object has null there.
pub(super) fn missing(name: &str) -> String {
    format!("{name}/~missing")
}

/// Marks an object as present, since all its fields might be empty.
pub(super) fn present(name: &str) -> String {
    format!("{name}/~present")
}

/// Marks an optional object as rendered without being present.
pub(super) fn absent(name: &str) -> String {
    format!("{name}/~absent")
}

/// Marks a field that is rendered because somebody asked for it.
pub(super) fn opened(name: &str) -> String {
    format!("{name}/~open")
}

/// Value of an object that is rendered without its fields, as JSON.
pub(super) fn kept(name: &str) -> String {
    format!("{name}/~kept")
}

/// Name of the select that names a field to add to an object.
pub(super) fn more(name: &str) -> String {
    format!("{name}/~more")
}

/// Name of the input with the text to search fields for.
pub(super) fn find(base: &str) -> String {
    format!("{base}/~find")
}

/// Name of the input with the text that was searched for.
pub(super) fn sought(base: &str) -> String {
    format!("{base}/~sought")
}

/// Fields of an object that its schema doesn't name, as YAML.
pub(super) fn others(name: &str) -> String {
    format!("{name}/~others")
}

/// Name of the checkbox that removes a stored secret.
pub(super) fn clear(name: &str) -> String {
    format!("{name}/~clear")
}

/// Name of the choice between the alternatives of an object.
pub(super) fn choice(name: &str) -> String {
    format!("{name}/~choice")
}

/// Value of a field of an alternative that isn't chosen, as JSON.
pub(super) fn aside(name: &str) -> String {
    format!("{name}/~aside")
}

/// Marks a row of objects as present, since all its fields might be empty.
pub(super) fn there(row: &str) -> String {
    format!("{row}/~there")
}

/// Names the row of the object being edited that a row was rendered from, so that values without an input move with it.
pub(super) fn from(row: &str) -> String {
    format!("{row}/~from")
}

/// Returns the input name of a list's row.
pub(super) fn item(name: &str, index: usize) -> String {
    format!("{name}/{index}")
}

/// Returns the name of a map's row.
pub(super) fn entry(name: &str, index: usize) -> String {
    format!("{name}/~rows/{index}")
}

/// Returns the row numbers of a list of objects, in order.
pub(super) fn items(texts: &BTreeMap<String, String>, name: &str) -> Vec<usize> {
    numbers(texts, &format!("{name}/"))
}

/// Returns the row numbers of a map of objects, in order.
pub(super) fn entries(texts: &BTreeMap<String, String>, name: &str) -> Vec<usize> {
    numbers(texts, &format!("{name}/~rows/"))
}

/// Returns the row numbers below `prefix`, which ends in a slash, in order.
pub(super) fn numbers(texts: &BTreeMap<String, String>, prefix: &str) -> Vec<usize> {
    let found: BTreeSet<usize> = within(texts, prefix).filter_map(|(rest, _)| rest.split('/').next()?.parse().ok()).collect();
    found.into_iter().collect()
}

/// Reorders rows. `order` contains the old numbers in their new order; rows that it doesn't contain are removed. `base` is everything
/// before the number, including its slash.
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

/// Returns the texts of the rows of a list, in order. Numbers in names can have gaps.
pub(super) fn list(texts: &BTreeMap<String, String>, name: &str) -> Vec<String> {
    let prefix = format!("{name}/");
    let mut rows: Vec<(usize, &String)> = within(texts, &prefix).filter_map(|(rest, text)| Some((rest.parse().ok()?, text))).collect();
    rows.sort_by_key(|(index, _)| *index);
    rows.into_iter().map(|(_, text)| text.clone()).collect()
}

/// Returns the keys and values of the rows of a map, in order.
pub(super) fn map(texts: &BTreeMap<String, String>, name: &str) -> Vec<(String, String)> {
    let prefix = format!("{name}/~rows/");
    let text = |index: usize, part: &str| texts.get(&format!("{prefix}{index}/{part}")).cloned().unwrap_or_default();
    numbers(texts, &prefix).into_iter().map(|index| (text(index, "~key"), text(index, "~value"))).collect()
}

/// Removes everything entered at and below a name.
pub(super) fn remove_below(texts: &mut BTreeMap<String, String>, name: &str) {
    let prefix = format!("{name}/");
    texts.retain(|known, _| known != name && !known.starts_with(&prefix));
}

/// Returns everything entered at and below a name.
pub(super) fn below<'t>(texts: &'t BTreeMap<String, String>, name: &str) -> Vec<(&'t String, &'t String)> {
    let prefix = format!("{name}/");
    let inside = texts.range(prefix.clone()..).take_while(|(known, _)| known.starts_with(&prefix));
    texts.get_key_value(name).into_iter().chain(inside).collect()
}

/// Whether an input at or below a name was posted, besides the marks that it was asked for or isn't chosen.
pub(super) fn entered(texts: &BTreeMap<String, String>, name: &str) -> bool {
    texts.contains_key(name) || within(texts, &format!("{name}/")).any(|(rest, _)| rest != "~open" && rest != "~aside")
}

/// Whether the input of a value that has no fields was posted, or one of its marks.
pub(super) fn entered_alone(texts: &BTreeMap<String, String>, name: &str) -> bool {
    let is_mark = |rest: &str| rest.starts_with('~') && rest != "~open" && !["~0", "~1"].iter().any(|lead| rest.starts_with(lead));
    texts.contains_key(name) || within(texts, &format!("{name}/")).any(|(rest, _)| is_mark(rest))
}

/// Whether the fields of an object were rendered, or asked for.
pub(super) fn is_open(texts: &BTreeMap<String, String>, name: &str) -> bool {
    // Names of fields never begin with a tilde that isn't escaped.
    let is_field = |rest: &str| !rest.starts_with('~') || ["~0", "~1", "~others", "~choice"].iter().any(|lead| rest.starts_with(lead));
    within(texts, &format!("{name}/")).any(|(rest, _)| rest == "~open" || is_field(rest))
}

/// Whether anything was posted at or below a name.
pub(super) fn any_below(texts: &BTreeMap<String, String>, name: &str) -> bool {
    texts.contains_key(name) || within(texts, &format!("{name}/")).next().is_some()
}

fn within<'t>(texts: &'t BTreeMap<String, String>, prefix: &'t str) -> impl Iterator<Item = (&'t str, &'t String)> {
    texts.range(prefix.to_owned()..).map_while(move |(name, text)| name.strip_prefix(prefix).map(|rest| (rest, text)))
}
