//! The evaluator: interprets the syntax tree, one step per node, so that every loop ends at the budget.

use std::collections::HashMap;
use std::sync::Arc;

use kube_cel::cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, SelectExpr, operators};

use super::budget::Budget;
use super::check::qualified;
use super::error::{ExprError, Overload, RuntimeProblem};
use super::functions;
use super::names;
use super::value::{Entries, Val};

/// Values of the variables of an evaluation.
pub(crate) type Variables = HashMap<String, Val>;

/// One variable of a macro, and where its value came from.
struct Local<'e> {
    name: &'e str,
    value: Val,
    /// Where its value is stored; `None` if it was computed.
    origin: Option<Origin>,
}

/// Where the value of a macro's variable is stored.
enum Origin {
    /// At a path.
    At(Arc<str>),
    /// In the list at a path, at an index.
    Item(Arc<str>, usize),
}

/// One evaluation.
pub(crate) struct Evaluator<'e> {
    variables: &'e Variables,
    locals: Vec<Local<'e>>,
    budget: &'e mut Budget,
    patterns: functions::Patterns,
}

impl<'e> Evaluator<'e> {
    pub(crate) fn new(variables: &'e Variables, budget: &'e mut Budget) -> Self {
        Self { variables, locals: Vec::new(), budget, patterns: functions::Patterns::new() }
    }

