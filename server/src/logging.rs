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
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter(&config.filter)?)
        .with_writer(std::io::stderr)
        .with_target(false)
        .with_ansi(std::io::stderr().is_terminal());
    match config.format {
        LogFormat::Text => lines.compact().finish().try_init()?,
        LogFormat::Json => lines.json().flatten_event(true).finish().try_init()?,
    }
    Ok(())
}

/// What is logged. Never what the client of the plane says about answers: of one that it cannot read it logs the whole body, and that may be a
/// Secret's.
fn filter(text: &str) -> Result<EnvFilter, LoggingError> {
    let wrong = |source| LoggingError::Filter { filter: text.to_owned(), source };
    Ok(EnvFilter::try_new(text).map_err(wrong)?.add_directive("kube_client::client=off".parse().map_err(wrong)?))
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

    /// What is logged while a Secret is read whose answer is none.
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
