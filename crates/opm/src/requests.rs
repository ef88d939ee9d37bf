//! `opm request`: list, follow, change and decide on requests.

use clap::Subcommand;
use http::{Method, header};
use promise::rest::{RequestDetail, RequestSummary};
use serde_json::Value;

use crate::commands::{Called, Named};
use crate::error::NO;
use crate::output::{Output, data};
use crate::portal::{Portal, Way, api};
use crate::rows::table;
use crate::target::Target;
use crate::terminal::Terminal;
use crate::watch::{self, Until};
use crate::{Error, Outcome, actions, decide, describe, edit, releases, skip, troubleshooting, write};

/// Commands for requests.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the requests of the workspace.
    #[command(
        visible_alias = "ls",
        after_help = "Examples:\n  opm request list\n  opm request list --state Ready -o wide\n  opm request list --approvals"
    )]
    List(ListArgs),
    /// Show a request: its state, values, resources and outputs.
    Get(GetArgs),
    /// Follow a request until it is ready or needs someone. Without a name, follow your requests in progress, or else those of others.
    #[command(
        after_help = "Exit code 1 if a request failed or was rejected, 7 after --timeout. `opm request list --watch` follows everything in the workspace."
    )]
    Watch(WatchArgs),
    /// Show what a change would change, and what it would cost. Nothing is changed. Exit code 1 if anything differs.
    #[command(
        disable_help_subcommand = true,
        after_help = "Examples:\n  opm request diff orders --size large\n  opm request diff orders -f values.yaml"
    )]
    Diff(Named),
    /// Change a request: with flags made from the schema of its promise, with a file, or in an editor.
    #[command(
        disable_help_subcommand = true,
        after_help = "Examples:\n  opm request edit orders --size large --wait\n  opm request edit orders --unset .labels\n  opm request edit orders\n\n\
        `opm request edit NAME --help` lists the flags of its promise."
    )]
    Edit(Named),
    /// Upgrade a request to the newest version of its promise, or to another one.
    #[command(
        disable_help_subcommand = true,
        after_help = "Examples:\n  opm request upgrade orders --dry-run\n  opm request upgrade orders --to 1.3.0 --region eu-west\n\n\
        Flags for fields are the same as those of `opm request edit`. Fields that the new version requires have to be given."
    )]
    Upgrade(Named),
    /// List the recorded releases of a request.
    Releases(releases::ReleasesArgs),
    /// Go back to an earlier release: its version, values and terms. Policies and approvals apply as to any change.
    #[command(after_help = "Example:\n  opm request rollback orders --to orders-6f1c --dry-run")]
    Rollback(releases::RollbackArgs),
    /// Retry the failed steps of a request's workflow.
    #[command(after_help = "Example:\n  opm request retry orders && opm request watch orders")]
    Retry(WorkflowArgs),
    /// Cancel a request's workflow: what was done stays, and `retry` continues there.
    Cancel(WorkflowArgs),
    /// Skip a step that failed or waits. It needs the permission `override` on the promise; the steps after it run as if it had succeeded.
    #[command(
        after_help = "Examples:\n  opm request skip orders ticket --comment 'Agreed with the network team on the phone'\n  opm request skip orders board --run orders-backup-1f3e --comment 'The board is on holiday'"
    )]
    Skip(skip::SkipArgs),
    /// List the day-2 actions of a request, or run one.
    #[command(
        disable_help_subcommand = true,
        after_help = "Examples:\n  opm request action orders\n  opm request action orders backup --note 'before the migration' --wait\n  opm request action orders restore --backup orders-backup-1f3e --yes\n\n\
        `opm request action NAME ACTION --help` lists the flags of an action."
    )]
    Action(Named),
    /// List the runs of a request's actions; show, cancel or retry one.
    #[command(
        after_help = "Examples:\n  opm request runs orders\n  opm request runs orders orders-backup-1f3e\n  opm request runs orders orders-backup-1f3e --cancel"
    )]
    Runs(actions::RunsArgs),
    /// List what the cluster reports about the resources of a request and their pods.
    Events(troubleshooting::EventsArgs),
    /// Show the end of the log of a pod of a request.
    #[command(
        after_help = "Examples:\n  opm request logs orders\n  opm request logs orders -o name\n  opm request logs orders --pod orders-6f1c-x2k4 --container app --previous\n\n\
        Exit code 1 if the log can't be read; the reason is on the standard error."
    )]
    Logs(troubleshooting::LogsArgs),
    /// Delete a request and everything that was created for it.
    Delete(DeleteArgs),
    /// Approve a request that waits for you.
    #[command(
        after_help = "Examples:\n  opm request approve orders --reason 'Agreed in the review'\n  opm request approve orders --step board\n\nOnly the content that is shown is approved: if it changes meanwhile, the approval is refused."
    )]
    Approve(decide::ApproveArgs),
    /// Reject a request that waits for you, or request changes.
    #[command(
        after_help = "Examples:\n  opm request reject orders --reason 'Too large'\n  opm request reject orders --changes --field .size --reason 'Use medium'"
    )]
    Reject(decide::RejectArgs),
}

