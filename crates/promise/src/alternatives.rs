//! Alternatives of an object: fields that exclude each other, or of which one is needed at least. A schema of an API server can only say
//! which properties have to be given together (`oneOf` and `anyOf` over `required`, or a maximum of one property). Schemas of other systems
//! have variants with titles, which [`schema::json_schema`] leaves on the object.

use schema::json_schema::VARIANTS;
use serde_json::{Map, Value};

use crate::shape::Shape;

/// How many of the alternatives have to be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// One of them.
    Exactly,
    /// One of them, or none.
    AtMost,
    /// One of them or more.
    AtLeast,
}

/// One of several alternatives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Alternative {
    /// Posted value.
    pub key: String,
    /// Title in the schema.
    pub title: Option<String>,
    /// Names of the properties that are shown with it.
    pub fields: Vec<String>,
    /// Those of them that have to be given.
    pub required: Vec<String>,
    /// Values of properties by which it is recognized. They have no field.
    pub fixed: Map<String, Value>,
}

/// The alternatives of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Alternatives {
    /// How many have to be given.
    pub count: Count,
    /// At least two, or one that can be left out.
    pub all: Vec<Alternative>,
    /// Whether they are variants of an annotation, which say nothing about fields of other variants.
    pub annotated: bool,
}

/// Which alternative is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// The one at this position.
    One(usize),
    /// None of them.
    None,
    /// Nothing yet, or fields of several are set.
    Undecided,
}

impl Alternative {
    /// Whether an object has everything that it requires.
    pub fn is_met(&self, object: &Value) -> bool {
        self.has_fixed(object) && self.required.iter().all(|key| object.get(key).is_some())
    }

    fn has_fixed(&self, object: &Value) -> bool {
        self.fixed.iter().all(|(key, value)| object.get(key) == Some(value))
    }

    fn shows(&self, key: &str) -> bool {
        self.fields.iter().any(|field| field == key)
    }
}

impl Alternatives {
    /// Returns the alternatives of an object with this schema.
    pub fn of(node: &Value) -> Option<Self> {
        let found = variants(node)
            .or_else(|| presence(node, node))
            .or_else(|| node["allOf"].as_array()?.iter().find_map(|inner| presence(node, inner)))
            .or_else(|| single_property(node))?;
        found.is_choice().then_some(found)
    }

    pub fn is_choice(&self) -> bool {
        self.all.len() + usize::from(self.count == Count::AtMost) > 1
    }

    /// Whether users choose one of them.
    pub fn is_exclusive(&self) -> bool {
        self.count != Count::AtLeast
    }

    /// Whether a property is shown with some of them only.
    pub fn lists(&self, key: &str) -> bool {
        self.all.iter().any(|one| one.shows(key))
    }

    /// Whether the choice sets a property.
    pub fn fixes(&self, key: &str) -> bool {
        self.all.iter().any(|one| one.fixed.contains_key(key))
    }

    /// Whether a property has a field. While nothing is chosen, those that are set have one.
    pub fn shows(&self, chosen: Chosen, key: &str, is_set: bool) -> bool {
        if self.fixes(key) {
            return false;
        }
        let is_chosen = match chosen {
            Chosen::One(index) => self.all.get(index).is_some_and(|one| one.shows(key)),
            Chosen::None => false,
            Chosen::Undecided => is_set,
        };
        is_chosen || !self.lists(key)
    }

    /// Whether the chosen alternative requires a property.
    pub fn requires(&self, chosen: Chosen, key: &str) -> bool {
        match chosen {
            Chosen::One(index) => self.all.get(index).is_some_and(|one| one.required.iter().any(|required| required == key)),
            Chosen::None | Chosen::Undecided => false,
        }
    }

