//! `opm promise request`: what is requested, from flags and files.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Command, FromArgMatches as _};
use http::{Method, header};
use promise::api::{PreflightAnswer, PromiseSpec};
use promise::path::Path;
use promise::rest::{PromiseDetail, PromiseSummary, RequestDetail, RequestSummary};
use promise::{expiry, names, wording};
use serde_json::{Map, Value, json};

use crate::commands::Called;
use crate::error::NOT_FOUND;
use crate::form::{Form, Given, Secrets, read_file};
use crate::output::{Output, data, monthly, one_line};
use crate::portal::{Portal, Way, api, with_query};
use crate::target::Target;
use crate::terminal::{FAINT, Terminal, styled};
use crate::watch::{self, Until};
use crate::{Error, Outcome, preflight};

/// Highest number at the end of a name that is chosen for a new request.
const MOST_NAMES: usize = 100;
/// Value of `--expires` that removes the end of a request.
const NEVER: &str = "never";

/// Options of a new request.
#[derive(Args, Debug)]
struct NewOptions {
    /// Name of the request [default: the name of the promise, with a number if it is taken].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Version of the promise, or a constraint such as ~1.2 [default: the newest version].
    #[arg(long, value_name = "VERSION")]
    promise_version: Option<String>,
    /// Home workspace of the promise, if several have one of this name.
    #[arg(long, value_name = "PATH")]
    home: Option<String>,
    /// Project that the cost is counted for.
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Start from a preset or an example of the promise.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    #[command(flatten)]
    content: Content,
    /// Wait until it is ready, or needs someone.
    #[arg(long)]
    wait: bool,
    /// Longest time to wait, such as 90s or 10m.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    timeout: Duration,
}

/// What is requested, and how the result is shown.
#[derive(Args, Debug)]
pub(crate) struct Content {
    /// When it expires: a day such as 2027-01-31, an RFC 3339 time, or never.
    #[arg(long, value_name = "DATE")]
    expires: Option<String>,
    /// File with the parameters, or with a PromiseRequest; - reads standard input. Flags change its values.
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Why it is needed, shown to approvers.
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Check it and create nothing. With -o yaml or json, print what would be sent.
    #[arg(long)]
    pub dry_run: bool,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: Output,
}

impl Content {
    /// Sets when the request of a manifest expires. Returns whether that was given.
    pub(crate) fn set_expiry(&self, manifest: &mut Value) -> bool {
        let Some(entered) = &self.expires else { return false };
        let end = Some(entered).filter(|entered| *entered != NEVER).and_then(|entered| expiry::of_day(entered, None));
        match (end, manifest["spec"].as_object_mut()) {
            (Some(end), _) => manifest["spec"]["expiresAt"] = end.into(),
            (None, Some(spec)) => drop(spec.remove("expiresAt")),
            (None, None) => {}
        }
        true
    }
}

/// Reads a time such as `90s`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let read = text.parse::<jiff::SignedDuration>().ok().and_then(|time| Duration::try_from(time).ok());
    read.ok_or_else(|| "enter a time such as 90s or 10m".to_owned())
}

/// Requests a promise. `words` are its name and everything after it.
pub(crate) async fn request(words: &[String], way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let Some((name, words)) = words.split_first() else {
        return Err(Error::Usage(format!("name the promise to request; `{} promise list` shows them", called.name())));
    };
    let way = way.found_in(words);
    let portal = Portal::open(&way).await?;
    let detail = find_promise(&portal, name, option(words, "home"), called).await?;
    let form = Form::new(name, spec(&detail), new_command(&detail, called));
    let matches = form.parse(words)?;
    let options = NewOptions::from_arg_matches(&matches).map_err(clap_error)?;
    let mut given = start(&options, &detail, terminal)?;
    let mut secrets = form.fill(&matches, &mut given.parameters, terminal)?;
    form.complete(&given.parameters, &mut secrets, terminal)?;
    let mut promise = json!({"name": name});
    if let Some(home) = options.home.clone().or_else(|| detail.summary.shadowed.then(|| detail.summary.home.clone())) {
        promise["workspace"] = home.into();
    }
    if let Some(version) = options.promise_version.clone().or_else(|| text(&given.spec, "/promise/version")) {
        promise["version"] = version.into();
    }
    let mut manifest = manifest(&given, promise, options.content.reason.as_deref());
    options.content.set_expiry(&mut manifest);
    if let Some(namespace) = options.namespace.as_ref().or(given.namespace.as_ref()) {
        manifest["metadata"]["namespace"] = namespace.as_str().into();
    }
    if let Some(project) = &options.project {
        manifest["metadata"]["labels"] = json!({ names::PROJECT_LABEL: project });
    }
    let chosen = options.name.clone().or(given.name);
    let names = names_for(&portal, name, chosen.as_deref()).await?;
    if options.content.dry_run {
        manifest["metadata"]["name"] = names.first().map_or(name.as_str(), String::as_str).into();
        return rehearse(&portal, &form, &manifest, &secrets, options.content.output, terminal).await;
    }
    let values = values_of_policies(&portal, &detail, &manifest, &secrets, &names, options.content.output).await;
    let created = create(&portal, manifest, &secrets, &names, terminal).await.map_err(|error| form.named(error))?;
    shown(&created, options.content.output, "created", terminal)?;
    for line in values {
        terminal.print(&format!("  {line}\n"))?;
    }
    follow_hint(&created, options.content.output, called, terminal)?;
    if !options.wait {
        return Ok(Outcome::Yes);
    }
    let target = Target::of(&created.summary);
    watch::progress(&portal, &target, Until::Settled, options.timeout, called, terminal).await
}

