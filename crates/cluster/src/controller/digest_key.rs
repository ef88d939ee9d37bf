//! The key for digests in inventories and releases: a Secret beside the Lease, created by the first controller.

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client};
use promise::keyed::DigestKey;
use promise::names;

use super::failure::{FailureCause, SecretFailure};
use super::refusals::CallFailure;
use crate::error::{is_conflict, is_missing};
use crate::install::{KEYS, SYSTEM_NAMESPACE};
use crate::random::Random;
use crate::topology::Topology;

/// Key in the Secret's data.
const DIGESTS: &str = "digests";

/// Reads the key, or creates it if there is none. `client` acts where the controller's own objects are.
pub async fn open(client: &Client, topology: &Topology, random: &dyn Random) -> Result<DigestKey, FailureCause> {
    let api: Api<Secret> = Api::namespaced(client.clone(), SYSTEM_NAMESPACE);
    match api.get(KEYS).await {
        Ok(secret) => Ok(read(&secret, topology)?),
        Err(error) if is_missing(&error) => make(&api, topology, random).await,
        Err(error) => Err(without(&error, topology, "read its key from the").into()),
    }
}

async fn make(api: &Api<Secret>, topology: &Topology, random: &dyn Random) -> Result<DigestKey, FailureCause> {
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
        // Another instance was first. All instances share one key.
        Err(error) if is_conflict(&error) => {
            let secret = api.get(KEYS).await.map_err(|error| without(&error, topology, "read its key from the"))?;
            Ok(read(&secret, topology)?)
        }
        Err(error) => Err(without(&error, topology, "save its key in the").into()),
    }
}

/// Explains why there is no key, and who can fix that.
fn without(error: &kube::Error, topology: &Topology, doing: &str) -> CallFailure {
    CallFailure::installed(topology, error, format!("{doing} {}", topology.own_object("Secret", KEYS)))
}

fn read(secret: &Secret, topology: &Topology) -> Result<DigestKey, SecretFailure> {
    let bytes = secret.data.as_ref().and_then(|data| data.get(DIGESTS));
    let key = bytes.and_then(|bytes| DigestKey::from_slice(&bytes.0));
    key.ok_or_else(|| SecretFailure::NoDigestKey { key: DIGESTS, topology: topology.clone() })
}
