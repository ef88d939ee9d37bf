//! The test programs of the crates, run like cargo runs them: one after the other, with the output of each kept together and its skipped
//! tests counted, so that something else can run at the same time.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::steps::{failed, not_run, step};

/// Number of tests of a program that run at the same time.
const TEST_THREADS: &str = "4";

/// Programs that spend the most time waiting: they run first, while the browser tests run at the same time.
const FIRST: [&str; 3] = ["cluster plane", "store store", "server portal"];

/// A test program built by cargo.
#[derive(Debug)]
pub struct Program {
    /// Folder of its package, and target.
    name: String,
    /// The folder of its package, in which cargo runs it.
    folder: PathBuf,
    path: PathBuf,
}

/// Builds tests with a `cargo test` command that has its packages and targets, and returns the programs that it would run.
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
    ensure!(FIRST.iter().all(is_built), "one of {FIRST:?}, which run first, is no longer a test program");
    programs.sort_by_key(|program| FIRST.iter().position(|name| *name == program.name).unwrap_or(FIRST.len()));
    Ok(programs)
}

/// Returns the program in one of cargo's messages: examples and benches are built with tests, but aren't tests.
fn program(message: &Value) -> Option<Program> {
    let target = &message["target"];
    let is_test = message["profile"]["test"] == true && matches!(target["kind"][0].as_str()?, "lib" | "bin" | "test");
    let folder = PathBuf::from(message["manifest_path"].as_str()?).parent()?.to_owned();
    let name = format!("{} {}", folder.file_name()?.to_str()?, target["name"].as_str()?);
    is_test.then_some(Program { name, folder, path: PathBuf::from(message["executable"].as_str()?) })
}

/// Runs all of them with these variables, even if one fails. Tests that can't run on this machine report that, and the closing table lists
/// it.
pub fn run_all(programs: &[Program], variables: &[(&str, PathBuf)]) -> Result<()> {
    let fails = |program: &&Program| step(&format!("tests of {}", program.name), || program.run(variables)).is_err();
    let failed: Vec<&str> = programs.iter().filter(fails).map(|program| program.name.as_str()).collect();
    ensure!(failed.is_empty(), "tests failed: {}", failed.join(", "));
    Ok(())
}

impl Program {
    /// Runs the program. Its output is shown when it ends, so that the outputs of two programs don't mix: all of it if a test failed,
    /// otherwise only the count.
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

/// Maximum number of lines of the failing tests' output that are shown again at the end.
const SHOWN: usize = 200;

/// Returns the output of the failing tests of a program: the last part of its output.
fn failures(printed: &str) -> String {
    let from_there = printed.lines().skip_while(|line| *line != "failures:");
    from_there.take(SHOWN).collect::<Vec<_>>().join("\n")
}

/// Returns why tests were skipped, and how many for each reason.
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
