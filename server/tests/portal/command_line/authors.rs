//! `opm promise publish`: with the author's permissions alone, and as the control plane sees it. And who one is: by a credential plugin.

use std::path::Path;

use serde_json::json;

use super::{Served, path, say};
use crate::programs::token;

/// Writes a promise to start from, in a version.
async fn write(served: &Served, version: &str) -> String {
    let file = served.folder.path().join("cache.yaml");
    let said = say("opm promise init cache --file -", served.folder.path()).await.expect("a promise");
    let text = said.text.replace("version: 0.1.0", &format!("version: {version}")).replace("lifecycle: draft", "lifecycle: published");
    std::fs::write(&file, text).expect("written");
    path(&file).to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn authors_publish_with_their_own_permissions() {
    let served = Served::open().await;
    let (engineer, platform) = ("platform-engineer", "root:platform");
    let file = write(&served, "0.1.0").await;
    let line = format!("opm promise publish {file}");

    // What would be written is shown, and isn't written.
    let said = served.run(engineer, platform, &format!("{line} --dry-run")).await;
    assert!(said.yes && said.text.contains("+version: \"0.1.0\"") && said.notes.contains("Nothing was written"), "{said:?}");
    assert_eq!(served.refused(engineer, platform, "opm promise describe cache").await.0, 5);

    let said = served.run(engineer, platform, &format!("{line} --wait")).await;
    assert!(said.yes && said.text.starts_with("Promise cache 0.1.0 created in root:platform.\nPublished: "), "{said:?}");
    served.until(engineer, platform, "opm promise list -o name", |said| said.text.contains("cache\n")).await;
    let said = served.run(engineer, platform, &format!("{line} --wait")).await;
    assert!(said.yes && said.text.contains("is unchanged"), "{said:?}");
    let said = served.run(engineer, platform, &format!("{line} --dry-run")).await;
    assert!(said.yes && said.text.is_empty(), "nothing would change: {said:?}");

    // A change of what a version creates needs a new version: the control plane says so, and the exit code.
    let text = std::fs::read_to_string(&file).expect("read").replace("default: Hello", "default: Welcome");
    std::fs::write(&file, text).expect("written");
    let said = served.run(engineer, platform, &format!("{line} --wait")).await;
    assert!(!said.yes && said.text.contains("Not published: "), "{said:?}");
    let file = write(&served, "0.2.0").await;
    let said = served.run(engineer, platform, &format!("opm promise publish {file} --wait")).await;
    assert!(said.yes && said.text.contains("cache 0.2.0 changed"), "{said:?}");

    // Who can't write promises somewhere doesn't, whether they can look or not.
    for (person, workspace, expected) in [("approver", "root:acme", 4), ("dev-shop", "root:acme:shop", 4), ("dev-data", "root:platform", 5)]
    {
        let (code, text) = served.refused(person, workspace, &line).await;
        assert_eq!(code, expected, "{person}: {text}");
    }
    // What isn't valid isn't sent.
    std::fs::write(served.folder.path().join("cache.yaml"), "kind: Promise\n").expect("written");
    assert_eq!(served.refused(engineer, platform, &line).await.0, 1);
    served.close().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_credential_plugin_of_the_kubeconfig_says_who_one_is() {
    use std::os::unix::fs::PermissionsExt as _;

    let served = Served::open().await;
    let folder = served.folder.path();
    let (plugin, calls) = (folder.join("plugin"), folder.join("calls"));
    // As plugins do, it answers with a token and takes its instructions from its arguments and environment.
    let script = "#!/bin/sh\necho \"$1 $FOR\" >> \"$CALLS\"\n\
        [ \"$1\" = get-token ] || { echo 'sign in first' >&2; exit 1; }\n\
        printf '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"%s\"}}' \"$TOKEN\"\n";
    std::fs::write(&plugin, script).expect("written");
    std::fs::set_permissions(&plugin, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let secret = token(&served.product, "dev-shop");
    let file = |name: &str, argument: &str| {
        let env = [("TOKEN", secret.as_str()), ("FOR", "opm"), ("CALLS", path(&calls))]
            .map(|(name, value)| json!({"name": name, "value": value}));
        let exec = json!({
            "apiVersion": "client.authentication.k8s.io/v1", "command": path(&plugin), "args": [argument], "env": env,
            "interactiveMode": "Never",
        });
        let config = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "here",
            "clusters": [{"name": "here", "cluster": {"server": "https://127.0.0.1:1/clusters/root:acme:shop"}}],
            "users": [{"name": "me", "user": {"exec": exec}}],
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
        });
        let file = folder.join(name);
        std::fs::write(&file, config.to_string()).expect("written");
        file
    };
    let run = async |line: &str, kubeconfig: &Path| {
        let line = format!("{line} --portal {} --kubeconfig {}", served.address, path(kubeconfig));
        say(&line, &folder.join("settings")).await
    };
    let kubeconfig = file("exec.json", "get-token");
    let said = run("opm login", &kubeconfig).await.expect("signed in");
    assert!(said.text.ends_with("Commands use root:acme:shop.\n"), "{}", said.text);
    assert!(run("opm promise list -o name", &kubeconfig).await.expect("a list").text.contains("redis"));
    let called = std::fs::read_to_string(&calls).expect("it was called");
    assert!(called.lines().count() >= 2 && called.lines().all(|line| line == "get-token opm"), "{called}");
    for stored in ["settings.json", "credentials.json"] {
        let text = std::fs::read_to_string(folder.join("settings").join(stored)).unwrap_or_default();
        assert!(!text.contains(&secret), "{stored} has the token of the plugin");
    }
    // A plugin that fails is no sign-in, and the reason is the plugin's.
    let error = run("opm promise list", &file("refusing.json", "refuse")).await.expect_err("refused");
    assert_eq!((error.code(), &*error.to_string()), (4, "the kubeconfig gives no token: its plugin says: sign in first"));
    assert!(!error.to_string().contains(&secret), "{error}");
    served.close().await;
}
