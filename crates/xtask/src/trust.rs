//! `cargo xtask test trust`: what a tenant, a visitor or an object could try, and must not achieve.
//!
//! The tests are beside what they test. This is the single list of them, so that they can be run alone; each entry selects tests by name,
//! and an entry that selects nothing is an error, so that a renamed test can't drop out of the suite unnoticed. A new test belongs here if
//! its failure means that someone got access that they should not have, or took down what others use.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::steps::{run, step};

/// Tests of one target, by parts of their names.
struct Selection {
    what: &'static str,
    target: &'static [&'static str],
    names: &'static [&'static str],
}

const SUITE: &[Selection] = &[
    Selection {
        what: "tenants against requests, approvals, releases and each other",
        target: &["--test", "plane"],
        names: &[
            "trust::",
            "revisions::",
            "secrets::",
            "accounts::",
            "own_rights::",
            "rights::",
            "approvals::changed::",
            "approvals::composed::",
            "approvals::content::",
            "approvals::again::",
            "approvals::refused::",
            "approvals::robots::",
            "approvals::only_the_right_decision",
            "approvals::who_decided_is_stamped",
            "installed::",
            "lost::",
            "moved::",
            "namespaces::",
            "orphans::",
            "unbound::",
        ],
    },
    Selection {
        what: "tenants against the embedded plane",
        target: &["--test", "behaviour"],
        names: &[
            "admission::",
            "connections::",
            "definitions::",
            "health::",
            "history::",
            "limits::",
            "malformed::",
            "restart::",
            "schemas::",
            "selectors::",
            "sharing::",
            "sharing_watch::",
            "tokens::",
            "virtual_patches::",
            "watches::",
            "workspaces::",
        ],
    },
    Selection {
        what: "tenants against the embedded plane on a slow disk",
        target: &["--test", "behaviour_on_disk"],
        names: &[
            "admission::",
            "definitions::",
            "health::",
            "history::",
            "limits::",
            "restart::",
            "schemas::",
            "selectors::",
            "sharing::",
            "sharing_watch::",
            "tokens::",
            "virtual_patches::",
            "watches::",
            "workspaces::",
        ],
    },
    Selection {
        what: "the embedded plane as a real kcp answered",
        target: &["--test", "contract"],
        names: &["kcp/crd-after-binding", "kcp/sharing-watch", "kcp/virtual-patches"],
    },
    Selection { what: "a disk that is full", target: &["--test", "durability"], names: &["full::"] },
    Selection {
        what: "chains of objects",
        target: &["--test", "regressions"],
        names: &["what_once_broke_a_target_is_answered", "a_sample_of_anything"],
    },
    Selection {
        what: "visitors and tenants against the portal",
        target: &["--test", "portal"],
        names: &[
            "access::",
            "approvals::shown::",
            "architecture::",
            "health::",
            "limits::",
            "live::",
            "lookalike::",
            "programs::",
            "records::",
            "robots::",
            "robust::",
            "secrets::",
            "storage::",
        ],
    },
    Selection {
        what: "single parts",
        target: &["--lib"],
        names: &[
            "admission::evaluate::",
            "admission::programs::",
            "auth::",
            "background::",
            "chains::",
            "config::public_url::",
            "config::serve::",
            "document::",
            "fulfil::askers::",
            "fulfil::controller::",
            "fulfil::inputs::",
            "fulfil::queue::",
            "health::tests::what_is_wrong",
            "history::",
            "http::bodies::",
            "http::connection::",
            "http::panics::",
            "http::system::",
            "invisible::",
            "kinds::conversion::",
            "limits::",
            "mail::tests::a_mail_shows_characters",
            "orphans::",
            "plane::folder::",
            "policy::tests::people::",
            "portal::place::",
            "portal::tests::",
            "private",
            "rbac::tests::",
            "release::",
            "revision::",
            "sign_in::",
            "supervisor::",
            "usage::totals::",
            "watch::source::",
            "watches::tests::",
            "web::body::",
            "web::headers::",
            "web::host::",
            "web::listen::",
            "webhook::body::",
            "webhook::place::",
            "webhook::tests::the_signature",
            "workspaces::controller::",
        ],
    },
];

/// Runs the suite with `cargo`, which has the locations of the servers; with `full`, also on a real kube-apiserver.
pub fn run_suite(cargo: impl Fn() -> Result<Command>, full: bool) -> Result<()> {
    for selection in SUITE {
        let mut tests = cargo()?;
        tests.arg("test").args(crate::steps::PACKAGES).args(selection.target).arg("--");
        if !full {
            tests.args(["--skip", "::kubernetes"]);
        }
        tests.args(selection.names);
        step(selection.what, || {
            complete(&mut cargo()?, selection)?;
            run(&mut tests)
        })?;
    }
    Ok(())
}

/// Checks that each name selects a test.
fn complete(cargo: &mut Command, selection: &Selection) -> Result<()> {
    let listed = cargo
        .arg("test")
        .args(crate::steps::PACKAGES)
        .args(selection.target)
        .args(["--", "--list", "--format", "terse"])
        .stderr(std::process::Stdio::inherit())
        .output()
        .context("cannot list the tests")?;
    if !listed.status.success() {
        bail!("can't list the tests of {}: {}", selection.target.join(" "), listed.status);
    }
    let listed = String::from_utf8_lossy(&listed.stdout);
    match selection.names.iter().find(|name| !listed.lines().any(|test| test.contains(**name))) {
        Some(name) => bail!("no test of {} has {name} in its name", selection.target.join(" ")),
        None => Ok(()),
    }
}
