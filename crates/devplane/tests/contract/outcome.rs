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

/// The steps that a file lists, one `topic/step` a line; what follows `#` is the reason.
fn listed(file: &str) -> BTreeSet<String> {
    let names = file.lines().map(|line| line.split('#').next().unwrap_or_default().trim().to_owned());
    names.filter(|line| !line.is_empty()).collect()
}

/// Prints how many steps of each topic passed. What differs without being listed, and what is listed without differing, is a fault.
pub fn faults(outcomes: &[Outcome], list: &str, name: &str, verbose: bool) -> Vec<String> {
    let listed = listed(list);
    let mut totals: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut faults = Vec::new();
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
            if !listed.contains(&name) {
                faults.push(format!("{name} differs and is not listed: {}", differences.first().map_or("", String::as_str)));
            }
        }
        let failing: BTreeSet<String> = outcome.failures.iter().map(|(step, _)| format!("{}/{step}", outcome.topic)).collect();
        let healed = listed.iter().filter(|step| step.starts_with(&format!("{}/", outcome.topic)) && !failing.contains(*step));
        faults.extend(healed.map(|step| format!("{step} passes now: remove its line from {name}")));
    }
    for (source, (passed, total)) in totals {
        println!("{source}, all topics: {passed}/{total}");
    }
    faults
}
