//! The index: everything that can be found, by its words. It follows the portal's caches, and each update costs as much as has changed.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use app::view::SearchKind;
use cluster::kinds::{Policy, Promise, PromiseRequest};
use cluster::watch::Key;
use cluster::workspaces::Tree;
use cluster::{ClusterId, World};
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use parking_lot::RwLock;

use super::documents::{self, Text};
use super::matching::{Wanted, words};
use super::vocabulary::{Matches, Vocabulary};

/// Number of documents that one search compares at most. Beyond it, nobody reads the results, and their number is a lower bound.
const VISITED: usize = 20_000;
/// Number of typed words that count.
const WORDS: usize = 8;
/// A document whose whole name was typed.
const WHOLE_NAME: u32 = 150;
/// A document whose name starts with what was typed.
const BEGIN_OF_NAME: u32 = 40;
/// A document in the workspace that the person comes from.
const NEAR: u32 = 30;

/// Which places a person can see.
pub(super) trait Scope {
    /// Checks whether the person can list objects of this kind there.
    fn covers(&self, kind: SearchKind, cluster: &ClusterId, namespace: &str) -> bool;
}

/// What to search for.
#[derive(Clone, Debug, Default)]
pub(super) struct Ask {
    /// What was typed.
    pub(super) text: String,
    /// Return only this kind.
    pub(super) kind: Option<SearchKind>,
    /// The workspace that the person comes from.
    pub(super) near: Option<ClusterId>,
    /// Number of hits to leave out, and to return.
    pub(super) skip: usize,
    pub(super) take: usize,
}

/// A document that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) kind: SearchKind,
    /// The object; the request of a resource.
    pub(super) key: Arc<Key>,
    /// Index of a resource in the inventory of its request.
    pub(super) part: usize,
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// The hits, best first.
    pub(super) hits: Vec<Hit>,
    /// How many match, by kind, whatever kind was asked for.
    pub(super) counts: [usize; SearchKind::ALL.len()],
    /// Whether everything was compared, so that the counts are exact.
    pub(super) complete: bool,
}

/// Everything that can be found.
#[derive(Default)]
pub struct SearchIndex(RwLock<Known>);

#[derive(Default)]
struct Known {
    sources: Sources,
    documents: Vec<Option<Document>>,
    unused: Vec<u32>,
    of: HashMap<(SearchKind, Arc<Key>), Vec<u32>>,
    by_name: HashMap<Box<str>, Vec<u32>>,
    vocabulary: Vocabulary,
    places: Places,
}

/// What the index was made from.
#[derive(Clone, Default)]
struct Sources {
    requests: OrdMap<Key, Arc<PromiseRequest>>,
    promises: OrdMap<Key, Arc<Promise>>,
    policies: OrdMap<Key, Arc<Policy>>,
    tree: Option<Arc<Tree>>,
}

struct Document {
    kind: SearchKind,
    key: Arc<Key>,
    part: u32,
    place: u32,
    name: Box<str>,
    /// Words of the name, then the others.
    words: Box<[u32]>,
    of_name: usize,
}

/// Workspaces and namespaces, numbered.
#[derive(Default)]
struct Places {
    all: Vec<(ClusterId, String)>,
    numbers: HashMap<(ClusterId, String), u32>,
}

impl SearchIndex {
    /// Returns what the person can see and a text finds.
    pub(super) fn search(&self, world: &World, ask: &Ask, scope: &impl Scope) -> Found {
        let now = Sources {
            requests: world.requests.snapshot(),
            promises: world.promises.snapshot(),
            policies: world.policies.snapshot(),
            tree: Some(world.tree()),
        };
        let known = self.0.read();
        if known.sources.is(&now) {
            return known.search(ask, scope);
        }
        drop(known);
        let mut known = self.0.write();
        known.follow(now);
        let known = parking_lot::RwLockWriteGuard::downgrade(known);
        known.search(ask, scope)
    }
}

impl Sources {
    fn is(&self, other: &Self) -> bool {
        let same_tree = match (&self.tree, &other.tree) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        same_tree && self.requests.ptr_eq(&other.requests) && self.promises.ptr_eq(&other.promises) && self.policies.ptr_eq(&other.policies)
    }
}

