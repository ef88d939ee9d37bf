//! `opm promise render`: what a request of a promise in a file would create, without a portal. It is the preflight of the portal and of the
//! controller, with facts that stand for a workspace.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, Command, FromArgMatches as _};
use jiff::Timestamp;
use promise::api::{
    DestinationId, PolicySpec, PreflightAnswer, PromiseCatalogSpec, PromiseRequestSpec, PromiseSpec, ReleaseRevision, Requester,
};
use promise::check::{SourceFile, files};
use promise::context::{Context, PromiseContext, RequestContext, WorkspaceContext};
use promise::manifest::Manifest;
use promise::names;
use promise::path::Path;
use promise::policy::{Candidate, Target, Usage, gather};
use promise::preflight::{Dry, Input, preflight};
use promise::price::{Day, PriceBook};
use promise::render::Compiled;
use promise::resolve::PromiseReading;
use promise::visibility::{Offer, Place, Shelf};
use serde_json::{Value, json};

use crate::author::{TermsArgs, kinds};
use crate::commands::Called;
use crate::error::NO;
use crate::form::{Form, Given, Secrets, read_file};
use crate::output::{Output, data};
use crate::portal::Way;
use crate::terminal::Terminal;
use crate::{Error, Outcome, preflight as shown};

/// Path of the workspace that requests are made in if none is named.
const WORKSPACE: &str = "root:example";
/// Path and identity of the workspace above it, where promise, policies and catalogs are.
const ABOVE: (&str, &str) = ("root", "above");
/// Identity of the workspace.
const HERE: &str = "here";

/// Options of a rendering.
#[derive(Args, Debug)]
struct Options {
    /// Name of the request [default: the name of the promise].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME", default_value = "default")]
    namespace: String,
    /// File with the parameters, or with a PromiseRequest; - reads standard input. Flags change its values.
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Start from an example or a preset of the promise.
    #[arg(long, value_name = "NAME")]
    example: Option<String>,
    /// File with policies and catalogs to apply; can be repeated.
    #[arg(long = "with", value_name = "FILE")]
    more: Vec<PathBuf>,
    /// Username of the requester.
    #[arg(long, value_name = "NAME", default_value = "you")]
    user: String,
    /// Group of the requester; can be repeated.
    #[arg(long = "group", value_name = "NAME")]
    groups: Vec<String>,
    #[command(flatten)]
    terms: TermsArgs,
    /// Output format: with json or yaml, the complete result of the check.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// Renders a promise. `words` are its file and everything after it.
pub(crate) fn run(words: &[String], way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let Some((file, words)) = words.split_first() else {
        return Err(Error::Usage("name the file with the promise".to_owned()));
    };
    let found = way.found_in(words);
    let path = PathBuf::from(file);
    let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
    let (name, spec) = one(file, &text)?;
    let about = format!("Show what a request of {name} {} would create", spec.version);
    let base = Command::new(name.clone()).bin_name(format!("{} promise render {file}", called.name())).about(about);
    let form = Form::new(&name, spec.clone(), Options::augment_args(Way::augment_args(base)));
    let matches = form.parse(words)?;
    let options = Options::from_arg_matches(&matches).map_err(|error| Error::Clap { error: Box::new(error), more: String::new() })?;
    let mut sources = vec![SourceFile { name: file.clone(), text: Ok(text) }];
    for more in &options.more {
        let text = std::fs::read_to_string(more).map_err(|error| error.to_string());
        sources.push(SourceFile { name: more.display().to_string(), text });
    }
    let manifests = files(&sources, &kinds(), options.terms.terms()).map_err(|defects| Error::refused(NO, defects.to_string()))?;
    let mut given = start(&options, &spec, terminal)?;
    let mut secrets = form.fill(&matches, &mut given.parameters, terminal)?;
    form.complete(&given.parameters, &mut secrets, terminal)?;
    let workspace = found.workspace.as_deref().unwrap_or(WORKSPACE);
    let now = (terminal.now)();
    let facts =
        Facts { name: &name, spec: &spec, options: &options, given: &given, secrets: &secrets, manifests: &manifests, workspace, now };
    let answer = answer(&facts)?;
    match data(options.output, &answer) {
        Some(text) => terminal.print(&text)?,
        None => {
            terminal.print(&documents(&answer))?;
            terminal.note(shown::text(&answer).trim_end())?;
        }
    }
    Ok(shown::is_yes(&answer).into())
}

/// Returns the promise of a file.
fn one(file: &str, text: &str) -> Result<(String, PromiseSpec), Error> {
    let (manifests, _) = Manifest::read(file, text);
    let promises: Vec<&Manifest> = manifests.iter().filter(|manifest| manifest.text_at(".kind") == "Promise").collect();
    match promises.as_slice() {
        [one] => match one.spec::<PromiseSpec>() {
            Ok(spec) => Ok((one.text_at(".metadata.name").to_owned(), spec)),
            Err(defect) => Err(Error::refused(NO, defect.to_string())),
        },
        [] => Err(Error::Usage(format!("{file}: it has no promise"))),
        _ => Err(Error::Usage(format!("{file}: it has several promises; name a file with one"))),
    }
}

fn start(options: &Options, spec: &PromiseSpec, terminal: &mut Terminal<'_>) -> Result<Given, Error> {
    let mut given = Given { parameters: json!({}), ..Given::default() };
    if let Some(name) = &options.example {
        let examples = spec.examples.iter().map(|example| (&example.name, &example.parameters));
        let mut all = examples.chain(spec.form.presets.iter().map(|preset| (&preset.name, &preset.values)));
        let found = all.find(|(known, _)| known.eq_ignore_ascii_case(name));
        let values = found.ok_or_else(|| Error::Usage(format!("--example {name}: the promise has no example of this name")))?;
        given.parameters = values.1.clone().unwrap_or_else(|| json!({}));
    }
    if let Some(file) = &options.file {
        let read = read_file(file, terminal)?;
        for (key, value) in read.parameters.as_object().cloned().unwrap_or_default() {
            given.parameters[key] = value;
        }
        given = Given { parameters: given.parameters, ..read };
    }
    Ok(given)
}

/// What a rendering depends on.
struct Facts<'f> {
    name: &'f str,
    spec: &'f PromiseSpec,
    options: &'f Options,
    given: &'f Given,
    secrets: &'f Secrets,
    manifests: &'f [Manifest],
    workspace: &'f str,
    now: Timestamp,
}

