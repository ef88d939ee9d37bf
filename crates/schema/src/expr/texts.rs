//! The texts of errors of expressions, in the two voices that readers need: for people, without terms of the engine, and as the API server
//! words them, which `kubectl` and other programs print.

use std::fmt;

use super::error::{ExprError, Overload, RuntimeProblem, SyntaxProblem, TypeProblem};

impl fmt::Display for ExprError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { problem, .. } => write!(formatter, "the expression isn't valid: {problem}"),
            Self::Type { .. } => write!(formatter, "the types in the expression don't match: {}", self.words()),
            Self::UnknownVariable { name, .. } => write!(formatter, "there is no variable `{name}` here"),
            Self::Budget(exhausted) => write!(formatter, "the expression was stopped: {exhausted}"),
            Self::AbsentPath(path) => write!(formatter, "`{path}` is missing"),
            Self::Runtime(problem) => write!(formatter, "the expression failed: {problem}"),
        }
    }
}

impl ExprError {
    /// Returns the cause for people, as a clause without an introduction and without terms of the engine.
    pub fn words(&self) -> String {
        match self {
            Self::Syntax { problem, .. } => problem.to_string(),
            Self::Type { problem: TypeProblem::NoOverload { function, applied }, .. } => no_overload(function, applied),
            Self::Type { problem, .. } => problem.to_string(),
            Self::Runtime(problem) => problem.to_string(),
            Self::UnknownVariable { .. } | Self::Budget(_) | Self::AbsentPath(_) => self.to_string(),
        }
    }

    /// Returns the cause as CEL words it, without an introduction.
    pub fn cause(&self) -> String {
        match self {
            Self::AbsentPath(path) => {
                let key = path.rsplit(['.', '[']).next().unwrap_or(path).trim_matches([']', '"']);
                format!("no such key: {key}")
            }
            Self::Runtime(problem) => of_cel(problem),
            Self::Type { problem, .. } => problem.to_string(),
            _ => self.words(),
        }
    }

    /// Returns the cause as the API server prints it for a rule that doesn't compile.
    pub(crate) fn compile_cause(&self) -> String {
        match self {
            Self::Syntax { problem, .. } => format!("Syntax error: {problem}"),
            Self::Type { problem, .. } => problem.to_string(),
            Self::UnknownVariable { name, .. } => format!("undeclared reference to '{name}' (in container '')"),
            Self::Budget(_) | Self::AbsentPath(_) | Self::Runtime(_) => self.to_string(),
        }
    }

    /// Returns the error as the API server prints it for a rule that doesn't compile: position, cause, line and pointer.
    pub fn report(&self) -> String {
        let cause = self.compile_cause();
        if matches!(self, Self::Budget(_) | Self::AbsentPath(_) | Self::Runtime(_)) {
            return cause;
        }
        let Some(place) = self.place() else { return format!("ERROR: <input>:-1:0: {cause}") };
        let dots = ".".repeat(place.column.saturating_sub(1));
        format!("ERROR: <input>:{}:{}: {cause}\n | {}\n | {dots}^", place.line, place.column, place.text)
    }
}

/// Describes for people what an operator or function doesn't work on. CEL names types as `(int, string)`, or `string.(int)` for a function of
/// a value.
fn no_overload(function: &str, applied: &str) -> String {
    let name = match function {
        "_?_:_" => "? :",
        "_[_]" => "[]",
        name => name.trim_matches('_'),
    };
    let types = applied.replace(".(", ", ").replace(['(', ')'], "");
    let types: Vec<&str> = types.split(", ").filter(|one| !one.is_empty()).collect();
    let types = match types.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        types => types.concat(),
    };
    format!("`{name}` doesn't work on {types}")
}

impl fmt::Display for SyntaxProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parser(message) => formatter.write_str(message),
            Self::Unreadable => formatter.write_str("it cannot be parsed"),
            Self::Empty => formatter.write_str("it is empty"),
            Self::TooLong { kib } => write!(formatter, "it is longer than {kib} KiB"),
            Self::TooNested => formatter.write_str("it nests too deeply"),
            Self::TooDeep { levels } => write!(formatter, "it nests deeper than {levels} levels"),
            Self::TooManyOperators { limit } => write!(formatter, "it has more than {limit} operators"),
            Self::Unclosed { text } => {
                write!(formatter, "`${{` in `{text}` has no closing brace; write `$${{` for the literal characters")
            }
        }
    }
}

/// As CEL words it: authors of promises know these texts from `kubectl`.
impl fmt::Display for TypeProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("the expression is empty"),
            Self::UndefinedField { field } => write!(formatter, "undefined field '{field}'"),
            Self::NoFields { kind } => write!(formatter, "type '{kind}' does not support field selection"),
            Self::UndeclaredFunction { name } => write!(formatter, "undeclared reference to '{name}' (in container '')"),
            Self::NoOverload { function, applied } => {
                write!(formatter, "found no matching overload for '{function}' applied to '{applied}'")
            }
            Self::Mismatch { expected, found } => write!(formatter, "expected type '{expected}' but found '{found}'"),
            Self::NotIterable { kind } => {
                write!(formatter, "expression of type '{kind}' cannot be range of a comprehension (must be list, map, or dynamic)")
            }
            Self::MisplacedOmit => formatter.write_str("omit() stands for a field of a template; there is none here"),
            Self::BindArguments => formatter.write_str("cel.bind() takes a name, a value and an expression"),
            Self::WrongResult { found, wanted } => write!(formatter, "it returns {found} but must return {wanted}"),
            Self::NotText { source, found } => write!(formatter, "`{source}` returns {found}, which can't be inserted into text"),
            Self::InvalidLiteral { function } => write!(formatter, "invalid {function} argument"),
        }
    }
}

