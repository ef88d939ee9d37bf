//! `opm workspace`: the workspaces that the user can enter, and the one that commands use.

use clap::Subcommand;
use promise::rest::WorkspaceSummary;

use crate::error::NOT_FOUND;
use crate::output::{Cell, Output, Table, data};
use crate::portal::{Portal, Way, api};
use crate::terminal::{GOOD, Terminal};
use crate::{Error, Outcome};

/// Commands for workspaces.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the workspaces that you can enter.
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// Use a workspace for later commands.
    #[command(
        after_help = "Examples:\n  opm workspace use root:acme:shop\n  opm workspace use shop\n\nThe last segment is enough if only one workspace has it."
    )]
    Use(UseArgs),
}

/// Arguments of `list`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// Arguments of `use`.
#[derive(Debug, clap::Args)]
pub(crate) struct UseArgs {
    /// Path of the workspace, or its last segment.
    #[arg(value_name = "PATH")]
    path: String,
}

/// Runs a command.
pub(crate) async fn run(command: &Command, way: &Way, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let page = portal.list::<WorkspaceSummary>(&api(&["workspaces"]), &[]).await?;
    match command {
        Command::List(args) => {
            let current = portal.workspace().unwrap_or_default();
            match data(args.output, &page) {
                Some(text) => terminal.print(&text)?,
                None if args.output == Output::Name => {
                    terminal.print(&page.items.iter().map(|workspace| format!("{}\n", workspace.path)).collect::<String>())?;
                }
                None if page.items.is_empty() => terminal.note("You can't enter any workspace.")?,
                None => terminal.print(&table(&page.items, current, args.output))?,
            }
        }
        Command::Use(args) => {
            let path = chosen(&page.items, &args.path)?;
            let store = way.store();
            let mut settings = store.settings()?;
            if settings.portal.as_deref() != Some(&*portal.name()) {
                settings = crate::settings::Settings { portal: Some(portal.name()), ..Default::default() };
                // The next command has to reach the same workspace with the same person.
                settings.kubeconfig = way.kubeconfig.clone();
                settings.context = way.context.clone();
            }
            settings.workspace = Some(path.to_owned());
            store.save(&settings)?;
            terminal.print(&format!("Using {path}.\n"))?;
        }
    }
    Ok(Outcome::Yes)
}

fn table(workspaces: &[WorkspaceSummary], current: &str, output: Output) -> String {
    let is_wide = output == Output::Wide;
    let mut head = vec!["PATH", "OWNER", "REQUESTS"];
    head.extend(if is_wide { ["ID", "NAMESPACE"].as_slice() } else { [].as_slice() });
    let mut table = Table::new(output, &head);
    for workspace in workspaces {
        let dash = || "–".to_owned();
        let path = if workspace.path == current { Cell::new(format!("{} *", workspace.path), GOOD) } else { workspace.path.clone().into() };
        let mut row = vec![
            path,
            workspace.owner.clone().unwrap_or_else(dash).into(),
            workspace.requests.map_or_else(dash, |count| count.to_string()).into(),
        ];
        if is_wide {
            row.extend([workspace.id.clone().into(), workspace.namespace.clone().unwrap_or_else(dash).into()]);
        }
        table.row(row);
    }
    table.render()
}

/// Returns the workspace with a path, or else the only one with this last segment.
fn chosen<'w>(workspaces: &'w [WorkspaceSummary], wanted: &str) -> Result<&'w str, Error> {
    let last = |workspace: &&WorkspaceSummary| workspace.path.rsplit(':').next() == Some(wanted);
    if let Some(exact) = workspaces.iter().find(|workspace| workspace.path == wanted) {
        return Ok(&exact.path);
    }
    let named: Vec<&WorkspaceSummary> = workspaces.iter().filter(last).collect();
    match named.as_slice() {
        [one] => Ok(&one.path),
        [] => {
            Err(Error::refused(NOT_FOUND, format!("you can't enter a workspace {wanted}; `opm workspace list` shows those you can enter")))
        }
        several => {
            let paths: Vec<&str> = several.iter().map(|workspace| workspace.path.as_str()).collect();
            Err(Error::Usage(format!("several workspaces have this name: choose {}", promise::wording::one_of(&paths))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_segment_is_enough_if_it_is_unique() {
        let of = |path: &str| WorkspaceSummary { path: path.into(), id: "1".into(), owner: None, namespace: None, requests: None };
        let all = [of("root:acme"), of("root:acme:shop"), of("root:globex:shop"), of("root:acme:data")];
        assert_eq!(chosen(&all, "root:acme:shop").unwrap(), "root:acme:shop");
        assert_eq!(chosen(&all, "data").unwrap(), "root:acme:data");
        assert!(chosen(&all, "shop").unwrap_err().to_string().contains("root:acme:shop or root:globex:shop"));
        assert!(matches!(chosen(&all, "none"), Err(Error::Refused { code: NOT_FOUND, .. })));
    }
}
