//! Verdicts on what forms send: what an API server with the same schema accepts is accepted, and for what it refuses the same fields are
//! blamed. In CI by the embedded plane; with `--full` on many more objects, and by a kube-apiserver.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use futures::{StreamExt, stream};
use http::Request;
use regex::Regex;
use schema::structural::Schema;
use serde_json::{Value, json};
use testdata::corpus::definitions;
use testplane::{Person, Server};
use tower::ServiceExt;

use super::corpus::{Sample, as_posted, objects};
use super::generate::Generator;
use super::posted;
use crate::api::PromiseSpec;
use crate::context::Context;
use crate::form::{Draft, model, parse};
use crate::policy::{Effective, Readings};
use crate::resolve::{self, MAX_PROBLEMS, PromiseReading, locate};

const PEOPLE: &[Person] = &[Person { name: "admin", groups: &["system:masters"] }];
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const GROUP: &str = "verdicts.example.org";
/// How often a server is asked whether it serves a definition.
const PAUSE: Duration = Duration::from_millis(5);
const ATTEMPTS: usize = 6_000;
/// Schemas whose objects are judged at the same time, and such objects of one schema.
const DEFINITIONS_TOGETHER: usize = 6;
const TOGETHER: usize = 8;
/// Attempts to make a generated value valid.
const REPAIRS: usize = 6;

/// An API server.
enum Judge {
    /// The plane is kept for its controllers.
    Plane {
        router: Box<axum::Router>,
        _plane: Box<devplane::Plane>,
    },
    Server(Server),
}

impl Judge {
    fn plane() -> Self {
        let token = devplane::Token {
            token: Server::token("admin"),
            username: "admin".to_owned(),
            uid: String::new(),
            groups: vec!["system:kcp:admin".to_owned(), "system:masters".to_owned()],
        };
        let options = devplane::Options::new(devplane::Storage::Memory, vec![token], "https://plane.test");
        let plane = devplane::Plane::open(options).unwrap();
        Self::Plane { router: Box::new(plane.router()), _plane: Box::new(plane) }
    }

    async fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("authorization", format!("Bearer {}", Server::token("admin")))
            .header("content-type", "application/json")
            .body(body.to_string().into_bytes())
            .unwrap();
        let answer = match self {
            Self::Plane { router, .. } => router.clone().oneshot(request.map(Body::from)).await.unwrap(),
            Self::Server(server) => server.send(request).await.unwrap().map(Body::new),
        };
        let status = answer.status().as_u16();
        let bytes = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// Serves objects whose `spec` has the schema. Returns the path of their collection, or why the server refuses the schema.
    async fn serves(&self, number: usize, schema: &Value) -> Result<String, String> {
        let plural = format!("things{number}");
        let whole = json!({"type": "object", "properties": {"spec": schema}});
        let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": whole}});
        let names = json!({"plural": plural, "singular": format!("thing{number}"), "kind": format!("Thing{number}")});
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": format!("{plural}.{GROUP}")},
            "spec": {"group": GROUP, "scope": "Cluster", "names": names, "versions": [version]},
        });
        let (status, answer) = self.ask("POST", DEFINITIONS, &definition).await;
        if status != 201 {
            return Err(format!("{status} {}", answer["message"]));
        }
        let path = format!("/apis/{GROUP}/v1/{plural}");
        for _ in 0..ATTEMPTS {
            if self.ask("GET", &path, &Value::Null).await.0 == 200 {
                return Ok(path);
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(format!("{path} isn't served"))
    }

    async fn forget(&self, number: usize) {
        self.ask("DELETE", &format!("{DEFINITIONS}/things{number}.{GROUP}"), &Value::Null).await;
    }

    /// Returns the paths that are blamed, as in problems; none if the value is accepted.
    async fn blames(&self, path: &str, number: usize, value: &Value) -> Result<Blamed, String> {
        let object =
            json!({"apiVersion": format!("{GROUP}/v1"), "kind": format!("Thing{number}"), "metadata": {"name": "a"}, "spec": value});
        let mut blamed = Blamed::default();
        for validation in ["Strict", "Ignore"] {
            let (status, answer) = self.ask("POST", &format!("{path}?dryRun=All&fieldValidation={validation}"), &object).await;
            let message = answer["message"].as_str().unwrap_or_default();
            match status {
                201 => break,
                // Unknown fields are said first and alone.
                400 if validation == "Strict" && message.contains("unknown field") => blamed.paths.extend(unknown(message, value)),
                // A resource in the object can't be read at all.
                400 if message.contains("cannot be handled as") => {
                    blamed.is_first = true;
                    blamed.paths.extend(unreadable(message, value));
                    break;
                }
                422 => {
                    blamed
                        .paths
                        .extend(answer["details"]["causes"].as_array().into_iter().flatten().filter_map(|cause| blame(cause, value)));
                    break;
                }
                _ => return Err(format!("{status} {message}")),
            }
        }
        Ok(blamed)
    }
}

