//! Values for a schema, as valid as a schema alone can make them, and mistakes that people and programs make.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use regex::Regex;
use serde_json::{Map, Value, json};

/// Maximum number of values in one object.
const MOST: usize = 60;
/// Maximum depth below which only required fields are filled in.
const DEEP: usize = 6;
/// Texts that many patterns accept.
const TEXTS: &[&str] = &[
    "a",
    "my-name",
    "example.org",
    "10Gi",
    "500m",
    "1.2.3",
    "v1.2.3",
    "v1",
    "30s",
    "5m",
    "1h30m",
    "https://example.org/path",
    "10.0.0.1",
    "10.0.0.0/16",
    "2001:db8::1",
    "2024-01-02T03:04:05Z",
    "1",
    "0",
    "true",
    "A",
    "ABC_1",
    "a/b",
    "a=b",
    "a:b",
    "/path",
    "0 3 * * *",
    "50%",
    "arn:aws:iam::123456789012:role/name",
    "aGk=",
    "cn=name",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "e3b0c442-98fc-4c14-9afb-f4c8996fb924",
    "deadbeef",
    "0644",
    "a@example.org",
    "*.example.org",
    "Always",
    "abc:def",
    "1G",
    "#fff",
];
/// Texts that are easily damaged between the browser and the plane.
const HARD: &[&str] = &[
    "",
    " ",
    "null",
    "~",
    "true",
    "007",
    "1e3",
    "- a",
    "a: b",
    "#c",
    "ü/ß.日本",
    "x\ty",
    "line\nline",
    " lead",
    "\u{202e}rtl",
    "<script>",
    "\"",
    "\\",
    "{}",
    "0x10",
    "1_000",
    "99999999999999999999",
    "\u{0}",
];

