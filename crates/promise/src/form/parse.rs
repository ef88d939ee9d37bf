//! Parses posted pairs into values, typed by the schema and never guessed from the text.

use std::collections::{BTreeMap, BTreeSet};

use schema::structural::Schema;
use serde_json::{Map, Value};

use super::defaults::{Defaults, is_null_by_choice};
use super::draft::{Parsed, SecretText};
use super::field::field_id;
use super::kind::{Kind, Spot, accepts_empty, named_option, option_text, properties, scalar_text, typed, whole};
use super::misfit;
use super::operation::Operation;
use super::place::Place;
use super::press::carry_out;
use super::secrets::secret_inputs;
use super::{BASE, OPERATION, rows, visible};
use crate::alternatives::{Alternative, Alternatives, Chosen};
use crate::api::PromiseSpec;
use crate::path::Path;
use crate::policy::{Effective, same_value};
use crate::problem::Problem;
use crate::resolve;
use crate::shape::Shape;
use crate::wording::{label, lower_first};

/// Maximum length of a text in one input, in bytes.
const LONGEST: usize = 256 << 10;
/// Maximum number of unknown fields that are named.
const MAX_PROBLEMS: usize = 5;

/// Parses a post. `base` are the parameters that the form was rendered from (null for a new request): values that the form didn't show are
/// kept from it. A pressed structural button is applied. Never fails: invalid input becomes a problem of the draft, and its text is kept.
pub fn parse(pairs: &[(String, String)], promise: &PromiseSpec, effective: &Effective, base: &Value) -> Parsed {
    let mut parsed = Parsed::default();
    let secret = secret_inputs(promise);
    let mut too_long = Vec::new();
    for (name, text) in pairs {
        if name == OPERATION {
            parsed.operation = Operation::parse(text);
        } else if let Some((path, _)) = secret.iter().find(|(_, secret)| secret == name) {
            if !text.is_empty() {
                parsed.secrets.insert(path.to_string(), SecretText::new(text.clone()));
            }
        } else if is_ours(name) && text.len() > LONGEST {
            too_long.push(Problem {
                path: String::new(),
                message: format!("Shorten the text at {name}: a field can hold at most {} KiB.", LONGEST >> 10),
            });
        } else if is_ours(name) {
            parsed.draft.texts.insert(name.clone(), text.replace("\r\n", "\n").replace('\r', "\n"));
        }
    }
    let mut base = base.clone();
    if let Some(operation) = parsed.operation.clone() {
        parsed.focus = carry_out(&operation, promise, &mut parsed.draft.texts, &mut base);
    }
    if is_search(pairs) {
        parsed.focus = Some(field_id(&rows::find(BASE)));
    }
    parsed.draft.texts.retain(|name, _| !name.ends_with("/~more") && *name != rows::sought(BASE));
    let schema = if effective.schema.is_object() { &*effective.schema } else { promise.parameters.as_deref().unwrap_or(&Value::Null) };
    let structural = resolve::parsed_schema(promise, effective);
    let defaults = Defaults::of(promise, &structural, effective, schema, &base);
    let mut reader = Reader {
        promise,
        effective,
        structural: &structural,
        texts: &parsed.draft.texts,
        defaults: &defaults,
        emptied: Vec::new(),
        problems: Vec::new(),
        asides: Vec::new(),
    };
    let root = Place::root();
    let read = match whole(schema) {
        Some(node) => reader.value(&root, node, true, Some(&base).filter(|base| base.is_object())),
        None => reader.object(&root, schema, Some(&base)),
    };
    let parameters = read.unwrap_or_else(|| Value::Object(Map::new()));
    parsed.draft.problems = reader.problems;
    let asides = reader.asides;
    // Their values are parameters now.
    parsed.draft.texts.retain(|name, _| !name.ends_with("/~kept") && !name.ends_with("/~aside"));
    parsed.draft.texts.extend(asides);
    parsed.draft.problems.append(&mut too_long);
    parsed.draft.problems.append(&mut unknown(&mut parsed.draft.texts, schema));
    let is_posted = |path: &Path| {
        let name = path.pointer(BASE);
        // A group has no field of its own, but those of its values and markers.
        pairs.iter().any(|(posted, _)| posted.strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    };
    parsed.draft.parameters = visible::without_hidden((promise, &structural, effective), parameters, &base, is_posted);
    parsed
}

/// Whether the Enter key was pressed in the search for fields, which posts the form as its first button does.
pub fn is_search(pairs: &[(String, String)]) -> bool {
    let text = |wanted: &str| pairs.iter().find(|(name, _)| name == wanted).map_or("", |(_, text)| text.trim());
    let typed = text(&rows::find(BASE));
    !typed.is_empty() && typed != text(&rows::sought(BASE))
}

/// Removes texts of fields that the promise doesn't have, and reports them. A form that was open while the promise changed posts such
/// fields.
fn unknown(texts: &mut BTreeMap<String, String>, schema: &Value) -> Vec<Problem> {
    let names: Vec<String> = texts.keys().filter(|name| !is_field(name, schema)).cloned().collect();
    for name in &names {
        texts.remove(name);
    }
    let field = |name: &String| name.trim_start_matches(BASE).trim_start_matches('/').chars().take(60).collect::<String>();
    let told = names.iter().take(MAX_PROBLEMS).map(|name| Problem {
        path: String::new(),
        message: format!(
            "The field {} isn't part of this promise and was left out. Check the other fields, then submit again.",
            field(name)
        ),
    });
    told.collect()
}

/// Whether the schema can have an input with this name.
fn is_field(name: &str, schema: &Value) -> bool {
    let mut node = schema;
    for step in name.strip_prefix(BASE).unwrap_or_default().split('/').skip(1) {
        let is_open = node.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(true));
        // Markers and rows belong to the node above them.
        if is_open
            || node["additionalProperties"].is_object()
            || (step.starts_with('~') && !step.starts_with("~0") && !step.starts_with("~1"))
        {
            return true;
        }
        if node["items"].is_object() {
            return step.parse::<usize>().is_ok();
        }
        match node["properties"].get(step.replace("~1", "/").replace("~0", "~")) {
            Some(inner) => node = inner,
            None => return false,
        }
    }
    true
}

