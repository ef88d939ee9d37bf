//! Keys of one class that wait for a worker. Tenants take turns.

use std::collections::{HashMap, VecDeque};

use super::Tenanted;

/// Keys that wait, by tenant.
pub struct Lane<K> {
    /// Tenants in the order of their turns.
    turns: VecDeque<String>,
    waiting: HashMap<String, VecDeque<K>>,
}

impl<K> Default for Lane<K> {
    fn default() -> Self {
        Self { turns: VecDeque::new(), waiting: HashMap::new() }
    }
}

impl<K: Tenanted> Lane<K> {
    /// Adds a key after those of its tenant.
    pub fn push(&mut self, key: K) {
        let tenant = key.tenant();
        if let Some(waiting) = self.waiting.get_mut(tenant) {
            waiting.push_back(key);
            return;
        }
        let tenant = tenant.to_owned();
        self.turns.push_back(tenant.clone());
        self.waiting.insert(tenant, VecDeque::from([key]));
    }

    /// Takes the next key of the tenant whose turn it is.
    pub fn pop(&mut self) -> Option<K> {
        let tenant = self.turns.pop_front()?;
        let waiting = self.waiting.get_mut(&tenant)?;
        let key = waiting.pop_front();
        if waiting.is_empty() {
            self.waiting.remove(&tenant);
        } else {
            self.turns.push_back(tenant);
        }
        key
    }

    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    pub fn len(&self) -> usize {
        self.waiting.values().map(VecDeque::len).sum()
    }
}
