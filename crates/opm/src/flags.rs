//! Flags of fields for clap, and the values that were typed.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _, ValueParser};
use clap::{Arg, ArgAction, ArgMatches};
use promise::path::Path;
use serde_json::{Map, Value, json};

use crate::fields::{Choice, Field, Kind};

/// What is typed for true and false, besides these words themselves.
const TRUE: [&str; 3] = ["yes", "on", "1"];
const FALSE: [&str; 3] = ["no", "off", "0"];

/// A value that was typed for a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Typed {
    /// The value itself.
    Value(Value),
    /// A text: `@FILE` and `-` name where it is.
    Text(String),
    /// A secret, and where it is: `@FILE`, `-`, or empty to enter it.
    Secret(String),
}

/// Returns the flag of a field.
pub fn flag(field: &Field) -> Arg {
    let arg = Arg::new(id(field)).long(field.flag.clone()).help(help(field)).help_heading(field.heading.clone());
    let arg = match &field.alias {
        Some(alias) => arg.alias(alias.clone()),
        None => arg,
    };
    let arg = arg.value_parser(parser(&field.kind)).value_name(value_name(&field.kind));
    match &field.kind {
        Kind::Boolean => arg.num_args(0..=1).default_missing_value("true"),
        Kind::Secret => arg.num_args(0..=1).default_missing_value(""),
        Kind::List(_) | Kind::Map(_) => arg.action(ArgAction::Append).allow_negative_numbers(true),
        Kind::Integer { .. } | Kind::Number | Kind::IntegerOrText => arg.allow_negative_numbers(true),
        Kind::Choice(_) | Kind::Text | Kind::Yaml => arg,
    }
}

/// Returns what was typed for the fields, in their order. Repeated values of a list or map are one value.
pub fn typed(matches: &ArgMatches, fields: &[Field]) -> Vec<(Path, Typed)> {
    let given = |field: &Field| -> Option<(Path, Typed)> {
        let values: Vec<Value> = matches.get_many::<Value>(&id(field))?.cloned().collect();
        let typed = match &field.kind {
            Kind::List(_) => Typed::Value(Value::Array(values)),
            Kind::Map(_) => Typed::Value(Value::Object(values.iter().flat_map(entries).collect())),
            Kind::Text => Typed::Text(values.first()?.as_str()?.to_owned()),
            Kind::Secret => Typed::Secret(values.first()?.as_str()?.to_owned()),
            _ => Typed::Value(values.into_iter().next()?),
        };
        Some((field.path.clone(), typed))
    };
    fields.iter().filter_map(given).collect()
}

/// Returns the id of a flag among those of the options of its command.
fn id(field: &Field) -> String {
    format!("field:{}", field.flag)
}

fn entries(value: &Value) -> Vec<(String, Value)> {
    value.as_object().map(|entry| entry.iter().map(|(key, value)| (key.clone(), value.clone())).collect()).unwrap_or_default()
}

fn help(field: &Field) -> String {
    let subject = if field.help.is_empty() { field.label.clone() } else { field.help.clone() };
    let mut notes = Vec::new();
    if field.required {
        notes.push("required".to_owned());
    }
    match &field.kind {
        Kind::Integer { minimum: Some(least), maximum: Some(most) } => notes.push(format!("{least} to {most}")),
        Kind::Integer { minimum: Some(least), maximum: None } => notes.push(format!("at least {least}")),
        Kind::Integer { minimum: None, maximum: Some(most) } => notes.push(format!("at most {most}")),
        Kind::List(_) | Kind::Map(_) => notes.push("can be repeated".to_owned()),
        Kind::Secret => notes.push("from a file, from standard input with -, or entered without a value".to_owned()),
        _ => {}
    }
    if let Some(default) = field.default.as_ref().filter(|default| !default.is_object() && !default.is_array()) {
        notes.push(format!("default: {}", default.as_str().map_or_else(|| default.to_string(), str::to_owned)));
    }
    let notes: String = notes.iter().map(|note| format!(" [{note}]")).collect();
    format!("{subject}{notes}")
}

