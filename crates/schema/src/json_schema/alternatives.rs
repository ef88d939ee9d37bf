//! Alternatives of JSON Schema (`oneOf`, `anyOf`): values with titles, types, and variants of an object.

use serde_json::{Map, Value, json};

use super::combine::{both, either, is_open, kind, of_two};
use super::translate::{Node, Translator, given, text_of};
use super::{ENUM_TITLES, VARIANTS};

/// Keywords of an alternative that only says which properties are there.
const PRESENCE: [&str; 4] = ["required", "not", "title", "description"];

/// Adds alternatives to a schema. With `is_exclusive` exactly one of them is valid, else at least one.
pub(super) fn alternatives<'a>(translator: &mut Translator<'a>, node: Node, branches: &[&'a Value], is_exclusive: bool) -> Node {
    if branches.iter().all(|branch| is_presence(branch)) {
        return with_presence(node, branches, is_exclusive);
    }
    let (mut node, mut known) = (node, Vec::new());
    for branch in branches {
        let followed = translator.followed(branch);
        if is_null(followed) {
            node.insert("nullable".to_owned(), Value::Bool(true));
        } else if let Some(structure) = translator.node(branch) {
            known.push((Branch { title: title(branch, followed), schema: followed }, structure));
        }
    }
    let is_nullable = node.contains_key("nullable") || known.iter().any(|(_, structure)| structure.contains_key("nullable"));
    let titles = titles(&known);
    let is_object = |structure: &Node| kind(structure) == Some("object") && structure.contains_key("properties");
    let can_vary = is_open(&node) || kind(&node) == Some("object");
    if known.len() > 1 && can_vary && known.iter().all(|(_, structure)| is_object(structure)) {
        node = variants(node, known, is_exclusive);
    } else if let Some(joined) = known.into_iter().map(|(_, structure)| structure).reduce(either) {
        node = both(node, joined);
    }
    if let Some(titles) = titles {
        node.insert(ENUM_TITLES.to_owned(), titles);
    }
    if is_nullable {
        node.insert("nullable".to_owned(), Value::Bool(true));
    }
    node
}

/// An alternative as it is written.
struct Branch<'a> {
    /// Its title, or else the name by which it is referred to.
    title: Option<String>,
    schema: &'a Value,
}

fn is_presence(branch: &Value) -> bool {
    let only_required = |node: &Map<String, Value>| node.len() == 1 && node.contains_key("required");
    branch.as_object().is_some_and(|node| {
        (node.contains_key("required") || node.contains_key("not"))
            && node.keys().all(|keyword| PRESENCE.contains(&keyword.as_str()))
            && node.get("not").is_none_or(|not| not.as_object().is_some_and(only_required))
    })
}

/// Structural schemas have such alternatives, too, without texts.
fn with_presence(node: Node, branches: &[&Value], is_exclusive: bool) -> Node {
    let bare = |branch: &&Value| {
        let keywords = branch.as_object().into_iter().flatten().filter(|(keyword, _)| ["required", "not"].contains(&keyword.as_str()));
        Value::Object(keywords.map(|(keyword, value)| (keyword.clone(), value.clone())).collect())
    };
    let mut node = node;
    if is_open(&node) || kind(&node) == Some("object") {
        node.entry("type").or_insert_with(|| json!("object"));
        let keyword = if is_exclusive { "oneOf" } else { "anyOf" };
        node.insert(keyword.to_owned(), branches.iter().map(bare).collect());
    }
    node
}

fn is_null(schema: &Value) -> bool {
    schema["type"] == "null" || schema.as_object().is_some_and(|node| node.contains_key("const") && node["const"].is_null())
}

fn title(branch: &Value, followed: &Value) -> Option<String> {
    let text = |schema: &Value| schema.get("title").and_then(Value::as_str).map(str::to_owned);
    let name = || branch.get("$ref")?.as_str()?.rsplit('/').next().filter(|name| !name.starts_with('#')).map(str::to_owned);
    text(branch).or_else(|| text(followed)).or_else(name)
}