/// What a server blames.
#[derive(Debug, Default)]
struct Blamed {
    paths: BTreeSet<String>,
    /// Whether it stopped at the first.
    is_first: bool,
}

fn unreadable(message: &str, value: &Value) -> Option<String> {
    let named = Regex::new(r": (spec\S*): Invalid value").unwrap();
    named.captures(message).map(|found| path(&found[1], value))
}

/// Returns the path of a field of the object as in problems.
fn path(field: &str, value: &Value) -> String {
    let rest = field.strip_prefix("spec").unwrap_or(field);
    resolve::shown(&locate::path(rest.strip_prefix('.').unwrap_or(rest), value))
}

fn unknown(message: &str, value: &Value) -> Vec<String> {
    let named = Regex::new(r#"unknown field "([^"]*)""#).unwrap();
    named.captures_iter(message).map(|found| path(&found[1], value)).collect()
}

fn blame(cause: &Value, value: &Value) -> Option<String> {
    let (field, message) = (cause["field"].as_str().unwrap_or_default(), cause["message"].as_str().unwrap_or_default());
    if message.contains("some validation rules were not checked") {
        return None;
    }
    // Some are blamed without a field; the message names it.
    let named = Regex::new(r#""(spec[^"]*)" must|value must be .* in (spec.*)$"#).unwrap();
    let named = named.captures(message).and_then(|found| found.get(1).or(found.get(2))).map(|found| found.as_str());
    Some(path(if field == schema::structural::NO_FIELD { named.unwrap_or_default() } else { field }, value))
}

/// A promise with its schema read once, and objects that its kind really has.
struct Subject {
    name: String,
    spec: PromiseSpec,
    effective: Effective,
    reading: PromiseReading,
    samples: Vec<Value>,
}

/// What a form sends.
struct Sent {
    how: &'static str,
    value: Value,
    /// Paths that the form blames.
    blamed: BTreeSet<String>,
    /// Its problems in words.
    words: String,
}

impl Subject {
    fn all() -> Option<Vec<Self>> {
        let (objects, _) = objects()?;
        let mut samples: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for Sample { effective, parameters, .. } in objects {
            samples.entry(effective.schema.to_string()).or_default().push(parameters);
        }
        let mut found = Vec::new();
        for definition in definitions()? {
            for (version, whole) in definition.versions {
                let schema = whole["properties"]["spec"].clone();
                if !schema["properties"].is_object() {
                    continue;
                }
                let samples = samples.remove(&schema.to_string()).unwrap_or_default();
                let spec = PromiseSpec { parameters: Some(schema.clone().into()), ..PromiseSpec::default() };
                let reading = PromiseReading::of(&spec, false);
                let effective = Effective { schema: schema.into(), ..Effective::default() };
                found.push(Self { name: format!("{} {version}", definition.name), spec, effective, reading, samples });
            }
        }
        Some(found)
    }

    /// Makes an object, right or wrong.
    fn object(&self, make: &mut Generator) -> (&'static str, Value) {
        let schema = &self.effective.schema;
        let is_sample = !self.samples.is_empty() && make.below(2) == 0;
        let mut object = if is_sample {
            self.samples[make.below(self.samples.len())].clone()
        } else {
            repaired(self.reading.schema(), make.object(schema))
        };
        let mut how = if is_sample { "a sample" } else { "generated" };
        // One in four stays as it is.
        for _ in 0..[0, 1, 1, 2][make.below(4)] {
            how = make.mutate(schema, &mut object);
        }
        (how, as_posted(&object))
    }

    /// Sends an object by its form: as an unchanged edit, or as a new request with all of it entered.
    fn send(&self, object: &Value, is_edit: bool) -> Result<Value, String> {
        let (start, base) = if is_edit { (Draft::of_stored(object.clone()), object) } else { (Draft::of(object.clone()), &Value::Null) };
        let form = model(&self.spec, &self.effective, &start, &[]);
        let draft = parse(&posted(&form), &self.spec, &self.effective, base).draft;
        if draft.problems.is_empty() { Ok(draft.parameters) } else { Err(format!("{:?}", draft.problems)) }
    }

    fn judge(&self, how: &'static str, value: Value) -> Sent {
        let (readings, context) = (Readings::default(), Context::default());
        let resolved = resolve::resolve_read(&self.reading, &readings, &self.spec, &value, None, &self.effective, &context);
        let words = resolved.problems.iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect::<Vec<_>>().join("; ");
        Sent { how, value, blamed: resolved.problems.into_iter().map(|problem| problem.path).collect(), words }
    }
}

/// Removes generated values that the schema refuses, where it can do without them: only names are guessed well, not texts.
fn repaired(schema: &Schema, mut object: Value) -> Value {
    for _ in 0..REPAIRS {
        let mut used = object.clone();
        schema.default(&mut used);
        let errors = schema.validate(&used);
        if errors.is_empty() {
            break;
        }
        for error in errors {
            let mut path = locate::path(error.place(), &object);
            while !path.0.is_empty() {
                let mut without = object.clone();
                path.remove(&mut without);
                let mut used = without.clone();
                schema.default(&mut used);
                if schema.validate(&used).len() < schema.validate(&object).len() {
                    object = without;
                    break;
                }
                path.0.pop();
            }
        }
    }
    object
}

/// Whether the same fields are blamed: each by both, except that a form says once of an object what an API server says of each alternative,
/// and blames the field that a rule reads where an API server blames the object with the rule.
fn is_same(form: &BTreeSet<String>, judge: &Blamed) -> bool {
    let is_within = |path: &String, whole: &String| path.strip_prefix(whole.as_str()).is_some_and(|rest| rest.starts_with(['.', '[']));
    let Blamed { paths: judge, is_first } = judge;
    if *is_first {
        return judge.iter().any(|first| form.iter().any(|path| path == first || is_within(path, first)));
    }
    let is_about = |path: &String| judge.contains(path) || judge.iter().any(|whole| is_within(path, whole));
    let said = |path: &String| {
        form.contains(path) || form.iter().any(|other| is_within(other, path) || (judge.contains(other) && is_within(path, other)))
    };
    let is_long = form.len() >= MAX_PROBLEMS;
    form.is_empty() == judge.is_empty() && (is_long || (form.iter().all(is_about) && judge.iter().all(said)))
}

#[derive(Default)]
struct Tally {
    accepted: BTreeMap<&'static str, usize>,
    refused: BTreeMap<&'static str, usize>,
    fields: usize,
    changed: Vec<String>,
    differ: Vec<String>,
    refused_schemas: Vec<String>,
    schemas: usize,
}

impl Tally {
    fn count(&mut self, subject: &Subject, sent: &Sent, judged: Result<Blamed, String>) {
        let tally = if sent.blamed.is_empty() { &mut self.accepted } else { &mut self.refused };
        *tally.entry(sent.how).or_default() += 1;
        self.fields += sent.blamed.len();
        let differs = match &judged {
            Ok(judged) => !is_same(&sent.blamed, judged),
            Err(_) => true,
        };
        if differs {
            let value: String = sent.value.to_string().chars().take(400).collect();
            self.differ
                .push(format!("{} ({}): the form says [{}], the API server {judged:?} of {value}", subject.name, sent.how, sent.words));
        }
    }

    fn with(mut self, other: Self) -> Self {
        for (sum, more) in [(&mut self.accepted, other.accepted), (&mut self.refused, other.refused)] {
            more.into_iter().for_each(|(how, count)| *sum.entry(how).or_default() += count);
        }
        self.fields += other.fields;
        self.schemas += other.schemas;
        self.changed.extend(other.changed);
        self.differ.extend(other.differ);
        self.refused_schemas.extend(other.refused_schemas);
        self
    }

    /// Prints the figures and fails if anything differs.
    fn report(self, least: usize) {
        let sum = |counts: &BTreeMap<&str, usize>| counts.values().sum::<usize>();
        let (accepted, refused) = (sum(&self.accepted), sum(&self.refused));
        println!(
            "{} objects of {} schemas: {accepted} accepted, {refused} refused for {} fields",
            accepted + refused,
            self.schemas,
            self.fields
        );
        println!("accepted: {:?}\nrefused: {:?}", self.accepted, self.refused);
        println!("{} schemas that the API server refuses: {}", self.refused_schemas.len(), self.refused_schemas.join("; "));
        let short = |all: &[String]| all.iter().take(30).cloned().collect::<Vec<_>>().join("\n");
        let (changed, differ) = (self.changed.len(), self.differ.len());
        println!("{changed} are changed by their forms:\n{}\n{differ} verdicts differ:\n{}", short(&self.changed), short(&self.differ));
        assert_eq!((changed, differ), (0, 0), "objects that forms change, and verdicts that differ");
        assert!(accepted + refused >= least, "{} objects", accepted + refused);
        assert!(accepted * 5 > refused && refused * 5 > accepted, "{accepted} accepted, {refused} refused: neither kind is seldom");
    }
}

/// Lets a server judge so many objects that forms of all schemas of the corpus send.
async fn compare(judge: &Judge, count: usize) {
    let Some(subjects) = Subject::all() else { return };
    assert!(subjects.len() > 200, "only {} schemas were found", subjects.len());
    // Where there are fewer objects than schemas, from every so many schemas.
    let (each, step) = (count.div_ceil(subjects.len()).max(5), (subjects.len() * 5 / count).max(1));
    let chosen = stream::iter(subjects.iter().enumerate().step_by(step));
    let tallies = chosen.map(|(number, subject)| of_subject(judge, number, subject, each)).buffer_unordered(DEFINITIONS_TOGETHER);
    let tally = tallies.fold(Tally::default(), async |sum, tally| sum.with(tally)).await;
    tally.report(count * 9 / 10);
}

/// The same for one schema.
async fn of_subject(judge: &Judge, number: usize, subject: &Subject, each: usize) -> Tally {
    let mut tally = Tally::default();
    let collection = match judge.serves(number, &subject.effective.schema).await {
        Ok(collection) => collection,
        Err(why) => {
            tally.refused_schemas.push(format!("{}: {why}", subject.name));
            return tally;
        }
    };
    tally.schemas = 1;
    let (mut make, mut known) = (Generator::new(number as u64), BTreeSet::new());
    let mut all = Vec::new();
    for turn in 0..each * 4 {
        let (how, object) = subject.object(&mut make);
        if !known.insert(object.to_string()) {
            continue;
        }
        let is_edit = turn % 2 == 0;
        match subject.send(&object, is_edit) {
            Ok(value) if is_edit && value != as_posted(&object) => {
                tally.changed.push(format!("{} ({how}): {object} became {value}", subject.name));
            }
            Ok(value) => all.push(subject.judge(how, value)),
            Err(problems) => tally.changed.push(format!("{} ({how}): {problems} for {object}", subject.name)),
        }
        if all.len() == each {
            break;
        }
    }
    let judged: Vec<_> = stream::iter(&all).map(|sent| judge.blames(&collection, number, &sent.value)).buffered(TOGETHER).collect().await;
    for (sent, judged) in all.iter().zip(judged) {
        tally.count(subject, sent, judged);
    }
    judge.forget(number).await;
    tally
}

#[tokio::test]
async fn the_embedded_plane_judges_as_forms_do() {
    compare(&Judge::plane(), testdata::size(600, 20_000)).await;
}

mod kubernetes {
    use super::{Judge, PEOPLE, compare};

    #[tokio::test]
    async fn a_real_server_judges_as_forms_do() {
        if !testplane::full() {
            return;
        }
        let Some(server) = testplane::kubernetes(PEOPLE).await else { return };
        compare(&Judge::Server(server), 22_000).await;
    }
}
