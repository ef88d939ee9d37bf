//! `opm request action` and `opm request runs`: day-2 actions of a request, and their runs.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Command, FromArgMatches as _};
use http::{Method, header};
use promise::api::{ActionPhase, PromiseSpec};
use promise::rest::{ActionItem, Page, RunBody, RunDetail, RunSummary};
use promise::workflow::{action_label, step_label};
use serde_json::{Map, Value};
use tokio::time::{Instant, sleep};

use crate::commands::Called;
use crate::error::{NOT_FOUND, TIMED_OUT};
use crate::form::{Form, read_file};
use crate::output::{Output, Table, age, data};
use crate::portal::{Portal, Way, api};
use crate::target::Target;
use crate::terminal::Terminal;
use crate::write::{clap_error, duration, option};
use crate::{Error, Outcome};

/// How often a run that is waited for is read.
const PAUSE: Duration = Duration::from_secs(1);

/// Options of a new run.
#[derive(Args, Debug)]
struct RunOptions {
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// File with the parameters; - reads standard input. Flags change its values.
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Run it without asking.
    #[arg(short, long)]
    yes: bool,
    /// Wait until it ends. Exit code 1 if it doesn't succeed.
    #[arg(long)]
    wait: bool,
    /// Longest time to wait, such as 90s or 10m.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    timeout: Duration,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// Arguments of `runs`.
#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// Name of the request, or NAMESPACE/NAME.
    name: String,
    /// Name of a run, to show it in full.
    run: Option<String>,
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Cancel the run. Completed steps aren't undone.
    #[arg(long, requires = "run", conflicts_with = "retry")]
    cancel: bool,
    /// Retry the failed steps of the run.
    #[arg(long, requires = "run")]
    retry: bool,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// Lists the actions of a request, or runs one. `words` are the name of the request, that of the action, and everything after them.
pub(crate) async fn action(words: &[String], way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let Some((name, words)) = words.split_first() else {
        return Err(Error::Usage(format!("name the request; `{} request list` shows them", called.name())));
    };
    let way = way.found_in(words);
    let portal = Portal::open(&way).await?;
    let target = Target::find(&portal, name, option(words, "namespace").or_else(|| option(words, "n")), called).await?;
    let actions = portal.get::<Page<ActionItem>>(&format!("{}/actions", target.path()), &[]).await?.body.items;
    match words.split_first().filter(|(action, _)| !action.starts_with('-')) {
        Some((action, words)) => run(&portal, &target, &actions, (action, words), called, terminal).await,
        None => {
            let about = format!("List the day-2 actions of {name}, or run one: {} request action {name} ACTION", called.name());
            let command = Command::new("action").bin_name(format!("{} request action {name}", called.name())).about(about);
            let command = ListOptions::augment_args(Way::augment_args(command)).no_binary_name(true).disable_version_flag(true);
            let matches = command.try_get_matches_from(words).map_err(clap_error)?;
            list(&target, &actions, ListOptions::from_arg_matches(&matches).map_err(clap_error)?.output, called, terminal)
        }
    }
}

/// Options of the list of actions.
#[derive(Args, Debug)]
struct ListOptions {
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

fn list(target: &Target, actions: &[ActionItem], output: Output, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    match data(output, &actions) {
        Some(text) => terminal.print(&text)?,
        None if output == Output::Name => terminal.print(&actions.iter().map(|action| format!("{}\n", action.name)).collect::<String>())?,
        None if actions.is_empty() => terminal.note(&format!("{} has no actions.", target.name))?,
        None => {
            let mut table = Table::new(output, &["NAME", "ACTION", "AVAILABLE", "DESCRIPTION"]);
            for action in actions {
                table.row(vec![
                    action.name.clone().into(),
                    action.title.clone().into(),
                    if action.available { "yes" } else { "no" }.into(),
                    action.reason.clone().or_else(|| action.description.clone()).unwrap_or_default().into(),
                ]);
            }
            terminal.print(&table.render())?;
            terminal.note(&format!("Run one with `{} request action {} ACTION`.", called.name(), target.name))?;
        }
    }
    Ok(Outcome::Yes)
}

async fn run(
    portal: &Portal,
    target: &Target,
    actions: &[ActionItem],
    (name, words): (&str, &[String]),
    called: Called,
    terminal: &mut Terminal<'_>,
) -> Result<Outcome, Error> {
    let Some(action) = actions.iter().find(|action| action.name == name) else {
        let list = format!("{} request action {}", called.name(), target.name);
        return Err(Error::refused(NOT_FOUND, format!("{} has no action {name}; `{list}` shows what it has", target.name)));
    };
    let base = Command::new("action").bin_name(format!("{} request action {} {name}", called.name(), target.name));
    let base = base.about(action.description.clone().unwrap_or_else(|| action.title.clone()));
    let spec = PromiseSpec { parameters: Some(action.parameters.clone().into()), form: action.form.clone(), ..PromiseSpec::default() };
    let form = Form::new(&action.title, spec, RunOptions::augment_args(Way::augment_args(base)));
    let matches = form.parse(words)?;
    let options = RunOptions::from_arg_matches(&matches).map_err(clap_error)?;
    let mut parameters = match &options.file {
        Some(file) => read_file(file, terminal)?.parameters,
        None => Value::Object(Map::new()),
    };
    form.fill(&matches, &mut parameters, terminal)?;
    confirm(action, target, options.yes, terminal)?;
    let key = terminal.key();
    let fields = [(header::HeaderName::from_static("idempotency-key"), key.as_str())];
    let body = serde_json::to_value(RunBody { parameters: Some(parameters) }).unwrap_or_default();
    let path = format!("{}/actions/{name}", target.path());
    let started = portal.send::<RunDetail>(Method::POST, &path, &fields, &body).await.map_err(|error| form.named(error))?.body;
    if !options.wait {
        return show_started(&started, target, options.output, called, terminal);
    }
    let ended = wait(portal, target, started, options.timeout, called, terminal).await?;
    show(&ended, options.output, terminal)?;
    Ok((ended.summary.phase == ActionPhase::Succeeded).into())
}

/// Asks a person to confirm an action that wants it.
fn confirm(action: &ActionItem, target: &Target, yes: bool, terminal: &mut Terminal<'_>) -> Result<(), Error> {
    if !action.confirm || yes {
        return Ok(());
    }
    let name = &target.name;
    let about = action.description.as_deref().unwrap_or(&action.title);
    match terminal.question(&format!("{about} Type {name} to run it in {}:", target.workspace))? {
        Some(answer) if answer == *name => Ok(()),
        Some(_) => Err(Error::refused(crate::error::NO, format!("That doesn't match {name}, so nothing was run."))),
        None => Err(Error::Usage(format!("confirm with --yes: {about}"))),
    }
}

fn show_started(run: &RunDetail, target: &Target, output: Output, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    match data(output, run) {
        Some(text) => terminal.print(&text)?,
        None if output == Output::Name => terminal.print(&format!("{}\n", run.summary.name))?,
        None => {
            terminal.print(&format!("Started {} of request {} in {}.\n", run.summary.action, target.name, target.workspace))?;
            terminal.note(&format!("See it with `{} request runs {} {}`.", called.name(), target.name, run.summary.name))?;
        }
    }
    Ok(Outcome::Yes)
}

fn run_path(target: &Target, run: &str) -> String {
    format!("{}/{run}", api(&["workspaces", &target.workspace, "requests", &target.namespace, &target.name, "runs"]))
}

/// Waits until a run ends, and notes what it waits for whenever that changes.
async fn wait(
    portal: &Portal,
    target: &Target,
    started: RunDetail,
    timeout: Duration,
    called: Called,
    terminal: &mut Terminal<'_>,
) -> Result<RunDetail, Error> {
    let deadline = Instant::now() + timeout;
    let (mut run, mut noted) = (started, String::new());
    while !run.summary.phase.is_over() {
        let waits = run.waiting_on.as_ref().map(|waiting| waiting.message.clone()).unwrap_or_default();
        if !waits.is_empty() && waits != noted {
            terminal.note(&format!("{waits}."))?;
            noted = waits;
        }
        if Instant::now() >= deadline {
            let name = &run.summary.name;
            let see = format!("{} request runs {} {name}", called.name(), target.name);
            return Err(Error::refused(TIMED_OUT, format!("{name} hasn't ended yet; `{see}` shows it")));
        }
        sleep(PAUSE).await;
        run = portal.get::<RunDetail>(&run_path(target, &run.summary.name), &[]).await?.body;
    }
    Ok(run)
}

/// Lists the runs of a request; shows, cancels or retries one.
pub(crate) async fn runs(args: &RunsArgs, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let target = Target::find(&portal, &args.name, args.namespace.as_deref(), called).await?;
    let Some(run) = &args.run else { return list_runs(&portal, &target, args.output, terminal).await };
    let path = run_path(&target, run);
    if args.cancel || args.retry {
        let (verb, done) = if args.cancel { ("cancel", "Cancelling") } else { ("retry", "Retrying") };
        portal.send::<RunDetail>(Method::POST, &format!("{path}/{verb}"), &[], &Value::Null).await?;
        terminal.print(&format!("{done} {run} of request {} in {}.\n", target.name, target.workspace))?;
        return Ok(Outcome::Yes);
    }
    let detail = portal.get::<RunDetail>(&path, &[]).await?.body;
    show(&detail, args.output, terminal)?;
    Ok(Outcome::Yes)
}

async fn list_runs(portal: &Portal, target: &Target, output: Output, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let page = portal.list::<RunSummary>(&format!("{}/runs", target.path()), &[]).await?;
    match data(output, &page) {
        Some(text) => terminal.print(&text)?,
        None if output == Output::Name => terminal.print(&page.items.iter().map(|run| format!("{}\n", run.name)).collect::<String>())?,
        None if page.items.is_empty() => terminal.note(&format!("No action of {} has run yet.", target.name))?,
        None => {
            let mut table = Table::new(output, &["NAME", "ACTION", "STATE", "STARTED BY", "AGE"]);
            for run in &page.items {
                table.row(vec![
                    run.name.clone().into(),
                    run.action.clone().into(),
                    action_label(run.phase).into(),
                    run.requester.clone().unwrap_or_default().into(),
                    age(&run.created, (terminal.now)()).into(),
                ]);
            }
            terminal.print(&table.render())?;
        }
    }
    Ok(Outcome::Yes)
}

fn show(run: &RunDetail, output: Output, terminal: &mut Terminal<'_>) -> Result<(), Error> {
    match data(output, run) {
        Some(text) => terminal.print(&text)?,
        None if output == Output::Name => terminal.print(&format!("{}\n", run.summary.name))?,
        None => {
            let waits = run.waiting_on.as_ref().map(|waiting| waiting.message.clone());
            let mut text = format!("{} ({}): {}\n", run.summary.name, run.summary.action, action_label(run.summary.phase));
            for line in [waits, run.message.clone()].into_iter().flatten() {
                text.push_str(&format!("  {line}\n"));
            }
            terminal.print(&text)?;
            let mut table = Table::new(output, &["STEP", "STATE", "ATTEMPTS", "MESSAGE"]);
            for step in &run.steps {
                table.row(vec![
                    step.id.clone().into(),
                    step_label(step.phase, step.attempts).into(),
                    step.attempts.to_string().into(),
                    step.message.clone().unwrap_or_default().into(),
                ]);
            }
            if !run.steps.is_empty() {
                terminal.print(&table.render())?;
            }
            let outputs: String =
                run.outputs.iter().map(|output| format!("{}: {}\n", output.name, promise::wording::value(&output.value))).collect();
            terminal.print(&outputs)?;
        }
    }
    Ok(())
}
