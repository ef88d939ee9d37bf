//! Functions with our own behaviour: those that must count what they build, conversions, and everything about optionals. All others are the
//! library's, called after their arguments are charged for.

use std::collections::HashMap;
use std::sync::Arc;

use super::budget::{Budget, Exhausted, TEXT_LIMIT};
use super::error::{ExprError, RuntimeProblem};
use super::library;
use super::value::{Entries, Val};

/// Steps for compiling one regular expression: a short pattern can cause this much work.
const PATTERN_STEPS: u64 = 5_000;

/// Regular expressions that one evaluation has compiled: in a loop, each is charged only once.
pub(crate) type Patterns = HashMap<Arc<str>, regex::Regex>;

/// Calls a function by its name; the first argument is the receiver if `member`.
pub(crate) fn call(name: &str, member: bool, arguments: &[Val], budget: &mut Budget, patterns: &mut Patterns) -> Result<Val, ExprError> {
    if let ("size", [Val::String(text)]) = (name, arguments) {
        // Counting characters reads each of them.
        budget.read(text.len())?;
    }
    if !is_cheap(name) {
        for argument in arguments {
            argument.weigh(budget)?;
        }
    }
    if let ("matches", [Val::String(text), Val::String(pattern)]) = (name, arguments) {
        return matches(text, pattern, budget, patterns).map(Val::Bool);
    }
    if let Some(result) = own(name, arguments, budget)? {
        return Ok(result);
    }
    guard(name, arguments, budget)?;
    let result = library::call(name, member, arguments)?;
    match &result {
        Val::String(text) => budget.text(text.len())?,
        Val::List(items) => budget.list(items.len())?,
        _ => {}
    }
    Ok(result)
}

fn matches(text: &str, pattern: &Arc<str>, budget: &mut Budget, patterns: &mut Patterns) -> Result<bool, ExprError> {
    // Each character of the text can visit each state of the expression.
    budget.take(10 + text.len() as u64 * (1 + pattern.len() as u64 / 16) / 4)?;
    if let Some(compiled) = patterns.get(pattern) {
        return Ok(compiled.is_match(text));
    }
    budget.take(PATTERN_STEPS)?;
    let compiled = crate::pattern::compile_often(pattern).map_err(RuntimeProblem::Pattern)?;
    let found = compiled.is_match(text);
    patterns.insert(Arc::clone(pattern), compiled);
    Ok(found)
}

/// Whether a function doesn't read the content of its arguments.
fn is_cheap(name: &str) -> bool {
    matches!(name, "size" | "hasValue" | "value" | "orValue" | "or" | "dyn" | "type" | "omit" | "optional.of" | "optional.none" | "range")
}

fn own(name: &str, arguments: &[Val], budget: &mut Budget) -> Result<Option<Val>, ExprError> {
    Ok(Some(match (name, arguments) {
        ("omit", []) => Val::Omit,
        ("dyn", [value]) => value.clone(),
        ("type", [value]) => Val::Type(value.type_name().into()),
        ("size", [value]) => Val::Int(size(value)?),
        ("range" | "lists.range", [Val::Int(count)]) => {
            let count = usize::try_from(*count).map_err(|_| RuntimeProblem::NegativeCount)?;
            budget.list(count)?;
            Val::list((0..count as i64).map(Val::Int).collect())
        }
        ("contains", [Val::String(text), Val::String(part)]) => Val::Bool(text.contains(part.as_ref())),
        ("startsWith", [Val::String(text), Val::String(start)]) => Val::Bool(text.starts_with(start.as_ref())),
        ("endsWith", [Val::String(text), Val::String(end)]) => Val::Bool(text.ends_with(end.as_ref())),
        ("optional.none", []) => Val::Optional(None),
        ("optional.of", [value]) => Val::Optional(Some(Arc::new(value.clone()))),
        ("optional.ofNonZeroValue", [value]) => Val::Optional((!is_zero(value)).then(|| Arc::new(value.clone()))),
        ("hasValue", [Val::Optional(inner)]) => Val::Bool(inner.is_some()),
        ("value", [Val::Optional(inner)]) => match inner {
            Some(inner) => inner.as_ref().clone(),
            None => return Err(RuntimeProblem::AbsentOptional.into()),
        },
        ("orValue", [Val::Optional(inner), otherwise]) => inner.as_ref().map_or_else(|| otherwise.clone(), |inner| inner.as_ref().clone()),
        ("or", [Val::Optional(inner), otherwise]) => Val::Optional(match (inner, otherwise) {
            (Some(inner), _) => Some(Arc::clone(inner)),
            (None, Val::Optional(otherwise)) => otherwise.clone(),
            _ => return Err(ExprError::no_function("or")),
        }),
        ("base64.decode", [Val::String(text)]) => return library::call("base64.decode", false, &[Val::String(Arc::clone(text))]).map(Some),
        ("int" | "uint" | "double" | "bool" | "string" | "bytes", [value]) => return convert(name, value, budget),
        _ => return Ok(None),
    }))
}

