//! What an operator's commands say where something is not as `serve` needs it: exit code 1, what it is, and the command that fixes it.

use std::path::PathBuf;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use testplane::{Person, Server};

use crate::walkthroughs::program;

const PEOPLE: &[Person] = &[Person { name: "admin", groups: &["system:masters", "system:kcp:admin"] }];

/// A kcp and a folder with kubeconfigs of it.
struct Desk {
    server: Server,
    folder: tempfile::TempDir,
}

impl Desk {
    async fn open() -> Self {
        let server = testplane::embedded(&program(), PEOPLE).await;
        let desk = Self { server, folder: tempfile::tempdir().expect("a folder") };
        desk.kubeconfig("kcp.yaml", &[]);
        desk
    }

    /// Writes a kubeconfig with the context `kcp` of the administrator and these further contexts.
    fn kubeconfig(&self, name: &str, others: &[(&str, Value)]) -> PathBuf {
        let own = ("kcp", json!({"token": Server::token("admin")}));
        let all: Vec<&(&str, Value)> = std::iter::once(&own).chain(others).collect();
        let users: Vec<Value> = all.iter().map(|(name, user)| json!({"name": name, "user": user})).collect();
        let contexts: Vec<Value> = all.iter().map(|(name, _)| json!({"name": name, "context": {"cluster": "kcp", "user": name}})).collect();
        self.write(name, "/clusters/root", users, contexts)
    }

