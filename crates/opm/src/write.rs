//! `opm promise request`, `opm request edit` and `opm request diff`: what is requested, from flags, a file or an editor.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Command, FromArgMatches as _};
use http::{Method, header};
use promise::api::{PreflightAnswer, PromiseSpec};
use promise::path::Path;
use promise::rest::{PromiseDetail, PromiseSummary, RequestDetail, RequestSummary};
use promise::{names, wording};
use serde_json::{Map, Value, json};

use crate::commands::Called;
use crate::error::NOT_FOUND;
use crate::form::{Form, Given, Secrets, read_file};
use crate::output::{Output, data, monthly, one_line};
use crate::portal::{Portal, Way, api, with_query};
use crate::requests::Target;
use crate::terminal::{FAINT, Terminal, styled};
use crate::watch::{self, Until};
use crate::{Error, Outcome, preflight};

/// Highest number at the end of a name that is chosen for a new request.
const MOST_NAMES: usize = 100;
/// Lines around a difference.
const AROUND: usize = 3;

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

/// Options of a change.
#[derive(Args, Debug)]
struct EditOptions {
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Version of the promise, or a constraint such as ~1.2.
    #[arg(long, value_name = "VERSION")]
    promise_version: Option<String>,
    /// Remove the value of a field, so that its default applies; can be repeated.
    #[arg(long, value_name = "FIELD")]
    unset: Vec<String>,
    #[command(flatten)]
    content: Content,
    /// Wait until the change is rolled out, or needs someone.
    #[arg(long)]
    wait: bool,
    /// Longest time to wait, such as 90s or 10m.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    timeout: Duration,
    /// Program that edits text.
    #[arg(long, value_name = "PROGRAM", env = "EDITOR", hide_env_values = true)]
    editor: Option<String>,
}

/// What is requested, and how the result is shown.
#[derive(Args, Debug)]
struct Content {
    /// File with the parameters, or with a PromiseRequest; - reads standard input. Flags change its values.
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Why it is needed, shown to approvers.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Check it and create nothing. With -o yaml or json, print what would be sent.
    #[arg(long)]
    dry_run: bool,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
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
    if let Some(namespace) = options.namespace.as_ref().or(given.namespace.as_ref()) {
        manifest["metadata"]["namespace"] = namespace.as_str().into();
    }
    let chosen = options.name.clone().or(given.name);
    let names = names_for(&portal, name, chosen.as_deref()).await?;
    if options.content.dry_run {
        manifest["metadata"]["name"] = names.first().map_or(name.as_str(), String::as_str).into();
        return rehearse(&portal, &form, &manifest, &secrets, options.content.output, terminal).await;
    }
    let created = create(&portal, manifest, &secrets, &names, terminal).await.map_err(|error| form.named(error))?;
    shown(&created, options.content.output, "created", called, terminal)?;
    if !options.wait {
        return Ok(Outcome::Yes);
    }
    let target = Target::of(&created.summary);
    watch::one(&portal, &target, Until::Settled, Some(options.timeout), Output::Table, called, terminal).await
}

/// Changes a request. `words` are its name and everything after it.
pub(crate) async fn edit(words: &[String], way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let change = Change::read(words, way, called, "edit", terminal).await?;
    let Change { portal, target, former, etag, form, options, manifest, secrets, is_given } = change;
    let manifest = if is_given { manifest } else { edited(&options, manifest, terminal)? };
    if manifest["spec"] == before(&former)["spec"] && secrets.is_empty() {
        terminal.note(&format!("Nothing changed in {}.", target.name))?;
        return Ok(Outcome::Yes);
    }
    if options.content.dry_run {
        return rehearse(&portal, &form, &manifest, &secrets, options.content.output, terminal).await;
    }
    let key = terminal.key();
    let version = etag.unwrap_or_else(|| format!("\"{}\"", former.resource_version));
    let fields = [(header::IF_MATCH, version.as_str()), (header::HeaderName::from_static("idempotency-key"), key.as_str())];
    let body = with_secrets(manifest, &secrets);
    let changed = portal.send::<RequestDetail>(Method::PUT, &target.path(), &fields, &body).await.map_err(|error| form.named(error))?.body;
    shown(&changed, options.content.output, "changed", called, terminal)?;
    if !options.wait {
        return Ok(Outcome::Yes);
    }
    watch::one(&portal, &target, Until::Settled, Some(options.timeout), Output::Table, called, terminal).await
}

