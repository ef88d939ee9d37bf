//! `opm login` and `opm logout`: the portal, and the token that commands send to it.

use std::path::PathBuf;

use promise::rest::{Page, SignInProvider, WorkspaceSummary};

use crate::commands::Called;
use crate::portal::{Portal, Way, api};
use crate::settings::{Credential, Settings};
use crate::terminal::Terminal;
use crate::{Error, Outcome, device, renewal};

/// Arguments of `login`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  opm login --portal https://portal.example.org\n  opm login --portal https://portal.example.org --context dev-shop\n  opm login --portal https://portal.example.org --token-file token.txt\n\n\
    If the portal has an identity provider, you enter a code in a browser, here or on another device. \
    With --context or --kubeconfig, or without a provider, commands use the token of the kubeconfig: they run its credential plugin as kubectl does, and store nothing of it. \
    Tokens of a provider or of a file are stored in the config directory, readable by you alone. \
    Exit code 4 means that the sign-in was refused, 7 that the code has expired."
)]
pub(crate) struct Login {
    /// File with a token, such as one of a ServiceAccount; - reads standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "provider")]
    token_file: Option<PathBuf>,
    /// Name of the identity provider, if the portal has several.
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
}

/// Checks the token with the portal, and remembers the choice.
pub(crate) async fn run(args: &Login, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let store = way.store();
    let before = store.settings()?;
    let address = way.address(&before)?.to_string();
    let name = address.trim_end_matches('/').to_owned();
    let former = store.credential(&name)?;
    let credential = match &args.token_file {
        Some(file) => {
            let text = if file.as_os_str() == "-" { terminal.read()? } else { std::fs::read_to_string(file).map_err(Error::file(file))? };
            let token = text.trim().to_owned();
            if token.is_empty() {
                return Err(Error::Usage(format!("{}: it has no token", file.display())));
            }
            Some(Credential { token, from: None })
        }
        None if way.context.is_some() || way.kubeconfig.is_some() => None,
        None => match chosen(&device::providers(way).await?, args.provider.as_deref())? {
            Some(provider) => Some(device::sign_in(provider, terminal).await?),
            None => None,
        },
    };
    let token = credential.is_some();
    store.keep(&name, credential)?;
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
    store.save(&Settings {
        portal: Some(name.clone()),
        kubeconfig: way.kubeconfig.clone().filter(|_| !token),
        context: way.context.clone().filter(|_| !token),
        workspace: workspace.clone(),
    })?;
    let used = workspace.or(of_context);
    let next = match used {
        Some(workspace) => format!("Commands use {workspace}."),
        None => format!("Choose a workspace with `{} workspace use`.", called.name()),
    };
    let entered = promise::wording::counted(workspaces, "workspace");
    terminal.print(&format!("Signed in to {name}: you can enter {entered}. {next}\n"))?;
    Ok(Outcome::Yes)
}

/// Returns the provider to sign in with; `None` if the portal has none.
fn chosen<'p>(providers: &'p [SignInProvider], wanted: Option<&str>) -> Result<Option<&'p SignInProvider>, Error> {
    let names: Vec<&str> = providers.iter().map(|provider| provider.name.as_str()).collect();
    match (wanted, providers) {
        (Some(wanted), _) => match providers.iter().find(|provider| provider.name == wanted) {
            Some(provider) => Ok(Some(provider)),
            None if names.is_empty() => {
                Err(Error::Usage(format!("--provider {wanted}: this portal has no identity provider for command lines")))
            }
            None => Err(Error::Usage(format!("--provider {wanted}: choose {}", promise::wording::one_of(&names)))),
        },
        (None, []) => Ok(None),
        (None, [one]) => Ok(Some(one)),
        (None, _) => Err(Error::Usage(format!("choose an identity provider with --provider: {}", promise::wording::one_of(&names)))),
    }
}

/// Returns the number of workspaces that the token opens, and the workspace that commands use.
async fn check(way: &Way) -> Result<(u64, Option<String>), Error> {
    let portal = Portal::open(way).await?;
    let page: Page<WorkspaceSummary> = portal.get(&api(&["workspaces"]), &[]).await?.body;
    let count = page.total.or(page.total_at_least).unwrap_or(page.items.len() as u64);
    Ok((count, portal.workspace().ok().map(str::to_owned)))
}

/// Forgets the portal and its token, and ends the sign-in at the identity provider.
pub(crate) async fn forget(way: &Way, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let store = way.store();
    let settings = store.settings()?;
    let address = way.address(&settings)?.to_string();
    let name = address.trim_end_matches('/');
    let former = store.credential(name)?;
    store.keep(name, None)?;
    if settings.portal.as_deref() == Some(name) {
        store.save(&Settings::default())?;
    }
    if let Some(from) = former.and_then(|former| former.from)
        && !renewal::end(&from, (terminal.now)()).await
    {
        terminal.note(&format!("{} didn't revoke the token, which is deleted here and counts until it expires.", from.provider.title))?;
    }
    terminal.print(&format!("Signed out of {name}.\n"))?;
    Ok(Outcome::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_several_providers_has_to_be_chosen() {
        let provider = |name: &str| SignInProvider {
            name: name.into(),
            title: String::new(),
            issuer: String::new(),
            client_id: String::new(),
            scopes: Vec::new(),
            username_claim: String::new(),
            certificate_authority: None,
        };
        let (one, two) = ([provider("a")], [provider("a"), provider("b")]);
        let name = |found: Result<Option<&SignInProvider>, Error>| found.map(|found| found.map(|provider| provider.name.clone()));
        assert_eq!(name(chosen(&[], None)).unwrap(), None);
        assert_eq!(name(chosen(&one, None)).unwrap().as_deref(), Some("a"));
        assert_eq!(name(chosen(&two, Some("b"))).unwrap().as_deref(), Some("b"));
        for (providers, wanted, said) in [(&two[..], None, "a or b"), (&two, Some("c"), "a or b"), (&[], Some("a"), "no identity provider")]
        {
            let error = chosen(providers, wanted).unwrap_err();
            assert!(error.code() == 2 && error.to_string().contains(said), "{error}");
        }
    }
}
