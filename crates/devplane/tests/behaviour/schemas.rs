//! Objects that are older than the schema of their kind.

use serde_json::{Value, json};

use crate::plane::Server;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS: &str = "/apis/shop.dev/v1/namespaces/default/widgets";

fn definition(spec: Value) -> Value {
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    let names = json!({"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.shop.dev"},
        "spec": {"group": "shop.dev", "scope": "Namespaced", "names": names, "versions": [version]}})
}

#[tokio::test]
async fn stored_objects_are_read_by_the_schema_of_today() {
    let server = Server::start();
    let old = json!({"type": "object", "properties": {"size": {"type": "integer"}, "colour": {"type": "string"}}});
    server.create("admin", DEFINITIONS, definition(old)).await;
    let widget = json!({"apiVersion": "shop.dev/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": 1, "colour": "red"}});
    let created = server.create("admin", WIDGETS, widget).await;
    let new = json!({"type": "object", "properties": {"size": {"type": "integer"}, "shape": {"type": "string", "default": "round"}}});
    let change = json!({"spec": definition(new)["spec"]});
    let (status, answer) = server.merge("admin", &format!("{DEFINITIONS}/widgets.shop.dev"), change).await;
    assert_eq!(status, 200, "{answer}");
    let today = json!({"size": 1, "shape": "round"});
    let (_, read) = server.get("admin", &format!("{WIDGETS}/a")).await;
    assert_eq!((&read["spec"], &read["metadata"]["resourceVersion"]), (&today, &created["metadata"]["resourceVersion"]));
    let (_, list) = server.get("admin", WIDGETS).await;
    assert_eq!(list["items"][0]["spec"], today);
    // A write stores it in its new form.
    server.merge("admin", &format!("{WIDGETS}/a"), json!({"metadata": {"labels": {"a": "b"}}})).await;
    assert_eq!(server.get("admin", WIDGETS).await.1["items"][0]["spec"], today);
}
