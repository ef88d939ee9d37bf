//! Services, the Gateway API, and what is attached to other objects.

use serde_json::{Value, json};

use super::fixture::{condition, conditions, degraded, healthy, object, progressing};

const GATEWAY: &str = "gateway.networking.k8s.io/v1";
const UNREPORTED: &str = "Its controller hasn't reported that it is ready";

fn accepted(status: &str, reason: &str, message: &str) -> Value {
    let mut accepted = condition("Accepted", status, reason, message);
    accepted["observedGeneration"] = json!(1);
    accepted
}

#[test]
fn an_ingress_needs_no_address_and_a_load_balancer_does() {
    healthy("an ingress", &object("networking.k8s.io/v1", "Ingress", json!({}), json!({"loadBalancer": {}})));
    let balancer = |ingress: Value| object("v1", "Service", json!({"type": "LoadBalancer"}), json!({"loadBalancer": {"ingress": ingress}}));
    healthy("an address", &balancer(json!([{"ip": "192.0.2.1"}])));
    progressing("no address", &balancer(json!([])), "No address yet");
}

#[test]
fn a_gateway_is_accepted_and_programmed_with_all_its_listeners() {
    let programmed = |status: &str| condition("Programmed", status, "AddressNotAssigned", "No address is assigned");
    let with = |conditions: Value, listener: Value| {
        let listeners = json!([{"name": "http", "conditions": []}, {"name": "https", "conditions": [listener]}]);
        object(GATEWAY, "Gateway", json!({}), json!({"conditions": conditions, "listeners": listeners}))
    };
    let fine = || json!([accepted("True", "Accepted", ""), programmed("True")]);
    let mut all = with(fine(), accepted("True", "Accepted", ""));
    all["status"]["listeners"][0]["conditions"] = json!([accepted("True", "Accepted", "")]);
    healthy("working", &all);
    all["status"]["listeners"][1]["conditions"] =
        json!([condition("ResolvedRefs", "False", "InvalidCertificateRef", "Secret a not found")]);
    degraded("a listener without its certificate", &all, "Listener https: Secret a not found");
    progressing(
        "being programmed",
        &with(json!([accepted("True", "Accepted", ""), programmed("False")]), json!({})),
        "No address is assigned",
    );
    degraded("refused", &with(json!([accepted("False", "Invalid", "Port 80 is taken")]), json!({})), "Port 80 is taken");
    progressing(
        "not seen yet",
        &with(json!([accepted("Unknown", "Pending", "Waiting for controller")]), json!({})),
        "Waiting for controller",
    );
    progressing("without a status", &object(GATEWAY, "Gateway", json!({}), Value::Null), UNREPORTED);

    let class = |accepted: Value| object(GATEWAY, "GatewayClass", json!({}), conditions([accepted]));
    healthy("a class", &class(accepted("True", "Accepted", "")));
    progressing("no controller has it", &class(accepted("Unknown", "Pending", "Waiting for controller")), "Waiting for controller");
    degraded("bad parameters", &class(accepted("False", "InvalidParameters", "No such ConfigMap")), "No such ConfigMap");
}

#[test]
fn a_route_is_as_healthy_as_its_worst_parent() {
    let parent =
        |name: &str, conditions: Value| json!({"parentRef": {"name": name}, "controllerName": "example.org/c", "conditions": conditions});
    let fine = || json!([accepted("True", "Accepted", ""), condition("ResolvedRefs", "True", "ResolvedRefs", "")]);
    for kind in ["HTTPRoute", "GRPCRoute", "TLSRoute"] {
        let with = |parents: Value| object(GATEWAY, kind, json!({}), json!({"parents": parents}));
        healthy(kind, &with(json!([parent("web", fine())])));
        let backend =
            json!([accepted("True", "Accepted", ""), condition("ResolvedRefs", "False", "BackendNotFound", "Service a not found")]);
        degraded(kind, &with(json!([parent("web", fine()), parent("internal", backend)])), "Parent internal: Service a not found");
        let refused = json!([accepted("False", "NotAllowedByListeners", "No listener allows it")]);
        degraded(kind, &with(json!([parent("web", refused)])), "Parent web: No listener allows it");
        progressing(kind, &with(json!([])), UNREPORTED);
        let mut old = with(json!([parent("web", fine())]));
        old["metadata"]["generation"] = json!(2);
        progressing(kind, &old, UNREPORTED);
    }
}

#[test]
fn policies_and_monitors_are_judged_by_what_they_are_attached_to() {
    let with = |conditions: Value| {
        let ancestors =
            json!([{"ancestorRef": {"kind": "Gateway", "name": "web"}, "controllerName": "example.org/c", "conditions": conditions}]);
        object(GATEWAY, "BackendTLSPolicy", json!({}), json!({"ancestors": ancestors}))
    };
    healthy("accepted", &with(json!([accepted("True", "Accepted", "")])));
    degraded(
        "in conflict",
        &with(json!([accepted("False", "Conflicted", "Another policy is older")])),
        "Parent web: Another policy is older",
    );
    let monitor = |conditions: Value| {
        object("monitoring.coreos.com/v1", "ServiceMonitor", json!({}), json!({"bindings": [{"name": "k8s", "conditions": conditions}]}))
    };
    healthy("a monitor", &monitor(json!([accepted("True", "", "")])));
    degraded("a refused monitor", &monitor(json!([accepted("False", "InvalidConfiguration", "bad relabeling")])), "bad relabeling");
}
