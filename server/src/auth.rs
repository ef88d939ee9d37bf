//! Authentication: sign-in, session cookie, protection against cross-site requests, and the only way to obtain a [`Caller`].

pub mod caller;
pub mod callers;
pub mod cookie;
pub mod csrf;
pub mod gate;
pub mod session;
pub mod sign_in_method;
mod unsent;

pub use caller::Caller;
pub use callers::Callers;
pub use gate::Visitor;
pub use sign_in_method::SignIn;
