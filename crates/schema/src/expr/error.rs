//! Errors of expressions: what is wrong, with arguments. Code decides by the variants; [`super::texts`] words them.

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

/// A rejected expression, or a failed evaluation. `Display` words it for people.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprError {
    /// It can't be parsed.
    Syntax {
        /// What is wrong.
        problem: SyntaxProblem,
        /// Position of the error.
        place: Option<Place>,
    },
    /// Operators or functions don't match the types of their operands, or a field doesn't exist.
    Type {
        /// What is wrong.
        problem: TypeProblem,
        /// Position of the error.
        place: Option<Place>,
    },
    /// A variable that doesn't exist here.
    UnknownVariable {
        /// Its name.
        name: String,
        /// Position of the error.
        place: Option<Place>,
    },
    /// It exceeds its budget.
    Budget(Exhausted),
    /// It reads something that is absent, at this path, such as `resources.database.status`.
    AbsentPath(String),
    /// It fails on these values, for example because of a division by zero.
    Runtime(RuntimeProblem),
}

/// Why an expression can't be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyntaxProblem {
    /// The parser's own message.
    Parser(String),
    /// The parser gives no reason.
    Unreadable,
    /// There is no expression.
    Empty,
    /// The source is too long.
    TooLong {
        /// The limit in KiB.
        kib: usize,
    },
    /// Brackets or prefix operators nest too deeply.
    TooNested,
    /// The tree of the expression or template is too deep.
    TooDeep {
        /// The limit.
        levels: usize,
    },
    /// There are too many operators.
    TooManyOperators {
        /// The limit.
        limit: usize,
    },
    /// An expression in a text isn't closed.
    Unclosed {
        /// The text.
        text: String,
    },
}

/// Why the types of an expression don't match. Types are named as CEL names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeProblem {
    /// There is no expression.
    Empty,
    /// An object doesn't have this field.
    UndefinedField {
        /// Its name.
        field: String,
    },
    /// A value of this type has no fields.
    NoFields {
        /// The type.
        kind: String,
    },
    /// There is no such function.
    UndeclaredFunction {
        /// Its name.
        name: String,
    },
    /// A function or operator doesn't accept these types.
    NoOverload {
        /// Its name.
        function: String,
        /// The types, such as `(int, string)` or `string.(int)`.
        applied: String,
    },
    /// A part has another type than the others, or than is needed.
    Mismatch {
        /// The needed type.
        expected: String,
        /// Its type.
        found: String,
    },
    /// A macro loops over something that isn't a list or a map.
    NotIterable {
        /// The type.
        kind: String,
    },
    /// `omit()` outside of a field of a template.
    MisplacedOmit,
    /// `cel.bind()` with other arguments than a name, a value and an expression.
    BindArguments,
    /// The result has another type than is needed.
    WrongResult {
        /// Its type.
        found: String,
        /// The needed type.
        wanted: String,
    },
    /// A result is inserted into text but isn't a scalar.
    NotText {
        /// The expression.
        source: String,
        /// Its type.
        found: String,
    },
    /// A literal pattern, duration or timestamp is invalid.
    InvalidLiteral {
        /// The function that takes it.
        function: String,
    },
}

