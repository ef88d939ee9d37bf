//! Reading, applying and deleting single objects. Every operation is idempotent and carries a precondition where there is one. All of them
//! ask the server, and tell [`Targets::objects`] what it answered: what watches show of the object might be older.

use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams, Preconditions};
use kube::core::GroupVersionKind;
use kube::{Api, ResourceExt};
use promise::plan::{Key, Why};
use promise::{action, names};
use serde_json::{Value, json};

use super::failure::{Failure, FailureCause};
use super::outage::complete;
use super::places::Places;
use super::refusals::CallFailure;
use super::revision;
use super::target::{Place, Reach, Targets, reduce};
use crate::error::{is_conflict, is_missing, is_missing_api};
use crate::kinds::Export;

/// Returns the kind of a key.
pub fn kind(key: &Key) -> GroupVersionKind {
    GroupVersionKind::gvk(&key.group, &key.version, &key.kind)
}

/// Returns the object at a key, or `None` if it doesn't exist or its kind is gone.
pub async fn look(targets: &Targets, place: &Place, key: &Key) -> Result<Option<Value>, FailureCause> {
    match targets.find(place, &kind(key)).await? {
        Some(reach) => read(targets, place, key, reach).await,
        None => Ok(None),
    }
}

/// Like [`look`], where it is known how the kind is reached.
pub async fn read(targets: &Targets, place: &Place, key: &Key, reach: Reach) -> Result<Option<Value>, FailureCause> {
    let reading = targets.objects.begin_read(place, key, &reach);
    match complete(api(reach, key).get(&key.name)).await {
        Ok(mut object) => {
            answered(targets, place);
            reduce(&mut object);
            reading.found(&object);
            Ok(Some(value(&object)))
        }
        Err(error) if is_missing(&error) => {
            answered(targets, place);
            reading.missing();
            Ok(None)
        }
        // What is remembered of the kinds there might be outdated.
        Err(error) if is_missing_api(&error) && targets.is_gone(place, &kind(key)).await? => Ok(None),
        Err(error) => Err(failed(targets, place, &error, &format!("read {key}")).into()),
    }
}

/// Writes an object complete, so that what it leaves out is removed, and returns what the server made of it. `uid` is that of the observed
/// object, and `places` identify the cluster in which it was observed.
pub async fn apply(
    targets: &Targets,
    (places, place): (&Places, &Place),
    key: &Key,
    object: &Value,
    uid: Option<&str>,
    why: Why,
) -> Result<Value, Failure> {
    let reach = targets.reach(place, &kind(key)).await.map_err(Failure::from)?;
    places.is_same(place, reach.session)?;
    let (applies, write) = (reach.applies, targets.objects.begin_write(place, key, &reach));
    let api = api(reach, key);
    let written = if applies { applied(&api, key, object, uid, why).await } else { revision::write(&api, &key.name, object, uid).await };
    match written {
        Ok(mut object) => {
            answered(targets, place);
            reduce(&mut object);
            write.made(&object);
            Ok(value(&object))
        }
        Err(error) => Err(Failure::of(&error, refused(targets, place, key, &error, "apply"))),
    }
}

/// Applies an object, server-side.
async fn applied(api: &Api<DynamicObject>, key: &Key, object: &Value, uid: Option<&str>, why: Why) -> Result<DynamicObject, kube::Error> {
    let mut body = object.clone();
    if let Some(uid) = uid {
        // An object that has taken its place meanwhile isn't ours to change.
        body["metadata"]["uid"] = json!(uid);
    }
    let mut params = PatchParams::apply(names::MANAGER_FULFIL);
    // A new object must not meet other owners of its fields. An object that carries our label is ours as a whole.
    params.force = why != Why::Create;
    complete(api.patch(&key.name, &params, &Patch::Apply(&body))).await
}

/// Sets fields of an object, if it still has this uid and no one else sets them. All other fields stay. `manager` is the field manager of
/// the action's step, so that the fields of one action stay when another one sets others.
pub async fn change(
    targets: &Targets,
    (places, place): (&Places, &Place),
    key: &Key,
    merge: &Value,
    uid: &str,
    manager: &str,
) -> Result<(), Failure> {
    let reach = targets.reach(place, &kind(key)).await.map_err(Failure::from)?;
    places.is_same(place, reach.session)?;
    // The request has to notice the change, so what comes of it is left to the watch.
    drop(targets.objects.begin_write(place, key, &reach));
    let (applies, api) = (reach.applies, api(reach, key));
    let failure = |error: &kube::Error| Failure::of(error, refused(targets, place, key, error, "apply"));
    let found = complete(api.get(&key.name)).await.map_err(|error| failure(&error))?;
    let version = found.metadata.resource_version.clone();
    let whole = serde_json::to_value(&found).unwrap_or_default();
    if let Some(why) = action::conflict(&whole, merge) {
        return Err(Failure::lasting(why));
    }
    let mut body = merge.clone();
    body["metadata"]["uid"] = json!(uid);
    // If the object was changed since it was observed, the server refuses: someone might have set one of the fields.
    body["metadata"]["resourceVersion"] = json!(version);
    let changed = if applies {
        (body["apiVersion"], body["kind"]) = (whole["apiVersion"].clone(), whole["kind"].clone());
        let params = PatchParams { force: true, ..PatchParams::apply(manager) };
        complete(api.patch(&key.name, &params, &Patch::Apply(&body))).await
    } else {
        let params = PatchParams { field_manager: Some(manager.to_owned()), ..PatchParams::default() };
        complete(api.patch(&key.name, &params, &Patch::Merge(&body))).await
    };
    match changed {
        Ok(_) => {
            answered(targets, place);
            Ok(())
        }
        Err(error) if is_conflict(&error) => Err(Failure::not_now(refused(targets, place, key, &error, "apply"))),
        Err(error) => Err(failure(&error)),
    }
}