    pub(crate) fn node(&mut self, node: &'e IdedExpr) -> Result<Val, ExprError> {
        self.budget.take(1)?;
        match &node.expr {
            Expr::Unspecified => Err(RuntimeProblem::Empty.into()),
            Expr::Literal(literal) => Ok(literal_value(literal)),
            Expr::Ident(name) => self.identifier(name),
            Expr::Select(select) => self.select(node, select),
            Expr::Call(call) => self.call(node, call),
            Expr::List(list) => {
                self.budget.list(list.elements.len())?;
                let mut items = Vec::with_capacity(list.elements.len());
                for (index, element) in list.elements.iter().enumerate() {
                    let value = self.node(element)?;
                    match value {
                        Val::Optional(inner) if list.optional_indices.contains(&index) => {
                            items.extend(inner.map(|inner| inner.as_ref().clone()))
                        }
                        Val::Omit => {}
                        value => items.push(value),
                    }
                }
                Ok(Val::list(items))
            }
            Expr::Map(map) => {
                self.budget.list(map.entries.len())?;
                let mut entries = Entries::default();
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else { continue };
                    let key = self.node(&entry.key)?;
                    match self.node(&entry.value)? {
                        Val::Omit => {}
                        Val::Optional(None) if entry.optional => {}
                        Val::Optional(Some(inner)) if entry.optional => functions::insert(&mut entries, key, inner.as_ref().clone())?,
                        value => functions::insert(&mut entries, key, value)?,
                    }
                }
                Ok(Val::Map(Arc::new(entries)))
            }
            Expr::Struct(structure) => {
                let mut entries = Entries::default();
                for entry in &structure.entries {
                    if let EntryExpr::StructField(field) = &entry.expr {
                        let value = self.node(&field.value)?;
                        functions::insert(&mut entries, Val::text(field.field.as_str()), value)?;
                    }
                }
                Ok(Val::Map(Arc::new(entries)))
            }
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
        }
    }

    fn identifier(&self, name: &str) -> Result<Val, ExprError> {
        if let Some(local) = self.locals.iter().rev().find(|local| local.name == name) {
            return Ok(local.value.clone());
        }
        if let Some(value) = self.variables.get(name) {
            return Ok(value.clone());
        }
        match name {
            "bool" | "bytes" | "double" | "int" | "list" | "map" | "null_type" | "string" | "uint" | "type" => Ok(Val::Type(name.into())),
            _ => Err(ExprError::AbsentPath(name.to_owned())),
        }
    }

    fn is_known(&self, name: &str) -> bool {
        self.variables.contains_key(name) || self.locals.iter().any(|local| local.name == name)
    }

    fn select(&mut self, node: &'e IdedExpr, select: &'e SelectExpr) -> Result<Val, ExprError> {
        if let Expr::Select(inner) = &select.operand.expr
            && inner.operand.expr == Expr::Ident("google".to_owned())
            && !self.is_known("google")
        {
            return Ok(Val::Type(format!("google.protobuf.{}", select.field).into()));
        }
        // `has(a.b.c)` only tests c: an absent a.b is an error here, too.
        let operand = self.node(&select.operand)?;
        if select.test {
            return has(&operand, &select.field).map(Val::Bool);
        }
        match &operand {
            Val::Optional(inner) => Ok(Val::Optional(inner.as_ref().and_then(|inner| field(inner, &select.field)).map(Arc::new))),
            Val::Map(_) => field(&operand, &select.field).ok_or_else(|| ExprError::AbsentPath(self.path(node))),
            Val::Null => Err(ExprError::AbsentPath(self.path(node))),
            other => Err(RuntimeProblem::NoFields { path: self.path(&select.operand), kind: other.type_name() }.into()),
        }
    }

    fn call(&mut self, node: &'e IdedExpr, call: &'e CallExpr) -> Result<Val, ExprError> {
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::CONDITIONAL, [condition, yes, no]) => {
                let Val::Bool(flag) = self.node(condition)? else {
                    return Err(RuntimeProblem::NoOverload(Overload::Condition).into());
                };
                self.node(if flag { yes } else { no })
            }
            (operators::LOGICAL_AND, [left, right]) => self.logical(left, right, false),
            (operators::LOGICAL_OR, [left, right]) => self.logical(left, right, true),
            (operators::LOGICAL_NOT, [operand]) => match self.node(operand)? {
                Val::Bool(flag) => Ok(Val::Bool(!flag)),
                other => Err(ExprError::no_operator("!", [other.type_name()])),
            },
            (operators::NOT_STRICTLY_FALSE, [operand]) => match self.node(operand) {
                Ok(Val::Bool(flag)) => Ok(Val::Bool(flag)),
                Err(error @ ExprError::Budget(_)) => Err(error),
                _ => Ok(Val::Bool(true)),
            },
            (operators::NEGATE, [operand]) => match self.node(operand)? {
                Val::Int(number) => number.checked_neg().map(Val::Int).ok_or_else(|| RuntimeProblem::Overflow.into()),
                Val::Double(number) => Ok(Val::Double(-number)),
                other => Err(ExprError::no_operator("-", [other.type_name()])),
            },
            (operators::OPT_SELECT, [operand, name]) => {
                let Expr::Literal(LiteralValue::String(name)) = &name.expr else { return Err(RuntimeProblem::FieldName.into()) };
                let operand = self.node(operand)?;
                Ok(Val::Optional(opened(&operand).and_then(|value| field(value, name.inner())).map(Arc::new)))
            }
            (operators::OPT_INDEX, [operand, index]) => {
                let (operand, index) = (self.node(operand)?, self.node(index)?);
                Ok(Val::Optional(opened(&operand).and_then(|value| at(value, &index)).map(Arc::new)))
            }
            (operators::INDEX, [operand, index]) => {
                let (operand_value, index_value) = (self.node(operand)?, self.node(index)?);
                match &operand_value {
                    Val::Optional(inner) => Ok(Val::Optional(inner.as_ref().and_then(|value| at(value, &index_value)).map(Arc::new))),
                    value => at(value, &index_value).ok_or_else(|| self.absent_item(node, value, &index_value)),
                }
            }
            (operators::EQUALS, [left, right]) => self.equal(left, right).map(Val::Bool),
            (operators::NOT_EQUALS, [left, right]) => self.equal(left, right).map(|equal| Val::Bool(!equal)),
            (operator @ (operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS), [left, right]) => {
                let (left, right) = (self.node(left)?, self.node(right)?);
                left.weigh(self.budget)?;
                let Some(order) = left.order(&right) else {
                    let order = Overload::Order { left: left.type_name(), right: right.type_name() };
                    return Err(RuntimeProblem::NoOverload(order).into());
                };
                Ok(Val::Bool(match operator {
                    operators::LESS => order.is_lt(),
                    operators::LESS_EQUALS => order.is_le(),
                    operators::GREATER => order.is_gt(),
                    _ => order.is_ge(),
                }))
            }
            (operators::ADD, [left, right]) => {
                let (left, right) = (self.node(left)?, self.node(right)?);
                functions::add(&left, &right, self.budget)
            }
            (operator @ (operators::SUBSTRACT | operators::MULTIPLY | operators::DIVIDE | operators::MODULO), [left, right]) => {
                let (left, right) = (self.node(left)?, self.node(right)?);
                functions::arithmetic(operator, &left, &right)
            }
            (operators::IN, [needle, haystack]) => {
                let (needle, haystack) = (self.node(needle)?, self.node(haystack)?);
                functions::is_in(&needle, &haystack, self.budget).map(Val::Bool)
            }
            _ => self.function(call),
        }
    }

    fn function(&mut self, call: &'e CallExpr) -> Result<Val, ExprError> {
        if let (Some(Expr::Ident(namespace)), "bind", [IdedExpr { expr: Expr::Ident(name), .. }, value, body]) =
            (call.target.as_deref().map(|target| &target.expr), call.func_name.as_str(), call.args.as_slice())
            && namespace == "cel"
        {
            let origin = is_place(value).then(|| Origin::At(self.path(value).into()));
            let value = self.node(value)?;
            self.locals.push(Local { name, value, origin });
            let result = self.node(body);
            self.locals.pop();
            return result;
        }
        let name = qualified(call, |name| self.is_known(name));
        let member = name.is_none() && call.target.is_some();
        let mut arguments = Vec::with_capacity(call.args.len() + 1);
        if member && let Some(target) = &call.target {
            arguments.push(self.node(target)?);
        }
        for argument in &call.args {
            arguments.push(self.node(argument)?);
        }
        functions::call(name.as_deref().unwrap_or(&call.func_name), member, &arguments, self.budget, &mut self.patterns)
    }

    fn equal(&mut self, left: &'e IdedExpr, right: &'e IdedExpr) -> Result<bool, ExprError> {
        let (left, right) = (self.node(left)?, self.node(right)?);
        left.weigh(self.budget)?;
        Ok(left.equals(&right))
    }

    /// Evaluates `&&` and `||`: one side can fail if the other one decides.
    fn logical(&mut self, left: &'e IdedExpr, right: &'e IdedExpr, decisive: bool) -> Result<Val, ExprError> {
        let no_overload = || ExprError::from(RuntimeProblem::NoOverload(Overload::Logical));
        let first = match self.node(left) {
            Ok(Val::Bool(flag)) if flag == decisive => return Ok(Val::Bool(decisive)),
            Ok(Val::Bool(_)) => None,
            Ok(_) => Some(no_overload()),
            Err(error @ ExprError::Budget(_)) => return Err(error),
            Err(error) => Some(error),
        };
        match (self.node(right), first) {
            (Ok(Val::Bool(flag)), _) if flag == decisive => Ok(Val::Bool(decisive)),
            (Err(error @ ExprError::Budget(_)), _) => Err(error),
            (_, Some(error)) => Err(error),
            (Ok(Val::Bool(flag)), None) => Ok(Val::Bool(flag)),
            (Ok(_), None) => Err(no_overload()),
            (Err(error), None) => Err(error),
        }
    }

    fn comprehension(&mut self, comprehension: &'e ComprehensionExpr) -> Result<Val, ExprError> {
        let range = self.node(&comprehension.iter_range)?;
        let items = match &range {
            Val::List(items) => Arc::clone(items),
            Val::Map(entries) => {
                // Its keys are listed again for each loop.
                self.budget.take(entries.len() as u64 / 4)?;
                Arc::new(entries.keys())
            }
            other => {
                let path = self.path(&comprehension.iter_range);
                return Err(RuntimeProblem::NotIterable { path, kind: other.type_name() }.into());
            }
        };
        let origin: Arc<str> = self.path(&comprehension.iter_range).into();
        let is_list = matches!(range, Val::List(_));
        let initial = self.node(&comprehension.accu_init)?;
        let base = self.locals.len();
        self.locals.push(Local { name: &comprehension.accu_var, value: initial, origin: None });
        let mut failed = None;
        for (index, item) in items.iter().enumerate() {
            let origin = is_list.then(|| Origin::Item(Arc::clone(&origin), index));
            self.locals.push(Local { name: &comprehension.iter_var, value: item.clone(), origin });
            let step = self.step(comprehension, base);
            self.locals.truncate(base + 1);
            match step {
                Ok(true) => {}
                Ok(false) => break,
                // As in CEL, a failing item counts only if no other item decides: the error is stored, and dropped if the result is
                // decided.
                Err(error @ ExprError::Budget(_)) => {
                    self.locals.truncate(base);
                    return Err(error);
                }
                Err(error) if is_logical(comprehension) => failed = failed.or(Some(error)),
                Err(error) => {
                    self.locals.truncate(base);
                    return Err(error);
                }
            }
        }
        let result = self.node(&comprehension.result);
        let decided = match (&self.locals[base].value, initial_flag(comprehension)) {
            (Val::Bool(flag), Some(initial)) => *flag != initial,
            _ => false,
        };
        self.locals.truncate(base);
        match failed {
            Some(error) if !decided => Err(error),
            _ => result,
        }
    }

    /// Runs one iteration and returns whether to continue.
    fn step(&mut self, comprehension: &'e ComprehensionExpr, base: usize) -> Result<bool, ExprError> {
        let Val::Bool(go_on) = self.node(&comprehension.loop_cond)? else { return Ok(true) };
        if !go_on {
            return Ok(false);
        }
        if let Some((filter, element)) = appended(comprehension) {
            // Results of map() and filter() are appended in place instead of copied in each iteration.
            if let Some(filter) = filter {
                match self.node(filter)? {
                    Val::Bool(true) => {}
                    Val::Bool(false) => return Ok(true),
                    other => return Err(RuntimeProblem::NoOverload(Overload::Filter { kind: other.type_name() }).into()),
                }
            }
            let value = self.node(element)?;
            if let Val::List(items) = &mut self.locals[base].value {
                self.budget.list(1)?;
                if items.len() >= super::budget::LIST_LIMIT {
                    return Err(super::budget::Exhausted::List.into());
                }
                if !matches!(value, Val::Omit) {
                    Arc::make_mut(items).push(value);
                }
                return Ok(true);
            }
        }
        let value = self.node(&comprehension.loop_step)?;
        self.locals[base].value = value;
        Ok(true)
    }

    fn absent_item(&self, node: &IdedExpr, value: &Val, index: &Val) -> ExprError {
        match value {
            Val::Map(_) | Val::Null => ExprError::AbsentPath(self.path(node)),
            Val::List(items) => match index {
                Val::Int(_) | Val::UInt(_) => ExprError::AbsentPath(format!("{} (it has {} items)", self.path(node), items.len())),
                other => RuntimeProblem::NotAnIndex { kind: other.type_name() }.into(),
            },
            other => RuntimeProblem::NoItems { kind: other.type_name() }.into(),
        }
    }

    /// Returns the path that an expression reads, as users write it; for anything computed, a word.
    fn path(&self, node: &IdedExpr) -> String {
        match &node.expr {
            Expr::Ident(name) => {
                let local = self.locals.iter().rev().find(|local| local.name == name);
                match local.and_then(|local| local.origin.as_ref()) {
                    Some(Origin::Item(list, index)) => format!("{list}[{index}]"),
                    Some(Origin::At(path)) => path.to_string(),
                    None => name.clone(),
                }
            }
            Expr::Select(select) => format!("{}.{}", self.path(&select.operand), select.field),
            Expr::Call(CallExpr { func_name, args, .. }) if func_name == operators::INDEX && args.len() == 2 => {
                let key = match &args[1].expr {
                    Expr::Literal(literal) => literal_value(literal).as_text(),
                    Expr::Ident(name) => self.identifier(name).ok().and_then(|value| value.as_text()),
                    _ => None,
                };
                format!("{}[{}]", self.path(&args[0]), key.unwrap_or_else(|| "…".to_owned()))
            }
            Expr::Comprehension(comprehension) => self.path(&comprehension.iter_range),
            _ => "the value".to_owned(),
        }
    }
}

