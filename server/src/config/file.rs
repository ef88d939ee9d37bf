//! `--config portal.yaml`: every option of `serve` under its own name, such as `publicUrl` for `--public-url`, and identity providers as a
//! list. What is on the command line or in the environment counts instead of what the file says.
//!
//! Schema and check are made from the options themselves, so that none is missing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command as Clap, CommandFactory as _, Parser as _};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::sign_in::ProviderFile;
use super::{Cli, Command};

/// The command whose options the file has.
const SERVE: &str = "serve";
/// The option that names the file.
const CONFIG: &str = "config";
/// The variable that names the file.
const VARIABLE: &str = "OPM_CONFIG";
/// The key of the file with identity providers, which are no option.
const PROVIDERS: &str = "identityProviders";

/// Why a command line can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// An argument is invalid.
    #[error(transparent)]
    Usage(#[from] clap::Error),
    /// The file is invalid.
    #[error("{path}: {problem}")]
    File {
        /// The file.
        path: PathBuf,
        /// The key, and how to fix it.
        problem: String,
    },
}

/// Parses a command line, with the file that it names.
///
/// # Errors
/// If an argument or the file is invalid, or clap answers itself, for example with the help.
pub fn parse(arguments: Vec<OsString>) -> Result<Cli, ParseError> {
    let Some(path) = named(&arguments) else { return Ok(Cli::try_parse_from(arguments)?) };
    let serve = serve();
    let file = ConfigFile::read(&path, &serve)?;
    let from_file = file.arguments(&serve, |option| is_given(option, &arguments));
    let (before, after) = arguments.split_at(arguments.len().min(2));
    let mut cli = Cli::try_parse_from(before.iter().cloned().chain(from_file).chain(after.iter().cloned()))?;
    if let Command::Serve(args) = &mut cli.command {
        args.add_providers(file.providers);
    }
    Ok(cli)
}

/// Returns the file that a command line of `serve` names.
fn named(arguments: &[OsString]) -> Option<PathBuf> {
    if arguments.get(1).is_none_or(|command| command != SERVE) {
        return None;
    }
    let long = format!("--{CONFIG}");
    let mut words = arguments.iter().skip(2);
    while let Some(word) = words.next() {
        if *word == *long {
            return words.next().map(PathBuf::from);
        }
        if let Some(path) = word.to_str().and_then(|word| word.strip_prefix(&format!("{long}="))) {
            return Some(PathBuf::from(path));
        }
    }
    variable(VARIABLE).map(PathBuf::from)
}

#[expect(clippy::disallowed_methods, reason = "the configuration reads the environment")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Checks whether the command line or the environment sets an option.
fn is_given(option: &Arg, arguments: &[OsString]) -> bool {
    let long = format!("--{}", option.get_long().unwrap_or_default());
    let on_line = arguments.iter().filter_map(|word| word.to_str()).any(|word| word.split('=').next() == Some(long.as_str()));
    on_line || option.get_env().and_then(|name| name.to_str()).and_then(variable).is_some()
}

/// Returns the command whose options the file has.
fn serve() -> Clap {
    Cli::command().find_subcommand(SERVE).cloned().unwrap_or_else(|| Clap::new(SERVE))
}

/// Returns the options that the file can have, each with its key.
fn options(serve: &Clap) -> impl Iterator<Item = (String, &Arg)> {
    let own = |option: &&Arg| !matches!(option.get_long(), None | Some(CONFIG | "help" | "version"));
    serve.get_arguments().filter(own).map(|option| (key(option.get_long().unwrap_or_default()), option))
}

/// Returns the key of an option: `publicUrl` for `public-url`.
fn key(long: &str) -> String {
    let mut words = long.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |key, word| {
        let (head, rest) = word.split_at_checked(1).unwrap_or((word, ""));
        key + &head.to_ascii_uppercase() + rest
    })
}

/// Whether an option takes a value, several, or none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Flag,
    One,
    Several,
}

impl Kind {
    fn of(option: &Arg) -> Self {
        match option.get_action() {
            ArgAction::SetTrue | ArgAction::SetFalse => Self::Flag,
            ArgAction::Append => Self::Several,
            _ if option.get_value_delimiter().is_some() => Self::Several,
            _ => Self::One,
        }
    }
}

/// A configuration file whose keys and kinds of values are known. The values are checked as those of the command line.
struct ConfigFile {
    values: BTreeMap<String, Value>,
    providers: Vec<ProviderFile>,
}