/// Returns the value of an option among arguments that are only read as a whole later.
pub(crate) fn option<'w>(words: &'w [String], name: &str) -> Option<&'w str> {
    let long = if name.len() == 1 { format!("-{name}") } else { format!("--{name}") };
    let mut words = words.iter().take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        match word.strip_prefix(&long) {
            Some("") => return words.next().map(String::as_str),
            Some(rest) if rest.starts_with('=') => return Some(&rest[1..]),
            _ => {}
        }
    }
    None
}

pub(crate) fn text(spec: &Map<String, Value>, pointer: &str) -> Option<String> {
    let (first, rest) = pointer.trim_start_matches('/').split_once('/')?;
    spec.get(first)?.get(rest)?.as_str().map(str::to_owned)
}

/// Returns a promise as the workspace offers it, or an error with promises that have a similar name.
pub(crate) async fn find_promise(portal: &Portal, name: &str, home: Option<&str>, called: Called) -> Result<PromiseDetail, Error> {
    let workspace = portal.workspace()?;
    let path = api(&["workspaces", workspace, "promises", name]);
    match portal.get::<PromiseDetail>(&path, &[("home", home.unwrap_or_default())]).await {
        Ok(found) => Ok(found.body),
        Err(Error::Refused { code: NOT_FOUND, message, .. }) => {
            let all = portal.list::<PromiseSummary>(&api(&["workspaces", workspace, "promises"]), &[]).await;
            let Ok(all) = all else { return Err(Error::refused(NOT_FOUND, message)) };
            let near = all.items.iter().map(|known| (strsim::jaro_winkler(name, &known.name), &known.name));
            let near = near.filter(|(score, _)| *score > 0.8).max_by(|a, b| a.0.total_cmp(&b.0));
            let hint = near.map(|(_, known)| format!(" Did you mean {known}?")).unwrap_or_default();
            let message =
                format!("{workspace} doesn't offer a promise {name}.{hint} `{} promise list` shows what it offers.", called.name());
            Err(Error::refused(NOT_FOUND, message))
        }
        Err(error) => Err(error),
    }
}

/// Returns what forms need of a promise.
pub(crate) fn spec(detail: &PromiseDetail) -> PromiseSpec {
    PromiseSpec {
        version: detail.summary.version.clone(),
        parameters: detail.schema.clone().map(Arc::new),
        secret_parameters: detail.secret_parameters.clone(),
        form: detail.form.clone(),
        ..PromiseSpec::default()
    }
}

/// Returns the command that requests a promise, without its fields.
fn new_command(detail: &PromiseDetail, called: Called) -> Command {
    let name = &detail.summary.name;
    let title = format!("{} {}", detail.summary.title, detail.summary.version);
    let about = match &detail.summary.summary {
        Some(summary) => format!("Request {title}: {}", wording::lower_first(summary)),
        None => format!("Request {title}."),
    };
    let command = Command::new(name.clone()).bin_name(format!("{} promise request {name}", called.name())).about(one_line(&about, 400));
    let presets: Vec<&str> = detail.form.presets.iter().map(|preset| preset.name.as_str()).collect();
    let presets = if presets.is_empty() { String::new() } else { format!("Presets: {}\n", presets.join(", ")) };
    let after = "Text fields take @FILE for the content of a file, and - for standard input.";
    NewOptions::augment_args(Way::augment_args(command)).after_help(format!("{presets}{after}"))
}

/// Returns the command that requests a promise, with its fields, for completion.
pub(crate) fn promise_command(detail: &PromiseDetail, called: Called) -> Command {
    Form::new(&detail.summary.name, spec(detail), new_command(detail, called)).command()
}

