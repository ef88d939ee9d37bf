//! Writes an object whole where a server-side apply never removes a field: the object is created, or patched from its current to its wanted
//! state.

use kube::api::{DynamicObject, Patch, PostParams};
use kube::{Api, ResourceExt};
use promise::plan::{accounted, revised};
use promise::{merge, names};
use serde_json::{Value, json};

use super::outage::complete;
use super::write;
use crate::error::is_conflict;

/// How often an object is patched against concurrent writes before it is read again.
const TRIES: usize = 3;

/// Writes an object. Nothing is written if nothing differs. `uid` is that of the object that was seen: one that took its place meanwhile
/// isn't ours to change. Without a uid the object is created, and an existing one of that name is a conflict.
pub async fn write(api: &Api<DynamicObject>, name: &str, object: &Value, uid: Option<&str>) -> Result<DynamicObject, kube::Error> {
    let wanted = accounted(object);
    let Some(uid) = uid else { return create(api, wanted).await };
    let mut left = TRIES;
    loop {
        let Some(there) = complete(api.get_opt(name)).await? else { return create(api, wanted).await };
        let version = there.resource_version();
        let known = serde_json::to_value(&there).map_err(kube::Error::SerdeError)?;
        let Some(mut patch) = merge::patch(&known, &revised(&known, &wanted)) else { return Ok(there) };
        patch["metadata"]["uid"] = json!(uid);
        patch["metadata"]["resourceVersion"] = json!(version);
        left -= 1;
        match complete(api.patch(name, &write::params(), &Patch::Merge(&patch))).await {
            Err(error) if left > 0 && is_conflict(&error) => {}
            written => return written,
        }
    }
}

async fn create(api: &Api<DynamicObject>, wanted: Value) -> Result<DynamicObject, kube::Error> {
    let object = serde_json::from_value(wanted).map_err(kube::Error::SerdeError)?;
    let params = PostParams { field_manager: Some(names::MANAGER_FULFIL.to_owned()), ..PostParams::default() };
    complete(api.create(&params, &object)).await
}
