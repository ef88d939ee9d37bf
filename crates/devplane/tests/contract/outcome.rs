//! What became of a scenario, and the lists of what may differ.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{compare, replay::Answer};

/// What became of one scenario.
pub struct Outcome {
    /// `kubernetes/objects`: where the scenario comes from, and its name.
    pub topic: String,
    steps: usize,
    /// Step and its differences.
    failures: Vec<(String, Vec<String>)>,
}

impl Outcome {
    /// Compares each answer with the `response` of its step.
    pub fn of(topic: String, answers: &[(Value, Answer)]) -> Self {
        let failures = answers.iter().filter_map(|(step, answer)| {
            let differences = compare::step(step, answer);
            (!differences.is_empty()).then(|| (step["id"].as_str().unwrap_or_default().to_owned(), differences))
        });
        Self { topic, steps: answers.len(), failures: failures.collect() }
    }
}

/// The steps that a file lists, one `topic/step` a line, each with its differences after a colon: `topic/step: status=201:404` for the wanted and
/// the given status, `/body/message=1a2b3c4d` for a place and the digest of what is wanted and given there, `/body/items=*` where that holds uids
/// and is another each time. What follows `#` is the reason.
fn listed(file: &str) -> BTreeMap<String, BTreeSet<String>> {
    let lines = file.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).filter(|line| !line.is_empty());
    let entry = |line: &str| {
        let (step, differences) = line.split_once(": ").unwrap_or((line, ""));
        (step.to_owned(), differences.split_whitespace().map(str::to_owned).collect())
    };
    lines.map(entry).collect()
}

/// Differences as files list them: `status=201:404`, `/body/metadata/labels=1a2b3c4d`, or `answer=1a2b3c4d` where there was none to compare.
fn marks(differences: &[String]) -> BTreeSet<String> {
    let mark = |difference: &String| {
        let place = difference.split_once(": want ").map_or("answer", |(place, _)| place).replace(char::is_whitespace, "_");
        if place.starts_with("status=") { place } else { format!("{place}={}", hex::encode(&Sha256::digest(difference)[..4])) }
    };
    differences.iter().map(mark).collect()
}

/// A list of what may differ.
pub struct Known {
    /// The name of its file.
    pub name: &'static str,
    /// The file.
    pub list: &'static str,
    /// How many steps it has. More is a fault of the plane, fewer is a number to lower.
    pub steps: usize,
}

/// Prints how many steps of each topic passed. What differs without being listed, or elsewhere than it is listed, and what is listed
/// without differing, is a fault.
pub fn faults(outcomes: &[Outcome], known: &Known, verbose: bool) -> Vec<String> {
    let (listed, file) = (listed(known.list), known.name);
    let mut faults = Vec::new();
    if listed.len() != known.steps {
        faults.push(format!("{file} lists {} steps and not {}: the number in main.rs can only be lowered", listed.len(), known.steps));
    }
    // Without them a step could differ anywhere and anyhow, also where the plane has got worse.
    let unmarked = listed.iter().filter(|(_, differences)| differences.is_empty());
    faults.extend(unmarked.map(|(step, _)| format!("{file} does not say how {step} differs")));
    let mut totals: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for outcome in outcomes {
        let passed = outcome.steps - outcome.failures.len();
        println!("{}: {passed}/{}", outcome.topic, outcome.steps);
        let source = outcome.topic.split('/').next().unwrap_or_default();
        let total = totals.entry(source).or_default();
        *total = (total.0 + passed, total.1 + outcome.steps);
        for (step, differences) in &outcome.failures {
            let name = format!("{}/{step}", outcome.topic);
            if verbose {
                println!("  {step}\n    {}", differences.join("\n    "));
            }
            let expected = listed.get(&name);
            let any = |mark: String| {
                let any = mark.split_once('=').map(|(place, _)| format!("{place}=*"));
                any.filter(|any| expected.is_some_and(|expected| expected.contains(any))).unwrap_or(mark)
            };
            let differences_now: BTreeSet<String> = marks(differences).into_iter().map(any).collect();
            match expected {
                None => faults.push(format!("{name} differs and is not listed: {}", differences.first().map_or("", String::as_str))),
                Some(expected) if *expected != differences_now => {
                    let now = differences_now.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
                    faults.push(format!("{name} differs otherwise than it is listed: {now}\n  {}", differences.join("\n  ")));
                }
                Some(_) => {}
            }
        }
        let failing: BTreeSet<String> = outcome.failures.iter().map(|(step, _)| format!("{}/{step}", outcome.topic)).collect();
        let healed = listed.keys().filter(|step| step.starts_with(&format!("{}/", outcome.topic)) && !failing.contains(*step));
        faults.extend(healed.map(|step| format!("{step} passes now: remove its line from {file}")));
    }
    for (source, (passed, total)) in totals {
        println!("{source}, all topics: {passed}/{total}");
    }
    faults
}
