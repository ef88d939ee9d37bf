//! Built-in objects, after what a kube-apiserver was seen to make of them.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Context, shape};
use crate::{
    random::Random,
    registry::{Resource, builtin},
};

/// A random source that always answers the same.
struct Fixed;

impl Random for Fixed {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }
}

fn resource(kind: &str) -> &'static Resource {
    builtin::kubernetes().iter().find(|resource| resource.kind == kind).unwrap()
}

/// Shapes an object of this kind; the answer is the object and its broken rules as `field: message`.
fn shaped(kind: &str, object: Value, old: Option<&Value>) -> (Value, Vec<String>) {
    let mut object = object;
    if object.get("metadata").is_none() {
        object["metadata"] = json!({"name": "a", "uid": "u"});
    }
    let causes = shape(resource(kind), "", &mut object, old, &Context { random: &Fixed, dry_run: false }).unwrap();
    (object, causes.into_iter().map(|cause| cause.to_string()).collect())
}

fn deployment() -> Value {
    let resources = json!({"requests": {"cpu": "0.5", "memory": "1024Mi"}});
    let container = json!({"name": "c", "image": "nginx", "ports": [{"containerPort": 80}], "resources": resources});
    json!({"spec": {
        "selector": {"matchLabels": {"app": "a"}},
        "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [container]}},
    }})
}

#[test]
fn what_a_map_of_texts_does_not_say_is_empty_and_an_empty_map_goes() {
    let (object, problems) = shaped("ConfigMap", json!({"data": {"a": null, "b": "c"}, "binaryData": {}}), None);
    assert_eq!((&object["data"], object.get("binaryData")), (&json!({"a": "", "b": "c"}), None));
    assert_eq!(problems, [""; 0]);
}

#[test]
fn a_map_holds_one_mebibyte_under_good_keys() {
    let (_, problems) = shaped("ConfigMap", json!({"data": {"a": "x".repeat(1 << 20)}}), None);
    assert_eq!(problems, [""; 0]);
    let (_, problems) = shaped("ConfigMap", json!({"data": {"a": "x".repeat(1 << 20)}, "binaryData": {"b": "AA=="}}), None);
    assert_eq!(problems, ["[]: Too long: may not be more than 1048576 bytes"]);
    let (_, problems) = shaped("ConfigMap", json!({"data": {"..a": "x"}}), None);
    assert_eq!(problems, ["data[..a]: Invalid value: \"..a\": must not start with '..'"]);
}

#[test]
fn a_secret_has_what_its_type_asks_for() {
    let problems = |kind: &str, data: Value| shaped("Secret", json!({"type": kind, "data": data}), None).1;
    assert_eq!(problems("kubernetes.io/basic-auth", json!({})), ["data[password]: Required value", "data[username]: Required value"]);
    assert_eq!(problems("kubernetes.io/basic-auth", json!({"username": "YQ=="})), [""; 0]);
    let account = "metadata.annotations[kubernetes.io/service-account.name]: Required value";
    assert_eq!(problems("kubernetes.io/service-account-token", json!({})), [account]);
    let unread = "Invalid value: \"<secret contents redacted>\": invalid character 'x' looking for beginning of value";
    let docker = problems("kubernetes.io/dockerconfigjson", json!({".dockerconfigjson": "eA=="}));
    assert_eq!(docker, [format!("data[.dockerconfigjson]: {unread}")]);
    assert_eq!(problems("kubernetes.io/dockerconfigjson", json!({".dockerconfigjson": "e30="})), [""; 0]);
}

#[test]
fn a_namespace_keeps_the_label_of_its_name() {
    let (object, _) = shaped("Namespace", json!({"metadata": {"name": "a", "labels": {"kubernetes.io/metadata.name": "b"}}}), None);
    assert_eq!(object["metadata"]["labels"]["kubernetes.io/metadata.name"], "a");
}

