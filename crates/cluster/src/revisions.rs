//! Which revision a request is fulfilled from, and revisions whose expressions were read.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;
use promise::Problem;
use promise::api::{PromiseSpec, ReleaseRevision, UpgradePolicy};
use promise::render::Compiled;
use promise::resolve::PromiseReading;
use promise::upgrade::{Published, choose};

use crate::kinds::PromiseRevision;
use crate::watch::Key;
use crate::workspaces::ClusterId;
use crate::world::World;

/// Revisions that are kept ready.
const KEPT: usize = 256;

/// Revisions whose expressions were read, by the hash of their spec.
#[derive(Debug, Default)]
pub struct CompiledRevisions {
    by_hash: Mutex<HashMap<String, Arc<Compiled>>>,
    /// Schemas and own rules; these are held to less in homes that are not trusted.
    readings: Mutex<HashMap<(String, bool), Arc<PromiseReading>>>,
}

impl CompiledRevisions {
    /// One that was read already.
    pub fn known(&self, hash: &str) -> Option<Arc<Compiled>> {
        self.by_hash.lock().get(hash).cloned()
    }

    /// The expressions of a revision, read once. Reading may take a good part of a second: do it where blocking is allowed.
    ///
    /// # Errors
    /// As [`Compiled::compile`].
    pub fn read(&self, hash: &str, spec: &PromiseSpec) -> Result<Arc<Compiled>, Vec<Problem>> {
        if let Some(known) = self.known(hash) {
            return Ok(known);
        }
        let compiled = Arc::new(Compiled::compile(spec)?);
        keep(&self.by_hash, hash.to_owned(), &compiled);
        Ok(compiled)
    }

    /// The schema and the own rules of a revision, read once; `trusted` says whether its home is a trusted one. It may block as [`Self::read`].
    pub fn reading(&self, hash: &str, spec: &PromiseSpec, trusted: bool) -> Arc<PromiseReading> {
        let key = (hash.to_owned(), trusted);
        let known = self.readings.lock().get(&key).cloned();
        known.unwrap_or_else(|| {
            let reading = Arc::new(PromiseReading::of(spec, trusted));
            keep(&self.readings, key, &reading);
            reading
        })
    }
}

fn keep<K: Eq + Hash, V>(all: &Mutex<HashMap<K, Arc<V>>>, key: K, value: &Arc<V>) {
    let mut all = all.lock();
    // Old revisions go out of use; starting over now and then is cheaper than counting uses.
    if all.len() >= KEPT {
        all.clear();
    }
    all.insert(key, value.clone());
}

impl World {
    /// The revision that a release was made of, while it is there.
    pub fn revision_of(&self, named: &ReleaseRevision) -> Option<Arc<PromiseRevision>> {
        let home = ClusterId::parse(&named.cluster).ok()?;
        self.revisions.get(&Key::cluster_scoped(&home, &named.name))
    }

    /// The revision that a request is fulfilled from: see [`choose`]. `running` is the version that runs or is accepted to run.
    ///
    /// # Errors
    /// A sentence for the requester when nothing fits.
    pub fn revision_for(
        &self,
        home: &ClusterId,
        promise: &str,
        constraint: &str,
        running: Option<&str>,
        policy: UpgradePolicy,
    ) -> Result<(Key, Arc<PromiseRevision>), String> {
        let all = self.revisions.snapshot();
        let of: Vec<(&Key, &Arc<PromiseRevision>)> =
            all.iter().filter(|(key, revision)| key.cluster == *home && revision.spec.promise == promise).collect();
        let published: Vec<Published<'_>> =
            of.iter().map(|(key, revision)| Published { revision: &key.name, version: &revision.spec.version }).collect();
        let chosen = choose(&published, constraint, running, policy)?;
        let found = of.iter().find(|(key, _)| key.name == chosen.revision).map(|(key, revision)| ((*key).clone(), (*revision).clone()));
        found.ok_or_else(|| format!("The revision {} is gone.", chosen.revision))
    }
}
