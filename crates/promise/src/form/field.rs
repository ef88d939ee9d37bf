//! Sections and fields of a form.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::control::{Choice, ChoiceStyle, Control, More, Suggested, Suggestion};
use crate::path::Path;
use crate::policy::{Origin, Provenance};

/// Digits of a digest that tell the rules of a page apart.
const ANCHOR_DIGITS: usize = 8;

/// A form, ready to be rendered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Form {
    /// Every problem once, in the order of the fields, for the error summary.
    pub summary: Vec<Summary>,
    /// Named starting points. Each is a submit button.
    pub presets: Vec<PresetChoice>,
    /// Sections, in order.
    pub sections: Vec<Section>,
    /// The search for fields, if some are rendered on demand.
    #[serde(default)]
    pub find: Option<Find>,
    /// Paths of values that the form has no field for and that are kept.
    pub kept: Vec<String>,
    /// Number of fields that users can fill in, including advanced ones.
    pub count: usize,
}

impl Form {
    /// Returns every field including nested ones, in order.
    pub fn fields(&self) -> Vec<&Field> {
        fn walk<'f>(fields: &'f [Field], into: &mut Vec<&'f Field>) {
            for field in fields {
                into.push(field);
                match &field.control {
                    Control::Group { fields, .. } => walk(fields, into),
                    Control::Items { rows, .. } => rows.iter().for_each(|row| walk(&row.fields, into)),
                    _ => {}
                }
            }
        }
        let mut all = Vec::new();
        for section in &self.sections {
            walk(&section.fields, &mut all);
            walk(&section.advanced, &mut all);
        }
        all
    }
}

impl Form {
    /// Calls `change` with every field including nested ones, in order.
    fn for_each(&mut self, change: &mut dyn FnMut(&mut Field)) {
        fn walk(fields: &mut [Field], change: &mut dyn FnMut(&mut Field)) {
            for field in fields {
                change(field);
                match &mut field.control {
                    Control::Group { fields, .. } => walk(fields, change),
                    Control::Items { rows, .. } => rows.iter_mut().for_each(|row| walk(&mut row.fields, change)),
                    _ => {}
                }
            }
        }
        for section in &mut self.sections {
            walk(&mut section.fields, change);
            walk(&mut section.advanced, change);
        }
    }

    /// Adds suggestions to the inputs and lists of texts. `of` returns those of a path.
    pub fn suggest<'s>(&mut self, of: &dyn Fn(&Path) -> Option<&'s Suggested>) {
        self.for_each(&mut |field| {
            let (Control::Text { suggestions, said: note, .. } | Control::List { suggestions, note, .. }) = &mut field.control else {
                return;
            };
            let Some(found) = Path::parse(&field.path).ok().and_then(|path| of(&path)) else { return };
            suggestions.extend(found.suggestions.iter().cloned());
            if found.note.is_some() {
                note.clone_from(&found.note);
            }
        });
    }

    /// Makes inputs of texts a choice. `of` returns the values of a path; `none` is the label of no choice. An entered value stays.
    pub fn choose(&mut self, of: &dyn Fn(&Path) -> Option<Vec<Suggestion>>, none: &str) {
        self.for_each(&mut |field| {
            let Control::Text { value, .. } = &field.control else { return };
            let Some(mut found) = Path::parse(&field.path).ok().and_then(|path| of(&path)) else { return };
            if !value.is_empty() && !found.iter().any(|one| one.value == *value) {
                found.push(Suggestion { value: value.clone(), label: value.clone() });
            }
            let nothing = Suggestion { value: String::new(), label: none.to_owned() };
            let option = |one: Suggestion| Choice {
                id: field.id.clone(),
                chosen: one.value == *value,
                label: if one.label.is_empty() { one.value.clone() } else { one.label },
                value: one.value,
                hint: None,
                price: None,
            };
            let options = std::iter::once(nothing).chain(found).map(option).collect();
            field.control = Control::Choice { style: ChoiceStyle::Select, options, show: None };
        });
    }

    /// Sets the price difference of each option, checkbox and preset. `of` looks it up by path and posted value, `preset` by name.
    pub fn price(&mut self, of: &dyn Fn(&str, &str) -> Option<String>, preset: &dyn Fn(&str) -> Option<String>) {
        fn walk(fields: &mut [Field], of: &dyn Fn(&str, &str) -> Option<String>) {
            for field in fields {
                let path = field.path.clone();
                match &mut field.control {
                    Control::Choice { options, .. } => options.iter_mut().for_each(|option| option.price = of(&path, &option.value)),
                    Control::Tick { checked, price } => *price = of(&path, if *checked { "false" } else { "true" }),
                    Control::Group { fields, .. } => walk(fields, of),
                    _ => {}
                }
            }
        }
        for section in &mut self.sections {
            walk(&mut section.fields, of);
            walk(&mut section.advanced, of);
        }
        for choice in &mut self.presets {
            choice.price = preset(&choice.name);
        }
    }
}

/// The search for fields of a form that renders some of them on demand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Find {
    /// Id of its input.
    pub id: String,
    /// Name of its input.
    pub name: String,
    /// What is searched for. Empty if nothing is.
    pub text: String,
    /// Name of the hidden input with the same text. If the two differ in a post, the Enter key was pressed in the search.
    pub sought: String,
    /// `_op` value of its button.
    pub operation: String,
    /// The best matches.
    pub found: Vec<FoundField>,
    /// Number of all matches.
    pub total: usize,
}

/// A field that matches a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundField {
    /// Labels of the groups around it, from the outside.
    pub within: Vec<String>,
    /// Label.
    pub label: String,
    /// Short explanation.
    pub hint: Option<String>,
    /// Id of its input.
    pub id: String,
    /// `_op` value of the button that renders it. `None` if it is rendered.
    pub show: Option<String>,
}

