//! The conditions of a simple expression as comparisons, which are described to users in words: users never see an expression.

use kube_cel::cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};
use serde_json::Value;

use super::references;

/// A comparison of the value at a path with fixed values.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// Path, starting with its variable, such as `["parameters", "tier"]`.
    pub path: Vec<String>,
    /// The required relation to the values.
    pub relation: Relation,
    /// One value, or any number of them for [`Relation::OneOf`].
    pub values: Vec<Value>,
}

/// A relation to values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Equal.
    Is,
    /// Not equal.
    IsNot,
    /// Less.
    Below,
    /// Less or equal.
    AtMost,
    /// Greater.
    Above,
    /// Greater or equal.
    AtLeast,
    /// One of the values.
    OneOf,
}

impl Relation {
    /// Returns the relation with its sides swapped.
    fn turned(self) -> Self {
        match self {
            Self::Below => Self::Above,
            Self::AtMost => Self::AtLeast,
            Self::Above => Self::Below,
            Self::AtLeast => Self::AtMost,
            same => same,
        }
    }
}

/// Returns the comparisons that all have to hold; `None` if the expression contains anything else. Checks of whether a value exists are
/// left out.
pub(super) fn of(node: &IdedExpr) -> Option<Vec<Clause>> {
    let flag = |node: &IdedExpr, value: bool| {
        let path = references::chain(node)?;
        Some(vec![Clause { path, relation: Relation::Is, values: vec![value.into()] }])
    };
    match &node.expr {
        Expr::Select(select) if select.test => Some(Vec::new()),
        Expr::Call(call) if call.func_name == operators::LOGICAL_AND => {
            let parts: Vec<Vec<Clause>> = call.args.iter().map(of).collect::<Option<_>>()?;
            Some(parts.concat())
        }
        Expr::Call(call) if call.func_name == operators::LOGICAL_NOT => match call.args.as_slice() {
            [IdedExpr { expr: Expr::Select(select), .. }] if select.test => None,
            [operand] => flag(operand, false),
            _ => None,
        },
        Expr::Call(call) => comparison(call).map(|clause| vec![clause]).or_else(|| flag(node, true)),
        _ => flag(node, true),
    }
}

fn comparison(call: &CallExpr) -> Option<Clause> {
    let relation = match call.func_name.as_str() {
        operators::EQUALS => Relation::Is,
        operators::NOT_EQUALS => Relation::IsNot,
        operators::LESS => Relation::Below,
        operators::LESS_EQUALS => Relation::AtMost,
        operators::GREATER => Relation::Above,
        operators::GREATER_EQUALS => Relation::AtLeast,
        operators::IN => Relation::OneOf,
        _ => return None,
    };
    let [left, right] = call.args.as_slice() else { return None };
    if relation == Relation::OneOf {
        let Expr::List(list) = &right.expr else { return None };
        let values = list.elements.iter().map(literal).collect::<Option<_>>()?;
        return Some(Clause { path: references::chain(left)?, relation, values });
    }
    match (literal(left), literal(right)) {
        (None, Some(value)) => Some(Clause { path: references::chain(left)?, relation, values: vec![value] }),
        (Some(value), None) => Some(Clause { path: references::chain(right)?, relation: relation.turned(), values: vec![value] }),
        _ => None,
    }
}

fn literal(node: &IdedExpr) -> Option<Value> {
    let Expr::Literal(literal) = &node.expr else { return None };
    match literal {
        LiteralValue::String(text) => Some(text.inner().into()),
        LiteralValue::Int(number) => Some((*number.inner()).into()),
        LiteralValue::Double(number) => Some((*number.inner()).into()),
        LiteralValue::Boolean(flag) => Some((*flag.inner()).into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Environment, Type};

    fn clauses(source: &str) -> Option<Vec<String>> {
        let program = Environment::new().variable("p", Type::Dyn).compile(source).unwrap();
        let texts = |clause: super::Clause| format!("{} {:?} {}", clause.path.join("."), clause.relation, serde_json::json!(clause.values));
        Some(program.clauses()?.into_iter().map(texts).collect())
    }

    #[test]
    fn comparisons_that_all_hold_are_told_and_nothing_else_is() {
        let told = |source: &str, words: &[&str]| assert_eq!(clauses(source).unwrap(), words, "{source}");
        told("p.tier == 'production'", &["p.tier Is [\"production\"]"]);
        told("has(p.tier) && p.tier != 'a' && 3 < p.replicas", &["p.tier IsNot [\"a\"]", "p.replicas Above [3]"]);
        told("p.backup.enabled && !p.tls", &["p.backup.enabled Is [true]", "p.tls Is [false]"]);
        told("p.region in ['eu', 'us'] && p.ratio <= 0.5", &["p.region OneOf [\"eu\",\"us\"]", "p.ratio AtMost [0.5]"]);
        for other in ["p.a == 1 || p.b == 2", "!has(p.a)", "p.a == p.b", "p.list.exists(x, x == 1)", "p.a.startsWith('x')", "p.a + 1 == 2"]
        {
            assert_eq!(clauses(other), None, "{other}");
        }
    }
}
