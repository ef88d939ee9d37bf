//! Events about the objects of a request and logs of their pods: which pods belong to an object, and what is shown of a log. Pure; the portal
//! reads both as the person.

mod log;
mod pods;
mod reason;

pub use log::{LOG_BYTES, LOG_LINES, LogTail, tail};
pub use pods::{Workload, chosen_container, containers, is_controlled_by, selector, selectors_of_jobs};
pub use reason::NotReadReason;