/// Produces values. The same seed produces the same ones.
pub(super) struct Generator {
    state: u64,
    left: usize,
    texts: TestRunner,
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        Self { state: seed, left: MOST, texts: TestRunner::new_with_rng(Config::default(), rng) }
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap_or_default()
    }

    fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    fn pick<'v, T>(&mut self, from: &'v [T]) -> &'v T {
        &from[self.below(from.len())]
    }

    /// Returns an object for the schema of parameters.
    pub fn object(&mut self, schema: &Value) -> Value {
        self.left = MOST;
        let value = self.value(schema, 0);
        if value.is_object() { value } else { json!({}) }
    }

    fn value(&mut self, node: &Value, depth: usize) -> Value {
        self.left = self.left.saturating_sub(1);
        if node.get("default").is_some() && self.one_in(4) {
            return node["default"].clone();
        }
        if let Some(values) = node["enum"].as_array().filter(|values| !values.is_empty()) {
            return self.pick(values).clone();
        }
        if node["nullable"] == true && self.one_in(8) {
            return Value::Null;
        }
        if node["x-kubernetes-int-or-string"] == true {
            return if self.one_in(2) { self.integer(node) } else { self.text(node) };
        }
        match node["type"].as_str() {
            Some("string") => self.text(node),
            Some("integer") => self.integer(node),
            Some("number") if self.one_in(2) => self.integer(node),
            Some("number") => json!(node["minimum"].as_f64().unwrap_or_default() + 0.5),
            Some("boolean") => self.one_in(2).into(),
            Some("array") => self.list(node, depth),
            Some("object") => self.fields(node, depth),
            _ => self.anything(),
        }
    }

    fn anything(&mut self) -> Value {
        let any = [json!("text"), json!(1), json!(true), json!({"a": {"b": ["c", 1]}}), json!([1, "2"]), json!({})];
        self.pick(&any).clone()
    }

    fn text(&mut self, node: &Value) -> Value {
        let (least, most) = (node["minLength"].as_u64().unwrap_or(0), node["maxLength"].as_u64().unwrap_or(4_096));
        let fits = |text: &str| (least..=most).contains(&(text.chars().count() as u64));
        if let Some(pattern) = node["pattern"].as_str() {
            return self.matching(pattern, fits).into();
        }
        let text = match node["format"].as_str() {
            Some("date-time") => "2024-01-02T03:04:05Z",
            Some("date") => "2024-01-02",
            Some("duration") => "1h0m0s",
            Some("ipv4" | "ip") => "10.0.0.1",
            Some("ipv6") => "2001:db8::1",
            Some("cidr") => "10.0.0.0/16",
            Some("uri") => "https://example.org/",
            Some("email") => "a@example.org",
            Some("hostname") => "example.org",
            Some("byte") => "aGVsbG8=",
            Some("uuid") => "e3b0c442-98fc-4c14-9afb-f4c8996fb924",
            _ if self.one_in(3) => self.pick(HARD),
            _ => self.pick(TEXTS),
        };
        let (least, most) = (usize::try_from(least).unwrap_or_default(), usize::try_from(most).unwrap_or(usize::MAX));
        let padding = "x".repeat(least.saturating_sub(text.chars().count()));
        text.chars().chain(padding.chars()).take(most).collect::<String>().into()
    }

    /// Returns a text that a pattern matches, if there is one that can be found.
    fn matching(&mut self, pattern: &str, fits: impl Fn(&str) -> bool) -> String {
        if let Ok(regex) = Regex::new(pattern) {
            let known: Vec<&&str> = TEXTS.iter().filter(|text| regex.is_match(text) && fits(text)).collect();
            if !known.is_empty() {
                return (**self.pick(&known)).to_owned();
            }
        }
        let made = proptest::string::string_regex(pattern.trim_start_matches('^').trim_end_matches('$'));
        let made = made.ok().and_then(|texts| texts.new_tree(&mut self.texts).ok());
        made.map(|tree| tree.current()).unwrap_or_else(|| "a".to_owned())
    }

    fn integer(&mut self, node: &Value) -> Value {
        let least = node["minimum"].as_f64().map_or(0.0, |least| least + f64::from(u8::from(node["exclusiveMinimum"] == true)));
        let most = node["maximum"].as_f64().unwrap_or(least + 1_000.0);
        let step = node["multipleOf"].as_f64().filter(|step| *step >= 1.0).unwrap_or(1.0);
        let room = ((most - least) / step).clamp(0.0, 1_000.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped, and bounds of schemas are small")]
        let (first, steps) = ((least / step).ceil() * step, self.below(room as usize + 1) as f64);
        #[expect(clippy::cast_possible_truncation, reason = "bounds of schemas are small")]
        Value::from((first + steps * step) as i64)
    }

    fn list(&mut self, node: &Value, depth: usize) -> Value {
        let least = usize::try_from(node["minItems"].as_u64().unwrap_or_default()).unwrap_or_default().min(20);
        let most = usize::try_from(node["maxItems"].as_u64().unwrap_or(3)).unwrap_or(3);
        let more = if self.left == 0 || depth > DEEP { 0 } else { self.below(3) };
        let count = (least + more).min(most.max(least));
        let mut items: Vec<Value> = Vec::new();
        for _ in 0..count {
            let item = self.value(&node["items"], depth + 1);
            if items.len() < least || !items.contains(&item) {
                items.push(item);
            }
        }
        items.into()
    }

    fn fields(&mut self, node: &Value, depth: usize) -> Value {
        let mut fields = Map::new();
        let required: Vec<&str> = node["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        // Alternatives name fields that belong together.
        let alternatives = ["oneOf", "anyOf"].iter().filter_map(|word| node[*word].as_array().filter(|all| !all.is_empty()));
        let chosen: Vec<&Value> = alternatives.map(|all| &all[self.below(all.len())]).collect();
        let asked = chosen.iter().flat_map(|one| one["required"].as_array().into_iter().flatten().filter_map(Value::as_str));
        let needed: Vec<&str> = required.into_iter().chain(asked).collect();
        let properties = node["properties"].as_object();
        let count = properties.map_or(0, Map::len);
        for (name, property) in properties.into_iter().flatten() {
            let optional = self.left > 0 && depth < DEEP && self.one_in(if count > 12 { 6 } else { 2 });
            if needed.contains(&name.as_str()) || optional {
                fields.insert(name.clone(), self.value(property, depth + 1));
            }
        }
        if node["x-kubernetes-embedded-resource"] == true {
            fields.extend([("apiVersion".into(), "v1".into()), ("kind".into(), "Thing".into()), ("metadata".into(), json!({"name": "a"}))]);
        }
        if node["additionalProperties"].is_object() {
            for number in 0..self.below(3) {
                let name = if self.one_in(3) { "example.org/name".to_owned() } else { format!("key{number}") };
                fields.insert(name, self.value(&node["additionalProperties"], depth + 1));
            }
        } else if node["x-kubernetes-preserve-unknown-fields"] == true && self.one_in(2) {
            fields.insert("unknown".to_owned(), self.anything());
        }
        fields.into()
    }

    /// Changes one value of an object so that it might violate the schema. Returns the kind of change.
    pub fn mutate(&mut self, schema: &Value, object: &mut Value) -> &'static str {
        let mut places = Vec::new();
        collect(schema, object, &mut Vec::new(), &mut places);
        let Some(place) = (!places.is_empty()).then(|| self.pick(&places).clone()) else { return "nothing" };
        let Some(value) = reach(object, &place.steps) else { return "nothing" };
        let node = place.node;
        match self.below(12) {
            0 => {
                let others =
                    [json!("text"), json!(7), json!(1.5), json!(true), json!({}), json!({"a": 1}), json!([]), json!(["x"]), json!("12")];
                *value = self.pick(&others).clone();
                "another type"
            }
            1 => {
                *value = Value::Null;
                "null"
            }
            2 if value.is_object() => {
                value["notInTheSchema"] = self.anything();
                "an unknown field"
            }
            3 if value.as_object().is_some_and(|fields| !fields.is_empty()) => {
                let names: Vec<String> = value.as_object().into_iter().flat_map(Map::keys).cloned().collect();
                let name = self.pick(&names).clone();
                value.as_object_mut().into_iter().for_each(|fields| drop(fields.remove(&name)));
                "a missing field"
            }
            4 if value.as_array().is_some_and(|items| !items.is_empty()) => {
                if let Some(items) = value.as_array_mut() {
                    let again = items[0].clone();
                    items.push(again);
                }
                "a duplicate"
            }
            5 if value.is_array() => {
                let most = usize::try_from(node["maxItems"].as_u64().unwrap_or(30)).unwrap_or(30).min(300);
                if let Some(items) = value.as_array_mut() {
                    let one = items.first().cloned().unwrap_or_else(|| json!("x"));
                    items.resize(most + 1, one);
                }
                "too many items"
            }
            6 if value.is_string() => {
                let most = usize::try_from(node["maxLength"].as_u64().unwrap_or(3_000)).unwrap_or(3_000).min(20_000);
                *value = "x".repeat(most + 1).into();
                "a long text"
            }
            7 | 8 if value.is_string() => {
                *value = (*self.pick(HARD)).into();
                "a hard text"
            }
            7 | 8 if value.is_number() => {
                let bounds = [&node["minimum"], &node["maximum"]].map(|bound| bound.as_i64());
                let numbers = [
                    bounds[0].map_or(-1, |least| least.saturating_sub(1)),
                    bounds[1].map_or(i64::MAX, |most| most.saturating_add(1)),
                    0,
                    7,
                ];
                *value = self.pick(&numbers).to_owned().into();
                "a number out of range"
            }
            9 if value.is_number() => {
                *value = json!(0.25);
                "a fraction"
            }
            10 if value.is_object() || value.is_array() => {
                *value = if value.is_object() { json!({}) } else { json!([]) };
                "nothing in it"
            }
            11 if node["properties"].as_object().is_some_and(|known| !known.is_empty()) && value.is_object() => {
                let names: Vec<&String> = node["properties"].as_object().into_iter().flat_map(Map::keys).collect();
                let name = (*self.pick(&names)).clone();
                self.left = 10;
                value[&name] = self.value(&node["properties"][&name], 2);
                "another field"
            }
            _ if value.is_string() => {
                *value = "not one of these".into();
                "another text"
            }
            _ => {
                self.left = 10;
                *value = self.value(node, 2);
                "another value"
            }
        }
    }
}

#[derive(Clone)]
enum Step {
    Key(String),
    Index(usize),
}

/// A value with its schema.
#[derive(Clone)]
struct Spot<'n> {
    steps: Vec<Step>,
    node: &'n Value,
}

fn collect<'n>(node: &'n Value, value: &Value, steps: &mut Vec<Step>, found: &mut Vec<Spot<'n>>) {
    if !steps.is_empty() {
        found.push(Spot { steps: steps.clone(), node });
    }
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                let inner = node["properties"].get(key).unwrap_or(&node["additionalProperties"]);
                steps.push(Step::Key(key.clone()));
                collect(inner, field, steps, found);
                steps.pop();
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate().take(5) {
                steps.push(Step::Index(index));
                collect(&node["items"], item, steps, found);
                steps.pop();
            }
        }
        _ => {}
    }
}

fn reach<'v>(value: &'v mut Value, steps: &[Step]) -> Option<&'v mut Value> {
    steps.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Index(index) => value.get_mut(index),
    })
}
