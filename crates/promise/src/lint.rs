//! Advice for authors of promises: what makes a form hard to fill in although the promise is valid. `opm-portal check` prints it, and the
//! preview of a promise shows it.
//!
//! To add a rule, give it a [`LintReason`] with its sentence in `lint/words.rs`, and report it from [`lint`].

mod costs;
mod hints;
mod words;

pub(crate) use costs::bounds_in_words;
pub use hints::hints;
use serde_json::Value;

use crate::api::{FieldHint, PromiseSpec};
use crate::path::{Path, Segment};
use crate::shape::{Shape, form_in_words, hint_at};
use crate::text_kind;
use crate::wording::humanise;

/// Maximum number of required fields that a form should begin with.
const MOST_REQUIRED: usize = 12;
/// Maximum number of words of a label.
const MOST_WORDS: usize = 5;
/// Maximum length of a choice that reads well without a title, in characters.
const LONGEST_CHOICE: usize = 24;
/// Maximum number of choices that a sentence names.
const NAMED: usize = 3;
/// Maximum depth that is looked at. Deeper fields are rare, and their forms open only on demand.
const DEEPEST: usize = 32;
/// Widgets that a hint can ask for, besides those for kinds of text.
const WIDGETS: [&str; 9] = ["select", "cards", "radios", "segments", "search", "checkboxes", "textarea", "file", "reference"];

/// Something that makes a form hard to fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lint {
    /// Path of the parameter as hints write it, such as `.hosts[*].name`. Empty for the form as a whole.
    pub parameter: String,
    /// Where to change it, in the promise's spec.
    pub place: String,
    /// What is hard.
    pub reason: LintReason,
}

/// What makes a form hard to fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LintReason {
    /// The parameter has neither a description nor a hint with help.
    NoDescription,
    /// Choices are written as programs write them, and have no titles.
    UnreadableChoices {
        /// The first of them.
        values: Vec<String>,
    },
    /// Nothing says what a text has to look like but its pattern.
    PatternWithoutExample,
    /// The name of the property makes a label that doesn't read well.
    UnreadableName {
        /// The label.
        label: String,
    },
    /// A required parameter without a default is hidden, so that nobody can fill it in.
    RequiredButHidden,
    /// A required parameter without a default is collapsed.
    RequiredButAdvanced,
    /// No control has this name.
    UnknownWidget {
        /// The name.
        widget: String,
    },
    /// A rule takes too long to check if there are many or long values: an API server would refuse it, and requests with such values are
    /// refused.
    CostlyRule {
        /// The rule, or the expression of its message.
        expression: String,
        /// Limits that the schema lacks, or that are too high, such as `maxItems of .ports`.
        bounds: Vec<String>,
    },
    /// The form asks for many values before anything can be submitted.
    ManyRequired {
        /// Number of required values.
        count: usize,
    },
}

/// Returns the advice for a promise, in the order of its parameters.
pub fn lint(spec: &PromiseSpec) -> Vec<Lint> {
    let Some(schema) = &spec.parameters else { return Vec::new() };
    let mut linter = Linter { spec, found: Vec::new(), required: 0 };
    linter.fields(schema, &Path::default(), &Path::default().child("parameters"), true);
    for (text, hint) in &spec.form.fields {
        if let Some(widget) = hint.widget.as_ref().filter(|widget| !widgets().any(|known| known == widget.as_str())) {
            let reason = LintReason::UnknownWidget { widget: widget.clone() };
            linter.found.push(Lint { parameter: text.clone(), place: format!(".form.fields[{text:?}].widget"), reason });
        }
    }
    linter.found.append(&mut costs::costs(schema));
    if linter.required > MOST_REQUIRED {
        let reason = LintReason::ManyRequired { count: linter.required };
        linter.found.insert(0, Lint { parameter: String::new(), place: ".parameters.required".to_owned(), reason });
    }
    linter.found
}

/// Returns the names of all widgets.
fn widgets() -> impl Iterator<Item = &'static str> {
    WIDGETS.into_iter().chain(text_kind::widgets())
}

struct Linter<'a> {
    spec: &'a PromiseSpec,
    found: Vec<Lint>,
    /// Number of values that have to be filled in.
    required: usize,
}