/// Returns the titles of alternatives that are one value each.
fn titles(known: &[(Branch<'_>, Node)]) -> Option<Value> {
    let titled = known.iter().filter_map(|(branch, _)| {
        let mut values = given(branch.schema.as_object()?);
        let value = values.next().filter(|value| !value.is_object() && !value.is_array())?;
        values.next().is_none().then_some(())?;
        let title = branch.schema.get("title").or_else(|| branch.schema.get("description"))?.as_str()?;
        Some((text_of(value), json!(title)))
    });
    let titles: Map<String, Value> = titled.collect();
    (!titles.is_empty()).then_some(Value::Object(titles))
}

/// Merges objects of which one applies. Which properties belong to which is kept beside them, if exactly one applies: because the schema
/// says so, or because a property has another constant in each.
fn variants(node: Node, known: Vec<(Branch<'_>, Node)>, is_exclusive: bool) -> Node {
    let constants: Vec<Node> = known.iter().map(|(_, structure)| constants(structure)).collect();
    let discriminators: Vec<String> =
        constants.first().into_iter().flat_map(Map::keys).filter(|name| differs(name, &constants)).cloned().collect();
    let listed: Vec<Vec<String>> = known.iter().map(|(_, structure)| named(structure)).collect();
    let is_shared = |name: &String| listed.iter().all(|names| names.contains(name));
    let mut described = Vec::new();
    for (((branch, structure), names), constants) in known.iter().zip(&listed).zip(&constants) {
        let fixed: Node = discriminators.iter().filter_map(|name| Some((name.clone(), constants.get(name)?.clone()))).collect();
        let own: Vec<&String> = names.iter().filter(|name| !is_shared(name) && !fixed.contains_key(*name)).collect();
        let title = branch.title.clone().or_else(|| fixed.values().next().map(text_of));
        let required = structure.get("required").cloned().unwrap_or_else(|| json!([]));
        let mut variant = json!({"properties": own, "required": required, "fixed": fixed});
        if let Some(title) = title {
            variant["title"] = json!(title);
        }
        described.push(variant);
    }
    let says_which = described.iter().any(|variant| variant["properties"] != json!([])) || !discriminators.is_empty();
    let merged = known.into_iter().map(|(_, structure)| structure).reduce(either).unwrap_or_default();
    let mut node = both(node, merged);
    if (is_exclusive || !discriminators.is_empty()) && says_which && !node.contains_key(VARIANTS) {
        node.insert(VARIANTS.to_owned(), Value::Array(described));
    }
    // A discriminator takes the constants of all variants.
    for name in discriminators {
        let all: Vec<Value> = constants.iter().filter_map(|one| one.get(&name)).cloned().collect();
        let known = node.get("properties").and_then(|properties| properties.get(&name)).cloned();
        let values = json!({"enum": all});
        if let Some(properties) = node.get_mut("properties") {
            properties[&name] = of_two(known, values, both);
        }
    }
    node
}

/// Returns the properties that have a single value.
fn constants(structure: &Node) -> Node {
    let properties = structure.get("properties").and_then(Value::as_object).into_iter().flatten();
    let single = properties.filter_map(|(name, property)| match property["enum"].as_array()?.as_slice() {
        [only] => Some((name.clone(), only.clone())),
        _ => None,
    });
    single.collect()
}

/// Whether a property has another constant in each variant.
fn differs(name: &str, constants: &[Node]) -> bool {
    let values: Vec<&Value> = constants.iter().filter_map(|one| one.get(name)).collect();
    values.len() == constants.len() && values.iter().enumerate().all(|(index, value)| !values[..index].contains(value))
}

/// Returns the properties that a variant declares or requires.
fn named(structure: &Node) -> Vec<String> {
    let declared = structure.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys).cloned();
    let mut names: Vec<String> = declared.collect();
    let required = structure.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    names.extend(required.filter(|name| !names.iter().any(|known| known == name)).map(str::to_owned).collect::<Vec<_>>());
    names
}
