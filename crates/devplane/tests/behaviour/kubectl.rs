//! Sessions with kubectl: in the cluster and in a workspace, and beside a real server.

mod comparison;

use std::{
    io::Write,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::plane::Server;

/// What a command must say: its words, what it reads, how it ends, and what its output holds.
struct Step(&'static str, &'static str, i32, &'static [&'static str]);

const ONE: &str =
    r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one", "namespace": "n"}, "data": {"a": "1", "b": "2"}}"#;
const OTHER: &str =
    r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one", "namespace": "n"}, "data": {"a": "9", "b": "2"}}"#;

/// What works everywhere. `k` is kubectl in the namespace `n`.
const EVERYWHERE: &[Step] = &[
    Step("version", "", 0, &["Server Version: v1.36"]),
    // Typed clients send protobuf.
    Step("create namespace n", "", 0, &["namespace/n created"]),
    Step("create namespace n", "", 1, &["namespaces \"n\" already exists"]),
    Step("create secret generic s --from-literal=p=q", "", 0, &["secret/s created"]),
    Step("create serviceaccount robot", "", 0, &["serviceaccount/robot created"]),
    Step("create role r --verb=get --resource=configmaps", "", 0, &["role.rbac.authorization.k8s.io/r created"]),
    Step("create rolebinding b --role=r --serviceaccount=n:robot", "", 0, &["rolebinding.rbac.authorization.k8s.io/b created"]),
    Step("create quota q --hard=count/secrets=1,configmaps=10", "", 0, &["resourcequota/q created"]),
    Step("wait quota/q --for=jsonpath='{.status.used.count/secrets}'=1 --timeout=10s", "", 0, &["condition met"]),
    Step(
        "create secret generic second",
        "",
        1,
        &["exceeded quota: q, requested: count/secrets=1, used: count/secrets=1, limited: count/secrets=1"],
    ),
    Step("describe quota q", "", 0, &["count/secrets  1     1"]),
    Step("create token robot --duration=10m | cut -d. -f1", "", 0, &["eyJ"]),
    Step("create token robot --duration=1m", "", 1, &["may not specify a duration less than 10 minutes"]),
    Step("get rolebinding b -o wide", "", 0, &["NAME", "ROLE", "AGE", "SERVICEACCOUNTS", "Role/r", "n/robot"]),
    // Apply, both ways.
    Step("apply -f -", ONE, 0, &["configmap/one created"]),
    Step("apply -f -", ONE, 0, &["configmap/one unchanged"]),
    Step("diff -f -", OTHER, 1, &["-  a: \"1\"", "+  a: \"9\""]),
    Step("apply -f - --dry-run=server", OTHER, 0, &["configmap/one configured (server dry run)"]),
    Step("apply --server-side -f -", OTHER, 1, &["conflict with \"kubectl-client-side-apply\" using v1: .data.a"]),
    Step("apply --server-side --force-conflicts -f -", OTHER, 0, &["configmap/one serverside-applied"]),
    Step(
        "create -f -",
        r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "odd"}, "dataa": {}}"#,
        1,
        &["unknown field \"dataa\""],
    ),
    // Output.
    Step("get configmap one -o jsonpath='{.data.a}'", "", 0, &["9"]),
    Step("get configmap one -o custom-columns=N:.metadata.name,A:.data.a", "", 0, &["N     A", "one   9"]),
    Step("get configmap one -o yaml", "", 0, &["kind: ConfigMap", "a: \"9\""]),
    Step("get configmap,secret -o name --chunk-size=1", "", 0, &["configmap/one", "secret/s"]),
    Step("get configmap absent", "", 1, &["Error from server (NotFound): configmaps \"absent\" not found"]),
    Step("describe configmap one", "", 0, &["Name:         one", "Data"]),
    Step("describe secret s", "", 0, &["p:  1 bytes"]),
    Step("describe role r", "", 0, &["configmaps  []                 []              [get]"]),
    Step("get --raw /version", "", 0, &["\"gitVersion\""]),
    Step("explain configmap.data", "", 0, &["KIND:       ConfigMap", "FIELD: data <map[string]string>"]),
    Step("explain configmap --recursive", "", 0, &["ownerReferences\t<[]Object>", "blockOwnerDeletion\t<boolean>"]),
    Step("api-versions", "", 0, &["rbac.authorization.k8s.io/v1"]),
    Step("api-resources --api-group=rbac.authorization.k8s.io", "", 0, &["clusterroles"]),
    // Changes.
    Step("patch configmap one -p '{\"data\":{\"s\":\"1\"}}'", "", 0, &["configmap/one patched"]),
    Step("patch configmap one --type=merge -p '{\"data\":{\"s\":null}}'", "", 0, &["configmap/one patched"]),
    Step("patch configmap one --type=json -p '[{\"op\":\"add\",\"path\":\"/data/j\",\"value\":\"1\"}]'", "", 0, &["configmap/one patched"]),
    Step("patch configmap one --type=json -p '[{\"op\":\"remove\",\"path\":\"/none\"}]'", "", 1, &["the server rejected our request"]),
    Step("label configmap one l=1", "", 0, &["configmap/one labeled"]),
    Step("annotate configmap one l=1", "", 0, &["configmap/one annotated"]),
    Step("get configmap -l l=1 -o name", "", 0, &["configmap/one"]),
    Step("edit configmap one", "", 0, &["configmap/one edited"]),
    Step("get configmap one -o jsonpath='{.data.edited}'", "", 0, &["1"]),
    Step("wait configmap/one --for=jsonpath='{.data.edited}'=1 --timeout=5s", "", 0, &["condition met"]),
    // Rights.
    Step("auth whoami", "", 0, &["Username", "admin"]),
    Step("auth can-i create configmaps", "", 0, &["yes"]),
    Step("auth can-i --list", "", 0, &["Resources", "*.*"]),
    Step("get configmaps --as=alice", "", 1, &["User \"alice\" cannot list resource \"configmaps\""]),
    Step("events", "", 0, &["No events found in n namespace."]),
    // Deletion.
    Step("delete configmap one --cascade=foreground --timeout=20s", "", 0, &["configmap \"one\" deleted"]),
    Step("wait configmap/one --for=delete --timeout=5s", "", 0, &[]),
    Step("delete secret s --cascade=orphan --timeout=20s", "", 0, &["secret \"s\" deleted"]),
    Step("apply -k .", "", 0, &["configmap/made-of-files", "created"]),
    Step("delete -k .", "", 0, &["deleted"]),
    Step("delete namespace default", "", 1, &["this namespace may not be deleted"]),
    Step("delete namespace n --timeout=20s", "", 0, &["namespace \"n\" deleted"]),
];

