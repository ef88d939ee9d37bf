//! Literals that can be checked before anything is evaluated: patterns, durations and timestamps.
//! Source: cel-go `cel/validator.go`.

use kube_cel::cel::IdedExpr;
use kube_cel::cel::common::ast::{CallExpr, EntryExpr, Expr, LiteralValue};

use super::error::{ExprError, TypeProblem};
use super::library;
use super::position::Positions;
use super::value::Val;

/// Returns the errors of the literals in an expression.
pub(crate) fn faults(root: &IdedExpr, positions: &Positions) -> Vec<ExprError> {
    let mut found = Vec::new();
    calls(root, &mut |call| {
        let Some(argument) = call.args.first() else { return };
        if !is_good(&call.func_name, &argument.expr) {
            let problem = TypeProblem::InvalidLiteral { function: call.func_name.clone() };
            found.push(ExprError::Type { problem, place: positions.of(argument) });
        }
    });
    found
}

fn is_good(function: &str, argument: &Expr) -> bool {
    let Expr::Literal(LiteralValue::String(text)) = argument else { return true };
    match function {
        "matches" => crate::pattern::compile(text.inner()).is_ok(),
        "duration" | "timestamp" => library::call(function, false, &[Val::text(text.inner())]).is_ok(),
        _ => true,
    }
}

/// Visits every call.
fn calls(node: &IdedExpr, visit: &mut impl FnMut(&CallExpr)) {
    match &node.expr {
        Expr::Select(select) => calls(&select.operand, visit),
        Expr::Call(call) => {
            visit(call);
            if let Some(target) = &call.target {
                calls(target, visit);
            }
            call.args.iter().for_each(|argument| calls(argument, visit));
        }
        Expr::List(list) => list.elements.iter().for_each(|element| calls(element, visit)),
        Expr::Map(map) => {
            for entry in &map.entries {
                if let EntryExpr::MapEntry(entry) = &entry.expr {
                    calls(&entry.key, visit);
                    calls(&entry.value, visit);
                }
            }
        }
        Expr::Struct(structure) => {
            for entry in &structure.entries {
                if let EntryExpr::StructField(field) = &entry.expr {
                    calls(&field.value, visit);
                }
            }
        }
        Expr::Comprehension(comprehension) => {
            calls(&comprehension.iter_range, visit);
            calls(&comprehension.loop_step, visit);
        }
        Expr::Ident(_) | Expr::Literal(_) | Expr::Unspecified => {}
    }
}
