//! The fields of a promise as flags of a command, and the parameters that they make.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path as File, PathBuf};

use clap::{ArgMatches, Command};
use promise::api::PromiseSpec;
use promise::names;
use promise::path::Path;
use serde_json::{Map, Value};

use crate::Error;
use crate::fields::{Field, Kind, fields, missing};
use crate::flags::{Typed, flag, put, typed};
use crate::terminal::Terminal;

/// Secrets that were entered, by the path of their parameter.
pub type Secrets = BTreeMap<String, String>;

/// Flags made from a schema, beside the options of a command.
pub struct Form {
    /// Name of the promise.
    promise: String,
    /// Its parameters, secrets and hints.
    spec: PromiseSpec,
    fields: Vec<Field>,
    command: Command,
}

impl Form {
    /// Adds the fields of a promise to a command, which has its options already.
    pub fn new(promise: &str, spec: PromiseSpec, command: Command) -> Self {
        let names = |arg: &clap::Arg| {
            let aliases = arg.get_all_aliases().unwrap_or_default();
            aliases.into_iter().chain(arg.get_long()).map(str::to_owned).collect::<Vec<_>>()
        };
        let mut reserved: Vec<String> = command.get_arguments().flat_map(names).collect();
        reserved.push("help".to_owned());
        let reserved: Vec<&str> = reserved.iter().map(String::as_str).collect();
        let fields = fields(&spec, &reserved);
        let command = command.args(fields.iter().map(flag)).no_binary_name(true).disable_version_flag(true);
        Self { promise: promise.to_owned(), spec, fields, command }
    }

    /// Returns the command with all its flags.
    pub fn command(self) -> Command {
        self.command
    }

    /// Parses arguments.
    ///
    /// # Errors
    /// If they are invalid. For an unknown flag, the error lists the fields.
    pub fn parse(&self, words: &[String]) -> Result<ArgMatches, Error> {
        self.command.clone().try_get_matches_from(words).map_err(|error| {
            let more = if error.kind() == clap::error::ErrorKind::UnknownArgument { self.listed() } else { String::new() };
            Error::Clap { error: Box::new(error), more }
        })
    }

    fn listed(&self) -> String {
        if self.fields.is_empty() {
            return format!("\n{} has no fields.\n", self.promise);
        }
        let width = self.fields.iter().map(|field| field.usage().chars().count()).max().unwrap_or_default();
        let mut text = format!("\nFields of {}:\n", self.promise);
        for field in &self.fields {
            let help = if field.help.is_empty() { &field.label } else { &field.help };
            let space = " ".repeat(width - field.usage().chars().count());
            let _ = writeln!(text, "  {}{space}  {help}", field.usage());
        }
        text
    }

    /// The promise whose fields it has.
    pub fn spec(&self) -> &PromiseSpec {
        &self.spec
    }

    /// Whether a value was typed for any field.
    pub fn is_typed(&self, matches: &ArgMatches) -> bool {
        !typed(matches, &self.fields).is_empty()
    }

    /// Puts what was typed into parameters, and returns the secrets, which are never part of them.
    ///
    /// # Errors
    /// If a file can't be read, or a secret was typed on the command line.
    pub fn fill(&self, matches: &ArgMatches, parameters: &mut Value, terminal: &mut Terminal<'_>) -> Result<Secrets, Error> {
        let mut secrets = Secrets::new();
        let mut uses_input = false;
        for (path, typed) in typed(matches, &self.fields) {
            let Some(field) = self.fields.iter().find(|field| field.path == path) else { continue };
            if matches!(&typed, Typed::Text(text) | Typed::Secret(text) if text == "-") && std::mem::replace(&mut uses_input, true) {
                return Err(Error::Usage(format!("{} -: standard input can only be read once", field.typed())));
            }
            let value = match typed {
                Typed::Value(value) => value,
                Typed::Text(text) => Value::String(read_text(&text, terminal)?),
                Typed::Secret(place) => {
                    secrets.insert(path.to_string(), secret(field, &place, terminal)?);
                    continue;
                }
            };
            if !put(parameters, &path, &field.kind, value) {
                return Err(Error::Usage(format!("{}: the parameters have another value in its place", field.typed())));
            }
        }
        Ok(secrets)
    }

    /// Asks for required secrets that weren't given, if a person can answer.
    ///
    /// # Errors
    /// If the answer can't be read, or required fields are missing: the error names their flags.
    pub fn complete(&self, parameters: &Value, secrets: &mut Secrets, terminal: &mut Terminal<'_>) -> Result<(), Error> {
        let mut lacking = Vec::new();
        for field in missing(&self.fields, &self.spec, parameters) {
            let path = field.path.to_string();
            if secrets.contains_key(&path) {
                continue;
            }
            if field.kind == Kind::Secret && terminal.ask.is_some() {
                secrets.insert(path, secret(field, "", terminal)?);
            } else {
                lacking.push(field);
            }
        }
        if lacking.is_empty() {
            return Ok(());
        }
        let lines: String = lacking
            .iter()
            .map(|field| format!("\n  {}: {}", field.usage(), if field.help.is_empty() { &field.label } else { &field.help }))
            .collect();
        let flags: Vec<String> = lacking.iter().map(|field| field.typed()).collect();
        let verb = if lacking.len() == 1 { "is" } else { "are" };
        Err(Error::Usage(format!("{} {verb} required:{lines}", promise::wording::all_of(&flags))))
    }

