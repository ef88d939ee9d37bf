//! Steps that run Jobs at a Destination.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::kinds::PromiseRequest;
use futures::StreamExt as _;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, watcher};
use kube::{Api, Client, ResourceExt as _};
use parking_lot::Mutex;
use promise::api::{StepPhase, StepReason, WorkflowName, WorkflowPhase};
use promise::names;
use serde_json::{Value, json};

use super::{level, objects, promise, retry, run, step};
use crate::destination::sandbox_over;
use crate::running::Running;
use crate::world::{PATIENCE, Plane, apply};

crate::world::on_every_plane_in_full![
    a_job_comes_before_the_objects_and_leaves_its_result,
    a_job_that_failed_is_replaced_by_the_next_attempt,
    a_deletion_ends_with_a_last_job,
    a_workflow_that_is_cancelled_takes_its_job_away,
];

fn migrate(rest: Value) -> Value {
    let mut job = json!({
        "destination": "sandbox",
        "template": {"spec": {"backoffLimit": 0, "template": {"spec": {"restartPolicy": "Never", "containers": [
            {"name": "run", "image": "migrate:1", "args": ["--level", "${string(parameters.level)}"]}]}}}},
    });
    job.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    json!({"id": "migrate", "title": "Migrate", "job": job})
}

/// A plane with a Destination that takes Jobs.
async fn with_jobs(plane: &Plane) -> (Running, Client) {
    let kinds = json!([{"group": "batch", "kinds": ["Job"]}, {"group": "", "kinds": ["ConfigMap"]}]);
    let there = sandbox_over(plane, plane.router(), kinds).await;
    let controller = plane.controller().await;
    plane.offer().await;
    (controller, there)
}

/// Waits for the Job of a step that isn't one of these.
async fn job(there: &Client, known: &[&Job]) -> (Api<Job>, Job) {
    let own = watcher::Config::default().labels(&format!("{}=job-migrate", names::RESOURCE_ID_LABEL));
    let mut jobs = Box::pin(watcher(Api::<Job>::all(there.clone()), own).default_backoff().applied_objects());
    let found = async {
        while let Some(found) = jobs.next().await {
            if let Some(job) = found.ok().filter(|job| known.iter().all(|known| known.uid() != job.uid())) {
                return job;
            }
        }
        panic!("the watch ended")
    };
    let job = tokio::time::timeout(PATIENCE, found).await.expect("a Job");
    let namespace = job.namespace().unwrap();
    (Api::namespaced(there.clone(), &namespace), job)
}

async fn ends(jobs: &Api<Job>, name: &str, kind: &str) {
    let at = "2026-05-01T08:00:00Z";
    let conditions: Vec<Value> = match kind {
        "Complete" => vec![condition("SuccessCriteriaMet"), condition(kind)],
        _ => vec![condition("FailureTarget"), condition(kind)],
    };
    let mut status = json!({"startTime": at, "conditions": conditions});
    if kind == "Complete" {
        (status["completionTime"], status["succeeded"]) = (json!(at), json!(1));
    }
    jobs.patch_status(name, &PatchParams::default(), &Patch::Merge(json!({"status": status}))).await.unwrap();
}

fn condition(kind: &str) -> Value {
    json!({"type": kind, "status": "True", "reason": "Test", "message": "says the test", "lastTransitionTime": "2026-05-01T08:00:00Z"})
}

async fn a_job_comes_before_the_objects_and_leaves_its_result(plane: Plane) {
    let (controller, there) = with_jobs(&plane).await;
    let migrate = migrate(json!({"configMap": "result-${request.name}", "outputs": {"tables": "${result.tables}"}}));
    plane.publish("settings", promise("1.0.0", json!({"provision": {"steps": [migrate, objects("migrate")]}}))).await;
    plane.ask("web", "settings", json!({"level": 4})).await;
    let (jobs, made) = job(&there, &[]).await;
    assert!(made.name_any().starts_with("web-migrate-"), "{}", made.name_any());
    let pod = made.spec.as_ref().unwrap().template.clone();
    assert_eq!(pod.spec.unwrap().containers[0].args.as_deref(), Some(&["--level".to_owned(), "4".to_owned()][..]));
    assert_eq!(pod.metadata.unwrap().annotations.unwrap()[names::IDEMPOTENCY_KEY_ANNOTATION].len(), 32);
    assert_eq!(level(&plane).await, None);

    let namespace = made.namespace().unwrap();
    let result = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "result-web", "namespace": namespace}, "data": {"tables": "12"}});
    apply(&there, &result).await.unwrap();
    ends(&jobs, &made.name_any(), "Complete").await;
    let ready = plane.ready("web").await;
    let status = ready.status.as_ref().unwrap();
    assert_eq!((status.steps[0].phase, &status.steps[0].outputs["tables"]), (StepPhase::Succeeded, &json!("12")));
    assert!(status.inventory.iter().any(|item| item.id == "job-migrate" && item.name == made.name_any()));
    assert_eq!(level(&plane).await.as_deref(), Some("4"));

    // The Job stays for its log. One that is deleted afterwards isn't run again.
    jobs.delete(&made.name_any(), &DeleteParams::background()).await.unwrap();
    plane
        .until("web", "without its Job", |request| {
            request.status.as_ref().is_some_and(|status| status.inventory.iter().all(|item| item.id != "job-migrate"))
        })
        .await;
    assert!(jobs.list(&ListParams::default()).await.unwrap().items.is_empty());

    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    controller.stop().await;
}

