//! Values that differ from run to run become placeholders, numbered in the order in which they come, or named by the step that they come in:
//! then one step that differs does not make all later ones differ.

use std::collections::HashMap;

use regex::{Captures, Regex};
use serde_json::{Map, Value};

use devplane::{Clock, clock::SystemClock};

/// The placeholders of one scenario.
pub struct Normaliser {
    host: String,
    requests: String,
    generated: Option<Regex>,
    uuid: Regex,
    time: Regex,
    address: Regex,
    version: Regex,
    /// In an object that stands in a text.
    quoted_version: Regex,
    cluster: Regex,
    /// Captured cluster ids and their placeholders.
    pub names: HashMap<String, String>,
    uids: Labels,
    versions: HashMap<String, Labels>,
    /// The step that names what comes; none if it is numbered.
    step: Option<String>,
}

/// What was seen, and how it is called.
#[derive(Default)]
struct Labels(HashMap<String, String>);

impl Labels {
    fn of(&mut self, seen: &str, step: Option<&str>) -> String {
        let next = || match step {
            None => (self.0.len() + 1).to_string(),
            Some(step) => format!("{step}:{}", self.0.values().filter(|label| label.starts_with(&format!("{step}:"))).count() + 1),
        };
        if !self.0.contains_key(seen) {
            let label = next();
            self.0.insert(seen.to_owned(), label);
        }
        self.0[seen].clone()
    }
}

impl Normaliser {
    /// For a scenario that runs against this host.
    pub fn new(host: &str, scenario: &Value) -> Self {
        let requests: Vec<&Value> = scenario["steps"].as_array().expect("steps").iter().map(|step| &step["request"]).collect();
        let requests = serde_json::to_string(&requests).expect("JSON");
        let prefix = Regex::new(r#""generateName":"([^"]+)""#).expect("a pattern");
        let prefixes: Vec<String> = prefix.captures_iter(&requests).map(|found| regex::escape(&found[1])).collect();
        let generated = (!prefixes.is_empty())
            .then(|| Regex::new(&format!(r"(\b)({})[bcdfghjklmnpqrstvwxz2456789]{{5}}\b", prefixes.join("|"))).expect("a pattern"));
        let of = |pattern: &str| Regex::new(pattern).expect("a pattern");
        Self {
            host: host.to_owned(),
            requests,
            generated,
            uuid: of(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
            time: of(r"(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d+)?(?:Z|[+-]\d\d:\d\d)"),
            address: of(r"\b(?:\d{1,3}(?:\.\d{1,3}){3}|localhost):\d{2,5}\b"),
            version: of(r#"(?i)(resource ?version(?: in [a-z ]+)?(?:: | \()(?:Invalid value: )?"?|, current: )(\d+)( \(\d+\))?"#),
            quoted_version: of(r#"(resourceVersion\\?":\\?")\d+"#),
            cluster: of(r"^[a-z0-9]{12,18}$"),
            names: HashMap::new(),
            uids: Labels::default(),
            versions: HashMap::new(),
            step: None,
        }
    }

    /// What comes from now on is named by this step.
    pub fn enter(&mut self, step: &str) {
        self.step = Some(step.to_owned());
    }

    fn text(&mut self, text: &str) -> String {
        // Ages in tables.
        let seconds = text.strip_suffix('s').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
        if self.step.is_some() && seconds {
            return "<age>".into();
        }
        let mut text = text.to_owned();
        let mut names: Vec<(&String, &String)> = self.names.iter().collect();
        names.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        for (value, name) in names {
            text = text.replace(value.as_str(), name);
        }
        if let Some(generated) = &self.generated {
            text = generated.replace_all(&text, "$1$2<generated>").into_owned();
        }
        let (uids, requests, step) = (&mut self.uids, &self.requests, self.step.as_deref());
        text = self
            .uuid
            .replace_all(&text, |found: &Captures<'_>| {
                if requests.contains(&found[0]) {
                    return found[0].to_owned();
                }
                format!("<uid:{}>", uids.of(&found[0], step))
            })
            .into_owned();
        let today = SystemClock.now().to_zoned(jiff::tz::TimeZone::UTC).date();
        text = self
            .time
            .replace_all(&text, |found: &Captures<'_>| {
                let near = found[1].parse::<jiff::civil::Date>().is_ok_and(|date| (today - date).get_days().abs() <= 2);
                match (near, found.get(2)) {
                    (false, _) => found[0].to_owned(),
                    (true, Some(_)) => "<microtime>".to_owned(),
                    (true, None) => "<time>".to_owned(),
                }
            })
            .into_owned();
        text = self
            .version
            .replace_all(&text, |found: &Captures<'_>| match (&found[2], found.get(3)) {
                ("0", _) => found[0].to_owned(),
                (_, None) => format!("{}<rv>", &found[1]),
                (_, Some(_)) => format!("{}<rv> (<rv>)", &found[1]),
            })
            .into_owned();
        if self.step.is_some() {
            text = self.quoted_version.replace_all(&text, "$1<rv>").into_owned();
        }
        let text = text.replace(&self.host, "<host>");
        self.address.replace_all(&text, "<host>").into_owned()
    }

    /// A value with placeholders.
    pub fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => {
                let sorted;
                let fields =
                    match value["reason"] == "Invalid" && value["details"]["causes"].as_array().is_some_and(|list| !list.is_empty()) {
                        true => {
                            sorted = sorted_causes(value);
                            sorted.as_object().expect("an object")
                        }
                        false => fields,
                    };
                let mut normalised = Map::new();
                for (key, item) in fields {
                    let item = self.field(fields, key, item);
                    normalised.insert(self.text(key), item);
                }
                Value::Object(normalised)
            }
            other => other.clone(),
        }
    }

    fn field(&mut self, owner: &Map<String, Value>, key: &str, item: &Value) -> Value {
        let text = item.as_str().unwrap_or_default();
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match key {
            "resourceVersion" if digits && text != "0" => {
                let Some(uid) = owner.get("uid").and_then(Value::as_str) else { return "<rv>".into() };
                let seen = self.versions.entry(uid.to_owned()).or_default();
                format!("<rv:{}>", seen.of(text, self.step.as_deref())).into()
            }
            "continue" if !text.is_empty() => "<continue>".into(),
            "kcp.io/cluster" if !self.names.contains_key(text) && self.cluster.is_match(text) => "<cluster>".into(),
            "managedFields" if item.is_array() => {
                let mut entries = item.as_array().cloned().unwrap_or_default();
                let part = |entry: &Value, name: &str| entry.get(name).map_or("None".to_owned(), super::pointer::text);
                entries.sort_by_key(|entry| ["operation", "manager", "apiVersion", "subresource"].map(|name| part(entry, name)));
                self.value(&Value::Array(entries))
            }
            _ => self.value(item),
        }
    }
}

/// Causes ordered by field, in the message too.
fn sorted_causes(status: &Value) -> Value {
    let text = |cause: &Value, name: &str| cause[name].as_str().unwrap_or_default().to_owned();
    let found = status["details"]["causes"].as_array().cloned().unwrap_or_default();
    let mut ordered = found.clone();
    ordered.sort_by_key(|cause| (text(cause, "field"), text(cause, "message")));
    let joined = |causes: &[Value]| {
        let mut parts: Vec<String> = Vec::new();
        for cause in causes {
            let part = format!("{}: {}", text(cause, "field"), text(cause, "message"));
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join(", ")
    };
    let mut sorted = status.clone();
    sorted["message"] = text(status, "message").replace(&joined(&found), &joined(&ordered)).into();
    sorted["details"]["causes"] = ordered.into();
    sorted
}
