//! Server-side apply, and the bookkeeping of `metadata.managedFields` for every other write.
//! Source: structured-merge-diff `merge/update.go`; apimachinery `util/managedfields`.
//!
//! Pure functions over JSON, after structured-merge-diff and kube-apiserver. [`typed`] walks objects along their schema, [`merge`]
//! combines and prunes them, [`field_set`] holds sets of fields, [`managed_fields`] reads and writes the entries.
//!
//! The order of calls for a write: [`apply`] (or the patch, or the body of a PUT followed by [`update_managed_fields`]), then whatever
//! else changes the object, and last [`keep_times`], so that a write that changes nothing stays one.

#[cfg(test)]
pub(crate) mod arbitrary;
mod conflict;
pub mod field_set;
pub mod managed_fields;
mod merge;
pub mod object_meta;
pub mod typed;
mod types;

pub use conflict::{ApplyError, Conflict};
pub use types::Type;

use schema::structural::Schema;
use serde_json::{Map, Value};

use field_set::{FieldSet, PathElement};
use managed_fields::{Entry, Managed, ManagerId, Operation};
use typed::Duplicates;

/// What one endpoint writes.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The schema of the objects; none if nothing is known of them.
    pub schema: Option<&'a Schema>,
    /// `apps/v1`, `v1`.
    pub api_version: &'a str,
    /// Kind, for texts.
    pub kind: &'a str,
    /// `status`, `scale`; empty for the object itself.
    pub subresource: &'a str,
    /// Top-level fields that this endpoint does not write, see [`RESET_BY_OBJECT`] and [`RESET_BY_STATUS`].
    pub reset: &'a [&'a str],
    /// What a new object holds before anything is said of it.
    pub zero: &'a Map<String, Value>,
    /// Whether what an apply makes is written by a PUT afterwards, as kcp's virtual workspaces do.
    pub forwarded: bool,
}

/// What a write of an object resets if the kind has a status subresource.
pub const RESET_BY_OBJECT: &[&str] = &["status"];
/// What a write of the status resets.
pub const RESET_BY_STATUS: &[&str] = &["metadata", "spec"];

/// The manager that owns what was there before the first apply to an object without managed fields.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

impl<'a> Target<'a> {
    fn root(&self) -> Type<'a> {
        Type::root(self.schema)
    }

    fn ignored(&self) -> FieldSet {
        self.reset.iter().map(|&name| vec![PathElement::field(name)]).collect()
    }

    fn manager(&self, name: &str, operation: Operation) -> ManagerId {
        let name = if name.is_empty() { "unknown" } else { name };
        let api_version = if operation == Operation::Apply { "" } else { self.api_version };
        ManagerId { manager: name.into(), operation, api_version: api_version.into(), subresource: self.subresource.into() }
    }
}

/// Applies the configuration `patch` of `manager` to `live`; without `live` the object is new.
///
/// The answer is the object with its new managed fields and with what the patch says of the fields that the endpoint resets: the caller
/// resets them, defaults, checks, and calls [`keep_times`]. `now` is in whole seconds, as `creationTimestamp`.
///
/// # Errors
/// [`ApplyError::Conflicts`] if others own fields that would change, unless `force` is set; the other errors are about the patch.
pub fn apply(target: &Target<'_>, live: Option<&Value>, patch: &Value, manager: &str, force: bool, now: &str) -> Result<Value, ApplyError> {
    let said = |field: &str| patch.get(field).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (said("apiVersion"), said("kind"));
    if api_version != target.api_version || kind != target.kind {
        return Err(ApplyError::ObjectType { api_version: api_version.into(), kind: kind.into() });
    }
    if patch.pointer("/metadata/managedFields").is_some_and(|fields| !fields.is_null()) {
        return Err(ApplyError::ManagedFieldsInPatch);
    }
    let root = target.root();
    let problems = typed::validate(root, patch, Duplicates::Refused);
    if !problems.is_empty() {
        return Err(ApplyError::not_typed("patch", patch, target, problems));
    }
    let mut managed = live.map(Managed::read).unwrap_or_default();
    let bare = match live {
        Some(live) => without_managed_fields(live),
        None => identity(patch),
    };
    let problems = typed::validate(root, &bare, Duplicates::Allowed);
    if !problems.is_empty() {
        return Err(ApplyError::not_typed("live", &bare, target, problems));
    }
    if managed.is_empty() && live.is_some() {
        record_update(target, &identity(&bare), &bare, &mut managed, BEFORE_FIRST_APPLY, now);
    }
    let before = managed.clone();

    let ignored = target.ignored();
    let id = target.manager(manager, Operation::Apply);
    let mut merged = merge::merge(root, &bare, patch);
    let applied = typed::field_set(root, patch).without_subtrees(&ignored);
    // What is asked for again stays: only a configuration that says less than the last one takes something away.
    let last = managed.set(&id).filter(|last| !applied.includes(last)).cloned();
    managed.put(id.clone(), Entry { set: applied, api_version: target.api_version.into(), time: managed.time(&id) });
    if let Some(last) = last {
        merged = merge::prune(root, &merged, &managed, &last);
    }
    let changes = typed::compare(root, &bare, &merged).without_subtrees(&ignored);
    let conflicts = managed.conflicts(&id, &changes);
    if !force && !conflicts.is_empty() {
        return Err(ApplyError::Conflicts(conflicts));
    }
    managed.give_up(&id, &changes);
    // Only now: pruning must see that the manager still asks for the name, or `metadata` would go with its last label.
    managed.disown(&id, &server_owned());
    managed.drop_empty();
    // A virtual workspace notes no time for an apply that changes nothing but owners.
    if merged != bare || (!target.forwarded && !managed.same_sets(&before)) {
        managed.set_time(&id, now);
    }
    managed.write(&mut merged);
    Ok(merged)
}

