//! Structural buttons: `_op` values and their meaning.

use serde::{Deserialize, Serialize};

/// A structural button that was pressed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// What the button does.
    pub kind: OperationKind,
    /// Name of the input or preset that it applies to.
    pub target: String,
}

/// What a structural button does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OperationKind {
    /// Adds a row to a list or map.
    Add,
    /// Removes a row.
    Remove,
    /// Moves a row toward the start.
    Up,
    /// Moves a row toward the end.
    Down,
    /// Removes an optional object.
    Drop,
    /// Adds an optional object.
    Put,
    /// Renders the fields of an object, or a field that is rendered on demand.
    Show,
    /// Searches the fields that are rendered on demand.
    Find,
    /// Renders the fields of the chosen alternative.
    Choose,
    /// Applies a preset.
    Preset,
}

impl OperationKind {
    const ALL: [(Self, &'static str); 10] = [
        (Self::Add, "add"),
        (Self::Remove, "remove"),
        (Self::Up, "up"),
        (Self::Down, "down"),
        (Self::Drop, "drop"),
        (Self::Put, "put"),
        (Self::Show, "show"),
        (Self::Find, "find"),
        (Self::Choose, "choose"),
        (Self::Preset, "preset"),
    ];

    /// Returns the word before the colon.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, word)| word)
    }
}

impl Operation {
    /// Parses an `_op` value. Returns `None` for buttons that aren't structural, such as `check` and `submit`.
    pub fn parse(text: &str) -> Option<Self> {
        let (word, target) = text.split_once(':')?;
        let (kind, _) = OperationKind::ALL.iter().find(|(_, known)| *known == word)?;
        Some(Self { kind: *kind, target: target.to_owned() })
    }

    /// Returns the `_op` value of a button.
    pub fn value(kind: OperationKind, target: &str) -> String {
        format!("{}:{target}", kind.word())
    }
}

#[cfg(test)]
mod tests {
    use super::{Operation, OperationKind};

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        for (kind, _) in OperationKind::ALL {
            let text = Operation::value(kind, "/parameters/hosts/1");
            assert_eq!(Operation::parse(&text), Some(Operation { kind, target: "/parameters/hosts/1".into() }));
        }
        assert_eq!(Operation::parse("submit"), None);
        assert_eq!(Operation::parse("explode:/parameters"), None);
    }
}
