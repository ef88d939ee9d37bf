//! From a release and what was seen to the objects that it wants now; everything here runs on the blocking pool.

use std::collections::BTreeMap;

use promise::Problem;
use promise::api::{Health, Inject, OutputStatus, ReleaseRule, Rule};
use promise::context::Context;
use promise::fulfil::{Key, Pending, Seen};
use promise::path::Path;
use promise::policy::{Origin, Provenance, Ruling};
use promise::render::{Compiled, Inputs, OutputState, masked};
use promise::{health, names};
use serde_json::Value;

pub use promise::render::Rendered as RenderedObject;

/// What a release wants now.
#[derive(Default)]
pub struct Rendered {
    /// Objects that can be made.
    pub objects: Vec<RenderedObject>,
    /// Objects that wait for others.
    pub pending: Vec<Pending>,
    /// Outputs whose values are known and may be shown.
    pub outputs: Vec<OutputStatus>,
    /// Outputs that are keys of Secrets.
    pub secrets: Vec<SecretSource>,
    /// Why it cannot be rendered.
    pub problems: Vec<Problem>,
}

/// Where the value of a secret output comes from.
#[derive(Clone, Debug)]
pub struct SecretSource {
    /// Name of the output.
    pub output: String,
    /// Id of the rendered object whose place holds the Secret.
    pub resource: String,
    /// Name of the Secret; absent when the object is the Secret itself.
    pub name: Option<String>,
    /// Key in its data.
    pub key: String,
}

/// Renders what a release wants, given what was seen by id of the rendered object.
pub fn render(
    compiled: &Compiled,
    parameters: &Value,
    context: &Context,
    rules: &[ReleaseRule],
    observed: &BTreeMap<String, Value>,
) -> Rendered {
    let injects = injects(rules);
    let rendering = match compiled.render(&Inputs { parameters, context, observed, injects: &injects }) {
        Ok(rendering) => rendering,
        Err(problems) => return Rendered { problems, ..Rendered::default() },
    };
    let mut rendered = Rendered { objects: rendering.objects, pending: rendering.pending, ..Rendered::default() };
    for output in rendering.outputs {
        match output.state {
            OutputState::Value(value) => {
                rendered.outputs.push(OutputStatus { name: output.name, value: Some(value), secret_ref: None });
            }
            OutputState::Secret { resource, name, key } => {
                rendered.secrets.push(SecretSource { output: output.name, resource, name, key });
            }
            OutputState::Failed(message) => tracing::info!(output = output.name, message, "an output cannot be computed"),
            OutputState::Pending(_) | OutputState::LeftOut => {}
        }
    }
    rendered
}

/// The merges among the rules of a release. Their order does not matter: two that contradict each other were refused.
fn injects(rules: &[ReleaseRule]) -> Vec<Ruling<Inject>> {
    let inject = |rule: &ReleaseRule| {
        let effect: Rule = serde_json::from_value(named(rule.effect.clone()?)).ok()?;
        Some(Ruling { from: provenance(&rule.id), path: Path::default(), effect: effect.inject? })
    };
    rules.iter().filter_map(inject).collect()
}

/// A release keeps the effect of a rule without its name.
fn named(mut effect: Value) -> Value {
    if let Some(effect) = effect.as_object_mut() {
        effect.entry("name").or_insert_with(|| Value::from(""));
    }
    effect
}

fn provenance(id: &str) -> Provenance {
    let mut parts = id.splitn(3, '/').map(str::to_owned);
    Provenance {
        origin: Origin::TrustedHome,
        workspace: String::new(),
        cluster: parts.next().unwrap_or_default(),
        policy: parts.next().unwrap_or_default(),
        rule: parts.next().unwrap_or_default(),
        title: None,
        owner: None,
        reason: None,
        enforcement: promise::api::Enforcement::default(),
    }
}

/// What was seen of a request's own objects, by id; what belongs to others is not there for its expressions.
pub fn observed(seen: &BTreeMap<Key, Seen>, ids: &BTreeMap<Key, String>, uid: &str) -> BTreeMap<String, Value> {
    let own = |key: &Key, seen: &Seen| match seen {
        Seen::Present { object, .. } if object["metadata"]["labels"][names::REQUEST_UID_LABEL] == uid => {
            Some((ids.get(key)?.clone(), object.clone()))
        }
        _ => None,
    };
    seen.iter().filter_map(|(key, seen)| own(key, seen)).collect()
}

/// Whether an object works: by the promise's own expression, else by the built-in rule of its kind.
pub fn health(compiled: &Compiled, resource: &str, object: &Value, parameters: &Value, context: &Context) -> (Health, Option<String>) {
    let verdict = health::of(object);
    let leaving = !object["metadata"]["deletionTimestamp"].is_null();
    match compiled.is_ready(resource, object, parameters, context) {
        Some(Ok(true)) if !leaving => (Health::Healthy, None),
        // A kind's own word about a failure says more than “not yet”.
        Some(Ok(_)) if verdict.health == Health::Degraded || leaving => (verdict.health, verdict.message),
        Some(Ok(_)) => (Health::Progressing, verdict.message.or_else(|| Some("It is not ready yet".to_owned()))),
        Some(Err(why)) => (Health::Unknown, Some(why)),
        None => (verdict.health, verdict.message),
    }
}

/// An object as a release may keep it.
pub fn without_secrets(object: &Value) -> Value {
    masked(object)
}
