//! The parameters of a promise as flags: what its schema allows, in words that a command line can show.
//!
//! A field is a leaf of the schema. Objects with many fields inside of large schemas, and values without a known shape, are one field that
//! takes YAML.

use std::collections::{BTreeSet, VecDeque};

use promise::api::PromiseSpec;
use promise::path::{Path, Segment};
use promise::shape::{Shape, hint_at};
use promise::wording::label;
use serde_json::Value;

/// Maximum number of fields with a flag of their own. Objects beyond it take YAML.
const MOST_FIELDS: usize = 400;
/// Prefix of the flag of a field whose name an option of the command has.
const PREFIX: &str = "parameters.";
/// Heading of fields that forms fold away.
const ADVANCED: &str = "Advanced";
/// Heading of fields that no group of the form has.
const FIELDS: &str = "Fields";

/// A parameter of a promise that a flag sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Path of the parameter.
    pub path: Path,
    /// Name of the flag, without hyphens, such as `backup.enabled`.
    pub flag: String,
    /// The same in kebab case, if it differs.
    pub alias: Option<String>,
    /// What the flag accepts.
    pub kind: Kind,
    /// Label of the form.
    pub label: String,
    /// What it is for, in one sentence. Empty if the promise doesn't say.
    pub help: String,
    /// Value in effect if the flag isn't given.
    pub default: Option<Value>,
    /// Whether a request without it is refused.
    pub required: bool,
    /// Heading in the help.
    pub heading: String,
}

/// What a flag accepts.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// One of these.
    Choice(Vec<Choice>),
    /// True or false.
    Boolean,
    /// A whole number between bounds.
    Integer {
        /// Smallest value.
        minimum: Option<i64>,
        /// Largest value.
        maximum: Option<i64>,
    },
    /// A number.
    Number,
    /// A whole number or a text.
    IntegerOrText,
    /// A text.
    Text,
    /// Several values: the flag is repeated.
    List(Box<Self>),
    /// Values by name, as `name=value`: the flag is repeated.
    Map(Box<Self>),
    /// Anything, as YAML.
    Yaml,
    /// A secret, which is read from a file or entered.
    Secret,
}

/// A value of an enum.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The value.
    pub value: Value,
    /// Its title and what it means. Empty if the promise doesn't say.
    pub help: String,
}

impl Choice {
    /// Returns what is typed for it.
    pub fn text(&self) -> String {
        self.value.as_str().map_or_else(|| self.value.to_string(), str::to_owned)
    }
}

impl Field {
    /// Returns the flag as it is typed.
    pub fn typed(&self) -> String {
        format!("--{}", self.flag)
    }

    /// Returns the flag with what it accepts, such as `--replicas 1..7`.
    pub fn usage(&self) -> String {
        match &self.kind {
            Kind::Boolean => format!("{} [true|false]", self.typed()),
            Kind::Secret => format!("{} [@FILE]", self.typed()),
            kind => format!("{} {}", self.typed(), kind.value()),
        }
    }
}

impl Kind {
    /// Returns what stands for a value in usages.
    pub fn value(&self) -> String {
        match self {
            Self::Choice(choices) => choices.iter().map(Choice::text).collect::<Vec<_>>().join("|"),
            Self::Boolean => "true|false".to_owned(),
            Self::Integer { minimum: Some(least), maximum: Some(most) } => format!("{least}..{most}"),
            Self::Integer { .. } => "INTEGER".to_owned(),
            Self::Number => "NUMBER".to_owned(),
            Self::IntegerOrText | Self::Text => "TEXT".to_owned(),
            Self::List(item) => format!("{}…", item.value()),
            Self::Map(entry) => format!("NAME={}…", entry.value()),
            Self::Yaml => "YAML".to_owned(),
            Self::Secret => "@FILE".to_owned(),
        }
    }

    fn of(promise: &PromiseSpec, node: &Value, path: &Path) -> Self {
        let bound = |name: &str| node.get(name).and_then(Value::as_i64);
        match Shape::of(node) {
            Shape::Choice => Self::Choice(choices(promise, node, path)),
            Shape::Boolean => Self::Boolean,
            Shape::Integer => Self::Integer { minimum: bound("minimum"), maximum: bound("maximum") },
            Shape::Number => Self::Number,
            Shape::IntOrString => Self::IntegerOrText,
            Shape::Quantity | Shape::Text => Self::Text,
            Shape::List => Self::List(Box::new(Self::of(promise, &node["items"], &each(path)).scalar())),
            Shape::Map => Self::Map(Box::new(Self::of(promise, &node["additionalProperties"], &each(path)).scalar())),
            Shape::Object | Shape::Open => Self::Yaml,
        }
    }

