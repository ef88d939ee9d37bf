//! Buckets: a claim in the style of Crossplane. It is accepted, then created, and its Secret says how to reach it. An annotation rotates its
//! keys.

use serde_json::{Value, json};

use super::{
    conditions::{Condition, Extra, conditions, simulated},
    kinds::SECRET,
    step::{Action, Step, View},
    world::Key,
};

/// Annotation that asks for new keys: whenever its value is another one than `status.rotatedAt`.
const ROTATE: &str = "objectstorage.example.org/rotate";

pub(super) fn next(view: &View<'_>) -> Option<Step> {
    let (object, generation) = (view.object, view.generation());
    let status = &object["status"];
    if view.fails() {
        let text = simulated("cannot create the bucket: AccessDenied: the account has reached its limit of buckets");
        let wanted = vec![
            Condition::new("Synced", false, "ReconcileError", text),
            Condition::new("Ready", false, "Creating", simulated("the bucket does not exist")),
        ];
        return view.write(1.0, json!({"conditions": conditions(object, view.now, Extra::Generation(generation), wanted)}));
    }
    let synced = || Condition::new("Synced", true, "ReconcileSuccess", simulated("the bucket matches its specification"));
    let accepted =
        status["conditions"].as_array().into_iter().flatten().any(|condition| {
            condition["type"] == "Synced" && condition["status"] == "True" && condition["observedGeneration"] == generation
        });
    if !accepted {
        // A bucket that is there stays ready while it changes.
        let ready = if status["endpoint"].is_null() {
            Condition::new("Ready", false, "Creating", simulated("the bucket is being created"))
        } else {
            available()
        };
        let written = conditions(object, view.now, Extra::Generation(generation), vec![synced(), ready]);
        return view.write(0.4, json!({"conditions": written}));
    }
    let rotation = object["metadata"]["annotations"][ROTATE].as_str();
    if let Some(secret) = secret(view).filter(|secret| view.world.has(secret))
        && rotation.is_some_and(|wanted| status["rotatedAt"] != wanted)
    {
        return Some(Step::new(0.5, vec![Action::Delete(secret)]));
    }
    let region = object["spec"]["region"].as_str().unwrap_or("simulated");
    let bucket = format!("{}-{}", view.key.namespace, view.key.name);
    let endpoint = format!("https://{bucket}.{region}.objects.example.org");
    view.write_and(
        2.0,
        connection(view, &bucket, region, &endpoint).into_iter().collect(),
        json!({
            "bucketName": bucket,
            "endpoint": endpoint,
            "rotatedAt": rotation,
            "conditions": conditions(object, view.now, Extra::Generation(generation), vec![synced(), available()]),
        }),
    )
}

fn available() -> Condition<'static> {
    Condition::new("Ready", true, "Available", simulated("the bucket is available"))
}

/// The Secret that the claim asks for, unless it is there.
fn connection(view: &View<'_>, bucket: &str, region: &str, endpoint: &str) -> Option<Action> {
    let secret = secret(view)?;
    if view.world.has(&secret) {
        return None;
    }
    let content: Value = json!({
        "metadata": {},
        "type": "connection.crossplane.io/v1alpha1",
        "stringData": {
            "bucket": bucket,
            "region": region,
            "endpoint": endpoint,
            "accessKey": format!("SIM{}", (view.secret)().to_uppercase().chars().take(17).collect::<String>()),
            "secretKey": (view.secret)(),
        },
    });
    view.create(&SECRET, &secret.name, content)
}

/// Where the Secret is that the claim asks for.
fn secret(view: &View<'_>) -> Option<Key> {
    let name = view.object["spec"]["writeConnectionSecretToRef"]["name"].as_str()?;
    Some(view.key.beside(&SECRET, name))
}
