//! Many small workspaces that have bound the same export: what each costs, and all of them at once as the export's owner sees them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Call, Client, Connection};
use crate::load::{CONNECTIONS, closed, millis, quantile};
use crate::read::{lists_figure, pages, repeated};
use crate::sheet::{Figure, Sheet};
use crate::start::starts;
use crate::subject::Subject;

/// Objects in each workspace.
const OBJECTS: usize = 10;
/// Where workspaces are made.
const WORKSPACES: &str = "/clusters/root/apis/tenancy.kcp.io/v1alpha1/workspaces";

/// Makes the workspaces, binds the export in each, fills them, and looks at all.
pub async fn measure(mut subject: Subject, count: usize, restarts: usize) -> Sheet {
    let mut sheet = Sheet::default();
    let idle = subject.resident_at_rest().await;
    sheet.add("memory, nearly empty", Figure::bytes(idle));
    let rules = json!([
        {"nonResourceURLs": ["/"], "verbs": ["access"]},
        {"apiGroups": ["tenancy.kcp.io"], "resources": ["workspaces"], "verbs": ["*"]},
    ]);
    subject.grant("/clusters/root", rules).await;
    let client = subject.loader();
    let provider = export(&client).await;

    let begun = Instant::now();
    let made = closed(&client, CONNECTIONS, count, 201, |index| Call::create(WORKSPACES, workspace(&name(index)))).await;
    let mut connection = client.connect().await;
    // They become ready in the order in which they were made.
    ready(&mut connection, count - 1).await;
    let detail = format!(
        "made at {:.0}/s, then waited for until the last was ready; a request: p50 {}",
        made.rate,
        millis(quantile(&made.latencies, 0.5))
    );
    sheet.add("workspaces", Figure::rate(count as f64 / begun.elapsed().as_secs_f64()).with(detail));
    sheet.add("memory for each workspace", Figure::bytes(subject.resident_at_rest().await.saturating_sub(idle) / count as u64));
    let mut clusters = Vec::with_capacity(count);
    for index in 0..count {
        clusters.push(ready(&mut connection, index).await);
    }

    let begun = Instant::now();
    let bindings = |cluster: &str| format!("/clusters/{cluster}/apis/apis.kcp.io/v1alpha2/apibindings");
    closed(&client, CONNECTIONS, count, 201, |index| Call::create(bindings(&clusters[index]), binding())).await;
    for cluster in &clusters {
        until(&mut connection, &format!("{}/bench.dev", bindings(cluster)), |object| object["status"]["phase"] == "Bound").await;
    }
    sheet.add("bindings in force", Figure::rate(count as f64 / begun.elapsed().as_secs_f64()));

    let call = |index: usize| {
        let path = format!("/clusters/{}/apis/bench.dev/v1/namespaces/default/widgets", clusters[index % count]);
        Call::create(path, widget(&format!("widget-{}", index / count)))
    };
    let filled = closed(&client, CONNECTIONS, count * OBJECTS, 201, call).await;
    sheet.add("creates, durable, 16 at once", filled.figure());
    sheet.add("memory with all objects", Figure::bytes(subject.resident_at_rest().await));

    let everything = format!("/services/apiexport/{provider}/bench.dev/clusters/*/apis/bench.dev/v1/widgets");
    let mut bytes = 0;
    let whole = repeated(async || {
        let mut connection = client.connect().await;
        let begun = Instant::now();
        bytes = connection.count(&Call::get(&everything)).await;
        begun.elapsed()
    });
    let whole = whole.await;
    let detail = format!("{} objects, {:.1} MB each, p50 {}", count * OBJECTS, bytes as f64 / 1e6, millis(quantile(&whole, 0.5)));
    sheet.add("wildcard list", lists_figure(&whole).with(detail));
    let paged = repeated(async || {
        let begun = Instant::now();
        assert_eq!(pages(&client, &everything).await, (count * OBJECTS).div_ceil(500));
        begun.elapsed()
    });
    let paged = paged.await;
    sheet.add("wildcard list in pages of 500", lists_figure(&paged).with(format!("p50 {}", millis(quantile(&paged, 0.5)))));
    sheet.add("memory after lists", Figure::bytes(subject.resident_at_rest().await));
    sheet.add("start to ready, after a kill", starts(&mut subject, restarts).await);
    sheet
}

fn name(index: usize) -> String {
    format!("team-{index:05}")
}

fn workspace(name: &str) -> String {
    let kind = json!({"name": "universal", "path": "root"});
    json!({"apiVersion": "tenancy.kcp.io/v1alpha1", "kind": "Workspace", "metadata": {"name": name}, "spec": {"type": kind}}).to_string()
}

fn binding() -> String {
    let export = json!({"path": "root:provider", "name": "bench.dev"});
    json!({"apiVersion": "apis.kcp.io/v1alpha2", "kind": "APIBinding", "metadata": {"name": "bench.dev"}, "spec": {"reference": {"export": export}}})
        .to_string()
}

fn widget(name: &str) -> String {
    json!({
        "apiVersion": "bench.dev/v1", "kind": "Widget", "metadata": {"name": name, "labels": {"app": "bench"}},
        "spec": {"size": 3, "colour": "blue", "note": "a small object, as most are"},
    })
    .to_string()
}

/// Makes the provider's workspace with its export; its logical cluster.
async fn export(client: &Client) -> String {
    let mut connection = client.connect().await;
    connection.send(&Call::create(WORKSPACES, workspace("provider")), &[201]).await;
    let ready = until(&mut connection, &format!("{WORKSPACES}/provider"), |object| object["status"]["phase"] == "Ready").await;
    let schema = json!({
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {
            "size": {"type": "integer", "minimum": 0}, "colour": {"type": "string", "maxLength": 40}, "note": {"type": "string"},
        }}},
    });
    let spec = json!({
        "group": "bench.dev", "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
    });
    let apis = "/clusters/root:provider/apis/apis.kcp.io";
    let schema = json!({"apiVersion": "apis.kcp.io/v1alpha1", "kind": "APIResourceSchema", "metadata": {"name": "v1.widgets.bench.dev"}, "spec": spec});
    connection.send(&Call::create(format!("{apis}/v1alpha1/apiresourceschemas"), schema.to_string()), &[201]).await;
    let resources = json!([{"group": "bench.dev", "name": "widgets", "schema": "v1.widgets.bench.dev", "storage": {"crd": {}}}]);
    let export = json!({"apiVersion": "apis.kcp.io/v1alpha2", "kind": "APIExport", "metadata": {"name": "bench.dev"}, "spec": {"resources": resources}});
    connection.send(&Call::create(format!("{apis}/v1alpha2/apiexports"), export.to_string()), &[201]).await;
    let known = |object: &Value| object["status"]["identityHash"].is_string();
    until(&mut connection, &format!("{apis}/v1alpha2/apiexports/bench.dev"), known).await;
    ready["spec"]["cluster"].as_str().expect("a logical cluster").to_owned()
}

/// Reads an object until it is as wanted.
async fn until(connection: &mut Connection, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let object = connection.json(&Call::get(path), &[200]).await;
        if wanted(&object) {
            return object;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{path} never became as wanted: {object}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The logical cluster of a workspace, once it is ready.
async fn ready(connection: &mut Connection, index: usize) -> String {
    let ready = until(connection, &format!("{WORKSPACES}/{}", name(index)), |object| object["status"]["phase"] == "Ready").await;
    ready["spec"]["cluster"].as_str().expect("a logical cluster").to_owned()
}
