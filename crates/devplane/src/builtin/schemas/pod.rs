//! Pods, and the template of pods in workloads.

use serde_json::{Value, json};

use super::{
    core::claim_spec,
    shapes::{
        atomic, boolean, conditions, extended, integer, integer_or_text, keyed, list, long, map, object, open, or, quantities, quantity,
        retain_keys, selector, text, texts, time,
    },
};

/// `template` of a workload.
pub(super) fn template() -> Value {
    object([("metadata", metadata()), ("spec", spec())])
}

/// `metadata` of a template: the fields that its pods take over.
pub(super) fn metadata() -> Value {
    crate::apply::object_meta::schema().json().clone()
}

pub(super) fn spec() -> Value {
    object([
        ("activeDeadlineSeconds", long()),
        ("affinity", open()),
        ("automountServiceAccountToken", boolean()),
        ("containers", keyed(&["name"], container())),
        ("dnsConfig", object([("nameservers", texts()), ("options", list(open())), ("searches", texts())])),
        ("dnsPolicy", or(text(), "ClusterFirst")),
        ("enableServiceLinks", boolean()),
        ("ephemeralContainers", keyed(&["name"], extended(container(), [("targetContainerName", text())]))),
        ("hostAliases", keyed(&["ip"], object([("ip", text()), ("hostnames", texts())]))),
        ("hostIPC", boolean()),
        ("hostNetwork", boolean()),
        ("hostPID", boolean()),
        ("hostUsers", boolean()),
        ("hostname", text()),
        ("hostnameOverride", text()),
        ("imagePullSecrets", keyed(&["name"], object([("name", or(text(), ""))]))),
        ("initContainers", keyed(&["name"], container())),
        ("nodeName", text()),
        ("nodeSelector", atomic(map(text()))),
        ("os", open()),
        ("overhead", quantities()),
        ("preemptionPolicy", text()),
        ("priority", integer()),
        ("priorityClassName", text()),
        ("readinessGates", list(object([("conditionType", text())]))),
        ("resourceClaims", keyed(&["name"], extended(open(), [("name", text())]))),
        ("resources", resources()),
        ("restartPolicy", or(text(), "Always")),
        ("runtimeClassName", text()),
        ("schedulerName", or(text(), "default-scheduler")),
        ("schedulingGroup", open()),
        ("schedulingGates", keyed(&["name"], object([("name", text())]))),
        ("securityContext", or(extended(open(), [("supplementalGroups", list(long())), ("sysctls", list(open()))]), json!({}))),
        ("serviceAccount", text()),
        ("serviceAccountName", text()),
        ("setHostnameAsFQDN", boolean()),
        ("shareProcessNamespace", boolean()),
        ("subdomain", text()),
        ("terminationGracePeriodSeconds", or(long(), 30)),
        ("tolerations", list(toleration())),
        ("topologySpreadConstraints", keyed(&["topologyKey", "whenUnsatisfiable"], spread())),
        ("volumes", keyed(&["name"], volume())),
    ])
}

pub(super) fn status() -> Value {
    let container_status = || list(open());
    object([
        ("allocatedResources", quantities()),
        ("conditions", conditions()),
        ("containerStatuses", container_status()),
        ("ephemeralContainerStatuses", container_status()),
        ("extendedResourceClaimStatus", open()),
        ("hostIP", text()),
        ("hostIPs", list(open())),
        ("initContainerStatuses", container_status()),
        ("message", text()),
        ("nominatedNodeName", text()),
        ("observedGeneration", long()),
        ("phase", text()),
        ("podIP", text()),
        ("podIPs", keyed(&["ip"], object([("ip", text())]))),
        ("qosClass", text()),
        ("reason", text()),
        ("resize", text()),
        ("resourceClaimStatuses", list(open())),
        ("resources", resources()),
        ("startTime", time()),
    ])
}

fn container() -> Value {
    let port = object([
        ("containerPort", integer()),
        ("hostIP", text()),
        ("hostPort", integer()),
        ("name", text()),
        ("protocol", or(text(), "TCP")),
    ]);
    let device = object([("devicePath", text()), ("name", text())]);
    let mount = object([
        ("mountPath", text()),
        ("mountPropagation", text()),
        ("name", text()),
        ("readOnly", boolean()),
        ("recursiveReadOnly", text()),
        ("subPath", text()),
        ("subPathExpr", text()),
    ]);
    let env_from = object([
        ("prefix", text()),
        ("configMapRef", object([("name", or(text(), "")), ("optional", boolean())])),
        ("secretRef", object([("name", or(text(), "")), ("optional", boolean())])),
    ]);
    object([
        ("args", texts()),
        ("command", texts()),
        ("env", keyed(&["name"], env())),
        ("envFrom", list(env_from)),
        ("image", text()),
        ("imagePullPolicy", text()),
        ("lifecycle", object([("postStart", handler()), ("preStop", handler()), ("stopSignal", text())])),
        ("livenessProbe", probe()),
        ("name", text()),
        ("ports", keyed(&["containerPort", "protocol"], port)),
        ("readinessProbe", probe()),
        ("resizePolicy", list(open())),
        ("resources", or(resources(), json!({}))),
        ("restartPolicy", text()),
        ("restartPolicyRules", list(open())),
        ("securityContext", open()),
        ("startupProbe", probe()),
        ("stdin", boolean()),
        ("stdinOnce", boolean()),
        ("terminationMessagePath", or(text(), "/dev/termination-log")),
        ("terminationMessagePolicy", or(text(), "File")),
        ("tty", boolean()),
        ("volumeDevices", keyed(&["devicePath"], device)),
        ("volumeMounts", keyed(&["mountPath"], mount)),
        ("workingDir", text()),
    ])
}

