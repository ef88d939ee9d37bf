//! What a condition that is false is about: the values that it reads and that decide it.
//!
//! Of conditions that all have to hold, only those that are false count. A loop over all elements (`self.ports.all(port, …)`) is about the
//! first element for which it is false.

use kube_cel::cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};

use super::budget::Budget;
use super::evaluate::{Evaluator, Variables};
use super::value::Val;

/// One step from a variable to a value that an expression reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A field or a key, as the expression writes it: names of fields can be escaped, such as `a__dash__b`.
    Name(String),
    /// An item of a list.
    Item(usize),
}

/// A value that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Read {
    path: Vec<Step>,
    /// Whether the expression only tests whether the value exists.
    is_test: bool,
}

/// What a name in an expression stands for.
#[derive(Clone, Debug)]
enum Meaning {
    /// The value at a path.
    At(Vec<Step>),
    /// The key of the entry at a path.
    KeyOf(Vec<Step>),
    /// A computed value.
    Computed,
}

/// Returns the paths below the variables `roots` that a false expression is about, in its order. All of them are returned as if they began
/// at the same value.
pub(super) fn of(tree: &IdedExpr, roots: &[&str], variables: &Variables, budget: &mut Budget) -> Vec<Vec<Step>> {
    let names = roots.iter().map(|root| ((*root).to_owned(), Meaning::At(Vec::new()))).collect();
    let mut finder = Finder { variables: variables.clone(), names, budget };
    let mut reads = Vec::new();
    finder.condition(tree, &mut reads);
    let mut paths: Vec<Vec<Step>> = Vec::new();
    for read in &reads {
        // `has(self.a) && self.a.b > 1` is about `a.b`.
        let leads = reads.iter().any(|other| other.path.len() > read.path.len() && other.path.starts_with(&read.path));
        let is_lead = read.is_test && leads;
        if !is_lead && !paths.contains(&read.path) {
            paths.push(read.path.clone());
        }
    }
    paths
}

struct Finder<'b> {
    variables: Variables,
    names: Vec<(String, Meaning)>,
    budget: &'b mut Budget,
}

