//! Expressions: the only door to CEL.
//!
//! The crate `kube-cel` parses and brings the function library of Kubernetes. Everything between is here: a type checker over the
//! syntax tree, and an evaluator that counts steps. The library's own evaluator has neither, makes unsigned numbers of JSON's
//! integers, and iterates maps by chance.
//!
//! An [`Environment`] says which variables there are and of what [`Type`]; it compiles a [`Program`] or a [`Template`]; a [`Scope`]
//! holds the values; a [`Budget`] bounds the evaluation.

mod budget;
mod check;
mod clause;
pub(crate) mod cost;
mod error;
mod evaluate;
mod functions;
mod library;
mod literals;
mod names;
mod parse;
mod position;
mod references;
mod signatures;
mod template;
#[cfg(test)]
mod tests;
mod trace;
mod types;
pub(crate) mod value;

use std::collections::BTreeMap;
use std::sync::Arc;

use kube_cel::cel::IdedExpr;
use serde_json::Value;

pub use budget::{Budget, Exhausted, LIST_LIMIT, RULE_STEPS, STEPS, TEXT_LIMIT};
pub use clause::{Clause, Relation};
pub use error::{ExprError, Place};
pub use template::{Template, TemplateError};
pub use trace::{Traced, TracedField, TracedPart};
pub use types::{ObjectType, Type};

use evaluate::{Evaluator, Variables};
use value::Val;

/// The variables that expressions may read, with their types.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: BTreeMap<String, Type>,
    strict: bool,
}

impl Environment {
    /// An environment without variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same environment with one more variable.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, kind: Type) -> Self {
        self.variables.insert(name.into(), kind);
        self
    }

    /// The same environment with the limits that the API server sets to rules: lists and maps hold parts of one type, there is no
    /// `cel.bind()`, and literals of patterns, spans and times must be ones.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Parses and checks one expression, without `${` and `}`.
    ///
    /// # Errors
    /// What cannot be read or does not fit its types.
    pub fn compile(&self, source: &str) -> Result<Program, ExprError> {
        self.program(source, false)
    }

    /// As [`Environment::compile`], and the result must fit a type.
    ///
    /// # Errors
    /// As [`Environment::compile`]; [`ExprError::Type`] if the result is something else.
    pub fn compile_as(&self, source: &str, wanted: &Type) -> Result<Program, ExprError> {
        let program = self.compile(source)?;
        if !program.kind.fits(wanted) {
            let message = format!("it gives {} where {wanted} is needed", program.kind);
            return Err(ExprError::Type { message, place: None });
        }
        Ok(program)
    }

    /// All that is wrong with an expression, in the order of its text. [`Environment::compile`] ends at what it finds first.
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
        let positions = position::Positions::new(source, &tree);
        let kind = self.checker(&positions, allow_omit).check(&tree)?;
        if self.strict
            && let Some(fault) = literals::faults(&tree, &positions).into_iter().next()
        {
            return Err(fault);
        }
        let references = references::of(&tree);
        Ok(Program { source: source.into(), tree: Arc::new(tree), kind, references })
    }

    /// A scope for values of these variables.
    pub fn scope(&self) -> Scope {
        Scope { types: self.variables.clone(), values: Variables::new() }
    }
}

/// Values of variables. A variable without a value is absent: reading it is [`ExprError::AbsentPath`].
#[derive(Clone, Debug, Default)]
pub struct Scope {
    types: BTreeMap<String, Type>,
    values: Variables,
}

impl Scope {
    /// Gives a variable its value, read by the type the environment has for it.
    pub fn set(&mut self, name: impl Into<String>, value: &Value) {
        let name = name.into();
        let kind = self.types.get(&name).unwrap_or(&Type::Dyn);
        self.values.insert(name, Val::from_json(value, kind));
    }

    /// The same scope with one more value.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: &Value) -> Self {
        self.set(name, value);
        self
    }

    pub(crate) fn set_val(&mut self, name: &str, value: Val) {
        self.values.insert(name.to_owned(), value);
    }

    /// Takes a value away.
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
    /// The expression as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The type of the result.
    pub fn kind(&self) -> &Type {
        &self.kind
    }

    /// Paths that the expression reads, each from its variable on, such as `["resources", "database", "status"]`; sorted. A path
    /// ends where it is computed, an index is in it as its text.
    pub fn references(&self) -> &[Vec<String>] {
        &self.references
    }

    /// The path whose value the expression gives as it stands there, such as `["parameters", "labels"]` for
    /// `has(parameters.labels) ? parameters.labels : {}`; nothing for one that computes.
    pub fn gives(&self) -> Option<Vec<String>> {
        references::given(&self.tree)
    }

    /// What the expression asks, if that is nothing but simple comparisons which all have to hold; see [`Clause`].
    pub fn clauses(&self) -> Option<Vec<Clause>> {
        clause::of(&self.tree)
    }

    /// How many steps one evaluation may take at worst with variables of these schemas, as the API server estimates the rules of a
    /// definition. A variable without a schema counts as small, whatever it holds.
    pub fn worst_cost(&self, variables: &[(&str, &crate::structural::Schema)]) -> f64 {
        cost::worst(self, variables)
    }

    /// Evaluates to JSON; an absent optional is null.
    ///
    /// # Errors
    /// What is absent, what fails, or that the budget is used up.
    pub fn evaluate(&self, scope: &Scope, budget: &mut Budget) -> Result<Value, ExprError> {
        Ok(self.json(scope, budget)?.unwrap_or(Value::Null))
    }

    /// Evaluates to true or false.
    ///
    /// # Errors
    /// As [`Program::evaluate`]; also if the result is something else.
    pub fn evaluate_bool(&self, scope: &Scope, budget: &mut Budget) -> Result<bool, ExprError> {
        match self.run(scope, budget)? {
            Val::Bool(flag) => Ok(flag),
            other => Err(ExprError::Runtime(format!("it gives {} where true or false is needed", other.type_name()))),
        }
    }

    /// The result as JSON; nothing for `omit()` and an absent optional.
    pub(crate) fn json(&self, scope: &Scope, budget: &mut Budget) -> Result<Option<Value>, ExprError> {
        let value = self.run(scope, budget)?;
        value.weigh(budget)?;
        Ok(value.to_json())
    }

    pub(crate) fn run(&self, scope: &Scope, budget: &mut Budget) -> Result<Val, ExprError> {
        Evaluator::new(&scope.values, budget).node(&self.tree)
    }
}
