//! Writing an object whole where a server-side apply never removes a field: it is created, or patched from what is there to what is wanted.

use kube::api::{DynamicObject, Patch, PostParams};
use kube::{Api, ResourceExt};
use promise::fulfil::{accounted, revised};
use promise::{merge, names};
use serde_json::{Value, json};

use super::outage::whole;
use super::write;
use crate::error::is_conflict;

/// How often an object is patched against what others write meanwhile, before it is looked at anew.
const TRIES: usize = 3;

/// Writes an object; nothing is written where nothing differs. `uid` is that of the object that was seen: whatever came in its place
/// meanwhile is not ours to change. Without one it is made, and where there is one of that name, that is a conflict.
pub async fn write(api: &Api<DynamicObject>, name: &str, object: &Value, uid: Option<&str>) -> Result<DynamicObject, kube::Error> {
    let wanted = accounted(object);
    let Some(uid) = uid else { return create(api, wanted).await };
    let mut left = TRIES;
    loop {
        let Some(there) = whole(api.get_opt(name)).await? else { return create(api, wanted).await };
        let version = there.resource_version();
        let known = serde_json::to_value(&there).map_err(kube::Error::SerdeError)?;
        let Some(mut patch) = merge::patch(&known, &revised(&known, &wanted)) else { return Ok(there) };
        patch["metadata"]["uid"] = json!(uid);
        patch["metadata"]["resourceVersion"] = json!(version);
        left -= 1;
        match whole(api.patch(name, &write::params(), &Patch::Merge(&patch))).await {
            Err(error) if left > 0 && is_conflict(&error) => {}
            written => return written,
        }
    }
}

async fn create(api: &Api<DynamicObject>, wanted: Value) -> Result<DynamicObject, kube::Error> {
    let object = serde_json::from_value(wanted).map_err(kube::Error::SerdeError)?;
    let params = PostParams { field_manager: Some(names::MANAGER_FULFIL.to_owned()), ..PostParams::default() };
    whole(api.create(&params, &object)).await
}