impl Linter<'_> {
    /// Looks at the fields of an object. `asked` says whether the object itself is part of every request.
    fn fields(&mut self, node: &Value, at: &Path, place: &Path, asked: bool) {
        if at.0.len() > DEEPEST {
            return;
        }
        let required: Vec<&str> = node["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (key, field) in node["properties"].as_object().into_iter().flatten() {
            let needed = required.contains(&key.as_str()) && field.get("default").is_none();
            self.field(field, &at.child(key), &place.child("properties").child(key), (needed, asked));
        }
    }

    fn field(&mut self, node: &Value, at: &Path, place: &Path, (needed, asked): (bool, bool)) {
        let hint = hint_at(self.spec, at);
        let shape = Shape::of(node);
        if let Some(hint) = hint {
            self.hinted(hint, at, needed);
        }
        if hint.is_some_and(|hint| hint.hidden) {
            return;
        }
        self.name(hint, at, place);
        // A secret is one input, whatever its reference consists of.
        if self.spec.secret_parameters.iter().any(|text| Path::parse(text).as_ref() == Ok(at)) {
            return self.described(hint, node, at, place);
        }
        match shape {
            Shape::Object => self.fields(node, at, place, asked && needed),
            Shape::List | Shape::Map => {
                self.described(hint, node, at, place);
                let (rows, step) =
                    if shape == Shape::List { (&node["items"], "items") } else { (&node["additionalProperties"], "additionalProperties") };
                let each = Path(at.0.iter().cloned().chain([Segment::Each]).collect());
                if Shape::of(rows) == Shape::Object {
                    self.fields(rows, &each, &place.child(step), false);
                }
            }
            _ => {
                self.required += usize::from(needed && asked);
                self.described(hint, node, at, place);
                self.readable(hint, node, at, place);
            }
        }
    }

    fn report(&mut self, at: &Path, place: String, reason: LintReason) {
        self.found.push(Lint { parameter: at.to_string(), place, reason });
    }

    fn hinted(&mut self, hint: &FieldHint, at: &Path, needed: bool) {
        let place = |part: &str| format!(".form.fields[{:?}].{part}", at.to_string());
        // A condition decides by itself when the field is shown.
        if needed && hint.hidden {
            self.report(at, place("hidden"), LintReason::RequiredButHidden);
        } else if needed && hint.advanced {
            self.report(at, place("advanced"), LintReason::RequiredButAdvanced);
        }
    }

    fn name(&mut self, hint: Option<&FieldHint>, at: &Path, place: &Path) {
        let Some(Segment::Key(key)) = at.0.last() else { return };
        let label = humanise(key);
        let reads = label.chars().count() > 1 && label.split(' ').count() <= MOST_WORDS;
        if !reads && hint.is_none_or(|hint| hint.title.is_none()) {
            self.report(at, place.to_string(), LintReason::UnreadableName { label });
        }
    }

    fn described(&mut self, hint: Option<&FieldHint>, node: &Value, at: &Path, place: &Path) {
        let is_described = node["description"].as_str().is_some_and(|text| !text.trim().is_empty());
        if !is_described && hint.is_none_or(|hint| hint.help.is_none()) {
            self.report(at, place.to_string(), LintReason::NoDescription);
        }
    }

    fn readable(&mut self, hint: Option<&FieldHint>, node: &Value, at: &Path, place: &Path) {
        match Shape::of(node) {
            Shape::Choice => {
                let titled = |value: &str| hint.and_then(|hint| hint.options.get(value)).is_some_and(|option| option.title.is_some());
                let values = node["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let hard = values.filter(|value| (value.contains('_') || value.chars().count() > LONGEST_CHOICE) && !titled(value));
                let values: Vec<String> = hard.take(NAMED).map(str::to_owned).collect();
                if !values.is_empty() {
                    self.report(at, place.child("enum").to_string(), LintReason::UnreadableChoices { values });
                }
            }
            Shape::Text if node["pattern"].is_string() && form_in_words(node, hint).is_none() => {
                let is_shown =
                    node.get("example").is_some() || node.get("default").is_some() || hint.is_some_and(|hint| hint.help.is_some());
                if !is_shown && !has_example(node) {
                    self.report(at, place.child("pattern").to_string(), LintReason::PatternWithoutExample);
                }
            }
            _ => {}
        }
    }
}

