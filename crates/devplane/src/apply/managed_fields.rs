//! The entries of `metadata.managedFields`.
//! Source: structured-merge-diff `fieldpath/managers.go`; apimachinery `util/managedfields/internal/managedfields.go`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{conflict::Conflict, field_set::FieldSet, typed::Changes};

/// Entries of managers that updated, beyond which the oldest are thrown together.
const MAX_UPDATERS: usize = 10;
/// The manager that stands for thrown-together entries.
const ANCIENT: &str = "ancient-changes";

/// How a manager wrote. Entries that applied come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// By server-side apply.
    Apply,
    /// By anything else.
    Update,
}

/// What tells entries apart. An applier keeps its entry when it changes its API version, so that is empty here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ManagerId {
    /// `fieldManager` of the request.
    pub manager: String,
    /// How it wrote.
    pub operation: Operation,
    /// In which version, empty for appliers.
    pub api_version: String,
    /// Through which subresource.
    pub subresource: String,
}

/// What one manager owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The fields.
    pub set: FieldSet,
    /// The API version in which they are written.
    pub api_version: String,
    /// When the entry last changed, in whole seconds.
    pub time: Option<String>,
}

/// All entries of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Managed(BTreeMap<ManagerId, Entry>);

impl Managed {
    /// The entries of a stored object; none if they cannot be read.
    pub fn read(object: &Value) -> Self {
        object.pointer("/metadata/managedFields").and_then(Self::parse).unwrap_or_default()
    }

    /// The entries that an update goes on from: those of the request if they are any and can be read, else those of the stored object. A
    /// single empty entry drops all.
    pub(super) fn of_request(live: &Value, new: &Value) -> Self {
        let given = new.pointer("/metadata/managedFields");
        if given.is_some_and(|fields| *fields == json!([{}])) {
            return Self::default();
        }
        given.and_then(Self::parse).filter(|managed| !managed.is_empty()).unwrap_or_else(|| Self::read(live))
    }

    fn parse(fields: &Value) -> Option<Self> {
        fields.as_array()?.iter().map(parse_entry).collect::<Option<_>>().map(Self)
    }

    /// Writes the entries into an object, sorted as the API server sorts them: by operation, time, manager, version, subresource.
    pub(super) fn write(&self, object: &mut Value) {
        let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
        if self.0.is_empty() {
            metadata.remove("managedFields");
            return;
        }
        let mut entries: Vec<(&ManagerId, &Entry)> = self.0.iter().collect();
        entries.sort_by_key(|(id, entry)| (id.operation, &entry.time, &id.manager, &entry.api_version, &id.subresource));
        let entries = entries.into_iter().map(|(id, entry)| written(id, entry));
        metadata.insert("managedFields".into(), entries.collect());
    }

    /// Whether nobody owns anything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What this manager owns.
    pub fn set(&self, id: &ManagerId) -> Option<&FieldSet> {
        self.0.get(id).map(|entry| &entry.set)
    }

    pub(super) fn time(&self, id: &ManagerId) -> Option<String> {
        self.0.get(id)?.time.clone()
    }

    pub(super) fn put(&mut self, id: ManagerId, entry: Entry) {
        self.0.insert(id, entry);
    }

    pub(super) fn set_time(&mut self, id: &ManagerId, now: &str) {
        if let Some(entry) = self.0.get_mut(id) {
            entry.time = Some(now.to_owned());
        }
    }

    /// What all managers together own.
    pub(super) fn union(&self) -> FieldSet {
        self.0.values().fold(FieldSet::default(), |all, entry| all.union(&entry.set))
    }

    /// Fields that change and that others than `id` own.
    pub(super) fn conflicts(&self, id: &ManagerId, changes: &Changes) -> Vec<Conflict> {
        let written = changes.modified.union(&changes.added);
        let others = self.0.iter().filter(|(other, _)| *other != id);
        others
            .flat_map(|(other, entry)| {
                let paths = entry.set.intersection(&written).paths();
                paths.into_iter().map(|path| Conflict { manager: other.clone(), path })
            })
            .collect()
    }

