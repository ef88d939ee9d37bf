//! Replays recorded answers of a real kube-apiserver and a real kcp against a fresh plane for each scenario.
//!
//! `known-failures.txt` lists the steps that fail, one `plane/topic/step` a line. It may only shrink: a listed step that passes fails
//! the test, and so does a step that fails without being listed. With arguments (`-- kubernetes/objects …`) only these topics run, and
//! each difference is shown.
#![expect(clippy::expect_used, reason = "a test ends at the first surprise")]

mod compare;
mod normalise;
mod pointer;
mod replay;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::ExitCode,
};

use futures::StreamExt;
use serde_json::Value;

/// How many scenarios run at a time: they wait more than they work.
const PARALLEL: usize = 6;

fn main() -> ExitCode {
    let Some(folder) = testdata::shared("data/contract") else { return ExitCode::SUCCESS };
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let outcomes = runtime.block_on(run_all(&folder, &wanted));
    judge(outcomes, !wanted.is_empty())
}

/// What became of one scenario.
struct Outcome {
    /// `kubernetes/objects`.
    topic: String,
    steps: usize,
    /// Step and its differences.
    failures: Vec<(String, Vec<String>)>,
}

async fn run_all(folder: &Path, wanted: &[String]) -> Vec<Outcome> {
    let mut files = Vec::new();
    for plane in ["kubernetes", "kcp"] {
        let mut topics: Vec<PathBuf> = std::fs::read_dir(folder.join(plane))
            .expect("a folder of recordings")
            .map(|entry| entry.expect("a file").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
            .collect();
        topics.sort();
        files.extend(topics.into_iter().map(|path| {
            let topic = format!("{plane}/{}", path.file_stem().unwrap_or_default().to_string_lossy());
            (topic, path)
        }));
    }
    files.retain(|(topic, _)| wanted.is_empty() || wanted.iter().any(|wanted| topic == wanted || topic.starts_with(&format!("{wanted}/"))));
    futures::stream::iter(files.into_iter().map(|(topic, path)| run(topic, path))).buffered(PARALLEL).collect().await
}

async fn run(topic: String, path: PathBuf) -> Outcome {
    let text = std::fs::read_to_string(&path).expect("a readable scenario");
    // The recordings are YAML 1.2, where `y` is a text.
    let options = serde_saphyr::options! { strict_booleans: true };
    let scenario: Value = serde_saphyr::from_str_with_options(&text, options).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let steps = scenario["steps"].as_array().expect("steps").len();
    let answers = replay::run(&scenario).await;
    let failures = answers
        .into_iter()
        .filter_map(|(step, answer)| {
            let differences = compare::step(&step, &answer);
            (!differences.is_empty()).then(|| (step["id"].as_str().unwrap_or_default().to_owned(), differences))
        })
        .collect();
    Outcome { topic, steps, failures }
}

fn judge(outcomes: Vec<Outcome>, verbose: bool) -> ExitCode {
    let listed: BTreeSet<String> = include_str!("known-failures.txt")
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    let (mut passed, mut total, mut faults) = (0, 0, Vec::new());
    for outcome in &outcomes {
        println!("{}: {}/{}", outcome.topic, outcome.steps - outcome.failures.len(), outcome.steps);
        passed += outcome.steps - outcome.failures.len();
        total += outcome.steps;
        for (step, differences) in &outcome.failures {
            let name = format!("{}/{step}", outcome.topic);
            if verbose {
                println!("  {step}\n    {}", differences.join("\n    "));
            }
            if !listed.contains(&name) {
                faults.push(format!("{name} fails and is not listed: {}", differences.first().map_or("", String::as_str)));
            }
        }
        let failing: BTreeSet<String> = outcome.failures.iter().map(|(step, _)| format!("{}/{step}", outcome.topic)).collect();
        let healed = listed.iter().filter(|name| name.starts_with(&format!("{}/", outcome.topic)) && !failing.contains(*name));
        faults.extend(healed.map(|name| format!("{name} passes now: remove its line from known-failures.txt")));
    }
    println!("all: {passed}/{total}");
    if faults.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("{}", faults.join("\n"));
    ExitCode::FAILURE
}
