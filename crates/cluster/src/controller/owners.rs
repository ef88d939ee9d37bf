//! Which request has which uid, and which approvals are about it: an index of the caches, kept up to date by `handlers`.

use std::collections::{BTreeSet, HashMap};

use parking_lot::Mutex;

use crate::watch::Key;

/// Index of requests and approvals.
#[derive(Default)]
pub struct OwnerIndex {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Requests by uid, because approvals and objects at Destinations know nothing else.
    requests: HashMap<String, Key>,
    /// What each approval is about.
    approvals: HashMap<Key, ApprovalOwner>,
    /// Approvals by uid of the request that they are about.
    about: HashMap<String, BTreeSet<Key>>,
}

/// What an approval is about. Neither field ever changes during the life of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalOwner {
    /// Its own uid.
    pub uid: Option<String>,
    /// Uid of the request.
    pub request: String,
}

impl OwnerIndex {
    /// Returns the request with this uid.
    pub fn request(&self, uid: &str) -> Option<Key> {
        self.state.lock().requests.get(uid).cloned()
    }

    /// Records that the request at `key` had one uid and has another now.
    pub fn is_of(&self, key: &Key, before: Option<&str>, now: Option<&str>) {
        let mut state = self.state.lock();
        if let Some(uid) = before {
            state.requests.remove(uid);
        }
        if let Some(uid) = now {
            state.requests.insert(uid.to_owned(), key.clone());
        }
    }

    /// Returns the approvals about the request with this uid, in the order of their keys.
    pub fn approvals(&self, uid: &str) -> Vec<Key> {
        self.state.lock().about.get(uid).map(|keys| keys.iter().cloned().collect()).unwrap_or_default()
    }

    /// Records what an approval is about, or that it is gone. Returns what it was about before.
    pub fn approves(&self, key: &Key, now: Option<ApprovalOwner>) -> Option<ApprovalOwner> {
        let mut state = self.state.lock();
        let before = state.approvals.remove(key);
        if let Some(before) = &before
            && let Some(keys) = state.about.get_mut(&before.request)
        {
            keys.remove(key);
            if keys.is_empty() {
                state.about.remove(&before.request);
            }
        }
        if let Some(now) = now {
            state.about.entry(now.request.clone()).or_default().insert(key.clone());
            state.approvals.insert(key.clone(), now);
        }
        before
    }
}

#[cfg(test)]
mod tests {
    use super::{ApprovalOwner, OwnerIndex};
    use crate::watch::Key;
    use crate::workspaces::ClusterId;

    #[test]
    fn approvals_are_found_by_request_until_they_go() {
        let (owners, key) = (OwnerIndex::default(), |name: &str| Key::cluster_scoped(&ClusterId::root(), name));
        let about = |request: &str| Some(ApprovalOwner { uid: Some("a-1".into()), request: request.to_owned() });
        assert_eq!(owners.approves(&key("b"), about("u")), None);
        owners.approves(&key("a"), about("u"));
        assert_eq!(owners.approvals("u"), [key("a"), key("b")]);
        assert_eq!(owners.approves(&key("a"), about("v")), about("u"), "one of the same name about another request");
        assert_eq!((owners.approvals("u"), owners.approvals("v")), (vec![key("b")], vec![key("a")]));
        assert_eq!(owners.approves(&key("b"), None), about("u"));
        assert_eq!((owners.approvals("u"), owners.approvals("v")), (vec![], vec![key("a")]));
        owners.is_of(&key("r"), None, Some("u"));
        assert_eq!(owners.request("u"), Some(key("r")));
        owners.is_of(&key("r"), Some("u"), None);
        assert_eq!(owners.request("u"), None);
    }
}