/// Arguments of `list`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Only requests that contain these words.
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
    /// Only requests of this promise.
    #[arg(long, value_name = "NAME")]
    promise: Option<String>,
    /// Only requests in this state.
    #[arg(long, value_name = "STATE", value_parser = clap::builder::PossibleValuesParser::new(promise::rest::RequestState::ALL.map(promise::rest::RequestState::word)))]
    state: Option<String>,
    /// List what waits for your decision instead, in all workspaces.
    #[arg(long, conflicts_with_all = ["promise", "state", "watch"])]
    approvals: bool,
    /// List again whenever something changes, until interrupted.
    #[arg(long)]
    watch: bool,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// Arguments of `get`.
#[derive(Debug, clap::Args)]
pub(crate) struct GetArgs {
    /// Name of the request, or NAMESPACE/NAME.
    name: String,
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Show it again whenever it changes, until interrupted.
    #[arg(long)]
    watch: bool,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// Arguments of `watch`.
#[derive(Debug, clap::Args)]
pub(crate) struct WatchArgs {
    /// Name of the request, or NAMESPACE/NAME [default: your requests in progress, or else those of others].
    name: Option<String>,
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Longest time to wait, such as 90s or 10m [default: until interrupted].
    #[arg(long, value_name = "TIME", value_parser = write::duration)]
    timeout: Option<std::time::Duration>,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// Arguments of `retry` and `cancel`.
#[derive(Debug, clap::Args)]
pub(crate) struct WorkflowArgs {
    /// Name of the request, or NAMESPACE/NAME.
    name: String,
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
}

/// Arguments of `delete`.
#[derive(Debug, clap::Args)]
pub(crate) struct DeleteArgs {
    /// Name of the request, or NAMESPACE/NAME.
    name: String,
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Delete without asking.
    #[arg(short, long)]
    yes: bool,
    /// Wait until everything is deleted.
    #[arg(long)]
    wait: bool,
    /// Longest time to wait, such as 90s or 10m.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = write::duration)]
    timeout: std::time::Duration,
}

/// Runs a command.
pub(crate) async fn run(command: &Command, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    match command {
        Command::List(args) if args.approvals => decide::list(way, args.output, terminal).await,
        Command::List(args) => list(args, way, terminal).await,
        Command::Get(args) => get(args, way, called, terminal).await,
        Command::Watch(args) => follow(args, way, called, terminal).await,
        Command::Diff(named) => edit::diff(named.words(), way, called, terminal).await,
        Command::Edit(named) => edit::edit(named.words(), way, called, terminal).await,
        Command::Upgrade(named) => edit::upgrade(named.words(), way, called, terminal).await,
        Command::Releases(args) => releases::list(args, way, called, terminal).await,
        Command::Rollback(args) => releases::roll_back(args, way, called, terminal).await,
        Command::Retry(args) => retry(args, way, called, terminal).await,
        Command::Cancel(args) => cancel(args, way, called, terminal).await,
        Command::Skip(args) => skip::skip(args, way, called, terminal).await,
        Command::Action(named) => actions::action(named.words(), way, called, terminal).await,
        Command::Runs(args) => actions::runs(args, way, called, terminal).await,
        Command::Events(args) => troubleshooting::events(args, way, called, terminal).await,
        Command::Logs(args) => troubleshooting::logs(args, way, called, terminal).await,
        Command::Delete(args) => delete(args, way, called, terminal).await,
        Command::Approve(args) => decide::approve(args, way, called, terminal).await,
        Command::Reject(args) => decide::reject(args, way, called, terminal).await,
    }
}

async fn list(args: &ListArgs, way: &Way, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let path = api(&["workspaces", portal.workspace()?, "requests"]);
    let words = args.words.join(" ");
    let query = [
        ("q", words.as_str()),
        ("promise", args.promise.as_deref().unwrap_or_default()),
        ("state", args.state.as_deref().unwrap_or_default()),
    ];
    let page = portal.list::<RequestSummary>(&path, &query).await?;
    match data(args.output, &page) {
        Some(text) => terminal.print(&text)?,
        None if args.output == Output::Name => {
            terminal.print(&page.items.iter().map(|request| format!("{}\n", request.name)).collect::<String>())?
        }
        None if page.items.is_empty() => terminal.note(&format!("No requests in {} match.", portal.workspace()?))?,
        None => terminal.print(&table(&page.items, args.output, terminal).render())?,
    }
    if !page.unread.is_empty() {
        terminal.note(&format!("{} didn't respond, so requests there aren't listed.", promise::wording::all_of(&page.unread)))?;
    }
    if args.watch {
        return watch::all(&portal, &query, page.items, Until::Interrupted, None, args.output, terminal).await;
    }
    Ok(Outcome::Yes)
}

async fn get(args: &GetArgs, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let target = Target::find(&portal, &args.name, args.namespace.as_deref(), called).await?;
    if args.watch {
        return watch::one(&portal, &target, Until::Interrupted, None, args.output, called, terminal).await;
    }
    let detail = portal.get::<RequestDetail>(&target.path(), &[]).await?.body;
    match data(args.output, &detail) {
        Some(text) => terminal.print(&text)?,
        None if args.output == Output::Name => terminal.print(&format!("{}\n", detail.summary.name))?,
        None => {
            let text = describe::request(&detail, args.output, terminal);
            terminal.print(&text)?;
        }
    }
    Ok(Outcome::Yes)
}

async fn follow(args: &WatchArgs, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    if let Some(name) = &args.name {
        let target = Target::find(&portal, name, args.namespace.as_deref(), called).await?;
        return watch::one(&portal, &target, Until::Settled, args.timeout, args.output, called, terminal).await;
    }
    let path = api(&["workspaces", portal.workspace()?, "requests"]);
    let read = async |query: &[(&str, &str)]| {
        let page = portal.list::<RequestSummary>(&path, query).await?;
        Ok::<(Vec<RequestSummary>, Vec<RequestSummary>), Error>(page.items.into_iter().partition(|request| !watch::is_settled(request)))
    };
    // Requests of others might be stuck for days.
    let (mine, settled) = read(&[("mine", "true")]).await?;
    if !mine.is_empty() {
        watch::start(&mine, args.output, terminal)?;
        return watch::all(&portal, &[("mine", "true")], mine, Until::Settled, args.timeout, args.output, terminal).await;
    }
    let (open, others) = read(&[]).await?;
    if open.is_empty() {
        // Who just created a request wants to see what became of it.
        let newest = |settled: Vec<RequestSummary>| settled.into_iter().max_by(|a, b| a.created.cmp(&b.created));
        let newest = newest(settled).or_else(|| newest(others));
        watch::start(newest.as_slice(), args.output, terminal)?;
        terminal.note(&format!("Nothing is in progress in {}.", portal.workspace()?))?;
        return Ok(Outcome::Yes);
    }
    watch::start(&open, args.output, terminal)?;
    watch::all(&portal, &[], open, Until::Settled, args.timeout, args.output, terminal).await
}

async fn retry(args: &WorkflowArgs, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let target = Target::find(&portal, &args.name, args.namespace.as_deref(), called).await?;
    portal.send::<RequestDetail>(Method::POST, &target.retry_path(), &[], &Value::Null).await?;
    terminal.print(&format!("Retrying request {} in {}.\n", target.name, target.workspace))?;
    Ok(Outcome::Yes)
}

async fn cancel(args: &WorkflowArgs, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let target = Target::find(&portal, &args.name, args.namespace.as_deref(), called).await?;
    portal.send::<RequestDetail>(Method::POST, &target.cancel_path(), &[], &Value::Null).await?;
    terminal.print(&format!("Cancelled the workflow of request {} in {}.\n", target.name, target.workspace))?;
    Ok(Outcome::Yes)
}

async fn delete(args: &DeleteArgs, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let target = Target::find(&portal, &args.name, args.namespace.as_deref(), called).await?;
    let name = &target.name;
    let read = portal.get::<RequestDetail>(&target.path(), &[]).await?;
    if !args.yes {
        let count = read.body.resources.len();
        let what = promise::wording::counted(count as u64, "resource");
        let question = format!("This deletes {name} in {} with {what} and all data in them. Type {name} to confirm:", target.workspace);
        match terminal.question(&question)? {
            Some(answer) if answer == *name => {}
            Some(_) => return Err(Error::refused(NO, format!("That doesn't match {name}, so nothing was deleted."))),
            None => return Err(Error::Usage(format!("confirm with --yes: {name} is deleted with {what} and all data in them"))),
        }
    }
    let version = read.etag.unwrap_or_default();
    let fields: Vec<(header::HeaderName, &str)> = if version.is_empty() { Vec::new() } else { vec![(header::IF_MATCH, version.as_str())] };
    portal.send::<Value>(Method::DELETE, &target.path(), &fields, &Value::Null).await?;
    terminal.print(&format!("Deleting request {name} in {}.\n", target.workspace))?;
    if !args.wait {
        return Ok(Outcome::Yes);
    }
    watch::progress(&portal, &target, Until::Gone, args.timeout, called, terminal).await
}
