//! What admission decides about new pods: their priority, and whether there is the runtime that they ask for.
//! Source: kubernetes `plugin/pkg/admission/{priority,runtimeclass}`.

use serde_json::Value;

use super::Admission;
use crate::registry::GroupResource;
use crate::request::Operation;
use crate::status::ApiError;
use crate::store::{Key, Range};
use crate::{ClusterId, State};

/// Classes that every cluster has.
const SYSTEM: [(&str, i64); 2] = [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// What a class gives to a pod.
struct Class {
    name: String,
    value: i64,
    preemption: String,
}

/// Completes a new pod before it is validated.
///
/// # Errors
/// Forbidden, when the pod asks for a class that is not there, or contradicts its class.
pub fn mutate(state: &State, admission: &Admission<'_>, object: &mut Value) -> Result<(), ApiError> {
    let resource = admission.resource;
    let is_pod = resource.group.is_empty() && resource.plural == "pods" && resource.is_built_in();
    if !is_pod || admission.operation != Operation::Create || !admission.attributes.subresource.is_empty() {
        return Ok(());
    }
    let refuse = |why: &str| ApiError::forbidden("", "pods", &admission.attributes.name, why);
    priority(state, &admission.attributes.target.cluster, object).map_err(|why| refuse(&why))?;
    // No runtime but the default one is there.
    let spec = &object["spec"];
    match spec["runtimeClassName"].as_str().filter(|name| !name.is_empty()) {
        Some(name) => Err(refuse(&format!("pod rejected: RuntimeClass {name:?} not found"))),
        None if spec["overhead"].as_object().is_some_and(|overhead| !overhead.is_empty()) => {
            Err(refuse("pod rejected: Pod overhead set without corresponding RuntimeClass defined Overhead"))
        }
        None => Ok(()),
    }
}

fn priority(state: &State, cluster: &ClusterId, object: &mut Value) -> Result<(), String> {
    let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else { return Ok(()) };
    let asked = spec.get("priorityClassName").and_then(Value::as_str).unwrap_or_default().to_owned();
    let class = if asked.is_empty() {
        default_class(state, cluster)
    } else {
        Some(class(state, cluster, &asked).ok_or_else(|| format!("no PriorityClass with name {asked} was found"))?)
    };
    let (value, preemption) = class.as_ref().map_or((0, "PreemptLowerPriority"), |class| (class.value, class.preemption.as_str()));
    if let Some(said) = spec.get("priority").and_then(Value::as_i64).filter(|said| *said != value) {
        return Err(format!(
            "the integer value of priority ({said}) must not be provided in pod spec; priority admission controller computed {value} from the given PriorityClass name"
        ));
    }
    if let Some(said) = spec.get("preemptionPolicy").and_then(Value::as_str).filter(|said| *said != preemption) {
        return Err(format!(
            "the string value of PreemptionPolicy ({said}) must not be provided in pod spec; priority admission controller computed {preemption} from the given PriorityClass name"
        ));
    }
    spec.insert("priority".into(), value.into());
    spec.insert("preemptionPolicy".into(), preemption.into());
    if let Some(class) = class {
        spec.insert("priorityClassName".into(), class.name.into());
    }
    Ok(())
}

fn classes() -> GroupResource {
    GroupResource::new("scheduling.k8s.io", "priorityclasses")
}

fn read(object: &Value) -> Class {
    let text = |value: &Value, otherwise: &str| value.as_str().unwrap_or(otherwise).to_owned();
    Class {
        name: text(&object["metadata"]["name"], ""),
        value: object["value"].as_i64().unwrap_or(0),
        preemption: text(&object["preemptionPolicy"], "PreemptLowerPriority"),
    }
}

fn class(state: &State, cluster: &ClusterId, name: &str) -> Option<Class> {
    if let Some(stored) = state.store.peek(&classes(), &Key::new(cluster, "", name)) {
        return Some(read(&stored.object()));
    }
    let (name, value) = SYSTEM.into_iter().find(|(system, _)| *system == name)?;
    Some(Class { name: name.to_owned(), value, preemption: "PreemptLowerPriority".to_owned() })
}

/// The class of pods that ask for none: of several the lowest.
fn default_class(state: &State, cluster: &ClusterId) -> Option<Class> {
    let all = state.store.peek_list(&classes(), &Range::Cluster(cluster.clone())).0;
    let defaults = all.iter().map(|(_, stored)| stored.object()).filter(|object| object["globalDefault"] == true);
    defaults.map(|object| read(&object)).min_by_key(|class| class.value)
}
