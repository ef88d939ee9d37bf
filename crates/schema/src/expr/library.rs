//! Calls into the Kubernetes function library. The library's evaluator runs one call at a time, on values that were charged for before: it
//! never sees a loop.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

use kube_cel::KubeCelExt;
use kube_cel::cel::common::ast::{CallExpr, Expr};
use kube_cel::cel::context::VariableResolver;
use kube_cel::cel::objects::{Key, OptionalValue};
use kube_cel::cel::{self, Context, IdedExpr};

use super::error::{ExprError, RuntimeProblem};
use super::value::{Entries, Val};
use crate::request_uri::RequestUri;

static FUNCTIONS: LazyLock<Context<'static>> = LazyLock::new(|| Context::default().with_all());

struct Arguments(Vec<cel::Value>);

impl VariableResolver for Arguments {
    fn resolve(&self, variable: &str) -> Option<cel::Value> {
        self.0.get(variable.strip_prefix('@')?.parse::<usize>().ok()?).cloned()
    }
}

/// Functions that read a text. The library says why it can't in the words of its own parsers.
const READ: [&str; 8] = ["quantity", "ip", "cidr", "semver", "duration", "timestamp", "base64.decode", "b64.decode"];

/// Calls a function or operator; the first of `arguments` is the receiver if `member`.
///
/// # Errors
/// If the function rejects its arguments.
pub(crate) fn call(name: &str, member: bool, arguments: &[Val]) -> Result<Val, ExprError> {
    if let Some(read) = read(name, arguments) {
        return read;
    }
    let values = Arguments(arguments.iter().map(to_cel).collect::<Option<Vec<_>>>().ok_or_else(|| ExprError::no_function(name))?);
    let mut operands: Vec<IdedExpr> = (0..arguments.len()).map(|index| ided(Expr::Ident(format!("@{index}")))).collect();
    let (target, func_name) = match name.split_once('.') {
        Some((namespace, function)) if !name.starts_with('_') => (Some(Box::new(ided(Expr::Ident(namespace.to_owned())))), function),
        _ if member => (Some(Box::new(operands.remove(0))), name),
        _ => (None, name),
    };
    let call = ided(Expr::Call(CallExpr { func_name: func_name.to_owned(), target, args: operands }));
    let mut context = FUNCTIONS.new_inner_scope();
    context.set_variable_resolver(&values);
    // The library isn't ours: an argument that it doesn't expect must not stop the server.
    let resolved = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| context.resolve(&call)))
        .map_err(|_| RuntimeProblem::NotEvaluable { function: name.to_owned() })?;
    let unread = |message: String| match (READ.contains(&name), arguments) {
        (true, [Val::String(text), ..]) => RuntimeProblem::Unreadable { function: name.to_owned(), text: text.to_string() },
        _ => RuntimeProblem::Library(message),
    };
    let result = resolved.map_err(|error| match error {
        cel::ExecutionError::FunctionError { message, .. } => unread(message).into(),
        cel::ExecutionError::NoSuchOverload
        | cel::ExecutionError::UnexpectedType { .. }
        | cel::ExecutionError::UnsupportedTargetType { .. }
        | cel::ExecutionError::UnsupportedBinaryOperator(..) => ExprError::no_function(name),
        cel::ExecutionError::Overflow(..) => RuntimeProblem::Overflow.into(),
        other => RuntimeProblem::Library(other.to_string()).into(),
    })?;
    from_cel(&result).ok_or_else(|| ExprError::no_function(name))
}

/// Reads what the library reads differently from API servers: URLs, and networks with leading zeros. `None` for everything else.
fn read(name: &str, arguments: &[Val]) -> Option<Result<Val, ExprError>> {
    let unreadable = |text: &str| Err(RuntimeProblem::Unreadable { function: name.to_owned(), text: text.to_owned() }.into());
    Some(match (name, arguments) {
        ("isURL", [Val::String(text)]) => Ok(Val::Bool(RequestUri::is_valid(text))),
        ("url", [Val::String(text)]) => match RequestUri::parse(text) {
            Some(uri) => Ok(Val::Library(Arc::new(cel::Value::Opaque(Arc::new(uri))))),
            None => unreadable(text),
        },
        ("isCIDR", [Val::String(text)]) if !is_strict(text) => Ok(Val::Bool(false)),
        ("cidr", [Val::String(text)]) | ("containsCIDR", [_, Val::String(text)]) if !is_strict(text) => unreadable(text),
        (_, [Val::Library(value)]) => {
            let cel::Value::Opaque(opaque) = &**value else { return None };
            let uri = opaque.downcast_ref::<RequestUri>()?;
            Ok(match name {
                "getScheme" => Val::text(uri.scheme.as_str()),
                "getHost" => Val::text(uri.host.as_str()),
                "getHostname" => Val::text(uri.host_and_port().0),
                "getPort" => Val::text(uri.host_and_port().1),
                "getEscapedPath" => Val::text(uri.path.as_str()),
                "getQuery" => query(uri),
                _ => return None,
            })
        }
        _ => return None,
    })
}

