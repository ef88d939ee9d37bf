//! Turns a release and the observed objects into the objects that it wants now. Everything here runs on the blocking pool.

use std::collections::BTreeMap;

use promise::Problem;
use promise::api::{Health, OutputStatus, ReleaseRule};
use promise::context::Context;
use promise::health::Verdict;
use promise::plan::{Key, Pending, Seen};
use promise::render::{Compiled, Inputs, OutputState, injects};
use promise::{health, names};
use serde_json::Value;

pub use promise::render::Rendered as RenderedObject;

/// What a release wants now.
#[derive(Default)]
pub struct Rendered {
    /// Objects that can be applied.
    pub objects: Vec<RenderedObject>,
    /// Objects that wait for others.
    pub pending: Vec<Pending>,
    /// Outputs whose values are known and can be shown.
    pub outputs: Vec<OutputStatus>,
    /// Outputs that are keys of Secrets.
    pub secrets: Vec<SecretSource>,
    /// Why it can't be rendered.
    pub problems: Vec<Problem>,
}

/// Source of the value of a secret output.
#[derive(Clone, Debug)]
pub struct SecretSource {
    /// Name of the output.
    pub output: String,
    /// Id of the rendered object whose place holds the Secret.
    pub resource: String,
    /// Name of the Secret; `None` if the object is the Secret itself.
    pub name: Option<String>,
    /// Key in the data of the Secret.
    pub key: String,
}

/// Renders what a release wants, given the observed objects by id of the rendered object and, for a request, the outputs of its steps. Those
/// of an action are in its context.
pub fn render(
    compiled: &Compiled,
    parameters: &Value,
    context: &Context,
    rules: &[ReleaseRule],
    (observed, steps): (&BTreeMap<String, Value>, Option<&Value>),
) -> Rendered {
    let injects = injects(rules);
    let inputs = Inputs { parameters, context, observed, injects: &injects };
    let rendering = match steps {
        Some(steps) => compiled.render_with_steps(&inputs, steps),
        None => compiled.render(&inputs),
    };
    let rendering = match rendering {
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

/// Returns the observed objects of a request, by id. Objects that belong to others are hidden from its expressions.
pub fn observed(seen: &BTreeMap<Key, Seen>, ids: &BTreeMap<Key, String>, uid: &str) -> BTreeMap<String, Value> {
    let own = |key: &Key, seen: &Seen| match seen {
        Seen::Present { object, .. } if object["metadata"]["labels"][names::REQUEST_UID_LABEL] == uid => {
            Some((ids.get(key)?.clone(), object.clone()))
        }
        _ => None,
    };
    seen.iter().filter_map(|(key, seen)| own(key, seen)).collect()
}

/// Judges whether an object is healthy at `now`: by the promise's own expression, otherwise by the built-in rule of its kind.
pub fn health(compiled: &Compiled, resource: &str, object: &Value, parameters: &Value, context: &Context, now: i64) -> Verdict {
    let verdict = health::of(object, now);
    let leaving = !object["metadata"]["deletionTimestamp"].is_null();
    let said = |health: Health, message: Option<String>| Verdict { health, message, again: None };
    match compiled.is_ready(resource, object, parameters, context) {
        // What the expression reads might be from before the last change.
        Some(Ok(true)) if !leaving => health::outdated(object, now).unwrap_or_else(|| said(Health::Healthy, None)),
        // A kind's own message about a failure says more than “not yet”.
        Some(Ok(_)) if verdict.health == Health::Degraded || leaving => verdict,
        Some(Ok(_)) => said(Health::Progressing, verdict.message.or_else(|| Some("Not ready yet".to_owned()))),
        Some(Err(error)) => said(Health::Unknown, Some(error.to_string())),
        None => verdict,
    }
}
