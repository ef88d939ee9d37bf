//! Sections and fields of a form.

use serde::{Deserialize, Serialize};

use super::control::Control;

/// A form, ready to be drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Form {
    /// Every problem once, in the order of the fields, for the summary on top.
    pub summary: Vec<Summary>,
    /// Named starting points; each is a submit button.
    pub presets: Vec<PresetChoice>,
    /// Sections in order.
    pub sections: Vec<Section>,
    /// Values that the form has no field for and that are kept, by path.
    pub kept: Vec<String>,
    /// How many fields a person can fill in, advanced ones included.
    pub count: usize,
}

impl Form {
    /// Every field with the fields inside it, in order.
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
    /// Says at each option, tick and preset what choosing it changes in the price. `of` knows it by path and posted value, `preset` by name.
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

/// One line of the error summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Id of the input to go to; empty when the problem concerns the whole.
    pub target: String,
    /// The same words as at the field.
    pub message: String,
}

/// A named starting point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PresetChoice {
    /// Name of the preset.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// One sentence.
    pub description: Option<String>,
    /// Value of the `_op` button, `preset:<name>`.
    pub operation: String,
    /// Whether the values of the form are those of the preset.
    pub chosen: bool,
    /// What choosing it changes in the price; absent where it changes nothing.
    #[serde(default)]
    pub price: Option<String>,
}

/// A section of the form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Section {
    /// Id in the page.
    pub id: String,
    /// Heading.
    pub title: String,
    /// One sentence.
    pub description: Option<String>,
    /// Fields shown at once.
    pub fields: Vec<Field>,
    /// Fields folded away.
    pub advanced: Vec<Field>,
    /// Whether the folded part has to be open, because something in it needs attention.
    pub advanced_open: bool,
    /// What is folded away, in words: `2, all at their defaults: version, extensions`.
    pub advanced_summary: String,
}

/// A hidden input that has to be posted with a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HiddenInput {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
}

/// One field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Field {
    /// Id of its (first) input, stable from the path.
    pub id: String,
    /// Name of its input.
    pub name: String,
    /// Path in the promise's writing, such as `.backup.enabled`.
    pub path: String,
    /// Label.
    pub label: String,
    /// One short sentence under the label.
    pub hint: Option<String>,
    /// Longer text (markdown), folded away.
    pub help: Option<String>,
    /// Unit after the input.
    pub unit: Option<String>,
    /// What is allowed, in words, with who narrowed it: `2 to 5 (policy: production-baseline, set at root:acme)`.
    pub constraint: Option<String>,
    /// Whether it has to be filled in.
    pub required: bool,
    /// What holds when it is left empty, in words.
    pub default: Option<String>,
    /// Whether it is shown, by the promise's own condition. Not shown is not drawn at all.
    pub visible: bool,
    /// Whether the visibility of another field hangs on this one, so that without scripting an “Apply” button is drawn beside it.
    pub steers: bool,
    /// Fixed by a policy, or because it cannot change: drawn as text, not as a control.
    pub locked: Option<Locked>,
    /// Lines about policies: narrowed from, default from.
    pub by: Vec<ByLine>,
    /// What is wrong with it, as a sentence.
    pub problem: Option<String>,
    /// Inputs that have to be posted with it.
    pub hidden: Vec<HiddenInput>,
    /// The control.
    pub control: Control,
}

/// A fixed value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Locked {
    /// The value in words.
    pub value: String,
    /// Which policy, and why; absent where the promise itself keeps it as it is.
    pub by: Option<ByLine>,
    /// Why it cannot change, a sentence; empty where a policy fixes it.
    pub why: String,
}

/// A line that says what a policy did to a field: `Narrowed from 1–7 by production-baseline, set at root:acme`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ByLine {
    /// What it did, up to the word “by”: `Narrowed from 1–7`.
    pub did: String,
    /// Name of the policy, or of the promise.
    pub policy: String,
    /// Name of the rule in it.
    pub rule: String,
    /// Whether it is a rule of the promise itself, so that no policy has a page.
    pub own: bool,
    /// Its name for people.
    pub title: Option<String>,
    /// Path of the workspace where it is set.
    pub workspace: String,
    /// Team that owns it.
    pub owner: Option<String>,
    /// Why it exists.
    pub reason: Option<String>,
}

impl ByLine {
    /// Id of the rule in the list of rules beside the form.
    pub fn anchor(&self) -> String {
        crate::view::rule_anchor(&self.workspace, &self.policy, &self.rule)
    }
}

/// The id of the input with this name: letters that ids, selectors and fragments take without escapes.
///
/// Different names give different ids: what is replaced is written as its number.
pub fn field_id(name: &str) -> String {
    let name = name.strip_prefix(super::BASE).unwrap_or(name);
    let parts: Vec<String> = name.split('/').map(part_of_id).collect();
    format!("f{}", parts.join("-"))
}

/// A text as a part of an id; different texts give different parts, without a hyphen.
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
