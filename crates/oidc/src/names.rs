//! Names that the portal can impersonate: neither those of the control plane, nor what a header can't carry.

/// What names of the control plane's own users and groups begin with, such as `system:masters`, which can do everything.
const RESERVED: &str = "system:";

/// Why a name isn't impersonated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameProblem {
    /// It isn't text, or a list of texts.
    #[error("it isn't text")]
    NotText,
    /// It is empty.
    #[error("it is empty")]
    Empty,
    /// It belongs to the control plane.
    #[error("names that begin with system: belong to the control plane")]
    Reserved,
    /// It can't be sent as it is.
    #[error("it has a control character, or begins or ends with a space")]
    Characters,
    /// It is a mail address that the provider didn't verify.
    #[error("the provider didn't verify the address (claim email_verified)")]
    Unverified,
}

/// Checks whether a name belongs to the control plane. Spaces and letter case don't hide it.
pub(crate) fn is_reserved(name: &str) -> bool {
    let name = name.trim_start();
    name.get(..RESERVED.len()).is_some_and(|start| start.eq_ignore_ascii_case(RESERVED))
}

/// Returns the name that a text of a claim becomes. Neither the text nor the name can belong to the control plane.
pub(crate) fn name(prefix: &str, said: &str) -> Result<String, NameProblem> {
    let name = format!("{prefix}{said}");
    if said.is_empty() {
        return Err(NameProblem::Empty);
    }
    if is_reserved(said) || is_reserved(&name) {
        return Err(NameProblem::Reserved);
    }
    // It is sent in a header, which ends with its line and loses spaces around it.
    if name.chars().any(char::is_control) || name.trim() != name {
        return Err(NameProblem::Characters);
    }
    Ok(name)
}
