//! Who somebody is, wherever people are compared.
//!
//! On kcp a ServiceAccount of the same namespace and name exists in every workspace, all with one username. A person is the username and, for
//! ServiceAccounts, the logical cluster that the plane names with it.

use std::fmt;
use std::ops::Deref;

/// Begins the usernames of ServiceAccounts; no one else has such a name.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// A person or a program. As text it is the username, and for a ServiceAccount of a workspace `username@cluster`: what rows of the database are
/// kept under, and what people read.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PersonId {
    text: String,
    /// Length of the username.
    username: usize,
}

impl PersonId {
    /// Who has this username. `cluster` is the logical cluster in which the plane authenticated it, where the plane has such.
    pub fn new(username: &str, cluster: Option<&str>) -> Self {
        let text = match cluster.filter(|cluster| username.starts_with(SERVICE_ACCOUNT) && !cluster.is_empty()) {
            Some(cluster) => format!("{username}@{cluster}"),
            None => username.to_owned(),
        };
        Self { text, username: username.len() }
    }

    /// As the plane authenticated it, which is what rules and expressions know.
    pub fn username(&self) -> &str {
        self.text.get(..self.username).unwrap_or(&self.text)
    }
}

impl Deref for PersonId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for PersonId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::PersonId;

    #[test]
    fn service_accounts_of_two_workspaces_are_two_people() {
        let robot = "system:serviceaccount:default:robot";
        let (shop, data) = (PersonId::new(robot, Some("a1")), PersonId::new(robot, Some("b2")));
        assert_ne!(shop, data);
        assert_eq!((&*shop, shop.username()), ("system:serviceaccount:default:robot@a1", robot));
        assert_ne!(PersonId::new(robot, None), shop, "where no workspace is known it is no one of them");
        assert_eq!(PersonId::new("dana", Some("a1")), PersonId::new("dana", Some("b2")), "people are the same everywhere");
        assert_eq!(PersonId::new("dana", Some("a1")).to_string(), "dana");
        assert_eq!(PersonId::new(robot, Some("")), PersonId::new(robot, None));
    }
}
