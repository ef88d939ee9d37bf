//! The test programs of the crates, run as cargo runs them: one after the other, each with its output kept together and what was skipped in it
//! counted, so that something else can run beside them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::steps::{failed, not_run, step};

/// Tests of a program at the same time.
const TEST_THREADS: &str = "4";

/// Those that wait most: they come first, while the browser tests run beside them.
const FIRST: [&str; 3] = ["cluster plane", "store store", "server portal"];

/// A program that cargo built from tests.
#[derive(Debug)]
pub struct Program {
    /// Folder of its package, and target.
    name: String,
    /// The folder of its package, in which cargo runs it.
    folder: PathBuf,
    path: PathBuf,
}

/// Builds tests with a `cargo test` that has its packages and targets, and answers those that it would run.
pub fn build(cargo: &mut Command) -> Result<Vec<Program>> {
    let output = cargo
        .args(["--no-run", "--message-format", "json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo test")?;
    ensure!(output.status.success(), "cargo test --no-run: {}", output.status);
    let mut programs: Vec<Program> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|message| program(&message))
        .collect();
    let is_built = |name: &&str| programs.iter().any(|program| program.name == **name);
    ensure!(FIRST.iter().all(is_built), "of {FIRST:?}, which run first, one is no test program any more");
    programs.sort_by_key(|program| FIRST.iter().position(|name| *name == program.name).unwrap_or(FIRST.len()));
    Ok(programs)
}

/// The program of one of cargo's messages: examples and benches are built with tests, but are none.
fn program(message: &Value) -> Option<Program> {
    let target = &message["target"];
    let is_test = message["profile"]["test"] == true && matches!(target["kind"][0].as_str()?, "lib" | "bin" | "test");
    let folder = PathBuf::from(message["manifest_path"].as_str()?).parent()?.to_owned();
    let name = format!("{} {}", folder.file_name()?.to_str()?, target["name"].as_str()?);
    is_test.then_some(Program { name, folder, path: PathBuf::from(message["executable"].as_str()?) })
}

/// Runs all of them with these variables, also where one fails. Tests that a machine cannot run say so: that goes into the closing table.
pub fn run_all(programs: &[Program], variables: &[(&str, PathBuf)]) -> Result<()> {
    let fails = |program: &&Program| step(&format!("tests of {}", program.name), || program.run(variables)).is_err();
    let failed: Vec<&str> = programs.iter().filter(fails).map(|program| program.name.as_str()).collect();
    ensure!(failed.is_empty(), "tests failed: {}", failed.join(", "));
    Ok(())
}

impl Program {
    /// What it prints is shown at its end, so that two of them do not mix: all of it where a test failed, else the count.
    fn run(&self, variables: &[(&str, PathBuf)]) -> Result<()> {
        let mut command = Command::new(&self.path);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder).env("RUST_TEST_THREADS", TEST_THREADS);
        command.envs(variables.iter().map(|(name, value)| (name, value))).arg("--show-output");
        let output = command.output().with_context(|| format!("cannot start {}", self.path.display()))?;
        let printed = String::from_utf8_lossy(&output.stdout);
        if output.status.success() {
            for count in printed.lines().filter(|line| line.starts_with("test result: ")) {
                eprintln!("    {}: {count}", self.name);
            }
        } else {
            eprintln!("{printed}\n{}", String::from_utf8_lossy(&output.stderr));
            failed(&failures(&printed));
        }
        for (why, tests) in skipped(&printed) {
            not_run(&format!("{tests} of the tests of {}", self.name), why);
        }
        ensure!(output.status.success(), "{}: {}", self.name, output.status);
        Ok(())
    }
}

/// Lines of what failing tests said that are shown again at the end.
const SHOWN: usize = 200;

/// What the failing tests of a program said: the last part of its output.
fn failures(printed: &str) -> String {
    let from_there = printed.lines().skip_while(|line| *line != "failures:");
    from_there.take(SHOWN).collect::<Vec<_>>().join("\n")
}

/// Why tests were skipped, and how many for each reason.
fn skipped(printed: &str) -> BTreeMap<&str, usize> {
    let mut reasons = BTreeMap::new();
    for why in printed.lines().filter_map(|line| line.strip_prefix("skipped: ")) {
        *reasons.entry(why).or_insert(0) += 1;
    }
    reasons
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(kind: &str, test: bool) -> Value {
        json!({
            "reason": "compiler-artifact",
            "manifest_path": "/somewhere/crates/cluster/Cargo.toml",
            "target": {"kind": [kind], "name": "plane"},
            "profile": {"test": test},
            "executable": "/target/debug/deps/plane-1",
        })
    }

    #[test]
    fn what_cargo_test_would_run_is_run_in_the_folder_of_its_package() {
        let found = program(&message("test", true)).unwrap();
        assert_eq!(("cluster plane", "/somewhere/crates/cluster"), (found.name.as_str(), found.folder.to_str().unwrap()));
        assert!(program(&message("bench", true)).is_none());
        assert!(program(&message("example", true)).is_none());
        assert!(program(&message("bin", false)).is_none());
        assert!(program(&json!({"reason": "build-finished", "success": true})).is_none());
    }

    #[test]
    fn what_failing_tests_said_is_shown_without_what_the_others_did() {
        let printed =
            "test a ... ok\ntest b ... FAILED\n\nsuccesses:\n\n---- a stdout ----\nfine\n\nfailures:\n\n---- b stdout ----\nnot fine\n";
        assert_eq!(failures(printed), "failures:\n\n---- b stdout ----\nnot fine");
    }

    #[test]
    fn reasons_to_skip_are_counted() {
        let printed = "test a ... ok\n---- a stdout ----\nskipped: no kcp\n---- b stdout ----\nskipped: no kcp\nskipped: no disk\n";
        assert_eq!(skipped(printed), BTreeMap::from([("no disk", 1), ("no kcp", 2)]));
    }
}
