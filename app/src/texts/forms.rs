//! Texts of forms, in which fields are filled in.

use promise::wording::lower_first;

pub(crate) const THERE_IS_A_PROBLEM: &str = "There is a problem";
/// Before the problem of a field, for screen readers.
pub(crate) const ERROR: &str = "Error: ";
pub(crate) const START_FROM_PRESET: &str = "Start from a preset";
pub(crate) const MORE_SETTINGS: &str = "More settings";
pub(crate) const LEARN_MORE: &str = "Learn more";
/// After the label of a field.
pub(crate) const OPTIONAL: &str = " optional";
pub(crate) const YAML_HINT: &str = "Enter YAML, because form fields can't show all of this value. It's saved as you write it";
/// Beside a text input that was left empty: the value is an empty text instead of no value.
pub(crate) const SET_TO_EMPTY_TEXT: &str = "Set to empty text if left empty";
/// Below a required list or map that isn't in the object being edited: the value is an empty one instead of no value.
pub(crate) const SET_TO_EMPTY_ROWS: &str = "Set to empty if nothing is added";
/// Below required choices that aren't in the object being edited: the value is an empty list instead of no value.
pub(crate) const SET_TO_EMPTY_CHOICES: &str = "Set to empty if nothing is selected";
/// Below a required group of fields that isn't in the object being edited: the value is an empty object instead of no value.
pub(crate) const SET_TO_EMPTY_GROUP: &str = "Set to empty if nothing is entered";
pub(crate) const APPLY: &str = "Apply";
pub(crate) const NAME: &str = "Name";
/// The label of the search for fields.
pub(crate) const FIND: &str = "Find a setting";
/// Why there is a search.
pub(crate) const FIND_HINT: &str = "The form shows what's required or set. Other settings can be added.";
pub(crate) const FIND_BUTTON: &str = "Find";
/// The link to a field that was found and is rendered.
pub(crate) const GO_TO_FIELD: &str = "Go to";
/// The first option of a select with fields to add.
pub(crate) const CHOOSE: &str = "Choose a setting";
/// The button that renders the field that is chosen in the select before it.
pub(crate) const ADD: &str = "Add";

// What a policy did to a field.
/// Before the path of the workspace in which a policy is set.
pub(crate) const SET_AT: &str = "set at";
pub(crate) const RULE_OF_THIS_PROMISE: &str = "Rule of this promise";
pub(crate) const WHY: &str = "Why?";

// Secrets.
pub(crate) const SECRETS: &str = "Secrets";
pub(crate) const SECRETS_HINT: &str = "Stored in a Kubernetes Secret next to the request, never in the request, its history or logs.";
pub(crate) const LEAVE_EMPTY_TO_KEEP: &str = "Leave empty to keep the stored value";
pub(crate) const REMOVE_STORED_VALUE: &str = "Remove the stored value";
pub(crate) const SECRET_IS_STORED: &str = "A value is stored. Replace it in the last step, or leave the field empty there to keep it.";
pub(crate) const SET_IN_LAST_STEP: &str = "You set this in the last step.";
pub(crate) const CAN_SET_IN_LAST_STEP: &str = "You can set this in the last step.";

/// The title of a page with a form that has problems.
pub(crate) fn error_title(title: &str) -> String {
    format!("Error: {title}")
}

pub(crate) fn default_value(value: &str) -> String {
    format!("Default: {value}")
}

/// What a choice changes in the price, after its label.
pub(crate) fn price_change(price: &str) -> String {
    format!(" ({price})")
}

pub(crate) fn yaml_problem(line: usize, column: usize, message: &str) -> String {
    format!("Line {line}, column {column}: {message}")
}

/// The button that adds an optional group of fields.
pub(crate) fn add_group(label: &str) -> String {
    format!("Add {}", lower_first(label))
}

/// The button that removes an optional group of fields.
pub(crate) fn remove_group(label: &str) -> String {
    format!("Remove {}", lower_first(label))
}

/// After `Why?`, for screen readers.
pub(crate) fn rule_of(policy: &str) -> String {
    format!(" Rule of {policy}")
}

/// After the label of a checkbox that belongs to a field, for screen readers.
pub(crate) fn of_field(label: &str) -> String {
    format!(" ({label})")
}

