//! Texts of the sign-in page and of the user's sessions.

pub(crate) const SIGN_IN: &str = "Sign in";
pub(crate) const SIGN_IN_TO_PORTAL: &str = "Sign in to OPM Portal";
pub(crate) const TAGLINE: &str = "The front door to your platform";
pub(crate) const COULD_NOT_SIGN_YOU_IN: &str = "Couldn't sign you in";

pub(crate) const CHOOSE_A_PERSON: &str = "Choose one of the people below.";
pub(crate) const ONLY_ON_THIS_MACHINE: &str =
    "Sample people can sign in only on the machine that runs the portal, and not through a proxy.";
pub(crate) const PASTE_A_TOKEN: &str = "Paste a bearer token: one word without spaces.";
pub(crate) const TOKEN_NOT_ACCEPTED: &str = "The server doesn't accept this token. It might have expired.";
pub(crate) const SERVER_DID_NOT_RESPOND: &str = "The server didn't respond. Try again in a moment.";

pub(crate) const NOT_OFFERED: &str = "This portal doesn't offer this way to sign in. Choose one of those below.";
pub(crate) const SIGN_IN_EXPIRED: &str = "This sign-in has expired, was already used, or was started in another browser. Sign in again.";
pub(crate) const PROVIDER_DECLINED: &str =
    "The identity provider didn't sign you in. Try again. If that doesn't help, ask your platform team whether you have access.";
pub(crate) const PROVIDER_UNAVAILABLE: &str = "The identity provider didn't respond. Try again in a moment.";
pub(crate) const PROVIDER_NOT_VERIFIED: &str =
    "The portal couldn't verify what the identity provider sent. Sign in again. If that doesn't help, tell your platform team.";
pub(crate) const PROVIDER_SENDS_NO_NAME: &str =
    "The identity provider didn't send the claim that your username is made of. Ask your platform team to set it up.";
pub(crate) const PROVIDER_DID_NOT_ASK: &str = "The identity provider didn't ask you to sign in again, so nothing has changed. \
     Sign out there, then try again. If that doesn't help, tell your platform team.";
pub(crate) const OTHER_PERSON: &str =
    "You came back from the identity provider as someone else, so nothing has changed. Sign in with the account that you use here.";
pub(crate) const NAME_NOT_ACCEPTED: &str = "The identity provider sent a username or group that the portal doesn't accept, \
     such as one that begins with system:. Ask your platform team to change it.";
pub(crate) const ACCOUNT_NOT_ACCEPTED: &str =
    "You signed in, but the control plane doesn't accept your account. Ask your platform team for access.";
pub(crate) const OR: &str = "or";

pub(crate) fn sign_in_with(title: &str) -> String {
    format!("Sign in with {title}")
}

pub(crate) const DEMO: &str = "Demo";
pub(crate) const SAMPLE_PEOPLE: &str = "These are sample people on the embedded control plane, without passwords. Their requests and costs are made up. Workloads are simulated and visible only on this machine.";

pub(crate) const BEARER_TOKEN: &str = "Bearer token";
pub(crate) const WHERE_TO_GET_A_TOKEN: &str = "Where do I get a token?";
pub(crate) const ASK_FOR_A_TOKEN: &str =
    "Ask your platform team for one. Or use kubectl to create one for a ServiceAccount that you can act as:";
pub(crate) const TOKEN_COMMAND: &str = "Command to create a token";

pub(crate) fn too_many_attempts(seconds: u64) -> String {
    match seconds {
        1 => "There were too many sign-in attempts from your network. Try again in a second.".to_owned(),
        _ => format!("There were too many sign-in attempts from your network. Try again in {seconds} seconds."),
    }
}

/// Below the label of the token.
pub(crate) fn token_hint(server: &str) -> String {
    format!("A token that {server} accepts. The portal uses it to act for you, and stores it encrypted until you sign out or it expires.")
}

pub(crate) const SIGNED_OUT: &str = "You're signed out";

pub(crate) fn still_signed_in(title: &str) -> String {
    format!("You might still be signed in to {title}. On a shared computer, sign out there, too.")
}

pub(crate) fn sign_out_of(title: &str) -> String {
    format!("Sign out of {title}")
}

pub(crate) const SESSIONS: &str = "Sessions";
pub(crate) const SESSIONS_INTRO: &str = "Browsers in which you're signed in. If you don't recognize one, sign it out.";
pub(crate) const UNKNOWN_BROWSER: &str = "Unknown browser";
pub(crate) const THIS_BROWSER: &str = "This browser";
pub(crate) const LAST_USED: &str = "Last used";
pub(crate) const SIGNED_IN: &str = "Signed in";
pub(crate) const SIGN_THIS_OUT: &str = "Sign out";
pub(crate) const SIGN_OTHERS_OUT: &str = "Sign out all other browsers";

/// The name of the button beside a session.
pub(crate) fn sign_browser_out(browser: &str) -> String {
    format!("Sign out {browser}")
}

/// With which identity provider a session began.
pub(crate) fn signed_in_with(title: &str) -> String {
    format!("with {title}")
}