/// Whether an expression reads a value at a path, instead of computing one.
fn is_place(node: &IdedExpr) -> bool {
    match &node.expr {
        Expr::Ident(_) | Expr::Select(_) => true,
        Expr::Call(call) => call.func_name == operators::INDEX,
        _ => false,
    }
}

/// Whether the macro joins its iterations with `&&` or `||`.
fn is_logical(comprehension: &ComprehensionExpr) -> bool {
    matches!(&comprehension.loop_step.expr, Expr::Call(call) if matches!(call.func_name.as_str(), operators::LOGICAL_AND | operators::LOGICAL_OR))
}

fn initial_flag(comprehension: &ComprehensionExpr) -> Option<bool> {
    match &comprehension.accu_init.expr {
        Expr::Literal(LiteralValue::Boolean(flag)) => Some(*flag.inner()),
        _ => None,
    }
}

/// Returns filter and element of a macro whose step is `result + [element]`, possibly with a condition.
fn appended(comprehension: &ComprehensionExpr) -> Option<(Option<&IdedExpr>, &IdedExpr)> {
    let Expr::Call(step) = &comprehension.loop_step.expr else { return None };
    match step.args.as_slice() {
        [filter, then, _] if step.func_name == operators::CONDITIONAL => Some((Some(filter), element(comprehension, then)?)),
        _ => Some((None, element(comprehension, &comprehension.loop_step)?)),
    }
}