    /// Takes what changed from everybody but `id`.
    pub(super) fn give_up(&mut self, id: &ManagerId, changes: &Changes) {
        let gone = changes.all();
        for (_, entry) in self.0.iter_mut().filter(|(other, _)| *other != id) {
            entry.set = entry.set.difference(&gone);
        }
    }

    /// Takes what changed from everybody.
    pub(super) fn give_up_all(&mut self, changes: &Changes) {
        let gone = changes.all();
        for entry in self.0.values_mut() {
            entry.set = entry.set.difference(&gone);
        }
    }

    /// Takes these fields from `id`.
    pub(super) fn disown(&mut self, id: &ManagerId, fields: &FieldSet) {
        if let Some(entry) = self.0.get_mut(id) {
            entry.set = entry.set.difference(fields);
        }
    }

    pub(super) fn drop_empty(&mut self) {
        self.0.retain(|_, entry| !entry.set.is_empty());
    }

    /// Whether both name the same managers with the same fields.
    pub(super) fn same_sets(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|((id, a), (other, b))| id == other && a.set == b.set)
    }

    /// Throws the oldest updaters of one API version together until few enough are left.
    pub(super) fn cap_updaters(&mut self) {
        let mut updaters: Vec<(ManagerId, Option<String>)> =
            self.0.iter().filter(|(id, _)| id.operation == Operation::Update).map(|(id, entry)| (id.clone(), entry.time.clone())).collect();
        if updaters.len() <= MAX_UPDATERS {
            return;
        }
        updaters.sort_by(|(a, a_time), (b, b_time)| (a_time, &a.manager).cmp(&(b_time, &b.manager)));
        let mut surplus = updaters.len() - MAX_UPDATERS;
        for (id, _) in updaters {
            let ancient = ManagerId { manager: ANCIENT.into(), subresource: String::new(), ..id.clone() };
            if id == ancient {
                continue;
            }
            let Some(entry) = self.0.remove(&id) else { continue };
            match self.0.get_mut(&ancient) {
                Some(bucket) => {
                    bucket.set = bucket.set.union(&entry.set);
                    bucket.time = bucket.time.take().max(entry.time);
                    surplus -= 1;
                }
                None => {
                    self.0.insert(ancient, entry);
                }
            }
            if surplus == 0 {
                return;
            }
        }
    }
}

/// Managed fields without the times of their entries.
pub(super) fn without_times(fields: &Value) -> Value {
    let mut fields = fields.clone();
    for entry in fields.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        entry.remove("time");
    }
    // Entries are sorted by time, so without times their order says nothing.
    if let Some(entries) = fields.as_array_mut() {
        entries.sort_by_cached_key(Value::to_string);
    }
    fields
}

fn parse_entry(entry: &Value) -> Option<(ManagerId, Entry)> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let operation = match entry.get("operation")?.as_str()? {
        "Apply" => Operation::Apply,
        "Update" => Operation::Update,
        _ => return None,
    };
    let set = match entry.get("fieldsV1") {
        Some(fields) if !fields.is_null() => FieldSet::from_fields_v1(fields).ok()?,
        _ => FieldSet::default(),
    };
    let api_version = text("apiVersion");
    let id = ManagerId {
        manager: text("manager"),
        operation,
        api_version: if operation == Operation::Apply { String::new() } else { api_version.clone() },
        subresource: text("subresource"),
    };
    let time = entry.get("time").and_then(Value::as_str).map(str::to_owned);
    Some((id, Entry { set, api_version, time }))
}

fn written(id: &ManagerId, entry: &Entry) -> Value {
    let mut fields = Map::new();
    fields.insert("apiVersion".into(), entry.api_version.clone().into());
    fields.insert("fieldsType".into(), "FieldsV1".into());
    fields.insert("fieldsV1".into(), entry.set.to_fields_v1());
    fields.insert("manager".into(), id.manager.clone().into());
    let operation = match id.operation {
        Operation::Apply => "Apply",
        Operation::Update => "Update",
    };
    fields.insert("operation".into(), operation.into());
    if !id.subresource.is_empty() {
        fields.insert("subresource".into(), id.subresource.clone().into());
    }
    if let Some(time) = &entry.time {
        fields.insert("time".into(), time.clone().into());
    }
    Value::Object(fields)
}
