//! Texts of a field: hint, help, constraint, policy notes.

use std::borrow::Cow;

use serde_json::Value;

use super::field::ByLine;
use super::place::Place;
use crate::api::{Constrain, Enforcement, FieldHint, PromiseSpec};
use crate::path::{Path, Segment};
use crate::policy::{Bounds, Effective, sentence};
use crate::shape::{Shape, form_in_words, node_at, value_of};
use crate::wording::{lower_first, number, one_of, upper_first, value};

/// Returns the hint under the label and the longer text: the promise's own help, or else the first sentence of the schema's description.
pub(super) fn hint_and_help(pattern: &Path, hint: Option<&FieldHint>, node: &Value) -> (Option<String>, Option<String>) {
    let description = node.get("description").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    if let Some(help) = hint.and_then(|hint| hint.help.clone()) {
        // A short description repeats the help; a long one is worth showing.
        return (Some(plain(&help)), description.filter(|text| text.len() > 160).map(str::to_owned));
    }
    let Some(description) = description else { return (None, None) };
    let (first, rest) = first_sentence(description);
    let first = match pattern.0.last() {
        Some(Segment::Key(key)) => without_name(first, key),
        _ => first.to_owned(),
    };
    (Some(plain(&first)), Some(rest.to_owned()).filter(|rest| !rest.is_empty()))
}

/// Returns the unit after the input: the promise's own, or else the sign of a percentage that is a number.
pub(super) fn unit(hint: Option<&FieldHint>, node: &Value) -> Option<String> {
    let hint = hint?;
    let is_number = matches!(Shape::of(node), Shape::Integer | Shape::Number);
    hint.unit.clone().or_else(|| (is_number && hint.widget.as_deref() == Some("percentage")).then(|| "%".to_owned()))
}

/// Removes the name of the property from the start of a sentence, which descriptions of Go types begin with: "replicas is the number of
/// copies" becomes "The number of copies".
fn without_name(sentence: &str, key: &str) -> String {
    let (first, rest) = sentence.split_once(' ').unwrap_or((sentence, ""));
    if !first.trim_matches('`').eq_ignore_ascii_case(key) || rest.is_empty() {
        return sentence.to_owned();
    }
    let of_name = |lead: &str| rest.strip_prefix(lead).filter(|rest| ["a ", "an ", "the "].iter().any(|article| rest.starts_with(article)));
    // What is left has to be a sentence without a subject: "specifies how", not "to use".
    let verb = rest.split(' ').next().unwrap_or_default();
    match of_name("is ").or_else(|| of_name("are ")) {
        Some(noun) => upper_first(noun),
        None if verb.ends_with('s') && !["is", "as", "was", "has", "this"].contains(&verb) || verb == "can" => upper_first(rest),
        None => sentence.to_owned(),
    }
}

/// Returns a sentence without Markdown: a hint is short, and has no links.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(['`', '[', '*']) {
        let (before, at) = rest.split_at(start);
        out.push_str(before);
        let link = at.strip_prefix('[').and_then(|inside| inside.split_once("](")).and_then(|(label, target)| {
            let (_, after) = target.split_once(')')?;
            (!label.contains(['[', ']'])).then_some((label, after))
        });
        let code = at.strip_prefix('`').and_then(|inside| inside.split_once('`'));
        // What is in code is meant literally, such as `:**`.
        let (shown, after) = match link.or(code) {
            Some(shown) => shown,
            None if at.starts_with("**") => ("", &at[2..]),
            None if at.starts_with('`') => ("", &at[1..]),
            None => at.split_at(1),
        };
        out.push_str(shown);
        rest = after;
    }
    out.push_str(rest);
    out
}

fn first_sentence(text: &str) -> (&str, &str) {
    let paragraph = text.find("\n\n").unwrap_or(text.len());
    let text_of = &text[..paragraph];
    let ends = [". ", ".\n"].into_iter().flat_map(|end| text_of.match_indices(end)).map(|(at, _)| at);
    let is_abbreviation = |at: &usize| ["i.e", "e.g", "etc"].iter().any(|short| text_of[..*at].ends_with(short));
    let stop = ends.filter(|at| !is_abbreviation(at)).min().map_or(paragraph, |at| at + 1);
    // Addresses of documentation are for those who want to know more.
    let stop = text_of.find(" More info: ").filter(|at| *at > 0 && *at < stop).unwrap_or(stop);
    (text[..stop].trim(), text[stop..].trim())
}

