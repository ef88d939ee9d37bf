//! The fields of the form for each kind of rule: a promise whose parameters they are.

use serde_json::{Map, Value, json};

use super::words::{self, field};
use super::{NAME, Offered, RULE, RuleKind};
use crate::api::{FieldGroup, FieldHint, FormHints, OptionHint, PromiseSpec};
use crate::shape::Shape;

/// Maximum number of values that a list offers to choose from. With more, its entries are typed.
const OFFERED: usize = 60;

/// Returns the promise whose form is that of a rule. `values` are those of the form: fields depend on the parameter that is chosen.
pub fn promise_of(kind: RuleKind, offered: &Offered, values: &Value) -> PromiseSpec {
    let effect = &values[RULE];
    let chosen = effect.get("parameter").and_then(Value::as_str).unwrap_or_default();
    let mut maker = Maker { offered, properties: Map::new(), hints: FormHints::default(), shown: Vec::new() };
    match kind {
        RuleKind::Constrain => maker.constrain(effect, chosen),
        RuleKind::Default | RuleKind::Set => {
            maker.parameter(chosen, true);
            maker.add("value", value_node(offered, chosen), Some(CHOSEN));
            maker.when();
        }
        RuleKind::Validate => {
            maker.add("message", text(), None);
            maker.area("expression");
            maker.parameter(chosen, false);
        }
        RuleKind::Approve => maker.approve(),
        RuleKind::Limit => {
            maker.add("count", json!({"type": "integer", "minimum": 0}), None);
            maker.per(&["workspace", "subtree", "promise"]);
        }
        RuleKind::Budget => maker.budget(),
        RuleKind::Inject => maker.inject(),
        RuleKind::Schedule => maker.schedule(effect),
        RuleKind::Window => maker.window(),
    }
    maker.finish(kind, values)
}

/// The condition under which fields for the values of a parameter are shown.
const CHOSEN: &str = "has(parameters.rule.parameter)";

/// Collects the fields of a rule.
struct Maker<'a> {
    offered: &'a Offered,
    properties: Map<String, Value>,
    hints: FormHints,
    /// Paths of the fields, in order.
    shown: Vec<String>,
}

