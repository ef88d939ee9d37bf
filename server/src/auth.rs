//! Who is asking: sign-in, session cookie, protection against foreign sites, and the one way to a `Caller`.

pub mod cookie;
pub mod csrf;
