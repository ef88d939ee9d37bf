//! What each part of an evaluated template reads.

use std::collections::BTreeSet;

use serde_json::Value;

use super::error::ExprError;
use super::template::{Node, Part, text};
use super::{Budget, Scope};

/// A part of an evaluated template.
#[derive(Clone, Debug, PartialEq)]
pub struct Traced {
    /// Paths that its own expressions read, in the form of [`super::Program::references`]; paths read by nested parts belong to those.
    pub reads: BTreeSet<Vec<String>>,
    /// The path whose value it returns unchanged, if any; see [`super::Program::gives`].
    pub gives: Option<Vec<String>>,
    /// The kind of part, with its value.
    pub part: TracedPart,
}

/// The result of evaluating a part of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum TracedPart {
    /// A value: a literal, or the result of one expression.
    Value(Value),
    /// Left out by `omit()`.
    Omitted,
    /// Its expression fails.
    Failed(ExprError),
    /// A list of parts, including those that are left out.
    List(Vec<Traced>),
    /// Named parts, including those that are left out.
    Object(Vec<TracedField>),
}

/// A named part.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedField {
    /// Its name, or the error if the name's expression fails.
    pub name: Result<String, ExprError>,
    /// The part. Paths that the name reads are included in what it reads.
    pub value: Traced,
}

pub(super) fn template(node: &Node, scope: &Scope, budget: &mut Budget) -> Traced {
    match node {
        Node::Literal(value) => Traced { reads: BTreeSet::new(), gives: None, part: TracedPart::Value(value.clone()) },
        Node::Expression(program) => {
            let part = match program.json(scope, budget) {
                Ok(Some(value)) => TracedPart::Value(value),
                Ok(None) => TracedPart::Omitted,
                Err(error) => TracedPart::Failed(error),
            };
            Traced { reads: program.references().iter().cloned().collect(), gives: program.gives(), part }
        }
        Node::Text(parts) => {
            let part = text(parts, scope, budget).map_or_else(TracedPart::Failed, |text| TracedPart::Value(Value::String(text)));
            Traced { reads: reads(parts), gives: None, part }
        }
        Node::List(items) => {
            let items = items.iter().map(|item| template(item, scope, budget)).collect();
            Traced { reads: BTreeSet::new(), gives: None, part: TracedPart::List(items) }
        }
        Node::Object(fields) => {
            let field = |(name, value): &(Vec<Part>, Node), budget: &mut Budget| {
                let mut value = template(value, scope, budget);
                value.reads.extend(reads(name));
                TracedField { name: text(name, scope, budget), value }
            };
            let fields = fields.iter().map(|entry| field(entry, budget)).collect();
            Traced { reads: BTreeSet::new(), gives: None, part: TracedPart::Object(fields) }
        }
    }
}

fn reads(parts: &[Part]) -> BTreeSet<Vec<String>> {
    let programs = parts.iter().filter_map(|part| match part {
        Part::Expression(program) => Some(program),
        Part::Literal(_) => None,
    });
    programs.flat_map(|program| program.references().iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Traced, TracedPart};
    use crate::expr::{Budget, Environment, Template, Type};

    #[test]
    fn each_part_says_what_it_reads_and_a_failure_hides_nothing() {
        let environment = Environment::new().variable("p", Type::Dyn).variable("q", Type::Dyn);
        let template = Template::compile(
            &json!({"a": "${p.x}", "b": "v${p.x}-${p['y']}", "c": 1, "d": ["${q.z}", "${has(p.w) ? p.w : omit()}"], "e": {"f": "${p.x > 1 ? 1 : 2}"}}),
            &environment,
        )
        .expect("it compiles");
        let scope = environment.scope().with("p", &json!({"x": 1, "y": "2"})).with("q", &json!({}));
        let traced = template.trace(&scope, &mut Budget::default());
        let TracedPart::Object(fields) = traced.part else { panic!("an object") };
        let reads = |traced: &Traced| traced.reads.iter().map(|path| path.join(".")).collect::<Vec<_>>().join(" ");
        let of = |name: &str| &fields.iter().find(|field| field.name.as_deref() == Ok(name)).expect(name).value;
        assert_eq!((reads(of("a")).as_str(), &of("a").part), ("p.x", &TracedPart::Value(json!(1))));
        assert_eq!((reads(of("b")).as_str(), &of("b").part), ("p.x p.y", &TracedPart::Value(json!("v1-2"))));
        assert_eq!((reads(of("c")).as_str(), &of("c").part), ("", &TracedPart::Value(json!(1))));
        let TracedPart::List(items) = &of("d").part else { panic!("a list") };
        assert!(matches!(items[0].part, TracedPart::Failed(_)) && reads(&items[0]) == "q.z");
        assert!(items[1].part == TracedPart::Omitted && reads(&items[1]) == "p.w");
    }

    #[test]
    fn what_is_given_as_it_stands_is_told_from_what_is_computed() {
        let environment = Environment::new().variable("p", Type::Dyn);
        for (source, given) in [
            ("p.x", Some("p.x")),
            ("p['x.y'].z", Some("p.x.y.z")),
            ("has(p.x) ? p.x : omit()", Some("p.x")),
            ("has(p.x) ? p.x : {'a': 1}", Some("p.x")),
            ("has(p.x)", None),
            ("has(p.x) ? p.x : p.y", None),
            ("has(p.x) ? p.y : {}", None),
            ("p.x == 1 ? p.y : {}", None),
            ("!has(p.x) ? {} : p.x", None),
            ("p.x + 1", None),
            ("p.x.map(item, item)", None),
        ] {
            let template = Template::compile(&json!(format!("${{{source}}}")), &environment).expect(source);
            let scope = environment.scope().with("p", &json!({"x": 1, "y": 2}));
            let traced = template.trace(&scope, &mut Budget::default());
            assert_eq!(traced.gives.map(|path| path.join(".")).as_deref(), given, "{source}");
        }
    }
}
