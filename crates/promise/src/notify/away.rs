//! A delegation during an absence, as entered in a form.

use serde::{Deserialize, Serialize};

use crate::Problem;
use crate::price::Day;

/// Maximum length of a name, in bytes.
const LONGEST: usize = 256;

/// A delegate and the first and last day of an absence, in the time zone of the absent user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Away {
    /// User name of the delegate on the plane.
    pub deputy: String,
    /// The first day, such as `2026-12-21`.
    pub from: String,
    /// The last day.
    pub to: String,
}

impl Away {
    /// Parses a posted form: `deputy`, `from` and `to`. `me` is the absent user, `today` the present day. Each invalid field gives a
    /// problem whose path is the name of the field.
    ///
    /// # Errors
    /// If fields are invalid, with a problem for each.
    pub fn parse(pairs: &[(String, String)], me: &str, today: Day) -> Result<Self, Vec<Problem>> {
        let field = |name: &str| pairs.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.trim());
        let mut problems = Vec::new();
        let mut problem = |path: &str, message: &str| problems.push(Problem { path: path.to_owned(), message: message.to_owned() });
        let deputy = field("deputy");
        if deputy.is_empty() {
            problem("deputy", "Enter the user name of your delegate.");
        } else if deputy == me {
            problem("deputy", "Choose someone else: you can't be your own delegate.");
        } else if deputy.len() > LONGEST
            || deputy.starts_with('@')
            || deputy.contains(char::is_whitespace)
            || deputy.contains(char::is_control)
        {
            problem("deputy", "Enter the user name that the person signs in with, without spaces.");
        }
        let mut day = |name: &str| {
            let day = Day::parse(field(name));
            if day.is_none() {
                problem(name, "Enter a date such as 2026-12-21.");
            }
            day
        };
        if let (Some(from), Some(to)) = (day("from"), day("to")) {
            if to < from {
                problem("to", "Choose a last day that isn't before the first.");
            } else if to < today {
                problem("to", "Choose a last day that isn't in the past.");
            } else if to.year() > from.year() + 1 {
                problem("to", "Choose a last day this year or next year. You can set a delegate again after that.");
            }
        }
        if problems.is_empty() {
            Ok(Self { deputy: deputy.to_owned(), from: field("from").to_owned(), to: field("to").to_owned() })
        } else {
            Err(problems)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(deputy: &str, from: &str, to: &str) -> Result<Away, Vec<String>> {
        let pairs = [("deputy", deputy), ("from", from), ("to", to)].map(|(name, value)| (name.to_owned(), value.to_owned()));
        let read = Away::parse(&pairs, "amara", Day::parse("2026-12-01").unwrap());
        read.map_err(|problems| problems.into_iter().map(|problem| problem.path).collect())
    }

    #[test]
    fn what_fits_is_read_and_what_does_not_is_said_at_its_field() {
        let away = parse(" olga ", "2026-12-21", "2027-01-04").unwrap();
        assert_eq!((away.deputy.as_str(), away.from.as_str(), away.to.as_str()), ("olga", "2026-12-21", "2027-01-04"));
        assert!(parse("olga", "2026-11-20", "2026-12-01").is_ok(), "who is away already may say so");
        for (deputy, from, to, wrong) in [
            ("", "2026-12-21", "2026-12-21", &["deputy"][..]),
            ("amara", "2026-12-21", "2026-12-21", &["deputy"]),
            ("@group:all", "2026-12-21", "2026-12-21", &["deputy"]),
            ("two words", "tomorrow", "2026-02-30", &["deputy", "from", "to"]),
            ("olga", "2026-12-21", "2026-12-20", &["to"]),
            ("olga", "2026-11-01", "2026-11-30", &["to"]),
            ("olga", "2026-12-21", "2028-01-01", &["to"]),
        ] {
            assert_eq!(parse(deputy, from, to).unwrap_err(), wrong, "{deputy} {from} {to}");
        }
    }
}
