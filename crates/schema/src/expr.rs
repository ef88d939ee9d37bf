//! Expressions: the only module that uses CEL.
//!
//! The crate `kube-cel` provides the parser and the Kubernetes function library. Everything in between is here: a type checker over the
//! syntax tree, and an evaluator that counts steps. The library's own evaluator has neither, turns JSON integers into unsigned numbers, and
//! iterates maps in random order.
//!
//! An [`Environment`] declares which variables exist and their [`Type`]; it compiles a [`Program`] or a [`Template`]; a [`Scope`] holds the
//! values; a [`Budget`] limits the evaluation.

mod blame;
mod budget;
mod check;
mod clause;
pub(crate) mod cost;
mod error;
mod evaluate;
mod functions;
mod library;
mod literals;
pub(crate) mod names;
mod parse;
mod position;
mod references;
mod signatures;
mod template;
#[cfg(test)]
mod tests;
mod texts;
mod trace;
mod transition;
mod types;
pub(crate) mod value;

use std::collections::BTreeMap;
use std::sync::Arc;

use kube_cel::cel::IdedExpr;
use serde_json::Value;

pub use blame::Step;
pub use budget::{Budget, Exhausted, LIST_LIMIT, RULE_STEPS, STEPS, TEXT_LIMIT};
pub use clause::{Clause, Relation};
pub use error::{ExprError, Overload, Place, RuntimeProblem, SyntaxProblem, TypeProblem};
pub use template::{Template, TemplateError};
pub use trace::{Traced, TracedField, TracedPart};
pub use transition::{Change, Measure, Transition};
pub use types::{ObjectType, Type};

use evaluate::{Evaluator, Variables};
use value::Val;

/// The variables that expressions can read, with their types.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: BTreeMap<String, Type>,
    strict: bool,
}

impl Environment {
    /// Creates an environment without variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a variable to the environment.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, kind: Type) -> Self {
        self.variables.insert(name.into(), kind);
        self
    }

    /// Adds the limits that the API server sets for rules: lists and maps have elements of one type, `cel.bind()` isn't available, and
    /// literals of patterns, durations and timestamps must be valid.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Parses and checks one expression, without `${` and `}`.
    ///
    /// # Errors
    /// If it can't be parsed or has a type error.
    pub fn compile(&self, source: &str) -> Result<Program, ExprError> {
        self.program(source, false)
    }

    /// Like [`Environment::compile`], and the result must have a given type.
    ///
    /// # Errors
    /// Like [`Environment::compile`]; [`ExprError::Type`] if the result has another type.
    pub fn compile_as(&self, source: &str, wanted: &Type) -> Result<Program, ExprError> {
        self.compile(source)?.of_kind(wanted)
    }

    /// Like [`Environment::compile_as`], for an expression that was parsed before, in any environment. It isn't parsed again.
    ///
    /// # Errors
    /// [`ExprError::Type`] or [`ExprError::UnknownVariable`], as it is checked with the variables of this environment.
    pub fn check_as(&self, parsed: &Program, wanted: &Type) -> Result<Program, ExprError> {
        let kind = self.kind(parsed.source(), &parsed.tree, false)?;
        Program { kind, ..parsed.clone() }.of_kind(wanted)
    }

    /// Returns all errors of an expression, in source order. [`Environment::compile`] stops at the first one.
    pub fn faults(&self, source: &str) -> Vec<ExprError> {
        let tree = match parse::parse(source) {
            Ok(tree) => tree,
            Err(error) => return vec![error],
        };
        let positions = position::Positions::new(source, &tree);
        let mut faults = self.checker(&positions, false).faults(&tree);
        if faults.is_empty() && self.strict {
            faults = literals::faults(&tree, &positions);
        }
        faults.sort_by_key(|fault| fault.place().map(|place| (place.line, place.column)));
        faults
    }

    fn checker<'p>(&self, positions: &'p position::Positions, allow_omit: bool) -> check::Checker<'p> {
        let variables = self.variables.iter().map(|(name, kind)| (name.clone(), kind.clone()));
        check::Checker::new(variables, positions, allow_omit, self.strict)
    }

    fn program(&self, source: &str, allow_omit: bool) -> Result<Program, ExprError> {
        let tree = parse::parse(source)?;
        let kind = self.kind(source, &tree, allow_omit)?;
        let references = references::of(&tree);
        Ok(Program { source: source.into(), tree: Arc::new(tree), kind, references })
    }

    /// Checks a parsed expression. Returns the type of its result.
    fn kind(&self, source: &str, tree: &IdedExpr, allow_omit: bool) -> Result<Type, ExprError> {
        let positions = position::Positions::new(source, tree);
        let kind = self.checker(&positions, allow_omit).check(tree)?;
        if self.strict
            && let Some(fault) = literals::faults(tree, &positions).into_iter().next()
        {
            return Err(fault);
        }
        Ok(kind)
    }

    /// Creates a scope for values of these variables.
    pub fn scope(&self) -> Scope {
        Scope { types: self.variables.clone(), values: Variables::new() }
    }
}

