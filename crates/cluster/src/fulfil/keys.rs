//! The key of the digests that stand in inventories and releases: a Secret in the provider workspace, made by the first controller.

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client};
use promise::keyed::DigestKey;
use promise::names;

use super::words::told;
use crate::error::{is_conflict, is_denied, is_missing};
use crate::install::{KEYS, MEND, SYSTEM_NAMESPACE};
use crate::random::Random;

/// Key in the Secret's data.
const DIGESTS: &str = "digests";

/// Reads the key, or makes it where there is none. `client` acts in the provider workspace. Errors: a sentence.
pub async fn open(client: &Client, random: &dyn Random) -> Result<DigestKey, String> {
    let api: Api<Secret> = Api::namespaced(client.clone(), SYSTEM_NAMESPACE);
    match api.get(KEYS).await {
        Ok(secret) => read(&secret),
        Err(error) if is_missing(&error) => make(&api, random).await,
        Err(error) => Err(without(&error, "read its key, the Secret")),
    }
}

async fn make(api: &Api<Secret>, random: &dyn Random) -> Result<DigestKey, String> {
    let mut bytes = [0; DigestKey::LENGTH];
    random.fill(&mut bytes);
    let secret = Secret {
        metadata: ObjectMeta { name: Some(KEYS.to_owned()), namespace: Some(SYSTEM_NAMESPACE.to_owned()), ..ObjectMeta::default() },
        data: Some([(DIGESTS.to_owned(), ByteString(bytes.to_vec()))].into()),
        immutable: Some(true),
        ..Secret::default()
    };
    let params = PostParams { field_manager: Some(names::MANAGER_FULFIL.to_owned()), ..PostParams::default() };
    match api.create(&params, &secret).await {
        Ok(_) => Ok(DigestKey::new(bytes)),
        // Another instance was first: there is one key for all.
        Err(error) if is_conflict(&error) => {
            let secret = api.get(KEYS).await.map_err(|error| without(&error, "read its key, the Secret"))?;
            read(&secret)
        }
        Err(error) => Err(without(&error, "keep its key in the Secret")),
    }
}

/// Why there is no key, and who can mend it.
fn without(error: &kube::Error, doing: &str) -> String {
    let why = told(error, &format!("{doing} {SYSTEM_NAMESPACE}/{KEYS} of the provider workspace"));
    if is_denied(error) { format!("{why} {MEND}") } else { why }
}

fn read(secret: &Secret) -> Result<DigestKey, String> {
    let bytes = secret.data.as_ref().and_then(|data| data.get(DIGESTS));
    bytes.and_then(|bytes| DigestKey::from_slice(&bytes.0)).ok_or_else(|| {
        format!(
            "The Secret {SYSTEM_NAMESPACE}/{KEYS} of the provider workspace has no key {DIGESTS} of {} bytes. Whoever runs the platform \
             can delete it: the controller makes another one, and applies every object once more.",
            DigestKey::LENGTH
        )
    })
}
