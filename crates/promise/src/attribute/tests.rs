//! Checks attribution against an independent recomputation: one input at a time is changed or removed, and everything is rendered again by
//! the ordinary renderer. A line that changed must name that input among its origins, and each origin that a line names must be able to
//! change it.

mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde_json::{Value, json};

use super::{AttributedObject, LineOrigin};
use crate::names;
use crate::path::{Path, Segment};
use crate::policy::{Effective, Settled};
use crate::render::Inputs;

use world::{Case, Input, cases, is_leaf, nodes};

/// Our labels. The renderer doesn't set them, they only identify the owner of the object, and their origin is the platform.
const MARKS: [&str; 4] = [names::REQUEST_UID_LABEL, names::RESOURCE_ID_LABEL, names::REQUEST_NAME_LABEL, names::HASH_ANNOTATION];

/// The content of one line: a value, or the head of the part below it. The lines of one text are one value.
struct Place {
    object: String,
    path: Path,
    text: String,
    is_leaf: bool,
    /// The most specific one comes first.
    origins: Vec<LineOrigin>,
}

impl Place {
    fn is_mark(&self) -> bool {
        matches!(self.path.0.last(), Some(Segment::Key(name)) if MARKS.contains(&name.as_str()))
    }

    /// Whether the content differs between two renderings that both contain the object.
    fn differs(&self, before: &BTreeMap<String, Value>, after: &BTreeMap<String, Value>) -> bool {
        let both = before.get(&self.object).zip(after.get(&self.object));
        both.is_some_and(|(before, after)| self.path.get(before) != self.path.get(after))
    }
}

/// A case with its lines, and the effect of each variation.
struct Examined {
    case: Case,
    effective: Effective,
    attributed: Vec<AttributedObject>,
    places: Vec<Place>,
    before: BTreeMap<String, Value>,
    changes: Vec<(Input, BTreeMap<String, Value>)>,
}

impl Examined {
    fn of(case: Case) -> Self {
        let compiled = case.compiled();
        let attributed = case.attributed();
        let places = attributed.iter().flat_map(places).collect();
        let before = case.objects(&compiled).expect("it renders");
        let changes = case.variations().into_iter().filter_map(|(input, other)| Some((input, other.objects(&compiled)?))).collect();
        Self { effective: case.settled().effective, attributed, places, before, changes, case }
    }

    /// Whether an origin stands for an input, a part of it, or a whole that contains it.
    fn names(&self, origin: &LineOrigin, input: &Input) -> bool {
        match (origin, input) {
            (LineOrigin::You { path } | LineOrigin::Default { path }, Input::Parameter(varied)) => {
                parameter(path).is_some_and(|named| named.starts_with(varied) || varied.starts_with(&named))
            }
            // A default gives way to an entered value.
            (LineOrigin::Policy { rule }, Input::Parameter(varied)) => {
                self.effective.defaults.iter().any(|ruling| ruling.from == *rule && varied.starts_with(&ruling.path))
            }
            _ => proves(origin, input),
        }
    }

    /// If a rule sets a value that would be there anyway, the effect of its condition is invisible, whether it is met or not. Only in that
    /// case, checks it with a different value in a rule.
    fn can_change_under_another_value(&self, place: &Place, origin: &LineOrigin) -> bool {
        let compiled = self.case.compiled();
        let mut others = self.case.policies.iter().flat_map(|candidate| {
            candidate.spec.rules.iter().filter_map(|rule| self.case.with_another_value(&candidate.policy, &rule.name))
        });
        others.any(|case| {
            let before = case.objects(&compiled).expect("it renders");
            let mut variations = case.variations().into_iter().filter(|(input, _)| proves(origin, input));
            variations.any(|(_, other)| other.objects(&compiled).is_some_and(|after| place.differs(&before, &after)))
        })
    }
}

fn examined() -> &'static [Examined] {
    static EXAMINED: OnceLock<Vec<Examined>> = OnceLock::new();
    EXAMINED.get_or_init(|| cases().into_iter().map(Examined::of).collect())
}