    /// A value inside of another one: lists and maps in there are written as YAML.
    fn scalar(self) -> Self {
        if matches!(self, Self::List(_) | Self::Map(_)) { Self::Yaml } else { self }
    }
}

fn each(path: &Path) -> Path {
    Path(path.0.iter().cloned().chain([Segment::Each]).collect())
}

fn choices(promise: &PromiseSpec, node: &Value, path: &Path) -> Vec<Choice> {
    let options = hint_at(promise, path).map(|hint| &hint.options);
    let values = node["enum"].as_array().into_iter().flatten().filter(|value| !value.is_null());
    let choice = |value: &Value| {
        let mut choice = Choice { value: value.clone(), help: String::new() };
        if let Some(option) = options.and_then(|options| options.get(&choice.text())) {
            let parts = [option.title.as_deref(), option.help.as_deref()];
            choice.help = parts.into_iter().flatten().collect::<Vec<_>>().join(": ");
        }
        choice
    };
    values.map(choice).collect()
}

/// An object whose fields are still to be listed.
struct Level<'s> {
    node: &'s Value,
    path: Path,
    /// Whether every request has it.
    required: bool,
    heading: Option<String>,
}

/// Returns the fields of a promise, in the order of its form. `reserved` are the names of the options of the command.
pub fn fields(promise: &PromiseSpec, reserved: &[&str]) -> Vec<Field> {
    let Some(schema) = &promise.parameters else { return Vec::new() };
    let secrets: Vec<Path> = promise.secret_parameters.iter().filter_map(|path| Path::parse(path).ok()).collect();
    let mut found = Vec::new();
    let mut levels = VecDeque::from([Level { node: schema, path: Path::default(), required: true, heading: None }]);
    let mut pending = 0;
    while let Some(level) = levels.pop_front() {
        pending -= if level.path.0.is_empty() { 0 } else { width(level.node) };
        let required: BTreeSet<&str> = level.node["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (key, node) in level.node["properties"].as_object().into_iter().flatten() {
            let path = level.path.child(key);
            let hint = hint_at(promise, &path);
            if hint.is_some_and(|hint| hint.hidden) || !is_typable(key) {
                continue;
            }
            let advanced = hint.is_some_and(|hint| hint.advanced).then(|| ADVANCED.to_owned());
            let heading = level.heading.clone().or(advanced).or_else(|| group(promise, &path));
            let is_required = level.required && required.contains(key.as_str()) && node.get("default").is_none();
            let is_secret = secrets.contains(&path);
            let room = found.len() + pending + width(node) <= MOST_FIELDS;
            if Shape::of(node) == Shape::Object && !is_secret && room {
                pending += width(node);
                // What is in an object with a default is filled in as well.
                let inside = level.required && (required.contains(key.as_str()) || node.get("default").is_some());
                levels.push_back(Level { node, path, required: inside, heading });
                continue;
            }
            let kind = if is_secret { Kind::Secret } else { Kind::of(promise, node, &path) };
            let described = hint.and_then(|hint| hint.help.clone()).or_else(|| node["description"].as_str().map(str::to_owned));
            let unit = hint.and_then(|hint| hint.unit.clone()).map(|unit| format!(" In {unit}.")).unwrap_or_default();
            let help = first_sentence(&described.unwrap_or_default());
            let help = if help.is_empty() || unit.is_empty() { help } else { format!("{}.{unit}", help.trim_end_matches('.')) };
            found.push(Field {
                flag: String::new(),
                alias: None,
                kind,
                label: label(promise, &path),
                help,
                default: node.get("default").cloned(),
                required: is_required,
                heading: heading.unwrap_or_else(|| FIELDS.to_owned()),
                path,
            });
        }
    }
    let order = |field: &Field| promise.form.groups.iter().position(|group| group.title == field.heading).unwrap_or(usize::MAX);
    found.sort_by_key(|field| (order(field), field.heading == ADVANCED));
    name(&mut found, reserved);
    found
}

/// Number of properties of an object.
fn width(node: &Value) -> usize {
    node["properties"].as_object().map_or(0, serde_json::Map::len)
}