fn env() -> Value {
    let key_of = || atomic(object([("key", text()), ("name", or(text(), "")), ("optional", boolean())]));
    let from = object([
        ("configMapKeyRef", key_of()),
        ("fieldRef", field_ref()),
        ("fileKeyRef", open()),
        ("resourceFieldRef", resource_ref()),
        ("secretKeyRef", key_of()),
    ]);
    object([("name", text()), ("value", text()), ("valueFrom", from)])
}

/// A field of the pod.
fn field_ref() -> Value {
    atomic(object([("apiVersion", or(text(), "v1")), ("fieldPath", text())]))
}

/// A number of a container's resources.
fn resource_ref() -> Value {
    atomic(object([("containerName", text()), ("divisor", or(quantity(), "0")), ("resource", text())]))
}

/// Files with something of the pod itself.
fn downward_files() -> Value {
    let file = object([("fieldRef", field_ref()), ("mode", integer()), ("path", text()), ("resourceFieldRef", resource_ref())]);
    list(file)
}

/// What a container does when it starts and before it stops.
fn handler() -> Value {
    object([
        ("exec", object([("command", texts())])),
        ("httpGet", http_get()),
        ("sleep", object([("seconds", long())])),
        ("tcpSocket", object([("host", text()), ("port", integer_or_text())])),
    ])
}

fn http_get() -> Value {
    let header = object([("name", text()), ("value", text())]);
    object([
        ("host", text()),
        ("httpHeaders", list(header)),
        ("path", or(text(), "/")),
        ("port", integer_or_text()),
        ("scheme", or(text(), "HTTP")),
    ])
}

fn probe() -> Value {
    object([
        ("exec", object([("command", texts())])),
        ("failureThreshold", or(integer(), 3)),
        ("grpc", object([("port", integer()), ("service", or(text(), ""))])),
        ("httpGet", http_get()),
        ("initialDelaySeconds", integer()),
        ("periodSeconds", or(integer(), 10)),
        ("successThreshold", or(integer(), 1)),
        ("tcpSocket", object([("host", text()), ("port", integer_or_text())])),
        ("terminationGracePeriodSeconds", long()),
        ("timeoutSeconds", or(integer(), 1)),
    ])
}

fn resources() -> Value {
    let claim = object([("name", text()), ("request", text())]);
    object([("claims", keyed(&["name"], claim)), ("limits", quantities()), ("requests", quantities())])
}

fn toleration() -> Value {
    object([("effect", text()), ("key", text()), ("operator", text()), ("tolerationSeconds", long()), ("value", text())])
}

fn spread() -> Value {
    object([
        ("labelSelector", selector()),
        ("matchLabelKeys", texts()),
        ("maxSkew", integer()),
        ("minDomains", integer()),
        ("nodeAffinityPolicy", text()),
        ("nodeTaintsPolicy", text()),
        ("topologyKey", text()),
        ("whenUnsatisfiable", text()),
    ])
}

/// The sources that people write most are declared; the others are open.
fn volume() -> Value {
    let item = || object([("key", text()), ("mode", integer()), ("path", text())]);
    let claim = object([("metadata", metadata()), ("spec", claim_spec())]);
    let token = object([("audience", text()), ("expirationSeconds", or(long(), 3600)), ("path", text())]);
    let source = extended(open(), [("downwardAPI", object([("items", downward_files())])), ("serviceAccountToken", token)]);
    retain_keys(extended(
        open(),
        [
            ("name", text()),
            (
                "configMap",
                object([("defaultMode", or(integer(), 420)), ("items", list(item())), ("name", or(text(), "")), ("optional", boolean())]),
            ),
            (
                "secret",
                object([("defaultMode", or(integer(), 420)), ("items", list(item())), ("optional", boolean()), ("secretName", text())]),
            ),
            ("emptyDir", object([("medium", text()), ("sizeLimit", quantity())])),
            ("ephemeral", object([("volumeClaimTemplate", claim)])),
            ("hostPath", object([("path", text()), ("type", or(text(), ""))])),
            ("persistentVolumeClaim", object([("claimName", text()), ("readOnly", boolean())])),
            ("downwardAPI", object([("defaultMode", or(integer(), 420)), ("items", downward_files())])),
            ("projected", object([("defaultMode", or(integer(), 420)), ("sources", list(source))])),
        ],
    ))
}
