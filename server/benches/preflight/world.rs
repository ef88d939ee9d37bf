//! A promise, its surroundings and its policies.

use promise::api::{PromiseCatalogSpec, PromiseRequestSpec, PromiseSpec, ReleaseRevision};
use promise::context::{Context, PromiseContext, RequestContext, WorkspaceContext};
use promise::policy::Candidate;
use promise::price::{Day, PriceBook};
use promise::render::Compiled;
use promise::resolve::PromiseReading;
use promise::visibility::{Offer, Place, Shelf};
use serde_json::{Map, Value, json};

/// The levels at which policies are set: three on the way to the workspace, and the trusted home.
const LEVELS: [(&str, &str); 4] = [("root", "root"), ("acme", "root:acme"), ("shop", "root:acme:shop"), ("platform", "root:platform")];

/// A promise with everything that decides about its requests but the policies.
pub struct World {
    pub name: String,
    pub spec: PromiseSpec,
    pub compiled: Compiled,
    pub reading: PromiseReading,
    pub home: Place,
    pub lineage: Vec<String>,
    pub revision: ReleaseRevision,
    pub book: PriceBook,
    parameters: Value,
    /// A number among the parameters that policies and requests are about.
    number: &'static str,
}

impl World {
    /// The largest of the sample promises, with the sample prices.
    pub fn sample() -> Self {
        let promise = document(include_str!("../../../examples/promises/postgresql.yaml"));
        let spec: PromiseSpec = serde_json::from_value(promise["spec"].clone()).expect("a promise");
        let parameters = spec.examples.last().and_then(|example| example.parameters.clone()).expect("an example");
        Self::of("postgresql", spec, parameters, "replicas")
    }