/// Values of variables. A variable without a value is absent: reading it returns [`ExprError::AbsentPath`].
#[derive(Clone, Debug, Default)]
pub struct Scope {
    types: BTreeMap<String, Type>,
    values: Variables,
}

impl Scope {
    /// Sets the value of a variable, converted to its type in the environment.
    pub fn set(&mut self, name: impl Into<String>, value: &Value) {
        let name = name.into();
        let kind = self.types.get(&name).unwrap_or(&Type::Dyn);
        self.values.insert(name, Val::from_json(value, kind));
    }

    /// Adds a value to the scope.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: &Value) -> Self {
        self.set(name, value);
        self
    }

    pub(crate) fn set_val(&mut self, name: &str, value: Val) {
        self.values.insert(name.to_owned(), value);
    }

    /// Removes a value.
    pub fn unset(&mut self, name: &str) {
        self.values.remove(name);
    }
}

/// A compiled expression; cheap to clone.
#[derive(Clone, Debug)]
pub struct Program {
    source: Arc<str>,
    tree: Arc<IdedExpr>,
    kind: Type,
    references: Vec<Vec<String>>,
}

impl Program {
    fn of_kind(self, wanted: &Type) -> Result<Self, ExprError> {
        if !self.kind.fits(wanted) {
            let problem = TypeProblem::WrongResult { found: self.kind.to_string(), wanted: wanted.to_string() };
            return Err(ExprError::of_types(problem));
        }
        Ok(self)
    }

    /// Returns the source of the expression.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the type of the result.
    pub fn kind(&self) -> &Type {
        &self.kind
    }

    /// Returns the paths that the expression reads, each starting with its variable, such as `["resources", "database", "status"]`; sorted.
    /// A path ends where it is computed; an index is part of it, as text.
    pub fn references(&self) -> &[Vec<String>] {
        &self.references
    }

    /// Returns the path whose value the expression returns unchanged, such as `["parameters", "labels"]` for `has(parameters.labels) ?
    /// parameters.labels : {}`; `None` if the expression computes its result.
    pub fn gives(&self) -> Option<Vec<String>> {
        references::given(&self.tree)
    }

    /// Returns the conditions of the expression, if it consists only of simple comparisons that all have to hold; see [`Clause`].
    pub fn clauses(&self) -> Option<Vec<Clause>> {
        clause::of(&self.tree)
    }

    /// Returns the maximum number of steps of one evaluation with variables of these schemas, as the API server estimates it for the rules
    /// of a definition. A variable without a schema counts as small, whatever its value.
    pub fn worst_cost(&self, variables: &[(&str, &crate::structural::Schema)]) -> f64 {
        cost::worst(self, variables)
    }

    /// Returns what a condition that is false for these values is about: the paths below the variables `roots` that decide it, in its order.
    /// Of conditions that all have to hold only the false ones count, and of a loop over all elements the first that fails.
    pub fn about(&self, roots: &[&str], scope: &Scope, budget: &mut Budget) -> Vec<Vec<Step>> {
        blame::of(&self.tree, roots, &scope.values, budget)
    }

    /// Evaluates to JSON; an absent optional is null.
    ///
    /// # Errors
    /// If a value is absent, a function fails, or the budget is used up.
    pub fn evaluate(&self, scope: &Scope, budget: &mut Budget) -> Result<Value, ExprError> {
        Ok(self.json(scope, budget)?.unwrap_or(Value::Null))
    }

    /// Evaluates to true or false.
    ///
    /// # Errors
    /// Like [`Program::evaluate`]; also if the result is not a boolean.
    pub fn evaluate_bool(&self, scope: &Scope, budget: &mut Budget) -> Result<bool, ExprError> {
        match self.run(scope, budget)? {
            Val::Bool(flag) => Ok(flag),
            other => Err(RuntimeProblem::WrongResult { found: other.type_name(), wanted: "true or false" }.into()),
        }
    }

    /// Returns the result as JSON; `None` for `omit()` and an absent optional.
    pub(crate) fn json(&self, scope: &Scope, budget: &mut Budget) -> Result<Option<Value>, ExprError> {
        let value = self.run(scope, budget)?;
        value.weigh(budget)?;
        Ok(value.to_json())
    }

    pub(crate) fn run(&self, scope: &Scope, budget: &mut Budget) -> Result<Val, ExprError> {
        Evaluator::new(&scope.values, budget).node(&self.tree)
    }
}
