//! Log output, for people or machines.

use std::io::IsTerminal as _;

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use crate::config::{LogConfig, LogFormat};
use crate::traces::{TRACES, Traces};

/// Why logging can't start.
#[derive(Debug, thiserror::Error)]
pub enum LoggingError {
    /// The filter is invalid.
    #[error("--log {filter}: {source}")]
    Filter {
        /// The filter as entered.
        filter: String,
        /// Cause of the failure.
        source: tracing_subscriber::filter::ParseError,
    },
    /// Logging has already been started.
    #[error("logging is already started")]
    Started(#[from] tracing_subscriber::util::TryInitError),
}

/// Starts logging to standard error for the whole process, and recording traces if there are any.
///
/// # Errors
/// If the filter is invalid, or logging has already been started.
pub fn start(config: &LogConfig, traces: Option<&Traces>) -> Result<(), LoggingError> {
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false).with_ansi(std::io::stderr().is_terminal());
    let lines = match config.format {
        LogFormat::Text => lines.compact().boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let lines = lines.with_filter(filter(&config.filter)?);
    tracing_subscriber::registry().with(lines).with(traces.map(|traces| traces.layer())).try_init()?;
    Ok(())
}

/// Returns the log filter. It always excludes what the plane's client logs about responses: if it can't parse one, it logs the whole body,
/// which might be a Secret.
fn filter(text: &str) -> Result<EnvFilter, LoggingError> {
    let wrong = |source| LoggingError::Filter { filter: text.to_owned(), source };
    let filter = EnvFilter::try_new(text).map_err(wrong)?.add_directive("kube_client::client=off".parse().map_err(wrong)?);
    // Traces have spans of their own.
    Ok(filter.add_directive(format!("{TRACES}=off").parse().map_err(wrong)?))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::io;
    use std::sync::Arc;

    use k8s_openapi::api::core::v1::Secret;
    use kube::client::Body;
    use kube::{Api, Client};
    use parking_lot::Mutex;
    use tracing::instrument::WithSubscriber as _;
    use tracing_subscriber::EnvFilter;

    use super::filter;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns what is logged while reading a Secret whose response can't be parsed.
    async fn logged(filter: EnvFilter) -> String {
        let plane = tower::service_fn(async |_: http::Request<Body>| {
            Ok::<_, Infallible>(http::Response::new(Body::from(br#"{"kind": "Secret", "data": ["hunter2"]}"#.to_vec())))
        });
        let secrets: Api<Secret> = Api::namespaced(Client::new(plane, "default"), "default");
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(move || writer.clone()).finish();
        let read = secrets.get("password").with_subscriber(subscriber).await;
        assert!(matches!(read, Err(kube::Error::SerdeError(_))), "{read:?}");
        String::from_utf8(lines.0.lock().clone()).unwrap()
    }

    #[tokio::test]
    async fn an_answer_that_cannot_be_read_is_not_logged() {
        for text in ["info", "trace", "kube_client::client=trace"] {
            assert!(logged(EnvFilter::new(text)).await.contains("hunter2"), "{text}: there is nothing to keep out of the log");
            assert!(!logged(filter(text).unwrap()).await.contains("hunter2"), "{text}");
        }
    }

    #[test]
    fn a_filter_that_is_none_is_told_as_it_was_typed() {
        assert!(filter("portal=loud").unwrap_err().to_string().starts_with("--log portal=loud: "));
    }
}