/// Shows what a change would change. The answer is no if anything differs, as `diff` has it.
pub(crate) async fn diff(words: &[String], way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let change = Change::read(words, way, called, "diff", terminal).await?;
    let Change { portal, target, former, form, options, manifest, secrets, is_given, .. } = change;
    if !is_given {
        let name = &target.name;
        return Err(Error::Usage(format!(
            "say what to compare with: `{} request diff {name} -f FILE`, or the flags of an edit",
            called.name()
        )));
    }
    let (from, to) = (before(&former), &manifest);
    let text = |value: &Value| promise::form::yaml::write(&value["spec"]);
    let difference = similar::TextDiff::from_lines(text(&from).as_str(), text(to).as_str())
        .unified_diff()
        .context_radius(AROUND)
        .header(&format!("{} (now)", target.name), &format!("{} (changed)", target.name))
        .to_string();
    terminal.print(&difference)?;
    let secret: String = secrets.keys().map(|path| format!("{path}: a new secret\n")).collect();
    terminal.print(&secret)?;
    let is_same = from["spec"] == to["spec"] && secrets.is_empty();
    if !is_same && options.content.output != Output::Name {
        let answer = check(&portal, to).await.map_err(|error| form.named(error))?;
        terminal.note(&preflight::brief(&answer))?;
    }
    Ok(is_same.into())
}

/// A change of a request, before it is sent.
struct Change {
    portal: Portal,
    target: Target,
    former: RequestDetail,
    etag: Option<String>,
    form: Form,
    options: EditOptions,
    manifest: Value,
    secrets: Secrets,
    /// Whether flags or a file say what changes.
    is_given: bool,
}

impl Change {
    async fn read(words: &[String], way: &Way, called: Called, verb: &str, terminal: &mut Terminal<'_>) -> Result<Self, Error> {
        let Some((name, words)) = words.split_first() else {
            return Err(Error::Usage(format!("name the request; `{} request list` shows them", called.name())));
        };
        let way = way.found_in(words);
        let portal = Portal::open(&way).await?;
        let target = Target::find(&portal, name, option(words, "namespace").or_else(|| option(words, "n")), called).await?;
        let read = portal.get::<RequestDetail>(&target.path(), &[]).await?;
        let former = read.body;
        let promise = find_promise(&portal, &former.summary.promise, former.summary.home.as_deref(), called).await?;
        let base =
            Command::new(verb.to_owned()).bin_name(format!("{} request {verb} {name}", called.name())).about(format!("{verb} {name}"));
        let form = Form::new(&former.summary.promise, spec(&promise), EditOptions::augment_args(Way::augment_args(base)));
        let matches = form.parse(words)?;
        let options = EditOptions::from_arg_matches(&matches).map_err(clap_error)?;
        let mut manifest = before(&former);
        if let Some(file) = &options.content.file {
            let given = read_file(file, terminal)?;
            manifest["spec"]["parameters"] = given.parameters;
            for (key, value) in given.spec.into_iter().filter(|(key, _)| key != "promise" && key != "requester") {
                manifest["spec"][key] = value;
            }
        }
        let mut parameters = manifest["spec"]["parameters"].take();
        for field in &options.unset {
            let path = Path::parse(field).map_err(|error| Error::Usage(format!("--unset {field}: {error}")))?;
            if path.remove(&mut parameters).is_none() {
                return Err(Error::Usage(format!("--unset {field}: {name} has no value there")));
            }
        }
        let secrets = form.fill(&matches, &mut parameters, terminal)?;
        manifest["spec"]["parameters"] = parameters;
        if let Some(reason) = &options.content.reason {
            manifest["spec"]["reason"] = reason.as_str().into();
        }
        if let Some(version) = &options.promise_version {
            manifest["spec"]["promise"]["version"] = version.as_str().into();
        }
        let is_given = options.content.file.is_some()
            || !secrets.is_empty()
            || !options.unset.is_empty()
            || manifest["spec"] != before(&former)["spec"];
        Ok(Self { portal, target, former, etag: read.etag, form, options, manifest, secrets, is_given })
    }
}

/// Returns the manifest of a request as it is.
fn before(detail: &RequestDetail) -> Value {
    let summary = &detail.summary;
    let mut spec = json!(detail.spec);
    if let Some(spec) = spec.as_object_mut() {
        spec.remove("requester");
        spec.entry("parameters").or_insert_with(|| json!({}));
    }
    json!({
        "apiVersion": names::API_VERSION, "kind": "PromiseRequest",
        "metadata": {"name": summary.name, "namespace": summary.namespace}, "spec": spec,
    })
}