/// Returns the values that flags change: those of a preset or example, or of a file.
fn start(options: &NewOptions, detail: &PromiseDetail, terminal: &mut Terminal<'_>) -> Result<Given, Error> {
    let mut given = Given { parameters: json!({}), ..Given::default() };
    if let Some(name) = &options.preset {
        let presets = detail.form.presets.iter().map(|preset| (&preset.name, &preset.values));
        let mut all = presets.chain(detail.examples.iter().map(|example| (&example.name, &example.parameters)));
        let found = all.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, values)| values.clone());
        let Some(values) = found else {
            let known: Vec<&str> = detail
                .form
                .presets
                .iter()
                .map(|preset| preset.name.as_str())
                .chain(detail.examples.iter().map(|example| example.name.as_str()))
                .collect();
            let choose =
                if known.is_empty() { format!("{} has none", detail.summary.name) } else { format!("choose {}", wording::one_of(&known)) };
            return Err(Error::Usage(format!("--preset {name}: {choose}")));
        };
        given.parameters = values.unwrap_or_else(|| json!({}));
    }
    if let Some(file) = &options.content.file {
        let read = read_file(file, terminal)?;
        let promise = text(&read.spec, "/promise/name");
        if let Some(other) = promise.filter(|other| *other != detail.summary.name) {
            return Err(Error::Usage(format!("{}: it requests {other}, not {}", file.display(), detail.summary.name)));
        }
        let values = read.parameters.as_object().cloned().unwrap_or_default();
        for (key, value) in values {
            given.parameters[key] = value;
        }
        given = Given { parameters: given.parameters, ..read };
    }
    Ok(given)
}

/// Returns the manifest of a request without its name.
fn manifest(given: &Given, promise: Value, reason: Option<&str>) -> Value {
    let mut spec = given.spec.clone();
    spec.remove("requester");
    spec.insert("promise".to_owned(), promise);
    spec.insert("parameters".to_owned(), given.parameters.clone());
    if let Some(reason) = reason {
        spec.insert("reason".to_owned(), reason.into());
    }
    json!({"apiVersion": names::API_VERSION, "kind": "PromiseRequest", "metadata": {}, "spec": spec})
}

/// Adds secrets to what is sent: the portal writes them to a Secret, and a reference into the request.
pub(crate) fn with_secrets(mut manifest: Value, secrets: &Secrets) -> Value {
    put_secrets(&mut manifest, secrets, |_, secret| secret.into());
    manifest
}

/// Puts a reference in place of each secret: nothing that is only checked or shown needs the secret itself.
pub(crate) fn with_references(mut manifest: Value, secrets: &Secrets) -> Value {
    let name = names::inputs_secret(manifest["metadata"]["name"].as_str().unwrap_or_default());
    put_secrets(&mut manifest, secrets, |path, _| json!({"name": name, "key": path.trim_start_matches('.')}));
    manifest
}

fn put_secrets(manifest: &mut Value, secrets: &Secrets, value: impl Fn(&str, &str) -> Value) {
    for (text, secret) in secrets {
        if let Ok(path) = Path::parse(text) {
            path.put(&mut manifest["spec"]["parameters"], value(text, secret));
        }
    }
}

/// Returns names for a new request, the first that is free before others: someone else can be quicker.
async fn names_for(portal: &Portal, promise: &str, chosen: Option<&str>) -> Result<Vec<String>, Error> {
    if let Some(chosen) = chosen {
        return Ok(vec![chosen.to_owned()]);
    }
    let path = api(&["workspaces", portal.workspace()?, "requests"]);
    let there = portal.list::<RequestSummary>(&path, &[("promise", promise)]).await;
    // People can create requests without being allowed to list them.
    let taken: Vec<String> = there.map(|page| page.items.into_iter().map(|request| request.name).collect()).unwrap_or_default();
    let numbered = (1..=MOST_NAMES).map(|number| if number == 1 { promise.to_owned() } else { format!("{promise}-{number}") });
    Ok(numbered.filter(|name| !taken.contains(name)).collect())
}

/// Creates a request with the first name that isn't taken.
async fn create(
    portal: &Portal,
    manifest: Value,
    secrets: &Secrets,
    names: &[String],
    terminal: &Terminal<'_>,
) -> Result<RequestDetail, Error> {
    let path = api(&["workspaces", portal.workspace()?, "requests"]);
    let mut body = with_secrets(manifest, secrets);
    let mut names = names.iter().peekable();
    while let Some(name) = names.next() {
        body["metadata"]["name"] = name.as_str().into();
        let key = terminal.key();
        let fields = [(header::HeaderName::from_static("idempotency-key"), key.as_str())];
        match portal.send::<RequestDetail>(Method::POST, &path, &fields, &body).await {
            Err(error) if error.is_taken() && names.peek().is_some() => {}
            other => return other.map(|answer| answer.body),
        }
    }
    Err(Error::Usage("choose a name with --name: all names that could be chosen for you are taken".to_owned()))
}