/// Returns the parameter that an origin names.
fn parameter(shown: &str) -> Option<Path> {
    Path::parse(shown.strip_prefix(".parameters")?).ok()
}

/// Whether an input is what an origin names, or a part of it, so that a change through it confirms the origin.
fn proves(origin: &LineOrigin, input: &Input) -> bool {
    match (origin, input) {
        (LineOrigin::You { path } | LineOrigin::Default { path }, Input::Parameter(varied)) => {
            parameter(path).is_some_and(|named| varied.starts_with(&named))
        }
        (LineOrigin::You { path }, Input::Name) => path == ".name",
        (LineOrigin::Policy { rule: named }, Input::Rule { policy, rule }) => named.policy == *policy && named.rule == *rule,
        (LineOrigin::Platform, Input::Platform) => true,
        (LineOrigin::Later { waits_for }, Input::Observed(id)) => waits_for.rsplit(" of ").next() == Some(id.as_str()),
        _ => false,
    }
}

/// Rank of an origin, computed independently.
fn rank(origin: &LineOrigin) -> usize {
    match origin {
        LineOrigin::Later { .. } => 0,
        LineOrigin::Policy { .. } => 1,
        LineOrigin::You { .. } => 2,
        LineOrigin::Default { .. } => 3,
        LineOrigin::Platform => 4,
        LineOrigin::Promise => 5,
    }
}

/// Parses the joined lines of an object.
fn parsed(object: &AttributedObject) -> Value {
    let text: String = object.lines.iter().map(|line| format!("{}\n", line.text)).collect();
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", object.id))
}

/// Removes our labels, and objects that become empty as a result.
fn unmarked(mut object: Value) -> Value {
    for part in ["labels", "annotations"] {
        if let Some(values) = object["metadata"].get_mut(part).and_then(Value::as_object_mut) {
            values.retain(|name, _| !MARKS.contains(&name.as_str()));
            if values.is_empty() {
                object["metadata"].as_object_mut().unwrap().remove(part);
            }
        }
    }
    object
}

/// Returns the column of the name or value of a line, after indentation and hyphens.
fn column(text: &str) -> usize {
    let mut rest = text;
    while let Some(inner) = rest.strip_prefix("- ").or_else(|| rest.strip_prefix(' ')) {
        rest = inner;
    }
    text.len() - rest.len()
}

/// Returns the text before the value of a line: up to the colon of its name or the hyphen of an item.
fn lead(text: &str) -> &str {
    let (before, content) = text.split_at(column(text));
    let name = if content.starts_with('"') { None } else { content.find(": ").or_else(|| content.strip_suffix(':').map(str::len)) };
    name.map_or(before.trim_end(), |end| &text[..before.len() + end + 1])
}

/// Returns the number of lines that belong to the line above them.
fn inside(texts: &[&str], at: usize) -> usize {
    let column = column(texts[at]);
    let belongs = |text: &&&str| {
        let text: &str = text;
        let indent = text.len() - text.trim_start_matches(' ').len();
        text.is_empty() || indent > column || (indent == column && text[indent..].starts_with("- "))
    };
    texts[at + 1..].iter().take_while(belongs).count()
}

