//! How many have to agree to something.

use std::collections::BTreeSet;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::policy::Approvers;

/// How many have to agree: a number, or the word `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Required {
    /// So many people, whoever they are, as long as they have the right.
    Count(u32),
    /// Every named user, and somebody of every named group, all of them different people: whoever is in several speaks for one.
    All,
}

impl Required {
    /// How many voices that takes at least: of `all`, one for each that is named.
    pub fn voices(self, approvers: &Approvers) -> u32 {
        // Naming somebody twice asks nobody more.
        let distinct = |names: &[String]| names.iter().collect::<BTreeSet<_>>().len();
        let named = distinct(&approvers.users).saturating_add(distinct(&approvers.groups));
        match self {
            Self::Count(count) => count.max(1),
            Self::All => u32::try_from(named).unwrap_or(u32::MAX).max(1),
        }
    }
}

impl Default for Required {
    fn default() -> Self {
        Self::Count(1)
    }
}

impl std::fmt::Display for Required {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::All => f.write_str(ALL),
        }
    }
}

/// How it is written.
const ALL: &str = "all";

impl Serialize for Required {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Count(count) => serializer.serialize_u32(*count),
            Self::All => serializer.serialize_str(ALL),
        }
    }
}

impl<'de> Deserialize<'de> for Required {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a whole number, or the word all")]
        enum Written {
            Count(u32),
            Word(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Count(count) => Ok(Self::Count(count)),
            Written::Word(word) if word == ALL => Ok(Self::All),
            Written::Word(word) => Err(D::Error::custom(format!("{word:?} is neither a whole number nor the word all"))),
        }
    }
}

/// What the plane takes: what it let through and we could not read would be a rule that nobody sees.
#[cfg(feature = "schemars")]
pub fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "x-kubernetes-int-or-string": true, "pattern": "^all$", "minimum": 0, "maximum": 1000,
        "description": "How many have to agree: a number, or `all`, which is every named user and somebody of every named group.",
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Approvers, Required};

    #[test]
    fn it_is_a_number_or_the_word_all() {
        for (written, means) in [(json!(2), Required::Count(2)), (json!("all"), Required::All)] {
            let read: Required = serde_json::from_value(written.clone()).unwrap();
            assert_eq!((read, json!(read)), (means, written));
        }
        for wrong in [json!("two"), json!("2"), json!(-1), json!(1.5), json!(null), json!(["all"])] {
            assert!(serde_json::from_value::<Required>(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn all_is_one_voice_for_each_that_is_named() {
        let approvers = Approvers { groups: vec!["a".into(), "b".into()], users: vec!["c".into()] };
        assert_eq!(Required::All.voices(&approvers), 3);
        let twice = Approvers { groups: vec!["a".into(), "a".into()], users: vec!["a".into()] };
        assert_eq!(Required::All.voices(&twice), 2, "a user is no group");
        assert_eq!(Required::All.voices(&Approvers::default()), 1);
        assert_eq!((Required::Count(0).voices(&approvers), Required::Count(4).voices(&approvers)), (1, 4));
    }
}
