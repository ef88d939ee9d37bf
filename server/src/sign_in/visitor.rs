//! Who visits.

use promise::Error;

use crate::portal::Caller;

/// The visitor as identified by the gate. Every request behind the gate carries one.
#[derive(Clone)]
pub enum Visitor {
    /// Not signed in.
    Anonymous,
    /// A person whom the plane knows.
    Person(Caller),
    /// There might be a session, but its owner couldn't be determined.
    Unknown(Error),
}

impl Visitor {
    /// Returns the caller, or why there is none.
    ///
    /// # Errors
    /// If the visitor isn't signed in or couldn't be identified.
    pub fn caller(&self) -> promise::Result<&Caller> {
        match self {
            Self::Person(caller) => Ok(caller),
            Self::Anonymous => Err(Error::Unauthenticated),
            Self::Unknown(error) => Err(error.clone()),
        }
    }
}
