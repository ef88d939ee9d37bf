//! The type checker: walks the syntax tree before anything is evaluated.

use kube_cel::cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, SelectExpr, operators};

use super::error::{ExprError, SyntaxProblem, TypeProblem};
use super::position::Positions;
use super::signatures::{NAMESPACES, SIGNATURES, Signature};
use super::types::{Bindings, Type};

/// Maximum nesting of an expression.
const DEPTH_LIMIT: usize = 150;

/// Names and types that are known at one position in an expression, innermost last.
pub(crate) struct Checker<'a> {
    variables: Vec<(String, Type)>,
    positions: &'a Positions,
    allow_omit: bool,
    /// Whether only what the API server allows in rules is allowed.
    strict: bool,
    depth: usize,
    /// The errors found so far, if all are collected.
    faults: Option<Vec<ExprError>>,
}

/// Returns the name of a function in a namespace, such as `sets.contains`, if the receiver is not a variable.
pub(crate) fn qualified(call: &CallExpr, is_variable: impl Fn(&str) -> bool) -> Option<String> {
    match call.target.as_deref() {
        Some(IdedExpr { expr: Expr::Ident(namespace), .. }) if NAMESPACES.contains(&namespace.as_str()) && !is_variable(namespace) => {
            Some(format!("{namespace}.{}", call.func_name))
        }
        _ => None,
    }
}

impl<'a> Checker<'a> {
    pub(crate) fn new(
        variables: impl IntoIterator<Item = (String, Type)>,
        positions: &'a Positions,
        allow_omit: bool,
        strict: bool,
    ) -> Self {
        Self { variables: variables.into_iter().collect(), positions, allow_omit, strict, depth: 0, faults: None }
    }

    /// Returns all errors, in the order in which they are found.
    pub(crate) fn faults(mut self, root: &IdedExpr) -> Vec<ExprError> {
        self.faults = Some(Vec::new());
        let checked = self.check(root);
        let mut faults = self.faults.take().unwrap_or_default();
        faults.extend(checked.err());
        faults
    }

    fn error(&self, node: &IdedExpr, problem: TypeProblem) -> ExprError {
        ExprError::Type { problem, place: self.positions.of(node) }
    }

    /// Returns the type of a node.
    pub(crate) fn check(&mut self, node: &IdedExpr) -> Result<Type, ExprError> {
        if self.depth >= DEPTH_LIMIT {
            let problem = SyntaxProblem::TooDeep { levels: DEPTH_LIMIT };
            return Err(ExprError::Syntax { problem, place: self.positions.of(node) });
        }
        self.depth += 1;
        let checked = self.node(node);
        self.depth -= 1;
        match checked {
            Err(fault @ (ExprError::Type { .. } | ExprError::UnknownVariable { .. })) => self.told(fault),
            checked => checked,
        }
    }

    /// Continues after an error if all errors are collected: the expression with the error counts as `dyn` from there on.
    fn told(&mut self, fault: ExprError) -> Result<Type, ExprError> {
        match &mut self.faults {
            Some(faults) => {
                faults.push(fault);
                Ok(Type::Dyn)
            }
            None => Err(fault),
        }
    }

    /// Returns the type of the elements of a list or map, up to and including this one.
    fn joined(&mut self, former: Option<Type>, kind: Type, part: &IdedExpr) -> Result<Type, ExprError> {
        let Some(former) = former else { return Ok(kind) };
        match former.join(&kind) {
            Some(joined) => Ok(joined),
            None if self.strict => {
                let fault = self.error(part, TypeProblem::Mismatch { expected: former.to_string(), found: kind.to_string() });
                self.told(fault)
            }
            None => Ok(Type::Dyn),
        }
    }

