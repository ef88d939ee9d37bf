//! The Helm chart: what it renders for the values in `deploy/chart/ci`, what it refuses, and what a real API server makes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use clap::Parser as _;
use cluster::Topology;
use cluster::install::{Identities, Impersonation};
use cluster::kinds::PromiseRequest;
use http::StatusCode;
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::api::{Api, PostParams};
use kube::runtime::wait::await_condition;
use opm_portal::config::{Cli, Command as Does, Config};
use opm_portal::install;
use opm_portal::router::router;
use opm_portal::serve::{Edges, Running};
use promise::api::Phase;
use serde_json::{Value, json};

use crate::browser::{Product, fill};
use crate::kubernetes::{Site, doctor_args, signed_in};

const NAMESPACE: &str = "opm-system";
/// The oldest version that the portal supports.
const KUBERNETES: &str = "1.36.0";
/// Everything that the chart can create; a set of values that brings nothing new is superfluous, and a kind in no set is untested.
const KINDS: [&str; 19] = [
    "ClusterRole",
    "ClusterRoleBinding",
    "ConfigMap",
    "CustomResourceDefinition",
    "Deployment",
    "HTTPRoute",
    "Ingress",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "NetworkPolicy",
    "PersistentVolumeClaim",
    "PodDisruptionBudget",
    "Role",
    "RoleBinding",
    "Service",
    "ServiceAccount",
    "ServiceMonitor",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
];
/// How long the API server and the controller can take.
const PATIENCE: Duration = Duration::from_secs(60);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/chart")
}

/// The sets of values, by name.
fn sets() -> BTreeMap<String, PathBuf> {
    let files = std::fs::read_dir(folder().join("ci")).expect("sets of values");
    let named = |path: PathBuf| Some((path.file_name()?.to_str()?.strip_suffix("-values.yaml")?.to_owned(), path));
    files.filter_map(|entry| named(entry.expect("an entry").path())).collect()
}

/// Helm, without the configuration of whoever runs the tests.
struct Helm {
    program: PathBuf,
    home: tempfile::TempDir,
}

impl Helm {
    fn find() -> Option<Self> {
        Some(Self { program: testplane::helm()?, home: tempfile::tempdir().expect("a folder") })
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(&self.program);
        command.args(arguments).arg("--kube-version").arg(KUBERNETES).env_clear().env("HOME", self.home.path());
        command.output().expect("helm runs")
    }

    /// Renders the chart, or returns what helm says instead.
    fn render(&self, release: &str, namespace: &str, arguments: &[&str]) -> Result<Vec<Value>, String> {
        let chart = folder();
        let fixed = ["template", release, chart.to_str().expect("a path"), "--namespace", namespace];
        let output = self.run(&[&fixed, arguments].concat());
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let text = String::from_utf8(output.stdout).expect("text");
        let documents: Vec<Value> = serde_saphyr::from_multiple(&text).expect("YAML");
        Ok(documents.into_iter().filter(|document| !document.is_null()).collect())
    }

    /// Renders one of the sets, with its name as that of the release, so that several can be on one server.
    fn set(&self, name: &str, values: &Path) -> Vec<Value> {
        let values = values.to_str().expect("a path");
        self.render(name, NAMESPACE, &["--values", values]).unwrap_or_else(|why| panic!("{name}: {why}"))
    }
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn of_kind<'a>(objects: &'a [Value], kind: &str) -> Vec<&'a Value> {
    objects.iter().filter(|object| object["kind"] == kind).collect()
}

/// The arguments of the Deployment of a component.
fn arguments(objects: &[Value], component: &str) -> Vec<String> {
    let deployments = of_kind(objects, "Deployment");
    let is_it = |object: &&&Value| text(object, "/metadata/labels/app.kubernetes.io~1component") == component;
    let found = deployments.iter().find(is_it).expect("a Deployment");
    let arguments = found.pointer("/spec/template/spec/containers/0/args").and_then(Value::as_array).expect("arguments");
    arguments.iter().map(|argument| argument.as_str().expect("text").to_owned()).collect()
}

/// Reads arguments as the portal does.
fn config(arguments: &[String]) -> Config {
    // These files only exist in a pod.
    let taken = arguments.iter().filter(|argument| {
        !["--smtp-url-file", "--mail-from", "--notifications", "--oidc-client-secret-file"].iter().any(|name| argument.starts_with(name))
    });
    let line = std::iter::once("opm-portal".to_owned()).chain(taken.cloned());
    let Does::Serve(serve) = Cli::try_parse_from(line).unwrap_or_else(|why| panic!("{why}")).command else { panic!("serve") };
    serve.into_config().unwrap_or_else(|why| panic!("{why}: {arguments:?}")).0
}