    /// Names fields in a refusal by their flags.
    pub fn named(&self, error: Error) -> Error {
        let Error::Refused { code, message, mut problems, reason } = error else { return error };
        for problem in &mut problems {
            let Some(path) = problem.path.strip_prefix(".parameters").and_then(|path| Path::parse(path).ok()) else { continue };
            if let Some(field) = self.fields.iter().find(|field| path.starts_with(&field.path)) {
                problem.path = field.typed();
            }
        }
        Error::Refused { code, message, problems, reason }
    }
}

/// Returns a text: what was typed, the content of `@FILE`, or the standard input for `-`. `@@` stands for an `@` at the start.
fn read_text(text: &str, terminal: &mut Terminal<'_>) -> Result<String, Error> {
    match text.strip_prefix('@') {
        Some(rest) if rest.starts_with('@') => Ok(rest.to_owned()),
        Some(file) => std::fs::read_to_string(file).map_err(Error::file(File::new(file))),
        None if text == "-" => Ok(terminal.read()?),
        None => Ok(text.to_owned()),
    }
}

/// Returns a secret: from `@FILE`, from the standard input for `-`, or as it is entered.
fn secret(field: &Field, place: &str, terminal: &mut Terminal<'_>) -> Result<String, Error> {
    let flag = field.typed();
    if place.is_empty() {
        return match &mut terminal.ask {
            Some(ask) => Ok(ask(&format!("{}: ", field.label))?),
            None => Err(Error::Usage(format!(
                "{flag}: no one can enter it here; read it with {flag} @FILE, or with {flag} - from standard input"
            ))),
        };
    }
    if place != "-" && !place.starts_with('@') {
        // The value isn't repeated: logs of pipelines keep what is printed.
        let message = "secrets aren't read from the command line, because other users of this machine and its history can see it";
        return Err(Error::Usage(format!("{flag}: {message}; use {flag} @FILE, {flag} - for standard input, or {flag} alone to enter it")));
    }
    let text = read_text(place, terminal)?;
    Ok(text.strip_suffix('\n').map_or(text.as_str(), |text| text.trim_end_matches('\r')).to_owned())
}

/// What a file with parameters says.
#[derive(Debug, Default, PartialEq)]
pub struct Given {
    /// The parameters.
    pub parameters: Value,
    /// The rest of the spec, if it is a PromiseRequest.
    pub spec: Map<String, Value>,
    /// Its name.
    pub name: Option<String>,
    /// Its namespace.
    pub namespace: Option<String>,
}

/// Reads parameters, or a PromiseRequest with them, from a file or with `-` from the standard input.
///
/// # Errors
/// If it can't be read, isn't YAML, or is another kind of object.
pub fn read_file(file: &PathBuf, terminal: &mut Terminal<'_>) -> Result<Given, Error> {
    let text = if file.as_os_str() == "-" { terminal.read()? } else { std::fs::read_to_string(file).map_err(Error::file(file))? };
    given(&text).map_err(|message| Error::Usage(format!("{}: {message}", file.display())))
}

