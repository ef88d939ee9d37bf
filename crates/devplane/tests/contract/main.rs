//! Asks a fresh plane what real servers were asked, scenario by scenario, and compares the answers.
//!
//! [`recorded`] are answers of a real kube-apiserver and a real kcp that somebody else has recorded; [`written`] are our own scenarios,
//! for which a real kube-apiserver answers in the same run. `known-failures.txt` and `known-differences.txt` list the steps that differ, each
//! with how the answers differ and the reason. They can only shrink: a listed step that passes fails the test, and so does a step that differs
//! without being listed, or otherwise.
//! With arguments (`-- kubernetes/objects written …`) only these topics run, and each difference is shown; `-- --list` lists them.
#![expect(clippy::expect_used, reason = "a test ends at the first surprise")]

mod compare;
mod normalise;
mod outcome;
mod pointer;
mod recorded;
mod replay;
mod target;
mod written;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use outcome::Known;

/// Steps of the recordings that differ.
const FAILURES: Known = Known { name: "known-failures.txt", list: include_str!("known-failures.txt"), steps: 10 };
/// Steps of our own scenarios that differ.
const DIFFERENCES: Known = Known { name: "known-differences.txt", list: include_str!("known-differences.txt"), steps: 42 };

/// How many scenarios run at a time: they wait more than they work.
const PARALLEL: usize = 6;

fn main() -> ExitCode {
    let (options, wanted): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|argument| argument.starts_with('-'));
    if options.iter().any(|option| option == "--list") {
        recorded::topics().into_iter().chain(written::topics()).for_each(|(topic, _)| println!("{topic}: test"));
        return ExitCode::SUCCESS;
    }
    let is_wanted =
        |topic: &str| wanted.is_empty() || wanted.iter().any(|wanted| topic == wanted || topic.starts_with(&format!("{wanted}/")));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let (recorded, written) = runtime.block_on(async { (recorded::run(is_wanted).await, written::run(is_wanted).await) });
    let verbose = !wanted.is_empty();
    let mut faults = outcome::faults(&recorded, &FAILURES, verbose);
    faults.extend(outcome::faults(&written, &DIFFERENCES, verbose));
    if faults.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("{}", faults.join("\n"));
    ExitCode::FAILURE
}

/// The scenarios of a folder: topic and file, sorted.
fn scenarios(folder: &Path) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = std::fs::read_dir(folder)
        .expect("a folder of scenarios")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .map(|path| (path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), path))
        .collect();
    found.sort();
    found
}
