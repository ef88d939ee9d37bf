//! Templates: JSON whose strings contain `${…}`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::error::{ExprError, RuntimeProblem, SyntaxProblem, TypeProblem};
use super::trace::Traced;
use super::types::Type;
use super::value::Val;
use super::{Budget, Environment, Program, Scope};

/// Maximum nesting of a template.
const DEPTH_LIMIT: usize = 100;

/// An error in a template, with its path.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{path}: {error}")]
pub struct TemplateError {
    /// Path from the template's root, such as `.spec.replicas` or `.items[0]`; empty for the root itself.
    pub path: String,
    /// What is wrong.
    pub error: ExprError,
}

/// A compiled template. A string that is exactly one expression evaluates to the expression's value with its type; in any other string the
/// results are inserted as text. `$${` stands for `${`.
#[derive(Clone, Debug)]
pub struct Template {
    root: Node,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Literal(Value),
    Expression(Program),
    Text(Vec<Part>),
    List(Vec<Node>),
    Object(Vec<(Vec<Part>, Node)>),
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    Literal(String),
    Expression(Program),
}

impl Template {
    /// Compiles every expression in a JSON value.
    ///
    /// # Errors
    /// Every expression that doesn't compile, with its path.
    pub fn compile(json: &Value, environment: &Environment) -> Result<Self, Vec<TemplateError>> {
        let mut errors = Vec::new();
        let root = node(json, environment, &mut String::new(), 0, &mut errors);
        if errors.is_empty() { Ok(Self { root }) } else { Err(errors) }
    }

    /// Returns the paths that the template reads, in the form of [`Program::references`].
    pub fn references(&self) -> Vec<Vec<String>> {
        let mut found = BTreeSet::new();
        self.root.programs(&mut |program| found.extend(program.references().iter().cloned()));
        found.into_iter().collect()
    }

    /// Returns the type of the result, if the template is one expression.
    pub fn kind(&self) -> Type {
        match &self.root {
            Node::Expression(program) => program.kind().clone(),
            Node::Text(_) | Node::Literal(Value::String(_)) => Type::String,
            Node::Literal(Value::Bool(_)) => Type::Bool,
            Node::Literal(Value::Number(number)) if number.is_i64() => Type::Int,
            _ => Type::Dyn,
        }
    }

    /// Evaluates the template part by part and records what each part reads. A part that fails doesn't hide the others.
    pub fn trace(&self, scope: &Scope, budget: &mut Budget) -> Traced {
        super::trace::template(&self.root, scope, budget)
    }

    /// Evaluates the template. Fields and items whose value is `omit()` are left out; a template that is nothing but `omit()` is null.
    ///
    /// # Errors
    /// The first expression that fails, with its path.
    pub fn evaluate(&self, scope: &Scope, budget: &mut Budget) -> Result<Value, TemplateError> {
        let mut path = String::new();
        Ok(self.root.evaluate(scope, budget, &mut path)?.unwrap_or(Value::Null))
    }
}

fn node(json: &Value, environment: &Environment, path: &mut String, depth: usize, errors: &mut Vec<TemplateError>) -> Node {
    let length = path.len();
    if depth > DEPTH_LIMIT {
        let problem = SyntaxProblem::TooDeep { levels: DEPTH_LIMIT };
        errors.push(TemplateError { path: path.clone(), error: ExprError::of_syntax(problem) });
        return Node::Literal(Value::Null);
    }
    match json {
        Value::String(text) => {
            let mut parts = parts(text, environment, path, errors);
            match parts.as_mut_slice() {
                [Part::Expression(_)] => match parts.pop() {
                    Some(Part::Expression(program)) => Node::Expression(program),
                    _ => Node::Literal(Value::Null),
                },
                [] => Node::Literal(Value::String(String::new())),
                [Part::Literal(text)] => Node::Literal(Value::String(std::mem::take(text))),
                _ => {
                    check_texts(&parts, path, errors);
                    Node::Text(parts)
                }
            }
        }
        Value::Array(items) => Node::List(
            items
                .iter()
                .enumerate()
                .map(|(index, item)| {
                    path.push_str(&format!("[{index}]"));
                    let item = node(item, environment, path, depth + 1, errors);
                    path.truncate(length);
                    item
                })
                .collect(),
        ),
        Value::Object(fields) => Node::Object(
            fields
                .iter()
                .map(|(name, value)| {
                    push_field(path, name);
                    let name = parts(name, environment, path, errors);
                    check_texts(&name, path, errors);
                    let value = node(value, environment, path, depth + 1, errors);
                    path.truncate(length);
                    (name, value)
                })
                .collect(),
        ),
        other => Node::Literal(other.clone()),
    }
}

