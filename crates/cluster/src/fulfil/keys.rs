//! The key of the digests that stand in inventories and releases: a Secret beside the Lease, made by the first controller.

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client};
use promise::keyed::DigestKey;
use promise::names;

use super::words::told;
use crate::error::{is_conflict, is_denied, is_missing};
use crate::install::{KEYS, SYSTEM_NAMESPACE, mend};
use crate::random::Random;
use crate::topology::Topology;

/// Key in the Secret's data.
const DIGESTS: &str = "digests";

/// Reads the key, or makes it where there is none. `client` acts where the controller's own objects are. Errors: a sentence.
pub async fn open(client: &Client, topology: &Topology, random: &dyn Random) -> Result<DigestKey, String> {
    let api: Api<Secret> = Api::namespaced(client.clone(), SYSTEM_NAMESPACE);
    match api.get(KEYS).await {
        Ok(secret) => read(&secret, topology),
        Err(error) if is_missing(&error) => make(&api, topology, random).await,
        Err(error) => Err(without(&error, topology, "read its key, the")),
    }
}

async fn make(api: &Api<Secret>, topology: &Topology, random: &dyn Random) -> Result<DigestKey, String> {
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
            let secret = api.get(KEYS).await.map_err(|error| without(&error, topology, "read its key, the"))?;
            read(&secret, topology)
        }
        Err(error) => Err(without(&error, topology, "keep its key in the")),
    }
}

/// Why there is no key, and who can mend it.
fn without(error: &kube::Error, topology: &Topology, doing: &str) -> String {
    let why = told(error, &format!("{doing} {}", topology.own_object("Secret", KEYS)));
    if is_denied(error) { format!("{why} {}", mend(topology)) } else { why }
}

fn read(secret: &Secret, topology: &Topology) -> Result<DigestKey, String> {
    let bytes = secret.data.as_ref().and_then(|data| data.get(DIGESTS));
    bytes.and_then(|bytes| DigestKey::from_slice(&bytes.0)).ok_or_else(|| {
        format!(
            "The {} has no key {DIGESTS} of {} bytes. Whoever runs the platform can delete it: the controller makes another one, and \
             applies every object once more.",
            topology.own_object("Secret", KEYS),
            DigestKey::LENGTH
        )
    })
}
