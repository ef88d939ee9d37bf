//! Errors of expressions, each as a sentence.

use super::budget::Exhausted;

/// Position of an error in an expression.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The text of that line.
    pub text: String,
}

/// A rejected expression, or a failed evaluation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExprError {
    /// It can't be parsed.
    #[error("the expression isn't valid: {message}")]
    Syntax {
        /// The parser's message.
        message: String,
        /// Position of the error.
        place: Option<Place>,
    },
    /// Operators or functions don't match the types of their operands, or a field doesn't exist.
    #[error("the types in the expression don't match: {message}")]
    Type {
        /// The error, as CEL words it.
        message: String,
        /// Position of the error.
        place: Option<Place>,
    },
    /// A variable that doesn't exist here.
    #[error("there is no variable `{name}` here")]
    UnknownVariable {
        /// Its name.
        name: String,
        /// Position of the error.
        place: Option<Place>,
    },
    /// It exceeds its budget.
    #[error("the expression was stopped: {0}")]
    Budget(#[from] Exhausted),
    /// It reads something that is absent, at this path, such as `resources.database.status`.
    #[error("`{0}` is missing")]
    AbsentPath(String),
    /// It fails on these values, for example because of a division by zero.
    #[error("the expression failed: {}", in_words(.0))]
    Runtime(String),
}

impl ExprError {
    pub(crate) fn runtime(message: impl Into<String>) -> Self {
        Self::Runtime(message.into())
    }

    /// Returns the cause for people, as a clause without an introduction and without terms of the engine.
    pub fn words(&self) -> String {
        match self {
            Self::AbsentPath(path) => format!("`{path}` is missing"),
            other => in_words(&other.cause()),
        }
    }

    /// Returns the position of the error in the expression, if known.
    pub(crate) fn place(&self) -> Option<&Place> {
        match self {
            Self::Syntax { place, .. } | Self::Type { place, .. } | Self::UnknownVariable { place, .. } => place.as_ref(),
            Self::Budget(_) | Self::AbsentPath(_) | Self::Runtime(_) => None,
        }
    }

    /// Returns the error as the API server prints it for a rule that doesn't compile: position, cause, line and pointer.
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

    /// Returns the cause as CEL words it, without an introduction.
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

/// Rewords what CEL calls an overload: people know values and operators.
fn in_words(message: &str) -> String {
    if let Some((operator, types)) =
        message.strip_prefix("found no matching overload for '").and_then(|rest| rest.split_once("' applied to '"))
    {
        // A function of a value names the value's type before its arguments.
        let types = types.trim_end_matches('\'').replace(".(", ", ").replace(['(', ')'], "");
        return format!("`{}` doesn't work on {}", operator.trim_matches('_'), types.trim_end_matches(", ").replace(", ", " and "));
    }
    let Some(rest) = message.strip_prefix("no such overload: ") else {
        return match message {
            "optional.none() dereference" => "an optional value is missing".to_owned(),
            other => other.to_owned(),
        };
    };
    if let Some((operator, types)) = rest.split_once(" on ") {
        return format!("`{}` doesn't work on {types}", operator.trim_matches('_'));
    }
    match rest.strip_suffix(" have no order") {
        Some(types) => format!("{types} can't be compared"),
        // A clause as it is, or only the name of a function.
        None if rest.contains(' ') => rest.to_owned(),
        None => format!("`{rest}` doesn't work on these values"),
    }
}

#[cfg(test)]
mod tests {
    use super::ExprError;

    #[test]
    fn people_never_read_of_overloads() {
        for (cause, words) in [
            ("no such overload: _+_ on string and int", "`+` doesn't work on string and int"),
            ("no such overload: has() on int", "`has()` doesn't work on int"),
            ("no such overload: string and int have no order", "string and int can't be compared"),
            ("no such overload: a condition must be true or false", "a condition must be true or false"),
            ("found no matching overload for '_+_' applied to '(int, string)'", "`+` doesn't work on int and string"),
            ("found no matching overload for 'size' applied to 'string.(int)'", "`size` doesn't work on string and int"),
            ("found no matching overload for 'size' applied to 'string.()'", "`size` doesn't work on string"),
            ("no such overload: size", "`size` doesn't work on these values"),
            ("optional.none() dereference", "an optional value is missing"),
            ("division by zero", "division by zero"),
        ] {
            let error = ExprError::runtime(cause);
            assert_eq!((error.words(), error.to_string()), (words.to_owned(), format!("the expression failed: {words}")));
            assert_eq!(error.cause(), cause, "programs read the words of CEL");
        }
        assert_eq!(ExprError::AbsentPath("a.b".into()).words(), "`a.b` is missing");
    }
}