/// What only a cluster with workloads has.
const WORKLOADS: &[Step] = &[
    Step("create namespace n", "", 0, &["created"]),
    Step("create deployment web --image=nginx --replicas=2", "", 0, &["deployment.apps/web created"]),
    Step("scale deployment web --replicas=3", "", 0, &["deployment.apps/web scaled"]),
    Step("get deployment web -o wide", "", 0, &["READY", "CONTAINERS", "IMAGES", "SELECTOR", "0/3", "app=web"]),
    Step("set image deployment/web nginx=nginx:2", "", 0, &["image updated"]),
    Step("rollout restart deployment web", "", 0, &["restarted"]),
    Step("expose deployment web --port=80", "", 0, &["service/web exposed"]),
    Step("create job j --image=busybox", "", 0, &["job.batch/j created"]),
    Step("create cronjob c --image=busybox --schedule='* * * * *'", "", 0, &["cronjob.batch/c created"]),
    Step("create ingress i --rule='a.b/*=web:80'", "", 0, &["ingress.networking.k8s.io/i created"]),
    Step("create pdb p --selector=app=web --min-available=1", "", 0, &["poddisruptionbudget.policy/p created"]),
    // It falls back to an older version in silence: with -v it says why.
    Step("autoscale deployment web --max=3 -v=1", "", 0, &["autoscaled"]),
    Step("get service,ingress,pdb,hpa,cronjob", "", 0, &["EXTERNAL-IP", "HOSTS", "a.b", "MIN AVAILABLE", "Deployment/web", "SCHEDULE"]),
    Step("run single --image=nginx", "", 0, &["pod/single created"]),
    Step("get pod single", "", 0, &["READY   STATUS    RESTARTS   AGE", "0/1     Pending   0"]),
    Step("describe deployment web", "", 0, &["Replicas:", "nginx:2"]),
    Step("cluster-info", "", 0, &["control plane", "is running at"]),
];

