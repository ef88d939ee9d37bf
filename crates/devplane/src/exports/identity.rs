//! The identity of an export: a secret of its owner, whose hash tells two exports of the same group apart.
//! Source: kcp `pkg/reconciler/apis/apiexport/apiexport_reconcile.go`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::kinds::SECRETS;
use crate::store::{Key, WriteError};
use crate::workspaces::controller::ensure_namespace;
use crate::{ClusterId, State, authored, random};

/// Where identities are kept.
pub const NAMESPACE: &str = "kcp-system";
const LENGTH: usize = 32;
const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// Makes the secret if it is missing and answers the hash of its key.
///
/// # Errors
/// When the storage takes no writes.
pub fn ensure(state: &State, provider: &ClusterId, name: &str) -> Result<String, WriteError> {
    ensure_namespace(state, provider, NAMESPACE)?;
    let key = random::word(&*state.random, LENGTH, ALPHABET);
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "data": {"key": STANDARD.encode(key)},
    });
    authored::create(state, &SECRETS, provider, secret)?;
    let stored = state.store.peek(&SECRETS, &Key::new(provider, NAMESPACE, name)).map(|stored| stored.object()).unwrap_or_default();
    Ok(hash(&stored))
}

fn hash(secret: &Value) -> String {
    let key = STANDARD.decode(secret["data"]["key"].as_str().unwrap_or_default()).unwrap_or_default();
    hex::encode(Sha256::digest(key))
}