fn is_ours(name: &str) -> bool {
    name.strip_prefix(BASE).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

struct Reader<'a> {
    promise: &'a PromiseSpec,
    effective: &'a Effective,
    structural: &'a Schema,
    texts: &'a BTreeMap<String, String>,
    defaults: &'a Defaults,
    /// Fields of defaults of objects that the user cleared.
    emptied: Vec<Path>,
    problems: Vec<Problem>,
    /// Values of alternatives that aren't chosen, by the name of their input.
    asides: Vec<(String, String)>,
}

impl Reader<'_> {
    /// Parses the fields of an object. Fields that its schema doesn't have are kept. Returns `None` if it is empty.
    fn object(&mut self, place: &Place, node: &Value, base: Option<&Value>) -> Option<Value> {
        let known: BTreeSet<&str> = node["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
        let before = base.and_then(Value::as_object);
        let is_open = before.is_none() && !is_null_by_choice(node, base);
        let place = &place.with_default(self.defaults.here(place, node).filter(|_| is_open));
        let others = self.others(place, &known);
        let unknown = others.as_ref().or(before);
        let mut fields: Map<String, Value> = unknown
            .into_iter()
            .flatten()
            .filter(|(key, _)| !known.contains(key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let alternatives = Alternatives::at(self.promise, place, node).filter(Alternatives::is_exclusive);
        let chosen = alternatives.as_ref().and_then(|found| Some((found, found.posted(self.texts, &place.name)?)));
        for (place, key, property, mut required) in properties(self.promise, place, node) {
            let base = before.and_then(|before| before.get(key));
            if let Some((alternatives, chosen)) = chosen {
                if alternatives.fixes(key) {
                    let value = self.fixed(&place, property, alternatives, chosen, base);
                    fields.extend(value.map(|value| (key.to_owned(), value)));
                    continue;
                }
                if !alternatives.shows(chosen, key, true) {
                    self.set_aside(&place, property, required, base);
                    continue;
                }
                required |= alternatives.requires(chosen, key);
            }
            if let Some(value) = self.value(&place, property, required, base) {
                fields.insert(key.to_owned(), value);
            }
        }
        (!fields.is_empty()).then_some(Value::Object(fields))
    }

    /// Parses a field of an alternative that isn't chosen, so that its value is known if it is chosen again. Its problems don't count.
    fn set_aside(&mut self, place: &Place, node: &Value, required: bool, base: Option<&Value>) {
        let problems = self.problems.len();
        let value = self.value(place, node, required, base);
        self.problems.truncate(problems);
        self.asides.extend(value.map(|value| (rows::aside(&place.name), value.to_string())));
        // The default of the object around it doesn't bring it back.
        self.emptied.push(place.path.clone());
    }

    /// Returns the value that the chosen alternative gives a property. Where it applies by default, it is given only if it was before.
    fn fixed(&self, place: &Place, node: &Value, alternatives: &Alternatives, chosen: Chosen, base: Option<&Value>) -> Option<Value> {
        let Chosen::One(index) = chosen else { return base.cloned() };
        let key = place.path.last_key().unwrap_or_default();
        let fixed = |one: &Alternative| one.fixed.get(key).cloned();
        match alternatives.all.get(index).and_then(fixed) {
            Some(value) if base.is_none() && self.defaults.here(place, node) == Some(&value) => None,
            // It distinguishes other alternatives only.
            None if alternatives.all.iter().filter_map(fixed).any(|value| base == Some(&value)) => None,
            None => base.cloned(),
            value => value,
        }
    }

    fn value(&mut self, place: &Place, node: &Value, required: bool, base: Option<&Value>) -> Option<Value> {
        let (path, name) = (&place.path, place.name.clone());
        let kept = self.kept(&name).or_else(|| serde_json::from_str(self.texts.get(&rows::aside(&name))?).ok());
        let base = kept.as_ref().or(base);
        let defaulted = self.defaults.usual(place, node).is_some();
        let default = self.defaults.here(place, node).filter(|_| !is_null_by_choice(node, base)).cloned();
        let spot = Spot { promise: self.promise, effective: self.effective, place, node, required, defaulted };
        let kind = Some(spot.kind()).filter(|kind| !misfit::is_posted(kind, self.texts, &name)).unwrap_or(Kind::Yaml);
        if kind == Kind::Secret {
            return base.filter(|_| !self.texts.contains_key(&rows::clear(&name))).cloned();
        }
        let is_alone = matches!(kind, Kind::Choice { .. } | Kind::Text { .. } | Kind::Tick | Kind::Yaml);
        let entered = if is_alone { rows::entered_alone(self.texts, &name) } else { rows::entered(self.texts, &name) };
        if kind == Kind::Fixed || !entered {
            return base.cloned();
        }
        let stays_missing = required && !defaulted && self.stays_missing(&name);
        let given = default.as_ref().is_some_and(|default| !is_empty(default));
        let empty_counts = !stays_missing && (required || given || base.is_some_and(is_empty));
        // A null is shown as the default.
        let held = base.filter(|base| !base.is_null()).or(default.as_ref());
        let value = match kind {
            Kind::Choice { .. } | Kind::Search { .. } | Kind::Text { .. } => {
                let text = self.texts.get(&name).map(String::as_str).unwrap_or_default();
                match base {
                    _ if text.is_empty() && self.texts.contains_key(&rows::shown(&name)) => {
                        self.texts.contains_key(&rows::empty(&name)).then(|| Value::String(String::new()))
                    }
                    // A field that wasn't edited keeps its value: a text can't distinguish an empty value from none, or 5 from "5".
                    Some(before) if drawn_as(before) == text || option_text(before) == text => return base.cloned(),
                    _ if text.trim().is_empty() => None,
                    _ => match &kind {
                        Kind::Search { values } => Some(typed(node, &named_option(spot.hint(), node, values, text))),
                        _ => Some(typed(node, text)),
                    },
                }
            }
            // It was shown unchecked because there is no value.
            Kind::Tick if base.is_none_or(Value::is_null) && default.is_none() && !self.texts.contains_key(&name) => return null(base),
            Kind::Tick => Some(Value::Bool(self.texts.contains_key(&name))),
            Kind::List { items } => Some(self.list(&name, &items, held)).filter(|list| empty_counts || !is_empty(list)),
            Kind::Map { values } => Some(self.map(&name, path, &values, held)).filter(|map| empty_counts || !is_empty(map)),
            Kind::Items { items } => {
                let list = self.items(place, &items, held);
                Some(list).filter(|list| empty_counts || !is_empty(list))
            }
            Kind::Entries { values } => {
                let map = self.entries(place, &values, held);
                Some(map).filter(|map| empty_counts || !is_empty(map))
            }
            Kind::Group { .. } => match self.group(place, node, base) {
                Some(group) if stays_missing && is_empty(&group) => None,
                None if stays_missing => None,
                group => return group,
            },
            Kind::Yaml => self.yaml(&name, path, base),
            Kind::Secret | Kind::Fixed => None,
        };
        if stays_missing && value.is_none() {
            return (self.texts.get(&rows::missing(&name))? == "null").then_some(Value::Null);
        }
        let Some(value) = value else {
            let shown = default.as_ref().map(drawn_as).unwrap_or_default();
            if !shown.is_empty() && self.defaults.own(place, node) != default.as_ref() {
                self.emptied.push(place.path.clone());
            }
            return null(base);
        };
        let chosen = self.texts.contains_key(&rows::explicit(&name));
        let as_default = default.is_some_and(|default| same_value(&default, &value) || self.same_in_effect(place, node, &default, &value));
        let is_kept = base == Some(&value);
        // A null is shown as what applies instead.
        (chosen || !as_default || is_kept).then_some(value).or_else(|| null(base))
    }

    fn group(&mut self, place: &Place, node: &Value, base: Option<&Value>) -> Option<Value> {
        let name = place.name.clone();
        if self.texts.contains_key(&rows::absent(&name)) {
            return null(base);
        }
        let is_open = base.is_none_or(Value::is_null) && !is_null_by_choice(node, base);
        let given = self.defaults.here(place, node).filter(|given| given.is_object() && is_open).cloned();
        let first = self.emptied.len();
        let inside = self.object(place, node, base);
        if let Some(given) = given {
            let emptied = self.emptied.split_off(first);
            let is_emptied = |key: &str| emptied.contains(&place.path.child(key));
            if inside.is_none() && !given.as_object().into_iter().flatten().any(|(key, _)| is_emptied(key)) {
                return null(base);
            }
            let mut object = inside.and_then(|inside| inside.as_object().cloned()).unwrap_or_default();
            self.defaults.fill(place, node, &given, &mut object, &is_emptied);
            return Some(Value::Object(object));
        }
        let there = self.texts.contains_key(&rows::present(&name)) && !base.is_some_and(Value::is_null);
        let is_set_to_empty = self.texts.contains_key(&rows::missing(&name)) && self.texts.contains_key(&rows::empty(&name));
        let there = there || is_set_to_empty || base.is_some_and(Value::is_object);
        inside.or_else(|| there.then(|| Value::Object(Map::new()))).or_else(|| null(base))
    }

    /// Whether a required list or object isn't in the object being edited, and the user didn't choose to add an empty one.
    fn stays_missing(&self, name: &str) -> bool {
        self.texts.contains_key(&rows::missing(name)) && !self.texts.contains_key(&rows::empty(name))
    }

    /// Parses a list of scalars. A row that wasn't edited keeps its value; any other empty row is an empty text, or dropped where that isn't
    /// valid.
    fn list(&self, name: &str, items: &Value, base: Option<&Value>) -> Value {
        let mut before: Vec<&Value> = base.and_then(Value::as_array).into_iter().flatten().collect();
        let (mut list, empty_counts) = (Vec::new(), accepts_empty(items));
        for text in rows::list(self.texts, name) {
            match before.iter().position(|value| drawn_as(value) == text) {
                Some(known) => list.push(before.remove(known).clone()),
                None if text.trim().is_empty() && !empty_counts => {}
                None => list.push(typed(items, &text)),
            }
        }
        Value::Array(list)
    }

    fn map(&mut self, name: &str, path: &Path, values: &Value, base: Option<&Value>) -> Value {
        let before = base.and_then(Value::as_object);
        let mut entries = Map::new();
        let what = lower_first(&label(self.promise, path));
        for (key, text) in rows::map(self.texts, name) {
            let known = before.and_then(|before| before.get(&key));
            if key.is_empty() && known.is_none() {
                if !text.trim().is_empty() {
                    self.problem(path, format!("Enter a name for the value {text} of {what}."));
                }
                continue;
            }
            let value = known.filter(|known| drawn_as(known) == text).cloned().unwrap_or_else(|| typed(values, &text));
            if entries.insert(key.clone(), value).is_some() {
                self.problem(path, format!("Rename one of the two entries {key} of {what}: names must be unique."));
            }
        }
        Value::Object(entries)
    }

    /// Parses a list of objects. Every row counts, however little was entered.
    fn items(&mut self, place: &Place, items: &Value, base: Option<&Value>) -> Value {
        let before = base.and_then(Value::as_array);
        let mut list = Vec::new();
        for number in rows::items(self.texts, &place.name) {
            let row = place.item(list.len(), number);
            let from = self.texts.get(&rows::from(&row.name)).and_then(|text| text.parse::<usize>().ok());
            let base = from.and_then(|from| before?.get(from));
            list.push(self.row(&row, items, base));
        }
        Value::Array(list)
    }

    /// Parses a map of objects. A row without a key and without content is dropped.
    fn entries(&mut self, place: &Place, values: &Value, base: Option<&Value>) -> Value {
        let before = base.and_then(Value::as_object);
        let what = lower_first(&label(self.promise, &place.path));
        let mut map = Map::new();
        for number in rows::entries(self.texts, &place.name) {
            let row = rows::entry(&place.name, number);
            let key = self.texts.get(&format!("{row}/~key")).cloned().unwrap_or_default();
            let base = self.texts.get(&rows::from(&row)).and_then(|from| before?.get(from));
            let value = self.row(&place.entry(&key, number), values, base);
            if key.is_empty() && base.is_none() {
                if !is_empty(&value) {
                    self.problem(&place.path, format!("Enter a name for entry {} of {what}.", number + 1));
                }
            } else if map.insert(key.clone(), value).is_some() {
                self.problem(&place.path, format!("Rename one of the two entries {key} of {what}: names must be unique."));
            }
        }
        Value::Object(map)
    }

    fn row(&mut self, place: &Place, node: &Value, base: Option<&Value>) -> Value {
        let value = self.value(place, node, true, base);
        value.or_else(|| self.defaults.here(place, node).cloned()).unwrap_or_else(|| match Shape::of(node) {
            Shape::List => Value::Array(Vec::new()),
            _ => Value::Object(Map::new()),
        })
    }

    /// Returns the value of an object that was rendered without its fields.
    fn kept(&self, name: &str) -> Option<Value> {
        let value: Value = serde_json::from_str(self.texts.get(&rows::kept(name))?).ok()?;
        value.is_object().then_some(value)
    }

    /// Returns the fields that were entered as YAML because the schema doesn't name them.
    fn others(&mut self, place: &Place, known: &BTreeSet<&str>) -> Option<Map<String, Value>> {
        let text = self.texts.get(&rows::others(&place.name))?;
        if text.trim().is_empty() {
            return Some(Map::new());
        }
        let what = lower_first(&label(self.promise, &place.pattern));
        let message = match super::yaml::read(text) {
            Ok(Value::Object(fields)) => match fields.keys().find(|key| known.contains(key.as_str())) {
                None => return Some(fields),
                Some(key) => format!("Remove {key} from the other fields of {what}: it has a field of its own."),
            },
            Ok(_) => format!("Enter the other fields of {what} as names with values, such as \"name: value\"."),
            Err(error) if error.text.is_empty() => error.message,
            Err(error) => format!("Fix line {}, column {} of the other fields of {what}: it isn't valid YAML.", error.line, error.column),
        };
        self.problem(&place.path, message);
        None
    }

    /// Whether two values of a parameter are equal once their inner defaults are filled in.
    fn same_in_effect(&self, place: &Place, node: &Value, a: &Value, b: &Value) -> bool {
        if !matches!((a, b), (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_))) {
            return false;
        }
        let held = |value: &Value| {
            if place.in_row {
                let mut value = value.clone();
                Schema::parse_lenient(node).default(&mut value);
                return Some(value);
            }
            let mut parameters = Value::Object(Map::new());
            place.path.put(&mut parameters, value.clone());
            place.path.get(&resolve::in_effect(self.promise, self.structural, self.effective, &parameters)).cloned()
        };
        held(a) == held(b)
    }

    fn yaml(&mut self, name: &str, path: &Path, base: Option<&Value>) -> Option<Value> {
        let text = self.texts.get(name)?;
        if text.trim().is_empty() {
            return None;
        }
        match super::yaml::read(text) {
            Ok(value) => Some(value),
            Err(error) => {
                let what = lower_first(&label(self.promise, path));
                let place = format!("Fix line {}, column {} of {what}: it isn't valid YAML.", error.line, error.column);
                // Without a line the error concerns the whole text.
                self.problem(path, if error.text.is_empty() { error.message } else { place });
                base.cloned()
            }
        }
    }

    fn problem(&mut self, path: &Path, message: String) {
        self.problems.push(Problem { path: resolve::shown(path), message });
    }
}

/// Returns the text that a value was rendered as, with the line ends that browsers post.
fn drawn_as(value: &Value) -> String {
    scalar_text(value).replace("\r\n", "\n").replace('\r', "\n")
}

/// Keeps a null from before: it can't be distinguished from an empty input.
fn null(base: Option<&Value>) -> Option<Value> {
    base.filter(|base| base.is_null()).cloned()
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty)
}
