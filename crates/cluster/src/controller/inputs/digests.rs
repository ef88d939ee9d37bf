//! Secret inputs in releases: only their keyed digests, so that another value is another release.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::{Api, Client};
use promise::keyed::{DigestKey, Purpose};
use promise::path::Path;
use promise::revision::CanonicalError;
use serde_json::Value;

use crate::controller::failure::{Failure, SecretFailure};
use crate::controller::refusals::CallFailure;
use crate::controller::requesters::Referrer;
use crate::error::is_missing;

/// Returns keyed digests of the secrets that the parameters refer to, by path. `client` reads objects beside requests. The error is the
/// reason why there are none.
pub async fn digests(
    client: &Client,
    key: &DigestKey,
    referrer: Referrer<'_>,
    secret_parameters: &[String],
    parameters: Option<&Value>,
) -> Result<BTreeMap<String, String>, Failure> {
    let (workspace, namespace) = (&referrer.key.cluster, &referrer.key.namespace);
    let api: Api<Secret> = Api::namespaced(client.clone(), namespace);
    let mut found = BTreeMap::new();
    for path in secret_parameters {
        let Some((name, entry)) = reference(path, parameters) else { continue };
        let named = || (name.to_owned(), path.clone());
        let secret = api.get(name).await.map_err(|error| {
            if is_missing(&error) {
                let (secret, path) = named();
                Failure::lasting(SecretFailure::Missing { secret, path, namespace: namespace.clone() })
            } else {
                Failure::of(&error, CallFailure::beside(workspace, &error, format!("read the Secret {name}")))
            }
        })?;
        // The status of the request that created this one might not list it yet.
        let data = super::data(secret, referrer.key, |request| referrer.can_refer_to(request)).map_err(Failure::not_now)?;
        let value = data.get(entry);
        let value = value.ok_or_else(|| {
            let (secret, path) = named();
            Failure::lasting(SecretFailure::MissingKey { secret, key: entry.to_owned(), path })
        })?;
        let unusable = |error| Failure::lasting(SecretFailure::NoDigest { secret: name.to_owned(), error });
        let digest = digest(key, value).map_err(unusable)?;
        found.insert(path.clone(), digest);
    }
    Ok(found)
}

/// Returns the digest of one value.
pub(super) fn digest(key: &DigestKey, value: &ByteString) -> Result<String, CanonicalError> {
    key.digest(Purpose::SecretInput, value)
}

/// Returns the name and key of the Secret that is referred to at a path.
pub(super) fn reference<'v>(path: &str, parameters: Option<&'v Value>) -> Option<(&'v str, &'v str)> {
    let at = Path::parse(path).ok()?.get(parameters?)?;
    Some((at["name"].as_str()?, at["key"].as_str()?))
}