impl ConfigFile {
    fn read(path: &Path, serve: &Clap) -> Result<Self, ParseError> {
        let wrong = |problem: String| ParseError::File { path: path.to_owned(), problem };
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        Self::parsed(&text, serve).map_err(wrong)
    }

    fn parsed(text: &str, serve: &Clap) -> Result<Self, String> {
        let mut values: BTreeMap<String, Value> = match text.trim() {
            "" => BTreeMap::new(),
            text => promise::form::yaml::parse(text).map_err(|error| error.to_string())?,
        };
        let providers = match values.remove(PROVIDERS) {
            None => Vec::new(),
            Some(providers) => Vec::<ProviderFile>::deserialize(providers).map_err(|error| format!("{PROVIDERS}: {error}"))?,
        };
        let known: BTreeMap<String, Kind> = options(serve).map(|(key, option)| (key, Kind::of(option))).collect();
        for (key, value) in &values {
            let Some(kind) = known.get(key) else { return Err(unknown(key, known.keys())) };
            let scalar = |value: &Value| value.is_string() || value.is_number();
            let (fits, expected) = match kind {
                Kind::Flag => (value.is_boolean(), "true or false"),
                Kind::One => (scalar(value), "a text or a number"),
                Kind::Several => (value.as_array().is_some_and(|values| values.iter().all(scalar)), "a list of texts"),
            };
            if !fits {
                return Err(format!("{key}: enter {expected}"));
            }
        }
        Ok(Self { values, providers })
    }

    /// Returns what the file says as arguments, without those for which `given` holds.
    fn arguments(&self, serve: &Clap, given: impl Fn(&Arg) -> bool) -> Vec<OsString> {
        let mut arguments = Vec::new();
        for (key, option) in options(serve) {
            let Some(value) = self.values.get(&key).filter(|_| !given(option)) else { continue };
            let long = option.get_long().unwrap_or_default();
            let mut add = |value: &Value| arguments.push(OsString::from(format!("--{long}={}", text(value))));
            match value {
                Value::Bool(true) => arguments.push(OsString::from(format!("--{long}"))),
                Value::Bool(false) => {}
                Value::Array(values) => values.iter().for_each(add),
                value => add(value),
            }
        }
        arguments
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn unknown<'a>(key: &str, known: impl Iterator<Item = &'a String>) -> String {
    let nearest = known.map(|known| (strsim::damerau_levenshtein(known, key), known)).min();
    match nearest {
        Some((distance, nearest)) if distance <= 3 => format!("{key}: there is no such key; did you mean {nearest}?"),
        _ => format!("{key}: there is no such key; `opm-portal config schema` lists all"),
    }
}

/// Checks a configuration file as `serve` would use it, with the files that it names. Nothing is started.
///
/// # Errors
/// The first problem.
pub fn check(path: &Path) -> Result<(), String> {
    let arguments = ["opm-portal", SERVE, "--config"].map(OsString::from).into_iter().chain([path.as_os_str().to_owned()]);
    let said = |error: ParseError| match error {
        // Without the usage of the command line, which is about something else.
        ParseError::Usage(error) => {
            let text = error.to_string();
            let text = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            format!("{}: {text}", path.display())
        }
        error => error.to_string(),
    };
    match parse(arguments.collect()).map_err(said)?.command {
        Command::Serve(args) => args.into_config().map(drop).map_err(|error| format!("{}: {error}", path.display())),
        _ => Ok(()),
    }
}

/// Returns the JSON Schema of configuration files.
pub fn schema() -> Value {
    let serve = serve();
    let mut properties: Map<String, Value> = options(&serve).map(|(key, option)| (key, property(option))).collect();
    properties.insert(PROVIDERS.to_owned(), ProviderFile::schema());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of OPM Portal",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

fn property(option: &Arg) -> Value {
    let values: Vec<String> = option.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let one =
        if values.is_empty() || Kind::of(option) == Kind::Flag { json!({"type": ["string", "number"]}) } else { json!({"enum": values}) };
    let mut property = match Kind::of(option) {
        Kind::Flag => json!({"type": "boolean"}),
        Kind::One => one,
        Kind::Several => json!({"type": "array", "items": one}),
    };
    if let Some(help) = option.get_help() {
        property["description"] = json!(help.to_string());
    }
    if let Some(default) = option.get_default_values().first().and_then(|value| value.to_str()).filter(|_| Kind::of(option) == Kind::One) {
        property["default"] = json!(default);
    }
    property
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, PlaneConfig};

    /// The configuration of a command line and a file.
    fn config(line: &str, file: &str) -> Result<Config, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("portal.yaml");
        std::fs::write(&path, file.replace("FOLDER", &folder.path().display().to_string())).unwrap();
        std::fs::write(folder.path().join("secret"), "a-client-secret").unwrap();
        let words = line.split_whitespace().map(OsString::from).chain(["--config".into(), path.into_os_string()]);
        let cli = parse(words.collect()).map_err(|error| error.to_string())?;
        let Command::Serve(args) = cli.command else { panic!("serve") };
        args.into_config().map(|(config, _)| config).map_err(|error| error.to_string())
    }

