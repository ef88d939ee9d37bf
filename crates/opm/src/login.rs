//! `opm login`: the portal, and the token that commands send to it.

use std::path::PathBuf;

use promise::rest::{Page, WorkspaceSummary};

use crate::portal::{Portal, Way, api};
use crate::settings::{Credential, Settings};
use crate::terminal::Terminal;
use crate::{Error, Outcome};

/// Arguments of `login`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  opm login --portal https://portal.example.org --context dev-shop\n  opm login --portal https://portal.example.org --token-file token.txt\n\n\
    Without --token-file, commands use the token of the kubeconfig: they run its credential plugin as kubectl does, and store nothing of it. \
    A token from a file is stored in the config directory, readable by you alone."
)]
pub(crate) struct Login {
    /// File with a token, such as one that the portal made for automation; - reads standard input.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

/// Checks the token with the portal, and remembers the choice.
pub(crate) async fn run(args: &Login, way: &Way, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let store = way.store();
    let before = store.settings()?;
    let address = way.address(&before)?.to_string();
    let name = address.trim_end_matches('/').to_owned();
    let former = store.credential(&name)?;
    match &args.token_file {
        Some(file) => {
            let text = if file.as_os_str() == "-" { terminal.read()? } else { std::fs::read_to_string(file).map_err(Error::file(file))? };
            let token = text.trim().to_owned();
            if token.is_empty() {
                return Err(Error::Usage(format!("{}: it has no token", file.display())));
            }
            store.keep(&name, Some(Credential { token }))?;
        }
        None => store.keep(&name, None)?,
    }
    let chosen = Way { portal: way.portal.clone().or_else(|| name.parse().ok()), ..way.clone() };
    let checked = check(&chosen).await;
    let (workspaces, of_context) = match checked {
        Ok(found) => found,
        Err(error) => {
            // What worked before still does.
            store.keep(&name, former)?;
            return Err(error);
        }
    };
    let same_portal = before.portal.as_deref() == Some(&*name);
    let workspace = way.workspace.clone().or_else(|| before.workspace.filter(|_| same_portal));
    let token = args.token_file.is_some();
    store.save(&Settings {
        portal: Some(name.clone()),
        kubeconfig: way.kubeconfig.clone().filter(|_| !token),
        context: way.context.clone().filter(|_| !token),
        workspace: workspace.clone(),
    })?;
    let used = workspace.or(of_context);
    let next = match used {
        Some(workspace) => format!("Commands use {workspace}."),
        None => "Choose a workspace with `opm workspace use`.".to_owned(),
    };
    let entered = promise::wording::counted(workspaces, "workspace");
    terminal.print(&format!("Signed in to {name}: you can enter {entered}. {next}\n"))?;
    Ok(Outcome::Yes)
}

/// Returns the number of workspaces that the token opens, and the workspace that commands use.
async fn check(way: &Way) -> Result<(u64, Option<String>), Error> {
    let portal = Portal::open(way).await?;
    let page: Page<WorkspaceSummary> = portal.get(&api(&["workspaces"]), &[]).await?.body;
    let count = page.total.or(page.total_at_least).unwrap_or(page.items.len() as u64);
    Ok((count, portal.workspace().ok().map(str::to_owned)))
}

/// Forgets the portal and its token.
pub(crate) fn forget(way: &Way, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let store = way.store();
    let settings = store.settings()?;
    let address = way.address(&settings)?.to_string();
    let name = address.trim_end_matches('/');
    store.keep(name, None)?;
    if settings.portal.as_deref() == Some(name) {
        store.save(&Settings::default())?;
    }
    terminal.print(&format!("Signed out of {name}.\n"))?;
    Ok(Outcome::Yes)
}
