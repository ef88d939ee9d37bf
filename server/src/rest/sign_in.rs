//! How command lines sign people in. Nothing of it is a secret, and who asks isn't known yet.

use std::sync::Arc;

use axum::extract::State;
use http::HeaderMap;
use oidc::ProviderConfig;
use promise::rest::{SignInInfo, SignInProvider};

use super::answer::{self, Answer};
use super::fields::Fields;
use crate::portal::Portal;

pub(crate) async fn providers(State(portal): State<Arc<Portal>>, headers: HeaderMap) -> Answer {
    let providers = portal.sign_in.providers().iter().filter_map(|provider| public(provider.config())).collect();
    answer::value(&headers, &Fields::default(), &SignInInfo { providers })
}

/// Returns what everyone can know of a provider; `None` if command lines have no client there.
fn public(config: &ProviderConfig) -> Option<SignInProvider> {
    Some(SignInProvider {
        name: config.name.clone(),
        title: config.title.clone(),
        issuer: config.issuer.clone(),
        client_id: config.device_client()?.to_owned(),
        scopes: config.scopes.clone(),
        username_claim: config.username_claim.clone(),
        certificate_authority: config.ca.clone(),
    })
}