fn value_name(kind: &Kind) -> String {
    match kind {
        Kind::Choice(_) => "VALUE".to_owned(),
        Kind::Boolean => "true|false".to_owned(),
        Kind::Integer { .. } => "INTEGER".to_owned(),
        Kind::Number => "NUMBER".to_owned(),
        Kind::IntegerOrText | Kind::Text => "TEXT".to_owned(),
        Kind::List(item) => value_name(item),
        Kind::Map(entry) => format!("NAME={}", value_name(entry)),
        Kind::Yaml => "YAML".to_owned(),
        Kind::Secret => "@FILE".to_owned(),
    }
}

fn parser(kind: &Kind) -> ValueParser {
    match kind {
        Kind::Choice(choices) => {
            let known = choices.clone();
            PossibleValuesParser::new(choices.iter().map(possible)).map(move |text| chosen(&known, &text)).into()
        }
        Kind::Boolean => {
            let values = [PossibleValue::new("true").aliases(TRUE), PossibleValue::new("false").aliases(FALSE)];
            PossibleValuesParser::new(values).map(|text| Value::Bool(text == "true" || TRUE.contains(&text.as_str()))).into()
        }
        Kind::List(item) => parser(item),
        other => {
            let kind = other.clone();
            ValueParser::new(move |text: &str| read(&kind, text))
        }
    }
}

fn possible(choice: &Choice) -> PossibleValue {
    let value = PossibleValue::new(choice.text());
    if choice.help.is_empty() { value } else { value.help(choice.help.clone()) }
}

fn chosen(choices: &[Choice], text: &str) -> Value {
    choices.iter().find(|choice| choice.text() == text).map_or_else(|| Value::String(text.to_owned()), |choice| choice.value.clone())
}

/// Reads what was typed for a value of a kind.
///
/// # Errors
/// If it isn't one, with what to enter.
fn read(kind: &Kind, text: &str) -> Result<Value, String> {
    match kind {
        Kind::Choice(choices) => {
            let found = choices.iter().find(|choice| choice.text() == text);
            found.map(|choice| choice.value.clone()).ok_or_else(|| format!("enter one of {}", kind.value().replace('|', ", ")))
        }
        Kind::Boolean if text == "true" || TRUE.contains(&text) => Ok(Value::Bool(true)),
        Kind::Boolean if text == "false" || FALSE.contains(&text) => Ok(Value::Bool(false)),
        Kind::Boolean => Err("enter true or false".to_owned()),
        Kind::Integer { minimum, maximum } => integer(text, *minimum, *maximum),
        Kind::Number => match serde_json::from_str::<Value>(text) {
            Ok(number) if number.is_number() => Ok(number),
            _ => Err("enter a number, such as 1.5".to_owned()),
        },
        Kind::IntegerOrText => Ok(text.parse::<i64>().map_or_else(|_| Value::String(text.to_owned()), Value::from)),
        Kind::Text | Kind::Secret => Ok(Value::String(text.to_owned())),
        Kind::Map(entry) => match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok(json!({ name: read(entry, value)? })),
            _ => Err("enter a name and a value, as name=value".to_owned()),
        },
        Kind::List(item) => read(item, text),
        Kind::Yaml => promise::form::yaml::read(text).map_err(|error| promise::form::yaml::sentence(&error)),
    }
}

fn integer(text: &str, minimum: Option<i64>, maximum: Option<i64>) -> Result<Value, String> {
    let bounds = match (minimum, maximum) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(", at least {least}"),
        (None, Some(most)) => format!(", at most {most}"),
        (None, None) => String::new(),
    };
    let refused = || format!("enter a whole number{bounds}");
    let Ok(number) = text.parse::<i64>() else { return Err(refused()) };
    let fits = minimum.is_none_or(|least| number >= least) && maximum.is_none_or(|most| number <= most);
    if fits { Ok(number.into()) } else { Err(refused()) }
}