/// For people, who know values and operators but no overloads.
impl fmt::Display for RuntimeProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOverload(overload) => overload.fmt(formatter),
            Self::AbsentOptional => formatter.write_str("an optional value is missing"),
            Self::Overflow => formatter.write_str("integer overflow"),
            Self::DivisionByZero => formatter.write_str("division by zero"),
            Self::ModulusByZero => formatter.write_str("modulus by zero"),
            Self::Conversion { kind, text } => {
                write!(formatter, "type conversion error from 'string' to '{kind}': \"{text}\" is not one")
            }
            Self::InvalidUtf8 => formatter.write_str("invalid UTF-8 in bytes, cannot convert to string"),
            Self::NoFields { path, kind } => write!(formatter, "`{path}` has no fields: it is of type {kind}"),
            Self::NotIterable { path, kind } => write!(formatter, "`{path}` cannot be looped over: it is of type {kind}"),
            Self::NoItems { kind } => write!(formatter, "{kind} has no items"),
            Self::NotAnIndex { kind } => write!(formatter, "a list has no item under a {kind}"),
            Self::NegativeCount => formatter.write_str("range() takes a count that is not negative"),
            Self::KeyType { kind } => write!(formatter, "unsupported key type: {kind}"),
            Self::DuplicateKey => formatter.write_str("a map has the same key twice"),
            Self::Empty => formatter.write_str("the expression is empty"),
            Self::FieldName => formatter.write_str("a field has a name"),
            Self::Pattern(message) | Self::Library(message) => formatter.write_str(message),
            Self::Unreadable { function, text } => write!(formatter, "{function}() can't read \"{text}\""),
            Self::NotEvaluable { function } => write!(formatter, "{function} cannot be evaluated on these values"),
            Self::WrongResult { found, wanted } => write!(formatter, "it returns {found} but must return {wanted}"),
            Self::NotText { source, found } => write!(formatter, "`{source}` returns {found}, which can't be inserted into text"),
        }
    }
}

impl fmt::Display for Overload {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Function(name) => write!(formatter, "`{}` doesn't work on these values", name.trim_matches('_')),
            Self::Operator { operator, kinds } => {
                write!(formatter, "`{}` doesn't work on {}", operator.trim_matches('_'), kinds.join(" and "))
            }
            Self::Order { left, right } => write!(formatter, "{left} and {right} can't be compared"),
            Self::Condition => formatter.write_str("a condition must be true or false"),
            Self::Logical => formatter.write_str("both sides of && and || must be true or false"),
            Self::Filter { kind } => write!(formatter, "the condition of a filter must be true or false, but it is of type {kind}"),
        }
    }
}

/// Returns a failure as CEL words it.
fn of_cel(problem: &RuntimeProblem) -> String {
    match problem {
        RuntimeProblem::AbsentOptional => "optional.none() dereference".to_owned(),
        RuntimeProblem::NoOverload(overload) => {
            let detail = match overload {
                Overload::Function(name) => name.clone(),
                Overload::Operator { operator, kinds } => format!("{operator} on {}", kinds.join(" and ")),
                Overload::Order { left, right } => format!("{left} and {right} have no order"),
                Overload::Filter { kind } => format!("a filter of type {kind}"),
                Overload::Condition | Overload::Logical => overload.to_string(),
            };
            format!("no such overload: {detail}")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_never_read_of_overloads() {
        let no_overload = |overload| ExprError::from(RuntimeProblem::NoOverload(overload));
        let kinds = || ["string".to_owned(), "int".to_owned()];
        for (error, cause, words) in [
            (ExprError::no_operator("_+_", kinds()), "no such overload: _+_ on string and int", "`+` doesn't work on string and int"),
            (ExprError::no_operator("has()", ["int".to_owned()]), "no such overload: has() on int", "`has()` doesn't work on int"),
            (
                no_overload(Overload::Order { left: "string".into(), right: "int".into() }),
                "no such overload: string and int have no order",
                "string and int can't be compared",
            ),
            (no_overload(Overload::Condition), "no such overload: a condition must be true or false", "a condition must be true or false"),
            (ExprError::no_function("size"), "no such overload: size", "`size` doesn't work on these values"),
            (RuntimeProblem::AbsentOptional.into(), "optional.none() dereference", "an optional value is missing"),
            (RuntimeProblem::DivisionByZero.into(), "division by zero", "division by zero"),
        ] {
            assert_eq!((error.words(), error.to_string()), (words.to_owned(), format!("the expression failed: {words}")));
            assert_eq!(error.cause(), cause, "programs read the words of CEL");
        }
        assert_eq!(ExprError::AbsentPath("a.b".into()).words(), "`a.b` is missing");
        for (function, applied, words) in [
            ("_+_", "(int, string)", "`+` doesn't work on int and string"),
            ("size", "string.(int)", "`size` doesn't work on string and int"),
            ("size", "string.()", "`size` doesn't work on string"),
        ] {
            let problem = TypeProblem::NoOverload { function: function.into(), applied: applied.into() };
            let error = ExprError::Type { problem, place: None };
            assert_eq!((error.words(), error.to_string()), (words.to_owned(), format!("the types in the expression don't match: {words}")));
            assert!(error.cause().starts_with("found no matching overload for"), "programs read the words of CEL");
        }
    }
}
