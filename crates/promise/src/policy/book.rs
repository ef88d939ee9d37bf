//! All policies of a plane, parsed once and indexed, so that policies which don't apply cost nothing.

use std::collections::HashMap;
use std::sync::Arc;

use super::range::{self, Target};
use super::reading::Reading;
use super::source::{Candidate, Origin, PolicySource};
use crate::resolve::PromiseReading;

/// All policies, indexed by workspace and promise name. The owner creates a new book when a policy or the workspace tree changes; unchanged
/// policies are taken over as parsed.
#[derive(Clone, Debug, Default)]
pub struct Book {
    /// Sorted by cluster and name.
    entries: Vec<Entry>,
    shelves: HashMap<String, Shelf>,
    /// Clusters of trusted homes, whose policies can apply to any workspace.
    trusted: Vec<String>,
}

#[derive(Clone, Debug)]
struct Entry {
    policy: String,
    workspace: String,
    cluster: String,
    reading: Arc<Reading>,
}

/// The policies of one workspace, as indexes into the list of all policies.
#[derive(Clone, Debug, Default)]
struct Shelf {
    by_policy: HashMap<String, usize>,
    /// Policies that name promises without a wildcard, under each name.
    by_promise: HashMap<String, Vec<usize>>,
    /// Policies for all promises, or with a wildcard.
    open: Vec<usize>,
}

