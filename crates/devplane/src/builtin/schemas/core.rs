//! The core group, and the kinds beside it that hold data: leases, events, quotas, volumes.

use serde_json::Value;

use super::{
    Row,
    shapes::{
        atomic, boolean, bytes, conditions, extended, integer, integer_or_text, keyed, kind, list, local_reference, map, micro_time,
        nullable, object, open, or, quantities, reference, selector, text, texts, time,
    },
};

pub(super) const KINDS: &[Row] = &[
    ("", "ConfigMap", || object([("data", map(text())), ("binaryData", map(bytes())), ("immutable", boolean())])),
    ("", "Endpoints", endpoints),
    ("", "Event", event),
    ("", "LimitRange", || {
        let limit = object([
            ("type", text()),
            ("max", quantities()),
            ("min", quantities()),
            ("default", quantities()),
            ("defaultRequest", quantities()),
            ("maxLimitRequestRatio", quantities()),
        ]);
        object([("spec", object([("limits", list(limit))]))])
    }),
    ("", "Namespace", || kind(object([("finalizers", list(text()))]), object([("phase", text()), ("conditions", conditions())]))),
    ("", "Node", || kind(open(), open())),
    ("", "PersistentVolumeClaim", || kind(claim_spec(), claim_status())),
    ("", "PersistentVolume", || {
        kind(
            extended(open(), [("capacity", quantities()), ("accessModes", texts())]),
            object([("phase", text()), ("message", text()), ("reason", text()), ("lastPhaseTransitionTime", time())]),
        )
    }),
    ("", "ResourceQuota", || {
        kind(
            object([("hard", quantities()), ("scopes", texts()), ("scopeSelector", atomic(open()))]),
            object([("hard", quantities()), ("used", quantities())]),
        )
    }),
    ("", "Secret", || {
        object([("data", map(bytes())), ("stringData", map(text())), ("type", or(text(), "Opaque")), ("immutable", boolean())])
    }),
    ("", "ServiceAccount", || {
        object([
            ("secrets", keyed(&["name"], reference())),
            ("imagePullSecrets", list(local_reference())),
            ("automountServiceAccountToken", boolean()),
        ])
    }),
    ("", "Service", || kind(service_spec(), object([("loadBalancer", load_balancer()), ("conditions", conditions())]))),
    ("coordination.k8s.io", "Lease", || {
        object([(
            "spec",
            object([
                ("holderIdentity", text()),
                ("leaseDurationSeconds", integer()),
                ("acquireTime", micro_time()),
                ("renewTime", micro_time()),
                ("leaseTransitions", integer()),
                ("strategy", text()),
                ("preferredHolder", text()),
            ]),
        )])
    }),
    ("events.k8s.io", "Event", new_event),
    ("scheduling.k8s.io", "PriorityClass", || {
        object([
            ("value", integer()),
            ("globalDefault", boolean()),
            ("description", text()),
            ("preemptionPolicy", or(text(), "PreemptLowerPriority")),
        ])
    }),
    ("storage.k8s.io", "StorageClass", || {
        object([
            ("provisioner", text()),
            ("parameters", map(text())),
            ("reclaimPolicy", or(text(), "Delete")),
            ("mountOptions", texts()),
            ("allowVolumeExpansion", boolean()),
            ("volumeBindingMode", or(text(), "Immediate")),
            ("allowedTopologies", list(open())),
        ])
    }),
];

fn endpoints() -> Value {
    let address = || object([("ip", text()), ("hostname", text()), ("nodeName", text()), ("targetRef", reference())]);
    let port = object([("name", text()), ("port", integer()), ("protocol", or(text(), "TCP")), ("appProtocol", text())]);
    let subset = object([("addresses", list(address())), ("notReadyAddresses", list(address())), ("ports", list(port))]);
    object([("subsets", list(subset))])
}

fn event_source() -> Value {
    object([("component", text()), ("host", text())])
}

fn series() -> Value {
    object([("count", integer()), ("lastObservedTime", micro_time())])
}

fn event() -> Value {
    object([
        ("involvedObject", reference()),
        ("reason", text()),
        ("message", text()),
        ("source", event_source()),
        ("firstTimestamp", nullable(time())),
        ("lastTimestamp", nullable(time())),
        ("count", integer()),
        ("type", text()),
        ("eventTime", nullable(micro_time())),
        ("series", series()),
        ("action", text()),
        ("related", reference()),
        ("reportingComponent", text()),
        ("reportingInstance", text()),
    ])
}

fn new_event() -> Value {
    object([
        ("regarding", reference()),
        ("reason", text()),
        ("note", text()),
        ("deprecatedSource", event_source()),
        ("deprecatedFirstTimestamp", nullable(time())),
        ("deprecatedLastTimestamp", nullable(time())),
        ("deprecatedCount", integer()),
        ("type", text()),
        ("eventTime", nullable(micro_time())),
        ("series", series()),
        ("action", text()),
        ("related", reference()),
        ("reportingController", text()),
        ("reportingInstance", text()),
    ])
}

/// The spec of a claim: also a template in StatefulSets.
pub(super) fn claim_spec() -> Value {
    let source = || atomic(object([("apiGroup", text()), ("kind", text()), ("name", text()), ("namespace", text())]));
    object([
        ("accessModes", texts()),
        ("selector", selector()),
        ("resources", object([("limits", quantities()), ("requests", quantities())])),
        ("volumeName", text()),
        ("storageClassName", text()),
        ("volumeMode", or(text(), "Filesystem")),
        ("dataSource", source()),
        ("dataSourceRef", source()),
        ("volumeAttributesClassName", text()),
    ])
}

pub(super) fn claim_status() -> Value {
    object([
        ("phase", text()),
        ("accessModes", texts()),
        ("capacity", quantities()),
        ("allocatedResources", quantities()),
        ("allocatedResourceStatuses", map(text())),
        ("conditions", conditions()),
        ("currentVolumeAttributesClassName", text()),
        ("modifyVolumeStatus", open()),
    ])
}

fn service_spec() -> Value {
    let port = object([
        ("name", text()),
        ("protocol", or(text(), "TCP")),
        ("appProtocol", text()),
        ("port", integer()),
        ("targetPort", integer_or_text()),
        ("nodePort", integer()),
    ]);
    object([
        ("ports", keyed(&["port", "protocol"], port)),
        ("selector", atomic(map(text()))),
        ("clusterIP", text()),
        ("clusterIPs", texts()),
        ("type", or(text(), "ClusterIP")),
        ("externalIPs", texts()),
        ("sessionAffinity", or(text(), "None")),
        ("sessionAffinityConfig", object([("clientIP", object([("timeoutSeconds", integer())]))])),
        ("loadBalancerIP", text()),
        ("loadBalancerSourceRanges", texts()),
        ("loadBalancerClass", text()),
        ("externalName", text()),
        ("externalTrafficPolicy", text()),
        ("internalTrafficPolicy", text()),
        ("healthCheckNodePort", integer()),
        ("publishNotReadyAddresses", boolean()),
        ("ipFamilies", texts()),
        ("ipFamilyPolicy", text()),
        ("allocateLoadBalancerNodePorts", boolean()),
        ("trafficDistribution", text()),
    ])
}

/// The addresses of a load balancer, of Services and Ingresses.
pub(super) fn load_balancer() -> Value {
    let ingress = object([("ip", text()), ("hostname", text()), ("ipMode", text()), ("ports", list(open()))]);
    object([("ingress", list(ingress))])
}
