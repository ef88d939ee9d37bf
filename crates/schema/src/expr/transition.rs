//! What a rule says about changes: a value that has to stay as it is, or that can only grow or shrink. Recognized in the syntax tree.
//!
//! Each condition of a conjunction is looked at by itself. Alternatives that read only the former state are exceptions: the rule has no
//! effect where one of them is true. An alternative that the value is absent is no exception, because a field that stays as it is can't be
//! removed by accident.

use std::sync::Arc;

use kube_cel::cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};
use serde_json::Value;

use super::blame::{conjuncts, flatten};
use super::budget::Budget;
use super::evaluate::{Evaluator, Variables};
use super::types::Type;
use super::value::Val;
use super::{names, parse, references};

/// Maximum steps for the exceptions of one rule.
const STEPS: u64 = 10_000;
/// Maximum depth of conditions inside alternatives inside conditions.
const DEEPEST: usize = 8;

/// How a value can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It can't.
    Never,
    /// It can only grow. If `strictly`, it has to.
    Grows {
        /// Whether it can't stay as it is.
        strictly: bool,
    },
    /// It can only shrink. If `strictly`, it has to.
    Shrinks {
        /// Whether it can't stay as it is.
        strictly: bool,
    },
}

/// What about a value a rule compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The value itself.
    Value,
    /// The number of its characters or entries.
    Size,
    /// The amount that its text stands for, such as `10Gi`.
    Quantity,
}

/// A limit that a rule sets to changes of a value.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Path of the value below the node of the rule.
    pub path: Vec<String>,
    /// How it can change.
    pub change: Change,
    /// What is compared.
    pub measure: Measure,
    /// The former value for which the rule applies; any if `None`.
    pub only: Option<Value>,
    exceptions: Vec<Exception>,
    optional: bool,
}

/// A condition on the former state under which a rule has no effect.
#[derive(Clone, Debug)]
struct Exception {
    condition: Arc<IdedExpr>,
    /// The result for which the rule has no effect.
    when: bool,
}

impl Transition {
    /// Returns the limits that a rule sets; none if it can't be parsed. `optional` is whether `oldSelf` is optional.
    pub fn of_rule(rule: &str, optional: bool) -> Vec<Self> {
        // Parsing takes time, and most rules aren't about changes.
        if !rule.contains("oldSelf") {
            return Vec::new();
        }
        let Ok(tree) = parse::parse(rule) else { return Vec::new() };
        let mut found = Vec::new();
        every(&tree, &[], optional, DEEPEST, &mut found);
        found
    }

    /// Whether the rule limits the change of a former state: none of its exceptions applies to it. `old` is the former value at the node of
    /// the rule.
    pub fn applies_to(&self, old: &Value) -> bool {
        let old = Val::from_json(old, &Type::Dyn);
        let old = if self.optional { Val::Optional(Some(Arc::new(old))) } else { old };
        let variables = Variables::from([("oldSelf".to_owned(), old)]);
        let mut budget = Budget::steps(STEPS);
        self.exceptions.iter().all(|exception| {
            // What can't be evaluated isn't certain.
            let value = Evaluator::new(&variables, &mut budget).node(&exception.condition);
            matches!(value, Ok(Val::Bool(flag)) if flag != exception.when)
        })
    }

    /// Whether the rule keeps one answer of a yes–no question, and nothing else decides whether it applies.
    pub fn keeps_answer(&self) -> Option<bool> {
        let kept = self.only.as_ref()?.as_bool()?;
        let state = |flag: bool| self.path.iter().rev().fold(Value::Bool(flag), |inner, name| serde_json::json!({name.as_str(): inner}));
        (self.applies_to(&state(kept)) && !self.applies_to(&state(!kept))).then_some(kept)
    }

    /// Whether the rule always applies once the value is set.
    pub fn is_plain(&self) -> bool {
        self.exceptions.iter().all(|exception| self.is_absence(exception))
    }

    /// Whether the rule applies once the value is neither absent nor empty.
    pub fn is_write_once(&self) -> bool {
        self.exceptions.iter().all(|exception| self.is_absence(exception) || (exception.when && self.is_emptiness(&exception.condition)))
    }

    /// Whether an exception is that the value was absent.
    fn is_absence(&self, exception: &Exception) -> bool {
        let (condition, negated) = without_not(&exception.condition);
        if exception.when != negated {
            return false;
        }
        match &condition.expr {
            Expr::Select(select) if select.test => {
                let path = old(&select.operand).map(|path| [path, vec![select.field.clone()]].concat());
                path.is_some_and(|path| self.path.starts_with(&path))
            }
            Expr::Call(call) if call.func_name == "hasValue" => {
                call.target.as_deref().and_then(old).is_some_and(|path| self.path.starts_with(&path))
            }
            _ => false,
        }
    }

