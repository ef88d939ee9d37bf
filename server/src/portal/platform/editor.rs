//! The form of one rule of a policy: what it offers, what was entered, and what it shows.

use app::backend::PolicyText;
use app::view::{Pick, PolicyForm, RuleEditor, RuleRow};
use cluster::WorkspacePath;
use promise::Problem;
use promise::api::{AppliesTo, PolicySpec, PromiseSpec, Rule};
use promise::form::{self, Draft, yaml};
use promise::policy::edit::{self, Offered, RuleKind};
use promise::policy::{Effective, covers_promise, upcoming};
use serde_json::{Value, json};

use super::list;
use super::promises::Promises;
use crate::portal::Caller;

/// Maximum number of workspaces that are offered.
const WORKSPACES: usize = 30;

/// Returns the initial text of a new policy with one rule.
pub(super) fn start() -> String {
    let mut spec = json!({"enforcement": "block"});
    edit::add_rule(&mut spec, RuleKind::Constrain);
    yaml::write(&json!({"apiVersion": promise::names::API_VERSION, "kind": "Policy", "metadata": {"name": ""}, "spec": spec}))
}

/// Returns the form with one rule of an existing text. Errors if that rule doesn't have a form.
struct Opened {
    object: Value,
    kind: RuleKind,
    values: Value,
    index: usize,
}

impl Opened {
    fn of(text: &str, index: usize) -> Option<Self> {
        let object = yaml::read(text).ok()?;
        let (kind, values) = edit::values_of(object.get("spec")?, index)?;
        Some(Self { object, kind, values, index })
    }
}

/// What a form in a workspace offers.
pub(super) struct Choices<'a> {
    pub(super) caller: &'a Caller,
    pub(super) place: &'a WorkspacePath,
    pub(super) promises: &'a Promises,
    /// Workspaces that the user can enter.
    pub(super) open: &'a [WorkspacePath],
}

