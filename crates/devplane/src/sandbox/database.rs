//! Databases: `Cluster` of `postgresql.cnpg.io`. A primary is set up, then replicas join it; applications get a Secret and Services.

use serde_json::{Value, json};

use super::{
    conditions::{Condition, Extra, conditions, simulated},
    kinds::{CLAIM, SECRET, SERVICE},
    step::{Action, Step, View},
};

const HEALTHY: &str = "Cluster in healthy state";

pub(super) fn next(view: &View<'_>) -> Option<Step> {
    let (object, name) = (view.object, view.key.name.as_str());
    let status = &object["status"];
    let wanted = object["spec"]["instances"].as_i64().unwrap_or(1).max(1);
    let ready = status["readyInstances"].as_i64().unwrap_or_default().min(wanted);
    let observed = status["conditions"][0]["observedGeneration"] == view.generation();

    if view.fails() {
        let text = simulated("instance 1 cannot start: no space left on device");
        return write(view, 1.5, &made(view, 1), 0, "Setting up primary", &text);
    }
    if status["phase"].is_null() || (ready == 0 && !observed) {
        let text = simulated(format!("creating primary instance {name}-1"));
        return write(view, 0.2, &made(view, 1), 0, "Setting up primary", &text);
    }
    if !observed && status["phase"] == HEALTHY && ready == wanted {
        let text = simulated("restarting instances with the new configuration");
        return write(view, 0.3, &made(view, ready), ready, "Upgrading cluster", &text);
    }
    if ready < wanted {
        let ready = ready + 1;
        let after = if ready == 1 { 2.0 } else { 1.2 };
        let (phase, text) = if ready == wanted {
            (HEALTHY, String::new())
        } else {
            ("Creating a new replica", simulated(format!("creating replica {name}-{}", ready + 1)))
        };
        return write(view, after, &made(view, (ready + 1).min(wanted)), ready, phase, &text);
    }
    write(view, if status["phase"] == HEALTHY { 0.3 } else { 1.5 }, &made(view, wanted), wanted, HEALTHY, "")
}

fn write(view: &View<'_>, after: f64, actions: &[Action], ready: i64, phase: &str, text: &str) -> Option<Step> {
    let (object, name) = (view.object, view.key.name.as_str());
    let healthy = phase == HEALTHY;
    let condition = if healthy {
        Condition::new("Ready", true, "ClusterIsReady", simulated("the cluster is ready"))
    } else {
        Condition::new("Ready", false, "ClusterIsNotReady", text)
    };
    let instances: Vec<String> = (1..=ready).map(|number| format!("{name}-{number}")).collect();
    let primary = if ready > 0 { json!(format!("{name}-1")) } else { Value::Null };
    view.write_and(
        after,
        actions.to_vec(),
        json!({
            "phase": phase,
            "phaseReason": if text.is_empty() { Value::Null } else { json!(text) },
            "instances": ready,
            "readyInstances": ready,
            "instanceNames": instances,
            "currentPrimary": primary,
            "targetPrimary": format!("{name}-1"),
            "image": object["spec"]["imageName"],
            "writeService": format!("{name}-rw"),
            "readService": format!("{name}-r"),
            "conditions": conditions(object, view.now, Extra::Generation(view.generation()), vec![condition]),
        }),
    )
}

/// What a database of so many instances consists of and is not there yet.
fn made(view: &View<'_>, instances: i64) -> Vec<Action> {
    let (spec, name) = (&view.object["spec"], view.key.name.as_str());
    let labels = json!({"cnpg.io/cluster": name});
    let service = |role: &str| {
        let content = json!({
            "metadata": {"labels": labels},
            "spec": {
                "selector": {"cnpg.io/cluster": name, "cnpg.io/instanceRole": role},
                "ports": [{"name": "postgres", "port": 5432, "targetPort": 5432}],
            },
        });
        content
    };
    let mut actions: Vec<Action> = [("rw", "primary"), ("ro", "replica"), ("r", "any")]
        .into_iter()
        .filter_map(|(suffix, role)| view.create(&SERVICE, &format!("{name}-{suffix}"), service(role)))
        .collect();
    let app = format!("{name}-app");
    if !view.world.has(&view.key.beside(&SECRET, &app)) {
        actions.extend(view.create(&SECRET, &app, credentials(view, &labels)));
    }
    for number in 1..=instances {
        let size = spec["storage"]["size"].as_str().unwrap_or("1Gi");
        let mut claim = json!({
            "metadata": {"labels": labels},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}},
        });
        if let Some(class) = spec["storage"]["storageClass"].as_str() {
            claim["spec"]["storageClassName"] = class.into();
        }
        actions.extend(view.create(&CLAIM, &format!("{name}-{number}"), claim));
    }
    actions
}

fn credentials(view: &View<'_>, labels: &Value) -> Value {
    let (key, first) = (view.key, &view.object["spec"]["bootstrap"]["initdb"]);
    let database = first["database"].as_str().unwrap_or("app");
    let user = first["owner"].as_str().unwrap_or(database);
    let password = (view.secret)();
    let host = format!("{}-rw", key.name);
    let full_host = format!("{host}.{}", key.namespace);
    json!({
        "metadata": {"labels": labels},
        "type": "kubernetes.io/basic-auth",
        "stringData": {
            "username": user,
            "user": user,
            "password": password,
            "dbname": database,
            "host": host,
            "port": "5432",
            "uri": format!("postgresql://{user}:{password}@{full_host}:5432/{database}"),
            "jdbc-uri": format!("jdbc:postgresql://{full_host}:5432/{database}?password={password}&user={user}"),
            "pgpass": format!("{host}:5432:{database}:{user}:{password}\n"),
        },
    })
}
