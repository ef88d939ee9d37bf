//! `cargo xtask test chart`: the Helm chart in `deploy/chart`, with the values in `deploy/chart/ci`.

use crate::suite::Selection;

/// The tests. They are also part of the tests of the server, which CI runs.
pub const SUITE: &[Selection] = &[Selection {
    what: "the chart: lint, rendered values, and manifests on a real API server",
    target: &["--test", "portal"],
    options: &[],
    names: &["chart::"],
}];