#[test]
fn an_event_lies_where_its_object_is() {
    let event =
        |namespace: &str, about: &str| json!({"metadata": {"name": "e", "namespace": namespace}, "involvedObject": {"namespace": about}});
    assert_eq!(shaped("Event", event("n", "n"), None).1, [""; 0]);
    assert_eq!(shaped("Event", event("default", ""), None).1, [""; 0]);
    let wrong = "involvedObject.namespace: Invalid value: \"other\": does not match event.namespace";
    assert_eq!(shaped("Event", event("n", "other"), None).1, [wrong]);
}

#[test]
fn a_deployment_gets_its_defaults() {
    let (object, problems) = shaped("Deployment", deployment(), None);
    assert!(problems.is_empty(), "{problems:?}");
    let container = &object["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["resources"]["requests"], json!({"cpu": "500m", "memory": "1Gi"}));
    assert_eq!(container["ports"], json!([{"containerPort": 80, "protocol": "TCP"}]));
    assert_eq!(container["imagePullPolicy"], "Always");
    let rolling = json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}});
    assert_eq!(object["spec"]["strategy"], rolling);
    assert_eq!((&object["spec"]["replicas"], &object["status"]), (&json!(1), &json!({})));
    assert_eq!(object["spec"]["template"]["spec"]["securityContext"], json!({}));
}

#[test]
fn an_empty_deployment_names_all_that_is_missing() {
    let (_, problems) = shaped("Deployment", json!({"spec": {}}), None);
    assert_eq!(
        problems,
        [
            "spec.selector: Required value",
            "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
            "spec.template.spec.containers: Required value",
        ]
    );
}

#[test]
fn selectors_never_change() {
    let (old, _) = shaped("Deployment", deployment(), None);
    let mut new = old.clone();
    new["spec"]["selector"]["matchLabels"] = json!({"app": "b"});
    new["spec"]["template"]["metadata"]["labels"] = json!({"app": "b"});
    let (_, problems) = shaped("Deployment", new, Some(&old));
    assert_eq!(problems, ["spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"b\"}}: field is immutable"]);
}