/// Returns the constraint in words, or `None` if the control itself shows it.
pub(crate) fn constraint(node: &Value, hint: Option<&FieldHint>) -> Option<String> {
    let bounds = Bounds::of_node(node);
    let mut parts: Vec<String> = Vec::new();
    match Shape::of(node) {
        Shape::Choice | Shape::Boolean | Shape::Object | Shape::Open => return None,
        Shape::Integer | Shape::Number => {
            parts.extend(sentence::span(&bounds).map(|text| upper_first(&text)));
            let step = node.get("multipleOf").and_then(Value::as_f64).filter(|step| *step != 1.0);
            parts.extend(step.map(|step| format!("A multiple of {}", number(step))));
        }
        Shape::Text | Shape::Quantity | Shape::IntOrString => {
            parts.extend(sentence::span(&bounds).map(|text| upper_first(&text)));
            parts.extend(form_in_words(node, hint).map(Cow::into_owned));
            let low = bounds.min_length.filter(|low| *low > 1);
            // A limit that no one reaches by typing isn't worth showing.
            let high = bounds.max_length.filter(|high| *high <= 100);
            parts.extend(sentence::counted_range(low, high, "character").map(|text| upper_first(&text)));
        }
        Shape::List => {
            parts.extend(sentence::counted_range(bounds.min_items.filter(|low| *low > 0), bounds.max_items, "entry").map(plural))
        }
        Shape::Map => {
            let limit = |name: &str| node.get(name).and_then(Value::as_u64);
            parts.extend(
                sentence::counted_range(limit("minProperties").filter(|low| *low > 0), limit("maxProperties"), "entry").map(plural),
            );
        }
    }
    (!parts.is_empty()).then(|| parts.join(". "))
}

/// Maximum number of values that the constraint of rows names.
const MOST_VALUES: usize = 8;

/// Returns the constraint of a list or map of scalars in words, with that of its rows: rows have no texts of their own. `entries` are the
/// constraints of single entries. If `offers`, the rows offer the allowed values as choices.
pub(super) fn constraint_of_rows(
    (node, rows): (&Value, &Value),
    hint: Option<&FieldHint>,
    offers: bool,
    entries: Vec<(String, &Constrain)>,
) -> Option<String> {
    let mut parts: Vec<String> = constraint(node, None).into_iter().collect();
    let values = Bounds::of_node(rows).values.filter(|values| !offers && values.len() <= MOST_VALUES);
    let each = match values {
        Some(values) => Some(one_of(&values.iter().map(value).collect::<Vec<_>>())),
        None => constraint(rows, hint).map(|text| lower_first(&text)),
    };
    parts.extend(each.map(|each| format!("Each entry: {each}")));
    parts.extend(entries.into_iter().map(|(name, constrain)| format!("{name}: {}", sentence::bounds(constrain))));
    (!parts.is_empty()).then(|| parts.join(". "))
}

fn plural(text: String) -> String {
    upper_first(&text.replace("entrys", "entries"))
}

/// Checks whether a constraint allows less than the promise itself does.
fn narrows(original: &Value, by: &Constrain) -> bool {
    let bounds = Bounds::of_node(original);
    let mut after = bounds.clone();
    after.narrow(by);
    let own_pattern = original.get("pattern").and_then(Value::as_str);
    after != bounds || by.pattern.as_deref().is_some_and(|pattern| own_pattern != Some(pattern))
}

/// Returns what a constraint narrowed a parameter from: `Narrowed from 1–7`. `label` returns a value as the control shows it.
fn narrowed_from(original: &Value, label: impl Fn(&Value) -> String) -> String {
    let bounds = Bounds::of_node(original);
    match (&bounds.values, bounds.minimum, bounds.maximum) {
        (Some(values), _, _) if values.len() <= 6 => format!("Narrowed from {}", one_of(&values.iter().map(label).collect::<Vec<_>>())),
        (None, Some(low), Some(high)) => format!("Narrowed from {}–{}", number(low), number(high)),
        (None, Some(low), None) => format!("Narrowed from at least {}", number(low)),
        (None, None, Some(high)) => format!("Narrowed from at most {}", number(high)),
        _ => "Narrowed".to_owned(),
    }
}

