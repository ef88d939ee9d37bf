//! What is missing before something can be requested, how to get it, and what it is needed for.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Prefix of the `_op` of the button that saves a form as a draft and opens the form of the promise that follows it.
pub const REQUIRE: &str = "require:";

/// Id of the message that lists what is missing, for links to it.
pub const REQUIRED: &str = "required";
/// Most bytes of a name in the text of a [`NeededFor`].
const LONGEST: usize = 253;

/// A missing requirement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequiredLine {
    /// What is missing, as a phrase such as `a working instance of redis`.
    pub what: String,
    /// How to get it.
    pub remedy: Remedy,
}

/// How to get what is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Remedy {
    /// The user can request this promise in the workspace.
    Request {
        /// Name of the promise.
        promise: String,
        /// Its display name.
        title: String,
    },
    /// The promise is offered in the workspace, but this user can't request it now. Its page says why.
    Offered {
        /// Name of the promise.
        promise: String,
        /// Its display name.
        title: String,
    },
    /// No promise of that name is offered in the workspace.
    NotOffered,
    /// A Destination has to serve it, which the platform team sees to.
    Platform,
}

/// What a request is needed for, in the same workspace: a form or an earlier request. Addresses and forms carry it as a text. It consists
/// of names and never is an address, so that it can't lead anywhere else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NeededFor {
    /// A new request.
    Form {
        /// Name of its promise.
        promise: String,
        /// Home of a shadowed promise.
        home: Option<String>,
        /// Draft with what was entered. Absent if nothing was entered yet.
        draft: Option<String>,
    },
    /// An existing request.
    Request {
        /// Namespace.
        namespace: String,
        /// Name.
        name: String,
        /// Draft of a change of it. Absent if nothing was entered.
        draft: Option<String>,
    },
}

impl NeededFor {
    /// Parses the text in an address. Returns `None` for anything that [`fmt::Display`] doesn't write.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(':')?;
        let mut parts = rest.split('/');
        match kind {
            "form" => {
                let (who, draft, more) = (parts.next()?, parts.next(), parts.next());
                let (promise, home) = who.split_once('@').map_or((who, None), |(promise, home)| (promise, Some(home)));
                let is_valid = more.is_none() && is_name(promise) && home.is_none_or(is_path) && draft.is_none_or(is_draft);
                let owned = |text: &str| text.to_owned();
                is_valid.then(|| Self::Form { promise: promise.to_owned(), home: home.map(owned), draft: draft.map(owned) })
            }
            "request" => {
                let (namespace, name, draft, more) = (parts.next()?, parts.next()?, parts.next(), parts.next());
                let is_valid = more.is_none() && is_name(namespace) && is_name(name) && draft.is_none_or(is_draft);
                is_valid.then(|| Self::Request { namespace: namespace.to_owned(), name: name.to_owned(), draft: draft.map(str::to_owned) })
            }
            _ => None,
        }
    }

    /// Returns the name of the promise or the request.
    pub fn name(&self) -> &str {
        match self {
            Self::Form { promise, .. } => promise,
            Self::Request { name, .. } => name,
        }
    }
}

impl fmt::Display for NeededFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let draft = match self {
            Self::Form { promise, home, draft } => {
                write!(f, "form:{promise}")?;
                if let Some(home) = home {
                    write!(f, "@{home}")?;
                }
                draft
            }
            Self::Request { namespace, name, draft } => {
                write!(f, "request:{namespace}/{name}")?;
                draft
            }
        };
        draft.as_ref().map_or(Ok(()), |draft| write!(f, "/{draft}"))
    }
}

/// Whether a text can be the name of an object.
fn is_name(text: &str) -> bool {
    is_path(text) && !text.contains(':')
}

/// Whether a text can be the path of a workspace.
fn is_path(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.len() <= LONGEST && text.bytes().next().is_some_and(plain) && text.bytes().all(|byte| plain(byte) || b"-.:".contains(&byte))
}

/// Whether a text can be the id of a draft.
fn is_draft(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::NeededFor;

    #[test]
    fn reads_what_it_writes() {
        let draft = || Some("0123456789abcdef".repeat(2));
        let form = |home: Option<&str>, draft| NeededFor::Form { promise: "web-app".into(), home: home.map(str::to_owned), draft };
        let request = |draft| NeededFor::Request { namespace: "default".into(), name: "shop.1".into(), draft };
        for (needed, text) in [
            (form(None, None), "form:web-app"),
            (form(Some("root:acme"), None), "form:web-app@root:acme"),
            (form(None, draft()), "form:web-app/0123456789abcdef0123456789abcdef"),
            (form(Some("root:acme"), draft()), "form:web-app@root:acme/0123456789abcdef0123456789abcdef"),
            (request(None), "request:default/shop.1"),
            (request(draft()), "request:default/shop.1/0123456789abcdef0123456789abcdef"),
        ] {
            assert_eq!(needed.to_string(), text);
            assert_eq!(NeededFor::parse(text), Some(needed), "{text}");
        }
    }

    #[test]
    fn an_address_of_another_site_is_nothing_to_continue_with() {
        for text in [
            "",
            "https://evil.example/",
            "//evil.example",
            "/w/root:acme/catalog",
            "form:",
            "form:..",
            "form:.",
            "form:../../catalog",
            "form:web app",
            "form:web-app@",
            "form:web-app@//evil.example",
            "form:web-app/draft",
            "form:web-app/0123456789abcdef0123456789abcdef/more",
            "form:https://evil.example",
            "form:web%2Fapp",
            "form:web-app?draft=1",
            "request:default",
            "request:default/",
            "request:default/..",
            "request:default/shop/x",
            "javascript:alert(1)",
        ] {
            assert_eq!(NeededFor::parse(text), None, "{text}");
        }
    }
}