    /// Returns the alternatives that an object meets.
    pub fn met<'s>(&'s self, object: &Value) -> Vec<&'s Alternative> {
        self.all.iter().filter(|one| one.is_met(object)).collect()
    }

    /// Whether an object has too few or too many of them.
    pub fn is_violated(&self, object: &Value) -> bool {
        let met = self.met(object).len();
        match self.count {
            Count::Exactly if self.annotated => met == 0,
            Count::Exactly => met != 1,
            Count::AtMost => met > 1,
            Count::AtLeast => met == 0,
        }
    }

    /// Returns the alternative that the given values are of, or else the values in effect. If fields of several are set, or the fixed values
    /// aren't there, nothing is chosen: choosing would remove or add values.
    pub fn of_values(&self, given: Option<&Value>, in_effect: Option<&Value>) -> Chosen {
        match self.found(given, in_effect).or_else(|| self.found(in_effect, in_effect)) {
            Some(chosen) => chosen,
            None if self.count == Count::AtMost => Chosen::None,
            None => Chosen::Undecided,
        }
    }

    /// `None` if nothing is set.
    fn found(&self, object: Option<&Value>, in_effect: Option<&Value>) -> Option<Chosen> {
        let set: Vec<&str> = object?.as_object()?.keys().map(String::as_str).filter(|key| self.lists(key)).collect();
        let has_all = |one: &Alternative| set.iter().all(|key| one.shows(key));
        let fixed = self.all.iter().flat_map(|one| one.fixed.keys()).any(|key| in_effect.is_some_and(|object| object.get(key).is_some()));
        if set.is_empty() && !fixed {
            return None;
        }
        let candidates: Vec<usize> = self
            .all
            .iter()
            .enumerate()
            .filter(|(_, one)| has_all(one) && in_effect.is_some_and(|object| one.has_fixed(object)))
            .map(|(index, _)| index)
            .collect();
        let by_rank = |index: &&usize| {
            let one = &self.all[**index];
            (one.fixed.len(), object.is_some_and(|object| one.is_met(object)), std::cmp::Reverse(**index))
        };
        Some(candidates.iter().max_by_key(by_rank).map_or(Chosen::Undecided, |index| Chosen::One(*index)))
    }
}

/// Reads the annotation.
fn variants(node: &Value) -> Option<Alternatives> {
    let names = |variant: &Value, keyword: &str| -> Vec<String> {
        let names = variant[keyword].as_array().into_iter().flatten().filter_map(Value::as_str);
        names.filter(|name| node["properties"].get(name).is_some()).map(str::to_owned).collect()
    };
    let mut all: Vec<Alternative> = Vec::new();
    for variant in node[VARIANTS].as_array()? {
        let title = variant["title"].as_str().map(str::trim).filter(|title| !title.is_empty()).map(str::to_owned);
        let fixed = variant["fixed"].as_object().cloned().unwrap_or_default();
        let required: Vec<String> = names(variant, "required").into_iter().filter(|key| !fixed.contains_key(key)).collect();
        let mut fields = names(variant, "properties");
        fields.retain(|key| !fixed.contains_key(key));
        fields.extend(required.iter().filter(|key| !fields.contains(key)).cloned().collect::<Vec<_>>());
        let key = title.clone().unwrap_or_else(|| fields.join(" "));
        let key = if key.is_empty() || all.iter().any(|known| known.key == key) { format!("{key} {}", all.len() + 1) } else { key };
        all.push(Alternative { key, title, fields, required, fixed });
    }
    Some(Alternatives { count: Count::Exactly, all, annotated: true })
}

/// Reads `oneOf` and `anyOf` of `schema`, which constrains objects with the properties of `node`.
fn presence(node: &Value, schema: &Value) -> Option<Alternatives> {
    let (branches, is_one) = match (schema["oneOf"].as_array(), schema["anyOf"].as_array()) {
        (Some(branches), _) => (branches, true),
        (None, Some(branches)) => (branches, false),
        (None, None) => return None,
    };
    let branches: Vec<Branch<'_>> = branches.iter().map(Branch::of).collect::<Option<_>>()?;
    let (given, none): (Vec<Branch<'_>>, Vec<Branch<'_>>) = branches.into_iter().partition(|branch| !branch.required.is_empty());
    let is_barred =
        |branch: &Branch<'_>, by: &Branch<'_>| by.barred.iter().any(|names| names.iter().all(|name| branch.required.contains(name)));
    // Without alternatives that exclude the others, `anyOf` accepts several.
    let excludes = |branch: &Branch<'_>| given.iter().all(|other| std::ptr::eq(other, branch) || is_barred(other, branch));
    let is_one = is_one || given.iter().chain(&none).all(excludes);
    let count = match (is_one, none.len()) {
        (true, 0) => Count::Exactly,
        (true, 1) if none.iter().all(|none| given.iter().all(|branch| is_barred(branch, none))) => Count::AtMost,
        (false, 0) => Count::AtLeast,
        _ => return None,
    };
    let all: Vec<Alternative> = given.iter().map(|branch| alternative(node, &branch.required)).collect::<Option<_>>()?;
    // A choice between one thing and the same with more isn't one that users can make.
    let contains = |one: &Alternative, other: &Alternative| !std::ptr::eq(one, other) && other.required.iter().all(|key| one.shows(key));
    let overlap = all.iter().any(|one| all.iter().any(|other| contains(one, other)));
    (!overlap || count == Count::AtLeast).then_some(Alternatives { count, all, annotated: false })
}

