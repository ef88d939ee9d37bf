//! Sign-in methods, and how the browser stores the session.

use app::backend::SignInProblem;
use cluster::Token;
use jiff::SignedDuration;

use super::cookie::CookieStyle;
use crate::sample::Person;

/// Longest duration of a session.
pub const SESSION: SignedDuration = SignedDuration::from_hours(12);

/// A sign-in method.
#[derive(Debug)]
pub enum SignInMethod {
    /// On the embedded plane: a page lists the plane's people, and choosing one starts a session with that person's own token.
    People(Vec<(Person, Token)>),
    /// On other planes: people enter a bearer token that the server accepts.
    Tokens,
}

/// What a visitor entered on the sign-in page.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// Name of one of the embedded plane's people.
    pub person: &'a str,
    /// A bearer token; it is stored only in sealed form.
    pub token: &'a str,
    /// Whether the visitor is on this machine.
    pub is_here: bool,
    /// The key of a form that the browser posted after its session had ended.
    pub form: Option<&'a str>,
}

/// The sign-in method of the portal, and how the browser stores the session.
#[derive(Debug)]
pub struct SignIn {
    method: SignInMethod,
    /// Name and attributes of the session cookie.
    pub cookie: CookieStyle,
}

impl SignIn {
    /// Combines a sign-in method with a cookie style.
    pub fn new(method: SignInMethod, cookie: CookieStyle) -> Self {
        Self { method, cookie }
    }

    /// Returns the people who can be chosen; none where people sign in with tokens.
    pub fn people(&self) -> impl Iterator<Item = &Person> {
        let people = match &self.method {
            SignInMethod::People(people) => people.as_slice(),
            SignInMethod::Tokens => &[],
        };
        people.iter().map(|(person, _)| person)
    }

    /// Returns the token for what the visitor entered.
    ///
    /// # Errors
    /// If there is no such person, the input can't be a token, or a sample person is chosen from another machine.
    pub fn open(&self, given: Given<'_>) -> Result<Token, SignInProblem> {
        match &self.method {
            // Choosing a name proves nothing, so it is allowed only to people who could read the tokens as well.
            SignInMethod::People(_) if !given.is_here => Err(SignInProblem::Elsewhere),
            SignInMethod::People(people) => {
                let known = people.iter().find(|(known, _)| known.name == given.person);
                known.map(|(_, token)| token.clone()).ok_or(SignInProblem::UnknownPerson)
            }
            SignInMethod::Tokens => {
                let token = given.token.trim();
                let token = token.strip_prefix("Bearer ").unwrap_or(token).trim();
                let printable = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
                printable.then(|| Token::new(token)).ok_or(SignInProblem::NotAToken)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CookieStyle, Given, SignIn, SignInMethod};

    #[test]
    fn what_is_pasted_is_taken_as_it_was_copied() {
        let sign_in = SignIn::new(SignInMethod::Tokens, CookieStyle::Plain);
        for pasted in ["abc.def", " abc.def\n", "Bearer abc.def"] {
            assert_eq!(
                sign_in.open(Given { person: "", token: pasted, is_here: false, form: None }).unwrap().expose().as_ref(),
                "abc.def",
                "{pasted}"
            );
        }
        for pasted in ["", "  ", "a b", "a\nb", "käse"] {
            assert!(sign_in.open(Given { person: "plane-admin", token: pasted, is_here: true, form: None }).is_err(), "{pasted}");
        }
    }
}