pub(crate) fn name_of(entry: &str) -> String {
    format!("Name of {entry}")
}

pub(crate) fn value_of(entry: &str) -> String {
    format!("Value of {entry}")
}

pub(crate) fn move_up(entry: &str) -> String {
    format!("Move {entry} up")
}

pub(crate) fn move_down(entry: &str) -> String {
    format!("Move {entry} down")
}

pub(crate) fn remove(entry: &str) -> String {
    format!("Remove {entry}")
}

/// Where a price comes from: the price list of a catalog, and its first day.
pub(crate) fn price_list(catalog: &str, from: &str) -> String {
    format!("Price list {catalog}, since {from}")
}

/// The label of a select with the fields of an object that can be added. `label` names the object, unless it's the form.
pub(crate) fn more_of(label: Option<&str>) -> String {
    label.map_or_else(|| "Add a setting".to_owned(), |label| format!("Add a setting to {}", lower_first(label)))
}

/// What a search for fields found: how many of them are listed, and how many there are.
pub(crate) fn found(listed: usize, total: usize, text: &str) -> String {
    match total {
        0 => format!("No setting matches \u{201c}{text}\u{201d}."),
        1 => format!("1 setting matches \u{201c}{text}\u{201d}."),
        _ if listed < total => format!("{listed} of {total} settings that match \u{201c}{text}\u{201d}. Add a word to narrow them."),
        _ => format!("{total} settings match \u{201c}{text}\u{201d}."),
    }
}

/// The groups around a field, from the outside.
pub(crate) fn within(groups: &[String]) -> String {
    format!("in {}", groups.join(" \u{203a} "))
}

/// What is in an object whose fields aren't shown.
pub(crate) fn closed(set: usize, count: usize) -> String {
    match (set, count) {
        (0, 1) => "1 setting, not set".to_owned(),
        (0, _) => format!("{count} settings, none set"),
        (_, 1) => "1 setting".to_owned(),
        _ => format!("{count} settings, {set} set"),
    }
}

/// The button that shows the fields of an object.
pub(crate) fn show_fields(label: &str) -> String {
    format!("Show {}", lower_first(label))
}

// The request as YAML.
pub(crate) const AS_FORM: &str = "Form";
pub(crate) const AS_YAML: &str = "YAML";
pub(crate) const REQUEST_AS_YAML: &str = "Request as YAML";
pub(crate) const MANIFEST_HINT: &str =
    "The manifest that kubectl takes. Paste one to fill in the form. Comments, order and unknown fields stay as you write them.";
/// Before the input for a file whose content becomes the text.
pub(crate) const OPEN_FILE: &str = "Open a file:";
pub(crate) const SECRET_REMOVED: &str = "A secret was removed from the text";
pub(crate) const NOT_SUBMITTED: &str = "Some fields aren't submitted";
pub(crate) const NOT_SUBMITTED_TEXT: &str = "They stay in the text, but requests don't have these fields, or the platform sets them.";
pub(crate) const COMMANDS: &str = "Commands";
pub(crate) const LINK_WITH_VALUES: &str = "Link to a new form with these values";

/// The place of a problem in a text.
pub(crate) fn line_and_column(line: usize, column: usize) -> String {
    format!("Line {line}, column {column}")
}

/// Above the text of a request with these secret parameters.
pub(crate) fn secrets_in_yaml(labels: &[String]) -> String {
    let labels = lower_first(&labels.join(", "));
    format!(
        "Don't enter secrets here: you set them in the last step ({labels}). In the text, a secret is a reference to a key of a Secret, such as "
    )
}

/// What becomes of secrets that were in the text.
pub(crate) fn enter_in_last_step(labels: &[String]) -> String {
    format!("Enter it in the last step: {}. It was neither saved nor checked.", labels.join(", "))
}

/// How to use the text in a terminal.
pub(crate) fn save_as(file: &str) -> String {
    format!("To check or submit it from a terminal, save the text as {file}.")
}

// The choice between alternatives.
/// The button that shows the fields of the chosen option.
pub(crate) const SHOW: &str = "Show";
/// After it, for screen readers.
pub(crate) const FIELDS_OF_OPTION: &str = " fields of the chosen option";
