//! Applies fields that others own: only what a user saw and confirmed is taken over.

use kube::Api;
use kube::api::{Patch, PatchParams};
use promise::Contested;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::contested;

/// Applies `body`, which has to carry the resourceVersion that was read. Fields of others are refused, unless each of them is among
/// `confirmed` with the same owner. `params.field_manager` can always take over from its own other self, the updater.
///
/// # Errors
/// What the control plane answers; [`contested`] returns the parts for which it was refused.
pub async fn apply<K>(api: &Api<K>, name: &str, params: &PatchParams, body: &Value, confirmed: &[Contested]) -> Result<K, kube::Error>
where
    K: Clone + DeserializeOwned + std::fmt::Debug,
{
    let patch = Patch::Apply(body);
    let refused = match api.patch(name, params, &patch).await {
        Err(error) => error,
        applied => return applied,
    };
    let others = contested(&refused);
    let ours = params.field_manager.as_deref();
    let agreed = |field: &Contested| Some(field.manager.as_str()) == ours || confirmed.contains(field);
    let pinned = body["metadata"]["resourceVersion"].is_string();
    if others.is_empty() || !pinned || !others.iter().all(agreed) {
        return Err(refused);
    }
    api.patch(name, &params.clone().force(), &patch).await
}
