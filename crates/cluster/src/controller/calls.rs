//! When steps of workflows were last called, and when their Endpoints changed. In memory alone: after a restart each step is called once more,
//! which changes nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use parking_lot::Mutex;

use crate::watch::Key;

/// The last calls of the steps of each request.
#[derive(Default)]
pub struct Calls {
    requests: Mutex<HashMap<Key, Steps>>,
}

/// Times by id of the step.
#[derive(Default)]
struct Steps {
    called: BTreeMap<String, Timestamp>,
    /// When their Endpoint changed.
    changed: BTreeMap<String, Timestamp>,
}

impl Calls {
    /// Returns the last calls of a request, by step.
    pub fn of(&self, request: &Key) -> BTreeMap<String, Timestamp> {
        self.requests.lock().get(request).map(|steps| steps.called.clone()).unwrap_or_default()
    }

    /// Notes a call.
    pub fn note(&self, request: &Key, step: &str, at: Timestamp) {
        self.requests.lock().entry(request.clone()).or_default().called.insert(step.to_owned(), at);
    }

    /// Notes that the Endpoint of a step changed.
    pub fn changed(&self, request: &Key, step: &str, at: Timestamp) {
        self.requests.lock().entry(request.clone()).or_default().changed.insert(step.to_owned(), at);
    }

    /// Returns the steps of a request whose Endpoint changed since they were last called.
    pub fn woken(&self, request: &Key) -> BTreeSet<String> {
        let requests = self.requests.lock();
        let Some(steps) = requests.get(request) else { return BTreeSet::new() };
        let is_later = |(step, changed): &(&String, &Timestamp)| steps.called.get(*step).is_none_or(|called| called < *changed);
        steps.changed.iter().filter(is_later).map(|(step, _)| step.clone()).collect()
    }

    /// Forgets the calls of a request whose workflow ended. Changes of Endpoints after them stay: one might have come in this moment.
    pub fn ended(&self, request: &Key) {
        let mut requests = self.requests.lock();
        let Some(Steps { called, changed }) = requests.get_mut(request) else { return };
        changed.retain(|step, changed| called.get(step).is_none_or(|called| called < changed));
        called.clear();
        if changed.is_empty() {
            requests.remove(request);
        }
    }

    /// Forgets a request.
    pub fn forget(&self, request: &Key) {
        self.requests.lock().remove(request);
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::Calls;
    use crate::watch::Key;
    use crate::workspaces::ClusterId;

    #[test]
    fn a_step_is_woken_until_it_is_called_after_the_change() {
        let (calls, web) = (Calls::default(), Key::cluster_scoped(&ClusterId::root(), "web"));
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        calls.note(&web, "ticket", at(1));
        assert!(calls.woken(&web).is_empty());
        calls.changed(&web, "ticket", at(2));
        calls.changed(&web, "mail", at(2));
        assert_eq!(calls.woken(&web).into_iter().collect::<Vec<_>>(), ["mail", "ticket"]);
        calls.note(&web, "ticket", at(2));
        assert_eq!(calls.woken(&web).into_iter().collect::<Vec<_>>(), ["mail"]);
        calls.ended(&web);
        assert_eq!(calls.woken(&web).into_iter().collect::<Vec<_>>(), ["mail"], "the change might have come in this moment");
        calls.note(&web, "mail", at(3));
        calls.ended(&web);
        assert!(calls.woken(&web).is_empty() && calls.requests.lock().is_empty());
    }
}
