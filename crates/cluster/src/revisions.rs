//! The revision that a request is fulfilled from, and a cache of compiled revisions.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use imbl::OrdMap;
use parking_lot::Mutex;
use promise::Problem;
use promise::api::{PromiseSpec, ReleaseRevision, UpgradePolicy};
use promise::render::Compiled;
use promise::resolve::PromiseReading;
use promise::upgrade::{Published, VersionMismatch, choose};

use crate::kinds::PromiseRevision;
use crate::watch::Key;
use crate::workspaces::ClusterId;
use crate::world::World;

/// Number of compiled revisions that are kept.
const KEPT: usize = 256;

/// Compiled revisions, by the hash of their spec.
#[derive(Debug, Default)]
pub struct CompiledRevisions {
    by_hash: Mutex<Recent<String, Compiled>>,
    /// Schemas and own rules. Homes that aren't trusted are allowed less in them.
    readings: Mutex<Recent<(String, bool), PromiseReading>>,
}

impl CompiledRevisions {
    /// Returns a revision that is already compiled.
    pub fn known(&self, hash: &str) -> Option<Arc<Compiled>> {
        self.by_hash.lock().get(hash)
    }

    /// Returns the expressions of a revision, compiled once. That can take a good part of a second, so call this where blocking is allowed.
    ///
    /// # Errors
    /// As [`Compiled::compile`].
    pub fn read(&self, hash: &str, spec: &PromiseSpec) -> Result<Arc<Compiled>, Vec<Problem>> {
        if let Some(known) = self.known(hash) {
            return Ok(known);
        }
        let compiled = Arc::new(Compiled::compile(spec)?);
        self.by_hash.lock().keep(hash.to_owned(), compiled.clone());
        Ok(compiled)
    }

    /// Returns the schema and the own rules of a revision, parsed once; `trusted` says whether its home is a trusted one. It can block like
    /// [`Self::read`].
    pub fn reading(&self, hash: &str, spec: &PromiseSpec, trusted: bool) -> Arc<PromiseReading> {
        let key = (hash.to_owned(), trusted);
        let known = self.readings.lock().get(&key);
        known.unwrap_or_else(|| {
            let reading = Arc::new(PromiseReading::of(spec, trusted));
            self.readings.lock().keep(key, reading.clone());
            reading
        })
    }
}

/// The most recently used values.
#[derive(Debug)]
struct Recent<K, V> {
    all: HashMap<K, (u64, Arc<V>)>,
    /// Number of uses so far.
    uses: u64,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self { all: HashMap::new(), uses: 0 }
    }
}

impl<K: Eq + Hash + Clone, V> Recent<K, V> {
    fn get<Q>(&mut self, key: &Q) -> Option<Arc<V>>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.uses += 1;
        let (used, value) = self.all.get_mut(key)?;
        *used = self.uses;
        Some(value.clone())
    }

    /// Keeps a value. If there are too many, it replaces the least recently used one.
    fn keep(&mut self, key: K, value: Arc<V>) {
        if self.all.len() >= KEPT && !self.all.contains_key(&key) {
            let oldest = self.all.iter().min_by_key(|(_, (used, _))| *used).map(|(key, _)| key.clone());
            oldest.and_then(|key| self.all.remove(&key));
        }
        self.uses += 1;
        self.all.insert(key, (self.uses, value));
    }
}

/// Why there is no revision for a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRevision {
    /// No published version matches.
    #[error(transparent)]
    Version(#[from] VersionMismatch),
    /// The revision was removed.
    #[error("The revision {name} no longer exists.")]
    Missing {
        /// Name of the PromiseRevision.
        name: String,
    },
}

impl World {
    /// Returns the revision that a release was made from, while it exists. Another one with the same name doesn't match.
    pub fn revision_of(&self, named: &ReleaseRevision) -> Option<Arc<PromiseRevision>> {
        let home = ClusterId::parse(&named.cluster).ok()?;
        self.revisions.get(&Key::cluster_scoped(&home, &named.name)).filter(|found| found.spec.hash == named.hash)
    }

