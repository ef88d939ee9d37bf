//! Broken files, one defect each: the error names file, line, column, field and what to change.

use super::*;

const WORLD: &str = "\
provider: root:opm
workspaces:
- {path: \"root:opm\", title: Provider}
- {path: \"root:platform\", title: Platform, trustedHome: true, objects: [objects.yaml]}
";

const PROMISE: &str = "\
apiVersion: platform.opmodel.dev/v1alpha1
kind: Promise
metadata: {name: cache}
spec:
  version: 1.0.0
  parameters:
    type: object
    properties:
      replicas: {type: integer, default: 1}
      names: {type: array, items: {type: string}}
  implementation:
    resources:
    - id: settings
      template:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: \"${request.name}\"}
        data:
          copies: \"${string(parameters.replicas)}\"
    - id: second
      template:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: \"${request.name}-second\"}
        data:
          first: \"${resources.settings.metadata.name}\"
---
apiVersion: platform.opmodel.dev/v1alpha1
kind: Policy
metadata: {name: small}
spec:
  rules:
  - name: few
    validate: {expression: \"parameters.replicas <= 3\", message: Choose at most 3 replicas.}
---
apiVersion: platform.opmodel.dev/v1alpha1
kind: PromiseCatalog
metadata: {name: standard}
spec:
  promises: [cache]
  workspaces: [\"root:**\"]
";

fn judge(objects: &str) -> Result<usize, String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("workspaces.yaml", WORLD), ("people.yaml", "people: []\n"), ("objects.yaml", objects)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let files = Files::Directory(folder.path().to_owned());
    let checked = World::read(&files).and_then(|read| world(&read, &files));
    checked.map(|objects| objects.len()).map_err(|error| error.to_string())
}

#[test]
fn the_built_in_world_is_fine() {
    let built_in = World::read(&Files::BuiltIn).unwrap();
    let objects = world(&built_in, &Files::BuiltIn).unwrap_or_else(|error| panic!("{error}"));
    assert!(objects.len() > 8, "{}", objects.len());
    assert_eq!(judge(PROMISE), Ok(3));
}

#[test]
fn each_defect_is_named_with_its_place() {
    let cases = [
        // (original text, replacement, start of the error, part of the sentence)
        ("type: array, items", "type: array, : items", "objects.yaml:", ""),
        ("  version: 1.0.0", "  version: 1.0.0\n  verzion: 2", "objects.yaml:6:3: .spec.verzion: ", "unknown field"),
        ("  version: 1.0.0", "  version: [1]", "objects.yaml:5:3: .spec.version: ", "string"),
        ("string(parameters.replicas)", "1 + 'a'", "objects.yaml:19:11: .spec.implementation.resources[0].template.data.copies: ", ""),
        (
            "string(parameters.replicas)",
            "parameters.replicaz",
            "objects.yaml:19:11: .spec.implementation.resources[0].template.data.copies: ",
            "replicaz",
        ),
        ("items: {type: string}", "items: {type: strin}", "objects.yaml:10:", ".spec.parameters.properties.names.items.type: "),
        ("copies: \"${string(parameters.replicas)}\"", "copies: \"${resources.second.metadata.name}\"", "objects.yaml:", "second"),
        (
            "metadata: {name: small}",
            "metadata: {name: small}\nspec: {rules: [{name: a, validate: {expression: \"true\", message: No.}}]}\n---\napiVersion: platform.opmodel.dev/v1alpha1\nkind: Policy\nmetadata: {name: small}",
            "objects.yaml:35:12: .metadata.name: ",
            "defined twice",
        ),
        ("promises: [cache]", "promises: [cash]", "objects.yaml:40:14: .spec.promises[0]: ", "Promise cash doesn't exist in root:platform"),
        ("parameters.replicas <= 3", "parameters.replicas <=", "objects.yaml:34:16: .spec.rules[0].validate.expression: ", "expression"),
        (
            "parameters.replicas <= 3",
            "parameters.replicas <= 'x'",
            "objects.yaml:34:16: .spec.rules[0].validate.expression: ",
            "for the promise cache: Fix the types in the expression",
        ),
        (
            "  rules:\n  - name: few\n",
            "  appliesTo: {promises: [cache]}\n  rules:\n  - name: few\n    constrain: {parameter: .copies, maximum: 3}\n  - name: more\n",
            "objects.yaml:35:17: .spec.rules[0].constrain.parameter: ",
            "for the promise cache: Name an existing parameter: the schema has no .copies.",
        ),
        (
            "    - id: second\n",
            "    - id: second\n      destination: nowhere\n",
            "objects.yaml:21:7: .spec.implementation.resources[1].destination: ",
            "Destination nowhere doesn't exist",
        ),
        (
            "kind: Promise\nmetadata: {name: cache}",
            "kind: Promise\nmetadata: {name: cache}\nspec: {}\n---\napiVersion: platform.opmodel.dev/v1\nkind: Promise\nmetadata: {name: other}",
            "objects.yaml:6:1: .apiVersion: ",
            "unknown version",
        ),
        (
            "  promises: [cache]\n",
            "  promises: [cache]\n  currency: EUR\n  prices: [{from: 2026-01-01, values: {cache: {small: cheap}}}]\n",
            "objects.yaml:42:",
            ".spec.prices[0].values.cache.small: ",
        ),
        ("kind: Policy", "kind: Polizei", "objects.yaml:29:1: .kind: ", "Polizei"),
    ];
    for (from, to, place, sentence) in cases {
        assert!(PROMISE.contains(from), "{from}");
        let error = judge(&PROMISE.replacen(from, to, 1)).expect_err(to);
        assert!(error.lines().any(|line| line.trim_start().starts_with(place)), "{to}:\n{error}\nexpected {place}");
        assert!(error.contains(sentence), "{to}:\n{error}\nexpected {sentence}");
    }
}

#[test]
fn all_defects_of_a_file_are_told_at_once() {
    let broken = PROMISE
        .replace("  version: 1.0.0", "  version: [1]\n  lifecycle: publishd\n  verzion: 2")
        .replace("items: {type: string}", "items: {type: strin}")
        .replace("string(parameters.replicas)", "parameters.replicaz")
        .replace("id: second", "id: Second")
        .replace("parameters.replicas <= 3", "parameters.replicas <=");
    let error = judge(&format!("a: [\n---\n{broken}")).unwrap_err();
    for place in [
        "objects.yaml:",
        "objects.yaml:7:3: .spec.version: ",
        "objects.yaml:8:3: .spec.lifecycle: ",
        "objects.yaml:9:3: .spec.verzion: ",
        "objects.yaml:14:36: .spec.parameters.properties.names.items.type: ",
        "objects.yaml:23:11: .spec.implementation.resources[0].template.data.copies: ",
        "objects.yaml:24:7: .spec.implementation.resources[1].id: ",
        "objects.yaml:38:16: .spec.rules[0].validate.expression: ",
    ] {
        assert!(error.lines().any(|line| line.starts_with(place)), "{error}\nexpected {place}");
    }
    assert_eq!(error.lines().next(), Some("8 problems found:"), "{error}");
}

#[test]
fn what_no_claim_allows_is_refused_for_kcp_and_not_for_kubernetes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lease.yaml");
    let lease =
        PROMISE.replacen("kind: ConfigMap", "kind: Lease", 1).replacen("apiVersion: v1\n", "apiVersion: coordination.k8s.io/v1\n", 1);
    let lease = lease.replacen("        data:\n          copies: \"${string(parameters.replicas)}\"\n", "", 1);
    std::fs::write(&path, lease).unwrap();
    let refused = said(std::slice::from_ref(&path), true, true).unwrap_err().to_string();
    assert!(refused.contains("Name a destination for the Lease") && refused.contains("lease.yaml:"), "{refused}");
    assert!(said(&[path], true, false).is_ok());
}

#[test]
fn files_are_judged_by_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("promise.yaml");
    std::fs::write(&path, PROMISE).unwrap();
    let advised = said(std::slice::from_ref(&path), true, true).unwrap();
    let lines: Vec<&str> = advised.lines().collect();
    let [_, advice, checked] = lines[..] else { panic!("{advised}") };
    assert!(advice.contains("promise.yaml:") && advice.contains(": .spec.parameters.properties.replicas: Describe .replicas"), "{advice}");
    assert_eq!(checked, "3 objects are valid, with 2 suggestions");
    assert_eq!(said(&[folder.path().to_owned()], true, true).unwrap(), advised, "a folder that is no world");
    let set = PROMISE.replace(
        "validate: {expression: \"parameters.replicas <= 3\", message: Choose at most 3 replicas.}",
        "set: {parameter: .replicas, value: 2}",
    );
    std::fs::write(&path, set).unwrap();
    assert!(said(std::slice::from_ref(&path), true, true).is_ok());
    let untrusted = said(&[path], false, true).unwrap_err().to_string();
    assert!(untrusted.contains("promise.yaml:33:5: .spec.rules[0]: ") && untrusted.contains("trusted homes"), "{untrusted}");
    let empty = tempfile::tempdir().unwrap();
    let nothing = said(&[empty.path().to_owned()], true, true).unwrap_err().to_string();
    assert_eq!(nothing, format!("{}: no objects found", empty.path().display()));
    let missing = said(&[folder.path().join("none.yaml")], true, true).unwrap_err().to_string();
    assert!(missing.contains("none.yaml: "), "{missing}");
}