/// Reads a maximum of one property.
fn single_property(node: &Value) -> Option<Alternatives> {
    let is_open = Shape::of(node) != Shape::Object || !node["additionalProperties"].is_null();
    let needed = node["required"].as_array().is_some_and(|required| !required.is_empty());
    if is_open || needed || node["maxProperties"] != 1 {
        return None;
    }
    let all: Vec<Alternative> =
        node["properties"].as_object()?.keys().map(|key| alternative(node, &[key.as_str()])).collect::<Option<_>>()?;
    let count = if node["minProperties"] == 1 { Count::Exactly } else { Count::AtMost };
    (all.len() > 1).then_some(Alternatives { count, all, annotated: false })
}

/// Returns the alternative that requires these properties. `None` if the object has no such properties, or requires them anyway.
fn alternative(node: &Value, required: &[&str]) -> Option<Alternative> {
    let always: Vec<&str> = node["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let own: Vec<String> = required.iter().filter(|key| !always.contains(key)).map(|key| (*key).to_owned()).collect();
    let known = required.iter().all(|key| node["properties"].get(key).is_some());
    (known && !own.is_empty()).then(|| Alternative {
        key: own.join(" "),
        title: None,
        fields: own.clone(),
        required: own,
        fixed: Map::new(),
    })
}

/// A branch that only says which properties have to be given.
struct Branch<'n> {
    required: Vec<&'n str>,
    /// Properties that can't be given together.
    barred: Vec<Vec<&'n str>>,
}

impl<'n> Branch<'n> {
    fn of(node: &'n Value) -> Option<Self> {
        let mut branch = Self { required: Vec::new(), barred: Vec::new() };
        for (keyword, value) in node.as_object()? {
            match keyword.as_str() {
                "required" => branch.required = names(value)?,
                "type" if value == "object" => {}
                // A property without a condition: generators write one for each that is required.
                "properties" if value.as_object()?.values().all(|inner| inner.as_object().is_some_and(Map::is_empty)) => {}
                "not" => branch.barred = barred(value)?,
                _ => return None,
            }
        }
        (!branch.required.is_empty() || !branch.barred.is_empty()).then_some(branch)
    }
}

fn barred(not: &Value) -> Option<Vec<Vec<&str>>> {
    let only = not.as_object().filter(|not| not.len() == 1)?;
    match (only.get("required"), only.get("anyOf")) {
        (Some(required), _) => Some(vec![names(required)?]),
        (_, Some(any)) => {
            let of_one = |one: &'_ Value| one.as_object().is_some_and(|one| one.len() == 1);
            any.as_array()?.iter().map(|one| if of_one(one) { names(one.get("required")?) } else { None }).collect()
        }
        _ => None,
    }
}