impl Maker<'_> {
    /// Adds a field of the rule, and shows it under a condition.
    fn add(&mut self, name: &str, node: Value, visible_when: Option<&str>) {
        let path = format!(".{RULE}.{name}");
        self.properties.insert(name.to_owned(), node);
        let hint = FieldHint { visible_when: visible_when.map(str::to_owned), ..field(&path) };
        self.hint(path, hint);
    }

    fn hint(&mut self, path: String, hint: FieldHint) {
        self.shown.push(path.clone());
        self.hints.fields.insert(path, hint);
    }

    /// Adds a text of several lines.
    fn area(&mut self, name: &str) {
        let path = format!(".{RULE}.{name}");
        self.properties.insert(name.to_owned(), text());
        self.hint(path.clone(), FieldHint { widget: Some("textarea".to_owned()), ..field(&path) });
    }

    /// Adds the condition of the rule.
    fn when(&mut self) {
        let path = format!(".{RULE}.when");
        self.properties.insert("when".to_owned(), text());
        self.hint(path.clone(), FieldHint { advanced: true, ..field(&path) });
    }

    /// Adds the parameter of the rule. `steers` is whether it is what the rule applies to, and not only where its message is shown.
    fn parameter(&mut self, chosen: &str, steers: bool) {
        let path = format!(".{RULE}.parameter");
        let known = &self.offered.parameters;
        let mut hint =
            FieldHint { widget: Some("select".to_owned()), advanced: !steers, ..field(if steers { &path } else { ".message.parameter" }) };
        let mut paths: Vec<String> = known.iter().map(|parameter| parameter.path.clone()).collect();
        for parameter in known {
            let title = format!("{} ({}){}", parameter.label, parameter.path, self.only(&parameter.promises));
            hint.options.insert(parameter.path.clone(), OptionHint { title: Some(title), help: None });
        }
        if !chosen.is_empty() && !paths.iter().any(|path| path == chosen) {
            paths.push(chosen.to_owned());
        }
        let node = if known.is_empty() { text() } else { json!({"type": "string", "enum": paths}) };
        self.properties.insert("parameter".to_owned(), node);
        self.hint(path, hint);
    }

    /// Adds what a limit or budget is counted for.
    fn per(&mut self, values: &[&str]) {
        let path = format!(".{RULE}.per");
        let options = values.iter().map(|value| ((*value).to_owned(), words::per(value))).collect();
        self.properties.insert("per".to_owned(), json!({"type": "string", "enum": values}));
        self.hint(path.clone(), FieldHint { options, ..field(&path) });
    }

    /// Adds lists of groups and users below an object of the rule.
    fn people(&mut self, object: &str, advanced: bool) {
        let strings = || json!({"type": "array", "items": {"type": "string"}});
        let node = json!({"type": "object", "properties": {"groups": strings(), "users": strings()}});
        self.properties.insert(object.to_owned(), node);
        self.hints.fields.insert(format!(".{RULE}.{object}"), hidden());
        for inner in ["groups", "users"] {
            let path = format!(".{RULE}.{object}.{inner}");
            self.hint(path.clone(), FieldHint { advanced, ..field(&path) });
        }
    }

    fn constrain(&mut self, effect: &Value, chosen: &str) {
        self.parameter(chosen, true);
        let node = self.offered.parameters.iter().find(|parameter| parameter.path == chosen).map(|parameter| parameter.node.clone());
        let shape = node.as_ref().map(Shape::of);
        let fits: &[&str] = match shape {
            Some(Shape::Integer | Shape::Number) => &["minimum", "maximum"],
            Some(Shape::Choice | Shape::Boolean) => &["enum"],
            Some(Shape::Text | Shape::Quantity | Shape::IntOrString) => &["enum", "minLength", "maxLength", "pattern"],
            Some(Shape::List) => &["minItems", "maxItems"],
            Some(Shape::Map | Shape::Object | Shape::Open) | None => &BOUNDS,
        };
        for name in BOUNDS.iter().filter(|name| fits.contains(*name) || effect.get(**name).is_some()) {
            let bound = match *name {
                "minimum" | "maximum" if shape == Some(Shape::Integer) => json!({"type": "integer"}),
                "minimum" | "maximum" => json!({"type": "number"}),
                "pattern" => text(),
                "enum" => json!({"type": "array", "items": items(node.as_ref())}),
                _ => json!({"type": "integer", "minimum": 0}),
            };
            // What is already limited is shown in any case.
            self.add(name, bound, Some(CHOSEN).filter(|_| effect.get(*name).is_none()));
        }
        self.when();
    }

    fn approve(&mut self) {
        self.people("approvers", false);
        self.add("required", json!({"x-kubernetes-int-or-string": true}), None);
        self.when();
        self.add("expiresAfter", text(), None);
        for (name, node) in [
            ("stage", json!({"type": "integer", "minimum": 1})),
            ("selfApproval", json!({"type": "boolean", "default": false})),
            ("samePerson", json!({"type": "boolean", "default": false})),
        ] {
            let path = format!(".{RULE}.{name}");
            self.properties.insert(name.to_owned(), node);
            self.hint(path.clone(), FieldHint { advanced: true, ..field(&path) });
        }
    }

    fn budget(&mut self) {
        self.add("monthly", text(), None);
        self.add("currency", text(), None);
        self.per(&["workspace", "subtree"]);
        let path = format!(".{RULE}.thresholds");
        self.properties.insert("thresholds".to_owned(), json!({"type": "array", "items": {"type": "integer"}}));
        self.hint(path.clone(), FieldHint { advanced: true, ..field(&path) });
        self.people("notify", true);
    }

    fn inject(&mut self) {
        let kinds = json!({"type": "array", "items": {"type": "string"}});
        self.properties.insert("match".to_owned(), json!({"type": "object", "properties": {"kinds": kinds}}));
        self.hints.fields.insert(format!(".{RULE}.match"), hidden());
        let path = format!(".{RULE}.match.kinds");
        self.hint(path.clone(), field(&path));
        self.add("merge", json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}), None);
        self.when();
    }

    fn schedule(&mut self, effect: &Value) {
        let known = &self.offered.actions;
        let mut names: Vec<&str> = known.iter().map(|action| action.name.as_str()).collect();
        // What is written is shown in any case.
        names.extend(effect["action"].as_str().filter(|chosen| !chosen.is_empty() && !known.iter().any(|action| action.name == *chosen)));
        let path = format!(".{RULE}.action");
        let mut hint = FieldHint { widget: Some("select".to_owned()), ..field(&path) };
        for action in known {
            let only = self.only(&action.promises);
            let title = format!("{} ({}){only}", action.title, action.name);
            hint.options.insert(action.name.clone(), OptionHint { title: Some(title), help: None });
        }
        let node = if known.is_empty() { text() } else { json!({"type": "string", "enum": names}) };
        self.properties.insert("action".to_owned(), node);
        self.hint(path, hint);
        self.add("cron", text(), None);
        self.add("timezone", text(), None);
        self.add("parameters", json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}), None);
        self.add("retention", text(), None);
    }

    fn window(&mut self) {
        let path = format!(".{RULE}.days");
        let days = words::days();
        let names: Vec<&str> = days.iter().map(|(day, _)| *day).collect();
        self.properties.insert("days".to_owned(), json!({"type": "array", "items": {"type": "string", "enum": names}}));
        let options = days.iter().map(|(day, option)| ((*day).to_owned(), option.clone())).collect();
        self.hint(path.clone(), FieldHint { widget: Some("checkboxes".to_owned()), options, ..field(&path) });
        for name in ["from", "to", "timezone"] {
            self.add(name, text(), None);
        }
    }

    /// Returns which promises have something, if not all in scope do.
    fn only(&self, promises: &[String]) -> String {
        if promises.len() < self.offered.in_scope { format!(" – {}", promises.join(", ")) } else { String::new() }
    }

    /// Adds the scope and the texts of the policy.
    fn finish(mut self, kind: RuleKind, values: &Value) -> PromiseSpec {
        let list = |field: &str, offered: &[String]| {
            let held = values["appliesTo"][field].as_array().into_iter().flatten().filter_map(Value::as_str);
            let mut all: Vec<&str> = offered.iter().map(String::as_str).chain(held).collect();
            all.sort_unstable();
            all.dedup();
            let few = !offered.is_empty() && all.len() <= OFFERED;
            json!({"type": "array", "items": if few { json!({"type": "string", "enum": all}) } else { text() }})
        };
        let (promises, workspaces) = (list("promises", &self.offered.promises), list("workspaces", &self.offered.workspaces));
        let names: Vec<String> = self.offered.actions.iter().map(|action| action.name.clone()).collect();
        let (actions, labels) = (list("actions", &names), json!({"type": "object", "additionalProperties": {"type": "string"}}));
        let scope = json!({"promises": promises, "workspaces": workspaces, "workspaceLabels": labels, "actions": actions});
        let rule = json!({"type": "object", "properties": self.properties});
        let parameters = json!({
            "type": "object",
            "required": [RULE, "appliesTo", "owner"],
            "properties": {
                RULE: rule,
                NAME: text(),
                "appliesTo": {"type": "object", "properties": scope},
                "title": text(),
                "description": text(),
                "category": {"type": "string", "default": "operations", "enum": ["operations", "security", "compliance", "cost", "lifecycle"]},
                "enforcement": {"type": "string", "default": "block", "enum": ["block", "warn", "audit"]},
                "owner": {"type": "object", "properties": {"team": text(), "contact": text()}},
            },
        });
        let shown = std::mem::take(&mut self.shown);
        for parent in [format!(".{RULE}"), ".appliesTo".to_owned(), ".owner".to_owned()] {
            self.hints.fields.insert(parent, hidden());
        }
        let scope = [
            (".appliesTo.promises", false),
            (".appliesTo.workspaces", false),
            (".appliesTo.workspaceLabels", true),
            (".appliesTo.actions", true),
        ];
        let policy = [
            (".title", false),
            (".enforcement", false),
            (".description", true),
            (".category", true),
            (".owner.team", true),
            (".owner.contact", true),
            (".ruleName", true),
        ];
        for (path, advanced) in scope.into_iter().chain(policy) {
            let hint = match path {
                ".enforcement" if !kind.can_be_violated() => hidden(),
                ".enforcement" => words::enforcement(kind),
                path => FieldHint { options: words::category(path), ..field(path) },
            };
            let widget = (path == ".description").then(|| "textarea".to_owned());
            self.hints.fields.insert(path.to_owned(), FieldHint { advanced, widget, ..hint });
        }
        let paths = |of: &[(&str, bool)]| of.iter().map(|(path, _)| (*path).to_owned()).collect();
        let group = |title: &str, description: &str, fields: Vec<String>| FieldGroup {
            title: title.to_owned(),
            description: (!description.is_empty()).then(|| description.to_owned()),
            fields,
        };
        self.hints.groups = vec![
            group(kind.title(), words::description(kind), shown),
            group(words::SCOPE, words::SCOPE_TEXT, paths(&scope)),
            group(words::POLICY, "", paths(&policy)),
        ];
        PromiseSpec { parameters: Some(parameters.into()), form: self.hints, ..PromiseSpec::default() }
    }
}

