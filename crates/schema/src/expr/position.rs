//! Where the nodes of a syntax tree stand in the source. The parser keeps that to itself, so the tree is walked in the order of the
//! source and each operator, name and bracket is looked up among the tokens from where the last one was found.

use std::collections::HashMap;

use kube_cel::cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};

use super::error::Place;

/// Places of nodes by their ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Positions {
    source: String,
    offsets: HashMap<u64, usize>,
}

impl Positions {
    pub(crate) fn new(source: &str, root: &IdedExpr) -> Self {
        let mut walk = Walk { tokens: tokens(source), next: 0, offsets: HashMap::new() };
        walk.node(root, 0);
        Self { source: source.to_owned(), offsets: walk.offsets }
    }

    pub(crate) fn of(&self, node: &IdedExpr) -> Option<Place> {
        place(&self.source, *self.offsets.get(&node.id)?)
    }
}

/// Line and column of an offset in bytes.
fn place(source: &str, offset: usize) -> Option<Place> {
    let before = source.get(..offset)?;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Some(Place {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        text: source[line_start..].lines().next().unwrap_or_default().to_owned(),
    })
}

struct Walk<'s> {
    tokens: Vec<(usize, &'s str)>,
    next: usize,
    offsets: HashMap<u64, usize>,
}

impl Walk<'_> {
    fn find(&mut self, token: &str) -> Option<usize> {
        let found = self.tokens[self.next..].iter().position(|(_, text)| *text == token)?;
        self.next += found + 1;
        Some(self.tokens[self.next - 1].0)
    }

    fn mark(&mut self, node: &IdedExpr, token: &str) {
        if let Some(offset) = self.find(token) {
            self.offsets.insert(node.id, offset);
        }
    }

    fn node(&mut self, node: &IdedExpr, depth: usize) {
        if depth > 200 {
            return;
        }
        let depth = depth + 1;
        match &node.expr {
            Expr::Ident(name) if !name.starts_with('@') => self.mark(node, name),
            Expr::Literal(literal) => self.literal(node, literal),
            Expr::Select(select) => {
                self.node(&select.operand, depth);
                self.mark(node, ".");
            }
            Expr::Call(call) => self.call(node, call, depth),
            Expr::List(list) => list.elements.iter().for_each(|element| self.node(element, depth)),
            Expr::Map(map) => {
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        self.node(&entry.key, depth);
                        self.node(&entry.value, depth);
                    }
                }
            }
            Expr::Comprehension(comprehension) => {
                self.node(&comprehension.iter_range, depth);
                self.mark(node, "(");
                self.find(&comprehension.iter_var);
                self.node(&comprehension.loop_step, depth);
            }
            _ => {}
        }
    }

    /// A literal stands where the next token is one, opening brackets and commas aside: what a macro wrote stands nowhere.
    fn literal(&mut self, node: &IdedExpr, literal: &LiteralValue) {
        let is_aside = |token: &str| matches!(token, "(" | "[" | "{" | "," | ":" | "?");
        let Some(skipped) = self.tokens[self.next..].iter().position(|(_, token)| !is_aside(token)) else { return };
        let at = self.next + skipped;
        let (offset, token) = self.tokens[at];
        let digits = |token: &str| token.starts_with(|first: char| first.is_ascii_digit());
        let mut taken = 1;
        let fits = match literal {
            LiteralValue::String(_) | LiteralValue::Bytes(_) => token.contains(['"', '\'']),
            LiteralValue::Boolean(_) => matches!(token, "true" | "false"),
            LiteralValue::Null => token == "null",
            LiteralValue::Int(_) | LiteralValue::UInt(_) => {
                taken += usize::from(token == "-");
                token == "-" || digits(token)
            }
            LiteralValue::Double(_) => {
                // Sign, dot and exponent are tokens of their own that follow without a gap.
                let (mut end, mut last) = (offset + token.len(), token);
                for (next, more) in &self.tokens[at + 1..] {
                    let is_sign = matches!(*more, "-" | "+") && last.ends_with(['e', 'E']);
                    if *next != end || !(digits(more) || *more == "." || is_sign) {
                        break;
                    }
                    (end, last) = (end + more.len(), *more);
                    taken += 1;
                }
                matches!(token, "-" | ".") || digits(token)
            }
        };
        if fits {
            self.offsets.insert(node.id, offset);
            self.next = (at + taken).min(self.tokens.len());
        }
    }

    fn call(&mut self, node: &IdedExpr, call: &CallExpr, depth: usize) {
        let is_made_up = |argument: &IdedExpr| matches!(&argument.expr, Expr::Ident(name) if name.starts_with('@'));
        if call.args.iter().any(is_made_up) {
            // A step that a macro wrote: only what the author wrote stands in the source.
            call.args.iter().filter(|argument| !is_made_up(argument)).for_each(|argument| self.node(argument, depth));
            return;
        }
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::CONDITIONAL, [condition, yes, no]) => {
                self.node(condition, depth);
                self.mark(node, "?");
                self.node(yes, depth);
                self.find(":");
                self.node(no, depth);
            }
            (operators::INDEX | operators::OPT_INDEX, [operand, index]) => {
                self.node(operand, depth);
                self.mark(node, "[");
                self.node(index, depth);
            }
            (operators::OPT_SELECT, [operand, _]) => {
                self.node(operand, depth);
                self.mark(node, ".");
            }
            (name, [operand]) if name.starts_with(['!', '-']) => {
                self.mark(node, &name[..1]);
                self.node(operand, depth);
            }
            (name, [left, right]) if name.starts_with(['_', '@']) => {
                self.node(left, depth);
                self.mark(node, name.trim_matches(['_', '@']));
                self.node(right, depth);
            }
            (name, arguments) => {
                if let Some(target) = &call.target {
                    self.node(target, depth);
                }
                self.find(name);
                self.mark(node, "(");
                arguments.iter().for_each(|argument| self.node(argument, depth));
            }
        }
    }
}

/// Splits a source into names, operators, brackets and literals, each with its offset in bytes.
pub(crate) fn tokens(source: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let length = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if let Some(length) = text_length(rest) {
            length
        } else if first.is_alphanumeric() || first == '_' {
            rest.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(rest.len())
        } else if ["&&", "||", "==", "!=", "<=", ">="].iter().any(|operator| rest.starts_with(operator)) {
            2
        } else {
            first.len_utf8()
        };
        tokens.push((at, &rest[..length]));
        at += length;
    }
    tokens
}

/// Length of a literal text at the beginning, with its prefix and quotes.
fn text_length(rest: &str) -> Option<usize> {
    let prefix = rest.find(['"', '\''])?;
    if prefix > 2 || !rest[..prefix].bytes().all(|byte| b"rRbB".contains(&byte)) {
        return None;
    }
    let raw = rest[..prefix].contains(['r', 'R']);
    let quote = &rest[prefix..=prefix];
    let triple = quote.repeat(3);
    let quote = if rest[prefix..].starts_with(&triple) { triple.as_str() } else { quote };
    let mut at = prefix + quote.len();
    while at < rest.len() {
        if rest[at..].starts_with(quote) {
            return Some(at + quote.len());
        }
        let first = rest[at..].chars().next()?;
        at += first.len_utf8();
        if first == '\\' && !raw {
            at += rest[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    Some(rest.len())
}