    const PROVIDER: &str = "identityProviders:\n\
         - {name: acme, title: Acme SSO, issuer: 'https://a.example', clientId: portal, clientSecretFile: FOLDER/secret}\n\
         - {name: globex, issuer: 'https://g.example', clientId: portal, usernameClaim: email, scopes: [email]}\n";

    #[test]
    fn options_stand_in_a_file_under_their_own_names_and_the_command_line_counts_more() {
        let file = format!("plane: kubeconfig\nport: 9000\npublicUrl: https://portal.example\nroles: [web]\n{PROVIDER}");
        let read = config("opm-portal serve", &file).unwrap();
        assert_eq!((read.listen.port(), read.web, read.controller), (9000, true, false));
        assert!(matches!(read.plane, PlaneConfig::Kubeconfig { .. }));
        let providers: Vec<(&str, &str)> = read.sign_in.providers.iter().map(|one| (one.name.as_str(), one.title.as_str())).collect();
        assert_eq!(providers, [("acme", "Acme SSO"), ("globex", "g.example")]);
        assert_eq!(read.sign_in.providers[0].client_secret.as_deref(), Some("a-client-secret"));
        let read = config("opm-portal serve --port 9001 --roles web,controller", &file).unwrap();
        assert_eq!((read.listen.port(), read.controller), (9001, true));
        assert!(config("opm-portal serve", "plane: embedded\nephemeral: true\nempty: false\n").is_ok());
        let commented = format!("plane: embedded\n{}ephemeral: true\n", "# port: 9000\n".repeat(500));
        assert!(config("opm-portal serve", &commented).is_ok());
    }

    #[test]
    fn what_a_file_can_not_say_is_named() {
        for (file, said) in [
            ("plain: embedded", "plain: there is no such key; did you mean plane?"),
            ("somethingElse: 1", "somethingElse: there is no such key"),
            ("plane: [embedded]", "plane: enter a text"),
            ("plane: embedded\nephemeral: 'yes'", "ephemeral: enter true or false"),
            ("plane: embedded\nroles: web", "roles: enter a list"),
            ("plane: elsewhere", "--plane"),
            ("plane: embedded\nidentityProviders: [{name: a}]", "identityProviders: missing field"),
            ("plane: embedded\nidentityProviders: [{name: a, issuer: b, clientID: c}]", "clientID"),
            ("plane: embedded\npublicUrl: http://localhost\nidentityProviders: [{name: A b, issuer: 'https://a', clientId: c}]", "A b"),
            ("- plane", "expected"),
        ] {
            let error = config("opm-portal serve", file).expect_err(file);
            assert!(error.contains(said), "{file}: {error}");
        }
        let twice = "plane: embedded\npublicUrl: http://localhost\n";
        let twice = format!("{twice}identityProviders: [{0}, {0}]", "{name: a, issuer: 'https://a.example', clientId: c}");
        assert!(config("opm-portal serve", &twice).unwrap_err().contains("twice"));
    }

    #[test]
    fn the_schema_has_every_option_and_accepts_what_works() {
        let schema = schema();
        let properties = schema["properties"].as_object().unwrap();
        for key in ["plane", "publicUrl", "roles", "ephemeral", "signIn", "sessionLifetime", "identityProviders", "logFormat"] {
            assert!(properties.contains_key(key), "{key}");
        }
        assert!(!properties.contains_key("config") && !properties.contains_key("help"));
        assert_eq!(properties["plane"]["enum"], json!(["embedded", "kubeconfig"]));
        assert_eq!(properties["roles"]["items"]["enum"], json!(["web", "controller", "plane"]));
        assert_eq!(properties["ephemeral"]["type"], "boolean");
        assert!(properties.values().all(|property| property["description"].is_string()), "each says what it means");
        let provider = &properties["identityProviders"]["items"];
        assert_eq!(provider["required"], json!(["name", "issuer", "clientId"]));
    }
}
