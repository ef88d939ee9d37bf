//! Address of the database server.

/// Address of a PostgreSQL server with its password, which `Debug` never prints.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// Returns the address with the password, to be used only for connecting.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for DatabaseUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once("://") {
            Some(("postgres" | "postgresql", rest)) if !rest.is_empty() => Ok(Self(text.to_owned())),
            _ => Err("not a PostgreSQL address; use postgres://user:password@host:5432/database"),
        }
    }
}

impl std::fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DatabaseUrl(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_postgresql_has_an_address_and_its_password_stays_hidden() {
        let address: DatabaseUrl = "postgres://portal:hunter2@db/portal".parse().unwrap();
        assert_eq!(format!("{address:?}"), "DatabaseUrl(…)");
        assert_eq!(address.reveal(), "postgres://portal:hunter2@db/portal");
        for other in ["", "portal.sqlite", "sqlite://portal.sqlite", "mysql://db/portal", "postgres://"] {
            assert!(other.parse::<DatabaseUrl>().is_err(), "{other}");
        }
    }
}
