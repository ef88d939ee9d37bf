//! What authentication is made of: cookies, protection against cross-site requests, and the methods of signing in. It knows neither the
//! running portal nor who is signed in; that is [`crate::portal::Caller`].

pub mod cookie;
pub mod csrf;
pub mod sign_in_method;

pub use sign_in_method::SignIn;