#[test]
fn a_job_finds_its_pods_by_its_uid_and_must_say_whether_they_restart() {
    let job = json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "busybox:1"}]}}}});
    let (object, problems) = shaped("Job", job.clone(), None);
    assert_eq!(object["spec"]["selector"], json!({"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}}));
    assert_eq!(object["spec"]["completions"], 1);
    assert_eq!(problems, ["spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\""]);
    let mut queue = job;
    queue["spec"]["parallelism"] = json!(3);
    queue["spec"]["template"]["spec"]["restartPolicy"] = json!("Never");
    let (mut stored, problems) = shaped("Job", queue.clone(), None);
    assert!(problems.is_empty() && stored["spec"].get("completions").is_none());
    // Applying the same Job again is no change, though its author knows nothing of the generated labels.
    stored["metadata"]["uid"] = json!("u");
    let (_, problems) = shaped("Job", queue, Some(&stored));
    assert!(problems.is_empty(), "{problems:?}");
}

/// The broken rules of a pod with this spec beside one container, and of one container with these fields.
fn pod_problems(spec: Value, container: Value) -> Vec<String> {
    let mut whole = json!({"containers": [{"name": "c", "image": "i"}]});
    for (name, value) in container.as_object().unwrap() {
        whole["containers"][0][name] = value.clone();
    }
    for (name, value) in spec.as_object().unwrap() {
        whole[name] = value.clone();
    }
    shaped("Pod", json!({"spec": whole}), None).1
}

#[test]
fn pods_are_judged_as_a_kubelet_would_need_them() {
    for (spec, problem) in [
        (json!({"dnsPolicy": "None"}), "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"),
        (json!({"restartPolicy": "", "dnsPolicy": ""}), ""),
        (json!({"activeDeadlineSeconds": 0}), "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"),
        (json!({"volumes": [{"name": "v"}]}), ""),
        (json!({"volumes": [{"name": "v", "secret": {}}]}), "spec.volumes[0].secret.secretName: Required value"),
        (json!({"ephemeralContainers": [{"name": "e", "image": "i"}]}), "spec.ephemeralContainers: Forbidden: cannot be set on create"),
    ] {
        assert_eq!(pod_problems(spec.clone(), json!({})).concat(), problem, "{spec}");
    }
}

#[test]
fn containers_are_judged_field_by_field() {
    for (container, problem) in [
        (json!({"ports": [{"containerPort": 0}]}), "ports[0].containerPort: Required value"),
        (
            json!({"env": [{"name": "a=b"}]}),
            "env[0].name: Invalid value: \"a=b\": a valid environment variable name must consist only of printable ASCII characters other than '='",
        ),
        (json!({"livenessProbe": {}}), "livenessProbe: Required value: must specify a handler type"),
        (json!({"volumeMounts": [{"name": "v", "mountPath": "/v"}]}), "volumeMounts[0].name: Not found: \"v\""),
        (
            json!({"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}}),
            "resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1",
        ),
    ] {
        assert_eq!(pod_problems(json!({}), container.clone()), [format!("spec.containers[0].{problem}")], "{container}");
    }
}

#[test]
fn workloads_get_the_defaults_of_their_kind() {
    let template = deployment()["spec"].clone();
    let (daemon_set, problems) = shaped("DaemonSet", json!({"spec": template}), None);
    assert_eq!(problems, [""; 0]);
    assert_eq!(daemon_set["spec"]["updateStrategy"]["rollingUpdate"], json!({"maxSurge": 0, "maxUnavailable": 1}));
    assert_eq!(daemon_set["metadata"]["annotations"]["deprecated.daemonset.template.generation"], "1");
    let pods = json!({"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]});
    let cron_job = json!({"spec": {"schedule": "@daily", "jobTemplate": {"spec": {"template": {"spec": pods}}}}});
    let (cron_job, problems) = shaped("CronJob", cron_job, None);
    assert_eq!(problems, [""; 0]);
    let job = &cron_job["spec"]["jobTemplate"];
    assert_eq!((&job["metadata"], job["spec"].get("backoffLimit")), (&json!({}), None));
    assert_eq!(job["spec"]["template"]["spec"]["dnsPolicy"], "ClusterFirst");
}

#[test]
fn a_rolling_update_moves() {
    let mut object = deployment();
    object["spec"]["strategy"] = json!({"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "0%"}});
    let problem = "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"0%\": may not be 0 when `maxSurge` is 0";
    assert_eq!(shaped("Deployment", object, None).1, [problem]);
}

#[test]
fn services_get_addresses_and_keep_them() {
    let (service, problems) = shaped("Service", json!({"spec": {"selector": {"a": "b"}, "ports": [{"port": 80}]}}), None);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(service["spec"]["clusterIPs"], json!([service["spec"]["clusterIP"]]));
    assert_eq!(service["spec"]["ports"], json!([{"port": 80, "protocol": "TCP", "targetPort": 80}]));
    assert_eq!(service["status"], json!({"loadBalancer": {}}));
    let (again, problems) =
        shaped("Service", json!({"spec": {"selector": {"a": "b"}, "type": "LoadBalancer", "ports": [{"port": 80}]}}), Some(&service));
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(again["spec"]["clusterIP"], service["spec"]["clusterIP"]);
    assert!(again["spec"]["ports"][0]["nodePort"].as_i64().is_some_and(|port| (30_000..32_768).contains(&port)));
    let (headless, _) = shaped("Service", json!({"spec": {"clusterIP": "None", "ports": [{"port": 80}]}}), None);
    assert_eq!(headless["spec"]["ipFamilies"], json!(["IPv4", "IPv6"]));
}

#[test]
fn ports_of_a_service_are_checked_one_by_one() {
    let (_, problems) = shaped("Service", json!({"spec": {"ports": [{"port": 0}, {"port": 99999, "name": "UP"}]}}), None);
    assert_eq!(problems.len(), 6, "{problems:?}");
    assert_eq!(problems[0], "spec.ports[0].name: Required value");
    assert_eq!(problems[1], "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive");
}

#[test]
fn texts_of_secrets_are_stored_as_base64() {
    let secret = json!({"stringData": {"a": "text", "b": "over"}, "data": {"b": "dW5kZXI=", "c": "Yw=="}});
    let (object, problems) = shaped("Secret", secret, None);
    assert!(problems.is_empty());
    assert_eq!(object["data"], json!({"a": "dGV4dA==", "b": "b3Zlcg==", "c": "Yw=="}));
    assert_eq!((object.get("stringData"), &object["type"]), (None, &json!("Opaque")));
    let mut other = object.clone();
    other["type"] = json!("example/other");
    let (_, problems) = shaped("Secret", other, Some(&object));
    assert_eq!(problems, ["type: Invalid value: \"example/other\": field is immutable"]);
}

#[test]
fn frozen_config_maps_stay_as_they_are() {
    let (old, _) = shaped("ConfigMap", json!({"data": {"a": "1"}, "immutable": true}), None);
    let mut new = old.clone();
    new["data"]["a"] = json!("2");
    let (_, problems) = shaped("ConfigMap", new, Some(&old));
    assert_eq!(problems, ["data: Forbidden: field is immutable when `immutable` is set"]);
}

#[test]
fn micro_times_need_six_digits() {
    let mut lease = json!({"metadata": {"name": "m"}, "spec": {"renewTime": "2024-01-01T00:00:00Z"}});
    let error = shape(resource("Lease"), "", &mut lease, None, &Context { random: &Fixed, dry_run: false }).unwrap_err();
    assert_eq!(
        error.message,
        "Lease in version \"v1\" cannot be handled as a Lease: parsing time \"2024-01-01T00:00:00Z\" as \
         \"2006-01-02T15:04:05.000000Z07:00\": cannot parse \"Z\" as \".000000\""
    );
}

#[test]
fn values_of_the_wrong_type_are_refused() {
    for (kind, object) in [
        ("ConfigMap", json!({"metadata": {"name": "a"}, "data": {"a": 1}})),
        ("Deployment", json!({"metadata": {"name": "a"}, "spec": {"replicas": "one"}})),
        ("Secret", json!({"metadata": {"name": "a"}, "data": {"a": "not base64!"}})),
        ("Service", json!({"metadata": {"name": "a", "labels": "x"}})),
        ("ResourceQuota", json!({"metadata": {"name": "a"}, "spec": {"hard": {"pods": "many"}}})),
    ] {
        let mut object = object;
        let error = shape(resource(kind), "", &mut object, None, &Context { random: &Fixed, dry_run: false }).unwrap_err();
        assert_eq!(error.code, 400, "{kind}");
    }
}

#[test]
fn pods_get_a_phase_and_tolerations() {
    let (pod, problems) = shaped("Pod", json!({"spec": {"containers": [{"name": "c", "image": "nginx:1.27"}]}}), None);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(pod["status"], json!({"phase": "Pending", "qosClass": "BestEffort"}));
    assert_eq!(pod["spec"]["tolerations"].as_array().unwrap().len(), 2);
    assert_eq!(pod["spec"]["containers"][0]["imagePullPolicy"], "IfNotPresent");
}

proptest! {
    #[test]
    fn no_object_panics(mut object in crate::apply::arbitrary::json_object(), spec in crate::apply::arbitrary::json_object()) {
        object["spec"] = spec;
        for resource in builtin::kubernetes() {
            let mut object = object.clone();
            object["metadata"] = json!({"name": "a", "uid": "u"});
            drop(shape(resource, "", &mut object, None, &Context { random: &Fixed, dry_run: false }));
        }
    }

    #[test]
    fn shaping_again_changes_nothing(replicas in 0..9, limit in "[1-9][0-9]{0,2}(m|Mi|)") {
        let mut object = deployment();
        object["spec"]["replicas"] = json!(replicas);
        object["spec"]["template"]["spec"]["containers"][0]["resources"] = json!({"limits": {"memory": limit}});
        let (once, _) = shaped("Deployment", object, None);
        let (twice, _) = shaped("Deployment", once.clone(), Some(&once));
        prop_assert_eq!(once, twice);
    }
}