/// Checks a request with the promise, and with the policies and catalogs of the files as if they were in the workspace above.
fn answer(facts: &Facts<'_>) -> Result<PreflightAnswer, Error> {
    let Facts { name, spec, options, given, secrets, manifests, workspace, now } = *facts;
    let trusted = options.terms.terms().trusted;
    let compiled = Compiled::compile(spec).map_err(|problems| Error::Refused {
        code: NO,
        message: "The promise has problems".to_owned(),
        problems,
        reason: None,
    })?;
    let (path, cluster) = ABOVE;
    let home = Place { cluster: cluster.to_owned(), path: path.to_owned() };
    let here = Place { cluster: HERE.to_owned(), path: workspace.to_owned() };
    let lineage = [home.clone(), here];
    let clusters: Vec<String> = lineage.iter().map(|place| place.cluster.clone()).collect();
    let of_kind = |kind: &'static str| manifests.iter().filter(move |manifest| manifest.text_at(".kind") == kind);
    let catalogs: Vec<(&str, PromiseCatalogSpec)> =
        of_kind("PromiseCatalog").filter_map(|manifest| Some((manifest.text_at(".metadata.name"), manifest.spec().ok()?))).collect();
    let shelves: Vec<Shelf<'_>> = catalogs.iter().map(|(name, spec)| Shelf { name, home: &home, trusted, spec }).collect();
    let book = match shelves.as_slice() {
        [] => PriceBook::closed("No catalog with prices was given; add one with --with FILE."),
        shelves => {
            PriceBook::open(&Offer { name, home: &home, spec, is_deleting: false }, &lineage, shelves, Day::of_unix(now.as_second()))
        }
    };
    let request_name = options.name.clone().or_else(|| given.name.clone()).unwrap_or_else(|| name.to_owned());
    let mut request: PromiseRequestSpec = {
        let mut whole = Value::Object(given.spec.clone());
        whole["promise"] = json!({"name": name});
        serde_json::from_value(whole).map_err(|error| Error::Usage(format!("the request can't be read: {error}")))?
    };
    let mut parameters = given.parameters.clone();
    for secret in secrets.keys() {
        let reference = json!({"name": names::inputs_secret(&request_name), "key": secret.trim_start_matches('.')});
        if let Ok(path) = Path::parse(secret) {
            path.put(&mut parameters, reference);
        }
    }
    request.parameters = Some(parameters);
    let context = Context {
        request: RequestContext {
            name: request_name,
            namespace: given.namespace.clone().unwrap_or_else(|| options.namespace.clone()),
            workspace: workspace.to_owned(),
            requester: Requester { username: options.user.clone(), groups: options.groups.clone(), cluster: None },
            deletion_policy: request.deletion_policy,
            ..RequestContext::default()
        },
        promise: PromiseContext { name: name.to_owned(), version: spec.version.clone(), workspace: home.path.clone() },
        workspace: WorkspaceContext {
            path: workspace.to_owned(),
            name: workspace.rsplit(':').next().unwrap_or_default().to_owned(),
            labels: BTreeMap::new(),
        },
        prices: book.values.clone(),
        action: None,
    };
    let candidate = |manifest: &Manifest| {
        let spec: PolicySpec = manifest.spec().ok()?;
        Some(Candidate {
            policy: manifest.text_at(".metadata.name").to_owned(),
            workspace: home.path.clone(),
            cluster: home.cluster.clone(),
            trusted,
            spec,
        })
    };
    let candidates: Vec<Candidate> = of_kind("Policy").filter_map(candidate).collect();
    let target = Target {
        promise: name,
        spec,
        home: &home.path,
        home_cluster: &home.cluster,
        home_trusted: trusted,
        workspace,
        labels: &context.workspace.labels,
        lineage: &clusters,
    };
    let policies = gather(&candidates, &target);
    let named = spec.implementation.resources.iter().filter_map(|resource| resource.destination.clone());
    let destinations: BTreeMap<String, DestinationId> =
        named.map(|name| (name.clone(), DestinationId { cluster: home.cluster.clone(), uid: name, server: None })).collect();
    // It stands for the revision that publishing would create.
    let revision = ReleaseRevision { cluster: home.cluster.clone(), name: name.to_owned(), hash: "draft".to_owned() };
    let checked = preflight(&Input {
        name,
        spec,
        compiled: &compiled,
        reading: &PromiseReading::of(spec, trusted),
        home: &home,
        trusted,
        revision: &revision,
        lineage: &clusters,
        policies: Ok(&policies),
        request: &request,
        uid: None,
        generation: 1,
        former: None,
        running: false,
        now,
        context: &context,
        book: &book,
        count: &|_| Usage::default(),
        secrets: None,
        destinations: &destinations,
        unorphaned: &BTreeMap::new(),
        missing: &[],
        unknown: &[],
    });
    Ok(checked.answer(Dry::NotAsked("It needs a portal.".to_owned())))
}

