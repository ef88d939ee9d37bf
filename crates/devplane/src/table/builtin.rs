//! Columns of built-in kinds (kubernetes `pkg/printers/internalversion`); what stands in them is in `cells`.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::cells::{
    access_modes, claim_of, class_parameters, completions, count, data, endpoint_addresses, event_count, event_object, event_source,
    external_address, first, flag, granted, ingress_address, ingress_hosts, job_duration, job_status, joined, metrics, node_address,
    node_kernel, node_roles, node_status, number, or, or_none, parameter_kind, parameter_reference, pod_address, pod_gates, pod_ready,
    pod_restarts, pod_status, quota, ready, reference, role, selector, service_ports, since, slice_endpoints, slice_ports, subjects, text,
    volume_phase,
};
use super::{CREATED, Cells, Column, NAME};
use crate::registry::Resource;

/// Text of the OpenAPI schema about `ConfigMap.data`.
const CONFIG_DATA: &str = "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.";

type Cell = fn(&Value, Timestamp) -> Value;

/// Name, type, priority (1 is shown by `-o wide` alone), cell.
type Entry = (&'static str, &'static str, i64, Cell);

const AGE: Entry = ("Age", "string", 0, |o, now| since(&o["metadata"]["creationTimestamp"], now));
const TIME: Entry = ("Created At", "date", 0, |o, _| o["metadata"]["creationTimestamp"].clone());
const CONTAINERS: Entry = ("Containers", "string", 1, |o, _| joined(&o["spec"]["template"]["spec"]["containers"], "name"));
const IMAGES: Entry = ("Images", "string", 1, |o, _| joined(&o["spec"]["template"]["spec"]["containers"], "image"));
const SELECTOR: Entry = ("Selector", "string", 1, |o, _| selector(&o["spec"]["selector"]));

/// The columns after the name.
fn own(plural: &str) -> Vec<Entry> {
    match plural {
        "configmaps" => vec![("Data", "string", 0, |o, _| data(o)), AGE],
        "secrets" => vec![("Type", "string", 0, |o, _| text(&o["type"])), ("Data", "string", 0, |o, _| data(o)), AGE],
        "namespaces" => vec![("Status", "string", 0, |o, _| text(&o["status"]["phase"])), AGE],
        "resourcequotas" => {
            vec![("Request", "string", 0, |o, _| quota(o, false)), ("Limit", "string", 0, |o, _| quota(o, true)), AGE]
        }
        "leases" => vec![("Holder", "string", 0, |o, _| text(&o["spec"]["holderIdentity"])), AGE],
        "rolebindings" | "clusterrolebindings" => vec![
            ("Role", "string", 0, |o, _| role(o)),
            AGE,
            ("Users", "string", 1, |o, _| subjects(o, "User")),
            ("Groups", "string", 1, |o, _| subjects(o, "Group")),
            ("ServiceAccounts", "string", 1, |o, _| subjects(o, "ServiceAccount")),
        ],
        "roles" | "clusterroles" | "customresourcedefinitions" | "limitranges" => vec![TIME],
        "certificatesigningrequests" => vec![
            AGE,
            ("SignerName", "string", 0, |o, _| text(&o["spec"]["signerName"])),
            ("Requestor", "string", 0, |o, _| text(&o["spec"]["username"])),
        ],
        _ => workloads(plural).or_else(|| storage(plural)).or_else(|| networking(plural)).or_else(|| policies(plural)).unwrap_or(vec![AGE]),
    }
}