impl Finder<'_> {
    /// Finds what a condition is about.
    fn condition(&mut self, node: &IdedExpr, reads: &mut Vec<Read>) {
        match &node.expr {
            Expr::Call(call) if call.func_name == operators::LOGICAL_AND => {
                let mut parts = Vec::new();
                conjuncts(node, &mut parts);
                let are_false: Vec<bool> = parts.iter().map(|part| matches!(self.value(part), Some(Val::Bool(false)))).collect();
                let known = are_false.contains(&true);
                for (part, _) in parts.into_iter().zip(are_false).filter(|(_, is_false)| *is_false || !known) {
                    self.condition(part, reads);
                }
            }
            Expr::Call(call) if call.func_name == operators::LOGICAL_OR => {
                call.args.iter().for_each(|part| self.condition(part, reads));
            }
            Expr::Call(CallExpr { func_name, args, .. }) if func_name == operators::CONDITIONAL && args.len() == 3 => {
                self.walk(&args[0], reads);
                match self.value(&args[0]) {
                    Some(Val::Bool(true)) => self.condition(&args[1], reads),
                    Some(Val::Bool(false)) => self.condition(&args[2], reads),
                    _ => args[1..].iter().for_each(|part| self.walk(part, reads)),
                }
            }
            Expr::Comprehension(comprehension) => {
                if !self.element(comprehension, reads) {
                    self.walk(node, reads);
                }
            }
            _ => self.walk(node, reads),
        }
    }

    /// Finds the first element for which a loop over all elements is false. Returns whether there is one.
    fn element(&mut self, comprehension: &ComprehensionExpr, reads: &mut Vec<Read>) -> bool {
        let Some(predicate) = of_all(comprehension) else { return false };
        let Some(Read { path: base, is_test: false }) = self.chain(&comprehension.iter_range) else { return false };
        let elements: Vec<(Step, Val, bool)> = match self.value(&comprehension.iter_range) {
            Some(Val::List(items)) => items.iter().enumerate().map(|(at, item)| (Step::Item(at), item.clone(), false)).collect(),
            Some(Val::Map(entries)) => {
                let named =
                    |key: Val| if let Val::String(text) = &key { Some((Step::Name(text.to_string()), key.clone(), true)) } else { None };
                entries.keys().into_iter().filter_map(named).collect()
            }
            _ => return false,
        };
        let name = &comprehension.iter_var;
        let shadowed = self.variables.get(name).cloned();
        let mut is_found = false;
        for (step, value, is_key) in elements {
            self.variables.insert(name.clone(), value);
            match self.value(predicate) {
                Some(Val::Bool(false)) => {}
                Some(_) => continue,
                None => break,
            }
            let mut row = base.clone();
            row.push(step);
            let meaning = if is_key { Meaning::KeyOf(row.clone()) } else { Meaning::At(row.clone()) };
            self.names.push((name.clone(), meaning));
            let mut inside = Vec::new();
            self.condition(predicate, &mut inside);
            self.names.pop();
            inside.retain(|read| read.path.starts_with(&row));
            if inside.is_empty() {
                inside.push(Read { path: row, is_test: false });
            }
            reads.append(&mut inside);
            is_found = true;
            break;
        }
        match shadowed {
            Some(value) => self.variables.insert(name.clone(), value),
            None => self.variables.remove(name),
        };
        is_found
    }

    /// Evaluates a part; `None` if that fails.
    fn value(&mut self, node: &IdedExpr) -> Option<Val> {
        Evaluator::new(&self.variables, self.budget).node(node).ok()
    }

    /// Finds everything that an expression reads.
    fn walk(&mut self, node: &IdedExpr, reads: &mut Vec<Read>) {
        if let Some(read) = self.chain(node) {
            reads.push(read);
            return;
        }
        match &node.expr {
            Expr::Select(select) => self.walk(&select.operand, reads),
            Expr::Call(call) => {
                if let Some((name, value, body)) = bound(call) {
                    self.walk(value, reads);
                    return self.computed(&[name], |finder| finder.walk(body, reads));
                }
                call.target.iter().for_each(|target| self.walk(target, reads));
                call.args.iter().for_each(|argument| self.walk(argument, reads));
            }
            Expr::List(list) => list.elements.iter().for_each(|element| self.walk(element, reads)),
            Expr::Map(map) => {
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        self.walk(&entry.key, reads);
                        self.walk(&entry.value, reads);
                    }
                }
            }
            Expr::Comprehension(comprehension) => {
                self.walk(&comprehension.iter_range, reads);
                self.computed(&[&comprehension.iter_var, &comprehension.accu_var], |finder| finder.walk(&comprehension.loop_step, reads));
            }
            Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) | Expr::Unspecified => {}
        }
    }

    /// Runs with names that stand for computed values.
    fn computed(&mut self, names: &[&str], run: impl FnOnce(&mut Self)) {
        let known = self.names.len();
        self.names.extend(names.iter().map(|name| ((*name).to_owned(), Meaning::Computed)));
        run(self);
        self.names.truncate(known);
    }

    /// Returns the value that an expression reads as it stands.
    fn chain(&self, node: &IdedExpr) -> Option<Read> {
        let at = |path| Some(Read { path, is_test: false });
        match &node.expr {
            Expr::Ident(name) => match &self.names.iter().rev().find(|(known, _)| known == name)?.1 {
                Meaning::At(path) | Meaning::KeyOf(path) => at(path.clone()),
                Meaning::Computed => None,
            },
            Expr::Select(select) => {
                let mut path = self.chain(&select.operand)?.path;
                path.push(Step::Name(select.field.clone()));
                Some(Read { path, is_test: select.test })
            }
            Expr::Call(call) if matches!(call.func_name.as_str(), operators::INDEX | operators::OPT_INDEX | operators::OPT_SELECT) => {
                let [operand, key] = call.args.as_slice() else { return None };
                let mut path = self.chain(operand)?.path;
                path.push(match &key.expr {
                    Expr::Literal(LiteralValue::String(text)) => Step::Name(text.inner().to_owned()),
                    Expr::Literal(LiteralValue::Int(number)) => Step::Item(usize::try_from(*number.inner()).ok()?),
                    Expr::Ident(name) => match &self.names.iter().rev().find(|(known, _)| known == name)?.1 {
                        Meaning::KeyOf(entry) => entry.last()?.clone(),
                        _ => return None,
                    },
                    _ => return None,
                });
                at(path)
            }
            _ => None,
        }
    }
}