/// Rejects library calls that would build too much, before they build it.
fn guard(name: &str, arguments: &[Val], budget: &mut Budget) -> Result<(), ExprError> {
    let bytes = match (name, arguments) {
        ("replace", [Val::String(text), Val::String(from), Val::String(to), ..]) => {
            let found = if from.is_empty() { text.chars().count() + 1 } else { text.matches(from.as_ref()).count() };
            text.len().saturating_add(found.saturating_mul(to.len()))
        }
        ("join", [Val::List(items), separator @ ..]) => {
            let separator = if let [Val::String(text)] = separator { text.len() } else { 0 };
            arguments[0].weigh(budget)?.saturating_add(items.len().saturating_mul(separator))
        }
        ("format", [Val::String(text), values]) => {
            let widths = text
                .split('%')
                .skip(1)
                .map(|rest| rest.trim_start_matches('.').split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default());
            if widths.into_iter().any(|digits| digits.len() > 3) {
                return Err(Exhausted::Text.into());
            }
            text.len().saturating_mul(4).saturating_add(values.weigh(budget)?.saturating_mul(4))
        }
        ("find" | "findAll", [Val::String(text), Val::String(pattern), ..]) => {
            budget.take(PATTERN_STEPS + text.len() as u64)?;
            crate::pattern::compile_often(pattern).map_err(RuntimeProblem::Pattern)?;
            0
        }
        ("split", [Val::String(text), ..]) => {
            budget.list(0)?;
            text.len()
        }
        ("math.bitShiftLeft" | "math.bitShiftRight", _) => 0,
        ("indexOf" | "lastIndexOf" | "distinct" | "sort" | "sets.contains" | "sets.equivalent" | "sets.intersects", arguments) => {
            // These compare items with each other.
            let items = |value: &Val| if let Val::List(items) = value { items.len() as u64 } else { 0 };
            let pairs = arguments.iter().map(items).map(|count| count + 1).fold(1, u64::saturating_mul);
            let own_pairs =
                if matches!(name, "distinct" | "sort") { arguments.iter().map(items).map(|count| count * count).sum() } else { 0 };
            budget.take(pairs.saturating_add(own_pairs))?;
            0
        }
        _ => 0,
    };
    if bytes > TEXT_LIMIT { Err(Exhausted::Text.into()) } else { Ok(()) }
}

fn size(value: &Val) -> Result<i64, ExprError> {
    let count = match value {
        Val::String(text) => text.chars().count(),
        Val::Bytes(bytes) => bytes.len(),
        Val::List(items) => items.len(),
        Val::Map(entries) => entries.len(),
        _ => return Err(ExprError::no_function("size")),
    };
    Ok(i64::try_from(count).unwrap_or(i64::MAX))
}

fn is_zero(value: &Val) -> bool {
    match value {
        Val::Null | Val::Optional(None) | Val::Omit => true,
        Val::Bool(flag) => !flag,
        Val::Int(number) => *number == 0,
        Val::UInt(number) => *number == 0,
        Val::Double(number) => *number == 0.0,
        Val::String(text) => text.is_empty(),
        Val::Bytes(bytes) => bytes.is_empty(),
        Val::List(items) => items.is_empty(),
        Val::Map(entries) => entries.len() == 0,
        _ => false,
    }
}

fn convert(name: &str, value: &Val, budget: &mut Budget) -> Result<Option<Val>, ExprError> {
    let overflow = || RuntimeProblem::Overflow;
    let unreadable = |text: &str| RuntimeProblem::Conversion { kind: name.to_owned(), text: text.to_owned() };
    Ok(Some(match (name, value) {
        ("int", Val::Int(_)) | ("uint", Val::UInt(_)) | ("double", Val::Double(_)) | ("bool", Val::Bool(_)) | ("bytes", Val::Bytes(_)) => {
            value.clone()
        }
        ("int", Val::UInt(number)) => Val::Int(i64::try_from(*number).map_err(|_| overflow())?),
        ("int", Val::Double(number)) if (-9.223_372_036_854_775e18..9.223_372_036_854_775e18).contains(number) => Val::Int(*number as i64),
        ("uint", Val::Int(number)) => Val::UInt(u64::try_from(*number).map_err(|_| overflow())?),
        ("uint", Val::Double(number)) if (0.0..1.844_674_407_370_955e19).contains(number) => Val::UInt(*number as u64),
        ("int" | "uint", Val::Double(_)) => return Err(overflow().into()),
        ("double", Val::Int(number)) => Val::Double(*number as f64),
        ("double", Val::UInt(number)) => Val::Double(*number as f64),
        ("int", Val::String(text)) => Val::Int(text.parse().map_err(|_| unreadable(text))?),
        ("uint", Val::String(text)) => Val::UInt(text.parse().map_err(|_| unreadable(text))?),
        ("double", Val::String(text)) => Val::Double(text.parse().map_err(|_| unreadable(text))?),
        ("bool", Val::String(text)) => Val::Bool(match text.as_ref() {
            "true" | "True" | "TRUE" | "t" | "1" => true,
            "false" | "False" | "FALSE" | "f" | "0" => false,
            _ => return Err(unreadable(text).into()),
        }),
        ("bytes", Val::String(text)) => Val::Bytes(Arc::new(text.as_bytes().to_vec())),
        ("string", Val::Bytes(bytes)) => Val::text(String::from_utf8(bytes.to_vec()).map_err(|_| RuntimeProblem::InvalidUtf8)?),
        ("string", Val::String(_)) => value.clone(),
        ("string", _) => {
            let text = value.as_text().filter(|_| !matches!(value, Val::Null)).ok_or_else(|| ExprError::no_function("string"))?;
            budget.text(text.len())?;
            Val::text(text)
        }
        _ => return Ok(None),
    }))
}