    /// Whether a condition is that the value was empty.
    fn is_emptiness(&self, condition: &IdedExpr) -> bool {
        let Expr::Call(CallExpr { func_name, args, .. }) = &condition.expr else { return false };
        let [one, other] = args.as_slice() else { return false };
        let is_empty = |value: &IdedExpr, literal: &IdedExpr| match &literal.expr {
            Expr::Literal(LiteralValue::String(text)) => text.inner().is_empty() && old(value).as_ref() == Some(&self.path),
            Expr::Literal(LiteralValue::Int(number)) => {
                *number.inner() == 0 && sized(value).and_then(old).is_some_and(|path| path == self.path)
            }
            _ => false,
        };
        func_name == operators::EQUALS && (is_empty(one, other) || is_empty(other, one))
    }
}

/// Finds the limits of all conditions that have to hold.
fn every(node: &IdedExpr, exceptions: &[Exception], optional: bool, left: usize, found: &mut Vec<Transition>) {
    let mut parts = Vec::new();
    conjuncts(node, &mut parts);
    for part in parts {
        any(part, exceptions, optional, left, found);
    }
}

/// Finds the limits of a condition with its exceptions.
fn any(node: &IdedExpr, exceptions: &[Exception], optional: bool, left: usize, found: &mut Vec<Transition>) {
    let Some(left) = left.checked_sub(1) else { return };
    if let Expr::Call(CallExpr { func_name, args, .. }) = &node.expr
        && func_name == operators::CONDITIONAL
        && let [condition, yes, no] = args.as_slice()
        && is_about_the_past(condition)
    {
        for (branch, other, when) in [(yes, no, false), (no, yes, true)] {
            if is_literal(other, true) {
                every(branch, &with(exceptions, condition, when), optional, left, found);
            }
        }
        return;
    }
    let mut parts = Vec::new();
    flatten(operators::LOGICAL_OR, node, &mut parts);
    let (past, mut present): (Vec<&IdedExpr>, Vec<&IdedExpr>) = parts.into_iter().partition(|part| is_about_the_past(part));
    let mut exceptions = exceptions.to_vec();
    for part in &past {
        exceptions = with(&exceptions, part, true);
    }
    if present.len() > 1 {
        present.retain(|part| !is_absent(part));
    }
    let [only] = present.as_slice() else { return };
    if matches!(&only.expr, Expr::Call(call) if [operators::LOGICAL_AND, operators::CONDITIONAL].contains(&call.func_name.as_str())) {
        return every(only, &exceptions, optional, left, found);
    }
    let compared = comparison(only).map(|(path, change, measure)| (path, change, measure, None));
    // `!oldSelf || self` keeps what was true.
    let kept = || flag(only).filter(|_| !past.is_empty()).map(|(path, value)| (path, Change::Never, Measure::Value, Some(value)));
    if let Some((path, change, measure, only)) = compared.or_else(kept) {
        let path = path.into_iter().map(|name| names::unescape(&name).unwrap_or(name)).collect();
        found.push(Transition { path, change, measure, only, exceptions, optional });
    }
}

fn with(exceptions: &[Exception], condition: &IdedExpr, when: bool) -> Vec<Exception> {
    let mut exceptions = exceptions.to_vec();
    exceptions.push(Exception { condition: Arc::new(condition.clone()), when });
    exceptions
}

/// Whether a condition reads the former state and nothing else.
fn is_about_the_past(node: &IdedExpr) -> bool {
    let read = references::of(node);
    !read.is_empty() && read.iter().all(|path| path.first().is_some_and(|root| root == "oldSelf"))
}

/// Whether a condition is that a value is absent now.
fn is_absent(node: &IdedExpr) -> bool {
    let (inner, negated) = without_not(node);
    negated && is_test(inner) && references::chain(inner).is_some()
}

fn is_literal(node: &IdedExpr, value: bool) -> bool {
    matches!(&node.expr, Expr::Literal(LiteralValue::Boolean(flag)) if *flag.inner() == value)
}

/// Returns a condition without its negation, and whether it had one.
fn without_not(node: &IdedExpr) -> (&IdedExpr, bool) {
    match &node.expr {
        Expr::Call(CallExpr { func_name, args, .. }) if func_name == operators::LOGICAL_NOT && args.len() == 1 => (&args[0], true),
        _ => (node, false),
    }
}

/// Returns the path of a value that has to be true, or false.
fn flag(node: &IdedExpr) -> Option<(Vec<String>, Value)> {
    let (inner, negated) = without_not(node);
    Some((new(inner)?, Value::Bool(!negated)))
}

