//! What became of a scenario, and the lists of what may differ.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

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

/// The steps that a file lists, one `topic/step` a line, each with the places where it differs after a colon, `topic/step: status`. What
/// follows `#` is the reason.
fn listed(file: &str) -> BTreeMap<String, BTreeSet<String>> {
    let lines = file.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).filter(|line| !line.is_empty());
    let entry = |line: &str| {
        let (step, places) = line.split_once(':').unwrap_or((line, ""));
        (step.to_owned(), places.split_whitespace().map(str::to_owned).collect())
    };
    lines.map(entry).collect()
}

/// Where differences are: `status`, `/body/metadata/labels`, or `answer` where there was none to compare.
fn places(differences: &[String]) -> BTreeSet<String> {
    let place =
        |difference: &String| difference.split_once(": want ").map_or("answer", |(place, _)| place).replace(char::is_whitespace, "_");
    differences.iter().map(place).collect()
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
    // Without places a step could differ anywhere, also where the plane has got worse.
    let placeless = listed.iter().filter(|(_, places)| places.is_empty());
    faults.extend(placeless.map(|(step, _)| format!("{file} does not say where {step} differs")));
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
            let places = places(differences);
            match listed.get(&name) {
                None => faults.push(format!("{name} differs and is not listed: {}", differences.first().map_or("", String::as_str))),
                Some(expected) if *expected != places => {
                    let places = places.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
                    faults.push(format!("{name} differs elsewhere than it is listed, at: {places}"));
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
