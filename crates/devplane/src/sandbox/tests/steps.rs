//! Objects taken step by step to where nothing is left to do.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    patch,
    sandbox::{
        BEHAVIOUR, RESULT,
        kinds::{BACKUP, BUCKET, CLAIM, CLUSTER, DEPLOYMENT, JOB, Kind, NAMESPACE, POD, SECRET, SERVICE, STATEFUL_SET},
        step::{Action, View, next},
        world::{Key, World},
    },
};

/// Steps after which nobody waits any longer.
const ENOUGH: usize = 60;

/// A world in which steps are done at once.
#[derive(Default)]
struct Stage {
    world: World,
    version: u64,
    /// States of the statuses on the way, by key.
    history: BTreeMap<Key, Vec<Value>>,
    seconds: f64,
}

impl Stage {
    fn with(kind: &'static Kind, object: Value) -> (Self, Key) {
        let mut stage = Self::default();
        let key = stage.put(kind, object);
        (stage, key)
    }

    fn put(&mut self, kind: &'static Kind, mut object: Value) -> Key {
        self.version += 1;
        let metadata = &mut object["metadata"];
        metadata["resourceVersion"] = self.version.to_string().into();
        if metadata["uid"].is_null() {
            metadata["uid"] = format!("uid-{}", self.version).into();
        }
        for (field, default) in [("name", "a"), ("namespace", "n")] {
            if metadata[field].is_null() && (kind.namespaced || field == "name") {
                metadata[field] = default.into();
            }
        }
        if metadata["generation"].is_null() {
            metadata["generation"] = json!(1);
        }
        let key = Key::of(kind, &object);
        self.world.put(kind, object);
        key
    }

    fn change(&mut self, key: &Key, patch: &Value) {
        let object = patch::merge(&self.world.get(key).unwrap(), patch).unwrap();
        self.put(key.kind, object);
    }

    /// Does the next step of an object; whether there was one.
    fn step(&mut self, key: &Key) -> bool {
        let Some(object) = self.world.get(key) else { return false };
        let secret = || "secret".to_owned();
        let view = View { key, object: &object, world: &self.world, now: "2030-01-01T00:00:00Z", secret: &secret };
        let Some(step) = next(&view) else { return false };
        assert!(step.after >= 0.0 && !step.actions.is_empty());
        self.seconds += step.after;
        for action in step.actions {
            match action {
                Action::Status(status) => {
                    self.change(key, &json!({"status": status}));
                    self.history.entry(key.clone()).or_default().push(self.world.get(key).unwrap()["status"].clone());
                }
                Action::Patch(patch) => self.change(key, &patch),
                Action::Create(kind, object) => {
                    self.put(kind, object);
                }
                Action::Delete(other) => drop(self.world.remove(&other)),
            }
        }
        true
    }

    /// Goes on until nothing is left to do for this object.
    fn settle(&mut self, key: &Key) -> Value {
        for _ in 0..ENOUGH {
            if !self.step(key) {
                return self.world.get(key).unwrap_or_default();
            }
        }
        panic!("{} is never done: {:?}", key.name, self.world.get(key));
    }
}

fn condition<'v>(object: &'v Value, kind: &str) -> &'v Value {
    object["status"]["conditions"].as_array().unwrap().iter().find(|condition| condition["type"] == kind).unwrap()
}

fn deployment(replicas: i64) -> Value {
    json!({"spec": {"replicas": replicas}})
}

#[test]
fn a_deployment_becomes_available_in_seconds() {
    let (mut stage, key) = Stage::with(&DEPLOYMENT, deployment(3));
    let done = stage.settle(&key);
    assert_eq!(done["status"]["availableReplicas"], 3);
    assert_eq!(condition(&done, "Available")["status"], "True");
    assert!(condition(&done, "Available")["message"].as_str().unwrap().starts_with("Simulated"));
    assert!(done["status"].get("unavailableReplicas").is_none());
    assert!((1.0..6.0).contains(&stage.seconds), "{} s", stage.seconds);
    let ready: Vec<i64> = stage.history[&key].iter().map(|status| status["readyReplicas"].as_i64().unwrap()).collect();
    assert_eq!(ready, [0, 1, 2, 3]);
}