async fn a_job_that_failed_is_replaced_by_the_next_attempt(plane: Plane) {
    let (controller, there) = with_jobs(&plane).await;
    plane.publish("settings", promise("1.0.0", json!({"provision": {"steps": [migrate(json!({})), objects("migrate")]}}))).await;
    plane.ask("web", "settings", json!({})).await;
    let (jobs, first) = job(&there, &[]).await;
    ends(&jobs, &first.name_any(), "Failed").await;
    let failed = plane.until("web", "failed", |request| run(request) == Some((WorkflowName::Provision, WorkflowPhase::Failed))).await;
    let said = &failed.status.as_ref().unwrap().steps[0];
    assert_eq!((said.reason, said.message.as_deref()), (Some(StepReason::JobFailed), Some("The Job failed: says the test.")));
    assert!(jobs.get_opt(&first.name_any()).await.unwrap().is_some(), "someone might want to look at it");

    retry(&plane).await;
    let (jobs, second) = job(&there, &[&first]).await;
    plane.gone(jobs.clone(), &first.name_any()).await;
    ends(&jobs, &second.name_any(), "Complete").await;
    plane.ready("web").await;
    assert_eq!(level(&plane).await.as_deref(), Some("3"));
    controller.stop().await;
}

async fn a_deletion_ends_with_a_last_job(plane: Plane) {
    let (controller, there) = with_jobs(&plane).await;
    plane.publish("settings", promise("1.0.0", json!({"deprovision": {"steps": [migrate(json!({}))]}}))).await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    let (jobs, made) = job(&there, &[]).await;
    assert_eq!(level(&plane).await.as_deref(), Some("3"), "the objects stay until it is done");
    ends(&jobs, &made.name_any(), "Complete").await;
    plane.gone(plane.requests("dana"), "web").await;
    assert_eq!(level(&plane).await, None);
    let own = ListParams::default().labels(&format!("{}=job-migrate", names::RESOURCE_ID_LABEL));
    assert!(Api::<Job>::all(there).list(&own).await.unwrap().items.is_empty());
    controller.stop().await;
}

