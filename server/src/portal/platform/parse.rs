//! Parses the YAML of a policy, and reports everything that is wrong with it at once.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use app::view::TextProblem;
use cluster::kinds;
use kube::api::DynamicObject;
use promise::api::{PolicySpec, Rule};
use promise::form::yaml;
use promise::path::Path;
use promise::policy::{self, Warning};
use promise::wording::upper_first;
use promise::{Problem, names};
use serde_json::{Value, json};

use super::locate;
use crate::portal::reads::is_object_name;

/// The schema of a policy's spec.
static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let crds = kinds::crds();
    let crd = crds.iter().find(|crd| crd["spec"]["names"]["kind"] == "Policy");
    crd.map(|crd| crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"].clone()).unwrap_or_default()
});

/// A text as far as it can be read.
#[derive(Default)]
pub(super) struct Manifest {
    /// Everything that is wrong with its syntax and its fields, in the order of lines.
    pub(super) problems: Vec<TextProblem>,
    /// Fields that don't exist.
    pub(super) unknown: Vec<Warning>,
    /// The spec. Rules that can't be read are empty.
    pub(super) spec: Option<PolicySpec>,
    /// Positions of the rules that can't be read.
    broken: BTreeSet<usize>,
    /// The whole object, with fields that aren't known. Absent if it can't be read.
    pub(super) object: Option<DynamicObject>,
}

impl Manifest {
    /// Checks whether a problem of the spec is about a rule that can't be read, which is already reported.
    pub(super) fn is_of_broken(&self, problem: &Problem) -> bool {
        self.broken.iter().any(|index| problem.path.starts_with(&format!(".rules[{index}]")))
    }
}

/// Parses a text as a Policy. An existing one keeps its name.
pub(super) fn parse(text: &str, name: Option<&str>) -> Manifest {
    let value = match yaml::read_all(text) {
        Ok(value) => value,
        Err(errors) => {
            let problem =
                |error: promise::form::YamlError| TextProblem { path: String::new(), line: Some(error.line), message: error.message };
            return Manifest { problems: errors.into_iter().map(problem).collect(), ..Manifest::default() };
        }
    };
    let mut problems = of_object(text, &value, name);
    let Some(spec) = value.get("spec") else {
        problems.push(problem(text, ".spec", "Add the spec with the rules of the policy.".to_owned()));
        return Manifest { problems, ..Manifest::default() };
    };
    let structure = policy::structure(&SCHEMA, spec);
    problems.extend(structure.problems.iter().map(|problem| located(text, problem)));
    let (read, broken) = read_spec(spec, &structure.problems);
    let object = if problems.is_empty() { serde_json::from_value::<DynamicObject>(value.clone()).ok() } else { None };
    if problems.is_empty() && (object.is_none() || read.is_none()) {
        problems.push(problem(
            text,
            ".metadata",
            "Correct the metadata: it needs a name, and labels and annotations are texts.".to_owned(),
        ));
    }
    problems.sort_by_key(|problem| problem.line.unwrap_or_default());
    Manifest { problems, unknown: structure.unknown, spec: read, broken, object }
}

/// Returns what is wrong with the object around the spec.
fn of_object(text: &str, value: &Value, name: Option<&str>) -> Vec<TextProblem> {
    let mut problems = Vec::new();
    let is = |field: &str, wanted: &str| value.get(field).and_then(Value::as_str) == Some(wanted);
    if !is("kind", "Policy") {
        problems.push(problem(text, ".kind", "Set kind: Policy.".to_owned()));
    }
    if !is("apiVersion", names::API_VERSION) {
        problems.push(problem(text, ".apiVersion", format!("Set apiVersion: {}.", names::API_VERSION)));
    }
    let given = value["metadata"]["name"].as_str().unwrap_or_default();
    match name {
        _ if !is_object_name(given) => {
            problems.push(problem(text, ".metadata.name", "Enter a name with lower-case letters, digits and hyphens.".to_owned()));
        }
        Some(name) if given != name => {
            let message = format!("Keep the name {name}. With another name, it would be another policy.");
            problems.push(problem(text, ".metadata.name", message));
        }
        _ => {}
    }
    problems
}

