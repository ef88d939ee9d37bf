//! All of the operators on a plane in memory.

use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    Options, Plane, Storage, Token,
    sandbox::{Pace, client::Client, rights},
};

const USER: &str = "sandbox-operator";

/// A plane with its operators, and a client of somebody who may do everything.
struct Site {
    plane: Plane,
    admin: Client,
    shutdown: CancellationToken,
}

impl Site {
    async fn open() -> Self {
        let token = |name: &str, groups: &[&str]| Token {
            token: format!("{name}-token"),
            username: name.into(),
            uid: String::new(),
            groups: groups.iter().map(|&group| group.to_owned()).collect(),
        };
        let tokens = vec![token("admin", &["system:masters"]), token(USER, &[])];
        let plane = Plane::open(Options::new(Storage::Memory, tokens, "https://localhost")).unwrap();
        let admin = Client::new(plane.router(), "admin-token".into());
        let [role, binding] = rights(USER);
        admin.create("/apis/rbac.authorization.k8s.io/v1/clusterroles", &role).await.unwrap();
        admin.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", &binding).await.unwrap();
        let mut site = Self { plane, admin, shutdown: CancellationToken::new() };
        site.start();
        site
    }

    fn start(&mut self) {
        self.shutdown = CancellationToken::new();
        let token = format!("{USER}-token");
        tokio::spawn(self.plane.run_operators(&token, Pace::faster(100.0), self.shutdown.clone()));
    }

    /// Creates an object as soon as its kind is served.
    async fn create(&self, path: &str, object: Value) {
        within(async || self.admin.create(path, &object).await.ok()).await;
    }

    /// The object once it holds.
    async fn until(&self, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
        within(async || self.admin.get(path).await.ok().filter(&holds)).await
    }

    async fn gone(&self, path: &str) {
        within(async || self.admin.get(path).await.is_err().then_some(())).await;
    }
}

/// Asks again and again until there is an answer.
async fn within<T>(ask: impl AsyncFn() -> Option<T>) -> T {
    let asking = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), asking).await.expect("it never happened")
}

const DATABASES: &str = "/apis/postgresql.cnpg.io/v1/namespaces/default/clusters";
const BUCKETS: &str = "/apis/objectstorage.example.org/v1alpha1/namespaces/default/buckets";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";

fn database(name: &str) -> Value {
    json!({
        "apiVersion": "postgresql.cnpg.io/v1",
        "kind": "Cluster",
        "metadata": {"name": name},
        "spec": {"instances": 2, "storage": {"size": "1Gi"}},
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_comes_and_goes_with_all_it_made() {
    let mut site = Site::open().await;
    site.create(DATABASES, database("db")).await;
    // The operators may end at any moment.
    site.until(&format!("{DATABASES}/db"), |db| db["status"]["phase"].is_string()).await;
    site.shutdown.cancel();
    site.start();
    let healthy = |db: &Value| db["status"]["phase"] == "Cluster in healthy state" && db["status"]["readyInstances"] == 2;
    site.until(&format!("{DATABASES}/db"), healthy).await;
    let secret = site.until(&format!("{SECRETS}/db-app"), |_| true).await;
    assert!(secret["data"]["password"].as_str().is_some_and(|password| password.len() > 20));
    site.until(&format!("{CLAIMS}/db-2"), |claim| claim["status"]["phase"] == "Bound").await;

    site.admin.delete(&format!("{DATABASES}/db"), &json!({})).await.unwrap();
    for path in [format!("{SECRETS}/db-app"), format!("{CLAIMS}/db-1"), format!("{CLAIMS}/db-2")] {
        site.gone(&path).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deployments_and_buckets_become_ready_and_failing_ones_say_why() {
    let site = Site::open().await;
    let labels = json!({"app": "a"});
    let deployment = |name: &str, behaviour: &str| {
        json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": name, "annotations": {super::super::BEHAVIOUR: behaviour}},
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}},
            },
        })
    };
    site.create(DEPLOYMENTS, deployment("good", "normal")).await;
    site.create(DEPLOYMENTS, deployment("bad", "failing")).await;
    let bucket = json!({
        "apiVersion": "objectstorage.example.org/v1alpha1",
        "kind": "Bucket",
        "metadata": {"name": "b"},
        "spec": {"region": "eu-1", "writeConnectionSecretToRef": {"name": "b-access"}},
    });
    site.create(BUCKETS, bucket).await;
    let good = site.until(&format!("{DEPLOYMENTS}/good"), |d| d["status"]["availableReplicas"] == 2).await;
    assert_eq!(good["status"]["observedGeneration"], good["metadata"]["generation"]);
    let reason = |d: &Value| d["status"]["conditions"].to_string().contains("ProgressDeadlineExceeded");
    site.until(&format!("{DEPLOYMENTS}/bad"), reason).await;
    let ready = site.until(&format!("{BUCKETS}/b"), |bucket| bucket["status"]["endpoint"].is_string()).await;
    assert_eq!(ready["spec"]["versioning"], false);
    site.until(&format!("{SECRETS}/b-access"), |secret| secret["data"]["accessKey"].is_string()).await;
}

#[test]
fn the_definitions_are_served_under_the_names_that_are_watched() {
    let names = super::super::definitions().map(|definition| definition["metadata"]["name"].as_str().unwrap().to_owned());
    assert_eq!(names, ["backups.postgresql.cnpg.io", "clusters.postgresql.cnpg.io", "buckets.objectstorage.example.org"]);
}
