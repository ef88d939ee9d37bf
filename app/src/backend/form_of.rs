//! Which form of a request a page or a post is about.

use crate::view::NeededFor;

/// Identifies the form of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormOf<'a> {
    /// A new request of a promise.
    New {
        /// Name of the promise.
        promise: &'a str,
        /// Home of a shadowed promise.
        home: Option<&'a str>,
        /// Example or preset that it starts from, as `promise::form::starts_from` reads it.
        start: Option<&'a str>,
    },
    /// An existing request.
    Edit {
        /// Namespace.
        namespace: &'a str,
        /// Name.
        name: &'a str,
        /// Version or release that it starts from, as [`crate::routes::start_of_version`] and [`crate::routes::start_of_release`] write it.
        start: Option<&'a str>,
    },
}

impl FormOf<'_> {
    /// Returns what another request is needed for, if this form requires it first. `draft` is what was entered here.
    pub fn needing(self, draft: String) -> NeededFor {
        let draft = Some(draft);
        match self {
            Self::New { promise, home, .. } => NeededFor::Form { promise: promise.to_owned(), home: home.map(str::to_owned), draft },
            Self::Edit { namespace, name, .. } => NeededFor::Request { namespace: namespace.to_owned(), name: name.to_owned(), draft },
        }
    }
}