/// Returns what a comparison of a value with its former self allows.
fn comparison(node: &IdedExpr) -> Option<(Vec<String>, Change, Measure)> {
    let (inner, negated) = without_not(node);
    let Expr::Call(CallExpr { func_name, target, args }) = &inner.expr else { return None };
    let quantities = match (func_name.as_str(), target.as_deref(), args.as_slice()) {
        ("isLessThan", Some(left), [right]) => Some((operators::LESS, left, right)),
        ("isGreaterThan", Some(left), [right]) => Some((operators::GREATER, left, right)),
        _ => None,
    };
    if let Some((operator, left, right)) = quantities {
        let (left, right) = (quantity(left)?, quantity(right)?);
        return related(if negated { opposite(operator) } else { operator }, left, right, Measure::Quantity);
    }
    if negated {
        return None;
    }
    let [left, right] = args.as_slice() else { return None };
    let zero = |node: &IdedExpr| matches!(&node.expr, Expr::Literal(LiteralValue::Int(number)) if *number.inner() == 0);
    if let (Some((one, other)), true) = (compared(left), zero(right)) {
        return related(func_name, quantity(one)?, quantity(other)?, Measure::Quantity);
    }
    if let (Some(one), Some(other)) = (sized(left), sized(right)) {
        return related(func_name, one, other, Measure::Size);
    }
    related(func_name, left, right, Measure::Value)
}

/// Returns the operands of `a.compareTo(b)`.
fn compared(node: &IdedExpr) -> Option<(&IdedExpr, &IdedExpr)> {
    match &node.expr {
        Expr::Call(CallExpr { func_name, target: Some(target), args }) if func_name == "compareTo" => Some((target, args.first()?)),
        _ => None,
    }
}

/// Returns the text that is read as a quantity.
fn quantity(node: &IdedExpr) -> Option<&IdedExpr> {
    match &node.expr {
        Expr::Call(CallExpr { func_name, target: None, args }) if func_name == "quantity" => args.first(),
        _ => None,
    }
}

/// Returns the value whose size is asked for.
fn sized(node: &IdedExpr) -> Option<&IdedExpr> {
    match &node.expr {
        Expr::Call(CallExpr { func_name, target, args }) if func_name == "size" => target.as_deref().or(args.first()),
        _ => None,
    }
}

fn opposite(operator: &str) -> &'static str {
    if operator == operators::LESS { operators::GREATER_EQUALS } else { operators::LESS_EQUALS }
}

/// Returns what a relation between a value and its former self allows, whichever comes first.
fn related(operator: &str, left: &IdedExpr, right: &IdedExpr, measure: Measure) -> Option<(Vec<String>, Change, Measure)> {
    let (path, is_new_first) = match (new(left), old(right)) {
        (Some(now), Some(before)) if now == before => (now, true),
        _ => match (old(left), new(right)) {
            (Some(before), Some(now)) if now == before => (now, false),
            _ => return None,
        },
    };
    let change = match (operator, is_new_first) {
        (operators::EQUALS, _) => Change::Never,
        (operators::GREATER_EQUALS, true) | (operators::LESS_EQUALS, false) => Change::Grows { strictly: false },
        (operators::GREATER, true) | (operators::LESS, false) => Change::Grows { strictly: true },
        (operators::LESS_EQUALS, true) | (operators::GREATER_EQUALS, false) => Change::Shrinks { strictly: false },
        (operators::LESS, true) | (operators::GREATER, false) => Change::Shrinks { strictly: true },
        _ => return None,
    };
    // A value of the same amount can be written in another way.
    if change == Change::Never && measure == Measure::Quantity {
        return None;
    }
    Some((path, change, measure))
}

/// Whether an expression only asks whether a value exists.
fn is_test(node: &IdedExpr) -> bool {
    matches!(&node.expr, Expr::Select(select) if select.test)
}

/// Returns the path of a value below `self`.
fn new(node: &IdedExpr) -> Option<Vec<String>> {
    if is_test(node) { None } else { below("self", references::chain(node)?) }
}

/// Returns the path of a value below `oldSelf`, also if that is optional.
fn old(node: &IdedExpr) -> Option<Vec<String>> {
    if is_test(node) {
        return None;
    }
    if let Some(path) = references::chain(node) {
        return below("oldSelf", path);
    }
    match &node.expr {
        Expr::Call(CallExpr { func_name, target: Some(target), args }) => match (func_name.as_str(), args.as_slice()) {
            ("value", []) => old(target),
            // Without a former value, it is compared with itself.
            ("orValue", [other]) => old(target).filter(|path| new(other).as_ref() == Some(path)),
            _ => None,
        },
        Expr::Select(select) => {
            let mut path = old(&select.operand)?;
            path.push(select.field.clone());
            Some(path)
        }
        _ => None,
    }
}

