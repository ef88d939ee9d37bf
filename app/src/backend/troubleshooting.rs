//! What happens to the objects of a request: events about them, and logs of their pods.

use async_trait::async_trait;
use promise::Result;
use promise::rest::{RequestEvents, RequestLog};
use promise::troubleshooting::LOG_LINES;

/// Which log of the pods of a request is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogQuery {
    /// Name of the pod. Empty for the newest one.
    pub pod: String,
    /// Name of the container. Empty for the one that the pod declares, or else its first.
    pub container: String,
    /// Whether to show the run before the container's last restart.
    pub previous: bool,
    /// Number of last lines, at most [`LOG_LINES`].
    pub lines: u32,
}

impl Default for LogQuery {
    fn default() -> Self {
        Self { pod: String::new(), container: String::new(), previous: false, lines: LOG_LINES }
    }
}

/// Events and logs, read with the user's permissions. What the user isn't allowed to read is named, and is no error.
#[async_trait]
pub trait Troubleshooting: Send + Sync {
    /// Returns the events about the objects of a request and about their pods.
    async fn object_events(&self, workspace: &str, namespace: &str, request: &str) -> Result<RequestEvents>;
    /// Returns the pods that belong to the objects of a request, and the end of one log.
    async fn pod_log(&self, workspace: &str, namespace: &str, request: &str, query: &LogQuery) -> Result<RequestLog>;
}
