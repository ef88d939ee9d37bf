//! What other replicas change: everything that this process keeps in memory of the database they share is dropped when a notice says so.
//!
//! Nothing depends on notices alone. Each request checks its session in the database, and pages are kept for seconds; notices make badges and
//! live pages current at once, and end the streams of a session that was ended elsewhere.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use store::Notice;

use super::Portal;

/// Pause before the next attempt to connect, which grows while the database doesn't respond.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// Longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The connection on which notices arrive, as the metrics have it.
struct Connection {
    was_lost: bool,
}

impl Connection {
    /// Begins without one.
    fn none() -> Self {
        metrics::gauge!("opm_notices_connected").set(0.0);
        Self { was_lost: false }
    }

    fn made(&mut self) {
        metrics::gauge!("opm_notices_connected").set(1.0);
        if std::mem::take(&mut self.was_lost) {
            metrics::counter!("opm_notices_reconnects_total").increment(1);
        }
    }

    fn lost(&mut self) {
        metrics::gauge!("opm_notices_connected").set(0.0);
        self.was_lost = true;
    }
}

/// Follows the notices of other replicas until the process shuts down. Returns at once if no one shares the database.
pub async fn follow(portal: Arc<Portal>) {
    if !portal.store.is_shared() {
        return;
    }
    let shutdown = portal.shutdown.clone();
    let (mut pause, mut connection) = (FIRST_PAUSE, Connection::none());
    loop {
        let connected = tokio::select! {
            () = shutdown.cancelled() => return,
            connected = portal.store.notices() => connected,
        };
        let error = match connected {
            Ok(None) => return,
            Ok(Some(mut notices)) => {
                pause = FIRST_PAUSE;
                connection.made();
                // Notices were lost until now.
                portal.take(&Notice::Any);
                loop {
                    let notice = tokio::select! {
                        () = shutdown.cancelled() => return,
                        notice = notices.next() => notice,
                    };
                    match notice {
                        Ok(notice) => portal.take(&notice),
                        Err(error) => {
                            connection.lost();
                            break error;
                        }
                    }
                }
            }
            Err(error) => error,
        };
        tracing::warn!(error = &error as &dyn std::error::Error, "changes by other replicas are seen later until the database responds");
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

impl Portal {
    /// Drops what a notice says is out of date.
    fn take(&self, notice: &Notice) {
        match notice {
            Notice::SessionEnded(session) => {
                self.callers.end(*session);
                self.navigations.forget(*session);
            }
            Notice::SessionChanged(session) => {
                self.navigations.forget(*session);
                self.writes.fetch_add(1, Ordering::Release);
            }
            Notice::Notifications(person) => self.notify.changed_elsewhere(person),
            Notice::People => self.people.changed(),
            Notice::Any => {
                self.callers.check_all();
                self.navigations.forget_all();
                self.writes.fetch_add(1, Ordering::Release);
                self.people.changed();
                self.notify.anything_changed();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;

    use super::*;

    #[test]
    fn a_lost_connection_is_a_metric_and_so_is_the_next_one() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let is = |connected: u8, reconnects: Option<u8>| {
            let text = recorder.handle().render();
            let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
            let gauge = format!("opm_notices_connected {connected}");
            let counter = reconnects.map(|count| format!("opm_notices_reconnects_total {count}"));
            assert!(lines.contains(&gauge.as_str()), "{gauge}: {text}");
            assert_eq!(lines.iter().find(|line| line.contains("reconnects")).map(ToString::to_string), counter);
        };
        metrics::with_local_recorder(&recorder, || {
            let mut connection = Connection::none();
            is(0, None);
            connection.made();
            is(1, None);
            connection.lost();
            is(0, None);
            connection.made();
            is(1, Some(1));
        });
    }
}
