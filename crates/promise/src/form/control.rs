//! The controls that a field can have.

use serde::{Deserialize, Serialize};

use super::field::{Field, HiddenInput};

/// What a person uses to fill a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Control {
    /// One line of text.
    Text {
        /// Text as typed, else the value in effect.
        value: String,
        /// Which keys a touch keyboard offers.
        mode: InputMode,
        /// Values to choose from besides typing.
        suggestions: Vec<String>,
        /// How the text is read, such as `10 GiB`, where that is not plain.
        said: Option<String>,
    },
    /// Several lines of text.
    Area {
        /// Text as typed, else the value in effect.
        value: String,
        /// Lines to show.
        rows: u32,
    },
    /// One of several values; radios, segments or a select.
    Choice {
        /// How it is drawn.
        style: ChoiceStyle,
        /// What can be chosen.
        options: Vec<Choice>,
    },
    /// Yes or no. Unticked posts nothing: the marker in `Field::hidden` says that it was there.
    Tick {
        /// Whether it is ticked.
        checked: bool,
        /// What the other answer changes in the price, such as `+9.00 €/month`; absent where it changes nothing.
        price: Option<String>,
    },
    /// A list of scalars.
    List {
        /// Rows in order.
        rows: Vec<ListRow>,
        /// Which keys a touch keyboard offers.
        mode: InputMode,
        /// Choices of each row; empty for free text.
        options: Vec<String>,
        /// `_op` value of the button that adds a row.
        add: String,
        /// Text of that button.
        add_label: String,
        /// Why no row can be added.
        full: Option<String>,
    },
    /// A map of scalars.
    Map {
        /// Rows in order.
        rows: Vec<MapRow>,
        /// Which keys a touch keyboard offers for values.
        mode: InputMode,
        /// `_op` value of the button that adds a row.
        add: String,
        /// Text of that button.
        add_label: String,
        /// Why no row can be added.
        full: Option<String>,
    },
    /// A list or map of objects: each row is a group of fields.
    Items {
        /// Rows in order.
        rows: Vec<ItemRow>,
        /// `_op` value of the button that adds a row.
        add: String,
        /// Text of that button.
        add_label: String,
        /// Why no row can be added.
        full: Option<String>,
    },
    /// An object: a group of fields inside.
    Group {
        /// Its fields.
        fields: Vec<Field>,
        /// For an optional object: whether it is there; absent for one that always is.
        present: Option<bool>,
        /// `_op` value of the button that adds or drops it.
        toggle: Option<String>,
    },
    /// A value that no other control can show: a text area with YAML.
    Yaml {
        /// Text as typed, else the value in effect.
        text: String,
        /// Lines to show.
        rows: u32,
        /// Where it cannot be read.
        error: Option<YamlError>,
    },
    /// A secret: an empty password input.
    Secret {
        /// Whether one is kept already.
        kept: bool,
        /// Name of the input whose tick removes the kept one.
        clear: String,
    },
    /// A constant of the schema, or a fixed value: nothing to fill in.
    Fixed {
        /// In words.
        value: String,
    },
}

/// Which keys a touch keyboard offers.
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
    /// Address on the web.
    Url,
}

/// How a choice is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChoiceStyle {
    /// Two to five options with consequences.
    Cards,
    /// Two to six short options.
    Segments,
    /// More.
    Select,
}

/// One option of a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    /// Id of its radio; the first one's is the field's own.
    pub id: String,
    /// What is posted. Empty stands for “not set”.
    pub value: String,
    /// Words.
    pub label: String,
    /// What it means.
    pub hint: Option<String>,
    /// Whether it is chosen.
    pub chosen: bool,
    /// What choosing it changes in the price, such as `+93.20 €/month`; absent where it changes nothing.
    #[serde(default)]
    pub price: Option<String>,
}

/// `_op` values of the buttons of one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RowButtons {
    /// Moves it up; absent for the first and where order means nothing.
    pub up: Option<String>,
    /// Moves it down; absent for the last and where order means nothing.
    pub down: Option<String>,
    /// Takes it away.
    pub remove: String,
    /// What the buttons name, such as `host 2, example.org`.
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
    /// Text as typed, else the value.
    pub value: String,
    /// What is wrong with it.
    pub problem: Option<String>,
    /// Buttons.
    pub buttons: RowButtons,
}

/// One row of a map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MapRow {
    /// Id of the input of its name.
    pub id: String,
    /// Name of the input of its name.
    pub key_name: String,
    /// Its name as typed.
    pub key: String,
    /// Id of the input of its value.
    pub value_id: String,
    /// Name of the input of its value.
    pub value_name: String,
    /// Its value as typed.
    pub value: String,
    /// What is wrong with it.
    pub problem: Option<String>,
    /// Buttons.
    pub buttons: RowButtons,
}

/// One row of a list or map of objects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemRow {
    /// Id of the row.
    pub id: String,
    /// What it is called, such as `Port 2`.
    pub label: String,
    /// What it says of itself, such as its name; empty while it says nothing.
    pub title: String,
    /// The name of a map's entry; a list's row has none.
    pub key: Option<ItemKey>,
    /// Inputs that have to be posted with it.
    pub hidden: Vec<HiddenInput>,
    /// Its fields.
    pub fields: Vec<Field>,
    /// What is wrong with it as a whole.
    pub problem: Option<String>,
    /// Buttons.
    pub buttons: RowButtons,
}

/// The input for the name of a map's entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemKey {
    /// Id of the input.
    pub id: String,
    /// Name of the input.
    pub name: String,
    /// Text as typed.
    pub value: String,
}

/// Where a YAML text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct YamlError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// The line itself.
    pub text: String,
    /// A sentence.
    pub message: String,
}