#[test]
fn every_set_of_values_passes_lint_and_renders_what_the_portal_accepts() {
    let Some(helm) = Helm::find() else { return };
    let sets = sets();
    assert_eq!(sets.len(), 5);
    let mut kinds = BTreeSet::new();
    for (name, values) in &sets {
        let (chart, file) = (folder(), values.to_str().expect("a path"));
        let lint = helm.run(&["lint", "--strict", chart.to_str().expect("a path"), "--namespace", NAMESPACE, "--values", file]);
        assert!(lint.status.success(), "{name}: {}{}", String::from_utf8_lossy(&lint.stdout), String::from_utf8_lossy(&lint.stderr));
        let objects = helm.set(name, values);
        kinds.extend(objects.iter().map(|object| text(object, "/kind").to_owned()));
        for object in &objects {
            let namespace = text(object, "/metadata/namespace");
            assert!(["", NAMESPACE, "shop", "checkout"].contains(&namespace), "{name}: {object}");
        }
        let (web, controller) = (config(&arguments(&objects, "portal")), config(&arguments(&objects, "controller")));
        assert!(web.web && !web.controller && controller.controller && !controller.web, "{name}");
        assert!(web.public_url.as_ref().is_some_and(|url| url.secure), "{name}");
        assert_eq!(web.metrics.is_some(), name != "gateway");
        for deployment in of_kind(&objects, "Deployment") {
            restricted(deployment);
        }
    }
    assert_eq!(kinds.iter().map(String::as_str).collect::<Vec<_>>(), KINDS);
}

/// Checks that pods fit the profile `restricted` of the Pod Security Standards, on a read-only file system and without a mounted token
/// that any process could use.
fn restricted(deployment: &Value) {
    let pod = &deployment["spec"]["template"]["spec"];
    assert_eq!(pod["automountServiceAccountToken"], false);
    let of_pod = &pod["securityContext"];
    assert_eq!((&of_pod["runAsNonRoot"], &of_pod["seccompProfile"]["type"]), (&json!(true), &json!("RuntimeDefault")));
    assert!(of_pod["runAsUser"].as_u64().is_some_and(|user| user > 0));
    let containers = pod["containers"].as_array().expect("containers");
    assert_eq!(containers.len(), 1);
    for container in containers {
        let context = &container["securityContext"];
        assert_eq!(*context, json!({"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": {"drop": ["ALL"]}}));
        for probe in ["startupProbe", "livenessProbe", "readinessProbe"] {
            assert!(container[probe]["httpGet"]["path"].is_string(), "{probe}");
        }
        let mounts: BTreeSet<&str> =
            container["volumeMounts"].as_array().expect("mounts").iter().map(|mount| text(mount, "/name")).collect();
        let volumes: BTreeSet<&str> = pod["volumes"].as_array().expect("volumes").iter().map(|volume| text(volume, "/name")).collect();
        assert_eq!(mounts, volumes);
    }
}