/// Puts the value of a field into parameters. Entries of a map join those that are there; everything else is replaced.
pub fn put(parameters: &mut Value, path: &Path, kind: &Kind, value: Value) -> bool {
    if !parameters.is_object() {
        *parameters = Value::Object(Map::new());
    }
    if let (Kind::Map(_), Some(Value::Object(there)), Value::Object(entries)) = (kind, path.get(parameters), &value) {
        let mut all = there.clone();
        all.extend(entries.clone());
        return path.put(parameters, Value::Object(all));
    }
    path.put(parameters, value)
}

#[cfg(test)]
mod tests {
    use clap::Command;
    use promise::api::PromiseSpec;

    use super::*;
    use crate::fields::fields;

    fn promise() -> PromiseSpec {
        serde_json::from_value(json!({
            "version": "1.0.0",
            "secretParameters": [".password"],
            "parameters": {"type": "object", "required": ["tier"], "properties": {
                "tier": {"type": "string", "enum": ["development", "production"]},
                "major": {"type": "integer", "enum": [16, 17]},
                "replicas": {"type": "integer", "minimum": 1, "maximum": 7, "default": 1},
                "offset": {"type": "integer"},
                "ratio": {"type": "number"},
                "port": {"x-kubernetes-int-or-string": true},
                "note": {"type": "string"},
                "backup": {"type": "object", "properties": {"enabled": {"type": "boolean"}, "retentionDays": {"type": "integer"}}},
                "extensions": {"type": "array", "items": {"type": "string"}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "weights": {"type": "object", "additionalProperties": {"type": "integer"}},
                "rules": {"type": "array", "items": {"type": "object", "properties": {"host": {"type": "string"}}}},
                "password": {"type": "object", "properties": {"name": {"type": "string"}, "key": {"type": "string"}}},
            }},
        }))
        .unwrap()
    }

    fn parse(line: &str) -> Result<Value, String> {
        let all = fields(&promise(), &[]);
        let command = Command::new("request").no_binary_name(true).args(all.iter().map(flag));
        let words = line.split_whitespace().map(|word| word.replace('_', " "));
        let matches = command.try_get_matches_from(words).map_err(|error| error.to_string())?;
        let mut parameters = json!({});
        for (path, typed) in typed(&matches, &all) {
            let kind = &all.iter().find(|field| field.path == path).unwrap().kind;
            let value = match typed {
                Typed::Value(value) => value,
                Typed::Text(text) => json!(text),
                Typed::Secret(text) => json!({ "secret": text }),
            };
            assert!(put(&mut parameters, &path, kind, value));
        }
        Ok(parameters)
    }

    #[test]
    fn values_have_the_types_of_the_schema() {
        for (line, expected) in [
            ("--tier production", json!({"tier": "production"})),
            ("--tier=production --replicas 3", json!({"tier": "production", "replicas": 3})),
            ("--major 17", json!({"major": 17})),
            ("--offset -5 --ratio -0.5", json!({"offset": -5, "ratio": -0.5})),
            ("--ratio 1.50", json!({"ratio": 1.5})),
            ("--port 80", json!({"port": 80})),
            ("--port http", json!({"port": "http"})),
            ("--note 17", json!({"note": "17"})),
            ("--note -", json!({"note": "-"})),
            ("--note=--x", json!({"note": "--x"})),
            ("--backup.enabled --replicas 2", json!({"backup": {"enabled": true}, "replicas": 2})),
            ("--backup.enabled", json!({"backup": {"enabled": true}})),
            ("--backup.enabled=false --backup.retentionDays 3", json!({"backup": {"enabled": false, "retentionDays": 3}})),
            ("--backup.enabled no --backup.retention-days 3", json!({"backup": {"enabled": false, "retentionDays": 3}})),
            ("--extensions a --extensions b,c", json!({"extensions": ["a", "b,c"]})),
            ("--labels team=shop --labels x=a=b", json!({"labels": {"team": "shop", "x": "a=b"}})),
            ("--weights a=1 --weights b=2", json!({"weights": {"a": 1, "b": 2}})),
            ("--rules {host:_a} --rules {\"host\":\"b\"}", json!({"rules": [{"host": "a"}, {"host": "b"}]})),
            ("--password", json!({"password": {"secret": ""}})),
            ("--password @file", json!({"password": {"secret": "@file"}})),
            ("", json!({})),
        ] {
            assert_eq!(parse(line), Ok(expected), "{line}");
        }
    }

    #[test]
    fn a_value_that_the_schema_does_not_have_names_the_flag_and_what_to_enter() {
        for (line, words) in [
            ("--tier prod", ["--tier", "[possible values: development, production]"]),
            ("--tier productoin", ["--tier", "a similar value exists: 'production'"]),
            ("--major 15", ["--major", "[possible values: 16, 17]"]),
            ("--replicas 9", ["--replicas", "enter a whole number from 1 to 7"]),
            ("--replicas two", ["--replicas", "enter a whole number from 1 to 7"]),
            ("--offset 1.5", ["--offset", "enter a whole number"]),
            ("--ratio x", ["--ratio", "enter a number"]),
            ("--backup.enabled perhaps", ["--backup.enabled", "[possible values: true, false]"]),
            ("--labels team", ["--labels", "as name=value"]),
            ("--weights a=x", ["--weights", "enter a whole number"]),
            ("--tiers production", ["unexpected argument '--tiers'", "'--tier'"]),
            ("--tier development --tier production", ["--tier", "cannot be used multiple times"]),
        ] {
            let error = parse(line).unwrap_err();
            assert!(words.iter().all(|word| error.contains(word)), "{line}: {error}");
        }
    }

    #[test]
    fn the_help_says_what_the_schema_says() {
        let all = fields(&promise(), &[]);
        let help = Command::new("request").args(all.iter().map(flag)).render_long_help().to_string();
        for words in [
            "--replicas <INTEGER>",
            "[1 to 7] [default: 1]",
            "[required]",
            "[possible values: development, production]",
            "--labels <NAME=TEXT>",
        ] {
            assert!(help.contains(words), "{words} in {help}");
        }
    }

    #[test]
    fn flags_of_real_schemas_are_unique_and_take_what_their_objects_have() {
        let Some(documents) = testdata::corpus::documents() else { return };
        let mut schemas = 0;
        for (name, document) in documents {
            for source in promise::source::schemas(&document).unwrap_or_default() {
                let promise = PromiseSpec { parameters: Some(source.schema.into()), ..PromiseSpec::default() };
                let all = fields(&promise, &["name", "output"]);
                // It panics if two flags have the same name.
                Command::new("request").no_binary_name(true).args(all.iter().map(flag)).debug_assert();
                assert!(all.iter().all(|field| !field.flag.is_empty() && !field.flag.contains(char::is_whitespace)), "{name}");
                schemas += 1;
            }
        }
        assert!(schemas > 100, "{schemas}");
    }

    #[test]
    fn entries_of_a_map_join_those_of_a_file() {
        let path = Path::parse(".labels").unwrap();
        let mut parameters = json!({"labels": {"a": "1", "b": "2"}});
        assert!(put(&mut parameters, &path, &Kind::Map(Box::new(Kind::Text)), json!({"b": "3"})));
        assert_eq!(parameters, json!({"labels": {"a": "1", "b": "3"}}));
        assert!(put(&mut parameters, &path, &Kind::Yaml, json!({"c": "4"})));
        assert_eq!(parameters, json!({"labels": {"c": "4"}}));
        assert!(!put(&mut json!({"a": "text"}), &Path::parse(".a.b").unwrap(), &Kind::Text, json!("x")));
    }
}
