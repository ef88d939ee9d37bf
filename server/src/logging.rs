//! Log lines, as people or machines read them.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::{LogConfig, LogFormat};

/// Why nothing can be logged.
#[derive(Debug, thiserror::Error)]
pub enum LoggingError {
    /// The filter is not one.
    #[error("--log {filter}: {source}")]
    Filter {
        /// As typed.
        filter: String,
        /// What is wrong with it.
        source: tracing_subscriber::filter::ParseError,
    },
    /// Logging was started before.
    #[error("logging has been started already")]
    Started(#[from] tracing_subscriber::util::TryInitError),
}

/// Starts logging to standard error for the whole process.
///
/// # Errors
/// The filter cannot be read, or logging was started before.
pub fn start(config: &LogConfig) -> Result<(), LoggingError> {
    let filter = EnvFilter::try_new(&config.filter).map_err(|source| LoggingError::Filter { filter: config.filter.clone(), source })?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false)
        .with_ansi(std::io::stderr().is_terminal());
    match config.format {
        LogFormat::Text => lines.compact().finish().try_init()?,
        LogFormat::Json => lines.json().flatten_event(true).finish().try_init()?,
    }
    Ok(())
}