/// Returns the content of each line independent of the writer: a line is replaced by a marker, and the position of the marker after parsing
/// is the content of the line.
fn places(object: &AttributedObject) -> Vec<Place> {
    const MARK: &str = "\u{1}changed";
    let texts: Vec<&str> = object.lines.iter().map(|line| line.text.as_str()).collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < texts.len() {
        let (text, inside) = (texts[at], inside(&texts, at));
        let is_block = text.ends_with(" |") || text.ends_with(" |-");
        let marked = format!("{} \"\\u0001changed\"", lead(text));
        let other = [&texts[..at], &[marked.as_str()], &texts[at + 1 + inside..]].concat().join("\n");
        let read: Value = serde_saphyr::from_str(&other).unwrap_or_else(|error| panic!("{}: {error}\n{other}", object.id));
        let spot = nodes(&read).into_iter().find(|(_, value)| value.as_str() == Some(MARK));
        let (path, _) = spot.unwrap_or_else(|| panic!("{}: no mark in\n{other}", object.id));
        let origins: Vec<LineOrigin> = object.lines[at].origins().cloned().collect();
        if is_block {
            let block = &object.lines[at..=at + inside];
            assert!(block.iter().all(|line| line.origins().eq(&origins)), "{}{path}: the lines of one text differ in origins", object.id);
        }
        let is_leaf = is_block || inside == 0;
        found.push(Place { object: object.id.clone(), path, text: text.to_owned(), is_leaf, origins });
        at += if is_block { 1 + inside } else { 1 };
    }
    found
}

#[test]
fn lines_are_the_yaml_of_what_is_rendered() {
    for case in cases() {
        let Settled { effective, resolved } = case.settled();
        let nothing = BTreeMap::new();
        let inputs = Inputs { parameters: &resolved.parameters, context: &case.context, observed: &nothing, injects: &effective.injects };
        let rendering = case.compiled().render(&inputs).unwrap();
        let attributed = case.attributed();
        assert_eq!(attributed.len(), rendering.objects.len() + rendering.pending.len(), "{}", case.name);
        for object in &attributed {
            match rendering.objects.iter().find(|rendered| rendered.id == object.id) {
                Some(rendered) => {
                    assert_eq!(unmarked(parsed(object)), crate::render::masked(&rendered.object), "{} {}", case.name, object.id);
                    assert_eq!(object.waits_for, None);
                }
                None => {
                    let pending = rendering.pending.iter().find(|pending| pending.id == object.id).expect("pending");
                    assert_eq!(object.waits_for.as_ref(), Some(&pending.waits_for), "{} {}", case.name, object.id);
                    assert!(object.lines.iter().any(|line| matches!(line.origin, LineOrigin::Later { .. })));
                }
            }
        }
    }
}

#[test]
fn every_object_has_our_marks_and_they_are_the_platforms() {
    for Examined { case, attributed, places, .. } in examined() {
        for object in attributed {
            let marks: Vec<&Place> = places.iter().filter(|place| place.object == object.id && place.is_mark()).collect();
            assert_eq!(marks.len(), MARKS.len(), "{} {}", case.name, object.id);
            assert!(marks.iter().all(|mark| mark.origins == [LineOrigin::Platform]), "{} {}", case.name, object.id);
        }
    }
}

#[test]
fn every_change_is_named_by_the_lines_that_it_changes() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for examined in examined() {
        let Examined { case, attributed, places, before, changes, .. } = examined;
        let ids: BTreeSet<&String> = attributed.iter().map(|object| &object.id).collect();
        assert!(ids.into_iter().eq(before.keys()), "{} shows what is made once all is seen", case.name);
        for (id, object) in before {
            for (path, _) in nodes(object).into_iter().filter(|(_, value)| is_leaf(value)) {
                let has_line = places.iter().any(|place| place.is_leaf && place.object == *id && path.starts_with(&place.path));
                assert!(has_line, "{} {id}{path} has no line", case.name);
            }
        }
        for (input, after) in changes {
            let kind = match input {
                Input::Parameter(_) => "parameters",
                Input::Rule { .. } => "rules",
                Input::Name => "names",
                Input::Platform => "platform",
                Input::Observed(_) => "observed",
            };
            for object in attributed.iter().filter(|object| !after.contains_key(&object.id)) {
                let is_named = object.because.iter().any(|origin| examined.names(origin, input));
                assert!(is_named, "{} {}: why it is there does not name {input:?}", case.name, object.id);
                *seen.entry("objects").or_default() += 1;
            }
            for place in places.iter().filter(|place| place.is_leaf && place.differs(before, after)) {
                let is_named = place.origins.iter().any(|origin| examined.names(origin, input));
                let Place { object, path, origins, .. } = place;
                assert!(is_named, "{} {object}{path} changes with {input:?}, and names {origins:?}", case.name);
                *seen.entry(kind).or_default() += 1;
            }
        }
    }
    assert_eq!(seen.keys().copied().collect::<Vec<_>>(), ["names", "objects", "observed", "parameters", "platform", "rules"]);
    assert!(seen["parameters"] > 50 && seen["rules"] > 10, "{seen:?}");
}

