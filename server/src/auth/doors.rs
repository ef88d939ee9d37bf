//! The ways to come in, and how a browser remembers who came.

use app::backend::SignInProblem;
use cluster::Token;
use jiff::SignedDuration;

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

/// What somebody gave on the sign-in page.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// One of the people of the embedded plane.
    pub person: &'a str,
    /// A bearer token; it is kept sealed, and nowhere else.
    pub token: &'a str,
    /// Whether they are on this machine.
    pub is_here: bool,
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

    /// The token with which somebody comes in.
    ///
    /// # Errors
    /// There is no such person, nothing that could be a token, or a sample person is chosen from elsewhere.
    pub fn open(&self, given: Given<'_>) -> Result<Token, SignInProblem> {
        match &self.way {
            // Who chooses a name proves nothing: that is for those alone who could read the tokens as well.
            Way::People(_) if !given.is_here => Err(SignInProblem::Elsewhere),
            Way::People(people) => {
                let known = people.iter().find(|(known, _)| known.name == given.person);
                known.map(|(_, token)| token.clone()).ok_or(SignInProblem::UnknownPerson)
            }
            Way::Tokens => {
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
    use super::{CookieStyle, Doors, Given, Way};

    #[test]
    fn what_is_pasted_is_taken_as_it_was_copied() {
        let doors = Doors::new(Way::Tokens, CookieStyle::Plain);
        for pasted in ["abc.def", " abc.def\n", "Bearer abc.def"] {
            assert_eq!(doors.open(Given { person: "", token: pasted, is_here: false }).unwrap().expose().as_ref(), "abc.def", "{pasted}");
        }
        for pasted in ["", "  ", "a b", "a\nb", "käse"] {
            assert!(doors.open(Given { person: "plane-admin", token: pasted, is_here: true }).is_err(), "{pasted}");
        }
    }
}
