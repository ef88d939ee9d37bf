//! Sort order of lists.

use std::cmp::Ordering;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Columns that a list can be sorted by.
pub trait Column: Copy + Eq + 'static {
    /// All columns, each with its value in URLs.
    const ALL: &'static [(Self, &'static str)];

    /// Whether sorting by the column starts with the largest value, as for times and amounts.
    fn is_descending_first(self) -> bool {
        false
    }

    /// Returns the value used in URLs.
    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(column, _)| *column == self).map_or("", |(_, word)| word)
    }
}

/// Sort order of a list. In URLs it is the name of a column, prefixed with `-` for descending order, or empty for the default order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort<C> {
    /// The default order.
    #[default]
    Usual,
    /// By a column.
    By {
        /// The column.
        column: C,
        /// Whether the largest value comes first.
        descending: bool,
    },
}

impl<C: Column> Sort<C> {
    /// Parses a URL value. Unknown values mean the default order.
    pub fn parse(word: &str) -> Self {
        let (name, descending) = word.strip_prefix('-').map_or((word, false), |name| (name, true));
        let column = C::ALL.iter().find(|(_, known)| *known == name).map(|(column, _)| *column);
        column.map_or(Self::Usual, |column| Self::By { column, descending })
    }

    /// Returns the value used in URLs.
    pub fn word(self) -> String {
        match self {
            Self::Usual => String::new(),
            Self::By { column, descending } => format!("{}{}", if descending { "-" } else { "" }, column.word()),
        }
    }

    /// Returns whether the list is sorted by this column, and if so whether in descending order.
    pub fn descends(self, wanted: C) -> Option<bool> {
        match self {
            Self::By { column, descending } if column == wanted => Some(descending),
            _ => None,
        }
    }

    /// Returns the order after choosing a column: reversed if the list is already sorted by it.
    pub fn choose(self, column: C) -> Self {
        let descending = self.descends(column).map_or(column.is_descending_first(), |descending| !descending);
        Self::By { column, descending }
    }

    /// Compares two rows by the column, then by the default order.
    pub fn compare<T: ?Sized>(self, a: &T, b: &T, by: impl Fn(C, &T, &T) -> Ordering, usual: impl Fn(&T, &T) -> Ordering) -> Ordering {
        match self {
            Self::Usual => usual(a, b),
            Self::By { column, descending: false } => by(column, a, b).then_with(|| usual(a, b)),
            Self::By { column, descending: true } => by(column, b, a).then_with(|| usual(a, b)),
        }
    }
}

impl<C: Column> Serialize for Sort<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.word())
    }
}

impl<'de, C: Column> Deserialize<'de> for Sort<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::parse(&String::deserialize(deserializer)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Letter {
        Name,
        Since,
    }

    impl Column for Letter {
        const ALL: &'static [(Self, &'static str)] = &[(Self::Name, "name"), (Self::Since, "since")];

        fn is_descending_first(self) -> bool {
            self == Self::Since
        }
    }

    #[test]
    fn a_column_is_chosen_and_then_turned_round() {
        let usual = Sort::<Letter>::Usual;
        assert_eq!(usual.choose(Letter::Name).word(), "name");
        assert_eq!(usual.choose(Letter::Name).choose(Letter::Name).word(), "-name");
        assert_eq!(usual.choose(Letter::Since).word(), "-since", "the newest first");
        assert_eq!(usual.choose(Letter::Name).choose(Letter::Since).word(), "-since");
        for word in ["", "name", "-name", "-since"] {
            assert_eq!(Sort::<Letter>::parse(word).word(), word);
        }
        assert_eq!(Sort::<Letter>::parse("size"), Sort::Usual, "old links still lead to the list");
    }

    #[test]
    fn what_is_alike_stays_in_its_usual_order() {
        let by = |_: Letter, a: &(u8, u8), b: &(u8, u8)| a.0.cmp(&b.0);
        let usual = |a: &(u8, u8), b: &(u8, u8)| a.1.cmp(&b.1);
        let sorted = |word: &str| {
            let mut rows = [(1, 3), (2, 1), (1, 2)];
            rows.sort_by(|a, b| Sort::parse(word).compare(a, b, by, usual));
            rows
        };
        assert_eq!(sorted("name"), [(1, 2), (1, 3), (2, 1)]);
        assert_eq!(sorted("-name"), [(2, 1), (1, 2), (1, 3)]);
        assert_eq!(sorted(""), [(2, 1), (1, 2), (1, 3)]);
    }
}