/// Adds two values, the only operator that builds things.
pub(crate) fn add(left: &Val, right: &Val, budget: &mut Budget) -> Result<Val, ExprError> {
    let overflow = || RuntimeProblem::Overflow;
    Ok(match (left, right) {
        (Val::Int(left), Val::Int(right)) => Val::Int(left.checked_add(*right).ok_or_else(overflow)?),
        (Val::UInt(left), Val::UInt(right)) => Val::UInt(left.checked_add(*right).ok_or_else(overflow)?),
        (Val::Double(left), Val::Double(right)) => Val::Double(left + right),
        (Val::String(left), Val::String(right)) => {
            budget.text(left.len() + right.len())?;
            Val::text(format!("{left}{right}"))
        }
        (Val::Bytes(left), Val::Bytes(right)) => {
            budget.text(left.len() + right.len())?;
            Val::Bytes(Arc::new([left.as_slice(), right.as_slice()].concat()))
        }
        (Val::List(left), Val::List(right)) => {
            budget.list(left.len() + right.len())?;
            Val::list(left.iter().chain(right.iter()).cloned().collect())
        }
        _ => return library_operator("_+_", left, right),
    })
}

/// Arithmetic other than addition.
pub(crate) fn arithmetic(operator: &str, left: &Val, right: &Val) -> Result<Val, ExprError> {
    let overflow = || RuntimeProblem::Overflow;
    let zero = || if operator == "_%_" { RuntimeProblem::ModulusByZero } else { RuntimeProblem::DivisionByZero };
    Ok(match (operator, left, right) {
        ("_-_", Val::Int(left), Val::Int(right)) => Val::Int(left.checked_sub(*right).ok_or_else(overflow)?),
        ("_-_", Val::UInt(left), Val::UInt(right)) => Val::UInt(left.checked_sub(*right).ok_or_else(overflow)?),
        ("_-_", Val::Double(left), Val::Double(right)) => Val::Double(left - right),
        ("_*_", Val::Int(left), Val::Int(right)) => Val::Int(left.checked_mul(*right).ok_or_else(overflow)?),
        ("_*_", Val::UInt(left), Val::UInt(right)) => Val::UInt(left.checked_mul(*right).ok_or_else(overflow)?),
        ("_*_", Val::Double(left), Val::Double(right)) => Val::Double(left * right),
        ("_/_" | "_%_", Val::Int(_), Val::Int(0)) | ("_/_" | "_%_", Val::UInt(_), Val::UInt(0)) => return Err(zero().into()),
        ("_/_", Val::Int(left), Val::Int(right)) => Val::Int(left.checked_div(*right).ok_or_else(overflow)?),
        ("_/_", Val::UInt(left), Val::UInt(right)) => Val::UInt(left / right),
        ("_/_", Val::Double(left), Val::Double(right)) => Val::Double(left / right),
        ("_%_", Val::Int(left), Val::Int(right)) => Val::Int(left.checked_rem(*right).ok_or_else(overflow)?),
        ("_%_", Val::UInt(left), Val::UInt(right)) => Val::UInt(left % right),
        _ => return library_operator(operator, left, right),
    })
}

fn library_operator(operator: &str, left: &Val, right: &Val) -> Result<Val, ExprError> {
    if matches!((left, right), (Val::Library(_), Val::Library(_))) {
        return library::call(operator, false, &[left.clone(), right.clone()]);
    }
    Err(ExprError::no_operator(operator, [left.type_name(), right.type_name()]))
}

/// Whether a list contains a value, or a map a key.
pub(crate) fn is_in(needle: &Val, haystack: &Val, budget: &mut Budget) -> Result<bool, ExprError> {
    match haystack {
        Val::List(items) => {
            let weight = needle.weigh(budget)?;
            budget.take((items.len() as u64).saturating_mul(1 + weight as u64 / 10))?;
            Ok(items.iter().any(|item| item.equals(needle)))
        }
        Val::Map(entries) => Ok(entries.get(needle).is_some()),
        _ => Err(ExprError::no_function("in")),
    }
}

/// Adds an entry to a map; a duplicate key is an error, as in CEL.
pub(crate) fn insert(entries: &mut Entries, key: Val, value: Val) -> Result<(), ExprError> {
    if !matches!(key, Val::String(_) | Val::Int(_) | Val::UInt(_) | Val::Bool(_)) {
        return Err(RuntimeProblem::KeyType { kind: key.type_name() }.into());
    }
    if entries.get(&key).is_some() {
        return Err(RuntimeProblem::DuplicateKey.into());
    }
    entries.insert(key, value);
    Ok(())
}
