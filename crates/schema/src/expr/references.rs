//! Which paths an expression reads.

use std::collections::BTreeSet;

use kube_cel::cel::common::ast::{EntryExpr, Expr, IdedExpr, LiteralValue, operators};

/// Returns all paths that start at variables of the environment, sorted, without those that are prefixes of others.
pub(crate) fn of(root: &IdedExpr) -> Vec<Vec<String>> {
    let mut found = BTreeSet::new();
    let mut bound = Vec::new();
    walk(root, &mut bound, &mut found);
    found.into_iter().collect()
}

fn walk(node: &IdedExpr, bound: &mut Vec<String>, found: &mut BTreeSet<Vec<String>>) {
    if let Some(path) = chain(node) {
        if path.first().is_some_and(|root| !root.starts_with('@') && !bound.contains(root)) {
            found.insert(path);
        }
        return;
    }
    match &node.expr {
        Expr::Select(select) => walk(&select.operand, bound, found),
        Expr::Call(call) => {
            if let Some(target) = &call.target {
                walk(target, bound, found);
            }
            if let (Some(Expr::Ident(namespace)), [IdedExpr { expr: Expr::Ident(name), .. }, value, body]) =
                (call.target.as_deref().map(|target| &target.expr), call.args.as_slice())
                && namespace == "cel"
                && call.func_name == "bind"
            {
                walk(value, bound, found);
                bound.push(name.clone());
                walk(body, bound, found);
                bound.pop();
                return;
            }
            call.args.iter().for_each(|argument| walk(argument, bound, found));
        }
        Expr::List(list) => list.elements.iter().for_each(|element| walk(element, bound, found)),
        Expr::Map(map) => {
            for entry in &map.entries {
                if let EntryExpr::MapEntry(entry) = &entry.expr {
                    walk(&entry.key, bound, found);
                    walk(&entry.value, bound, found);
                }
            }
        }
        Expr::Struct(structure) => {
            for entry in &structure.entries {
                if let EntryExpr::StructField(field) = &entry.expr {
                    walk(&field.value, bound, found);
                }
            }
        }
        Expr::Comprehension(comprehension) => {
            walk(&comprehension.iter_range, bound, found);
            bound.push(comprehension.iter_var.clone());
            walk(&comprehension.loop_step, bound, found);
            walk(&comprehension.result, bound, found);
            bound.pop();
        }
        Expr::Ident(_) | Expr::Literal(_) | Expr::Unspecified => {}
    }
}

/// Returns the path whose value an expression returns unchanged: `p.x`, or `has(p.x) ? p.x : {}`, where nothing else is read.
pub(crate) fn given(root: &IdedExpr) -> Option<Vec<String>> {
    let asks_whether = |node: &IdedExpr| matches!(&node.expr, Expr::Select(select) if select.test);
    let (condition, value) = match &root.expr {
        Expr::Call(call) if call.func_name == operators::CONDITIONAL => match call.args.as_slice() {
            [condition, value, other] if asks_whether(condition) && of(other).is_empty() => (Some(condition), value),
            _ => return None,
        },
        _ => (None, root),
    };
    let path = chain(value).filter(|_| !asks_whether(value))?;
    condition.is_none_or(|condition| chain(condition).as_ref() == Some(&path)).then_some(path)
}

/// Returns a path of fields and constant keys that starts at a variable.
pub(super) fn chain(node: &IdedExpr) -> Option<Vec<String>> {
    match &node.expr {
        Expr::Ident(name) => Some(vec![name.clone()]),
        Expr::Select(select) => {
            let mut path = chain(&select.operand)?;
            path.push(select.field.clone());
            Some(path)
        }
        Expr::Call(call) if matches!(call.func_name.as_str(), operators::INDEX | operators::OPT_INDEX | operators::OPT_SELECT) => {
            let [operand, key] = call.args.as_slice() else { return None };
            let key = match &key.expr {
                Expr::Literal(LiteralValue::String(text)) => text.inner().to_owned(),
                Expr::Literal(LiteralValue::Int(number)) => number.inner().to_string(),
                _ => return None,
            };
            let mut path = chain(operand)?;
            path.push(key);
            Some(path)
        }
        _ => None,
    }
}