/// Returns the conditions that all have to hold.
pub(super) fn conjuncts<'e>(node: &'e IdedExpr, parts: &mut Vec<&'e IdedExpr>) {
    flatten(operators::LOGICAL_AND, node, parts);
}

/// Returns the operands of a chain of one operator.
pub(super) fn flatten<'e>(operator: &str, node: &'e IdedExpr, parts: &mut Vec<&'e IdedExpr>) {
    match &node.expr {
        Expr::Call(call) if call.func_name == operator => call.args.iter().for_each(|part| flatten(operator, part, parts)),
        _ => parts.push(node),
    }
}

/// Returns the predicate of the macro `all`.
fn of_all(comprehension: &ComprehensionExpr) -> Option<&IdedExpr> {
    let begins_true = matches!(&comprehension.accu_init.expr, Expr::Literal(LiteralValue::Boolean(flag)) if *flag.inner());
    let is_result = |node: &IdedExpr| matches!(&node.expr, Expr::Ident(name) if *name == comprehension.accu_var);
    let Expr::Call(CallExpr { func_name, args, .. }) = &comprehension.loop_step.expr else { return None };
    match args.as_slice() {
        [result, predicate] if begins_true && func_name == operators::LOGICAL_AND && is_result(result) => Some(predicate),
        _ => None,
    }
}

/// Returns name, value and body of `cel.bind(name, value, body)`.
fn bound(call: &CallExpr) -> Option<(&str, &IdedExpr, &IdedExpr)> {
    let is_of_cel = call.target.as_deref().is_some_and(|target| matches!(&target.expr, Expr::Ident(name) if name == "cel"));
    match call.args.as_slice() {
        [IdedExpr { expr: Expr::Ident(name), .. }, value, body] if is_of_cel && call.func_name == "bind" => Some((name, value, body)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Step;
    use crate::expr::{Budget, Environment, Type};

    fn about(rule: &str, value: &Value) -> String {
        let environment = Environment::new().variable("self", Type::Dyn).variable("oldSelf", Type::Dyn);
        let program = environment.compile(rule).expect(rule);
        let scope = environment.scope().with("self", value).with("oldSelf", value);
        let paths = program.about(&["self", "oldSelf"], &scope, &mut Budget::default());
        let step = |step: &Step| match step {
            Step::Name(name) => format!(".{name}"),
            Step::Item(index) => format!("[{index}]"),
        };
        paths.iter().map(|path| path.iter().map(step).collect::<String>()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_false_condition_is_about_what_decides_it() {
        let value = json!({
            "min": 3, "max": 2, "mode": "c", "a": {"b": 1}, "labels": {"x": "y", "team": ""},
            "ports": [{"port": 1, "name": "a"}, {"port": 0, "name": "a"}]
        });
        for (rule, paths) in [
            ("self.min <= self.max", ".min .max"),
            ("!has(self.min) || !has(self.max) || self.min <= self.max", ".min .max"),
            ("self.mode in ['a', 'b']", ".mode"),
            ("has(self.a) && self.a.b > 1", ".a.b"),
            ("self.max > 1 && self.min < 3", ".min"),
            ("has(self.c)", ".c"),
            ("self.mode == 'x' ? self.min > 1 : self.max > 2", ".mode .max"),
            ("self.a.size() == 0", ".a"),
            ("self.a__dash__b == 1", ".a__dash__b"),
            ("has(oldSelf.url) == true", ".url"),
            ("self.ports.all(p, p.port > 0)", ".ports[1].port"),
            ("!has(self.ports) || self.ports.all(p, p.port > 0 || p.name == 'x')", ".ports[1].port .ports[1].name"),
            ("self.ports.all(p, self.ports.exists_one(q, q.name == p.name))", ".ports[0].name"),
            ("self.ports.exists(p, p.port > 5)", ".ports"),
            ("self.ports.map(p, p.port).sum() > 5", ".ports"),
            ("self.labels.all(key, self.labels[key] != '')", ".labels.team"),
            ("self.labels.all(key, size(key) < 3)", ".labels.team"),
            ("self.ports[1].port > 0", ".ports[1].port"),
            ("cel.bind(p, self.min, p < self.max)", ".min .max"),
            ("self == 1", ""),
        ] {
            assert_eq!(about(rule, &value), paths, "{rule}");
        }
    }
}