/// Fields of a constraint, in order.
const BOUNDS: [&str; 8] = ["minimum", "maximum", "enum", "minLength", "maxLength", "pattern", "minItems", "maxItems"];

fn text() -> Value {
    json!({"type": "string"})
}

fn hidden() -> FieldHint {
    FieldHint { hidden: true, ..FieldHint::default() }
}

/// Returns the schema of an allowed value.
fn items(node: Option<&Value>) -> Value {
    let Some(node) = node else { return text() };
    match Shape::of(node) {
        Shape::Choice => json!({"type": node.get("type").cloned().unwrap_or_else(|| json!("string")), "enum": node["enum"]}),
        Shape::Boolean => json!({"type": "boolean"}),
        Shape::Integer => json!({"type": "integer"}),
        Shape::Number => json!({"type": "number"}),
        Shape::IntOrString => json!({"x-kubernetes-int-or-string": true}),
        _ => text(),
    }
}

/// Returns the schema of a value for a parameter: its own, without what is about people who fill it in.
fn value_node(offered: &Offered, chosen: &str) -> Value {
    let open = || json!({"x-kubernetes-preserve-unknown-fields": true});
    let Some(parameter) = offered.parameters.iter().find(|parameter| parameter.path == chosen) else { return open() };
    match Shape::of(&parameter.node) {
        Shape::List | Shape::Map | Shape::Object | Shape::Open => open(),
        _ => {
            let mut node = parameter.node.clone();
            if let Some(fields) = node.as_object_mut() {
                for word in ["default", "description", "title", "x-kubernetes-validations"] {
                    fields.remove(word);
                }
            }
            node
        }
    }
}