/// Renders the objects as YAML documents, each below a comment with its id.
fn documents(answer: &PreflightAnswer) -> String {
    let mut text = String::new();
    for made in &answer.objects {
        let place = made.destination.as_ref().map(|name| format!(", at {name}")).unwrap_or_default();
        let yaml = promise::form::yaml::write(&made.object);
        let _ = writeln!(text, "---\n# {}{place}\n{}", made.id, yaml.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(line: &str) -> (Result<Outcome, String>, String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut terminal = Terminal {
            out: Box::new(anstream::StripStream::new(&mut out)),
            err: Box::new(anstream::StripStream::new(&mut err)),
            input: Box::new(std::io::empty()),
            ask: None,
            interactive: false,
            now: || Timestamp::constant(1_795_000_000, 0),
            random: |_| {},
        };
        let words: Vec<String> =
            line.split(' ').map(|word| word.replace("EXAMPLES", concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"))).collect();
        let outcome = run(&words, &Way::default(), Called::Opm, &mut terminal).map_err(|error| error.to_string());
        drop(terminal);
        (outcome, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }

    #[test]
    fn objects_are_rendered_with_prices_and_policies_of_other_files() {
        let (outcome, objects, notes) = render("EXAMPLES/promises/postgresql.yaml --tier development --storage 20 --name orders");
        assert_eq!(outcome, Ok(Outcome::Yes), "{notes}");
        for part in ["# database, at sandbox", "kind: Cluster", "name: orders", "size: 20Gi"] {
            assert!(objects.contains(part), "{part} in {objects}");
        }
        assert!(notes.contains("This request would be accepted.") && notes.contains("No catalog with prices was given"), "{notes}");
        assert!(notes.contains("settings waits for database"), "{notes}");
    }

    #[test]
    fn what_the_schema_refuses_is_refused() {
        let (outcome, _, notes) = render("EXAMPLES/promises/postgresql.yaml --tier development --extensions postgis");
        assert_eq!(outcome, Ok(Outcome::No));
        assert!(notes.contains("Choose medium or large for postgis"), "{notes}");
        let (outcome, ..) = render("EXAMPLES/promises/postgresql.yaml --tiers development");
        assert!(outcome.unwrap_err().contains("'--tier'"));
        let (outcome, ..) = render("EXAMPLES/promises/postgresql.yaml --example Orders -o json");
        assert_eq!(outcome, Ok(Outcome::Yes));
        let (outcome, ..) = render("EXAMPLES/workspaces.yaml");
        assert!(outcome.unwrap_err().contains("it has no promise"));
    }

    #[test]
    fn the_same_command_gives_the_same_bytes() {
        let line = "EXAMPLES/promises/redis.yaml --size medium -o yaml";
        assert_eq!(render(line).1, render(line).1);
    }
}