impl Choices<'_> {
    fn offered(&self, values: &Value) -> Offered {
        let reached = self.promises.reached(self.caller, self.place);
        let mut names: Vec<String> = reached.iter().map(|(_, key, _)| key.name.clone()).collect();
        names.sort();
        names.dedup();
        let range = AppliesTo { promises: strings(&values["appliesTo"]["promises"]), ..AppliesTo::default() };
        let in_scope: Vec<(&str, &PromiseSpec)> = reached
            .iter()
            .filter(|(_, key, _)| covers_promise(&range, &key.name))
            .map(|(_, key, promise)| (promise.spec.presentation.display_name.as_deref().unwrap_or(&key.name), &promise.spec))
            .collect();
        let trusted = list::is_trusted(self.caller, self.place);
        let within = self.open.iter().filter(|path| trusted || self.place.contains(path)).take(WORKSPACES);
        Offered {
            promises: names,
            workspaces: within.flat_map(|path| [path.to_string(), format!("{path}:**")]).collect(),
            in_scope: in_scope.len(),
            parameters: edit::parameters(&in_scope),
            actions: edit::actions(&in_scope),
        }
    }

    /// Puts what was posted into the text, and carries out the pressed button.
    pub(super) fn enter(&self, typed: &mut PolicyText) {
        let operation = typed.operation.clone();
        if let Some(opened) = typed.rule.and_then(|index| Opened::of(&typed.text, index)) {
            self.take(opened, typed);
        }
        if operation == "yaml" {
            (typed.rule, typed.entered) = (None, None);
        } else if let Some(index) = operation.strip_prefix("rule:").and_then(|index| index.parse().ok()) {
            (typed.rule, typed.entered, typed.focus) = (Some(index), None, Some("kind".to_owned()));
        } else if operation == "new" {
            self.change(typed, |spec| Some(edit::add_rule(spec, RuleKind::Constrain)));
        } else if let Some(index) = operation.strip_prefix("without:").and_then(|index| index.parse().ok()) {
            let shown = typed.rule.unwrap_or_default();
            self.change(typed, |spec| {
                edit::remove_rule(spec, index);
                Some(if shown > index { shown - 1 } else { shown.min(rules(spec).saturating_sub(1)) })
            });
        }
    }

    /// Changes the rules of the text, and opens the form of one.
    fn change(&self, typed: &mut PolicyText, change: impl FnOnce(&mut Value) -> Option<usize>) {
        let Ok(mut object) = yaml::read(&typed.text) else { return };
        let Some(spec) = object.get_mut("spec") else { return };
        typed.rule = change(spec);
        typed.text = yaml::write(&object);
        (typed.entered, typed.focus) = (None, Some("kind".to_owned()));
    }

    fn take(&self, opened: Opened, typed: &mut PolicyText) {
        let Opened { mut object, kind, values, index } = opened;
        let promise = edit::promise_of(kind, &self.offered(&values), &values);
        let parsed = form::parse(&typed.fields, &promise, &Effective::default(), &values);
        let now = RuleKind::parse(typed.field("kind")).unwrap_or(kind);
        object["spec"] = edit::put(&object["spec"], index, (kind, now), &parsed.draft.parameters);
        if typed.name.is_none() {
            let title = object["spec"]["title"].as_str().unwrap_or_default();
            let name = match typed.field("/name").trim() {
                "" => edit::name_of(title),
                name => name.to_owned(),
            };
            object["metadata"]["name"] = name.into();
        }
        typed.text = yaml::write(&object);
        typed.focus = parsed.focus;
        typed.entered = (kind == now).then_some(parsed.draft);
    }

    /// Adds the rules and the form of one of them.
    pub(super) fn dress(&self, form: &mut PolicyForm, typed: &PolicyText) {
        let Ok(object) = yaml::read(&form.text) else { return };
        form.title = object["spec"]["title"].as_str().unwrap_or_default().to_owned();
        form.rules = self.rules(&object["spec"], form);
        let Some(opened) = typed.rule.and_then(|index| Opened::of(&form.text, index)) else { return };
        let Opened { kind, values, index, .. } = opened;
        let promise = edit::promise_of(kind, &self.offered(&values), &values);
        let entered = typed.entered.clone().unwrap_or_default();
        let draft = Draft { parameters: values, ..entered };
        let problems = if typed.checked { problems(form, index, kind) } else { Vec::new() };
        let trusted = list::is_trusted(self.caller, self.place);
        let kinds = RuleKind::ALL.into_iter().filter(|one| trusted || !one.needs_trust() || *one == kind);
        let kinds = kinds.map(|one| Pick { value: one.word().to_owned(), label: one.title().to_owned(), chosen: one == kind });
        let name_problem = form.problems.iter().find(|problem| problem.path == ".metadata.name" && typed.checked);
        form.editor = Some(RuleEditor {
            index,
            kinds: kinds.collect(),
            name: typed.field("/name").to_owned(),
            name_problem: name_problem.filter(|_| form.name.is_none()).map(|problem| problem.message.clone()),
            form: form::model(&promise, &Effective::default(), &draft, &problems),
            focus: typed.focus.clone(),
            checked: typed.checked,
        });
    }

    /// Returns every rule. Only rules without problems are described.
    fn rules(&self, spec: &Value, form: &PolicyForm) -> Vec<RuleRow> {
        let applies_to: AppliesTo = serde_json::from_value(spec["appliesTo"].clone()).unwrap_or_default();
        let row = |(index, rule): (usize, &Value)| {
            let path = format!(".spec.rules[{index}]");
            let is_wrong = form.problems.iter().any(|problem| problem.path.starts_with(&path));
            let read: Option<Rule> = serde_json::from_value(rule.clone()).ok().filter(|_| !is_wrong);
            let next = read.as_ref().and_then(|rule| upcoming(rule, self.caller.portal().clock.now()));
            let sentence = read.map(|rule| {
                let spec = PolicySpec { applies_to: applies_to.clone(), rules: vec![rule], ..PolicySpec::default() };
                let concerned = self.promises.concerned(self.caller, self.place, &spec);
                list::sentences(self.caller, &spec, &concerned).pop().unwrap_or_default()
            });
            RuleRow {
                name: rule["name"].as_str().unwrap_or_default().to_owned(),
                sentence: sentence.unwrap_or_default(),
                has_form: RuleKind::of(rule).is_some(),
                next,
            }
        };
        spec["rules"].as_array().into_iter().flatten().enumerate().map(row).collect()
    }
}

/// Returns the problems with the paths of the form's fields.
fn problems(form: &PolicyForm, index: usize, kind: RuleKind) -> Vec<Problem> {
    let of_form = form.problems.iter().filter(|problem| form.name.is_some() || problem.path != ".metadata.name");
    let problem = of_form.map(|problem| Problem {
        path: problem.path.strip_prefix(".spec").and_then(|path| edit::field_path(path, index, kind)).unwrap_or_default(),
        message: problem.message.clone(),
    });
    problem.collect()
}

fn rules(spec: &Value) -> usize {
    spec["rules"].as_array().map(Vec::len).unwrap_or_default()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