fn given(text: &str) -> Result<Given, String> {
    let value = promise::form::yaml::read_document(text).map_err(|error| error.message)?;
    if value.is_null() {
        return Ok(Given { parameters: Value::Object(Map::new()), ..Given::default() });
    }
    if value["apiVersion"] == names::API_VERSION && value["kind"] == "PromiseRequest" {
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let mut spec = value["spec"].as_object().cloned().unwrap_or_default();
        let parameters = spec.remove("parameters").unwrap_or_else(|| Value::Object(Map::new()));
        return Ok(Given { parameters, spec, name: text("/metadata/name"), namespace: text("/metadata/namespace") });
    }
    match value {
        Value::Object(_) if value["apiVersion"].is_string() && value["kind"].is_string() => {
            Err(format!("{} can't be requested; enter parameters, or a PromiseRequest", value["kind"].as_str().unwrap_or_default()))
        }
        Value::Object(_) => Ok(Given { parameters: value, ..Given::default() }),
        _ => Err("enter parameters as names with values, or a PromiseRequest".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form() -> Form {
        let spec = json!({"version": "1.0.0", "secretParameters": [".password"], "parameters": {"type": "object", "required": ["tier", "password"], "properties": {
            "tier": {"type": "string", "enum": ["development", "production"], "description": "What it is for."},
            "note": {"type": "string"}, "labels": {"type": "object", "additionalProperties": {"type": "string"}}, "name": {"type": "string"},
            "password": {"type": "object", "properties": {"name": {"type": "string"}, "key": {"type": "string"}}},
        }}});
        let options = Command::new("request").arg(clap::Arg::new("name").long("name"));
        Form::new("postgresql", serde_json::from_value(spec).unwrap(), options)
    }

    fn filled(words: &[&str], input: &str, answers: bool) -> Result<(Value, Secrets), String> {
        let mut terminal = Terminal {
            out: Box::new(std::io::sink()),
            err: Box::new(std::io::sink()),
            input: Box::new(input.as_bytes()),
            ask: if answers { Some(Box::new(|prompt| Ok(format!("entered at {prompt}")))) } else { None },
            interactive: false,
            now: jiff::Timestamp::default,
            random: |_| {},
        };
        let form = form();
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut parameters = json!({});
        let matches = form.parse(&words).map_err(|error| error.to_string())?;
        let mut secrets = form.fill(&matches, &mut parameters, &mut terminal).map_err(|error| error.to_string())?;
        form.complete(&parameters, &mut secrets, &mut terminal).map_err(|error| error.to_string())?;
        Ok((parameters, secrets))
    }

    #[test]
    fn secrets_come_from_files_standard_input_or_a_person_and_never_from_the_command_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        std::fs::write(&file, "hunter2\n").unwrap();
        let at = format!("@{}", file.display());
        for (words, input, value) in [
            (vec!["--tier", "production", "--password", &at], "", "hunter2"),
            (vec!["--tier", "production", "--password", "-"], "a b\r\n", "a b"),
            (vec!["--tier", "production", "--password"], "", "entered at Password: "),
            (vec!["--tier", "production"], "", "entered at Password: "),
        ] {
            let (parameters, secrets) = filled(&words, input, true).unwrap();
            assert_eq!((parameters, secrets), (json!({"tier": "production"}), Secrets::from([(".password".to_owned(), value.to_owned())])));
        }
        let refused = filled(&["--tier", "production", "--password", "hunter2"], "", true).unwrap_err();
        assert!(refused.starts_with("--password: secrets aren't read from the command line") && !refused.contains("hunter2"), "{refused}");
        let refused = filled(&["--tier", "production", "--password"], "", false).unwrap_err();
        assert!(refused.contains("--password @FILE"), "{refused}");
        let refused = filled(&["--tier", "production", "--password", "-", "--note", "-"], "x", true).unwrap_err();
        assert!(refused.contains("only be read once"), "{refused}");
    }

    #[test]
    fn texts_come_from_files_and_standard_input() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("note");
        std::fs::write(&file, "two\nlines\n").unwrap();
        let note = |text: &str| {
            filled(&["--tier", "production", "--note", text], "input\n", true).map(|(parameters, _)| parameters["note"].clone())
        };
        assert_eq!(note(&format!("@{}", file.display())), Ok(json!("two\nlines\n")));
        assert_eq!(note("-"), Ok(json!("input\n")));
        assert_eq!((note("@@here"), note("here@")), (Ok(json!("@here")), Ok(json!("here@"))));
        assert!(note("@/no/such/file").unwrap_err().starts_with("/no/such/file: "));
    }

    #[test]
    fn what_is_missing_is_named_by_its_flag() {
        let refused = filled(&["--password", "-"], "x", false).unwrap_err();
        assert_eq!(refused, "--tier is required:\n  --tier development|production: What it is for.");
        let refused = filled(&[], "", false).unwrap_err();
        assert!(
            refused.starts_with("--tier and --password are required:") || refused.starts_with("--password and --tier are required:"),
            "{refused}"
        );
    }

    #[test]
    fn an_unknown_flag_gets_a_suggestion_and_the_list() {
        let refused = filled(&["--teir", "production"], "", false).unwrap_err();
        for words in [
            "unexpected argument '--teir'",
            "a similar argument exists: '--tier'",
            "Fields of postgresql:",
            "--tier development|production",
            "--parameters.name TEXT",
            "What it is for.",
        ] {
            assert!(refused.contains(words), "{words} in {refused}");
        }
    }

    #[test]
    fn a_refusal_names_flags_and_keeps_what_has_none() {
        let problem = |path: &str| promise::Problem { path: path.into(), message: "No.".into() };
        let problems = vec![problem(".parameters.tier"), problem(".parameters.labels.a"), problem(".parameters.other"), problem("")];
        let refused = form().named(Error::Refused { code: 1, message: String::new(), problems, reason: None });
        let Error::Refused { problems, .. } = refused else { panic!() };
        let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(paths, ["--tier", "--labels", ".parameters.other", ""]);
    }

    #[test]
    fn files_have_parameters_or_a_request() {
        assert_eq!(given("tier: production\n").unwrap().parameters, json!({"tier": "production"}));
        assert_eq!(given("").unwrap().parameters, json!({}));
        let request = "apiVersion: platform.opmodel.dev/v1alpha1\nkind: PromiseRequest\nmetadata: {name: orders}\nspec: {reason: Why, parameters: {tier: production}}\n";
        let read = given(request).unwrap();
        assert_eq!(
            (read.name.as_deref(), &read.parameters, &read.spec["reason"]),
            (Some("orders"), &json!({"tier": "production"}), &json!("Why"))
        );
        assert!(given("apiVersion: v1\nkind: Secret\n").unwrap_err().starts_with("Secret can't be requested"));
        assert!(given("- a\n").is_err() && given("a: [\n").is_err());
    }
}
