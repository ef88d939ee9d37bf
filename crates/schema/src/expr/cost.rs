//! Worst-case cost of an expression, estimated from the schemas of what it reads: rules of a definition that could be too expensive are
//! rejected before any object exists. The numbers follow the estimator of the API server, and stay below it in case of doubt.

use std::cell::RefCell;
use std::collections::BTreeSet;

use kube_cel::cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};

use super::Program;
use crate::structural::{Kind, Schema};

/// Maximum size of a request in bytes: anything without a limit of its own can be as large as fits into a request.
const REQUEST_LIMIT: f64 = 3.0 * 1024.0 * 1024.0;
/// Cost of a byte of text that is read.
const TEXT_FACTOR: f64 = 0.1;
/// Cost of a byte of a regular expression for each chunk of text.
const PATTERN_FACTOR: f64 = 0.25;
const LIST_COST: f64 = 10.0;
const MAP_COST: f64 = 30.0;

/// Size that is assumed for lists and maps of usual requests where no limit, or a larger one, is declared.
const USUAL_ENTRIES: f64 = 10.0;
/// The same for texts.
const USUAL_LETTERS: f64 = 64.0;
/// Length of a number as text.
const DIGITS: f64 = 20.0;

/// Which sizes an estimate assumes.
pub(crate) struct Sizes {
    /// Whether everything has a usual size.
    all_usual: bool,
    /// JSON pointers of the schemas whose values have a usual size.
    usual: BTreeSet<String>,
    /// Schemas whose values were assumed to be larger than usual, with the keyword that would limit them.
    met: RefCell<BTreeSet<(String, &'static str)>>,
}

impl Sizes {
    /// Everything is as large as its schema allows.
    pub(crate) fn largest() -> Self {
        Self::usual_at(BTreeSet::new())
    }

    /// Everything is as large as in a usual request.
    pub(crate) fn usual() -> Self {
        Self { all_usual: true, ..Self::largest() }
    }

    /// Values of the schemas at these JSON pointers are as large as in a usual request, everything else is as large as its schema allows.
    pub(crate) fn usual_at(usual: BTreeSet<String>) -> Self {
        Self { all_usual: false, usual, met: RefCell::default() }
    }

    /// Returns the schemas whose values were assumed to be larger than usual, with the keyword that would limit them.
    pub(crate) fn met(self) -> BTreeSet<(String, &'static str)> {
        self.met.into_inner()
    }

    fn length(&self, schema: &Schema, declared: Option<i64>, keyword: &'static str, usual: f64, open: impl FnOnce() -> f64) -> f64 {
        let limit = declared.map(|limit| limit.max(0) as f64);
        if limit.is_some_and(|limit| limit <= usual) {
            return limit.unwrap_or_default();
        }
        if self.all_usual || self.usual.contains(&schema.pointer) {
            return usual;
        }
        self.met.borrow_mut().insert((schema.pointer.clone(), keyword));
        limit.unwrap_or_else(open)
    }

    fn of_text(&self, schema: &Schema) -> f64 {
        let longest = schema.enumeration().iter().filter_map(|value| value.as_str().map(str::len)).max();
        match (schema.max_length, longest, schema.format()) {
            (None, Some(longest), _) => longest as f64,
            (None, None, Some("date" | "date-time" | "duration")) => 40.0,
            (declared, ..) => self.length(schema, declared, "maxLength", USUAL_LETTERS, || REQUEST_LIMIT - 2.0),
        }
    }

    /// Returns the maximum number of items of a list or entries of a map.
    fn of_entries(&self, schema: &Schema) -> f64 {
        let (declared, keyword) = limit_of(schema);
        let (inside, around) =
            if schema.kind() == Some(Kind::Array) { (schema.items(), 1.0) } else { (schema.additional_properties(), 6.0) };
        let open = || (REQUEST_LIMIT - 2.0) / (inside.map_or(1.0, smallest) + around);
        self.length(schema, declared, keyword, USUAL_ENTRIES, open)
    }

    fn of_number(&self) -> f64 {
        // The text of a number has no declared length.
        if self.all_usual { DIGITS } else { f64::INFINITY }
    }