/// kubectl, as the build tool names it, or from the path.
#[expect(clippy::disallowed_methods, reason = "a test finds its tools by the environment")]
fn kubectl() -> Option<PathBuf> {
    let named = std::env::var_os("OPM_KUBECTL").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = named.or_else(|| std::env::split_paths(&path).map(|folder| folder.join("kubectl")).find(|file| file.is_file()));
    if found.is_none() {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "kubectl not found: set OPM_KUBECTL");
        println!("skipped: kubectl not found");
    }
    found
}

/// Files of a session: kubeconfig with the contexts `cluster` and `team`, an editor, a kustomization.
fn prepare(folder: &Path, address: SocketAddr, authority: &str) {
    std::fs::write(folder.join("ca.crt"), authority).unwrap();
    let cluster = |path: &str| json!({"server": format!("https://{address}{path}"), "certificate-authority": "ca.crt"});
    let context = |name: &str| json!({"name": name, "context": {"cluster": name, "user": "admin", "namespace": "n"}});
    let file = json!({
        "apiVersion": "v1", "kind": "Config",
        "clusters": [{"name": "cluster", "cluster": cluster("")}, {"name": "team", "cluster": cluster("/clusters/root:team")}],
        "contexts": [context("cluster"), context("team")],
        "users": [{"name": "admin", "user": {"token": "admin"}}],
    });
    std::fs::write(folder.join("config"), file.to_string()).unwrap();
    let generator = json!([{"name": "made-of-files", "literals": ["a=1"]}]);
    std::fs::write(folder.join("kustomization.yaml"), json!({"configMapGenerator": generator}).to_string()).unwrap();
}

fn run(kubectl: &Path, folder: &Path, context: &str, Step(words, input, code, shows): &Step) {
    let mut shell = Command::new("sh");
    let shell = shell.arg("-c").arg(format!("\"$KUBECTL\" --kubeconfig=config --cache-dir=cache --context={context} {words}"));
    let shell = shell.env("KUBECTL", kubectl).env("EDITOR", "sed -i 's/^data:/data:\\n  edited: \"1\"/'").current_dir(folder);
    let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(*code), "{context}: kubectl {words}: {said}");
    for wanted in *shows {
        assert!(said.contains(wanted), "{context}: kubectl {words}: {wanted:?} is missing in: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_as_with_a_real_server() {
    let Some(kubectl) = kubectl() else { return };
    let server = Server::start();
    server.workspace("root", "team", "universal").await;
    let listener = devplane::tls::listen(SocketAddr::from(([127, 0, 0, 1], 0)), None).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), listener.local_addr().unwrap(), &listener.authority_pem);
    let shutdown = CancellationToken::new();
    let serving = tokio::spawn(listener.serve(server.plane.router(), shutdown.clone()));
    tokio::task::block_in_place(|| {
        for context in ["cluster", "team"] {
            EVERYWHERE.iter().for_each(|step| run(&kubectl, folder.path(), context, step));
        }
        WORKLOADS.iter().for_each(|step| run(&kubectl, folder.path(), "cluster", step));
    });
    shutdown.cancel();
    serving.await.unwrap();
}
