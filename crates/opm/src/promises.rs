//! `opm promise`: what a workspace offers, and what authors do with their own promises.

use clap::Subcommand;
use promise::rest::{PromiseDetail, PromiseSummary};

use crate::commands::{Called, Named};
use crate::output::{Output, Table, available, data, price};
use crate::portal::{Portal, Way, api};
use crate::terminal::Terminal;
use crate::{Error, Outcome, author, describe, fleet, publish, render, write};

/// Commands for promises.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List what the workspace offers.
    #[command(visible_alias = "ls", after_help = "Examples:\n  opm promise list\n  opm promise list database -o wide")]
    List(ListArgs),
    /// Show a promise: its fields, policies, price and outputs.
    #[command(visible_alias = "get")]
    Describe(DescribeArgs),
    /// Request a promise. Each field of its schema is a flag.
    #[command(
        disable_help_subcommand = true,
        after_help = "Examples:\n  opm promise request postgresql --tier production\n  opm promise request postgresql --preset production --name orders --wait\n  \
        opm promise request postgresql -f values.yaml --size large --dry-run\n\n\
        `opm promise request NAME --help` lists the flags of a promise."
    )]
    Request(Named),
    /// Write a promise to start from, with comments.
    #[command(after_help = "Example:\n  opm promise init cache --file cache.yaml")]
    Init(author::InitArgs),
    /// Check promises, policies, catalogs and destinations in files, as publishing would.
    #[command(
        after_help = "Examples:\n  opm promise lint promise.yaml\n  opm promise lint ./platform\n\nEach problem is one line: file, line, column, field, what to change. Exit code 1 if there are any."
    )]
    Lint(author::LintArgs),
    /// Show what a request of a promise in a file would create. It needs no portal.
    #[command(
        disable_help_subcommand = true,
        after_help = "Examples:\n  opm promise render promise.yaml --tier production\n  opm promise render promise.yaml --example Orders --with policies.yaml\n\n\
        `opm promise render FILE --help` lists the flags of the promise."
    )]
    Render(Named),
    /// Publish a promise in the workspace, with your own permissions.
    #[command(
        after_help = "Examples:\n  opm promise publish cache.yaml --dry-run\n  opm promise publish cache.yaml --workspace root:platform --wait\n\n\
        The file is checked as `opm promise lint` does. Exit code 1 if it isn't valid, or with --wait if the control plane doesn't publish it."
    )]
    Publish(publish::PublishArgs),
    /// List the instances of a promise of yours, and whether they can be upgraded.
    #[command(
        after_help = "Examples:\n  opm promise fleet cache --workspace root:platform\n  opm promise fleet cache --to 2.0.0 --running 1.4.0\n\n\
        The workspace is the one that the promise is published in. Start a rollout on the page of its fleet."
    )]
    Fleet(fleet::FleetArgs),
    /// List your rollouts of a promise; show or stop one.
    #[command(
        after_help = "Examples:\n  opm promise rollouts cache --workspace root:platform\n  opm promise rollouts cache 5f1c0e7a92d84b6f8a3d1c5e7b9f2a40 --stop"
    )]
    Rollouts(fleet::RolloutsArgs),
}

/// Arguments of `list`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Only promises that contain these words.
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// Arguments of `describe`.
#[derive(Debug, clap::Args)]
pub(crate) struct DescribeArgs {
    /// Name of the promise.
    name: String,
    /// Home workspace of the promise, if several have one of this name.
    #[arg(long, value_name = "PATH")]
    home: Option<String>,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// Runs a command.
pub(crate) async fn run(command: &Command, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    match command {
        Command::List(args) => list(args, way, terminal).await,
        Command::Describe(args) => show(args, way, called, terminal).await,
        Command::Request(named) => write::request(named.words(), way, called, terminal).await,
        Command::Init(args) => author::init(args, called, terminal),
        Command::Lint(args) => author::lint(args, terminal),
        Command::Render(named) => render::run(named.words(), way, called, terminal),
        Command::Publish(args) => publish::run(args, way, called, terminal).await,
        Command::Fleet(args) => fleet::run(args, way, terminal).await,
        Command::Rollouts(args) => fleet::rollouts(args, way, terminal).await,
    }
}

async fn list(args: &ListArgs, way: &Way, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let workspace = portal.workspace()?;
    let page = portal.list::<PromiseSummary>(&api(&["workspaces", workspace, "promises"]), &[("q", &args.words.join(" "))]).await?;
    match data(args.output, &page) {
        Some(text) => terminal.print(&text)?,
        None if args.output == Output::Name => {
            terminal.print(&page.items.iter().map(|promise| format!("{}\n", promise.name)).collect::<String>())?
        }
        None if page.items.is_empty() => terminal.note(&format!("No promises in {workspace} match."))?,
        None => terminal.print(&table(&page.items, args.output))?,
    }
    Ok(Outcome::Yes)
}

fn table(promises: &[PromiseSummary], output: Output) -> String {
    let is_wide = output == Output::Wide;
    let mut head = vec!["NAME", "VERSION", "CATEGORY", "PRICE", "AVAILABLE"];
    head.extend(if is_wide { ["HOME", "TEAM", "LIFECYCLE", "SUMMARY"].as_slice() } else { ["SUMMARY"].as_slice() });
    let mut table = Table::new(output, &head);
    for promise in promises {
        let dash = || "–".to_owned();
        let mut row = vec![
            promise.name.clone().into(),
            promise.version.clone().into(),
            promise.category.clone().unwrap_or_else(dash).into(),
            price(promise).into(),
            available(promise),
        ];
        if is_wide {
            row.extend([promise.home.clone().into(), promise.team.clone().unwrap_or_else(dash).into(), promise.lifecycle.word().into()]);
        }
        row.push(promise.summary.clone().unwrap_or_else(|| promise.title.clone()).into());
        table.row(row);
    }
    table.render()
}

async fn show(args: &DescribeArgs, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let detail: PromiseDetail = write::find_promise(&portal, &args.name, args.home.as_deref(), called).await?;
    match data(args.output, &detail) {
        Some(text) => terminal.print(&text)?,
        None if args.output == Output::Name => terminal.print(&format!("{}\n", detail.summary.name))?,
        None => terminal.print(&describe::promise(&detail, args.output, called))?,
    }
    Ok(Outcome::Yes)
}