    fn write(&self, name: &str, path: &str, users: Vec<Value>, contexts: Vec<Value>) -> PathBuf {
        let file = self.folder.path().join(name);
        let content = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "kcp", "users": users, "contexts": contexts,
            "clusters": [{"name": "kcp", "cluster": {
                "server": format!("{}{path}", self.server.address()),
                "certificate-authority-data": STANDARD.encode(self.server.certificate()),
            }}],
        });
        std::fs::write(&file, content.to_string()).expect("written");
        file
    }

    /// Exit code and output of a command in the folder; the words are parted by blanks.
    fn run(&self, words: &str) -> (Option<i32>, String) {
        let mut command = Command::new(program());
        command.args(words.split_whitespace()).current_dir(self.folder.path()).env_remove("KUBECONFIG");
        let output = command.output().expect("the program runs");
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (output.status.code(), said)
    }

    /// A command that fails, and says all of this.
    fn fails(&self, words: &str, says: &[&str]) {
        let (code, said) = self.run(words);
        assert_eq!(code, Some(1), "{words}: {said}");
        for text in says {
            assert!(said.contains(text), "{words} does not say {text:?}: {said}");
        }
    }

    fn works(&self, words: &str) -> String {
        let (code, said) = self.run(words);
        assert_eq!(code, Some(0), "{words}: {said}");
        said
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_identity_that_serve_cannot_use_is_named_by_doctor_and_by_bootstrap() {
    let desk = Desk::open().await;
    desk.works("bootstrap --kubeconfig kcp.yaml --context kcp");
    desk.works("doctor --kubeconfig kcp.yaml --context kcp");
    for (user, says) in [
        (json!({"token": Server::token("admin")}), "The context opm-portal belongs to the user admin"),
        (json!({"token": "garbage"}), "The server doesn't accept the token of opm-portal."),
        (json!({"client-certificate-data": "QQ==", "client-key-data": "QQ=="}), "serve has no token for opm-portal"),
    ] {
        desk.kubeconfig("wrong.yaml", &[("opm-portal", user)]);
        for command in ["doctor", "bootstrap"] {
            desk.fails(&format!("{command} --kubeconfig wrong.yaml --context kcp"), &[says, "to fix it: ", "the context opm-portal"]);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_that_serve_proposes_has_all_options_that_were_given() {
    let desk = Desk::open().await;
    desk.fails(
        "serve --plane kubeconfig --sign-in token --kubeconfig kcp.yaml --context kcp --trusted-home root:homes --ephemeral --port 0",
        &["Run `opm-portal doctor --kubeconfig kcp.yaml --context kcp --trusted-home root:homes`"],
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bind_names_each_workspace_above_that_hides_its_policies() {
    let desk = Desk::open().await;
    // Nothing is installed, so there is nothing to bind.
    desk.fails(
        "bind root:platform --kubeconfig kcp.yaml --context kcp",
        &["There is no workspace root:opm that you can access.\n  to fix it: opm-portal bootstrap --kubeconfig kcp.yaml --context kcp"],
    );
    desk.works("bootstrap --kubeconfig kcp.yaml --context kcp --trusted-home root:homes:one");
    desk.works("bind root:homes:one --kubeconfig kcp.yaml --context kcp");
    let own = cluster::endpoint::Own::open(Some(&desk.folder.path().join("kcp.yaml")), None).await.expect("a kubeconfig");
    let topology = cluster::Topology::Workspaces { provider: "root:opm".parse().expect("a path") };
    for above in ["root:homes", "root"] {
        unbind(&own.client_at(&topology, &cluster::Scope::Workspace(above.parse().expect("a path")))).await;
    }
    desk.fails(
        "bind root:homes:one --kubeconfig kcp.yaml --context kcp",
        &[
            "root doesn't bind requests.platform.opmodel.dev.",
            "\n  to fix it: opm-portal bind root --kubeconfig kcp.yaml --context kcp\n",
            "root:homes doesn't bind requests.platform.opmodel.dev and doesn't bind catalog.platform.opmodel.dev.",
            "to fix it: opm-portal bind root:homes --catalog --kubeconfig kcp.yaml --context kcp",
        ],
    );
    desk.works("bind root --kubeconfig kcp.yaml --context kcp");
    desk.works("bind root:homes --catalog --kubeconfig kcp.yaml --context kcp");
    desk.works("bind root:homes:one --kubeconfig kcp.yaml --context kcp");
}

/// Removes every binding of our exports from a workspace.
async fn unbind(client: &kube::Client) {
    let kind = kube::core::GroupVersionKind::gvk("apis.kcp.io", "v1alpha2", "APIBinding");
    let api: kube::Api<kube::api::DynamicObject> = kube::Api::all_with(client.clone(), &kube::core::ApiResource::from_gvk(&kind));
    for binding in api.list(&kube::api::ListParams::default()).await.expect("a list").items {
        let name = binding.metadata.name.expect("a name");
        let export = binding.data["spec"]["reference"]["export"]["name"].as_str().unwrap_or_default();
        if export.ends_with("platform.opmodel.dev") {
            api.delete(&name, &kube::api::DeleteParams::default()).await.expect("deleted");
            let gone =
                kube::runtime::wait::await_condition(api.clone(), &name, |object: Option<&kube::api::DynamicObject>| object.is_none());
            gone.await.expect("gone");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_destination_is_added_only_with_a_credential_that_works_and_tells_how_to_look_at_it() {
    let desk = Desk::open().await;
    desk.works("bootstrap --kubeconfig kcp.yaml --context kcp --trusted-home root:homes");
    let context = || vec![json!({"name": "kcp", "context": {"cluster": "kcp", "user": "kcp"}})];
    let user = |user: Value| vec![json!({"name": "kcp", "user": user})];
    desk.write("good.yaml", "", user(json!({"token": Server::token("admin")})), context());
    desk.write("stale.yaml", "", user(json!({"token": "garbage"})), context());
    desk.write("file.yaml", "", user(json!({"tokenFile": "token.txt"})), context());
    let add = |file: &str, kind: &str| {
        format!(
            "destination add eu-1 --kubeconfig {file} --portal-kubeconfig kcp.yaml --context kcp --home root:homes --allow-workspace root:** \
             --allow-kind {kind}"
        )
    };
    desk.fails(&add("absent.yaml", "ConfigMap"), &["absent.yaml cannot be read"]);
    desk.fails(&add("file.yaml", "ConfigMap"), &["file.yaml can't be used", "a token file"]);
    desk.fails(&add("stale.yaml", "ConfigMap"), &["can't access the server of stale.yaml with its credential"]);
    desk.fails(&add("good.yaml", "configmaps"), &["--allow-kind configmaps", "enter a kind as KIND"]);
    let said = desk.works(&add("good.yaml", "ConfigMap"));
    let look = format!(
        "kubectl --kubeconfig kcp.yaml --context kcp --server {}/clusters/root:homes get destinations.platform.opmodel.dev eu-1 -o yaml",
        desk.server.address()
    );
    assert!(said.contains(&look), "{said}");
}