    /// Returns a revision of a home by its name.
    ///
    /// # Errors
    /// If it doesn't exist.
    pub fn revision_named(&self, home: &ClusterId, name: &str) -> Result<(Key, Arc<PromiseRevision>), NoRevision> {
        let at = Key::cluster_scoped(home, name);
        let found = self.revisions.get(&at).map(|revision| (at, revision));
        found.ok_or_else(|| NoRevision::Missing { name: name.to_owned() })
    }

    /// Returns the revision that a request is fulfilled from: see [`choose`]. `running` is the version that runs or is accepted to run.
    ///
    /// # Errors
    /// If no revision matches.
    pub fn revision_for(
        &self,
        home: &ClusterId,
        promise: &str,
        constraint: &str,
        running: Option<&str>,
        policy: UpgradePolicy,
    ) -> Result<(Key, Arc<PromiseRevision>), NoRevision> {
        let of = self.revisions_of(home, promise);
        let published: Vec<Published<'_>> =
            of.iter().map(|(key, revision)| Published { revision: &key.name, version: &revision.spec.version }).collect();
        let chosen = choose(&published, constraint, running, policy)?;
        let name = chosen.revision.to_owned();
        of.into_iter().find(|(key, _)| key.name == name).ok_or(NoRevision::Missing { name })
    }

    /// Returns all revisions of a promise, in the order of their names, without looking at those of other promises.
    pub fn revisions_of(&self, home: &ClusterId, promise: &str) -> Vec<(Key, Arc<PromiseRevision>)> {
        of_promise(&self.revisions.snapshot(), home, promise)
    }
}

/// Names of revisions begin with the promise, see [`promise::revision::name`]. So might those of other promises; their spec says which
/// promise they belong to.
fn of_promise(all: &OrdMap<Key, Arc<PromiseRevision>>, home: &ClusterId, promise: &str) -> Vec<(Key, Arc<PromiseRevision>)> {
    let start = format!("{promise}-");
    let named = all.range(Key::cluster_scoped(home, &start)..);
    let named = named.take_while(|(key, _)| key.cluster == *home && key.name.starts_with(&start));
    named.filter(|(_, revision)| revision.spec.promise == promise).map(|(key, revision)| (key.clone(), revision.clone())).collect()
}

#[cfg(test)]
mod tests {
    use promise::api::PromiseRevisionSpec;
    use promise::revision;

    use super::*;
    use crate::kinds::{PromiseRevisionKind, object};

    #[test]
    fn a_promise_has_its_own_revisions_and_none_of_a_longer_name_or_another_home() {
        let (here, there) = (ClusterId::parse("here").unwrap(), ClusterId::parse("there").unwrap());
        let mut all = OrdMap::new();
        let mut publish = |home: &ClusterId, promise: &str, version: &str| {
            let spec = PromiseSpec { version: version.to_owned(), ..PromiseSpec::default() };
            let hash = revision::hash(&spec).unwrap();
            let name = revision::name(promise, &hash);
            let spec = PromiseRevisionSpec { promise: promise.to_owned(), version: version.to_owned(), hash, spec };
            all.insert(Key::cluster_scoped(home, &name), Arc::new(object::<PromiseRevisionKind>(&name, None, spec)));
        };
        for (home, promise, version) in [
            (&here, "redis", "1.0.0"),
            (&here, "redis", "2.0.0"),
            (&here, "redis-cluster", "3.0.0"),
            (&here, "red", "4.0.0"),
            (&there, "redis", "5.0.0"),
        ] {
            publish(home, promise, version);
        }
        let mut found: Vec<String> = of_promise(&all, &here, "redis").iter().map(|(_, found)| found.spec.version.clone()).collect();
        found.sort();
        assert_eq!(found, ["1.0.0", "2.0.0"]);
    }

    #[test]
    fn one_more_than_can_be_kept_takes_the_place_of_what_was_not_used_for_longest() {
        let mut recent = Recent::default();
        for key in 0..KEPT {
            recent.keep(key, Arc::new(key));
        }
        assert!(recent.get(&0).is_some());
        recent.keep(KEPT, Arc::new(KEPT));
        let kept: Vec<usize> = (0..=KEPT).filter(|key| recent.get(key).is_some()).collect();
        assert_eq!((kept.len(), kept.contains(&0), kept.contains(&1)), (KEPT, true, false));
    }
}
