//! What catalogs show of all promises, updated as promises change. The controller also counts instances in the status of a promise, which
//! changes nothing here.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use cluster::kinds::Promise;
use cluster::watch::Key;
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use promise::api::{Lifecycle, Requirement, Visibility};

use super::words::{BETWEEN, Words};
use crate::portal::offers::is_refused;

/// Number of changes to remember. A catalog that is further behind is rebuilt.
const REMEMBERED: usize = 4_096;

/// The fields that a catalog sorts, filters and counts by.
#[derive(Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) name: Arc<str>,
    /// Display name, in lowercase.
    pub(super) title: String,
    pub(super) published: Option<Time>,
    pub(super) lifecycle: Lifecycle,
    pub(super) visibility: Visibility,
    pub(super) featured: bool,
    pub(super) category: String,
    pub(super) tags: Vec<String>,
    pub(super) team: String,
    pub(super) requires: Vec<Requirement>,
    /// Whether no version of it was ever published, because the first one was refused.
    pub(super) refused: bool,
    /// Text that searches match, in lowercase.
    pub(super) text: String,
}

impl Entry {
    fn of(key: &Key, promise: &Promise) -> Self {
        let (spec, presentation) = (&promise.spec, &promise.spec.presentation);
        let team = presentation.maintainer.as_ref().and_then(|maintainer| maintainer.team.clone()).unwrap_or_default();
        let category = presentation.category.clone().unwrap_or_default();
        let (name, summary) = (presentation.display_name.as_ref(), presentation.summary.as_ref());
        let mut text = String::new();
        for field in [Some(&key.name), name, summary, Some(&category), Some(&team)].into_iter().flatten().chain(&presentation.tags) {
            text.push_str(&field.to_lowercase());
            text.push(BETWEEN);
        }
        Self {
            key: key.clone(),
            name: key.name.as_str().into(),
            title: name.unwrap_or(&key.name).to_lowercase(),
            published: promise.metadata.creation_timestamp.clone(),
            lifecycle: spec.lifecycle,
            visibility: spec.visibility,
            featured: presentation.featured,
            category,
            tags: presentation.tags.clone(),
            team,
            requires: spec.requires.clone(),
            refused: is_refused(promise) && promise.status.as_ref().is_none_or(|status| status.revision.is_none()),
            text,
        }
    }
}

/// The entries of all promises on the control plane, each with its own id.
#[derive(Default)]
pub(super) struct Entries {
    promises: OrdMap<Key, Arc<Promise>>,
    ids: HashMap<Key, u32>,
    rows: Vec<Option<Entry>>,
    free: Vec<u32>,
    words: Words,
    edition: u64,
    /// Ids of changed entries, ending with the present edition.
    changed: VecDeque<u32>,
}

impl Entries {
    /// Switches to a new snapshot. Costs only as much as has changed.
    pub(super) fn follow(&mut self, promises: OrdMap<Key, Arc<Promise>>) {
        let before = std::mem::replace(&mut self.promises, promises.clone());
        for change in before.diff(&promises) {
            match change {
                DiffItem::Add(key, promise) | DiffItem::Update { new: (key, promise), .. } => self.put(Entry::of(key, promise)),
                DiffItem::Remove(key, _) => self.remove(key),
            }
        }
    }

    fn put(&mut self, entry: Entry) {
        let known = self.ids.get(&entry.key).copied();
        let id = match known.or_else(|| self.free.pop()) {
            Some(id) => id,
            None => {
                let Ok(id) = u32::try_from(self.rows.len()) else { return };
                self.rows.push(None);
                id
            }
        };
        let Some(row) = self.rows.get_mut(id as usize) else { return };
        if row.as_ref() == Some(&entry) {
            return;
        }
        let same_words = row.as_ref().is_some_and(|former| former.text == entry.text);
        if let Some(former) = row.as_ref().filter(|_| !same_words) {
            self.words.remove(id, &former.text);
        }
        if !same_words {
            self.words.put(id, &entry.text);
        }
        self.ids.insert(entry.key.clone(), id);
        *row = Some(entry);
        self.remember(id);
    }

    fn remove(&mut self, key: &Key) {
        let Some(id) = self.ids.remove(key) else { return };
        if let Some(former) = self.rows.get_mut(id as usize).and_then(Option::take) {
            self.words.remove(id, &former.text);
        }
        self.free.push(id);
        self.remember(id);
    }

    fn remember(&mut self, id: u32) {
        self.edition += 1;
        self.changed.push_back(id);
        if self.changed.len() > REMEMBERED {
            self.changed.pop_front();
        }
    }

    /// Returns the number of changes so far.
    pub(super) fn edition(&self) -> u64 {
        self.edition
    }

    /// Returns the ids of entries that changed since an edition, in that order. `None` if that is too long ago.
    pub(super) fn since(&self, edition: u64) -> Option<impl Iterator<Item = u32>> {
        let count = usize::try_from(self.edition.checked_sub(edition)?).ok()?;
        let known = self.changed.len().checked_sub(count)?;
        Some(self.changed.range(known..).copied())
    }

    /// Returns an entry.
    pub(super) fn get(&self, id: u32) -> Option<&Entry> {
        self.rows.get(id as usize)?.as_ref()
    }

    /// Returns the promise of an entry.
    pub(super) fn promise(&self, entry: &Entry) -> Option<&Arc<Promise>> {
        self.promises.get(&entry.key)
    }

    /// Returns the ids of the promises of a home.
    pub(super) fn of_home<'a>(&'a self, home: &'a cluster::ClusterId) -> impl Iterator<Item = u32> + use<'a> {
        let of = self.promises.range(Key::cluster_scoped(home, "")..).take_while(move |(key, _)| key.cluster == *home);
        of.filter_map(|(key, _)| self.ids.get(key).copied())
    }

    /// Returns ids that include all entries whose text contains these words. `None` if the words are too short to narrow the search.
    pub(super) fn among(&self, words: &[String]) -> Option<&[u32]> {
        self.words.among(words)
    }
}
