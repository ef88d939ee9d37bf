//! Names of people, as their identity provider knows them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::identity::username_of;
use crate::invisible::is_invisible;

/// Longest name that is kept, in characters.
const LONGEST: usize = 60;

/// Names of people by their username. Clones share the names.
///
/// A name that two people share, or that is another person's username, identifies no one: it is followed by the username.
#[derive(Clone, Debug, Default)]
pub struct PeopleNames(Arc<BTreeMap<String, String>>);

impl PeopleNames {
    /// Creates the names from pairs of username and name. The last of several names of one person counts; empty names are ignored.
    pub fn new(known: impl IntoIterator<Item = (String, String)>) -> Self {
        let tidied = known.into_iter().map(|(username, name)| (username, tidy(&name)));
        let all: BTreeMap<String, String> = tidied.filter(|(_, name)| !name.is_empty()).collect();
        let mut taken: BTreeMap<String, usize> = BTreeMap::new();
        for text in all.values().chain(all.keys()) {
            *taken.entry(text.to_lowercase()).or_default() += 1;
        }
        let named = |(username, name): (String, String)| {
            let own = usize::from(name.to_lowercase() == username.to_lowercase());
            let is_unique = taken.get(&name.to_lowercase()).is_some_and(|times| *times == 1 + own);
            let shown = if is_unique { name } else { format!("{name} ({username})") };
            (username, shown)
        };
        Self(Arc::new(all.into_iter().map(named).collect()))
    }

    /// Returns the name of a person, or the username if no name is known.
    pub fn of<'a>(&'a self, username: &'a str) -> &'a str {
        self.0.get(username).map_or_else(|| username_of(username), String::as_str)
    }
}

/// Returns a name in one line without characters that could make it look like another one.
pub fn tidy(name: &str) -> String {
    let visible: String =
        name.chars().filter(|letter| !is_invisible(*letter) && (!letter.is_control() || letter.is_whitespace())).collect();
    let line = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(LONGEST).collect()
}

/// Returns one or two letters for the avatar of a person: the first ones of the first and the last word.
pub fn initials(name: &str) -> String {
    // Of `oidc:dana@acme.example` or `system:serviceaccount:shop:robot`, the person's own part.
    let own = name.split('@').next().unwrap_or(name).rsplit(':').next().unwrap_or(name);
    let words: Vec<&str> = own.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let letters = match words.as_slice() {
        [] => return String::new(),
        [only] => vec![*only],
        [first, .., last] => vec![*first, *last],
    };
    letters.into_iter().filter_map(|word| word.chars().next()).flat_map(char::to_uppercase).collect()
}

#[cfg(test)]
mod tests {
    use super::{PeopleNames, initials, tidy};

    fn names(known: &[(&str, &str)]) -> PeopleNames {
        PeopleNames::new(known.iter().map(|(username, name)| ((*username).to_owned(), (*name).to_owned())))
    }

    #[test]
    fn people_without_a_name_keep_their_username() {
        let names = names(&[("dev-shop", "Dana Shaw"), ("robot", " "), ("olga", "Olga")]);
        assert_eq!([names.of("dev-shop"), names.of("robot"), names.of("amara"), names.of("olga")], ["Dana Shaw", "robot", "amara", "Olga"]);
        assert_eq!(names.of("system:serviceaccount:default:robot@a1"), "system:serviceaccount:default:robot");
    }

    #[test]
    fn a_name_that_could_be_another_persons_is_told_with_the_username() {
        let names = names(&[("dana", "Dana Shaw"), ("eve", "dana  shaw"), ("mallory", "Olga"), ("olga", "Olga Brandt")]);
        assert_eq!(
            [names.of("dana"), names.of("eve"), names.of("mallory"), names.of("olga")],
            ["Dana Shaw (dana)", "dana shaw (eve)", "Olga (mallory)", "Olga Brandt"]
        );
        assert_eq!(tidy("Da\u{202e}na\n Shaw\u{7}"), "Dana Shaw");
        assert_eq!(tidy(&"x".repeat(90)).len(), 60);
    }

    #[test]
    fn initials_are_of_the_persons_own_part() {
        let all =
            ["Dana Shaw", "dev-shop", "oidc:dana@acme.example", "system:serviceaccount:shop:night-robot", "Ana María de la Cruz", "?"];
        assert_eq!(all.map(initials), ["DS", "DS", "D", "NR", "AC", ""]);
    }
}
