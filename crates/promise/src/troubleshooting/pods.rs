//! Which pods belong to an object, and what their containers are called.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Annotation with which a pod names the container that people mean (kubernetes `staging/src/k8s.io/kubectl/pkg/cmd/util/podcmd`).
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// A kind whose objects are pods or have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// A pod itself.
    Pod,
    /// A Deployment, whose pods belong to its ReplicaSets.
    Deployment,
    /// A ReplicaSet.
    ReplicaSet,
    /// A StatefulSet.
    StatefulSet,
    /// A DaemonSet.
    DaemonSet,
    /// A Job.
    Job,
    /// A CronJob, whose pods belong to its Jobs.
    CronJob,
}

impl Workload {
    /// Returns what a kind is. `None` if its objects have no pods that the portal looks for.
    pub fn of(group: &str, kind: &str) -> Option<Self> {
        Some(match (group, kind) {
            ("", "Pod") => Self::Pod,
            ("apps", "Deployment") => Self::Deployment,
            ("apps", "ReplicaSet") => Self::ReplicaSet,
            ("apps", "StatefulSet") => Self::StatefulSet,
            ("apps", "DaemonSet") => Self::DaemonSet,
            ("batch", "Job") => Self::Job,
            ("batch", "CronJob") => Self::CronJob,
            _ => return None,
        })
    }

    /// Returns group, kind and plural. All of them are served as `v1`.
    pub fn resource(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Pod => ("", "Pod", "pods"),
            Self::Deployment => ("apps", "Deployment", "deployments"),
            Self::ReplicaSet => ("apps", "ReplicaSet", "replicasets"),
            Self::StatefulSet => ("apps", "StatefulSet", "statefulsets"),
            Self::DaemonSet => ("apps", "DaemonSet", "daemonsets"),
            Self::Job => ("batch", "Job", "jobs"),
            Self::CronJob => ("batch", "CronJob", "cronjobs"),
        }
    }
}

