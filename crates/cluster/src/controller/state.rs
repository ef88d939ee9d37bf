//! State of the controller, as a sentence, for health checks and the operators of the platform.

use std::collections::BTreeMap;
use std::fmt;

use parking_lot::Mutex;
use tokio::sync::watch;

use super::context::Work;

/// State of the controller. As text it is a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControllerState {
    /// This instance doesn't lead.
    Waiting {
        /// Who leads instead, or why this instance can't: a sentence.
        why: String,
    },
    /// Another instance leads, and this one takes over when that one ends. Nothing is wrong.
    Standby {
        /// Who leads: a sentence.
        why: String,
    },
    /// This instance leads and reads what exists.
    Starting {
        /// What couldn't be read yet: sentences.
        why: String,
    },
    /// This instance leads and works.
    Ready,
    /// This instance leads, but something that it needs for its work is unavailable.
    Degraded {
        /// What and why: sentences.
        why: String,
    },
    /// This instance has stopped.
    Stopped,
}

impl ControllerState {
    /// Writes it to the log: the state in a word, whether this instance leads, and why it isn't ready.
    fn log(&self) {
        let (state, leader, why) = match self {
            Self::Waiting { why } => ("waiting", false, Some(why)),
            Self::Standby { why } => ("on standby", false, Some(why)),
            Self::Starting { why } => ("starting", true, Some(why)),
            Self::Ready => ("ready", true, None),
            Self::Degraded { why } => ("degraded", true, Some(why)),
            Self::Stopped => ("stopped", false, None),
        };
        tracing::info!(leader, why, "controller {state}");
    }
}

impl fmt::Display for ControllerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting { why } | Self::Standby { why } | Self::Starting { why } | Self::Degraded { why } => f.write_str(why),
            Self::Ready => f.write_str("The controller is ready."),
            Self::Stopped => f.write_str("The controller stopped."),
        }
    }
}

/// Collects the states that the parts of the controller report.
pub struct StateReporter {
    state: watch::Sender<ControllerState>,
    parts: Mutex<Parts>,
}

#[derive(Default)]
struct Parts {
    leads: bool,
    /// Whether everything has been read once in this term.
    began: bool,
    gaps: Vec<String>,
    refused: BTreeMap<Work, String>,
}

impl Default for StateReporter {
    fn default() -> Self {
        let why = "The controller is requesting its Lease.".to_owned();
        Self { state: watch::Sender::new(ControllerState::Waiting { why }), parts: Mutex::default() }
    }
}

impl StateReporter {
    /// Returns a receiver for the state of the controller, now and later.
    pub fn subscribe(&self) -> watch::Receiver<ControllerState> {
        self.state.subscribe()
    }

    /// Reports that this instance doesn't lead.
    pub fn waits(&self, why: String) {
        self.rests(ControllerState::Waiting { why });
    }

    /// Reports that this instance doesn't lead, because another one does or because it can't.
    pub fn rests(&self, state: ControllerState) {
        *self.parts.lock() = Parts::default();
        self.send(state);
    }

    /// Reports that this instance leads from now on.
    pub fn leads(&self) {
        *self.parts.lock() = Parts { leads: true, ..Parts::default() };
        self.settle();
    }

    /// Reports that everything has been read once.
    pub fn begins(&self) {
        self.parts.lock().began = true;
        self.settle();
    }

    /// Reports what can't be read at this moment, as sentences.
    pub fn misses(&self, gaps: Vec<String>) {
        self.parts.lock().gaps = gaps;
        self.settle();
    }

    /// Reports how the last attempt at something ended: refused with this sentence, or not refused.
    pub fn refused(&self, work: &Work, why: Option<String>) {
        {
            let mut parts = self.parts.lock();
            match why {
                Some(why) => drop(parts.refused.insert(work.clone(), why)),
                None if parts.refused.is_empty() => return,
                None => drop(parts.refused.remove(work)),
            }
        }
        self.settle();
    }

    /// Reports that this instance has stopped.
    pub fn ends(&self) {
        self.send(ControllerState::Stopped);
    }

    fn settle(&self) {
        let parts = self.parts.lock();
        if !parts.leads {
            return;
        }
        let is_well = parts.gaps.is_empty() && parts.refused.is_empty();
        let why = parts.gaps.iter().chain(parts.refused.values().take(1)).map(String::as_str).collect::<Vec<_>>().join(" ");
        self.send(match (parts.began, is_well) {
            (false, true) => ControllerState::Starting { why: "The controller is reading existing objects.".to_owned() },
            (false, false) => ControllerState::Starting { why },
            (true, true) => ControllerState::Ready,
            (true, false) => ControllerState::Degraded { why },
        });
    }

    fn send(&self, state: ControllerState) {
        self.state.send_if_modified(|known| {
            let changed = *known != state;
            if changed {
                state.log();
                *known = state;
            }
            changed
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{ControllerState, StateReporter};
    use crate::controller::context::Work;
    use crate::watch::Key;
    use crate::workspaces::ClusterId;

    #[test]
    fn it_works_once_everything_was_read_and_nothing_is_refused() {
        let report = StateReporter::default();
        let state = report.subscribe();
        let now = || state.borrow().clone();
        report.misses(vec!["Too early.".into()]);
        assert!(matches!(now(), ControllerState::Waiting { .. }), "who does not lead has nothing to miss");
        report.leads();
        report.misses(vec!["The promises cannot be read.".into()]);
        assert_eq!(now(), ControllerState::Starting { why: "The promises cannot be read.".into() });
        report.misses(Vec::new());
        report.begins();
        assert_eq!(now(), ControllerState::Ready);
        let work = Work::Request(Key::cluster_scoped(&ClusterId::root(), "a"));
        report.refused(&work, Some("It may not.".into()));
        assert_eq!(now().to_string(), "It may not.");
        report.refused(&work, None);
        assert_eq!(now(), ControllerState::Ready);
        report.waits("Another instance leads.".into());
        report.refused(&work, Some("It may not.".into()));
        assert_eq!(now().to_string(), "Another instance leads.");
    }
}