/// Asks the server whether it would take an object, without storing it: permissions, quota and admission.
pub async fn dry_run(targets: &Targets, (places, place): (&Places, &Place), key: &Key, object: &Value) -> Result<(), Failure> {
    let reach = targets.reach(place, &kind(key)).await.map_err(Failure::from)?;
    places.is_same(place, reach.session)?;
    let mut params = PatchParams::apply(names::MANAGER_FULFIL);
    (params.force, params.dry_run) = (true, true);
    match complete(api(reach, key).patch(&key.name, &params, &Patch::Apply(object))).await {
        Ok(_) => {
            answered(targets, place);
            Ok(())
        }
        Err(error) => Err(Failure::of(&error, refused(targets, place, key, &error, "apply"))),
    }
}

/// Deletes an object, if it still has this uid.
pub async fn delete(targets: &Targets, place: &Place, key: &Key, uid: &str) -> Result<(), Failure> {
    let Some(reach) = targets.find(place, &kind(key)).await? else { return Ok(()) };
    targets.objects.begin_delete(place, key, &reach);
    let preconditions = Preconditions { uid: Some(uid.to_owned()), resource_version: None };
    let params = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::background() };
    match complete(api(reach, key).delete(&key.name, &params)).await {
        Err(error) if !is_missing(&error) => Err(Failure::of(&error, refused(targets, place, key, &error, "delete"))),
        // It was deleted, or was already gone.
        _ => {
            answered(targets, place);
            Ok(())
        }
    }
}

/// Removes our marks from an object, if it still has this uid, and otherwise leaves it as it is. Afterwards we own none of its fields,
/// except the note of whose it was.
pub async fn orphan(targets: &Targets, place: &Place, key: &Key, uid: &str) -> Result<(), Failure> {
    let Some(reach) = targets.find(place, &kind(key)).await? else { return Ok(()) };
    // Without our label it is no longer watched.
    drop(targets.objects.begin_write(place, key, &reach));
    let api = api(reach, key);
    let labels = json!({names::REQUEST_UID_LABEL: null, names::REQUEST_NAME_LABEL: null, names::RESOURCE_ID_LABEL: null});
    let params = PatchParams { field_manager: Some(names::MANAGER_RELEASE.to_owned()), ..PatchParams::default() };
    let handed = async {
        let found = complete(api.get(&key.name)).await?;
        let annotations = json!({
            names::HASH_ANNOTATION: null, names::APPLIED_FIELDS_ANNOTATION: null,
            names::RELEASED_ANNOTATION: found.labels().get(names::REQUEST_UID_LABEL),
        });
        let patch = json!({"metadata": {
            "uid": uid, "resourceVersion": found.metadata.resource_version, "labels": labels,
            "annotations": annotations, "managedFields": left(&found),
        }});
        complete(api.patch(&key.name, &params, &Patch::Merge(&patch))).await
    };
    match handed.await {
        Err(error) if !is_missing(&error) => Err(Failure::of(&error, refused(targets, place, key, &error, "hand over"))),
        _ => {
            answered(targets, place);
            Ok(())
        }
    }
}

/// Returns the owners of fields of an object that is handed over, as they are written back: everyone else. Without any entry the server
/// would give all fields to `before-first-apply` at the next apply, which then gets a conflict in each field that it changes.
fn left(object: &DynamicObject) -> Value {
    let entries = object.metadata.managed_fields.iter().flatten();
    let others: Vec<_> = entries.filter(|entry| entry.manager.as_deref() != Some(names::MANAGER_FULFIL)).collect();
    if !others.is_empty() {
        return json!(others);
    }
    let note = format!("f:{}", names::RELEASED_ANNOTATION);
    json!([{
        "manager": names::MANAGER_RELEASE, "operation": "Update", "apiVersion": object.types.as_ref().map(|types| &types.api_version),
        "fieldsType": "FieldsV1", "fieldsV1": {"f:metadata": {"f:annotations": {note: {}}}},
    }])
}

fn api(reach: Reach, key: &Key) -> Api<DynamicObject> {
    let Reach { client, resource, namespaced, .. } = reach;
    match key.namespace.as_deref().filter(|_| namespaced) {
        Some(namespace) => Api::namespaced_with(client, namespace, &resource),
        None => Api::all_with(client, &resource),
    }
}

/// Records that a place accepted a call.
fn answered(targets: &Targets, place: &Place) {
    if let Place::Destination(key) = place {
        targets.record_response(key, None);
    }
}

/// Explains why a write failed, of which `verb` is the name.
fn refused(targets: &Targets, place: &Place, key: &Key, error: &kube::Error, verb: &str) -> CallFailure {
    let failure = failed(targets, place, error, &format!("{verb} {key}"));
    let is_secret = key.group.is_empty() && key.kind == "Secret";
    if is_secret { failure.about_secret(error) } else { failure }
}

fn failed(targets: &Targets, place: &Place, error: &kube::Error, doing: &str) -> CallFailure {
    match place {
        // On kcp all claims are in force, so the missing permission isn't one of these.
        Place::Workspace(cluster) if cluster.namespace().is_none() && targets.is_granted(cluster) => {
            CallFailure::own(targets.topology(), Export::Requests, error, doing)
        }
        Place::Workspace(cluster) => CallFailure::beside(cluster, error, doing),
        Place::Destination(key) => {
            targets.record_response(key, Some(error));
            CallFailure::at(&key.name, error, doing)
        }
    }
}

fn value(object: &DynamicObject) -> Value {
    serde_json::to_value(object).unwrap_or_default()
}
