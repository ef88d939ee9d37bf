//! Promises whose workflows are in the same files: their steps are checked with the promise that refers to them.

use std::collections::BTreeMap;

use super::Terms;
use crate::api::{PromiseSpec, PromiseWorkflowSpec};
use crate::manifest::{Defect, Manifest};
use crate::names;
use crate::publish::{at_references, resolved, validate};

/// Returns the problems of steps behind references, at the references. A workflow that isn't among the objects of the promise's place is left
/// out: only a whole world shows whether it exists. `terms` returns what is known about a place.
pub fn workflows<P: Ord>(objects: &[(P, Manifest)], terms: impl Fn(&P) -> Terms) -> Vec<Defect> {
    let mut known: BTreeMap<(&P, &str), PromiseWorkflowSpec> = BTreeMap::new();
    for (place, manifest) in objects.iter().filter(|(_, manifest)| is_of(manifest, "PromiseWorkflow")) {
        // Unreadable objects have already been reported.
        if let Ok(spec) = manifest.spec::<PromiseWorkflowSpec>() {
            known.insert((place, manifest.text_at(".metadata.name")), spec);
        }
    }
    let mut wrong = Vec::new();
    for (place, manifest) in objects.iter().filter(|(_, manifest)| is_of(manifest, "Promise")) {
        let Ok(spec) = manifest.spec::<PromiseSpec>() else { continue };
        let find = |name: &str| known.get(&(place, name)).cloned();
        let mut referred = spec.workflows.referred().peekable();
        if referred.peek().is_none() || referred.any(|(_, name)| find(name).is_none()) {
            continue;
        }
        let problems = match resolved(&spec, find) {
            Ok(whole) => at_references(&spec, validate(&whole, None, terms(place).trusted).err().unwrap_or_default()),
            Err(problems) => problems,
        };
        let of_reference = problems.into_iter().filter(|problem| problem.path.ends_with(".ref") && !has_steps(&spec, &problem.path));
        wrong.extend(of_reference.map(|problem| manifest.wrong(&format!(".spec{}", problem.path), &problem.message)));
    }
    wrong
}

/// Whether a reference stands beside steps. That was reported with the promise itself.
fn has_steps(spec: &PromiseSpec, path: &str) -> bool {
    let named = spec.workflows.referred().find(|(name, _)| path == format!(".workflows.{}.ref", name.word()));
    named.and_then(|(name, _)| spec.workflows.get(name)).is_some_and(|workflow| !workflow.steps.is_empty())
}

fn is_of(manifest: &Manifest, kind: &str) -> bool {
    manifest.text_at(".apiVersion") == names::API_VERSION && manifest.text_at(".kind") == kind
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMISE: &str = "apiVersion: platform.opmodel.dev/v1alpha1
kind: Promise
metadata: {name: notes}
spec:
  version: 1.0.0
  implementation:
    resources:
    - {id: config, template: {apiVersion: v1, kind: ConfigMap, metadata: {name: \"${request.name}\"}}}
  workflows:
    provision: {ref: standard}
---
apiVersion: platform.opmodel.dev/v1alpha1
kind: PromiseWorkflow
metadata: {name: standard}
spec:
  workflow:
    steps:
    - {id: all, apply: {resources: [config]}}
";

    fn check(text: &str) -> Vec<(String, String)> {
        let (manifests, wrong) = Manifest::read("a.yaml", text);
        assert!(wrong.is_empty(), "{wrong:?}");
        let objects: Vec<((), Manifest)> = manifests.into_iter().map(|manifest| ((), manifest)).collect();
        let found = workflows(&objects, |_| Terms { trusted: true, on_kcp: false });
        found.into_iter().map(|defect| (defect.field, defect.message)).collect()
    }

    #[test]
    fn the_steps_of_a_workflow_in_the_same_files_are_checked_with_the_promise() {
        assert_eq!(check(PROMISE), []);
        let found = check(&PROMISE.replace("resources: [config]", "resources: [other]"));
        assert!(found.iter().all(|(field, _)| field == ".spec.workflows.provision.ref") && !found.is_empty(), "{found:?}");
        assert_eq!(check(&PROMISE.replace("ref: standard", "ref: elsewhere")), [], "it might exist in the workspace");
    }
}