fn element<'a>(comprehension: &ComprehensionExpr, node: &'a IdedExpr) -> Option<&'a IdedExpr> {
    let Expr::Call(call) = &node.expr else { return None };
    match call.args.as_slice() {
        [IdedExpr { expr: Expr::Ident(name), .. }, IdedExpr { expr: Expr::List(list), .. }]
            if call.func_name == operators::ADD && *name == comprehension.accu_var && name.starts_with('@') =>
        {
            list.elements.first()
        }
        _ => None,
    }
}

fn opened(value: &Val) -> Option<&Val> {
    match value {
        Val::Optional(inner) => inner.as_deref(),
        other => Some(other),
    }
}

/// Returns a field by its name, or by its escaped name.
fn field(value: &Val, name: &str) -> Option<Val> {
    let Val::Map(entries) = value else { return None };
    entries.texts.get(name).or_else(|| entries.texts.get(names::unescape(name)?.as_str())).cloned()
}

fn has(value: &Val, name: &str) -> Result<bool, ExprError> {
    match value {
        // A null field counts as absent, as in the API server for nullable fields.
        Val::Map(_) => Ok(field(value, name).is_some_and(|value| !matches!(value, Val::Null))),
        Val::Optional(inner) => Ok(inner.as_ref().is_some_and(|inner| field(inner, name).is_some())),
        Val::Null => Ok(false),
        other => Err(ExprError::no_operator("has()", [other.type_name()])),
    }
}

fn at(value: &Val, index: &Val) -> Option<Val> {
    match (value, index) {
        (Val::List(items), Val::Int(index)) => items.get(usize::try_from(*index).ok()?).cloned(),
        (Val::List(items), Val::UInt(index)) => items.get(usize::try_from(*index).ok()?).cloned(),
        (Val::Map(entries), key) => entries.get(key).cloned(),
        _ => None,
    }
}

fn literal_value(literal: &LiteralValue) -> Val {
    match literal {
        LiteralValue::Boolean(flag) => Val::Bool(*flag.inner()),
        LiteralValue::Bytes(bytes) => Val::Bytes(Arc::new(bytes.inner().to_vec())),
        LiteralValue::Double(number) => Val::Double(*number.inner()),
        LiteralValue::Int(number) => Val::Int(*number.inner()),
        LiteralValue::Null => Val::Null,
        LiteralValue::String(text) => Val::text(text.inner()),
        LiteralValue::UInt(number) => Val::UInt(*number.inner()),
    }
}
