//! Controls of form fields.

use serde::{Deserialize, Serialize};

use super::field::{Field, HiddenInput};

/// The control with which users fill in a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Control {
    /// One line of text.
    Text {
        /// Text as entered, or else the value in effect.
        value: String,
        /// Keyboard layout on touch devices.
        mode: InputMode,
        /// Suggested values.
        suggestions: Vec<Suggestion>,
        /// How the text is interpreted, such as `10 GiB`, if that isn't obvious.
        said: Option<String>,
    },
    /// Several lines of text.
    Area {
        /// Text as entered, or else the value in effect.
        value: String,
        /// Number of lines to show.
        rows: u32,
        /// How a file becomes the text. Absent if none can be opened.
        #[serde(default)]
        file: Option<FileText>,
    },
    /// One of several values, as radio buttons, segments or a select.
    Choice {
        /// Style of the choice.
        style: ChoiceStyle,
        /// Options.
        options: Vec<Choice>,
        /// For a choice between alternatives, the `_op` value of the button that renders the fields of the chosen one.
        #[serde(default)]
        show: Option<String>,
    },
    /// A checkbox. If unchecked it posts nothing, so the marker in `Field::hidden` shows that it was there.
    Tick {
        /// Whether it is checked.
        checked: bool,
        /// Price difference of the other answer, such as `+€9.00/month`. Absent if there is none.
        price: Option<String>,
    },
    /// A list of scalars.
    List {
        /// Rows, in order.
        rows: Vec<ListRow>,
        /// Keyboard layout on touch devices.
        mode: InputMode,
        /// Choices of each row. Empty for free text.
        options: Vec<String>,
        /// Suggested values for each row.
        #[serde(default)]
        suggestions: Vec<Suggestion>,
        /// Why nothing is suggested, if something could be.
        #[serde(default)]
        note: Option<String>,
        /// `_op` value of the button that adds a row.
        add: String,
        /// Label of that button.
        add_label: String,
        /// Reason why no row can be added.
        full: Option<String>,
    },
    /// A list of choices, as checkboxes. An unchecked one posts nothing, and the list has the order of the names of those that are checked.
    Checks {
        /// Checkboxes, in the order of the schema; then the values that the schema doesn't have.
        checks: Vec<Check>,
    },
    /// A map of scalars.
    Map {
        /// Rows, in order.
        rows: Vec<MapRow>,
        /// Keyboard layout for values on touch devices.
        mode: InputMode,
        /// `_op` value of the button that adds a row.
        add: String,
        /// Label of that button.
        add_label: String,
        /// Reason why no row can be added.
        full: Option<String>,
    },
    /// A list or map of objects, lists or maps: each row has fields of its own.
    Items {
        /// Rows, in order.
        rows: Vec<ItemRow>,
        /// `_op` value of the button that adds a row.
        add: String,
        /// Label of that button.
        add_label: String,
        /// Reason why no row can be added.
        full: Option<String>,
    },
    /// An object: a group of fields inside.
    Group {
        /// Its fields, as far as they are rendered.
        fields: Vec<Field>,
        /// The fields that are rendered on demand.
        more: More,
        /// For an optional object, whether it is present. Absent for a required object.
        present: Option<bool>,
        /// `_op` value of the button that adds or removes it.
        toggle: Option<String>,
    },
    /// A value that no other control can show, as YAML in a text area.
    Yaml {
        /// Text as entered, or else the value in effect.
        text: String,
        /// Number of lines to show.
        rows: u32,
        /// Syntax error of the text.
        error: Option<YamlError>,
    },
    /// A secret: an empty password input.
    Secret {
        /// Whether a secret is already stored.
        kept: bool,
        /// Name of the checkbox that removes the stored secret.
        clear: String,
    },
    /// A constant of the schema, or a fixed value, with nothing to fill in.
    Fixed {
        /// The value in words.
        value: String,
    },
}

/// Keyboard layout on touch devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum InputMode {
    /// Letters.
    #[default]
    Text,
    /// Digits.
    Numeric,
    /// Digits and a decimal point.
    Decimal,
    /// Mail address.
    Email,
    /// URL.
    Url,
    /// Letters of a text that isn't written like a sentence, such as a name or an address.
    Code,
}

/// A suggested value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// The value.
    pub value: String,
    /// What it stands for. Empty if the value says it.
    pub label: String,
}

