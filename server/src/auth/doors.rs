//! The ways to come in, and how a browser remembers who came.

use cluster::Token;
use jiff::SignedDuration;
use promise::{Error, Result};

use super::cookie::CookieStyle;
use crate::sample::Person;

/// How long a session lasts at most.
pub const SESSION: SignedDuration = SignedDuration::from_hours(12);

/// A way to come in.
#[derive(Debug)]
pub enum Way {
    /// On the embedded plane: a page of its people, where choosing one gives a session with that person's own token.
    People(Vec<(Person, Token)>),
    /// Elsewhere: people bring a bearer token that the server accepts.
    Tokens,
}

/// How people come in, and how their browser remembers it.
#[derive(Debug)]
pub struct Doors {
    way: Way,
    /// How the session cookie is named and marked.
    pub cookie: CookieStyle,
}

impl Doors {
    /// One way, and one style of cookies.
    pub fn new(way: Way, cookie: CookieStyle) -> Self {
        Self { way, cookie }
    }

    /// Who can be chosen; nobody where people bring tokens.
    pub fn people(&self) -> impl Iterator<Item = &Person> {
        let people = match &self.way {
            Way::People(people) => people.as_slice(),
            Way::Tokens => &[],
        };
        people.iter().map(|(person, _)| person)
    }

    /// The token with which somebody comes in who chose `person`, or typed `token`.
    ///
    /// # Errors
    /// There is no such person, or nothing that could be a token.
    pub fn open(&self, person: &str, token: &str) -> Result<Token> {
        match &self.way {
            Way::People(people) => {
                let known = people.iter().find(|(known, _)| known.name == person);
                known.map(|(_, token)| token.clone()).ok_or_else(|| Error::NotFound { what: format!("person {person}") })
            }
            Way::Tokens => {
                let token = token.trim();
                let token = token.strip_prefix("Bearer ").unwrap_or(token).trim();
                let printable = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
                let denied = || Error::Denied { why: "Paste a bearer token: one word without spaces.".to_owned() };
                printable.then(|| Token::new(token)).ok_or_else(denied)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CookieStyle, Doors, Way};

    #[test]
    fn what_is_pasted_is_taken_as_it_was_copied() {
        let doors = Doors::new(Way::Tokens, CookieStyle::Plain);
        for pasted in ["abc.def", " abc.def\n", "Bearer abc.def"] {
            assert_eq!(doors.open("", pasted).unwrap().expose().as_ref(), "abc.def", "{pasted}");
        }
        for pasted in ["", "  ", "a b", "a\nb", "käse"] {
            assert!(doors.open("plane-admin", pasted).is_err(), "{pasted}");
        }
    }
}