async fn a_workflow_that_is_cancelled_takes_its_job_away(plane: Plane) {
    let (controller, there) = with_jobs(&plane).await;
    plane.publish("settings", promise("1.0.0", json!({"provision": {"steps": [migrate(json!({})), objects("migrate")]}}))).await;
    plane.ask("web", "settings", json!({})).await;
    let (jobs, made) = job(&there, &[]).await;
    let is_running = |request: &PromiseRequest| step(request, "migrate") == Some(StepPhase::Running);
    let running = plane.until("web", "running its Job", is_running).await;
    let attempt = running.status.unwrap().workflow.unwrap().attempt;
    let patch = json!({"metadata": {"annotations": {names::CANCEL_ANNOTATION: attempt.to_string()}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    let cancelled = plane.until("web", "cancelled", |request| run(request).is_some_and(|(_, phase)| phase == WorkflowPhase::Failed)).await;
    assert_eq!(cancelled.status.unwrap().steps[0].reason, Some(StepReason::Cancelled));
    plane.gone(jobs, &made.name_any()).await;
    assert_eq!(level(&plane).await, None);

    retry(&plane).await;
    let (jobs, second) = job(&there, &[&made]).await;
    ends(&jobs, &second.name_any(), "Complete").await;
    plane.ready("web").await;
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pod_of_a_job_says_why_it_failed_and_what_it_made() {
    let plane = Plane::open().await;
    let (controller, there) = with_jobs(&plane).await;
    let outputs = json!({"outputs": {"tables": "${result.tables}"}});
    plane.publish("settings", promise("1.0.0", json!({"provision": {"steps": [migrate(outputs), objects("migrate")]}}))).await;
    plane.ask("web", "settings", json!({})).await;
    let (jobs, first) = job(&there, &[]).await;
    ends_saying(&there, &first, "disk full\n").await;
    ends(&jobs, &first.name_any(), "Failed").await;
    let failed = plane.until("web", "failed", |request| run(request).is_some_and(|(_, phase)| phase == WorkflowPhase::Failed)).await;
    assert_eq!(failed.status.unwrap().steps[0].message.as_deref(), Some("The Job failed: disk full."));
    retry(&plane).await;
    let (jobs, second) = job(&there, &[&first]).await;
    ends_saying(&there, &second, r#"{"tables": 12}"#).await;
    ends(&jobs, &second.name_any(), "Complete").await;
    let ready = plane.ready("web").await;
    assert_eq!(ready.status.unwrap().steps[0].outputs["tables"], json!(12));
    controller.stop().await;
}

/// The pod of a Job ends with this termination message.
async fn ends_saying(there: &Client, job: &Job, message: &str) {
    let pods: Api<Pod> = Api::namespaced(there.clone(), &job.namespace().unwrap());
    let name = format!("{}-0", job.name_any());
    let pod = json!({
        "metadata": {"name": name, "labels": {"batch.kubernetes.io/job-name": job.name_any()}},
        "spec": {"containers": [{"name": "run", "image": "migrate:1"}]},
    });
    pods.create(&PostParams::default(), &serde_json::from_value(pod).unwrap()).await.unwrap();
    let ended = json!({"exitCode": 0, "message": message, "finishedAt": "2026-05-01T08:00:00Z"});
    let status = json!({"status": {"containerStatuses": [
        {"name": "run", "image": "", "imageID": "", "ready": false, "restartCount": 0, "state": {"terminated": ended}}]}});
    pods.patch_status(&name, &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
}

/// Completes every Job, and notes which ones there were, by the uid of their request.
fn complete_all(there: Client) -> Arc<Mutex<BTreeMap<String, Vec<String>>>> {
    let made = Arc::new(Mutex::new(BTreeMap::<String, Vec<String>>::new()));
    let noted = made.clone();
    tokio::spawn(async move {
        let mut changes = Box::pin(watcher(Api::<Job>::all(there.clone()), watcher::Config::default()).default_backoff().applied_objects());
        while let Some(change) = changes.next().await {
            let Ok(job) = change else { continue };
            let request = job.labels().get(names::REQUEST_UID_LABEL).cloned().unwrap_or_default();
            let uid = job.uid().unwrap();
            let is_new = {
                let mut noted = noted.lock();
                let known = noted.entry(request).or_default();
                let is_new = !known.contains(&uid);
                if is_new {
                    known.push(uid);
                }
                is_new
            };
            if is_new {
                ends(&Api::namespaced(there.clone(), &job.namespace().unwrap()), &job.name_any(), "Complete").await;
            }
        }
    });
    made
}

#[tokio::test(flavor = "multi_thread")]
async fn before_whichever_write_the_controller_dies_a_job_runs_once() {
    let plane = Plane::open().await;
    let (controller, there) = with_jobs(&plane).await;
    let made = complete_all(there);
    let workflows = json!({
        "provision": {"steps": [migrate(json!({})), objects("migrate")]},
        "deprovision": {"steps": [migrate(json!({}))]},
    });
    plane.publish("settings", promise("1.0.0", workflows)).await;
    controller.crash();
    for writes in 0..12 {
        let name = format!("web-{writes}");
        let (mortal, hangs) = plane.mortal_controller(writes).await;
        plane.ask(&name, "settings", json!({"level": 4})).await;
        tokio::select! {
            () = hangs.notified() => {}
            _ = plane.ready(&name) => {}
        }
        mortal.crash();
        let controller = plane.controller().await;
        let uid = plane.ready(&name).await.metadata.uid.unwrap();
        controller.crash();
        assert_eq!(made.lock()[&uid].len(), 1, "after {writes} writes");

        let (mortal, hangs) = plane.mortal_controller(writes).await;
        plane.requests("dana").delete(&name, &DeleteParams::default()).await.unwrap();
        tokio::select! {
            () = hangs.notified() => {}
            () = plane.gone(plane.requests("dana"), &name) => {}
        }
        mortal.crash();
        let controller = plane.controller().await;
        plane.gone(plane.requests("dana"), &name).await;
        controller.crash();
        assert_eq!(made.lock()[&uid].len(), 2, "one more for the deletion, after {writes} writes");
    }
}
