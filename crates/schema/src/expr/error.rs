//! What can be wrong with an expression, each as a sentence.

use super::budget::Exhausted;

/// Where in an expression something is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The text of that line.
    pub text: String,
}

/// A refused expression, or a failed evaluation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExprError {
    /// It cannot be read.
    #[error("the expression cannot be read: {message}")]
    Syntax {
        /// What the parser found.
        message: String,
        /// Where.
        place: Option<Place>,
    },
    /// Operators or functions do not fit the types of their operands, or a field does not exist.
    #[error("the expression does not fit its types: {message}")]
    Type {
        /// What does not fit, in the words of CEL.
        message: String,
        /// Where.
        place: Option<Place>,
    },
    /// A variable that does not exist here.
    #[error("there is no variable `{name}` here")]
    UnknownVariable {
        /// Its name.
        name: String,
        /// Where.
        place: Option<Place>,
    },
    /// It uses more than it may.
    #[error("the expression was stopped: {0}")]
    Budget(#[from] Exhausted),
    /// It reads something that is not there; the path names it, such as `resources.database.status`.
    #[error("`{0}` is not there")]
    AbsentPath(String),
    /// It fails on these values, such as a division by zero.
    #[error("the expression fails: {0}")]
    Runtime(String),
}

impl ExprError {
    pub(crate) fn runtime(message: impl Into<String>) -> Self {
        Self::Runtime(message.into())
    }

    /// Where in the expression it is wrong, if that is known.
    pub(crate) fn place(&self) -> Option<&Place> {
        match self {
            Self::Syntax { place, .. } | Self::Type { place, .. } | Self::UnknownVariable { place, .. } => place.as_ref(),
            Self::Budget(_) | Self::AbsentPath(_) | Self::Runtime(_) => None,
        }
    }

    /// The error as the API server prints it for a rule that does not compile: place, cause, line and pointer.
    pub fn report(&self) -> String {
        let (message, place) = match self {
            Self::Syntax { message, place } => (format!("Syntax error: {message}"), place),
            Self::Type { message, place } => (message.clone(), place),
            Self::UnknownVariable { name, place } => (format!("undeclared reference to '{name}' (in container '')"), place),
            other => return other.to_string(),
        };
        let Some(place) = place else { return format!("ERROR: <input>:-1:0: {message}") };
        let dots = ".".repeat(place.column.saturating_sub(1));
        format!("ERROR: <input>:{}:{}: {message}\n | {}\n | {dots}^", place.line, place.column, place.text)
    }

    /// The cause in the words of CEL, without an introduction.
    pub fn cause(&self) -> String {
        match self {
            Self::AbsentPath(path) => {
                let key = path.rsplit(['.', '[']).next().unwrap_or(path).trim_matches([']', '"']);
                format!("no such key: {key}")
            }
            Self::Runtime(message) | Self::Type { message, .. } | Self::Syntax { message, .. } => message.clone(),
            other => other.to_string(),
        }
    }
}