/// Why an expression fails on its values. Types are named as CEL names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuntimeProblem {
    /// A function, operator or macro doesn't accept these values.
    NoOverload(Overload),
    /// `value()` of an optional value that is absent.
    AbsentOptional,
    /// A number exceeds its type.
    Overflow,
    /// A division by zero.
    DivisionByZero,
    /// The remainder of a division by zero.
    ModulusByZero,
    /// A text doesn't represent a value of the type.
    Conversion {
        /// The type.
        kind: String,
        /// The text.
        text: String,
    },
    /// Bytes aren't text.
    InvalidUtf8,
    /// The value at a path has no fields.
    NoFields {
        /// The path.
        path: String,
        /// The type.
        kind: String,
    },
    /// The value at a path is neither a list nor a map.
    NotIterable {
        /// The path.
        path: String,
        /// The type.
        kind: String,
    },
    /// A value of this type has no items.
    NoItems {
        /// The type.
        kind: String,
    },
    /// A list is read by something that isn't a number.
    NotAnIndex {
        /// The type.
        kind: String,
    },
    /// `range()` of a negative number.
    NegativeCount,
    /// A value of this type can't be a key of a map.
    KeyType {
        /// The type.
        kind: String,
    },
    /// A map has a key twice.
    DuplicateKey,
    /// There is no expression.
    Empty,
    /// A field is selected by something other than its name.
    FieldName,
    /// A pattern is invalid, with the reason as RE2 words it.
    Pattern(String),
    /// A text isn't what a function reads, such as `quantity("lots")`.
    Unreadable {
        /// The function.
        function: String,
        /// The text.
        text: String,
    },
    /// The function library's own message.
    Library(String),
    /// The function library can't be called with these values.
    NotEvaluable {
        /// The function.
        function: String,
    },
    /// The result isn't what is needed.
    WrongResult {
        /// The result or its type.
        found: String,
        /// What is needed, such as `true or false`.
        wanted: &'static str,
    },
    /// A result is inserted into text but isn't a scalar.
    NotText {
        /// The expression.
        source: String,
        /// Its type.
        found: String,
    },
}

/// What CEL calls “no such overload”.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Overload {
    /// A function doesn't accept its arguments.
    Function(String),
    /// An operator doesn't accept operands of these types.
    Operator {
        /// The operator in CEL's syntax tree, such as `_+_` or `!`.
        operator: String,
        /// One or two types.
        kinds: Vec<String>,
    },
    /// Values of two types are compared that have no order.
    Order {
        /// Type of the left value.
        left: String,
        /// Type of the right value.
        right: String,
    },
    /// The condition of `? :` is neither true nor false.
    Condition,
    /// A side of `&&` or `||` is neither true nor false.
    Logical,
    /// The condition of `filter()` is neither true nor false.
    Filter {
        /// Its type.
        kind: String,
    },
}

impl ExprError {
    /// Creates the error for a function that doesn't accept its arguments.
    pub(crate) fn no_function(name: &str) -> Self {
        RuntimeProblem::NoOverload(Overload::Function(name.to_owned())).into()
    }

    /// Creates the error for an operator that doesn't accept its operands.
    pub(crate) fn no_operator(operator: &str, kinds: impl IntoIterator<Item = String>) -> Self {
        RuntimeProblem::NoOverload(Overload::Operator { operator: operator.to_owned(), kinds: kinds.into_iter().collect() }).into()
    }

    /// Creates an error without a position.
    pub fn of_types(problem: TypeProblem) -> Self {
        Self::Type { problem, place: None }
    }

    /// Creates an error without a position.
    pub(crate) fn of_syntax(problem: SyntaxProblem) -> Self {
        Self::Syntax { problem, place: None }
    }

    /// Whether a field doesn't exist.
    pub fn is_undefined_field(&self) -> bool {
        matches!(self, Self::Type { problem: TypeProblem::UndefinedField { .. }, .. })
    }

    /// Whether an evaluation failed because a function, operator or macro doesn't accept its values.
    pub(crate) fn is_no_overload(&self) -> bool {
        matches!(self, Self::Runtime(RuntimeProblem::NoOverload(_)))
    }

    /// Returns the position of the error in the expression, if known.
    pub(crate) fn place(&self) -> Option<&Place> {
        match self {
            Self::Syntax { place, .. } | Self::Type { place, .. } | Self::UnknownVariable { place, .. } => place.as_ref(),
            Self::Budget(_) | Self::AbsentPath(_) | Self::Runtime(_) => None,
        }
    }
}

impl From<Exhausted> for ExprError {
    fn from(exhausted: Exhausted) -> Self {
        Self::Budget(exhausted)
    }
}

impl From<RuntimeProblem> for ExprError {
    fn from(problem: RuntimeProblem) -> Self {
        Self::Runtime(problem)
    }
}

impl std::error::Error for ExprError {}