fn names(list: &Value) -> Option<Vec<&str>> {
    let names: Vec<&str> = list.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    (!names.is_empty()).then_some(names)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Alternatives, Chosen, Count};

    fn found(schema: Value) -> Option<(Count, Vec<String>)> {
        let mut node = json!({"type": "object", "properties": {"a": {"type": "object"}, "b": {"type": "string"}, "c": {}, "kind": {"type": "string"}}});
        for (keyword, value) in schema.as_object().unwrap() {
            node[keyword] = value.clone();
        }
        Alternatives::of(&node).map(|found| (found.count, found.all.into_iter().map(|one| one.key).collect()))
    }

    fn keys(keys: &[&str]) -> Vec<String> {
        keys.iter().map(|key| (*key).to_owned()).collect()
    }

    #[test]
    fn choices_between_properties_are_recognized() {
        let (a, b) = (json!({"required": ["a"]}), json!({"required": ["b"]}));
        let none = json!({"not": {"anyOf": [a, b]}});
        let only = |name: &str, other: &str| json!({"required": [name], "not": {"required": [other]}});
        for (schema, count, all) in [
            (json!({"oneOf": [a, b]}), Count::Exactly, vec!["a", "b"]),
            (json!({"oneOf": [a, {"required": ["b", "c"]}]}), Count::Exactly, vec!["a", "b c"]),
            (json!({"oneOf": [{"properties": {"a": {}}, "required": ["a"]}, b]}), Count::Exactly, vec!["a", "b"]),
            (json!({"oneOf": [a, b, none]}), Count::AtMost, vec!["a", "b"]),
            (json!({"oneOf": [a, {"not": {"required": ["a"]}}]}), Count::AtMost, vec!["a"]),
            (json!({"allOf": [{"minProperties": 1}, {"oneOf": [a, b]}]}), Count::Exactly, vec!["a", "b"]),
            (json!({"anyOf": [a, b]}), Count::AtLeast, vec!["a", "b"]),
            (json!({"anyOf": [only("a", "b"), only("b", "a")]}), Count::Exactly, vec!["a", "b"]),
            (json!({"anyOf": [only("a", "b"), only("b", "a"), none]}), Count::AtMost, vec!["a", "b"]),
            (json!({"maxProperties": 1, "minProperties": 1}), Count::Exactly, vec!["a", "b", "c", "kind"]),
            (json!({"maxProperties": 1}), Count::AtMost, vec!["a", "b", "c", "kind"]),
            (json!({"required": ["a"], "oneOf": [{"required": ["a", "b"]}, {"required": ["a", "c"]}]}), Count::Exactly, vec!["b", "c"]),
        ] {
            assert_eq!(found(schema.clone()), Some((count, keys(&all))), "{schema}");
        }
    }

    #[test]
    fn conditions_on_values_are_no_choice() {
        let (a, b) = (json!({"required": ["a"]}), json!({"required": ["b"]}));
        for schema in [
            json!({}),
            json!({"oneOf": [a]}),
            json!({"oneOf": [a, {"required": ["a", "b"]}]}),
            json!({"oneOf": [a, {"required": ["unknown"]}]}),
            json!({"oneOf": [a, {"properties": {"kind": {"enum": ["x"]}}, "required": ["b"]}]}),
            json!({"oneOf": [a, b, {"not": {"required": ["a"]}}]}),
            json!({"oneOf": [a, b, {}]}),
            json!({"anyOf": [a, b, {"not": {"required": ["c"]}}]}),
            json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}),
            json!({"required": ["a"], "oneOf": [a, b]}),
            json!({"required": ["a"], "maxProperties": 1}),
            json!({"maxProperties": 1, "x-kubernetes-preserve-unknown-fields": true}),
            json!({"maxProperties": 2}),
            json!({"x-variants": [{"title": "Only"}]}),
        ] {
            assert_eq!(found(schema.clone()), None, "{schema}");
        }
    }

    #[test]
    fn values_choose_unless_they_are_of_several() {
        let node = json!({"properties": {"a": {}, "b": {}, "c": {}}, "oneOf": [{"required": ["a"]}, {"required": ["b", "c"]}]});
        let alternatives = Alternatives::of(&node).unwrap();
        for (given, in_effect, chosen) in [
            (json!({}), json!({}), Chosen::Undecided),
            (json!({"a": 1}), json!({"a": 1, "b": 2, "c": 3}), Chosen::One(0)),
            (json!({"c": 1}), json!({"c": 1}), Chosen::One(1)),
            (json!({"a": 1, "c": 1}), json!({}), Chosen::Undecided),
            (json!({"other": 1}), json!({"a": 1}), Chosen::One(0)),
        ] {
            assert_eq!(alternatives.of_values(Some(&given), Some(&in_effect)), chosen, "{given}");
        }
    }

    #[test]
    fn variants_are_recognized_by_their_fixed_values() {
        let node = json!({
            "properties": {"type": {}, "url": {}, "branch": {}, "image": {}, "common": {}},
            "x-variants": [
                {"title": "Git repository", "properties": ["url", "branch"], "required": ["url"], "fixed": {"type": "git"}},
                {"title": "OCI image", "properties": ["image"], "required": ["image", "type"], "fixed": {"type": "oci"}},
            ],
        });
        let alternatives = Alternatives::of(&node).unwrap();
        assert_eq!(alternatives.all[1].required, ["image"]);
        let shown = |chosen| ["type", "url", "branch", "image", "common"].map(|key| alternatives.shows(chosen, key, false));
        assert_eq!(shown(Chosen::One(0)), [false, true, true, false, true]);
        assert_eq!(shown(Chosen::Undecided), [false, false, false, false, true]);
        for (given, in_effect, chosen) in [
            (json!({"type": "oci"}), json!({"type": "oci"}), Chosen::One(1)),
            (json!({}), json!({"type": "git"}), Chosen::One(0)),
            (json!({"image": "x"}), json!({"image": "x"}), Chosen::Undecided),
            (json!({"type": "git", "image": "x"}), json!({"type": "git", "image": "x"}), Chosen::Undecided),
            (json!({"type": "svn"}), json!({"type": "svn"}), Chosen::Undecided),
        ] {
            assert_eq!(alternatives.of_values(Some(&given), Some(&in_effect)), chosen, "{given}");
        }
        assert!(alternatives.is_violated(&json!({"type": "git"})) && !alternatives.is_violated(&json!({"type": "git", "url": "x"})));
    }
}
