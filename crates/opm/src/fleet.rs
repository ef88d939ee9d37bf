//! `opm promise fleet` and `opm promise rollouts`: the instances of a promise, whether they can be upgraded, and the upgrades of many.

use http::Method;
use promise::rest::{FleetItem, FleetVerdict, Page, RolloutDetail, RolloutSummary};
use promise::rollout::{member_label, outcome_label, state_label};
use serde_json::Value;

use crate::output::{Cell, Output, Table, age, data, state};
use crate::portal::{Portal, Way, api};
use crate::terminal::{BAD, FAINT, GOOD, Terminal, WAITING};
use crate::{Error, Outcome};

/// Arguments of `fleet`.
#[derive(Debug, clap::Args)]
pub(crate) struct FleetArgs {
    /// Name of the promise, in the workspace that it is published in.
    name: String,
    /// Only instances whose name or workspace contains these words.
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
    /// Published version to check them against. The newest one if it isn't given.
    #[arg(long, value_name = "VERSION")]
    to: Option<String>,
    /// Only instances that run this version.
    #[arg(long, value_name = "VERSION")]
    running: Option<String>,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// Arguments of `rollouts`.
#[derive(Debug, clap::Args)]
pub(crate) struct RolloutsArgs {
    /// Name of the promise, in the workspace that it is published in.
    name: String,
    /// Id of a rollout, to show its instances.
    rollout: Option<String>,
    /// Stop the rollout. Upgrades that have begun are finished.
    #[arg(long, requires = "rollout")]
    stop: bool,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// Lists the instances.
pub(crate) async fn run(args: &FleetArgs, way: &Way, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let workspace = portal.workspace()?;
    let words = args.words.join(" ");
    let (to, running) = (args.to.as_deref().unwrap_or_default(), args.running.as_deref().unwrap_or_default());
    let path = api(&["workspaces", workspace, "promises", &args.name, "fleet"]);
    let page = portal.list::<FleetItem>(&path, &[("q", &words), ("to", to), ("version", running)]).await?;
    match data(args.output, &page) {
        Some(text) => terminal.print(&text)?,
        None if args.output == Output::Name => {
            let names = page.items.iter().map(|one| format!("{}/{}/{}\n", one.workspace, one.namespace, one.name));
            terminal.print(&names.collect::<String>())?;
        }
        None if page.items.is_empty() => terminal.note("No instances that you can list match.")?,
        None => terminal.print(&table(&page.items, args.output))?,
    }
    for place in &page.unread {
        terminal.note(&format!("{place} didn't respond, so instances might be missing."))?;
    }
    Ok(Outcome::Yes)
}

fn table(items: &[FleetItem], output: Output) -> String {
    let mut table = Table::new(output, &["WORKSPACE", "NAME", "VERSION", "STATE", "TO", "UPGRADE", "REASON"]);
    for one in items {
        let style = match one.verdict {
            FleetVerdict::UpToDate => FAINT,
            FleetVerdict::Ready => GOOD,
            FleetVerdict::NeedsApproval => WAITING,
            FleetVerdict::Blocked => BAD,
        };
        let dash = || "–".to_owned();
        table.row(vec![
            one.workspace.clone().into(),
            one.name.clone().into(),
            one.version.clone().unwrap_or_else(dash).into(),
            state(one.state),
            one.to.clone().unwrap_or_else(dash).into(),
            Cell::new(one.verdict.label(), style),
            one.reason.clone().unwrap_or_default().into(),
        ]);
    }
    table.render()
}

/// Lists the rollouts of a promise; shows or stops one.
pub(crate) async fn rollouts(args: &RolloutsArgs, way: &Way, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let workspace = portal.workspace()?;
    let path = api(&["workspaces", workspace, "promises", &args.name, "rollouts"]);
    let Some(id) = &args.rollout else {
        let page = portal.get::<Page<RolloutSummary>>(&path, &[]).await?.body;
        return list_rollouts(&page, args, terminal);
    };
    let path = api(&["workspaces", workspace, "promises", &args.name, "rollouts", id]);
    let rollout = if args.stop {
        portal.send::<RolloutDetail>(Method::POST, &format!("{path}/stop"), &[], &Value::Null).await?.body
    } else {
        portal.get::<RolloutDetail>(&path, &[]).await?.body
    };
    let rollout = whole(&portal, &path, rollout).await?;
    match data(args.output, &rollout) {
        Some(text) => terminal.print(&text)?,
        None if args.output == Output::Name => terminal.print(&format!("{}\n", rollout.summary.id))?,
        None => {
            let summary = &rollout.summary;
            let outcome = outcome_label(summary.state, usize::try_from(rollout.progress.skipped).unwrap_or(usize::MAX));
            terminal.print(&format!("Upgrade of {} to {}: {outcome}\n", args.name, summary.version))?;
            terminal.print(&instances(&rollout, args.output))?;
        }
    }
    Ok(Outcome::Yes)
}

/// Reads the instances that are left of a rollout.
async fn whole(portal: &Portal, path: &str, mut rollout: RolloutDetail) -> Result<RolloutDetail, Error> {
    while let Some(next) = rollout.r#continue.take() {
        let part = portal.get::<RolloutDetail>(path, &[("limit", "500"), ("continue", &next)]).await?.body;
        rollout.instances.extend(part.instances);
        rollout.r#continue = part.r#continue;
    }
    Ok(rollout)
}

fn list_rollouts(page: &Page<RolloutSummary>, args: &RolloutsArgs, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    match data(args.output, page) {
        Some(text) => terminal.print(&text)?,
        None if args.output == Output::Name => terminal.print(&page.items.iter().map(|one| format!("{}\n", one.id)).collect::<String>())?,
        None if page.items.is_empty() => terminal.note(&format!("You have started no rollout of {}.", args.name))?,
        None => {
            let mut table = Table::new(args.output, &["ID", "TO", "STATE", "AGE"]);
            for one in &page.items {
                let age = age(&one.created, (terminal.now)());
                table.row(vec![one.id.clone().into(), one.version.clone().into(), state_label(one.state).into(), age.into()]);
            }
            terminal.print(&table.render())?;
        }
    }
    Ok(Outcome::Yes)
}

fn instances(rollout: &RolloutDetail, output: Output) -> String {
    let mut table = Table::new(output, &["WAVE", "WORKSPACE", "NAME", "FROM", "STATE", "REASON"]);
    for one in &rollout.instances {
        let dash = || "–".to_owned();
        table.row(vec![
            if one.wave == 0 { dash() } else { one.wave.to_string() }.into(),
            one.workspace.clone().unwrap_or_else(dash).into(),
            one.name.clone().unwrap_or_else(dash).into(),
            one.from.clone().into(),
            member_label(one.state).into(),
            one.reason.clone().unwrap_or_default().into(),
        ]);
    }
    table.render()
}