#[test]
fn a_new_template_is_rolled_out_without_a_gap() {
    let (mut stage, key) = Stage::with(&DEPLOYMENT, deployment(3));
    stage.settle(&key);
    stage.history.clear();
    stage.change(&key, &json!({"metadata": {"generation": 2}}));
    let done = stage.settle(&key);
    assert_eq!((&done["status"]["observedGeneration"], &done["status"]["updatedReplicas"]), (&json!(2), &json!(3)));
    assert!(stage.history[&key].iter().all(|status| status["readyReplicas"] == 3));
    assert_eq!(stage.history[&key][0]["updatedReplicas"], 0);
}

#[test]
fn a_failing_deployment_says_why_and_recovers() {
    let mut object = deployment(2);
    object["metadata"]["annotations"] = json!({BEHAVIOUR: "failing"});
    let (mut stage, key) = Stage::with(&DEPLOYMENT, object);
    let failed = stage.settle(&key);
    assert_eq!(condition(&failed, "Progressing")["reason"], "ProgressDeadlineExceeded");
    assert!(failed["status"].get("readyReplicas").is_none());
    stage.change(&key, &json!({"metadata": {"annotations": null}}));
    let done = stage.settle(&key);
    assert_eq!(done["status"]["readyReplicas"], 2);
    assert_eq!(condition(&done, "Progressing")["status"], "True");
}

#[test]
fn a_namespace_can_make_all_in_it_slow() {
    let (mut fast, key) = Stage::with(&DEPLOYMENT, deployment(1));
    fast.settle(&key);
    let (mut slow, key) = Stage::with(&DEPLOYMENT, deployment(1));
    slow.put(&NAMESPACE, json!({"metadata": {"name": "n", "annotations": {BEHAVIOUR: "slow"}}}));
    slow.settle(&key);
    assert!(slow.seconds > 5.0 * fast.seconds);
}