#[test]
fn every_origin_of_a_line_can_change_it() {
    let mut proven = 0;
    for examined in examined() {
        let Examined { case, places, before, changes, .. } = examined;
        for place in places.iter().filter(|place| !place.is_mark()) {
            let about = format!("{} {}{} ({})", case.name, place.object, place.path, place.text.trim());
            let shown = rank(&place.origins[0]);
            assert!(place.origins.iter().all(|origin| shown <= rank(origin)), "{about} is shown with less than the most specific origin");
            if place.origins == [LineOrigin::Promise] {
                continue;
            }
            for origin in &place.origins {
                let can_change = changes.iter().any(|(input, after)| proves(origin, input) && place.differs(before, after));
                let is_proven = can_change || examined.can_change_under_another_value(place, origin);
                assert!(is_proven, "{about} names {origin:?}, and nothing about that changes it");
                proven += 1;
            }
        }
    }
    assert!(proven > 150, "only {proven} origins were looked at");
}

#[test]
fn whatever_an_object_is_there_for_can_take_it_away() {
    let mut proven = 0;
    for Examined { case, attributed, changes, .. } in examined() {
        for object in attributed {
            for origin in &object.because {
                let is_proven = changes.iter().any(|(input, after)| proves(origin, input) && !after.contains_key(&object.id));
                assert!(is_proven, "{} {} is there because of {origin:?}, and stays without", case.name, object.id);
                proven += 1;
            }
        }
    }
    assert!(proven >= 3, "only {proven} reasons were looked at");
}

#[test]
fn what_was_typed_is_yours_and_nothing_else_is() {
    for Examined { case, attributed, places, .. } in examined() {
        let all = places.iter().flat_map(|place| &place.origins).chain(attributed.iter().flat_map(|object| &object.because));
        for origin in all {
            let (path, is_yours) = match origin {
                LineOrigin::You { path } if path != ".name" => (path, true),
                LineOrigin::Default { path } => (path, false),
                _ => continue,
            };
            let named = parameter(path).unwrap_or_else(|| panic!("{path} is no parameter"));
            assert_eq!(named.get(&case.typed).is_some(), is_yours, "{} {path}", case.name);
        }
    }
}

#[test]
fn what_the_promise_alone_says_changes_with_nothing_else() {
    for Examined { case, places, before, .. } in examined() {
        // Another name, no policies: everything unchanged must come from the promise.
        let mut after = case.clone();
        after.policies = Vec::new();
        after.context.request.name = "another".into();
        let Some(now) = after.objects(&case.compiled()) else { continue };
        for place in places.iter().filter(|place| place.is_leaf && place.origins == [LineOrigin::Promise]) {
            assert!(!place.differs(before, &now), "{} {}{} is not the promise's alone", case.name, place.object, place.path);
        }
    }
}

#[test]
fn secrets_never_appear() {
    let mut case = cases().into_iter().find(|case| case.name == "postgresql").unwrap();
    case.typed["adminPassword"] = json!({"name": "orders-inputs", "key": "adminPassword"});
    let objects = case.attributed();
    let secret = objects.iter().find(|object| object.title.starts_with("Secret ")).expect("a Secret");
    assert!(secret.because.contains(&LineOrigin::You { path: ".parameters.adminPassword.name".into() }), "{:?}", secret.because);
    let text: String = secret.lines.iter().map(|line| line.text.as_str()).collect();
    assert!(!text.contains("orders-inputs") && text.contains("********"), "{text}");
}