/// Returns the values that policies give a new request, a line each: what isn't typed is said. Empty for programs, which read them in the
/// status, and if the portal can't tell before it is created.
async fn values_of_policies(
    portal: &Portal,
    detail: &PromiseDetail,
    manifest: &Value,
    secrets: &Secrets,
    names: &[String],
    output: Output,
) -> Vec<String> {
    if !matches!(output, Output::Table | Output::Wide) || detail.rules.is_empty() {
        return Vec::new();
    }
    let mut checked = manifest.clone();
    checked["metadata"]["name"] = names.first().map_or("", String::as_str).into();
    match check(portal, &with_references(checked, secrets)).await {
        Ok(answer) => preflight::values_of_policies(&answer, &detail.rules),
        Err(_) => Vec::new(),
    }
}

/// Asks the portal what would become of a request.
pub(crate) async fn check(portal: &Portal, manifest: &Value) -> Result<PreflightAnswer, Error> {
    let path = api(&["workspaces", portal.workspace()?, "preflight"]);
    Ok(portal.send(Method::POST, &with_query(&path, &[]), &[], manifest).await?.body)
}

/// Shows what would become of a request, or with a format for programs what would be sent.
pub(crate) async fn rehearse(
    portal: &Portal,
    form: &Form,
    manifest: &Value,
    secrets: &Secrets,
    output: Output,
    terminal: &mut Terminal<'_>,
) -> Result<Outcome, Error> {
    let checked = with_references(manifest.clone(), secrets);
    let answer = check(portal, &checked).await.map_err(|error| form.named(error))?;
    match data(output, &checked) {
        Some(text) => {
            terminal.print(&text)?;
            terminal.note(&preflight::brief(&answer))?;
        }
        None => terminal.print(&preflight::text(&answer))?,
    }
    Ok(preflight::is_yes(&answer).into())
}

/// Shows a request that was created or changed.
pub(crate) fn shown(detail: &RequestDetail, output: Output, verb: &str, terminal: &mut Terminal<'_>) -> Result<(), Error> {
    if let Some(text) = data(output, detail) {
        return Ok(terminal.print(&text)?);
    }
    let summary = &detail.summary;
    if output == Output::Name {
        return Ok(terminal.print(&format!("{}\n", summary.name))?);
    }
    let cost = summary.cost.as_ref().map(|_| format!("Cost: {}\n", monthly(summary.cost.as_ref()))).unwrap_or_default();
    let message = one_line(&summary.message, usize::MAX);
    Ok(terminal.print(&format!("Request {} {verb} in {}.\n{message}\n{cost}", summary.name, summary.workspace))?)
}

/// Says how to follow a request that was created or changed.
pub(crate) fn follow_hint(detail: &RequestDetail, output: Output, called: Called, terminal: &mut Terminal<'_>) -> Result<(), Error> {
    if matches!(output, Output::Table | Output::Wide) {
        terminal.note(&styled(FAINT, &format!("Follow it: {} request watch {}", called.name(), detail.summary.name)))?;
    }
    Ok(())
}

pub(crate) fn clap_error(error: clap::Error) -> Error {
    Error::Clap { error: Box::new(error), more: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_found_before_the_schema_is_known() {
        let words: Vec<String> = "--tier x --home root:platform -n data --size=2".split(' ').map(str::to_owned).collect();
        assert_eq!(
            (option(&words, "home"), option(&words, "n"), option(&words, "size"), option(&words, "none")),
            (Some("root:platform"), Some("data"), Some("2"), None)
        );
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("10m"), Ok(Duration::from_secs(600)));
        assert!(duration("soon").is_err() && duration("-5s").is_err());
    }

    #[test]
    fn a_file_keeps_what_flags_do_not_change() {
        let spec = serde_json::from_value(json!({"reason": "Why", "requester": {"username": "x"}, "upgrade": "patch"})).unwrap();
        let given = Given { parameters: json!({"a": 1}), spec, ..Given::default() };
        let made = manifest(&given, json!({"name": "redis"}), None);
        assert_eq!(made["spec"], json!({"promise": {"name": "redis"}, "parameters": {"a": 1}, "reason": "Why", "upgrade": "patch"}));
        assert_eq!(manifest(&given, json!({"name": "redis"}), Some("New"))["spec"]["reason"], "New");
        assert_eq!(with_secrets(made.clone(), &Secrets::new()), made);
    }

    #[test]
    fn a_secret_is_only_in_what_is_written() {
        let secrets = Secrets::from([(".login.password".to_owned(), "hunter2".to_owned())]);
        let made = json!({"metadata": {"name": "orders"}, "spec": {"parameters": {"a": 1}}});
        assert_eq!(with_secrets(made.clone(), &secrets)["spec"]["parameters"], json!({"a": 1, "login": {"password": "hunter2"}}));
        let reference = json!({"name": "orders-inputs", "key": "login.password"});
        assert_eq!(with_references(made, &secrets)["spec"]["parameters"], json!({"a": 1, "login": {"password": reference}}));
    }
}