#[test]
fn values_that_would_not_work_are_refused_by_name() {
    let Some(helm) = Helm::find() else { return };
    const URL: &str = "publicUrl=https://portal.example.org";
    let refused = |namespace: &str, values: &[&str], says: &str| {
        let settings: Vec<&str> = values.iter().flat_map(|value| ["--set", *value]).collect();
        let why = helm.render("portal", namespace, &settings).expect_err(says);
        assert!(why.contains(says), "{values:?}: {why}");
    };
    refused(NAMESPACE, &[], "publicUrl");
    refused(NAMESPACE, &["publicUrl=http://portal.example.org"], "/publicUrl");
    refused(NAMESPACE, &[URL, "portal.replicas=2"], "/portal/replicas");
    refused(NAMESPACE, &[URL, "database.kind=postgresql", "sessionKey.secret=key"], "/database/postgresql/secret");
    refused(NAMESPACE, &[URL, "database.kind=postgresql", "database.postgresql.secret=url"], "/sessionKey/secret");
    refused(NAMESPACE, &[URL, "plane.kind=kubeconfig"], "/plane/kubeconfig/secret");
    refused(NAMESPACE, &[URL, "httpRoute.enabled=true"], "/httpRoute/parentRefs");
    refused(NAMESPACE, &[URL, "oidc.issuer=https://id.example.org"], "/oidc/clientId");
    refused(NAMESPACE, &[URL, "install.namespaces={kube-system}"], "/install/namespaces");
    refused(NAMESPACE, &[URL, "portal.replica=2"], "replica");
    refused("elsewhere", &[URL], "namespace opm-system");
    let kcp = [URL, "plane.kind=kubeconfig", "plane.kubeconfig.secret=kcp"].iter().flat_map(|value| ["--set", *value]).collect::<Vec<_>>();
    let objects = helm.render("portal", "elsewhere", &kcp).expect("with a kubeconfig, any namespace");
    assert!(of_kind(&objects, "ClusterRole").is_empty(), "another server's permissions aren't this cluster's");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_api_server_accepts_everything_and_a_request_becomes_ready_with_two_processes() {
    let Some((helm, site)) = Helm::find().zip(Site::open().await) else { return };
    for namespace in [NAMESPACE, "checkout"] {
        site.apply(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})).await;
    }
    site.shop().await;
    let foreign = testplane::chart_definitions();
    for definition in foreign.iter().flatten() {
        let text = std::fs::read_to_string(definition).expect("a definition");
        for object in serde_saphyr::from_multiple::<Value>(&text).expect("YAML") {
            site.apply(object).await;
        }
    }
    let mut first = Vec::new();
    for (name, values) in sets() {
        let objects = helm.set(&name, &values);
        for object in &objects {
            let is_foreign = ["HTTPRoute", "ServiceMonitor"].contains(&text(object, "/kind"));
            if foreign.is_some() || !is_foreign {
                site.apply_strictly(object).await;
            }
        }
        if name == "sqlite" {
            first = objects;
        }
    }

    // What the chart installs is what `bootstrap` does.
    let impersonation = Impersonation { groups: vec!["oidc:shop-developers".to_owned()] };
    let rendered = helm.set("oidc", &sets()["oidc"]);
    for wanted in impersonation.objects(&Identities::usual(&Topology::Namespaces)) {
        let is_it = |object: &&Value| object["kind"] == wanted["kind"] && object["metadata"]["name"] == wanted["metadata"]["name"];
        let object = rendered.iter().find(is_it).expect("the chart has it");
        for field in ["rules", "roleRef", "subjects"] {
            assert_eq!(object.get(field), wanted.get(field), "{field} of {wanted:#}");
        }
    }
    let doctor = doctor_args(site.server(), &["oidc:shop-developers"]);
    let said = install::doctor(&doctor).await.unwrap_or_else(|missing| panic!("{missing}"));
    assert!(said.contains("is ready"), "{said}");

    // Each process runs with the token of its own ServiceAccount and no other.
    let (portal, controller) = (Pod::start(&site, &first, "portal").await, Pod::start(&site, &first, "controller").await);
    assert!(portal.running.portal.controller.is_none() && controller.running.portal.controller.is_some());
    site.publish().await;
    let router = router(&portal.running.portal);
    let product = Product { running: portal.running, router };
    product.publishes_samples().await;
    let mut dana = signed_in(&product, "dana").await;
    dana.until("/w/cluster:shop/catalog", |page| page.text.contains("/w/cluster:shop/promises/settings")).await;
    let written = fill(&mut dana, "/w/cluster:shop/promises/settings/request", &[("/name", "mine")], "submit").await;
    assert_eq!(written.status, StatusCode::SEE_OTHER, "{}", written.text);
    let requests: Api<PromiseRequest> = Api::namespaced(site.client(), "shop");
    let ready = |request: Option<&PromiseRequest>| {
        request.and_then(|request| request.status.as_ref()).is_some_and(|status| status.phase == Phase::Ready)
    };
    let waited = tokio::time::timeout(PATIENCE, await_condition(requests, "mine", ready)).await;
    assert!(matches!(waited, Ok(Ok(_))), "never ready");
    product.running.close().await;
    controller.running.close().await;
}

/// A process as its Deployment starts it, with files in another place.
struct Pod {
    running: Running,
    _files: tempfile::TempDir,
}

impl Pod {
    async fn start(site: &Site, objects: &[Value], component: &str) -> Self {
        let files = tempfile::tempdir().expect("a folder");
        let at = |name: &str| files.path().join(name).display().to_string();
        let account = format!("opm-{component}");
        let accounts: Api<ServiceAccount> = Api::namespaced(site.client(), NAMESPACE);
        let wanted = TokenRequest { spec: Some(TokenRequestSpec::default()), ..TokenRequest::default() };
        let issued = accounts.create_token_request(&account, &PostParams::default(), &wanted).await.expect("a token");
        std::fs::write(at("token"), issued.status.and_then(|status| status.token).expect("a token")).expect("written");
        std::fs::write(at("ca.crt"), site.certificate()).expect("written");
        let maps = of_kind(objects, "ConfigMap");
        let map = maps.iter().find(|map| text(map, "/metadata/name").ends_with("-plane")).expect("the kubeconfigs");
        let kubeconfig = text(map, &format!("/data/{component}")).replace("/etc/opm/plane/", &at(""));
        let kubeconfig = kubeconfig.replace("https://kubernetes.default.svc", site.address());
        std::fs::write(at("kubeconfig"), kubeconfig).expect("written");
        let arguments: Vec<String> = arguments(objects, component)
            .into_iter()
            // The test has no TLS proxy in front of it.
            .filter(|argument| !argument.starts_with("--public-url"))
            .map(|argument| argument.replace("/etc/opm/plane/", &at("")).replace("=/data", &format!("={}", at("data"))))
            .map(|argument| argument.replace("--listen=0.0.0.0", "--listen=127.0.0.1"))
            .collect();
        let running = Running::open(&config(&arguments), Edges::default()).await.expect("the process opens");
        Self { running, _files: files }
    }
}