impl Known {
    /// Takes in what has changed since the last search.
    fn follow(&mut self, now: Sources) {
        let before = std::mem::replace(&mut self.sources, now.clone());
        for change in before.requests.diff(&now.requests) {
            match change {
                DiffItem::Update { old: (_, old), new: (_, new) } if documents::same_request(old, new) => {}
                DiffItem::Add(key, request) | DiffItem::Update { new: (key, request), .. } => {
                    self.put(SearchKind::Request, key, documents::of_request(request));
                }
                DiffItem::Remove(key, _) => self.remove(SearchKind::Request, key),
            }
        }
        for change in before.promises.diff(&now.promises) {
            match change {
                DiffItem::Update { old: (_, old), new: (_, new) } if documents::of_promise(old) == documents::of_promise(new) => {}
                DiffItem::Add(key, promise) | DiffItem::Update { new: (key, promise), .. } => {
                    self.put(SearchKind::Promise, key, vec![documents::of_promise(promise)]);
                }
                DiffItem::Remove(key, _) => self.remove(SearchKind::Promise, key),
            }
        }
        for change in before.policies.diff(&now.policies) {
            match change {
                DiffItem::Add(key, policy) | DiffItem::Update { new: (key, policy), .. } => {
                    self.put(SearchKind::Policy, key, vec![documents::of_policy(policy)]);
                }
                DiffItem::Remove(key, _) => self.remove(SearchKind::Policy, key),
            }
        }
        let nodes = |tree: &Option<Arc<Tree>>| {
            let nodes = tree.iter().flat_map(|tree| tree.all().iter().cloned());
            nodes.map(|node| (node.cluster.clone(), node)).collect::<HashMap<_, _>>()
        };
        if !before.is(&Sources { tree: now.tree.clone(), ..before.clone() }) {
            let (old, new) = (nodes(&before.tree), nodes(&now.tree));
            for cluster in old.keys().filter(|cluster| !new.contains_key(cluster)) {
                self.remove(SearchKind::Workspace, &Key::cluster_scoped(cluster, ""));
            }
            for (cluster, node) in new.iter().filter(|(cluster, node)| old.get(cluster).is_none_or(|old| old.path != node.path)) {
                self.put(SearchKind::Workspace, &Key::cluster_scoped(cluster, ""), vec![documents::of_workspace(node)]);
            }
        }
    }

    fn put(&mut self, kind: SearchKind, key: &Key, texts: Vec<Text>) {
        self.remove(kind, key);
        let key = Arc::new(key.clone());
        let place = self.places.number(&key);
        let numbers = texts.into_iter().map(|text| {
            let number = self.unused.pop().unwrap_or_else(|| {
                self.documents.push(None);
                u32::try_from(self.documents.len() - 1).unwrap_or(u32::MAX)
            });
            let of_name: Vec<String> = words(&text.name).collect();
            let all = of_name.iter().chain(&text.others).map(|word| self.vocabulary.put(word, number)).collect();
            let name: Box<str> = text.name.into();
            self.by_name.entry(name.clone()).or_default().push(number);
            let part = u32::try_from(text.part).unwrap_or(u32::MAX);
            let document = Document { kind: text.kind, key: key.clone(), part, place, name, words: all, of_name: of_name.len() };
            if let Some(free) = self.documents.get_mut(number as usize) {
                *free = Some(document);
            }
            number
        });
        let numbers = numbers.collect();
        self.of.insert((kind, key), numbers);
    }

    fn remove(&mut self, kind: SearchKind, key: &Key) {
        for number in self.of.remove(&(kind, Arc::new(key.clone()))).unwrap_or_default() {
            let Some(document) = self.documents.get_mut(number as usize).and_then(Option::take) else { continue };
            for word in document.words {
                self.vocabulary.remove(word, number);
            }
            if let Some(named) = self.by_name.get_mut(&document.name) {
                named.retain(|known| *known != number);
                if named.is_empty() {
                    self.by_name.remove(&document.name);
                }
            }
            self.unused.push(number);
        }
    }