/// Gives each field a flag of its own.
fn name(fields: &mut Vec<Field>, reserved: &[&str]) {
    let mut taken: BTreeSet<String> = reserved.iter().map(|name| (*name).to_owned()).collect();
    for field in &mut *fields {
        let plain = field.path.to_string().trim_start_matches('.').to_owned();
        field.flag = if taken.contains(&plain) { format!("{PREFIX}{plain}") } else { plain };
        taken.insert(field.flag.clone());
    }
    // Full names come first: an alias never takes the name of a field.
    for field in &mut *fields {
        let kebab = kebab(&field.flag);
        if kebab != field.flag && taken.insert(kebab.clone()) {
            field.alias = Some(kebab);
        }
    }
    let mut seen = BTreeSet::new();
    fields.retain(|field| seen.insert(field.flag.clone()));
}

/// `retentionDays` as `retention-days`.
fn kebab(name: &str) -> String {
    let mut words = String::new();
    let mut before = '-';
    for letter in name.chars() {
        if letter.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit()) {
            words.push('-');
        }
        words.push(if letter == '_' { '-' } else { letter.to_ascii_lowercase() });
        before = letter;
    }
    words
}

/// Whether a shell passes a property's name on as it is.
fn is_typable(key: &str) -> bool {
    let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/');
    key.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_') && key.chars().all(plain) && !key.contains("..")
}

fn group(promise: &PromiseSpec, path: &Path) -> Option<String> {
    let contains = |text: &String| Path::parse(text).is_ok_and(|of| path.starts_with(&of));
    promise.form.groups.iter().find(|group| group.fields.iter().any(contains)).map(|group| group.title.clone())
}

/// Returns the first sentence of a description, without line breaks.
pub fn first_sentence(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.find(". ") {
        Some(end) => line[..=end].to_owned(),
        None => line,
    }
}

/// Returns the fields that a request needs and these parameters don't have. A field inside of an object that is missing itself is needed
/// only if the object is.
pub fn missing<'f>(fields: &'f [Field], promise: &PromiseSpec, parameters: &Value) -> Vec<&'f Field> {
    let Some(schema) = &promise.parameters else { return Vec::new() };
    let mut absent = Vec::new();
    lacking(schema, parameters, &Path::default(), &mut absent);
    fields.iter().filter(|field| absent.contains(&field.path)).collect()
}

