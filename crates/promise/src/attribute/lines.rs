//! Objects as YAML, line by line.

use std::collections::BTreeSet;

use serde_json::Value;

use super::origins::Origins;
use super::tree::{LATER, Node, Tree};
use super::{AttributedObject, Line, LineOrigin, yaml};
use crate::api::Inject;
use crate::context::Context;
use crate::names;
use crate::plan::label_value;
use crate::policy::Ruling;
use crate::render::Compiled;

/// Renders every object of a promise as YAML with origins, including our labels. `uid` is the request's, once it has one.
///
/// Failed expressions are shown as known after apply. [`Compiled::render`] determines whether the parameters can be rendered at all.
pub fn objects(
    compiled: &Compiled,
    parameters: &Value,
    context: &Context,
    injects: &[Ruling<Inject>],
    origins: &Origins<'_>,
    uid: Option<&str>,
) -> Vec<AttributedObject> {
    let traced = compiled.trace(parameters, context);
    let attributed = traced.into_iter().filter_map(|object| {
        let of = |reads: &crate::render::Reads| -> BTreeSet<LineOrigin> {
            reads.iter().flat_map(|read| origins.read(read, &BTreeSet::new())).collect()
        };
        let each = of(&object.each);
        let mut tree = Tree::of(&object.template, origins, &each)?;
        tree.inject(injects, origins);
        tree.mask();
        let kind = tree.get("kind").and_then(Tree::text).unwrap_or(LATER);
        let name = tree.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Tree::text).unwrap_or(LATER);
        let title = format!("{kind} {name}");
        let waits_for = object.waits_for.or_else(|| tree.waits_for());
        mark(&mut tree, &object.id, &context.request.name, uid);
        let mut written = Vec::new();
        write(&tree, "", 0, &mut written);
        let lines = written.into_iter().map(Written::line).collect();
        Some(AttributedObject {
            id: object.id,
            title,
            destination: object.destination,
            because: of(&object.because).into_iter().collect(),
            waits_for,
            lines,
        })
    });
    attributed.collect()
}

/// Sets our labels, as [`crate::plan::Desired::marked`] does.
fn mark(tree: &mut Tree, id: &str, request: &str, uid: Option<&str>) {
    let platform = BTreeSet::from([LineOrigin::Platform]);
    let metadata = tree.enter("metadata", &platform);
    let mut put = |part: &str, name: &str, value: String| {
        let origins = platform.clone();
        *metadata.enter(part, &platform).enter(name, &platform) = Tree { origins, node: Node::Leaf(value.into()) };
    };
    put("labels", names::REQUEST_UID_LABEL, uid.map_or_else(|| LATER.to_owned(), str::to_owned));
    put("labels", names::RESOURCE_ID_LABEL, label_value(id));
    put("labels", names::REQUEST_NAME_LABEL, label_value(request));
    put("annotations", names::HASH_ANNOTATION, LATER.to_owned());
}

/// A line with all its origins.
struct Written {
    text: String,
    origins: BTreeSet<LineOrigin>,
}

impl Written {
    fn line(self) -> Line {
        let mut origins = self.origins.into_iter();
        let origin = origins.next().unwrap_or(LineOrigin::Promise);
        // A value that a policy set isn't the promise's, and that the promise wrote the rest of the line is obvious.
        Line { text: self.text, origin, also: origins.filter(|origin| *origin != LineOrigin::Promise).collect() }
    }
}

/// Writes a part. `lead` is the text before it on its first line: nothing at the root, otherwise up to a colon or hyphen. `column` is the
/// column of its field names.
fn write(tree: &Tree, lead: &str, column: usize, lines: &mut Vec<Written>) {
    let first = lines.len();
    let inside_list = lead.ends_with('-');
    let inline = lead.is_empty() || inside_list;
    let head = |lines: &mut Vec<Written>| {
        if inline {
            Some(if lead.is_empty() { String::new() } else { format!("{lead} ") })
        } else {
            lines.push(Written { text: lead.to_owned(), origins: tree.origins.clone() });
            None
        }
    };
    match &tree.node {
        Node::Later => lines.push(Written { text: format!("{lead} {LATER}"), origins: tree.origins.clone() }),
        Node::Leaf(value) => {
            for text in scalar(value, lead, column) {
                lines.push(Written { text, origins: tree.origins.clone() });
            }
        }
        Node::List(items) => {
            let mut start = head(lines);
            let column = if inside_list { column } else { column.saturating_sub(2) };
            for item in items {
                let start = start.take().unwrap_or_else(|| " ".repeat(column));
                write(item, &format!("{start}-"), column + 2, lines);
            }
        }
        Node::Object(fields) => {
            let mut start = head(lines);
            let mut fields: Vec<&(String, Tree)> = fields.iter().collect();
            fields.sort_by(|(a, _), (b, _)| (prominence(a, column), a).cmp(&(prominence(b, column), b)));
            for (name, field) in fields {
                let start = start.take().unwrap_or_else(|| " ".repeat(column));
                write(field, &format!("{start}{}:", yaml::key(name)), column + 2, lines);
            }
        }
    }
    if let Some(line) = lines.get_mut(first).filter(|_| inside_list) {
        line.origins.extend(tree.origins.iter().cloned());
    }
}

/// Returns the lines of a scalar. A multi-line text is below its name, one line each.
fn scalar(value: &Value, lead: &str, column: usize) -> Vec<String> {
    if let Value::String(text) = value
        && let Some(mark) = yaml::block(text)
    {
        let inner = " ".repeat(column);
        let body = text.strip_suffix('\n').unwrap_or(text);
        let body = body.split('\n').map(|line| if line.is_empty() { String::new() } else { format!("{inner}{line}") });
        return std::iter::once(format!("{lead} {mark}")).chain(body).collect();
    }
    let space = if lead.is_empty() { "" } else { " " };
    vec![format!("{lead}{space}{}", yaml::scalar(value))]
}

/// Sort key for the usual position of a field in a Kubernetes object. Other fields follow by name.
fn prominence(name: &str, column: usize) -> usize {
    let order: &[&str] = match column {
        0 => &["apiVersion", "kind", "metadata", "type", "spec"],
        2 => &["name", "namespace", "labels", "annotations"],
        _ => &["name"],
    };
    order.iter().position(|known| *known == name).unwrap_or(order.len())
}
