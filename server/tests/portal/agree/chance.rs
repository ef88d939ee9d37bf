//! Requests and policies by chance.

use promise::api::{PolicySpec, PromiseSpec};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

/// Choices that only a seed and their order decide.
pub struct Chance {
    seed: u64,
    number: u64,
}

impl Chance {
    pub fn of(seed: u64) -> Self {
        Self { seed, number: 0 }
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.number += 1;
        let digest = Sha256::digest([self.seed.to_be_bytes(), self.number.to_be_bytes()].concat());
        let word = digest.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
        usize::try_from(word % bound.max(1) as u64).unwrap_or_default()
    }

    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// A value for a schema: mostly one that fits, at times one that is just beside.
    fn value(&mut self, schema: &Value) -> Value {
        if let Some(values) = schema["enum"].as_array() {
            return if self.one_in(25) { json!("no-such-value") } else { values[self.below(values.len())].clone() };
        }
        let bound = |name: &str, other: i64| schema[name].as_i64().unwrap_or(other);
        match schema["type"].as_str() {
            Some("boolean") => json!(self.one_in(2)),
            Some("integer" | "number") => {
                let (least, most) = (bound("minimum", 0), bound("maximum", 20));
                let span = usize::try_from((most - least).clamp(0, 30)).unwrap_or_default();
                let within = least + i64::try_from(self.below(span + 1)).unwrap_or_default();
                if self.one_in(20) { json!(least - 1) } else { json!(within) }
            }
            Some("string") => {
                let texts = ["app", "orders", "a-b", "registry.example.org/app:1.4", "Bad Name", "x.example.org", ""];
                json!(texts[self.below(texts.len())])
            }
            Some("array") => {
                let count = self.below(3);
                (0..count).map(|_| self.value(&schema["items"])).collect()
            }
            _ => match schema["properties"].as_object() {
                Some(properties) => self.object(properties, schema["required"].as_array()),
                None => json!({"team": "orders"}),
            },
        }
    }

    fn object(&mut self, properties: &Map<String, Value>, required: Option<&Vec<Value>>) -> Value {
        let mut fields = Map::new();
        for (name, schema) in properties {
            let needed = required.is_some_and(|names| names.iter().any(|known| known == name));
            // Secrets are typed elsewhere.
            if name != "adminPassword" && (needed && !self.one_in(20) || self.one_in(3)) {
                fields.insert(name.clone(), self.value(schema));
            }
        }
        if self.one_in(40) {
            fields.insert("noSuchParameter".to_owned(), json!(1));
        }
        Value::Object(fields)
    }

    /// Parameters of a request: an example with some of it typed otherwise, or anything.
    pub fn parameters(&mut self, spec: &PromiseSpec) -> Value {
        let schema = spec.parameters.clone().unwrap_or_default();
        let anything = self.value(&schema);
        let example = spec.examples.get(self.below(spec.examples.len())).and_then(|example| example.parameters.clone());
        let Some(Value::Object(mut fields)) = example.filter(|_| !self.one_in(4)) else { return anything };
        for (name, value) in anything.as_object().into_iter().flatten() {
            if self.one_in(2) {
                fields.insert(name.clone(), value.clone());
            }
        }
        Value::Object(fields)
    }

    /// A policy of a trusted home with a few rules of any kind that counts at once.
    pub fn policy(&mut self, promises: &[&str]) -> PolicySpec {
        let most = 1 + self.below(6);
        let rules = [
            json!({"name": "some", "constrain": {"parameter": ".replicas", "minimum": 1, "maximum": most}}),
            json!({"name": "fixed", "set": {"parameter": ".replicas", "value": most}}),
            json!({"name": "proposed", "default": {"parameter": ".replicas", "value": most}}),
            json!({"name": "asked", "validate": {"expression": format!("!has(parameters.replicas) || parameters.replicas != {most}"),
                "message": "Choose another number."}}),
            json!({"name": "added", "inject": {"match": {"kinds": []}, "merge": {"metadata": {"labels": {"example.org/batch": format!("b{most}")}}}}}),
            json!({"name": "sized", "constrain": {"parameter": ".size", "enum": ["small", "medium"]}}),
            json!({"name": "in-production", "constrain": {"parameter": ".replicas", "minimum": 2, "when": "has(parameters.tier) && parameters.tier == 'production'"}}),
            json!({"name": "agreed", "approve": {"approvers": {"groups": ["acme-approvers"]}}}),
            json!({"name": "agreed-in-production", "approve": {"approvers": {"groups": ["acme-owners"]}, "stage": 2,
                "when": "has(parameters.tier) && parameters.tier == 'production'"}}),
            json!({"name": "backed-up", "set": {"parameter": ".backup.enabled", "value": true, "when": "has(parameters.tier) && parameters.tier == 'production'"}}),
        ];
        let chosen: Vec<&Value> = rules.iter().filter(|_| self.one_in(3)).collect();
        let enforcement = ["block", "warn", "audit"][self.below(3)];
        let promise = promises[self.below(promises.len())];
        serde_json::from_value(json!({
            "enforcement": enforcement, "owner": {"team": "Chance"}, "rules": chosen,
            "appliesTo": {"promises": [promise], "workspaces": ["root:acme:**"]},
        }))
        .expect("a policy")
    }
}