fn workloads(plural: &str) -> Option<Vec<Entry>> {
    Some(match plural {
        "pods" => vec![
            ("Ready", "string", 0, |o, _| pod_ready(o)),
            ("Status", "string", 0, |o, _| pod_status(o)),
            ("Restarts", "string", 0, pod_restarts),
            AGE,
            ("IP", "string", 1, |o, _| pod_address(o)),
            ("Node", "string", 1, |o, _| or_none(&o["spec"]["nodeName"])),
            ("Nominated Node", "string", 1, |o, _| or_none(&o["status"]["nominatedNodeName"])),
            ("Readiness Gates", "string", 1, |o, _| pod_gates(o)),
        ],
        "deployments" => vec![
            ("Ready", "string", 0, |o, _| ready(o)),
            ("Up-to-date", "string", 0, |o, _| number(&o["status"]["updatedReplicas"]).into()),
            ("Available", "string", 0, |o, _| number(&o["status"]["availableReplicas"]).into()),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
        "statefulsets" => vec![("Ready", "string", 0, |o, _| ready(o)), AGE, CONTAINERS, IMAGES],
        "replicasets" => vec![
            ("Desired", "integer", 0, |o, _| number(&o["spec"]["replicas"]).into()),
            ("Current", "integer", 0, |o, _| number(&o["status"]["replicas"]).into()),
            ("Ready", "integer", 0, |o, _| number(&o["status"]["readyReplicas"]).into()),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
        "daemonsets" => vec![
            ("Desired", "integer", 0, |o, _| number(&o["status"]["desiredNumberScheduled"]).into()),
            ("Current", "integer", 0, |o, _| number(&o["status"]["currentNumberScheduled"]).into()),
            ("Ready", "integer", 0, |o, _| number(&o["status"]["numberReady"]).into()),
            ("Up-to-date", "integer", 0, |o, _| number(&o["status"]["updatedNumberScheduled"]).into()),
            ("Available", "integer", 0, |o, _| number(&o["status"]["numberAvailable"]).into()),
            ("Node Selector", "string", 0, |o, _| selector(&o["spec"]["template"]["spec"]["nodeSelector"])),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
        "jobs" => vec![
            ("Status", "string", 0, |o, _| job_status(o)),
            ("Completions", "string", 0, |o, _| completions(o)),
            ("Duration", "string", 0, job_duration),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
        "cronjobs" => vec![
            ("Schedule", "string", 0, |o, _| text(&o["spec"]["schedule"])),
            ("Timezone", "string", 0, |o, _| or_none(&o["spec"]["timeZone"])),
            ("Suspend", "boolean", 0, |o, _| if o["spec"]["suspend"] == true { "True" } else { "False" }.into()),
            ("Active", "integer", 0, |o, _| count(&o["status"]["active"]).into()),
            ("Last Schedule", "string", 0, |o, now| match &o["status"]["lastScheduleTime"] {
                Value::Null => "<none>".into(),
                time => since(time, now),
            }),
            AGE,
            ("Containers", "string", 1, |o, _| joined(&o["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"], "name")),
            ("Images", "string", 1, |o, _| joined(&o["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"], "image")),
            ("Selector", "string", 1, |o, _| selector(&o["spec"]["jobTemplate"]["spec"]["selector"])),
        ],
        "horizontalpodautoscalers" => vec![
            ("Reference", "string", 0, |o, _| reference(&o["spec"]["scaleTargetRef"])),
            ("Targets", "string", 0, |o, _| metrics(o)),
            ("MinPods", "string", 0, |o, _| or(&o["spec"]["minReplicas"], "<unset>")),
            ("MaxPods", "string", 0, |o, _| number(&o["spec"]["maxReplicas"]).into()),
            ("Replicas", "string", 0, |o, _| number(&o["status"]["currentReplicas"]).into()),
            AGE,
        ],
        "controllerrevisions" => vec![("Revision", "integer", 0, |o, _| number(&o["revision"]).into()), AGE],
        "poddisruptionbudgets" => vec![
            ("Min Available", "string", 0, |o, _| or(&o["spec"]["minAvailable"], "N/A")),
            ("Max Unavailable", "string", 0, |o, _| or(&o["spec"]["maxUnavailable"], "N/A")),
            ("Allowed Disruptions", "integer", 0, |o, _| number(&o["status"]["disruptionsAllowed"]).into()),
            AGE,
        ],
        "priorityclasses" => vec![
            ("Value", "integer", 0, |o, _| number(&o["value"]).into()),
            ("Global-Default", "boolean", 0, |o, _| flag(&o["globalDefault"])),
            AGE,
            ("PreemptionPolicy", "string", 0, |o, _| text(&o["preemptionPolicy"])),
        ],
        "nodes" => vec![
            ("Status", "string", 0, |o, _| node_status(o)),
            ("Roles", "string", 0, |o, _| node_roles(o)),
            AGE,
            ("Version", "string", 0, |o, _| text(&o["status"]["nodeInfo"]["kubeletVersion"])),
            ("Internal-IP", "string", 1, |o, _| node_address(o, "InternalIP")),
            ("External-IP", "string", 1, |o, _| node_address(o, "ExternalIP")),
            ("OS-Image", "string", 1, |o, _| or(&o["status"]["nodeInfo"]["osImage"], "<unknown>")),
            ("Kernel-Version", "string", 1, |o, _| node_kernel(o)),
            ("Container-Runtime", "string", 1, |o, _| or(&o["status"]["nodeInfo"]["containerRuntimeVersion"], "<unknown>")),
        ],
        "podtemplates" => vec![
            ("Containers", "string", 0, |o, _| joined(&o["template"]["spec"]["containers"], "name")),
            ("Images", "string", 0, |o, _| joined(&o["template"]["spec"]["containers"], "image")),
            ("Pod Labels", "string", 0, |o, _| selector(&o["template"]["metadata"]["labels"])),
        ],
        _ => return None,
    })
}

fn storage(plural: &str) -> Option<Vec<Entry>> {
    Some(match plural {
        "persistentvolumeclaims" => vec![
            ("Status", "string", 0, |o, _| volume_phase(o)),
            ("Volume", "string", 0, |o, _| text(&o["spec"]["volumeName"])),
            ("Capacity", "string", 0, |o, _| text(&granted(o, "capacity")["storage"])),
            ("Access Modes", "string", 0, |o, _| access_modes(granted(o, "accessModes"))),
            ("StorageClass", "string", 0, |o, _| text(&o["spec"]["storageClassName"])),
            ("VolumeAttributesClass", "string", 0, |o, _| or(&o["spec"]["volumeAttributesClassName"], "<unset>")),
            AGE,
            ("VolumeMode", "string", 1, |o, _| or(&o["spec"]["volumeMode"], "<unset>")),
        ],
        "persistentvolumes" => vec![
            ("Capacity", "string", 0, |o, _| text(&o["spec"]["capacity"]["storage"])),
            ("Access Modes", "string", 0, |o, _| access_modes(&o["spec"]["accessModes"])),
            ("Reclaim Policy", "string", 0, |o, _| text(&o["spec"]["persistentVolumeReclaimPolicy"])),
            ("Status", "string", 0, |o, _| volume_phase(o)),
            ("Claim", "string", 0, |o, _| claim_of(o)),
            ("StorageClass", "string", 0, |o, _| text(&o["spec"]["storageClassName"])),
            ("VolumeAttributesClass", "string", 0, |o, _| or(&o["spec"]["volumeAttributesClassName"], "<unset>")),
            ("Reason", "string", 0, |o, _| text(&o["status"]["reason"])),
            AGE,
            ("VolumeMode", "string", 1, |o, _| or(&o["spec"]["volumeMode"], "<unset>")),
        ],
        "storageclasses" => vec![
            ("Provisioner", "string", 0, |o, _| text(&o["provisioner"])),
            ("ReclaimPolicy", "string", 0, |o, _| or(&o["reclaimPolicy"], "Delete")),
            ("VolumeBindingMode", "string", 0, |o, _| or(&o["volumeBindingMode"], "Immediate")),
            ("AllowVolumeExpansion", "string", 0, |o, _| flag(&o["allowVolumeExpansion"])),
            AGE,
        ],
        _ => return None,
    })
}

fn networking(plural: &str) -> Option<Vec<Entry>> {
    Some(match plural {
        "services" => vec![
            ("Type", "string", 0, |o, _| text(&o["spec"]["type"])),
            ("Cluster-IP", "string", 0, |o, _| or_none(&o["spec"]["clusterIP"])),
            ("External-IP", "string", 0, |o, _| external_address(o)),
            ("Port(s)", "string", 0, |o, _| service_ports(o)),
            AGE,
            SELECTOR,
        ],
        "ingresses" => vec![
            ("Class", "string", 0, |o, _| or_none(&o["spec"]["ingressClassName"])),
            ("Hosts", "string", 0, |o, _| ingress_hosts(o)),
            ("Address", "string", 0, |o, _| ingress_address(o)),
            ("Ports", "string", 0, |o, _| if count(&o["spec"]["tls"]) > 0 { "80, 443" } else { "80" }.into()),
            AGE,
        ],
        "ingressclasses" => vec![
            ("Controller", "string", 0, |o, _| text(&o["spec"]["controller"])),
            ("Parameters", "string", 0, |o, _| class_parameters(o)),
            AGE,
        ],
        "networkpolicies" => vec![("Pod-Selector", "string", 0, |o, _| selector(&o["spec"]["podSelector"])), AGE],
        "endpoints" => vec![("Endpoints", "string", 0, |o, _| endpoint_addresses(o)), AGE],
        "endpointslices" => vec![
            ("AddressType", "string", 0, |o, _| text(&o["addressType"])),
            ("Ports", "string", 0, |o, _| slice_ports(o)),
            ("Endpoints", "string", 0, |o, _| slice_endpoints(o)),
            AGE,
        ],
        _ => return None,
    })
}

fn policies(plural: &str) -> Option<Vec<Entry>> {
    Some(match plural {
        "mutatingwebhookconfigurations" | "validatingwebhookconfigurations" => {
            vec![("Webhooks", "integer", 0, |o, _| count(&o["webhooks"]).into()), AGE]
        }
        "validatingadmissionpolicies" => vec![
            ("Validations", "integer", 0, |o, _| count(&o["spec"]["validations"]).into()),
            ("ParamKind", "string", 0, |o, _| parameter_kind(o)),
            AGE,
        ],
        "mutatingadmissionpolicies" => vec![
            ("Mutations", "integer", 0, |o, _| count(&o["spec"]["mutations"]).into()),
            ("ParamKind", "string", 0, |o, _| parameter_kind(o)),
            AGE,
        ],
        "validatingadmissionpolicybindings" | "mutatingadmissionpolicybindings" => vec![
            ("PolicyName", "string", 0, |o, _| text(&o["spec"]["policyName"])),
            ("ParamRef", "string", 0, |o, _| parameter_reference(o)),
            AGE,
        ],
        _ => return None,
    })
}

const EVENT_NAME: Entry = ("Name", "string", 1, |o, _| o["metadata"]["name"].clone());

/// Events begin with their time and name themselves last.
fn events() -> Vec<Entry> {
    vec![
        ("Last Seen", "string", 0, |o, now| {
            let last = first(o, &["lastTimestamp", "deprecatedLastTimestamp", "eventTime"]);
            since(if last.is_null() { &o["metadata"]["creationTimestamp"] } else { last }, now)
        }),
        ("Type", "string", 0, |o, _| text(&o["type"])),
        ("Reason", "string", 0, |o, _| text(&o["reason"])),
        ("Object", "string", 0, |o, _| event_object(o)),
        ("Subobject", "string", 1, |o, _| text(&first(o, &["regarding", "involvedObject"])["fieldPath"])),
        ("Source", "string", 1, |o, _| event_source(o)),
        ("Message", "string", 0, |o, _| text(first(o, &["note", "message"]))),
        ("First Seen", "string", 1, |o, now| since(first(o, &["firstTimestamp", "deprecatedFirstTimestamp", "eventTime"]), now)),
        ("Count", "string", 1, |o, _| event_count(o)),
        EVENT_NAME,
    ]
}

/// The columns of a kind, and how the cells of a row are made.
pub fn columns(resource: &Resource, now: Timestamp) -> (Vec<Column>, Cells) {
    let own = if resource.plural == "events" {
        events()
    } else {
        let name: Entry = ("Name", "string", 0, |o, _| o["metadata"]["name"].clone());
        std::iter::once(name).chain(own(&resource.plural)).collect()
    };
    let describe = |(name, kind, priority, _): &Entry| match *name {
        "Name" => Column::new(name, kind, "name", NAME, *priority),
        "Age" | "Created At" => Column::new(name, kind, "", CREATED, *priority),
        "Data" if resource.plural == "configmaps" => Column::new(name, kind, "", CONFIG_DATA, *priority),
        _ => Column::new(name, kind, "", "", *priority),
    };
    let columns = own.iter().map(describe).collect();
    let cells = move |object: &Value| own.iter().map(|(_, _, _, cell)| json!(cell(object, now))).collect();
    (columns, Box::new(cells))
}
