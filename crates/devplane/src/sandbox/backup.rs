//! Backups of databases: `Backup` of `postgresql.cnpg.io`. One copies a database that is there, and says where the copy is.

use serde_json::json;

use super::{
    conditions::simulated,
    kinds::CLUSTER,
    step::{Step, View},
};

pub(super) fn next(view: &View<'_>) -> Option<Step> {
    let (spec, status) = (&view.object["spec"], &view.object["status"]);
    let cluster = spec["cluster"]["name"].as_str().unwrap_or_default();
    match status["phase"].as_str() {
        Some("completed" | "failed") => None,
        _ if view.fails() => failed(view, "the storage for backups refuses the key"),
        _ if !view.world.has(&view.key.beside(&CLUSTER, cluster)) => failed(view, &format!("there is no database {cluster}")),
        None => view.write(0.3, json!({"phase": "running", "method": method(view), "startedAt": view.now})),
        Some(_) => {
            let id = view.now.replace(['-', ':'], "");
            let path = format!("s3://backups/{}/{cluster}", view.key.namespace);
            view.write(2.0, json!({"phase": "completed", "backupId": id, "destinationPath": path, "stoppedAt": view.now}))
        }
    }
}

fn method<'v>(view: &'v View<'_>) -> &'v str {
    view.object["spec"]["method"].as_str().unwrap_or("barmanObjectStore")
}

fn failed(view: &View<'_>, why: &str) -> Option<Step> {
    view.write(0.5, json!({"phase": "failed", "method": method(view), "error": simulated(why), "stoppedAt": view.now}))
}
