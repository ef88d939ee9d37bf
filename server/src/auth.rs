//! Authentication: sign-in, session cookie, protection against cross-site requests, and the only way to obtain a [`Caller`].

pub mod caller;
pub mod callers;
pub mod cookie;
pub mod csrf;
pub mod doors;
pub mod gate;
pub(crate) mod person;
pub mod session;

pub use caller::Caller;
pub use callers::Callers;
pub use doors::Doors;
pub use gate::Visitor;