    /// A promise with so many parameters, each of which is read by its one object.
    pub fn wide(fields: usize) -> Self {
        let (mut properties, mut data, mut parameters) = (Map::new(), Map::new(), Map::new());
        for at in 0..fields {
            let name = format!("field{at}");
            let schema = match at % 4 {
                0 => json!({"type": "string", "maxLength": 63, "pattern": "^[a-z][a-z0-9-]*$", "default": "value"}),
                1 => json!({"type": "integer", "minimum": 0, "maximum": 1000, "default": 10}),
                2 => json!({"type": "boolean", "default": true}),
                _ => json!({"type": "string", "enum": ["small", "medium", "large"], "default": "small"}),
            };
            if at % 3 == 0 {
                parameters.insert(name.clone(), schema["default"].clone());
            }
            properties.insert(name.clone(), schema);
            data.insert(name.clone(), json!(format!("${{string(parameters.{name})}}")));
        }
        let spec = json!({
            "version": "1.0.0", "lifecycle": "published", "visibility": "descendants",
            "parameters": {"type": "object", "properties": properties},
            "implementation": {"resources": [{"id": "settings", "template":
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}"}, "data": data}}]},
            "cost": {"currency": "EUR", "items": [{"name": "Size", "monthly": "${prices.database[parameters.field3] * parameters.field1}"}]},
        });
        Self::of("wide", serde_json::from_value(spec).expect("a promise"), Value::Object(parameters), "field1")
    }

    fn of(name: &str, spec: PromiseSpec, parameters: Value, number: &'static str) -> Self {
        let place = |(cluster, path): (&str, &str)| Place { cluster: cluster.to_owned(), path: path.to_owned() };
        let home = place(LEVELS[3]);
        let catalog = document(include_str!("../../../examples/catalog/standard.yaml"));
        let catalog: PromiseCatalogSpec = serde_json::from_value(catalog["spec"].clone()).expect("a catalog");
        let shelf = Shelf { name: "standard", home: &home, trusted: true, spec: &catalog };
        let offer = Offer { name, home: &home, spec: &spec, is_deleting: false };
        let lineage: Vec<Place> = LEVELS[..3].iter().copied().map(place).collect();
        let book = PriceBook::open(&offer, &lineage, &[shelf], Day::parse("2026-06-01").expect("a day"));
        Self {
            compiled: Compiled::compile(&spec).expect("it compiles"),
            reading: PromiseReading::of(&spec, true),
            lineage: lineage.into_iter().map(|place| place.cluster).collect(),
            revision: ReleaseRevision { cluster: home.cluster.clone(), name: format!("{name}-1"), hash: "ab12".to_owned() },
            name: name.to_owned(),
            spec,
            home,
            book,
            parameters,
            number,
        }
    }

    /// What expressions know besides the parameters.
    pub fn context(&self) -> Context {
        Context {
            request: RequestContext {
                name: "orders".into(),
                namespace: "default".into(),
                workspace: LEVELS[2].1.into(),
                ..RequestContext::default()
            },
            promise: PromiseContext { name: self.name.clone(), version: self.spec.version.clone(), workspace: self.home.path.clone() },
            workspace: WorkspaceContext { path: LEVELS[2].1.into(), name: "shop".into(), ..WorkspaceContext::default() },
            prices: self.book.values.clone(),
            action: None,
        }
    }

    /// A request; each round asks for something else.
    pub fn request(&self, round: usize) -> PromiseRequestSpec {
        let mut parameters = self.parameters.clone();
        parameters[self.number] = json!(2 + round % 4);
        PromiseRequestSpec { parameters: Some(parameters), ..PromiseRequestSpec::default() }
    }

    /// Policies of two rules: so many that concern the requests, on all levels, and so many that are about other promises and other places.
    pub fn policies(&self, near: usize, far: usize) -> Vec<Candidate> {
        let near = (0..near).map(|at| {
            let (cluster, path) = LEVELS[at % LEVELS.len()];
            let wanted = if at % 2 == 0 { json!([self.name]) } else { json!([]) };
            self.policy(&format!("near-{at}"), cluster, path, at, &wanted)
        });
        let far = (0..far).map(|at| {
            if at % 2 == 0 {
                self.policy(&format!("far-{at}"), "platform", "root:platform", at, &json!([format!("other-{at}")]))
            } else {
                self.policy(&format!("far-{at}"), &format!("elsewhere-{at}"), &format!("root:globex:team-{at}"), at, &json!([]))
            }
        });
        near.chain(far).collect()
    }

    fn policy(&self, name: &str, cluster: &str, path: &str, at: usize, promises: &Value) -> Candidate {
        let number = self.number;
        let trusted = cluster == "platform";
        let first = match at % 3 {
            0 => json!({"name": "bounds", "constrain": {"parameter": format!(".{number}"), "minimum": 1, "maximum": 7 + at % 20}}),
            1 => json!({"name": "asks", "validate": {
                "expression": format!("!has(parameters.{number}) || parameters.{number} < {}", 100 + at), "message": "Choose less."}}),
            _ => json!({"name": "bounds-when", "constrain": {"parameter": format!(".{number}"), "minimum": 2,
                "when": format!("has(parameters.{number}) && parameters.{number} > 3")}}),
        };
        let second = if trusted {
            json!({"name": "adds", "inject": {"match": {"kinds": []}, "merge": {"metadata": {"annotations": {format!("example.org/{name}"): "yes"}}}}})
        } else {
            json!({"name": "named", "validate": {"expression": "size(request.name) <= 50", "message": "Shorten the name."}})
        };
        let spec = json!({"title": name, "owner": {"team": "Acme"}, "rules": [first, second], "appliesTo": {"promises": promises}});
        Candidate {
            policy: name.to_owned(),
            workspace: path.to_owned(),
            cluster: cluster.to_owned(),
            trusted,
            spec: serde_json::from_value(spec).expect("a policy"),
        }
    }
}

fn document(text: &str) -> Value {
    serde_saphyr::from_str(text).expect("YAML")
}
