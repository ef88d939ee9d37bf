//! Ingresses, network policies and endpoint slices.

use super::{
    Row,
    core::load_balancer,
    open,
    shapes::{atomic, boolean, integer, keyed, kind, list, map, object, selector, text, texts},
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
    ("networking.k8s.io", "IngressClass", || object([("spec", object([("controller", text()), ("parameters", open())]))])),
    ("networking.k8s.io", "NetworkPolicy", || {
        object([(
            "spec",
            object([("podSelector", selector()), ("ingress", list(open())), ("egress", list(open())), ("policyTypes", texts())]),
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
