//! Every metric: its name, labels and meaning. `docs/metrics.md`, the dashboard and the alert rules are tested against this list.
//!
//! To add a metric: an entry here, a row in `docs/metrics.md`, and a macro of the crate `metrics` where it happens.

/// How a metric changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number that only grows, from 0 at the start of the process.
    Counter,
    /// A state.
    Gauge,
    /// Observations in buckets.
    Histogram,
}

impl Kind {
    /// Returns the word for it in the text format.
    pub fn word(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// A metric.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// How it changes.
    pub kind: Kind,
    /// Its labels.
    pub labels: &'static [&'static str],
    /// What it says.
    pub help: &'static str,
}

const fn metric(name: &'static str, kind: Kind, labels: &'static [&'static str], help: &'static str) -> Metric {
    Metric { name, kind, labels, help }
}

/// All of them.
pub const METRICS: &[Metric] = &[
    metric("opm_build_info", Kind::Gauge, &["version"], "Always 1, with the version of the program."),
    metric("opm_http_requests_total", Kind::Counter, &["method", "route", "code"], "Answered requests by route pattern and status."),
    metric("opm_http_request_duration_seconds", Kind::Histogram, &["route"], "Time until the response of a request began."),
    metric(
        "opm_response_cache_requests_total",
        Kind::Counter,
        &["result"],
        "Page views and REST lists answered from kept responses (hit) or rendered (miss).",
    ),
    metric("opm_event_streams", Kind::Gauge, &[], "Open event streams of live pages."),
    metric("opm_cache_objects", Kind::Gauge, &["cache"], "Objects in each watch cache."),
    metric("opm_cache_synced", Kind::Gauge, &["cache"], "1 while a watch cache is up to date, otherwise 0."),
    metric(
        "opm_plane_requests_total",
        Kind::Counter,
        &["server", "verb", "code"],
        "Calls to API servers by status; none without a response.",
    ),
    metric("opm_plane_request_duration_seconds", Kind::Histogram, &["server", "verb"], "Time until the response of an API server began."),
    metric("opm_controller_leader", Kind::Gauge, &[], "1 while this controller leads, otherwise 0."),
    metric("opm_controller_ready", Kind::Gauge, &[], "1 while this controller works or stands by, otherwise 0."),
    metric("opm_queue_depth", Kind::Gauge, &["class"], "Objects that wait for a worker of the controller."),
    metric("opm_reconciles_total", Kind::Counter, &["kind", "result"], "Reconciled objects by outcome."),
    metric("opm_reconcile_duration_seconds", Kind::Histogram, &["kind"], "Time that reconciling an object took."),
    metric("opm_notifications_total", Kind::Counter, &["event"], "Notifications that were written, one for each recipient."),
    metric("opm_messages_total", Kind::Counter, &["channel", "result"], "Attempts to send mails and webhook messages by outcome."),
    metric("opm_messages", Kind::Gauge, &["state"], "Messages that wait to be sent, or were given up."),
    metric("opm_notices_connected", Kind::Gauge, &[], "1 while notices of other replicas arrive from PostgreSQL, otherwise 0."),
    metric("opm_notices_reconnects_total", Kind::Counter, &[], "New connections for notices of other replicas after one was lost."),
    metric("opm_ledger_observations_total", Kind::Counter, &["result"], "Observations of all instances by the cost ledger."),
    metric("opm_ledger_observed_timestamp_seconds", Kind::Gauge, &[], "Time of the last observation that the cost ledger recorded."),
    metric("opm_ledger_posted_timestamp_seconds", Kind::Gauge, &[], "Time up to which the cost ledger has posted hours."),
    metric("process_resident_memory_bytes", Kind::Gauge, &[], "Resident memory of the process."),
];

/// Series of counters that exist from the start, so that their first increase is one.
const FROM_THE_START: &[(&str, &[(&str, &str)])] = &[
    ("opm_response_cache_requests_total", &[("result", "hit")]),
    ("opm_response_cache_requests_total", &[("result", "miss")]),
    ("opm_messages_total", &[("channel", "mail"), ("result", "delivered")]),
    ("opm_messages_total", &[("channel", "mail"), ("result", "postponed")]),
    ("opm_messages_total", &[("channel", "mail"), ("result", "given_up")]),
    ("opm_messages_total", &[("channel", "webhook"), ("result", "delivered")]),
    ("opm_messages_total", &[("channel", "webhook"), ("result", "postponed")]),
    ("opm_messages_total", &[("channel", "webhook"), ("result", "given_up")]),
    ("opm_notices_reconnects_total", &[]),
    ("opm_ledger_observations_total", &[("result", "recorded")]),
    ("opm_ledger_observations_total", &[("result", "outdated")]),
    ("opm_ledger_observations_total", &[("result", "failed")]),
];

/// Tells the recorder what each metric means, and begins the series that exist from the start.
pub(super) fn describe() {
    for metric in METRICS {
        match metric.kind {
            Kind::Counter => metrics::describe_counter!(metric.name, metric.help),
            Kind::Gauge => metrics::describe_gauge!(metric.name, metric.help),
            Kind::Histogram => metrics::describe_histogram!(metric.name, metric.help),
        }
    }
    for (name, labels) in FROM_THE_START {
        let labels: Vec<metrics::Label> = labels.iter().map(|(key, value)| metrics::Label::from_static_parts(key, value)).collect();
        metrics::counter!(*name, labels).absolute(0);
    }
    metrics::gauge!("opm_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    use regex::Regex;
    use serde_json::Value;

    use super::*;

    /// Labels that Prometheus and the ServiceMonitor of the chart add.
    const ADDED: [&str; 6] = ["app_kubernetes_io_component", "instance", "job", "le", "namespace", "pod"];

    fn file(path: &str) -> String {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
    }

    #[test]
    fn the_document_has_a_row_for_each_metric_and_no_other() {
        let text = file("docs/metrics.md");
        let row = |line: &str| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let [_, name, kind, labels, ..] = cells.as_slice() else { return None };
            // Alerts have a table, too.
            let name = name.strip_prefix('`')?.strip_suffix('`').filter(|name| name.contains('_'))?;
            let labels: BTreeSet<String> =
                labels.split(", ").filter(|label| !label.is_empty()).map(|label| label.replace('`', "")).collect();
            Some((name.to_owned(), (kind.to_string(), labels)))
        };
        let described: BTreeMap<String, (String, BTreeSet<String>)> = text.lines().filter_map(row).collect();
        let known = METRICS.iter().map(|metric| {
            let labels = metric.labels.iter().map(|label| (*label).to_owned()).collect();
            (metric.name.to_owned(), (metric.kind.word().to_owned(), labels))
        });
        assert_eq!(described, known.collect());
    }

    /// Checks that an expression uses only metrics and labels that exist.
    fn check(expression: &str) {
        let metric_name = Regex::new(r"\b(?:opm|process)_[a-z_]+").unwrap();
        let mut labels: BTreeSet<&str> = ADDED.into();
        let mut found = 0;
        for name in metric_name.find_iter(expression).map(|found| found.as_str()) {
            let of = |metric: &&Metric| match metric.kind {
                Kind::Histogram => ["_bucket", "_sum", "_count"].iter().any(|part| name.strip_suffix(part) == Some(metric.name)),
                Kind::Counter | Kind::Gauge => metric.name == name,
            };
            let metric = METRICS.iter().find(of).unwrap_or_else(|| panic!("no metric {name}: {expression}"));
            labels.extend(metric.labels);
            found += 1;
        }
        assert!(found > 0, "{expression}");
        let selected = Regex::new(r#"([a-z_]+)\s*(?:=~|!~|!=|=)\s*""#).unwrap();
        let grouped = Regex::new(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)").unwrap();
        let selected = selected.captures_iter(expression).map(|found| found.get(1).unwrap().as_str());
        let grouped = grouped.captures_iter(expression).flat_map(|found| found.get(1).unwrap().as_str().split(','));
        for label in selected.chain(grouped).map(str::trim).filter(|label| !label.is_empty()) {
            assert!(labels.contains(label), "no label {label}: {expression}");
        }
    }

    #[test]
    fn the_dashboard_and_the_alerts_use_metrics_that_exist() {
        let dashboard: Value = serde_json::from_str(&file("deploy/grafana/opm-portal.json")).unwrap();
        let panels = dashboard["panels"].as_array().unwrap();
        let ids: BTreeSet<u64> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
        assert_eq!(ids.len(), panels.len(), "ids are unique");
        let targets: Vec<&Value> =
            panels.iter().filter(|panel| panel["type"] != "row").flat_map(|panel| panel["targets"].as_array().unwrap()).collect();
        assert!(targets.len() >= 12, "{}", targets.len());
        targets.iter().for_each(|target| check(target["expr"].as_str().unwrap()));

        let alerts: Value = serde_saphyr::from_str(&file("deploy/alerts/opm-portal.yaml")).unwrap();
        let rules: Vec<&Value> = alerts["groups"].as_array().unwrap().iter().flat_map(|group| group["rules"].as_array().unwrap()).collect();
        assert!(rules.len() >= 8, "{}", rules.len());
        let document = file("docs/metrics.md");
        for rule in rules {
            check(rule["expr"].as_str().unwrap());
            let name = rule["alert"].as_str().unwrap();
            assert!(rule["annotations"]["summary"].is_string() && rule["annotations"]["description"].is_string(), "{name}");
            assert!(["warning", "critical"].contains(&rule["labels"]["severity"].as_str().unwrap()), "{name}");
            assert!(document.contains(&format!("`{name}`")), "docs/metrics.md says what to do about {name}");
        }
    }

    #[test]
    #[should_panic(expected = "no label person")]
    fn a_label_that_does_not_exist_is_found() {
        check("sum by (person) (rate(opm_http_requests_total[5m]))");
    }

    #[test]
    fn series_from_the_start_have_the_labels_of_their_metric() {
        for (name, labels) in FROM_THE_START {
            let metric = METRICS.iter().find(|metric| metric.name == *name && metric.kind == Kind::Counter).unwrap();
            assert_eq!(labels.iter().map(|(key, _)| *key).collect::<Vec<_>>(), metric.labels);
        }
    }
}
