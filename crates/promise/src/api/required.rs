//! The number of approvals that a rule requires.

use std::collections::BTreeSet;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::policy::Approvers;

/// Number of approvals required: a number, or the word `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Required {
    /// A number of approvals, from any people with the permission.
    Count(u32),
    /// Every named user and one member of every named group, all of them different people: a member of several counts for only one.
    All,
}

impl Required {
    /// Returns the minimum number of approvals: for `all`, one for each named user and group.
    pub fn voices(self, approvers: &Approvers) -> u32 {
        // Naming a user or group twice requires no additional approval.
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

/// The serialized form of [`Required::All`].
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

/// Schema that the server validates. A value that the server accepts and we can't read would be a rule that is never shown.
#[cfg(feature = "schemars")]
pub fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "x-kubernetes-int-or-string": true, "pattern": "^all$", "minimum": 0, "maximum": 1000,
        "description": "How many have to approve: a number, or `all`, which is every named user and a member of every named group.",
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