fn lacking(node: &Value, value: &Value, at: &Path, absent: &mut Vec<Path>) {
    let required: BTreeSet<&str> = node["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (key, field) in node["properties"].as_object().into_iter().flatten() {
        let path = at.child(key);
        let given = value.get(key).filter(|given| !given.is_null());
        let is_object = Shape::of(field) == Shape::Object;
        match (given, field.get("default")) {
            (Some(given), _) if is_object => lacking(field, given, &path, absent),
            (Some(_), _) => {}
            (None, Some(default)) if is_object => lacking(field, default, &path, absent),
            (None, None) if required.contains(key.as_str()) => {
                absent.push(path.clone());
                if is_object {
                    lacking(field, &Value::Null, &path, absent);
                }
            }
            (None, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(parameters: Value, more: Value) -> PromiseSpec {
        let mut spec = json!({"version": "1.0.0", "parameters": parameters});
        for (key, value) in more.as_object().unwrap() {
            spec[key] = value.clone();
        }
        serde_json::from_value(spec).unwrap()
    }

    fn flags(promise: &PromiseSpec, reserved: &[&str]) -> Vec<String> {
        fields(promise, reserved).iter().map(Field::usage).collect()
    }

    #[test]
    fn each_kind_of_value_has_a_usage() {
        let promise = of(
            json!({"type": "object", "properties": {
                "a": {"type": "string", "enum": ["x", "y"]}, "b": {"type": "boolean"}, "c": {"type": "integer", "minimum": 1, "maximum": 7},
                "d": {"type": "number"}, "e": {"x-kubernetes-int-or-string": true}, "f": {"type": "string"},
                "g": {"type": "array", "items": {"type": "string"}}, "h": {"type": "object", "additionalProperties": {"type": "integer"}},
                "i": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "string"}}}},
                "j": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                "k": {"type": "object", "properties": {"name": {"type": "string"}, "key": {"type": "string"}}},
                "l": {"type": "object", "properties": {"m": {"type": "object", "properties": {"n": {"type": "string"}}}}},
                "o": {"type": "integer", "enum": [1, 2]},
            }}),
            json!({"secretParameters": [".k"]}),
        );
        let expected = [
            "--a x|y",
            "--b [true|false]",
            "--c 1..7",
            "--d NUMBER",
            "--e TEXT",
            "--f TEXT",
            "--g TEXT…",
            "--h NAME=INTEGER…",
            "--i YAML…",
            "--j YAML",
            "--k [@FILE]",
            "--o 1|2",
            "--l.m.n TEXT",
        ];
        assert_eq!(flags(&promise, &[]), expected);
    }

    #[test]
    fn a_name_that_an_option_has_gets_a_prefix_and_names_in_camel_case_an_alias() {
        let text = json!({"type": "string"});
        let promise = of(
            json!({"type": "object", "properties": {"name": text, "retentionDays": text, "retention-days": text, "tlsMode": text, "a b": text}}),
            json!({}),
        );
        let found = fields(&promise, &["name", "output"]);
        let names: Vec<_> = found.iter().map(|field| (field.flag.as_str(), field.alias.as_deref())).collect();
        let expected = [("parameters.name", None), ("retention-days", None), ("retentionDays", None), ("tlsMode", Some("tls-mode"))];
        assert_eq!(names, expected);
    }

    #[test]
    fn fields_are_in_the_order_of_the_form_with_its_help() {
        let promise = of(
            json!({"type": "object", "required": ["b"], "properties": {
                "a": {"type": "string", "description": "First. And more."}, "b": {"type": "integer", "description": "Second."}, "c": {"type": "string"}, "d": {"type": "string"},
            }}),
            json!({"form": {"groups": [{"title": "Size", "fields": [".b"]}, {"title": "Rest", "fields": [".a"]}],
                "fields": {".b": {"title": "Storage", "unit": "GiB"}, ".c": {"advanced": true}, ".d": {"hidden": true}}}}),
        );
        let found = fields(&promise, &[]);
        let shown: Vec<_> = found.iter().map(|f| (f.flag.as_str(), f.heading.as_str(), f.help.as_str(), f.required)).collect();
        assert_eq!(shown, [("b", "Size", "Second. In GiB.", true), ("a", "Rest", "First.", false), ("c", "Advanced", "", false)]);
        assert_eq!(found[0].label, "Storage");
    }

    #[test]
    fn what_is_missing_is_only_what_every_request_needs() {
        let schema = json!({"type": "object", "required": ["a", "b", "e"], "properties": {
            "a": {"type": "string"},
            "b": {"type": "string", "default": "x"},
            "c": {"type": "object", "required": ["d"], "properties": {"d": {"type": "string"}}},
            "e": {"type": "object", "required": ["f"], "properties": {"f": {"type": "string"}, "g": {"type": "string"}}},
            "h": {"type": "object", "default": {}, "required": ["i"], "properties": {"i": {"type": "string"}}},
        }});
        let promise = of(schema, json!({}));
        let all = fields(&promise, &[]);
        let lacks = |parameters: Value| missing(&all, &promise, &parameters).into_iter().map(Field::typed).collect::<Vec<_>>();
        assert_eq!(lacks(json!({})), ["--a", "--e.f", "--h.i"]);
        assert_eq!(lacks(json!({"a": "1", "c": {}, "e": {"f": "1"}, "h": {"i": "1"}})), ["--c.d"]);
        assert_eq!(lacks(json!({"a": null, "e": {"f": "1"}, "h": {"i": "1"}})), ["--a"]);
        assert!(all.iter().filter(|field| field.required).map(Field::typed).eq(["--a", "--e.f", "--h.i"]));
    }

    #[test]
    fn large_schemas_end_in_yaml() {
        let row = |count: usize| -> Value {
            let properties: serde_json::Map<String, Value> = (0..count).map(|at| (format!("f{at}"), json!({"type": "string"}))).collect();
            json!({"type": "object", "properties": properties})
        };
        let mut wide = row(0);
        for at in 0..100 {
            wide["properties"][format!("group{at}")] = row(50);
        }
        let found = fields(&of(wide, json!({})), &[]);
        assert_eq!(found.iter().filter(|field| field.kind == Kind::Text).count(), MOST_FIELDS);
        assert_eq!(found.iter().filter(|field| field.kind == Kind::Yaml).count(), 92);
        let mut deep = row(2);
        for _ in 0..20 {
            let inner = std::mem::replace(&mut deep, row(190));
            deep["properties"]["inner"] = inner;
        }
        let found = fields(&of(deep, json!({})), &[]);
        assert!(found.len() <= MOST_FIELDS, "{}", found.len());
        assert!(found.iter().any(|field| field.kind == Kind::Yaml && field.flag == "inner.inner"));
    }
}
