//! Secret inputs in releases: only their keyed digests, so that another value is another release.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::{Api, Client};
use promise::keyed::{DigestKey, Purpose};
use promise::path::Path;
use serde_json::Value;

use crate::controller::failure::Failure;
use crate::controller::refusals::describe_beside;
use crate::controller::requesters::Referrer;
use crate::error::is_missing;
use crate::watch::Key;

/// Returns keyed digests of the secrets that the parameters refer to, by path. `client` reads objects beside requests. The error is the
/// reason why there are none.
pub async fn digests(
    client: &Client,
    key: &DigestKey,
    referrer: Referrer<'_>,
    secret_parameters: &[String],
    parameters: Option<&Value>,
) -> Result<BTreeMap<String, String>, Failure> {
    let Key { cluster: workspace, namespace, .. } = referrer.key;
    let api: Api<Secret> = Api::namespaced(client.clone(), namespace);
    let mut found = BTreeMap::new();
    for path in secret_parameters {
        let Some((name, entry)) = reference(path, parameters) else { continue };
        let secret = api.get(name).await.map_err(|error| {
            if is_missing(&error) {
                Failure::from(format!("The Secret {name} that {path} refers to doesn't exist in the namespace {namespace}. Create it."))
            } else {
                Failure::of(&error, describe_beside(workspace, &error, &format!("read the Secret {name}")))
            }
        })?;
        // The status of the request that created this one might not list it yet.
        let data = super::data(secret, referrer.key, |request| referrer.can_refer_to(request)).map_err(Failure::not_now)?;
        let value = data.get(entry);
        let value = value.ok_or_else(|| format!("The Secret {name} has no key {entry}, which {path} refers to. Add it."))?;
        let digest = digest(key, value).map_err(|error| format!("The Secret {name} can't be used: {error}."))?;
        found.insert(path.clone(), digest);
    }
    Ok(found)
}

/// Returns the digest of one value. The error is the reason why it has none.
pub(super) fn digest(key: &DigestKey, value: &ByteString) -> Result<String, String> {
    key.digest(Purpose::SecretInput, value).map_err(|error| error.to_string())
}

/// Returns the name and key of the Secret that is referred to at a path.
pub(super) fn reference<'v>(path: &str, parameters: Option<&'v Value>) -> Option<(&'v str, &'v str)> {
    let at = Path::parse(path).ok()?.get(parameters?)?;
    Some((at["name"].as_str()?, at["key"].as_str()?))
}