/// Opens an editor on a request, and returns what is saved.
fn edited(options: &EditOptions, manifest: Value, terminal: &mut Terminal<'_>) -> Result<Value, Error> {
    if !terminal.interactive {
        return Err(Error::Usage("say what to change: with the flags of the fields, with --unset, or with -f FILE".to_owned()));
    }
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("request.yaml");
    std::fs::write(&file, promise::form::yaml::write(&manifest)).map_err(Error::file(&file))?;
    let program = options.editor.clone().unwrap_or_else(|| "vi".to_owned());
    let mut words = program.split_whitespace();
    let command = words.next().unwrap_or("vi");
    let status = std::process::Command::new(command).args(words).arg(&file).status().map_err(Error::file(std::path::Path::new(command)))?;
    if !status.success() {
        return Err(Error::Usage(format!("{program} ended with an error, so nothing was changed")));
    }
    let text = std::fs::read_to_string(&file).map_err(Error::file(&file))?;
    let value = promise::form::yaml::read_document(&text).map_err(|error| Error::Usage(error.message))?;
    if value["metadata"] != manifest["metadata"] {
        return Err(Error::Usage("name and namespace of a request can't be changed".to_owned()));
    }
    Ok(value)
}

/// Returns the value of an option among arguments that are only read as a whole later.
fn option<'w>(words: &'w [String], name: &str) -> Option<&'w str> {
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

fn text(spec: &Map<String, Value>, pointer: &str) -> Option<String> {
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
        parameters: detail.schema.clone(),
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
fn with_secrets(mut manifest: Value, secrets: &Secrets) -> Value {
    if !secrets.is_empty() {
        manifest["secrets"] = json!(secrets);
    }
    manifest
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

/// Asks the portal what would become of a request.
async fn check(portal: &Portal, manifest: &Value) -> Result<PreflightAnswer, Error> {
    let path = api(&["workspaces", portal.workspace()?, "preflight"]);
    Ok(portal.send(Method::POST, &with_query(&path, &[]), &[], manifest).await?.body)
}

/// Shows what would become of a request, or with a format for programs what would be sent.
async fn rehearse(
    portal: &Portal,
    form: &Form,
    manifest: &Value,
    secrets: &Secrets,
    output: Output,
    terminal: &mut Terminal<'_>,
) -> Result<Outcome, Error> {
    let mut checked = manifest.clone();
    for path in secrets.keys() {
        let reference = json!({"name": names::inputs_secret(manifest["metadata"]["name"].as_str().unwrap_or_default()), "key": path.trim_start_matches('.')});
        if let Ok(path) = Path::parse(path) {
            path.put(&mut checked["spec"]["parameters"], reference);
        }
    }
    let answer = check(portal, &checked).await.map_err(|error| form.named(error))?;
    match data(output, manifest) {
        Some(text) => {
            terminal.print(&text)?;
            terminal.note(&preflight::brief(&answer))?;
        }
        None => terminal.print(&preflight::text(&answer))?,
    }
    Ok(preflight::is_yes(&answer).into())
}

/// Shows a request that was created or changed.
fn shown(detail: &RequestDetail, output: Output, verb: &str, called: Called, terminal: &mut Terminal<'_>) -> Result<(), Error> {
    if let Some(text) = data(output, detail) {
        return Ok(terminal.print(&text)?);
    }
    let summary = &detail.summary;
    if output == Output::Name {
        return Ok(terminal.print(&format!("{}\n", summary.name))?);
    }
    let cost = summary.cost.as_ref().map(|_| format!("Cost: {}\n", monthly(summary.cost.as_ref()))).unwrap_or_default();
    let message = one_line(&summary.message, usize::MAX);
    terminal.print(&format!("Request {} {verb} in {}.\n{message}\n{cost}", summary.name, summary.workspace))?;
    terminal.note(&styled(FAINT, &format!("Follow it: {} request watch {}", called.name(), summary.name)))?;
    Ok(())
}

fn clap_error(error: clap::Error) -> Error {
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
        assert!(with_secrets(made.clone(), &Secrets::new()).get("secrets").is_none());
        assert_eq!(with_secrets(made, &Secrets::from([(".p".to_owned(), "v".to_owned())]))["secrets"], json!({".p": "v"}));
    }
}
