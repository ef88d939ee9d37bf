//! Parsing, with limits that apply before CEL's parser sees the source.

use kube_cel::cel::IdedExpr;
use kube_cel::cel::parser::Parser;

use super::error::{ExprError, Place, SyntaxProblem};
use super::position::tokens;

/// Maximum source length of one expression, in bytes.
const SOURCE_LIMIT: usize = 16 << 10;
/// Maximum nesting of brackets.
const BRACKET_LIMIT: usize = 60;
/// Maximum run of prefix operators such as `!!!` or `---`.
const PREFIX_LIMIT: usize = 30;
/// Maximum number of operators in one expression: chains of them nest in the tree.
const OPERATOR_LIMIT: usize = 1_000;

/// Parses one expression.
pub(crate) fn parse(source: &str) -> Result<IdedExpr, ExprError> {
    limits(source).map_err(ExprError::of_syntax)?;
    Parser::new().enable_optional_syntax(true).max_recursion_depth(96).parse(source).map_err(|errors| {
        let Some(first) = errors.errors.into_iter().next() else {
            return ExprError::of_syntax(SyntaxProblem::Unreadable);
        };
        let line = usize::try_from(first.pos.0).unwrap_or_default();
        let column = usize::try_from(first.pos.1).unwrap_or_default();
        let text = source.lines().nth(line.saturating_sub(1)).unwrap_or_default().to_owned();
        // The parser puts this in front of most messages, as cel-go does; `ExprError::report` adds it to all of them.
        let message = first.msg.strip_prefix("Syntax error: ").unwrap_or(&first.msg).to_owned();
        ExprError::Syntax { problem: SyntaxProblem::Parser(message), place: Some(Place { line: line.max(1), column: column.max(1), text }) }
    })
}

fn limits(source: &str) -> Result<(), SyntaxProblem> {
    if source.trim().is_empty() {
        return Err(SyntaxProblem::Empty);
    }
    if source.len() > SOURCE_LIMIT {
        return Err(SyntaxProblem::TooLong { kib: SOURCE_LIMIT >> 10 });
    }
    let (mut depth, mut prefixes, mut operators) = (0_usize, 0_usize, 0_usize);
    for (_, token) in tokens(source) {
        prefixes = if matches!(token, "!" | "-") { prefixes + 1 } else { 0 };
        match token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "+" | "-" | "*" | "/" | "%" | "." | "?" | "&&" | "||" | "==" | "!=" | "<" | ">" | "<=" | ">=" | "in" | "!" => operators += 1,
            _ => {}
        }
        if depth > BRACKET_LIMIT || prefixes > PREFIX_LIMIT {
            return Err(SyntaxProblem::TooNested);
        }
    }
    if operators > OPERATOR_LIMIT {
        return Err(SyntaxProblem::TooManyOperators { limit: OPERATOR_LIMIT });
    }
    Ok(())
}
