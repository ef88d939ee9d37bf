//! Ingresses, network policies and endpoint slices.

use super::{
    Row,
    core::load_balancer,
    open,
    shapes::{atomic, boolean, integer, integer_or_text, keyed, kind, list, map, object, or, selector, text, texts},
};

pub(super) const KINDS: &[Row] = &[
    ("discovery.k8s.io", "EndpointSlice", || object([("addressType", text()), ("endpoints", list(open())), ("ports", list(open()))])),
    ("networking.k8s.io", "Ingress", || {
        let port = atomic(object([("name", text()), ("number", integer())]));
        let service = object([("name", text()), ("port", port)]);
        let resource = || atomic(object([("apiGroup", text()), ("kind", text()), ("name", text())]));
        let backend = object([("service", service), ("resource", resource())]);
        let path = object([("backend", backend.clone()), ("path", text()), ("pathType", text())]);
        let rule = object([("host", text()), ("http", object([("paths", list(path))]))]);
        let tls = object([("hosts", texts()), ("secretName", text())]);
        let spec = object([("defaultBackend", backend), ("ingressClassName", text()), ("rules", list(rule)), ("tls", list(tls))]);
        kind(spec, object([("loadBalancer", load_balancer())]))
    }),
    ("networking.k8s.io", "IngressClass", || {
        let parameters =
            object([("apiGroup", text()), ("kind", text()), ("name", text()), ("scope", or(text(), "Cluster")), ("namespace", text())]);
        object([("spec", object([("controller", text()), ("parameters", parameters)]))])
    }),
    ("networking.k8s.io", "NetworkPolicy", || {
        let block = object([("cidr", text()), ("except", texts())]);
        let peer = object([("podSelector", selector()), ("namespaceSelector", selector()), ("ipBlock", block)]);
        let port = object([("protocol", or(text(), "TCP")), ("port", integer_or_text()), ("endPort", integer())]);
        let rule = |peers: &'static str| object([("ports", list(port.clone())), (peers, list(peer.clone()))]);
        object([(
            "spec",
            object([("podSelector", selector()), ("ingress", list(rule("from"))), ("egress", list(rule("to"))), ("policyTypes", texts())]),
        )])
    }),
    ("certificates.k8s.io", "CertificateSigningRequest", || {
        let spec = object([
            ("request", text()),
            ("signerName", text()),
            ("usages", texts()),
            ("expirationSeconds", integer()),
            ("username", text()),
            ("uid", text()),
            ("groups", texts()),
            ("extra", map(texts())),
        ]);
        let condition = object([("type", text()), ("status", text()), ("approved", boolean())]);
        let mut conditions = keyed(&["type"], condition);
        conditions["items"]["x-kubernetes-preserve-unknown-fields"] = true.into();
        kind(spec, object([("certificate", text()), ("conditions", conditions)]))
    }),
];
