//! Sign-in with identity providers by OpenID Connect: discovery, the authorization code flow with PKCE, sign-in on other devices, verification of id tokens, new
//! tokens, and the end of sessions at the provider. The only crate that speaks to providers.
//!
//! It knows neither sessions nor pages, and never reads the clock or draws random bytes itself: both are arguments. Whether the control
//! plane accepts an id token, and as whom, is for the plane to say.

mod address;
mod config;
mod device;
mod error;
mod http_client;
mod jwt;
mod keys;
mod logout;
mod names;
mod person;
mod provider;
mod tokens;
mod verify;

pub use config::{ConfigProblem, Impersonation, ProviderConfig};
pub use device::DeviceSignIn;
pub use error::Error;
pub use logout::EndedSession;
pub use names::NameProblem;
pub use person::ImpersonatedPerson;
pub use provider::{Callback, Provider, Secrets};
pub use tokens::Tokens;
pub use verify::is_recent;
