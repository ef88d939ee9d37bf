//! Sign-in at the portal's identity provider: a person enters a code in a browser, which can be on another device (RFC 8628).

use promise::rest::{SignInInfo, SignInProvider};

use crate::Error;
use crate::output::one_line;
use crate::portal::{Portal, Way, api};
use crate::renewal::{client, credential, failed};
use crate::settings::Credential;
use crate::terminal::{HEADING, Terminal, styled};

/// Returns the providers at which this portal's people can sign in with a code.
pub(crate) async fn providers(way: &Way) -> Result<Vec<SignInProvider>, Error> {
    Ok(Portal::anonymous(way)?.get::<SignInInfo>(&api(&["sign-in"]), &[]).await?.body.providers)
}

/// Shows a code, waits until it is entered, and returns what the provider issued.
pub(crate) async fn sign_in(provider: &SignInProvider, terminal: &mut Terminal<'_>) -> Result<Credential, Error> {
    let now = terminal.now;
    let client = client(provider)?;
    let Some(begun) = client.begin_on_device(now()).await.map_err(failed(provider))? else {
        return Err(Error::Usage(format!(
            "{} doesn't offer sign-in with a code; use a kubeconfig with --context, or --token-file",
            provider.title
        )));
    };
    let minutes = promise::wording::counted(begun.expires_in().as_secs().div_ceil(60), "minute");
    let code = styled(HEADING, &one_line(begun.user_code(), usize::MAX));
    let address = one_line(begun.address(), usize::MAX);
    terminal.note(&format!("Open {address} and enter the code {code} within {minutes}."))?;
    let tokens = client.finish_on_device(&begun, now, tokio::time::sleep).await.map_err(failed(provider))?;
    Ok(credential(provider, tokens))
}