/// Reads a spec as far as possible: fields with problems are left out, and rules with problems are empty.
fn read_spec(spec: &Value, problems: &[Problem]) -> (Option<PolicySpec>, BTreeSet<usize>) {
    let mut broken = BTreeSet::new();
    let mut spec = spec.clone();
    for (index, rule) in spec.get_mut("rules").and_then(Value::as_array_mut).into_iter().flatten().enumerate() {
        if serde_json::from_value::<Rule>(rule.clone()).is_err() {
            *rule = json!({"name": ""});
            broken.insert(index);
        }
    }
    // A disabled policy has to be valid, so that it can be enabled.
    let read = |spec: &Value| serde_json::from_value::<PolicySpec>(spec.clone()).ok().map(|spec| spec.enabled());
    if let Some(read) = read(&spec) {
        return (Some(read), broken);
    }
    if let Some(fields) = spec.as_object_mut() {
        let wrong = |field: &String| problems.iter().any(|problem| first_key(&problem.path) == Some(field.as_str()));
        fields.retain(|field, _| !wrong(field) || (field == "rules" && !broken.is_empty()));
    }
    (read(&spec), broken)
}

fn first_key(path: &str) -> Option<&str> {
    path.strip_prefix('.')?.split(['.', '[']).next()
}

/// Returns a problem or warning of the spec with its line.
pub(super) fn located(text: &str, problem: &Problem) -> TextProblem {
    let path = if problem.path.starts_with(".spec") || problem.path.starts_with(".metadata") {
        problem.path.clone()
    } else {
        format!(".spec{}", problem.path)
    };
    TextProblem { line: line(text, &path), path, message: upper_first(&problem.message) }
}

fn problem(text: &str, path: &str, message: String) -> TextProblem {
    TextProblem { path: path.to_owned(), line: line(text, path), message }
}

/// Returns the line of a path in a text.
pub(super) fn line(text: &str, path: &str) -> Option<usize> {
    Path::parse(path).ok().and_then(|path| locate::line_of(text, &path))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn everything_that_is_wrong_is_reported_with_its_line() {
        let text = "apiVersion: platform.opmodel.dev/v1alpha1
kind: Polizy
metadata:
  name: Wrong Name
spec:
  title: [a]
  enforcement: refuse
  rules:
  - name: many
    constrain:
      parameter: .replicas
      maximum: lots
      minimun: 1
  - constrain: {parameter: .size}
  - name: budget
    budget:
      monthly: 5
      currency: EUR
      per: workspace
";
        let found = parse(text, None);
        let lines: Vec<usize> = found.problems.iter().filter_map(|problem| problem.line).collect();
        assert_eq!(lines, [2, 4, 6, 7, 12, 14, 17], "{:?}", found.problems);
        assert_eq!(found.unknown.len(), 1);
        assert!(found.object.is_none());
        let spec = found.spec.expect("as far as it can be read");
        assert_eq!((spec.rules.len(), spec.title), (3, None));
    }

    #[test]
    fn what_is_right_is_read_with_fields_that_are_not_known() {
        let text = "apiVersion: platform.opmodel.dev/v1alpha1\nkind: Policy\nmetadata: {name: a}\nspec:\n  later: {x: 1}\n  rules: []\n";
        let found = parse(text, Some("a"));
        assert_eq!(found.problems, []);
        assert_eq!(found.object.expect("an object").data["spec"]["later"]["x"], 1);
        assert_eq!(parse(text, Some("b")).problems[0].line, Some(3));
    }

    #[test]
    fn syntax_errors_are_all_reported() {
        let text = "kind: Policy\nspec:\n  title: one: two\n  description: a: b\n";
        let lines: Vec<_> = parse(text, None).problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [Some(3), Some(4)]);
    }
}