    fn search(&self, ask: &Ask, scope: &impl Scope) -> Found {
        let typed = ask.text.trim().to_lowercase();
        let matches: Vec<Matches> = words(&typed).take(WORDS).map(|word| self.vocabulary.matches(&Wanted::of(&word))).collect();
        let Some(rarest) = matches.iter().min_by_key(|word| word.reach) else { return Found { complete: true, ..Found::default() } };
        let mut visit = Visit {
            known: self,
            matches: &matches,
            typed: &typed,
            near: ask.near.as_ref(),
            seen: vec![0; self.documents.len().div_ceil(64)],
            open: vec![None; self.places.all.len() * SearchKind::ALL.len()],
            found: Vec::new(),
            counts: [0; SearchKind::ALL.len()],
        };
        // What has exactly this name is found however many others match.
        for number in self.by_name.get(typed.as_str()).into_iter().flatten() {
            visit.document(*number, ask.kind, scope);
        }
        // Documents with a higher number are newer as a rule.
        let mut left = VISITED;
        let all = rarest.best_first.iter().flat_map(|word| self.vocabulary.documents(*word).iter().rev());
        for number in all {
            if left == 0 {
                break;
            }
            if visit.document(*number, ask.kind, scope) {
                left -= 1;
            }
        }
        let Visit { mut found, counts, .. } = visit;
        let order = |(score, number): &(u32, u32)| {
            let name = self.documents.get(*number as usize).and_then(Option::as_ref).map(|document| &*document.name).unwrap_or_default();
            (Reverse(*score), name, Reverse(*number))
        };
        let end = ask.skip.saturating_add(ask.take).min(found.len());
        if end > 0 && end < found.len() {
            found.select_nth_unstable_by(end - 1, |a, b| order(a).cmp(&order(b)));
            found.truncate(end);
        }
        found.sort_unstable_by(|a, b| order(a).cmp(&order(b)));
        let hits = found.iter().skip(ask.skip).take(ask.take);
        let hits = hits.filter_map(|(_, number)| self.documents.get(*number as usize)?.as_ref()).map(Document::hit).collect();
        Found { hits, counts, complete: left > 0 }
    }
}

/// One search.
struct Visit<'a> {
    known: &'a Known,
    matches: &'a [Matches],
    typed: &'a str,
    near: Option<&'a ClusterId>,
    /// One bit for each document that was compared.
    seen: Vec<u64>,
    /// Whether the person can see a kind at a place, by place and kind.
    open: Vec<Option<bool>>,
    /// Score and number.
    found: Vec<(u32, u32)>,
    counts: [usize; SearchKind::ALL.len()],
}

impl Visit<'_> {
    /// Compares a document, unless that was done. Returns whether the person can see it and it was new.
    fn document(&mut self, number: u32, kind: Option<SearchKind>, scope: &impl Scope) -> bool {
        let (at, bit) = (number as usize / 64, 1 << (number % 64));
        let Some(seen) = self.seen.get_mut(at).filter(|seen| **seen & bit == 0) else { return false };
        *seen |= bit;
        let Some(document) = self.known.documents.get(number as usize).and_then(Option::as_ref) else { return false };
        let place = document.place as usize;
        let open = self.open.get_mut(place * SearchKind::ALL.len() + document.kind as usize);
        let can_see = open.is_some_and(|open| {
            *open.get_or_insert_with(|| {
                let place = self.known.places.all.get(place);
                place.is_some_and(|(cluster, namespace)| scope.covers(document.kind, cluster, namespace))
            })
        });
        if !can_see {
            return false;
        }
        if let Some(score) = document.score(self.matches, self.typed, self.near) {
            self.counts[document.kind as usize] += 1;
            if kind.is_none_or(|kind| kind == document.kind) {
                self.found.push((score, number));
            }
        }
        true
    }
}

impl Document {
    fn hit(&self) -> Hit {
        Hit { kind: self.kind, key: self.key.clone(), part: self.part as usize }
    }

    /// Returns how well it matches; `None` if one of the words doesn't.
    fn score(&self, matches: &[Matches], typed: &str, near: Option<&ClusterId>) -> Option<u32> {
        let mut score = 0;
        for word in matches {
            let best = self.words.iter().enumerate().map(|(at, number)| {
                let quality = u32::from(word.quality.get(*number as usize).copied().unwrap_or_default());
                // A word of the name says more than one of the title.
                if at < self.of_name { quality * 2 } else { quality }
            });
            score += best.max().filter(|best| *best > 0)?;
        }
        // Long queries must not make the place irrelevant.
        score /= u32::try_from(matches.len().max(1)).unwrap_or(1);
        if *self.name == *typed {
            score += WHOLE_NAME;
        } else if self.name.starts_with(typed) {
            score += BEGIN_OF_NAME;
        }
        if near.is_some_and(|near| *near == self.key.cluster) {
            score += NEAR;
        }
        Some(score + self.kind.weight())
    }
}

impl Places {
    fn number(&mut self, key: &Key) -> u32 {
        let place = (key.cluster.clone(), key.namespace.clone());
        if let Some(number) = self.numbers.get(&place) {
            return *number;
        }
        self.all.push(place.clone());
        let number = u32::try_from(self.all.len() - 1).unwrap_or(u32::MAX);
        self.numbers.insert(place, number);
        number
    }
}

#[cfg(test)]
mod tests;
