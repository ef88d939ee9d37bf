//! The ways to come in. On the embedded plane: a page of its people, where choosing one gives a session with that person's own token.

use cluster::Token;
use jiff::SignedDuration;

use super::cookie::CookieStyle;
use crate::sample::Person;

/// How long a session lasts.
pub const SESSION: SignedDuration = SignedDuration::from_hours(12);

/// How people come in, and how their browser remembers it.
#[derive(Debug)]
pub struct Doors {
    people: Vec<(Person, Token)>,
    /// How the session cookie is named and marked.
    pub cookie: CookieStyle,
}

impl Doors {
    /// The people of an embedded plane, each with the token by which the plane knows the person.
    pub fn embedded(people: Vec<(Person, Token)>, cookie: CookieStyle) -> Self {
        Self { people, cookie }
    }

    /// Who can sign in.
    pub fn people(&self) -> impl Iterator<Item = &Person> {
        self.people.iter().map(|(person, _)| person)
    }

    /// The token of somebody who can sign in.
    pub fn token(&self, person: &str) -> Option<&Token> {
        self.people.iter().find(|(known, _)| known.name == person).map(|(_, token)| token)
    }
}