impl Book {
    /// Reads all policies. `before` is the previous book; policies that it contains unchanged aren't parsed again.
    pub fn read(candidates: impl IntoIterator<Item = Candidate>, before: Option<&Self>) -> Self {
        let mut entries: Vec<Entry> = candidates
            .into_iter()
            .map(|Candidate { policy, workspace, cluster, trusted, spec }| {
                let known = before.and_then(|book| book.find(&cluster, &policy));
                let same = known.filter(|known| known.trusted == trusted && known.spec == spec);
                let reading = same.map_or_else(|| Arc::new(Reading::of(spec, trusted)), Arc::clone);
                Entry { policy, workspace, cluster, reading }
            })
            .collect();
        entries.sort_by(|a, b| (&a.cluster, &a.policy).cmp(&(&b.cluster, &b.policy)));
        entries.dedup_by(|a, b| a.cluster == b.cluster && a.policy == b.policy);
        let mut shelves: HashMap<String, Shelf> = HashMap::new();
        let mut trusted = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            let shelf = shelves.entry(entry.cluster.clone()).or_default();
            shelf.by_policy.insert(entry.policy.clone(), at);
            let names = &entry.reading.spec.applies_to.promises;
            if names.is_empty() || names.iter().any(|name| name.contains('*')) {
                shelf.open.push(at);
            } else {
                for name in names {
                    shelf.by_promise.entry(name.clone()).or_default().push(at);
                }
            }
            if entry.reading.trusted && trusted.last() != Some(&entry.cluster) {
                trusted.push(entry.cluster.clone());
            }
        }
        Self { entries, shelves, trusted }
    }

    /// Returns the number of policies.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no policies.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the parsed policy with that name in a workspace.
    pub fn find(&self, cluster: &str, policy: &str) -> Option<&Arc<Reading>> {
        let at = *self.shelves.get(cluster)?.by_policy.get(policy)?;
        Some(&self.entries[at].reading)
    }

    /// Returns the policies that apply, each once, in a stable order, followed by the promise's own rules; see [`super::gather`].
    pub fn gather(&self, target: &Target<'_>, promise: &PromiseReading) -> Vec<PolicySource> {
        let near = self.near(target);
        let source = |at: usize| {
            let Entry { policy, workspace, cluster, reading } = &self.entries[at];
            let origin: Origin = range::origin(policy, cluster, reading.trusted, &reading.spec, target)?;
            Some(PolicySource::new(policy, workspace, cluster, origin, Arc::clone(reading)))
        };
        let mut sources: Vec<PolicySource> = near.into_iter().filter_map(source).chain(range::own_rules(target, promise)).collect();
        sources.sort_by(|a, b| a.place().cmp(&b.place()));
        sources
    }

    /// Returns the policies that might apply, each once. Policies of other workspaces or for other promises are skipped.
    fn near(&self, target: &Target<'_>) -> Vec<usize> {
        let clusters = target.lineage.iter().chain(&self.trusted).map(String::as_str).filter_map(|cluster| self.shelves.get(cluster));
        let mut near: Vec<usize> = clusters
            .flat_map(|shelf| shelf.open.iter().chain(shelf.by_promise.get(target.promise).into_iter().flatten()))
            .copied()
            .collect();
        let home = self.shelves.get(target.home_cluster);
        near.extend(target.spec.policy_refs.iter().filter_map(|reference| home?.by_policy.get(&reference.name)));
        near.sort_unstable();
        near.dedup();
        near
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use serde_json::json;

    use super::Book;
    use crate::api::{PolicyRef, PromiseSpec};
    use crate::policy::{Candidate, Origin, Target, gather};
    use crate::resolve::PromiseReading;

    fn candidate(policy: &str, cluster: &str, trusted: bool, applies_to: serde_json::Value) -> Candidate {
        let rule = json!({"name": "r", "validate": {"expression": "true", "message": "No."}});
        let spec = serde_json::from_value(json!({"appliesTo": applies_to, "rules": [rule]})).unwrap();
        Candidate { policy: policy.into(), workspace: format!("root:{cluster}"), cluster: cluster.into(), trusted, spec }
    }

    /// Policies that don't apply here: for other promises, other workspaces, or both.
    fn crowd(size: usize) -> impl Iterator<Item = Candidate> {
        (0..size).map(|at| match at % 3 {
            0 => candidate(&format!("other-{at}"), "acme", false, json!({"promises": [format!("promise-{at}")]})),
            1 => candidate("elsewhere", &format!("tenant-{at}"), false, json!({"promises": ["db"]})),
            _ => candidate(&format!("trusted-{at}"), "home", true, json!({"promises": [format!("promise-{at}"), "cache"]})),
        })
    }

    fn near() -> Vec<Candidate> {
        vec![
            candidate("all", "acme", false, json!({})),
            candidate("some", "shop", false, json!({"promises": ["d*"]})),
            candidate("named", "home", true, json!({"promises": ["db", "d*"]})),
            candidate("twice", "home", true, json!({"promises": ["db", "db"]})),
            candidate("meant", "home", true, json!({"promises": ["cache"]})),
            candidate("far", "home", true, json!({"workspaces": ["root:globex:**"]})),
        ]
    }

    #[test]
    fn a_book_finds_what_a_search_finds_and_looks_at_nothing_else() {
        let spec = PromiseSpec { policy_refs: vec![PolicyRef { name: "meant".into() }], ..PromiseSpec::default() };
        let (labels, lineage) = (BTreeMap::new(), ["r".to_owned(), "acme".to_owned(), "shop".to_owned()]);
        let target = Target {
            promise: "db",
            spec: &spec,
            home: "root:home",
            home_cluster: "home",
            home_trusted: true,
            workspace: "root:acme:shop",
            labels: &labels,
            lineage: &lineage,
        };
        let reading = PromiseReading::of(&spec, true);
        let book = Book::read(near().into_iter().chain(crowd(3_000)), None);
        assert_eq!(book.len(), 3_006);
        let found = book.gather(&target, &reading);
        let names: Vec<(&str, Origin)> = found.iter().map(|source| (source.policy.as_str(), source.origin)).collect();
        let expected = [
            ("some", Origin::Ancestor { distance: 0 }),
            ("all", Origin::Ancestor { distance: 1 }),
            ("named", Origin::TrustedHome),
            ("twice", Origin::TrustedHome),
            ("meant", Origin::Reference),
        ];
        assert_eq!(names, expected);
        assert_eq!(book.near(&target).len(), 6, "the six that are near, however many there are");
        let search: Vec<String> = gather(&near(), &target).into_iter().map(|source| source.policy).collect();
        assert_eq!(search, names.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>());
    }

    #[test]
    fn what_stays_is_not_read_again() {
        let before = Book::read(near(), None);
        let mut changed = near();
        changed[0].spec.title = Some("All".into());
        changed[2].trusted = false;
        let after = Book::read(changed, Some(&before));
        let is_kept =
            |cluster: &str, policy: &str| Arc::ptr_eq(before.find(cluster, policy).unwrap(), after.find(cluster, policy).unwrap());
        assert!(is_kept("shop", "some") && is_kept("home", "meant"));
        assert!(!is_kept("acme", "all") && !is_kept("home", "named"));
        assert!(Book::read(Vec::new(), Some(&before)).is_empty());
    }
}