/// Whether a description shows what a text looks like.
fn has_example(node: &Value) -> bool {
    let text = node["description"].as_str().unwrap_or_default().to_lowercase();
    ["for example", "e.g.", "such as", "example:"].iter().any(|words| text.contains(words))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{LintReason, hints, lint};
    use crate::api::PromiseSpec;

    fn found(spec: Value) -> Vec<(String, String, LintReason)> {
        let spec: PromiseSpec = serde_json::from_value(spec).unwrap();
        lint(&spec).into_iter().map(|lint| (lint.parameter, lint.place, lint.reason)).collect()
    }

    fn with(field: Value, hint: Value) -> Vec<(String, String, LintReason)> {
        let parameters = json!({"type": "object", "required": ["field"], "properties": {"field": field}});
        found(json!({"version": "1.0.0", "parameters": parameters, "form": {"fields": {".field": hint}}}))
    }

    #[test]
    fn a_form_that_reads_well_needs_no_advice() {
        let field = json!({"type": "string", "description": "What it is.", "enum": ["small", "large"]});
        assert_eq!(with(field, json!({"title": "Size"})), []);
    }

    #[test]
    fn each_rule_names_the_parameter_and_the_place() {
        let text = || json!({"type": "string", "description": "What it is."});
        let at = |place: &str| format!(".parameters.properties.field{place}");
        for (field, hint, place, reason) in [
            (json!({"type": "string"}), json!({}), at(""), LintReason::NoDescription),
            (json!({"type": "array", "items": {"type": "string"}}), json!({}), at(""), LintReason::NoDescription),
            (
                json!({"type": "string", "description": "Kind.", "enum": ["ON_DEMAND", "SPOT"]}),
                json!({}),
                at(".enum"),
                LintReason::UnreadableChoices { values: vec!["ON_DEMAND".to_owned()] },
            ),
            (
                json!({"type": "string", "description": "Id.", "pattern": "^(x|y)+[0-9]$"}),
                json!({}),
                at(".pattern"),
                LintReason::PatternWithoutExample,
            ),
            (text(), json!({"hidden": true}), r#".form.fields[".field"].hidden"#.to_owned(), LintReason::RequiredButHidden),
            (text(), json!({"advanced": true}), r#".form.fields[".field"].advanced"#.to_owned(), LintReason::RequiredButAdvanced),
            (
                text(),
                json!({"widget": "slider"}),
                r#".form.fields[".field"].widget"#.to_owned(),
                LintReason::UnknownWidget { widget: "slider".to_owned() },
            ),
        ] {
            assert_eq!(with(field, hint), [(".field".to_owned(), place, reason)]);
        }
        for (field, hint) in [
            (json!({"type": "string"}), json!({"help": "What it is."})),
            (
                json!({"type": "string", "description": "Kind.", "enum": ["ON_DEMAND"]}),
                json!({"options": {"ON_DEMAND": {"title": "On demand"}}}),
            ),
            (json!({"type": "string", "description": "Id, for example x1.", "pattern": "^(x|y)+[0-9]$"}), json!({})),
            (json!({"type": "string", "description": "Id.", "default": "x"}), json!({"hidden": true})),
        ] {
            assert_eq!(with(field.clone(), hint), [], "{field}");
        }
    }

    #[test]
    fn a_secret_is_described_as_a_whole() {
        let reference = json!({"type": "object", "properties": {"name": {"type": "string"}, "key": {"type": "string"}}});
        let parameters = json!({"type": "object", "properties": {"password": reference}});
        let secret = json!({"version": "1.0.0", "parameters": parameters, "secretParameters": [".password"]});
        let advised: Vec<String> = found(secret).into_iter().map(|(parameter, ..)| parameter).collect();
        assert_eq!(advised, [".password"]);
    }

    #[test]
    fn fields_of_rows_and_names_are_looked_at() {
        let row = json!({"type": "object", "properties": {"x": {"type": "string", "description": "Where."}}});
        let parameters = json!({"type": "object", "properties": {"points": {"type": "array", "description": "All.", "items": row}}});
        let place = ".parameters.properties.points.items.properties.x";
        assert_eq!(
            found(json!({"version": "1.0.0", "parameters": parameters})),
            [(".points[*].x".to_owned(), place.to_owned(), LintReason::UnreadableName { label: "X".to_owned() })]
        );
    }

    #[test]
    fn a_rule_that_can_take_too_long_names_the_limits_to_add() {
        let rule = json!([{"rule": "self.all(a, self.exists_one(b, a.name == b.name))", "message": "Names must be unique."}]);
        let name = json!({"type": "string", "description": "Its name."});
        let port = json!({"type": "object", "properties": {"name": name}});
        let ports = json!({"type": "array", "description": "All.", "items": port, "x-kubernetes-validations": rule});
        let parameters = json!({"type": "object", "properties": {"ports": ports}});
        let spec: PromiseSpec = serde_json::from_value(json!({"version": "1.0.0", "parameters": parameters})).unwrap();
        let advice = lint(&spec);
        assert_eq!(advice.len(), 1, "{advice:?}");
        assert_eq!(
            (advice[0].parameter.as_str(), advice[0].place.as_str()),
            (".ports", ".parameters.properties.ports.x-kubernetes-validations[0].rule")
        );
        assert_eq!(
            advice[0].sentence(),
            "Set maxItems of .ports and maxLength of .ports[*].name: with many or long values, this rule takes too long to check, and the request is refused: \
             self.all(a, self.exists_one(b, a.name == b.name))"
        );
    }

    #[test]
    fn hints_have_an_entry_for_each_field() {
        let field = json!({"type": "string", "enum": ["ON_DEMAND", "SPOT"]});
        let parameters = json!({"type": "object", "properties": {"capacityType": field}});
        let spec: PromiseSpec = serde_json::from_value(json!({"version": "1.0.0", "parameters": parameters})).unwrap();
        let options = json!({"ON_DEMAND": {"title": "On demand"}, "SPOT": {"title": "Spot"}});
        let hint = json!({"title": "Capacity type", "help": "", "options": options});
        assert_eq!(hints(&spec, &lint(&spec)), Some(json!({"form": {"fields": {".capacityType": hint}}})));
        assert_eq!(hints(&spec, &[]), None);
    }

    #[test]
    fn many_required_fields_are_counted_once() {
        let field = json!({"type": "string", "description": "What it is."});
        let names: Vec<String> = (0..20).map(|number| format!("field{number}")).collect();
        let properties: serde_json::Map<String, Value> = names.iter().map(|name| (name.clone(), field.clone())).collect();
        let parameters = json!({"type": "object", "required": names, "properties": properties});
        assert_eq!(
            found(json!({"version": "1.0.0", "parameters": parameters})),
            [(String::new(), ".parameters.required".to_owned(), LintReason::ManyRequired { count: 20 })]
        );
    }
}