    /// Returns how many values a list or map has if they are counted: `None` if it declares no limit.
    pub(crate) fn counted(&self, schema: &Schema) -> Option<f64> {
        let (declared, _) = limit_of(schema);
        let size = self.of_entries(schema);
        (declared.is_some() || self.all_usual || self.usual.contains(&schema.pointer)).then_some(size)
    }
}

/// Returns the limit of a list or map, and its keyword.
fn limit_of(schema: &Schema) -> (Option<i64>, &'static str) {
    if schema.kind() == Some(Kind::Array) { (schema.max_items, "maxItems") } else { (schema.max_properties, "maxProperties") }
}

/// Upper bound on the size of a value.
#[derive(Clone, Debug)]
enum Size<'s> {
    /// Anything that a schema allows.
    Of(&'s Schema),
    Text(f64),
    List(f64, Box<Size<'s>>),
    /// A number, a boolean, or something whose size doesn't count.
    Small,
}

impl Size<'_> {
    /// Returns the bytes of a string, items of a list, or entries of a map; `None` for others.
    fn length(&self, sizes: &Sizes) -> Option<f64> {
        match self {
            Self::Of(schema) => match schema.kind() {
                Some(Kind::String) => Some(sizes.of_text(schema)),
                Some(Kind::Array) => Some(sizes.of_entries(schema)),
                Some(Kind::Object) => schema.additional_properties().map(|_| sizes.of_entries(schema)),
                _ => None,
            },
            Self::Text(length) | Self::List(length, _) => Some(*length),
            Self::Small => None,
        }
    }

    fn is_text(&self) -> bool {
        matches!(self, Self::Text(_)) || matches!(self, Self::Of(schema) if schema.kind() == Some(Kind::String))
    }
}

/// Returns the size of the smallest value as JSON, in bytes.
fn smallest(schema: &Schema) -> f64 {
    match schema.kind() {
        Some(Kind::Object) => {
            let required = schema
                .properties()
                .filter(|(name, property)| property.default_value().is_none() && schema.required.iter().any(|required| required == name));
            2.0 + required.map(|(name, property)| name.len() as f64 + smallest(property) + 4.0).sum::<f64>()
        }
        Some(Kind::String | Kind::Array) => 2.0,
        Some(Kind::Boolean) => 4.0,
        _ => 1.0,
    }
}

/// Returns how often a node with this schema can occur in one object, if no list or map above it declares a limit.
pub(crate) fn cardinality(schema: &Schema) -> f64 {
    REQUEST_LIMIT / (smallest(schema) + 1.0)
}

/// Returns the worst-case cost of one evaluation with `self` and `oldSelf` of a schema.
pub(crate) fn estimate(program: &Program, schema: &Schema, sizes: &Sizes) -> f64 {
    cost_of(program, &[("self", schema), ("oldSelf", schema)], sizes)
}

/// Returns the worst-case cost of one evaluation with variables of these schemas; any other variable counts as small.
pub(super) fn worst(program: &Program, variables: &[(&str, &Schema)]) -> f64 {
    cost_of(program, variables, &Sizes::largest())
}

fn cost_of(program: &Program, variables: &[(&str, &Schema)], sizes: &Sizes) -> f64 {
    let mut estimator = Estimator { variables, sizes, locals: Vec::new() };
    estimator.node(&program.tree).0
}

struct Estimator<'s, 'e> {
    variables: &'s [(&'s str, &'s Schema)],
    sizes: &'s Sizes,
    locals: Vec<(&'e str, Size<'s>)>,
}

impl<'s, 'e> Estimator<'s, 'e> {
    fn node(&mut self, node: &'e IdedExpr) -> (f64, Size<'s>) {
        match &node.expr {
            Expr::Literal(LiteralValue::String(text)) => (0.0, Size::Text(text.inner().len() as f64)),
            Expr::Literal(_) | Expr::Unspecified => (0.0, Size::Small),
            Expr::Ident(name) => (1.0, self.variable(name)),
            Expr::Select(select) => {
                let (cost, operand) = self.node(&select.operand);
                // The API server counts no cost for the test itself: its environment sets `PresenceTestHasCost(false)`.
                if select.test { (cost, Size::Small) } else { (cost + 1.0, field(&operand, &select.field)) }
            }
            Expr::List(list) => {
                let parts: Vec<_> = list.elements.iter().map(|element| self.node(element)).collect();
                let cost = LIST_COST + parts.iter().map(|(cost, _)| cost).sum::<f64>();
                let length = parts.len() as f64;
                (cost, Size::List(length, Box::new(self.largest(parts.into_iter().map(|(_, size)| size)))))
            }
            Expr::Map(map) => {
                let mut cost = MAP_COST;
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        cost += self.node(&entry.key).0 + self.node(&entry.value).0;
                    }
                }
                (cost, Size::Small)
            }
            Expr::Struct(_) => (MAP_COST, Size::Small),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::Call(call) => self.call(call),
        }
    }

    fn variable(&self, name: &str) -> Size<'s> {
        if let Some((_, size)) = self.locals.iter().rev().find(|(local, _)| *local == name) {
            return size.clone();
        }
        self.variables.iter().find(|(variable, _)| *variable == name).map_or(Size::Small, |(_, schema)| Size::Of(schema))
    }

    fn comprehension(&mut self, comprehension: &'e ComprehensionExpr) -> (f64, Size<'s>) {
        let (range_cost, range) = self.node(&comprehension.iter_range);
        let length = range.length(self.sizes).unwrap_or_default();
        let base = self.locals.len();
        self.locals.push((&comprehension.accu_var, Size::Small));
        self.locals.push((&comprehension.iter_var, item(&range)));
        let (step_cost, step) = self.node(&comprehension.loop_step);
        self.locals.truncate(base);
        let result = match step {
            // The result of map() and filter() has at most as many items as the loop.
            Size::List(_, item) => Size::List(length, item),
            _ => Size::Small,
        };
        (range_cost + length * step_cost, result)
    }

    fn call(&mut self, call: &'e CallExpr) -> (f64, Size<'s>) {
        let target = call.target.as_deref().map(|target| self.node(target));
        let arguments: Vec<(f64, Size<'s>)> = call.args.iter().map(|argument| self.node(argument)).collect();
        let sum = arguments.iter().chain(&target).map(|(cost, _)| cost).sum::<f64>();
        let sizes: Vec<Size<'s>> = target.iter().chain(&arguments).map(|(_, size)| size.clone()).collect();
        let length = |index: usize| sizes.get(index).and_then(|size| size.length(self.sizes));
        let text = |index: usize| (length(index).unwrap_or(1.0) * TEXT_FACTOR).ceil();
        match call.func_name.as_str() {
            operators::CONDITIONAL if arguments.len() == 3 => {
                (arguments[0].0 + arguments[1].0.max(arguments[2].0), self.largest(sizes.into_iter().skip(1)))
            }
            operators::LOGICAL_AND | operators::LOGICAL_OR | operators::LOGICAL_NOT | operators::NOT_STRICTLY_FALSE => (sum, Size::Small),
            operators::INDEX | operators::OPT_INDEX => (sum + 1.0, sizes.first().map_or(Size::Small, item)),
            operators::OPT_SELECT => match (&sizes[0], call.args.get(1).map(|name| &name.expr)) {
                (operand, Some(Expr::Literal(LiteralValue::String(name)))) => (sum + 1.0, field(operand, name.inner())),
                _ => (sum + 1.0, Size::Small),
            },
            // Comparing values without a size for equality costs nothing.
            operators::EQUALS | operators::NOT_EQUALS => {
                let shorter = length(0).zip(length(1)).map_or(0.0, |(left, right)| (left.min(right) * TEXT_FACTOR).ceil());
                (sum + shorter, Size::Small)
            }
            operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS => {
                let shorter = length(0).zip(length(1)).map_or(1.0, |(left, right)| (left.min(right) * TEXT_FACTOR).ceil());
                (sum + shorter.max(1.0), Size::Small)
            }
            operators::IN => (sum + length(1).unwrap_or(1.0).max(1.0), Size::Small),
            operators::ADD if sizes.iter().any(Size::is_text) => {
                let both = length(0).unwrap_or_default() + length(1).unwrap_or_default();
                (sum + (both * TEXT_FACTOR).ceil(), Size::Text(both))
            }
            operators::ADD => match sizes.into_iter().find(|size| matches!(size, Size::List(..))) {
                Some(list) => (sum + 1.0, list),
                None => (sum + 1.0, Size::Small),
            },
            "contains" => (sum + text(0) * text(1), Size::Small),
            "startsWith" | "endsWith" => (sum + text(1), Size::Small),
            "matches" => (sum + text(0) * (length(1).unwrap_or(1.0) * PATTERN_FACTOR).ceil(), Size::Small),
            "string" if sizes.first().is_some_and(Size::is_text) => (sum + text(0), sizes[0].clone()),
            "string" => (sum + 1.0, Size::Text(self.sizes.of_number())),
            "isSorted" | "sum" | "min" | "max" | "indexOf" | "lastIndexOf" | "distinct" => (sum + length(0).unwrap_or(1.0), Size::Small),
            "lowerAscii" | "upperAscii" | "trim" | "substring" | "find" | "charAt" => {
                (sum + text(0), Size::Text(length(0).unwrap_or_default()))
            }
            "split" => {
                let whole = length(0).unwrap_or_default();
                let count = call.args.get(1).and_then(whole_number).map_or(whole, |limit| whole.min(limit));
                (sum + text(0), Size::List(count, Box::new(Size::Text(whole))))
            }
            _ => (sum + 1.0, Size::Small),
        }
    }

    fn largest(&self, sizes: impl Iterator<Item = Size<'s>>) -> Size<'s> {
        let length = |size: &Size<'s>| size.length(self.sizes).unwrap_or_default();
        sizes.max_by(|left, right| length(left).total_cmp(&length(right))).unwrap_or(Size::Small)
    }
}

/// Returns a literal that is a non-negative integer.
fn whole_number(expression: &IdedExpr) -> Option<f64> {
    match &expression.expr {
        Expr::Literal(LiteralValue::Int(number)) => u32::try_from(*number.inner()).ok().map(f64::from),
        _ => None,
    }
}

fn field<'s>(operand: &Size<'s>, name: &str) -> Size<'s> {
    let Size::Of(schema) = operand else { return Size::Small };
    let escaped = super::names::unescape(name);
    let property = schema.property(name).or_else(|| schema.property(escaped.as_deref()?));
    property.or_else(|| schema.additional_properties()).map_or(Size::Small, Size::Of)
}

/// Returns the size of what a loop over a value visits: items of a list, keys of a map.
fn item<'s>(range: &Size<'s>) -> Size<'s> {
    match range {
        Size::Of(schema) => match schema.items() {
            Some(items) => Size::Of(items),
            None => Size::Small,
        },
        Size::List(_, item) => item.as_ref().clone(),
        _ => Size::Small,
    }
}