/// Checks whether the controller of an object is one of these, by uid. A label is no proof: everyone who can create a pod can label it.
pub fn is_controlled_by(object: &Value, owners: &BTreeSet<String>) -> bool {
    let references = object["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    let mut controllers = references.filter(|reference| reference["controller"] == true);
    controllers.any(|controller| controller["uid"].as_str().is_some_and(|uid| owners.contains(uid)))
}

/// Returns the label selector of a workload as a query takes it. `None` if it selects nothing, or everything.
pub fn selector(workload: &Value) -> Option<String> {
    let selector = &workload["spec"]["selector"];
    let labels = selector["matchLabels"].as_object().into_iter().flatten();
    let mut terms: Vec<String> = labels.filter_map(|(key, value)| Some(format!("{key}={}", value.as_str()?))).collect();
    for expression in selector["matchExpressions"].as_array().into_iter().flatten() {
        let key = expression["key"].as_str()?;
        let values = expression["values"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let values = values.collect::<Vec<_>>().join(",");
        terms.push(match expression["operator"].as_str()? {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "Exists" => key.to_owned(),
            "DoesNotExist" => format!("!{key}"),
            _ => return None,
        });
    }
    (!terms.is_empty()).then(|| terms.join(","))
}

/// Returns selectors for the pods of several Jobs, which are labelled with the uid of their Job under a name that depends on the version of
/// Kubernetes that created the Job. A Job that its author chose a selector for isn't selected.
pub fn selectors_of_jobs(jobs: &[Value]) -> Vec<String> {
    let mut by_label = BTreeMap::<&str, Vec<&str>>::new();
    for job in jobs {
        let Some(uid) = job["metadata"]["uid"].as_str() else { continue };
        let mut labels = job["spec"]["selector"]["matchLabels"].as_object().into_iter().flatten();
        if let Some((label, _)) = labels.find(|(_, value)| *value == uid) {
            by_label.entry(label).or_default().push(uid);
        }
    }
    by_label.into_iter().map(|(label, uids)| format!("{label} in ({})", uids.join(","))).collect()
}

/// Returns the names of the containers of a pod: its own, then those that prepare it.
pub fn containers(pod: &Value) -> Vec<String> {
    let named = |list: &str| {
        let containers = pod["spec"][list].as_array().into_iter().flatten();
        containers.filter_map(|container| container["name"].as_str()).map(str::to_owned).collect::<Vec<_>>()
    };
    let mut all = named("containers");
    all.extend(named("initContainers"));
    all
}

/// Returns the container with a name; without a name the one that the pod declares, or else its first one. `None` if there is none.
pub fn chosen_container(pod: &Value, wanted: &str) -> Option<String> {
    let all = containers(pod);
    let declared = pod["metadata"]["annotations"][DEFAULT_CONTAINER].as_str().unwrap_or_default();
    match wanted {
        "" => all.iter().find(|name| *name == declared).or_else(|| all.first()).cloned(),
        wanted => all.into_iter().find(|name| name == wanted),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pod_belongs_to_its_controller_and_to_no_other_owner() {
        let owners = BTreeSet::from(["u1".to_owned()]);
        let pod = |references: Value| json!({"metadata": {"labels": {"app": "web"}, "ownerReferences": references}});
        assert!(is_controlled_by(&pod(json!([{"uid": "u0"}, {"uid": "u1", "controller": true}])), &owners));
        for other in [
            json!([{"uid": "u1"}]),
            json!([{"uid": "u1", "controller": false}]),
            json!([{"uid": "u2", "controller": true}]),
            json!([{"controller": true}]),
            json!([]),
            json!(null),
        ] {
            assert!(!is_controlled_by(&pod(other.clone()), &owners), "{other}");
        }
    }

    #[test]
    fn selectors_are_written_as_queries_and_nothing_selects_everything() {
        let of = |selector: Value| selector_of(&selector);
        assert_eq!(of(json!({"matchLabels": {"app": "web", "tier": "front"}})).unwrap(), "app=web,tier=front");
        let expressions = json!([
            {"key": "app", "operator": "In", "values": ["a", "b"]}, {"key": "old", "operator": "DoesNotExist"},
            {"key": "tier", "operator": "NotIn", "values": ["x"]}, {"key": "zone", "operator": "Exists"},
        ]);
        assert_eq!(of(json!({"matchExpressions": expressions})).unwrap(), "app in (a,b),!old,tier notin (x),zone");
        for nothing in [json!({}), json!(null), json!({"matchLabels": {}}), json!({"matchExpressions": [{"key": "a", "operator": "Gt"}]})] {
            assert_eq!(of(nothing.clone()), None, "{nothing}");
        }
    }

    #[test]
    fn jobs_are_selected_by_the_label_that_their_server_gave() {
        let job = |uid: &str, labels: Value| json!({"metadata": {"uid": uid}, "spec": {"selector": {"matchLabels": labels}}});
        let own = |uid: &str| job(uid, json!({"batch.kubernetes.io/controller-uid": uid}));
        let jobs = [own("j1"), own("j2"), job("j3", json!({"app": "web", "controller-uid": "j3"})), job("j4", json!({"app": "web"}))];
        assert_eq!(selectors_of_jobs(&jobs), ["batch.kubernetes.io/controller-uid in (j1,j2)", "controller-uid in (j3)"]);
        assert_eq!(selectors_of_jobs(&[]), Vec::<String>::new());
    }

    fn selector_of(selector: &Value) -> Option<String> {
        super::selector(&json!({"spec": {"selector": selector}}))
    }

    #[test]
    fn the_container_that_people_mean_is_chosen() {
        let pod = json!({"spec": {"containers": [{"name": "proxy"}, {"name": "app"}], "initContainers": [{"name": "migrate"}]}});
        assert_eq!(containers(&pod), ["proxy", "app", "migrate"]);
        assert_eq!(chosen_container(&pod, "").as_deref(), Some("proxy"));
        assert_eq!(chosen_container(&pod, "migrate").as_deref(), Some("migrate"));
        assert_eq!(chosen_container(&pod, "other"), None);
        let mut declared = pod;
        declared["metadata"]["annotations"][DEFAULT_CONTAINER] = json!("app");
        assert_eq!(chosen_container(&declared, "").as_deref(), Some("app"));
        declared["metadata"]["annotations"][DEFAULT_CONTAINER] = json!("removed");
        assert_eq!(chosen_container(&declared, "").as_deref(), Some("proxy"));
        assert_eq!(chosen_container(&json!({}), ""), None);
    }

    #[test]
    fn kinds_of_the_same_name_in_other_groups_have_no_pods() {
        assert_eq!(Workload::of("apps", "Deployment"), Some(Workload::Deployment));
        for (group, kind) in [("", "Deployment"), ("example.org", "Pod"), ("apps", "Job"), ("", "ConfigMap")] {
            assert_eq!(Workload::of(group, kind), None, "{group}/{kind}");
        }
        for workload in ["Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob"] {
            let found = ["", "apps", "batch"].into_iter().find_map(|group| Workload::of(group, workload)).unwrap();
            assert_eq!(found.resource().1, workload);
        }
    }
}