/// Suggested values of a field, and where they are from or why there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggested {
    /// The values.
    pub suggestions: Vec<Suggestion>,
    /// Where they are from, or why there are none, as a sentence.
    pub note: Option<String>,
}

/// How a file becomes a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FileText {
    /// The file is the text.
    Plain,
    /// The text is the file in base64.
    Base64,
}

/// A checkbox of a list of choices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// Id of the checkbox.
    pub id: String,
    /// Name of the checkbox.
    pub name: String,
    /// Posted value.
    pub value: String,
    /// Label.
    pub label: String,
    /// Explanation of the choice.
    pub hint: Option<String>,
    /// Whether it is checked.
    pub checked: bool,
    /// Problem with it.
    pub problem: Option<String>,
}

/// Style of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChoiceStyle {
    /// Cards, for two to five options with explanations.
    Cards,
    /// Segments, for two to six short options.
    Segments,
    /// A select, for more options.
    Select,
}

/// One option of a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    /// Id of its radio button. The first one's is the field's own.
    pub id: String,
    /// Posted value. Empty means “not set”.
    pub value: String,
    /// Display label.
    pub label: String,
    /// Explanation of the option.
    pub hint: Option<String>,
    /// Whether it is selected.
    pub chosen: bool,
    /// Price difference of the option, such as `+€93.20/month`. Absent if there is none.
    #[serde(default)]
    pub price: Option<String>,
}

/// `_op` values of the buttons of one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RowButtons {
    /// Moves it up. Absent for the first row and if order doesn't matter.
    pub up: Option<String>,
    /// Moves it down. Absent for the last row and if order doesn't matter.
    pub down: Option<String>,
    /// Removes it.
    pub remove: String,
    /// Accessible name of the row for its buttons, such as `host 2, example.org`.
    pub what: String,
}

/// One row of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListRow {
    /// Id of its input.
    pub id: String,
    /// Name of its input.
    pub name: String,
    /// Label for screen readers, such as `Host 2`.
    pub label: String,
    /// Text as entered, or else the value.
    pub value: String,
    /// Problem with it.
    pub problem: Option<String>,
    /// Buttons of the row.
    pub buttons: RowButtons,
}

/// One row of a map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MapRow {
    /// Id of the input for the key.
    pub id: String,
    /// Name of the input for the key.
    pub key_name: String,
    /// Key as entered.
    pub key: String,
    /// Id of the input for the value.
    pub value_id: String,
    /// Name of the input for the value.
    pub value_name: String,
    /// Value as entered.
    pub value: String,
    /// Problem with it.
    pub problem: Option<String>,
    /// Buttons of the row.
    pub buttons: RowButtons,
}

/// One row of a list or map of objects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemRow {
    /// Id of the row.
    pub id: String,
    /// Label of the row, such as `Port 2`.
    pub label: String,
    /// Title from its contents, such as its name. Empty if it has none.
    pub title: String,
    /// Key of a map's entry. Absent for a row of a list.
    pub key: Option<ItemKey>,
    /// Inputs that must be posted with it.
    pub hidden: Vec<HiddenInput>,
    /// Fields of the row, as far as they are rendered.
    pub fields: Vec<Field>,
    /// The fields that are rendered on demand.
    pub more: More,
    /// Problem with the row as a whole.
    pub problem: Option<String>,
    /// Buttons of the row.
    pub buttons: RowButtons,
}

/// Fields of an object that are rendered on demand, because a page that shows every field that is possible would be too long.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct More {
    /// Fields without a value, for the select with this name. Empty if there are none.
    pub fields: Vec<MoreField>,
    /// Name of the select.
    pub name: String,
    /// `_op` value of the button that renders the chosen field, or the fields of a closed object.
    pub show: String,
    /// How many fields of a closed object have a value, and how many there are. Absent if the object is open.
    pub closed: Option<(usize, usize)>,
}

/// A field that isn't rendered yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MoreField {
    /// Value of its option: the name of the property.
    pub key: String,
    /// Label of the field.
    pub label: String,
}

/// Input for the key of a map's entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemKey {
    /// Id of the input.
    pub id: String,
    /// Name of the input.
    pub name: String,
    /// Text as entered.
    pub value: String,
}

/// Location of a syntax error in YAML.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct YamlError {
    /// Line, starting at 1.
    pub line: usize,
    /// Column, starting at 1.
    pub column: usize,
    /// The line with the error.
    pub text: String,
    /// A sentence.
    pub message: String,
}