    fn node(&mut self, node: &IdedExpr) -> Result<Type, ExprError> {
        match &node.expr {
            Expr::Unspecified => Err(self.error(node, TypeProblem::Empty)),
            Expr::Literal(literal) => Ok(literal_type(literal)),
            Expr::Ident(name) => self.identifier(node, name),
            Expr::Select(select) => self.select(node, select),
            Expr::Call(call) => self.call(node, call),
            Expr::List(list) => {
                let mut items: Option<Type> = None;
                for (index, element) in list.elements.iter().enumerate() {
                    let mut kind = self.check(element)?;
                    if list.optional_indices.contains(&index) {
                        kind = self.unwrapped(element, &kind)?;
                    }
                    items = Some(self.joined(items, kind, element)?);
                }
                Ok(Type::list(items.unwrap_or(Type::Dyn)))
            }
            Expr::Map(map) => {
                let (mut keys, mut values): (Option<Type>, Option<Type>) = (None, None);
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else { continue };
                    let key = self.check(&entry.key)?;
                    let mut value = self.check(&entry.value)?;
                    if entry.optional {
                        value = self.unwrapped(&entry.value, &value)?;
                    }
                    keys = Some(self.joined(keys, key, &entry.key)?);
                    values = Some(self.joined(values, value, &entry.value)?);
                }
                Ok(Type::Map(keys.unwrap_or(Type::Dyn).into(), values.unwrap_or(Type::Dyn).into()))
            }
            Expr::Struct(structure) => {
                // Protocol buffer messages exist only for admission policies, which write patches with them.
                for entry in &structure.entries {
                    if let EntryExpr::StructField(field) = &entry.expr {
                        self.check(&field.value)?;
                    }
                }
                Ok(Type::Dyn)
            }
            Expr::Comprehension(comprehension) => self.comprehension(node, comprehension),
        }
    }

    fn unwrapped(&self, node: &IdedExpr, kind: &Type) -> Result<Type, ExprError> {
        match kind {
            Type::Optional(inner) => Ok(inner.as_ref().clone()),
            Type::Dyn => Ok(Type::Dyn),
            other => {
                let problem = TypeProblem::Mismatch { expected: "optional_type".to_owned(), found: other.to_string() };
                Err(self.error(node, problem))
            }
        }
    }

    fn identifier(&self, node: &IdedExpr, name: &str) -> Result<Type, ExprError> {
        if let Some((_, kind)) = self.variables.iter().rev().find(|(variable, _)| variable == name) {
            return Ok(kind.clone());
        }
        const TYPES: [&str; 9] = ["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "uint"];
        if TYPES.contains(&name) || name == "type" {
            return Ok(Type::Type);
        }
        Err(ExprError::UnknownVariable { name: name.to_owned(), place: self.positions.of(node) })
    }

    fn select(&mut self, node: &IdedExpr, select: &SelectExpr) -> Result<Type, ExprError> {
        if let Some(kind) = self.enum_or_type_name(select) {
            return Ok(kind);
        }
        let operand = self.check(&select.operand)?;
        let field = self.field(node, &operand, &select.field)?;
        Ok(if select.test { Type::Bool } else { field })
    }

    /// Returns the type with a dotted name, such as `google.protobuf.Timestamp`.
    fn enum_or_type_name(&self, select: &SelectExpr) -> Option<Type> {
        let Expr::Select(inner) = &select.operand.expr else { return None };
        let Expr::Ident(root) = &inner.operand.expr else { return None };
        (root == "google" && inner.field == "protobuf" && !self.variables.iter().any(|(name, _)| name == root)).then_some(Type::Type)
    }

    fn field(&self, node: &IdedExpr, operand: &Type, field: &str) -> Result<Type, ExprError> {
        match operand {
            Type::Dyn => Ok(Type::Dyn),
            Type::Map(_, values) => Ok(values.as_ref().clone()),
            Type::Object(_) => match operand.field(field) {
                Some(kind) => Ok(kind.clone()),
                None => Err(self.error(node, TypeProblem::UndefinedField { field: field.to_owned() })),
            },
            Type::Optional(inner) => Ok(Type::optional(match self.field(node, inner, field)? {
                Type::Optional(inner) => inner.as_ref().clone(),
                other => other,
            })),
            other => Err(self.error(node, TypeProblem::NoFields { kind: other.to_string() })),
        }
    }

    fn call(&mut self, node: &IdedExpr, call: &CallExpr) -> Result<Type, ExprError> {
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::OPT_SELECT, [operand, name]) => {
                let kind = self.check(operand)?;
                let inner = if let Type::Optional(inner) = &kind { inner.as_ref().clone() } else { kind };
                let Expr::Literal(LiteralValue::String(name)) = &name.expr else { return Ok(Type::optional(Type::Dyn)) };
                return Ok(Type::optional(self.field(node, &inner, name.inner())?));
            }
            (operators::OPT_INDEX, [operand, index]) => {
                let kind = self.check(operand)?;
                let inner = if let Type::Optional(inner) = &kind { inner.as_ref().clone() } else { kind };
                let index_type = self.check(index)?;
                return Ok(Type::optional(self.index(node, &inner, index, &index_type)?));
            }
            (operators::INDEX, [operand, index]) => {
                let kind = self.check(operand)?;
                let index_type = self.check(index)?;
                return self.index(node, &kind, index, &index_type);
            }
            (operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS, [left, right]) => {
                let (left, right) = (self.check(left)?, self.check(right)?);
                return if is_ordered(&left, &right) { Ok(Type::Bool) } else { Err(self.no_overload(node, call, &[left, right])) };
            }
            ("omit", []) if !self.allow_omit && call.target.is_none() => {
                return Err(self.error(node, TypeProblem::MisplacedOmit));
            }
            _ => {}
        }
        let is_of_cel = call.target.as_deref().is_some_and(|target| target.expr == Expr::Ident("cel".to_owned()));
        if is_of_cel && call.func_name == "bind" && !self.strict {
            return self.bind(node, call);
        }
        let name = qualified(call, |name| self.variables.iter().any(|(variable, _)| variable == name));
        let member = name.is_none() && call.target.is_some();
        let mut arguments = Vec::with_capacity(call.args.len() + 1);
        if member && let Some(target) = &call.target {
            arguments.push(self.check(target)?);
        }
        for argument in &call.args {
            arguments.push(self.check(argument)?);
        }
        let Some(signatures) = SIGNATURES.get(name.as_deref().unwrap_or(&call.func_name)) else {
            return Err(self.undeclared(node, call, name.as_deref()));
        };
        self.overload(signatures, member, &arguments).ok_or_else(|| self.no_overload(node, call, &arguments))
    }

    /// Returns the error for a function that doesn't exist, possibly one in a namespace. For CEL itself, such a namespace is a variable
    /// that doesn't exist either.
    fn undeclared(&mut self, node: &IdedExpr, call: &CallExpr, qualified: Option<&str>) -> ExprError {
        let mut name = qualified.unwrap_or(&call.func_name);
        if let (Some(faults), Some(target)) = (&mut self.faults, call.target.as_deref().filter(|_| qualified.is_some()))
            && let Expr::Ident(namespace) = &target.expr
        {
            faults.push(ExprError::UnknownVariable { name: namespace.clone(), place: self.positions.of(target) });
            name = &call.func_name;
        }
        self.error(node, TypeProblem::UndeclaredFunction { name: name.to_owned() })
    }

    fn bind(&mut self, node: &IdedExpr, call: &CallExpr) -> Result<Type, ExprError> {
        let [IdedExpr { expr: Expr::Ident(name), .. }, value, body] = call.args.as_slice() else {
            return Err(self.error(node, TypeProblem::BindArguments));
        };
        let kind = self.check(value)?;
        self.variables.push((name.clone(), kind));
        let checked = self.check(body);
        self.variables.pop();
        checked
    }

    fn index(&self, node: &IdedExpr, operand: &Type, index: &IdedExpr, index_type: &Type) -> Result<Type, ExprError> {
        if let (Type::Object(_), Expr::Literal(LiteralValue::String(name))) = (operand, &index.expr) {
            return self.field(node, operand, name.inner());
        }
        match operand {
            Type::Dyn => Ok(Type::Dyn),
            Type::Object(_) if matches!(index_type, Type::String | Type::Dyn) => Ok(Type::Dyn),
            Type::List(items) if matches!(index_type, Type::Int | Type::UInt | Type::Dyn) => Ok(items.as_ref().clone()),
            Type::Map(keys, values) if index_type.fits(keys) => Ok(values.as_ref().clone()),
            Type::Optional(inner) => self.index(node, inner, index, index_type).map(Type::optional),
            _ => {
                let applied = format!("({operand}, {index_type})");
                Err(self.error(node, TypeProblem::NoOverload { function: operators::INDEX.to_owned(), applied }))
            }
        }
    }

    fn overload(&self, signatures: &[Signature], member: bool, arguments: &[Type]) -> Option<Type> {
        let mut result: Option<Type> = None;
        for signature in signatures.iter().filter(|signature| signature.member == member && signature.parameters.len() == arguments.len()) {
            let mut bindings = Bindings::default();
            if signature.parameters.iter().zip(arguments).all(|(wanted, found)| bindings.unify(wanted, found)) {
                let resolved = bindings.resolve(&signature.result);
                result = Some(match result {
                    None => resolved,
                    Some(result) => result.join(&resolved).unwrap_or(Type::Dyn),
                });
            }
        }
        result
    }

    fn no_overload(&self, node: &IdedExpr, call: &CallExpr, arguments: &[Type]) -> ExprError {
        let list = |types: &[Type]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let applied = match (&call.target, arguments) {
            (Some(_), [receiver, rest @ ..]) if arguments.len() > call.args.len() => format!("{receiver}.({})", list(rest)),
            _ => format!("({})", list(arguments)),
        };
        self.error(node, TypeProblem::NoOverload { function: call.func_name.clone(), applied })
    }

    fn comprehension(&mut self, node: &IdedExpr, comprehension: &ComprehensionExpr) -> Result<Type, ExprError> {
        let range = self.check(&comprehension.iter_range)?;
        let item = match &range {
            Type::Dyn => Type::Dyn,
            Type::List(items) => items.as_ref().clone(),
            Type::Map(keys, _) => keys.as_ref().clone(),
            other => return Err(self.error(node, TypeProblem::NotIterable { kind: other.to_string() })),
        };
        let accumulator = self.check(&comprehension.accu_init)?;
        let known = self.variables.len();
        self.variables.push((comprehension.accu_var.clone(), accumulator.clone()));
        self.variables.push((comprehension.iter_var.clone(), item));
        let checked = self.body(comprehension, accumulator);
        self.variables.truncate(known);
        checked
    }

    fn body(&mut self, comprehension: &ComprehensionExpr, accumulator: Type) -> Result<Type, ExprError> {
        self.check(&comprehension.loop_cond)?;
        let step = self.check(&comprehension.loop_step)?;
        let accumulated = match (&accumulator, step) {
            // The list starts empty; its items get their type from the step.
            (Type::List(_), step @ Type::List(_)) => step,
            _ => accumulator,
        };
        let at = self.variables.len() - 2;
        self.variables[at].1 = accumulated;
        self.check(&comprehension.result)
    }
}

fn literal_type(literal: &LiteralValue) -> Type {
    match literal {
        LiteralValue::Boolean(_) => Type::Bool,
        LiteralValue::Bytes(_) => Type::Bytes,
        LiteralValue::Double(_) => Type::Double,
        LiteralValue::Int(_) => Type::Int,
        LiteralValue::Null => Type::Null,
        LiteralValue::String(_) => Type::String,
        LiteralValue::UInt(_) => Type::UInt,
    }
}

fn is_ordered(left: &Type, right: &Type) -> bool {
    let is_number = |kind: &Type| matches!(kind, Type::Int | Type::UInt | Type::Double | Type::Dyn);
    let has_order = |kind: &Type| {
        is_number(kind) || matches!(kind, Type::Bool | Type::String | Type::Bytes) || *kind == Type::TIMESTAMP || *kind == Type::DURATION
    };
    (is_number(left) && is_number(right))
        || (has_order(left) && has_order(right) && (left == right || *left == Type::Dyn || *right == Type::Dyn))
}