#[test]
fn replicas_of_a_stateful_set_bring_their_claims() {
    let template = json!({"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}});
    let (mut stage, key) = Stage::with(&STATEFUL_SET, json!({"spec": {"replicas": 2, "volumeClaimTemplates": [template]}}));
    let done = stage.settle(&key);
    assert_eq!((&done["status"]["readyReplicas"], &done["status"]["updatedReplicas"]), (&json!(2), &json!(2)));
    assert_eq!(done["status"]["currentRevision"], done["status"]["updateRevision"]);
    for name in ["data-a-0", "data-a-1"] {
        let claim = stage.world.get(&key.beside(&CLAIM, name)).unwrap();
        assert_eq!(claim["metadata"]["ownerReferences"][0]["kind"], "StatefulSet");
    }
}

#[test]
fn a_database_is_set_up_and_hands_out_credentials() {
    let spec = json!({"instances": 2, "bootstrap": {"initdb": {"database": "orders", "owner": "orders"}}, "storage": {"size": "5Gi"}});
    let (mut stage, key) = Stage::with(&CLUSTER, json!({"metadata": {"name": "db"}, "spec": spec}));
    let done = stage.settle(&key);
    assert_eq!(done["status"]["phase"], "Cluster in healthy state");
    assert_eq!((&done["status"]["readyInstances"], &done["status"]["writeService"]), (&json!(2), &json!("db-rw")));
    assert_eq!(stage.history[&key][0]["phase"], "Setting up primary");
    let secret = stage.world.get(&key.beside(&SECRET, "db-app")).unwrap();
    assert_eq!(secret["stringData"]["uri"], "postgresql://orders:secret@db-rw.n:5432/orders");
    assert!(stage.world.has(&key.beside(&SERVICE, "db-rw")));
    assert_eq!(stage.world.get(&key.beside(&CLAIM, "db-2")).unwrap()["spec"]["resources"]["requests"]["storage"], "5Gi");
}

#[test]
fn a_changed_database_is_healthy_again_after_a_while() {
    let (mut stage, key) = Stage::with(&CLUSTER, json!({"spec": {"instances": 1, "storage": {}}}));
    stage.settle(&key);
    stage.history.clear();
    stage.change(&key, &json!({"metadata": {"generation": 2}}));
    let done = stage.settle(&key);
    assert_eq!(stage.history[&key][0]["phase"], "Upgrading cluster");
    assert_eq!(done["status"]["phase"], "Cluster in healthy state");
    assert!(done["status"].get("phaseReason").is_none());
}

#[test]
fn a_lost_secret_is_made_again() {
    let (mut stage, key) = Stage::with(&CLUSTER, json!({"metadata": {"name": "db"}, "spec": {"storage": {}}}));
    stage.settle(&key);
    stage.world.remove(&Key { kind: &SECRET, namespace: "n".into(), name: "db-app".into() });
    stage.settle(&key);
    assert!(stage.world.has(&key.beside(&SECRET, "db-app")));
}

#[test]
fn a_backup_of_a_database_completes_and_one_of_nothing_fails() {
    let (mut stage, key) = Stage::with(&BACKUP, json!({"spec": {"cluster": {"name": "db"}}}));
    let failed = stage.settle(&key);
    assert_eq!((&failed["status"]["phase"], &failed["status"]["error"]), (&json!("failed"), &json!("Simulated: there is no database db")));
    stage.put(&CLUSTER, json!({"metadata": {"name": "db"}, "spec": {"storage": {}}}));
    let key = stage.put(&BACKUP, json!({"metadata": {"name": "b"}, "spec": {"cluster": {"name": "db"}}}));
    let done = stage.settle(&key);
    assert_eq!((&done["status"]["phase"], &done["status"]["backupId"]), (&json!("completed"), &json!("20300101T000000Z")));
    let phases: Vec<&Value> = stage.history[&key].iter().map(|status| &status["phase"]).collect();
    assert_eq!(phases, ["running", "completed"]);
}

#[test]
fn the_keys_of_a_bucket_are_rotated_once_for_each_annotation() {
    let claim = json!({"spec": {"region": "eu-west", "writeConnectionSecretToRef": {"name": "keys"}}});
    let (mut stage, key) = Stage::with(&BUCKET, claim);
    stage.settle(&key);
    let keys = key.beside(&SECRET, "keys");
    let first = stage.world.uid(&keys).map(str::to_owned);
    stage.change(&key, &json!({"metadata": {"annotations": {"objectstorage.example.org/rotate": "2030-01-02"}}}));
    let done = stage.settle(&key);
    assert_eq!(done["status"]["rotatedAt"], "2030-01-02");
    assert_eq!(condition(&done, "Ready")["status"], "True");
    let second = stage.world.uid(&keys).map(str::to_owned);
    assert!(second.is_some() && first != second, "{first:?} {second:?}");
    assert!(!stage.step(&key), "nothing is left to do");
}

#[test]
fn a_bucket_becomes_ready_with_its_connection_secret() {
    let spec = json!({"region": "eu-1", "writeConnectionSecretToRef": {"name": "b-access"}});
    let (mut stage, key) = Stage::with(&BUCKET, json!({"metadata": {"name": "b"}, "spec": spec}));
    let done = stage.settle(&key);
    assert_eq!(done["status"]["endpoint"], "https://n-b.eu-1.objects.example.org");
    assert_eq!(condition(&done, "Ready")["status"], "True");
    let secret = stage.world.get(&key.beside(&SECRET, "b-access")).unwrap();
    assert_eq!(secret["stringData"]["endpoint"], done["status"]["endpoint"]);
    assert_eq!(stage.history[&key][0]["conditions"][1]["reason"], "Creating");
}

#[test]
fn jobs_end_well_or_not() {
    let (mut stage, key) = Stage::with(&JOB, json!({"spec": {"completions": 2}}));
    let done = stage.settle(&key);
    assert_eq!((&done["status"]["succeeded"], &condition(&done, "Complete")["status"]), (&json!(2), &json!("True")));
    let failing = json!({"metadata": {"annotations": {BEHAVIOUR: "failing"}}, "spec": {"backoffLimit": 1}});
    let (mut stage, key) = Stage::with(&JOB, failing);
    assert_eq!(condition(&stage.settle(&key), "Failed")["reason"], "BackoffLimitExceeded");
}

#[test]
fn the_pod_of_a_job_says_what_its_template_has_before_the_job_ends() {
    let template =
        json!({"metadata": {"annotations": {RESULT: "{\"id\": 7}"}}, "spec": {"containers": [{"name": "run", "image": "busybox"}]}});
    let (mut stage, key) = Stage::with(&JOB, json!({"metadata": {"name": "j"}, "spec": {"template": template}}));
    assert!(stage.settle(&key)["status"]["completionTime"].is_null(), "it waits for its pod");
    let pod = stage.settle(&key.beside(&POD, "j-0"));
    assert_eq!(pod["status"]["containerStatuses"][0]["state"]["terminated"]["message"], "{\"id\": 7}");
    assert_eq!(pod["metadata"]["labels"]["batch.kubernetes.io/job-name"], "j");
    assert_eq!(condition(&stage.settle(&key), "Complete")["status"], "True");
}

#[test]
fn claims_are_bound_and_balancers_get_an_address() {
    let claim = json!({"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}});
    let (mut stage, key) = Stage::with(&CLAIM, claim);
    let bound = stage.settle(&key);
    assert_eq!((&bound["status"]["phase"], &bound["status"]["capacity"]["storage"]), (&json!("Bound"), &json!("1Gi")));
    assert_eq!(bound["spec"]["volumeName"], format!("pvc-{}", bound["metadata"]["uid"].as_str().unwrap()));
    let (mut stage, key) = Stage::with(&SERVICE, json!({"spec": {"type": "LoadBalancer"}}));
    let service = stage.settle(&key);
    assert!(service["status"]["loadBalancer"]["ingress"][0]["ip"].as_str().unwrap().starts_with("192.0.2."));
    let (mut stage, key) = Stage::with(&SERVICE, json!({"spec": {"type": "ClusterIP"}}));
    assert!(!stage.step(&key), "an ordinary Service needs nothing");
}

#[test]
fn a_claim_that_is_deleted_loses_its_protection_alone() {
    let marked =
        json!({"metadata": {"deletionTimestamp": "2030-01-01T00:00:00Z", "finalizers": ["kubernetes.io/pvc-protection", "other"]}});
    let (mut stage, key) = Stage::with(&CLAIM, marked);
    assert_eq!(stage.settle(&key)["metadata"]["finalizers"], json!(["other"]));
}

proptest! {
    #[test]
    fn every_object_settles(
        spec in crate::apply::arbitrary::json_object(),
        status in crate::apply::arbitrary::json_value(),
        replicas in 0_i64..6,
        failing in any::<bool>(),
    ) {
        for kind in [&DEPLOYMENT, &STATEFUL_SET, &JOB, &CLAIM, &SERVICE, &CLUSTER, &BUCKET] {
            let mut object = json!({"spec": spec.clone(), "status": status.clone()});
            object["spec"]["replicas"] = json!(replicas);
            object["spec"]["instances"] = json!(replicas);
            if failing {
                object["metadata"]["annotations"] = json!({BEHAVIOUR: "failing"});
            }
            let (mut stage, key) = Stage::with(kind, object);
            stage.settle(&key);
        }
    }

    #[test]
    fn a_restart_at_any_step_changes_nothing_of_the_end(replicas in 1_i64..6, stop in 0_usize..6, wanted in 1_i64..6) {
        // Progress is in the objects alone: whoever goes on comes to the same end.
        let (mut stage, key) = Stage::with(&DEPLOYMENT, deployment(replicas));
        for _ in 0..stop {
            stage.step(&key);
        }
        stage.change(&key, &json!({"metadata": {"generation": 2}, "spec": {"replicas": wanted}}));
        let object = stage.world.get(&key).unwrap();
        let (mut other, key) = Stage::with(&DEPLOYMENT, object);
        let done = other.settle(&key);
        prop_assert_eq!(&done["status"]["readyReplicas"], &json!(wanted));
        prop_assert_eq!(&done["status"]["updatedReplicas"], &json!(wanted));
    }
}
