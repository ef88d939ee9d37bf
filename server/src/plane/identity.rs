//! The users of the embedded plane: the portal's own identities and the people of the sample world, each with a random token.

use std::collections::BTreeMap;
use std::io;

use cluster::Token;

use super::folder::{Folder, write_private};

/// Can do everything everywhere. Used for installing, for loading the sample world, and as the current user of the kubeconfig.
pub const ADMIN: &str = "plane-admin";
/// Watches the objects in the portal's caches.
pub const PORTAL: &str = "opm-portal";
/// Fulfils requests, through the exports' virtual workspaces.
pub const CONTROLLER: &str = "opm-controller";
/// Gives objects in the sandbox cluster a realistic status.
pub const OPERATOR: &str = "sandbox-operator";
/// Used to reach the Destination `sandbox`.
pub const DESTINATION: &str = "sandbox-destination";

/// Names of the portal's own identities, which people can't have.
pub const RESERVED: [&str; 5] = [ADMIN, PORTAL, CONTROLLER, OPERATOR, DESTINATION];

/// A user of the plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Username.
    pub name: String,
    /// Groups, without `system:authenticated`.
    pub groups: Vec<String>,
    /// Bearer token.
    pub token: Token,
}

/// All users of the plane.
#[derive(Clone, Debug)]
pub struct Identities(Vec<Identity>);

impl Identities {
    /// Reads the tokens from the data directory, and creates missing ones. `people` are names with their groups.
    ///
    /// # Errors
    /// If the file can't be read or written, or has an unexpected format.
    pub fn open<'p>(
        folder: &Folder,
        people: impl IntoIterator<Item = (&'p str, &'p [String])>,
        random: &dyn store::Random,
    ) -> io::Result<Self> {
        let path = folder.tokens();
        let mut tokens: BTreeMap<String, String> = match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(error),
        };
        let known = tokens.len();
        let mut identity = |name: &str, groups: &[String]| {
            let token = tokens.entry(name.to_owned()).or_insert_with(|| {
                let mut bytes = [0; 32];
                random.fill(&mut bytes);
                hex::encode(bytes)
            });
            Identity { name: name.to_owned(), groups: groups.to_vec(), token: Token::new(token.as_str()) }
        };
        let masters = ["system:masters".to_owned(), "system:kcp:admin".to_owned()];
        let mut all = vec![identity(ADMIN, &masters)];
        all.extend([PORTAL, CONTROLLER, OPERATOR, DESTINATION].map(|name| identity(name, &[])));
        all.extend(people.into_iter().map(|(name, groups)| identity(name, groups)));
        if tokens.len() != known {
            write_private(&path, &format!("{:#}\n", serde_json::json!(tokens)))?;
        }
        Ok(Self(all))
    }

    /// Returns all users.
    pub fn all(&self) -> &[Identity] {
        &self.0
    }

    /// Returns the user `name`, if there is one.
    pub fn get(&self, name: &str) -> Option<&Identity> {
        self.0.iter().find(|identity| identity.name == name)
    }

    /// Returns the token of `name`, if there is such a user.
    pub fn token(&self, name: &str) -> Option<&Token> {
        self.0.iter().find(|identity| identity.name == name).map(|identity| &identity.token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::System;
    use crate::config::Storage;

    #[test]
    fn tokens_stay_and_new_people_get_theirs() {
        let folder = Folder::open(&Storage::Memory).unwrap();
        let groups = ["acme".to_owned()];
        let first = Identities::open(&folder, [("a", &groups[..])], &System).unwrap();
        let second = Identities::open(&folder, [("a", &groups[..]), ("b", &groups[..])], &System).unwrap();
        assert_eq!(first.token("a"), second.token("a"));
        assert_eq!(first.token(ADMIN), second.token(ADMIN));
        assert!(first.token("b").is_none() && second.token("b").is_some());
        let distinct: std::collections::BTreeSet<_> = second.all().iter().map(|identity| identity.token.expose()).collect();
        assert_eq!(distinct.len(), second.all().len());
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = Folder::open(&Storage::Memory).unwrap();
        Identities::open(&folder, [], &System).unwrap();
        assert_eq!(std::fs::metadata(folder.tokens()).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
