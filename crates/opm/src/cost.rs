//! `opm cost`: the cost of a workspace and everything below it in a month.

use std::fmt::Write as _;

use promise::rest::CostReport;

use crate::output::{Output, Table, age, data, money};
use crate::portal::{Portal, Way, api};
use crate::terminal::Terminal;
use crate::{Error, Outcome};

/// Arguments of `cost`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  opm cost\n  opm cost --by owner --month 2026-10")]
pub(crate) struct Args {
    /// Grouping of the rows.
    #[arg(long, value_name = "WHAT", default_value = "promise", value_parser = ["workspace", "team", "promise", "project", "owner"])]
    by: String,
    /// Month, as YYYY-MM [default: this month].
    #[arg(long, value_name = "MONTH")]
    month: Option<String>,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// Shows the cost.
pub(crate) async fn run(args: &Args, way: &Way, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let path = api(&["workspaces", portal.workspace()?, "cost"]);
    let report: CostReport = portal.get(&path, &[("by", &args.by), ("month", args.month.as_deref().unwrap_or_default())]).await?.body;
    match data(args.output, &report) {
        Some(text) => terminal.print(&text)?,
        None if args.output == Output::Name => {
            terminal.print(&report.rows.items.iter().map(|row| format!("{}\n", row.value)).collect::<String>())?;
        }
        None => {
            let text = text(&report, args.output, terminal);
            terminal.print(&text)?;
        }
    }
    Ok(Outcome::Yes)
}

fn text(report: &CostReport, output: Output, terminal: &Terminal<'_>) -> String {
    let mut text = format!("{} in {}", report.workspace, report.month);
    if let Some(up_to) = report.up_to.as_ref().filter(|_| report.current) {
        let _ = write!(text, ", recorded until {} ago", age(up_to, (terminal.now)()));
    }
    text.push('\n');
    for total in &report.totals {
        let _ = write!(text, "\n{} so far, {} expected", money(&total.to_date), money(&total.forecast));
        let instances = promise::wording::counted(total.instances, "instance");
        let _ = write!(text, ", {instances}");
        if let Some(budget) = &total.budget {
            let _ = write!(text, ", budget {} ({})", money(&budget.monthly), budget.policy);
        }
    }
    if report.totals.is_empty() {
        text.push_str("\nNo cost yet");
    }
    text.push('\n');
    if !report.rows.items.is_empty() {
        let by = report.by.to_uppercase();
        // Heads of tables are constant texts.
        let head = ["WORKSPACE", "TEAM", "PROMISE", "PROJECT", "OWNER"].into_iter().find(|head| *head == by).unwrap_or("GROUP");
        let mut table = Table::new(output, &[head, "SO FAR", "EXPECTED", "FULL MONTH", "INSTANCES"]);
        for row in &report.rows.items {
            let estimate = row.estimate.as_ref().map_or_else(|| "–".to_owned(), money);
            let title = if row.value.is_empty() { "–" } else { row.title.as_str() };
            table.row(vec![
                title.into(),
                money(&row.to_date).into(),
                money(&row.forecast).into(),
                estimate.into(),
                row.instances.to_string().into(),
            ]);
        }
        let _ = write!(text, "\n{}", table.render());
    }
    if report.unpriced_instances > 0 {
        let _ =
            writeln!(text, "\nNot included: {} with an unknown price.", promise::wording::counted(report.unpriced_instances, "instance"));
    }
    text
}