/// Appends a field to a path: `.name`, or `["app.kubernetes.io/name"]` where dots would be misleading.
fn push_field(path: &mut String, name: &str) {
    if name.is_empty() || name.contains(['.', '[', '"']) {
        path.push_str(&format!("[\"{}\"]", name.replace('\\', "\\\\").replace('"', "\\\"")));
    } else {
        path.push('.');
        path.push_str(name);
    }
}

/// Checks that only scalars are inserted into text.
fn check_texts(parts: &[Part], path: &str, errors: &mut Vec<TemplateError>) {
    for part in parts {
        if let Part::Expression(program) = part
            && matches!(program.kind(), Type::List(_) | Type::Map(..) | Type::Object(_) | Type::Optional(_) | Type::Null)
        {
            let problem = TypeProblem::NotText { source: program.source().to_owned(), found: program.kind().to_string() };
            errors.push(TemplateError { path: path.to_owned(), error: ExprError::of_types(problem) });
        }
    }
}

fn parts(text: &str, environment: &Environment, path: &str, errors: &mut Vec<TemplateError>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            literal.push_str(&rest[..at - 1]);
            literal.push_str("${");
            rest = &rest[at + 2..];
            continue;
        }
        literal.push_str(&rest[..at]);
        let inside = &rest[at + 2..];
        let Some(end) = closing(inside) else {
            let error = ExprError::of_syntax(SyntaxProblem::Unclosed { text: text.to_owned() });
            errors.push(TemplateError { path: path.to_owned(), error });
            return parts;
        };
        match environment.program(inside[..end].trim(), true) {
            Ok(program) => {
                if !literal.is_empty() {
                    parts.push(Part::Literal(std::mem::take(&mut literal)));
                }
                parts.push(Part::Expression(program));
            }
            Err(error) => errors.push(TemplateError { path: path.to_owned(), error }),
        }
        rest = &inside[end + 1..];
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        parts.push(Part::Literal(literal));
    }
    parts
}

/// Returns the offset of the brace that closes an expression; braces in strings and maps are skipped.
fn closing(source: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in super::position::tokens(source) {
        match token {
            "{" => depth += 1,
            "}" if depth == 0 => return Some(at),
            "}" => depth -= 1,
            _ => {}
        }
    }
    None
}

impl Node {
    fn programs(&self, visit: &mut impl FnMut(&Program)) {
        let of_parts = |parts: &[Part], visit: &mut dyn FnMut(&Program)| {
            for part in parts {
                if let Part::Expression(program) = part {
                    visit(program);
                }
            }
        };
        match self {
            Self::Literal(_) => {}
            Self::Expression(program) => visit(program),
            Self::Text(parts) => of_parts(parts, visit),
            Self::List(items) => items.iter().for_each(|item| item.programs(visit)),
            Self::Object(fields) => {
                for (name, value) in fields {
                    of_parts(name, visit);
                    value.programs(visit);
                }
            }
        }
    }

    fn evaluate(&self, scope: &Scope, budget: &mut Budget, path: &mut String) -> Result<Option<Value>, TemplateError> {
        let length = path.len();
        Ok(Some(match self {
            Self::Literal(value) => value.clone(),
            Self::Expression(program) => return program.json(scope, budget).map_err(|error| at(path, error)),
            Self::Text(parts) => Value::String(text(parts, scope, budget).map_err(|error| at(path, error))?),
            Self::List(items) => {
                let mut list = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    path.push_str(&format!("[{index}]"));
                    list.extend(item.evaluate(scope, budget, path)?);
                    path.truncate(length);
                }
                Value::Array(list)
            }
            Self::Object(fields) => {
                let mut object = Map::new();
                for (name, value) in fields {
                    let name = text(name, scope, budget).map_err(|error| at(path, error))?;
                    push_field(path, &name);
                    if let Some(value) = value.evaluate(scope, budget, path)? {
                        object.insert(name, value);
                    }
                    path.truncate(length);
                }
                Value::Object(object)
            }
        }))
    }
}

fn at(path: &str, error: ExprError) -> TemplateError {
    TemplateError { path: path.to_owned(), error }
}

pub(super) fn text(parts: &[Part], scope: &Scope, budget: &mut Budget) -> Result<String, ExprError> {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Literal(literal) => text.push_str(literal),
            Part::Expression(program) => {
                let value = program.run(scope, budget)?;
                let scalar = match &value {
                    Val::Null | Val::Omit => None,
                    // A whole number is printed as an integer, whatever its type.
                    Val::Double(_) => value.to_json().map(|number| number.to_string()),
                    other => other.as_text(),
                };
                let not_text = || RuntimeProblem::NotText { source: program.source().to_owned(), found: value.type_name() };
                let scalar = scalar.ok_or_else(not_text)?;
                budget.text(text.len() + scalar.len())?;
                text.push_str(&scalar);
            }
        }
    }
    Ok(text)
}