fn below(root: &str, path: Vec<String>) -> Option<Vec<String>> {
    let mut steps = path.into_iter();
    (steps.next()? == root).then(|| steps.collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Change, Measure, Transition};

    fn in_short(rule: &str) -> String {
        let one = |one: &Transition| {
            let change = match one.change {
                Change::Never => "stays",
                Change::Grows { strictly: false } => "grows",
                Change::Grows { strictly: true } => "has to grow",
                Change::Shrinks { strictly: false } => "shrinks",
                Change::Shrinks { strictly: true } => "has to shrink",
            };
            let measure = match one.measure {
                Measure::Value => "",
                Measure::Size => " in size",
                Measure::Quantity => " in amount",
            };
            let only = one.only.as_ref().map(|only| format!(" {only}")).unwrap_or_default();
            let once = match (one.is_plain(), one.is_write_once()) {
                (true, _) => "",
                (false, true) => " once set",
                (false, false) => " sometimes",
            };
            format!(".{} {change}{measure}{only}{once}", one.path.join("."))
        };
        Transition::of_rule(rule, rule.contains("Value()")).iter().map(one).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn limits_of_changes_are_recognized_in_the_tree() {
        for (rule, limits) in [
            ("self == oldSelf", ". stays"),
            ("(oldSelf) == (self)", ". stays"),
            ("self.size == oldSelf.size && self.a.b == oldSelf.a.b", ".size stays, .a.b stays"),
            ("!has(oldSelf.x) || (has(self.x) && self.x == oldSelf.x)", ".x stays"),
            ("!has(self.x) || !has(oldSelf.x) || self.x == oldSelf.x", ".x stays"),
            ("has(oldSelf.x) ? self.x == oldSelf.x : true", ".x stays"),
            ("!has(oldSelf.x) ? true : self.x == oldSelf.x", ".x stays"),
            ("oldSelf == '' || self == oldSelf", ". stays once set"),
            ("size(oldSelf.x) == 0 || oldSelf.x == self.x", ".x stays once set"),
            ("oldSelf.phase == 'draft' || self.size == oldSelf.size", ".size stays sometimes"),
            ("self.a__dash__b == oldSelf.a__dash__b", ".a-b stays"),
            ("!oldSelf || self", ". stays true sometimes"),
            ("oldSelf.on == false || self.on", ".on stays true sometimes"),
            ("self >= oldSelf", ". grows"),
            ("oldSelf.x <= self.x", ".x grows"),
            ("self > oldSelf", ". has to grow"),
            ("self.x <= oldSelf.x", ".x shrinks"),
            ("oldSelf > self", ". has to shrink"),
            ("self.size() >= oldSelf.size()", ". grows in size"),
            ("size(self.hosts) == size(oldSelf.hosts)", ".hosts stays in size"),
            ("quantity(self).compareTo(quantity(oldSelf)) >= 0", ". grows in amount"),
            ("!quantity(self.x).isLessThan(quantity(oldSelf.x))", ".x grows in amount"),
            ("quantity(oldSelf).isGreaterThan(quantity(self))", ". has to shrink in amount"),
            ("!oldSelf.hasValue() || self == oldSelf.value()", ". stays"),
            ("!oldSelf.hasValue() || self.x == oldSelf.value().x", ".x stays"),
            ("self.x == oldSelf.?x.orValue(self.x)", ".x stays"),
            // A conjunct that says something else doesn't matter.
            ("self.x == oldSelf.x && self.y > 2", ".x stays"),
            ("self == oldSelf || self == 'x'", ""),
            ("self.x == oldSelf.y", ""),
            ("self != oldSelf", ""),
            ("!(self == oldSelf)", ""),
            ("has(oldSelf.x) == has(self.x)", ""),
            ("self > 3", ""),
            ("self ==", ""),
        ] {
            assert_eq!(in_short(rule), limits, "{rule}");
        }
    }

    #[test]
    fn exceptions_are_about_the_former_state() {
        let one = |rule: &str| Transition::of_rule(rule, rule.contains("hasValue")).remove(0);
        for (rule, old, applies) in [
            ("self == oldSelf", json!("a"), true),
            ("oldSelf == '' || self == oldSelf", json!(""), false),
            ("oldSelf == '' || self == oldSelf", json!("a"), true),
            ("!has(oldSelf.x) || self.x == oldSelf.x", json!({}), false),
            ("!has(oldSelf.x) || self.x == oldSelf.x", json!({"x": 1}), true),
            ("has(oldSelf.x) ? self.x == oldSelf.x : true", json!({}), false),
            ("oldSelf.phase == 'draft' || self.size == oldSelf.size", json!({"phase": "live", "size": 1}), true),
            // It isn't certain.
            ("oldSelf.phase == 'draft' || self.size == oldSelf.size", json!({"size": 1}), false),
            ("!oldSelf.hasValue() || self == oldSelf.value()", json!(1), true),
        ] {
            assert_eq!(one(rule).applies_to(&old), applies, "{rule} {old}");
        }
    }
}