/// One line of the error summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Id of the input to link to. Empty if the problem concerns the whole form.
    pub target: String,
    /// The message shown at the field.
    pub message: String,
}

/// A named starting point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PresetChoice {
    /// Name of the preset.
    pub name: String,
    /// Display name of the preset.
    pub title: String,
    /// Description in one sentence.
    pub description: Option<String>,
    /// Value of the `_op` button, `preset:<name>`.
    pub operation: String,
    /// Whether the values of the form match the preset.
    pub chosen: bool,
    /// Price difference of the preset. Absent if there is none.
    #[serde(default)]
    pub price: Option<String>,
}

/// A section of the form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Section {
    /// Id of the section's element.
    pub id: String,
    /// Heading of the section.
    pub title: String,
    /// Description in one sentence.
    pub description: Option<String>,
    /// Fields shown initially.
    pub fields: Vec<Field>,
    /// Collapsed fields.
    pub advanced: Vec<Field>,
    /// Whether the collapsed part must be open because something in it needs attention.
    pub advanced_open: bool,
    /// Summary of the collapsed part: `2, all at their defaults: version, extensions`.
    pub advanced_summary: String,
    /// Fields that are rendered on demand.
    #[serde(default)]
    pub more: More,
}

/// A hidden input that must be posted with a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HiddenInput {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
}

/// A checkbox that sets a field to an empty value: a text, a list or an object with nothing in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmptyValue {
    /// Name of the checkbox.
    pub name: String,
    /// Whether it is checked.
    pub checked: bool,
}

/// A field of the form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Field {
    /// Id of its (first) input, derived from the path.
    pub id: String,
    /// Name of its input.
    pub name: String,
    /// Path as written in promises, such as `.backup.enabled`.
    pub path: String,
    /// Label.
    pub label: String,
    /// Short sentence under the label.
    pub hint: Option<String>,
    /// Longer text in Markdown, collapsed.
    pub help: Option<String>,
    /// Unit shown after the input.
    pub unit: Option<String>,
    /// Constraint in words: `2 to 5`.
    pub constraint: Option<String>,
    /// Whether it is required.
    pub required: bool,
    /// Default value in words, which applies if it is left empty.
    pub default: Option<String>,
    /// Whether it is shown, by the promise's own condition. Hidden fields aren't rendered at all.
    pub visible: bool,
    /// Whether the visibility of other fields depends on this one. Without JavaScript, an “Apply” button is rendered next to it.
    pub steers: bool,
    /// Set by a policy or immutable: shown as text instead of a control.
    pub locked: Option<Locked>,
    /// Notes about policies: narrowed from, default from.
    pub by: Vec<ByLine>,
    /// Problem with the field, as a sentence.
    pub problem: Option<String>,
    /// Checkbox that sets the field to an empty value, where that isn't the same as leaving it empty.
    #[serde(default)]
    pub empty: Option<EmptyValue>,
    /// Inputs that must be posted with it.
    pub hidden: Vec<HiddenInput>,
    /// The control of the field.
    pub control: Control,
}

/// A fixed value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Locked {
    /// The value in words.
    pub value: String,
    /// The policy that set it, and why. Absent if the promise keeps the value.
    pub by: Option<ByLine>,
    /// Reason why it is immutable, as a sentence. Empty if a policy set it.
    pub why: String,
}

/// A note about what a policy did to a field: `Narrowed from 1–7 by production-baseline, set at root:acme`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ByLine {
    /// What the policy did, up to the word “by”: `Narrowed from 1–7`.
    pub did: String,
    /// Name of the policy or promise.
    pub policy: String,
    /// Name of the rule.
    pub rule: String,
    /// Whether it is a promise's own rule, which has no policy page.
    pub own: bool,
    /// Display name of the policy.
    pub title: Option<String>,
    /// Path of the workspace that defines it.
    pub workspace: String,
    /// Team that owns it.
    pub owner: Option<String>,
    /// Purpose of the policy.
    pub reason: Option<String>,
}

impl ByLine {
    /// Creates the note about what a policy did.
    pub fn of(did: impl Into<String>, from: &Provenance) -> Self {
        Self {
            did: did.into(),
            policy: from.policy.clone(),
            rule: from.rule.clone(),
            own: from.origin == Origin::Promise,
            title: from.title.clone(),
            workspace: from.workspace.clone(),
            owner: from.owner.clone(),
            reason: from.reason.clone(),
        }
    }

    /// Returns the id of the rule in the list of rules next to the form.
    pub fn anchor(&self) -> String {
        rule_anchor(&self.workspace, &self.policy, &self.rule)
    }
}

/// Returns the id of the input with this name, with characters that need no escaping in ids, selectors and fragments.
///
/// Different names give different ids: each replaced character becomes its number.
pub fn field_id(name: &str) -> String {
    let name = name.strip_prefix(super::BASE).unwrap_or(name);
    let parts: Vec<String> = name.split('/').map(part_of_id).collect();
    format!("f{}", parts.join("-"))
}

/// Returns the id of a rule on a page. It is the same wherever the rule is referenced. It is a digest, because a page names many rules often.
pub fn rule_anchor(workspace: &str, policy: &str, rule: &str) -> String {
    // No name has a line break.
    let digest = hex::encode(Sha256::digest(format!("{workspace}\n{policy}\n{rule}")));
    format!("why-{}", digest.chars().take(ANCHOR_DIGITS).collect::<String>())
}

/// Converts a text to a part of an id. Different texts give different parts, without hyphens.
pub fn part_of_id(text: &str) -> String {
    let mut id = String::new();
    for letter in text.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() => id.push(letter),
            letter => id.push_str(&format!("_{:x}_", u32::from(letter))),
        }
    }
    id
}