/// Returns what policies did to a field without setting it. `own` is the promise's own schema. If `with_rows`, also what they did to rows
/// of the field.
pub(super) fn notes(promise: &PromiseSpec, effective: &Effective, own: &Value, place: &Place, with_rows: bool) -> Vec<ByLine> {
    let is_here = |path: &Path| *path == place.path || *path == place.pattern;
    let is_row = |path: &Path| path.0.split_last().is_some_and(|(_, lead)| lead == place.path.0 || lead == place.pattern.0);
    let at = |path: &Path| is_here(path) || (with_rows && is_row(path));
    let narrowed = effective.constraints.iter().filter(|ruling| at(&ruling.path)).filter_map(|ruling| {
        let original = node_at(own, &ruling.path).unwrap_or(&Value::Null);
        let did = match ruling.from.enforcement {
            // Without a difference there would be nothing to find between the two.
            Enforcement::Block if !narrows(original, &ruling.effect) => return None,
            Enforcement::Block => narrowed_from(original, |value| value_of(promise, &ruling.path, value)),
            Enforcement::Warn | Enforcement::Audit => "Checked".to_owned(),
        };
        Some(ByLine::of(did, &ruling.from))
    });
    let defaulted = effective.defaults.iter().filter(|ruling| is_here(&ruling.path)).map(|ruling| ByLine::of("Default set", &ruling.from));
    let mut lines: Vec<ByLine> = narrowed.chain(defaulted).collect();
    // Several rules of one policy that narrow a field give the same note.
    lines.dedup_by(|next, line| (&next.did, &next.policy, &next.workspace) == (&line.did, &line.policy, &line.workspace));
    lines
}

#[cfg(test)]
mod tests {
    use super::{constraint, hint_and_help, narrowed_from, narrows};
    use crate::api::Constrain;
    use crate::path::Path;
    use crate::wording;
    use serde_json::json;

    #[test]
    fn descriptions_give_a_short_hint() {
        let node = json!({"description": "How many copies run. Each is in another zone.\n\nMore text."});
        let path = Path::default().child("replicas");
        let (hint, help) = hint_and_help(&path, None, &node);
        assert_eq!((hint.as_deref(), help.as_deref()), (Some("How many copies run."), Some("Each is in another zone.\n\nMore text.")));
        for (description, hint) in [
            ("replicas is the number of copies.", "The number of copies."),
            ("Replicas specifies how many copies run", "Specifies how many copies run"),
            ("replicas can be used to scale", "Can be used to scale"),
            ("Replicas of the program", "Replicas of the program"),
            ("Replicas is ignored", "Replicas is ignored"),
            ("Replicas", "Replicas"),
            ("`replicas` allows more copies", "Allows more copies"),
            ("How many `Pods` run, **at most** [see](https://example.org).", "How many Pods run, at most see."),
            ("A glob such as *.org [optional].", "A glob such as *.org [optional]."),
            ("A path with `:**` for **everything** below.", "A path with :** for everything below."),
            ("One ` is not code.", "One  is not code."),
            ("Copies (i.e. replicas). More.", "Copies (i.e. replicas)."),
            ("How many run.\nOr more.", "How many run."),
            ("How many run. More info: https://example.org", "How many run."),
            ("How many run, see\nMore info: there", "How many run, see\nMore info: there"),
        ] {
            assert_eq!(hint_and_help(&path, None, &json!({"description": description})).0.as_deref(), Some(hint));
        }
    }

    #[test]
    fn constraints_read_as_people_say_them() {
        for (node, words) in [
            (json!({"type": "integer", "minimum": 2, "maximum": 5}), Some("2 to 5")),
            (json!({"type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 1}), Some("Above 0 and at most 1")),
            (json!({"type": "integer", "minimum": 1, "multipleOf": 2}), Some("At least 1. A multiple of 2")),
            (json!({"type": "array", "items": {}, "maxItems": 10}), Some("At most 10 entries")),
            (
                json!({"type": "string", "maxLength": 63, "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"}),
                Some("Use lower-case letters, digits and hyphens. At most 63 characters"),
            ),
            (json!({"type": "string", "pattern": "^(?:x|y)+$"}), None),
            (json!({"type": "string", "enum": ["a"]}), None),
        ] {
            assert_eq!(constraint(&node, None).as_deref(), words);
        }
        assert_eq!(narrowed_from(&json!({"minimum": 1, "maximum": 7}), wording::value), "Narrowed from 1–7");
    }

    #[test]
    fn only_what_allows_less_narrows() {
        let (range, choice) = (json!({"type": "integer", "minimum": 1, "maximum": 5}), json!({"enum": ["a", "b"]}));
        let text = json!({"type": "string", "pattern": "^[a-z]+$", "maxLength": 20});
        for (original, constrain, expected) in [
            (&range, json!({"maximum": 5}), false),
            (&range, json!({"minimum": 0.5, "maximum": 7}), false),
            (&range, json!({"maximum": 4}), true),
            (&range, json!({"enum": [1, 2]}), true),
            (&choice, json!({"enum": ["b", "a", "c"]}), false),
            (&choice, json!({"enum": ["a"]}), true),
            (&text, json!({"pattern": "^[a-z]+$", "maxLength": 30}), false),
            (&text, json!({"pattern": "^a"}), true),
        ] {
            let mut spec = constrain.clone();
            spec["parameter"] = json!(".field");
            let by: Constrain = serde_json::from_value(spec).unwrap();
            assert_eq!(narrows(original, &by), expected, "{constrain}");
        }
    }
}