/// Records in `new.metadata.managedFields` what `manager` changed from `live` (none: created) to `new`.
///
/// Managed fields in `new` are the client's: they count if they can be read, an empty entry resets them all, and otherwise those of
/// `live` go on. Through a subresource they never count. An object that does not fit its schema keeps the fields it has.
pub fn update_managed_fields(target: &Target<'_>, live: Option<&Value>, new: &mut Value, manager: &str, now: &str) {
    let mut managed = match live {
        Some(live) if target.subresource.is_empty() => Managed::of_request(live, new),
        Some(live) => Managed::read(live),
        None => Managed::of_request(&Value::Null, new),
    };
    let bare_new = without_managed_fields(new);
    // An object whose managed fields were reset, or that never had any, is not tracked again until somebody applies to it.
    let tracked = live.is_none() || !managed.is_empty();
    if tracked {
        let bare_live = live.map_or_else(|| blank(&bare_new, target.zero), without_managed_fields);
        record_update(target, &bare_live, &bare_new, &mut managed, manager, now);
    }
    managed.write(new);
}

/// If `new` differs from `live` in the times of managed fields alone, gives it the times of `live`: then nothing is written.
pub fn keep_times(live: &Value, new: &mut Value) {
    let (Some(old_fields), Some(new_fields)) = (live.pointer("/metadata/managedFields"), new.pointer("/metadata/managedFields")) else {
        return;
    };
    if old_fields != new_fields
        && same_beside_managed_fields(live, new)
        && managed_fields::without_times(old_fields) == managed_fields::without_times(new_fields)
    {
        let old_fields = old_fields.clone();
        if let Some(metadata) = new.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.insert("managedFields".into(), old_fields);
        }
    }
}

fn record_update(target: &Target<'_>, live: &Value, new: &Value, managed: &mut Managed, manager: &str, now: &str) {
    let root = target.root();
    let fits = |object| typed::validate(root, object, Duplicates::Allowed).is_empty();
    if !fits(live) || !fits(new) {
        return;
    }
    let changes = typed::compare(root, live, new).without_subtrees(&target.ignored());
    managed.give_up_all(&changes);
    let taken = changes.modified.union(&changes.added).difference(&server_owned());
    if !taken.is_empty() {
        let id = target.manager(manager, Operation::Update);
        let set = managed.set(&id).map_or_else(|| taken.clone(), |own| own.union(&taken));
        managed.put(id, Entry { set, api_version: target.api_version.into(), time: Some(now.into()) });
    }
    managed.drop_empty();
    managed.cap_updaters();
}

/// Fields of which nobody is the manager.
fn server_owned() -> FieldSet {
    let top = ["apiVersion", "kind", "metadata"].into_iter().map(|name| vec![PathElement::field(name)]);
    let names =
        ["name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields", "resourceVersion"];
    let below = names.into_iter().map(|name| vec![PathElement::field("metadata"), PathElement::field(name)]);
    top.chain(below).collect()
}

/// The object that a new one starts from.
fn identity(object: &Value) -> Value {
    let kept = ["apiVersion", "kind"].into_iter().filter_map(|name| Some((name.to_owned(), object.get(name)?.clone())));
    Value::Object(kept.collect::<Map<_, _>>())
}

/// Whether two objects with metadata are the same in everything but managed fields.
fn same_beside_managed_fields(a: &Value, b: &Value) -> bool {
    let (Some(a), Some(b)) = (a.as_object(), b.as_object()) else { return a == b };
    let same = |a: &Map<String, Value>, b: &Map<String, Value>, but: &str| {
        let rest = |fields: &Map<String, Value>| fields.len() - usize::from(fields.contains_key(but));
        rest(a) == rest(b) && a.iter().all(|(name, value)| name == but || b.get(name) == Some(value))
    };
    let metadata = |fields| Map::get(fields, "metadata").and_then(Value::as_object);
    let described = match (metadata(a), metadata(b)) {
        (Some(a), Some(b)) => same(a, b, "managedFields"),
        _ => a.get("metadata") == b.get("metadata"),
    };
    described && same(a, b, "metadata")
}

/// The object that a created one starts from.
fn blank(object: &Value, zero: &Map<String, Value>) -> Value {
    let mut blank = identity(object);
    if let Some(fields) = blank.as_object_mut() {
        fields.extend(zero.clone());
    }
    blank
}

fn without_managed_fields(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    object
}

#[cfg(test)]
mod tests;
