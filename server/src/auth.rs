//! Authentication: sign-in, session cookie, protection against cross-site requests, and the only way to obtain a [`Caller`].

pub mod caller;
pub mod callers;
pub mod cookie;
pub mod csrf;
pub mod session;
pub mod sign_in_method;
pub(crate) mod unsent;
mod visitor;

pub use caller::Caller;
pub use callers::Callers;
pub use sign_in_method::SignIn;
pub use visitor::Visitor;