/// Returns the values of each name in the query of a URI.
fn query(uri: &RequestUri) -> Val {
    let mut values: BTreeMap<String, Vec<Val>> = BTreeMap::new();
    for (name, value) in uri.query() {
        values.entry(name).or_default().push(Val::text(value));
    }
    let mut entries = Entries::default();
    for (name, values) in values {
        entries.insert(Val::text(name), Val::list(values));
    }
    Val::Map(Arc::new(entries))
}

/// Whether a network is written without leading zeros and without a `::` for nothing.
fn is_strict(network: &str) -> bool {
    let is_plain = |bits: &str| bits == "0" || !bits.starts_with('0');
    network.split_once('/').is_none_or(|(address, bits)| address.parse::<IpAddr>().is_ok() && is_plain(bits))
}

fn ided(expr: Expr) -> IdedExpr {
    IdedExpr { id: 0, expr }
}

fn to_cel(value: &Val) -> Option<cel::Value> {
    Some(match value {
        Val::Null => cel::Value::Null,
        Val::Bool(flag) => cel::Value::Bool(*flag),
        Val::Int(number) => cel::Value::Int(*number),
        Val::UInt(number) => cel::Value::UInt(*number),
        Val::Double(number) => cel::Value::Float(*number),
        Val::String(text) => cel::Value::String(Arc::new(text.to_string())),
        Val::Bytes(bytes) => cel::Value::Bytes(Arc::clone(bytes)),
        Val::List(items) => cel::Value::List(Arc::new(items.iter().map(to_cel).collect::<Option<Vec<_>>>()?)),
        Val::Map(entries) => {
            let mut map = HashMap::with_capacity(entries.len());
            for (key, value) in &entries.texts {
                map.insert(Key::String(Arc::new(key.to_string())), to_cel(value)?);
            }
            for (key, value) in &entries.others {
                let key = match key {
                    Val::Int(number) => Key::Int(*number),
                    Val::UInt(number) => Key::Uint(*number),
                    Val::Bool(flag) => Key::Bool(*flag),
                    _ => return None,
                };
                map.insert(key, to_cel(value)?);
            }
            cel::Value::Map(cel::objects::Map { map: Arc::new(map) })
        }
        Val::Library(value) => value.as_ref().clone(),
        Val::Optional(inner) => cel::Value::Opaque(Arc::new(match inner {
            Some(inner) => OptionalValue::of(to_cel(inner)?),
            None => OptionalValue::none(),
        })),
        Val::Type(_) | Val::Omit => return None,
    })
}

fn from_cel(value: &cel::Value) -> Option<Val> {
    Some(match value {
        cel::Value::Null => Val::Null,
        cel::Value::Bool(flag) => Val::Bool(*flag),
        cel::Value::Int(number) => Val::Int(*number),
        cel::Value::UInt(number) => Val::UInt(*number),
        cel::Value::Float(number) => Val::Double(*number),
        cel::Value::String(text) => Val::text(text.as_str()),
        cel::Value::Bytes(bytes) => Val::Bytes(Arc::clone(bytes)),
        cel::Value::List(items) => Val::list(items.iter().map(from_cel).collect::<Option<Vec<_>>>()?),
        cel::Value::Map(map) => {
            let mut entries = Entries::default();
            for (key, value) in map.map.iter() {
                let key = match key {
                    Key::String(text) => Val::text(text.as_str()),
                    Key::Int(number) => Val::Int(*number),
                    Key::Uint(number) => Val::UInt(*number),
                    Key::Bool(flag) => Val::Bool(*flag),
                };
                entries.insert(key, from_cel(value)?);
            }
            entries.others.sort_by(|(left, _), (right, _)| left.order(right).unwrap_or(std::cmp::Ordering::Equal));
            Val::Map(Arc::new(entries))
        }
        cel::Value::Opaque(opaque) => match opaque.downcast_ref::<OptionalValue>() {
            Some(optional) => match optional.value() {
                Some(inner) => Val::Optional(Some(Arc::new(from_cel(inner)?))),
                None => Val::Optional(None),
            },
            None => Val::Library(Arc::new(value.clone())),
        },
        cel::Value::Duration(_) | cel::Value::Timestamp(_) => Val::Library(Arc::new(value.clone())),
        cel::Value::Function(..) => return None,
    })
}

/// Returns the text of a library value: RFC 3339 for times, `1h30m0s` for durations, the canonical text of addresses.
pub(crate) fn text_of(value: &cel::Value) -> Option<String> {
    match call("string", false, &[Val::Library(Arc::new(value.clone()))]).ok()? {
        Val::String(text) => Some(match text.strip_suffix("+00:00") {
            Some(utc) => format!("{utc}Z"),
            None => text.to_string(),
        }),
        _ => None,
    }
}

/// Returns the type name of a library value.
pub(crate) fn type_of(value: &cel::Value) -> String {
    match value {
        cel::Value::Timestamp(_) => "google.protobuf.Timestamp".to_owned(),
        cel::Value::Duration(_) => "google.protobuf.Duration".to_owned(),
        cel::Value::Opaque(opaque) => opaque.runtime_type_name().to_owned(),
        other => other.type_of().to_string(),
    }
}
