//! Every command with every role: never more than the plane grants, exit codes as documented, and nothing is written where it is refused.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use opm::{Called, Cli};
use opm_portal::clock::{Clock as _, System};
use serde_json::json;

use super::{path, random};
use crate::roles::{Role, Roles, SHOP, THERE};

/// Exit codes, as `docs/opm.md` lists them.
const DONE: u8 = 0;
const NO: u8 = 1;
const USAGE: u8 = 2;
const DENIED: u8 = 4;
const NOT_FOUND: u8 = 5;
const CONFLICT: u8 = 6;
const TIMED_OUT: u8 = 7;

/// What a command needs, and how it ends for those who have it.
enum Needs {
    /// Nothing: it doesn't call the portal.
    Nothing,
    /// A token; it shows what the person can enter, or what waits for the person.
    Token(u8),
    /// To enter the workspace. The codes are those of a viewer and of an editor.
    Workspace(u8, u8),
}

/// Every command, with what it is tried with.
fn commands(files: &Path) -> Vec<(&'static str, String, Needs)> {
    let (promise, request) = (files.join("promise.yaml"), files.join("request.yaml"));
    let (promise, request) = (path(&promise), path(&request));
    vec![
        ("promise list", String::new(), Needs::Workspace(DONE, DONE)),
        ("promise describe", "redis".to_owned(), Needs::Workspace(DONE, DONE)),
        ("promise request", "redis --size small --name forged".to_owned(), Needs::Workspace(DENIED, DONE)),
        ("promise init", "forged --file -".to_owned(), Needs::Nothing),
        ("promise lint", promise.to_owned(), Needs::Nothing),
        ("promise render", format!("{promise} --size small"), Needs::Nothing),
        ("promise publish", promise.to_owned(), Needs::Workspace(DENIED, DENIED)),
        // It is published in another workspace.
        ("promise fleet", "redis".to_owned(), Needs::Workspace(NOT_FOUND, NOT_FOUND)),
        ("promise rollouts", "redis forged --stop".to_owned(), Needs::Workspace(NOT_FOUND, NOT_FOUND)),
        ("request list", String::new(), Needs::Workspace(DONE, DONE)),
        ("request get", THERE.to_owned(), Needs::Workspace(DONE, DONE)),
        // Without a controller, nothing becomes of it.
        ("request watch", format!("{THERE} --timeout 1s"), Needs::Workspace(TIMED_OUT, TIMED_OUT)),
        ("request diff", format!("{THERE} --size medium"), Needs::Workspace(NO, NO)),
        ("request edit", format!("{THERE} --size medium"), Needs::Workspace(DENIED, DONE)),
        ("request upgrade", format!("{THERE} --to 1.0.3"), Needs::Workspace(DENIED, DONE)),
        ("request releases", THERE.to_owned(), Needs::Workspace(DONE, DONE)),
        ("request rollback", format!("{THERE} --to none"), Needs::Workspace(USAGE, USAGE)),
        // Nothing failed.
        ("request retry", THERE.to_owned(), Needs::Workspace(DENIED, CONFLICT)),
        // Nothing is running.
        ("request cancel", THERE.to_owned(), Needs::Workspace(DENIED, CONFLICT)),
        // Nothing has steps yet.
        ("request skip", format!("{THERE} ticket --comment forged"), Needs::Workspace(NOT_FOUND, NOT_FOUND)),
        // Without a controller, nothing runs on which an action could.
        ("request action", THERE.to_owned(), Needs::Workspace(DONE, DONE)),
        ("request runs", format!("{THERE} {THERE} --cancel"), Needs::Workspace(DENIED, DONE)),
        // Nothing was created yet.
        ("request events", THERE.to_owned(), Needs::Workspace(DONE, DONE)),
        ("request logs", THERE.to_owned(), Needs::Workspace(DONE, DONE)),
        ("request delete", format!("{THERE} --yes"), Needs::Workspace(DENIED, DONE)),
        ("request approve", THERE.to_owned(), Needs::Token(NOT_FOUND)),
        ("request reject", format!("{THERE} --reason forged"), Needs::Token(NOT_FOUND)),
        ("workspace list", String::new(), Needs::Token(DONE)),
        ("workspace use", SHOP.to_owned(), Needs::Workspace(DONE, DONE)),
        ("cost", String::new(), Needs::Workspace(DONE, DONE)),
        // No version of the promise is published yet, so it isn't known whether it would be accepted.
        ("preflight", format!("-f {request}"), Needs::Workspace(NO, NO)),
        ("login", String::new(), Needs::Token(DONE)),
        ("logout", String::new(), Needs::Nothing),
        ("completion", "bash".to_owned(), Needs::Nothing),
        ("man", String::new(), Needs::Nothing),
    ]
}

/// The code with which a command has to end.
fn expected(needs: &Needs, role: Role) -> u8 {
    match needs {
        Needs::Nothing => DONE,
        _ if !role.is_known() => DENIED,
        Needs::Token(code) => *code,
        Needs::Workspace(..) if !role.is_inside() => NOT_FOUND,
        Needs::Workspace(viewer, editor) => {
            if role == Role::Viewer {
                *viewer
            } else {
                *editor
            }
        }
    }
}

/// The paths of all commands that do something.
fn leaves(command: &clap::Command, at: &str, found: &mut BTreeSet<String>) {
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        let name = format!("{at} {}", below.get_name()).trim_start().to_owned();
        match below.get_subcommands().next() {
            Some(_) => leaves(below, &name, found),
            None => drop(found.insert(name)),
        }
    }
}

/// A kubeconfig of a role, with the shop as its workspace.
fn kubeconfig(folder: &Path, role: Role, token: Option<&str>) -> PathBuf {
    let user = token.map_or_else(|| json!({}), |token| json!({"token": token}));
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "here",
        "clusters": [{"name": "here", "cluster": {"server": format!("https://127.0.0.1:1/clusters/{SHOP}")}}],
        "users": [{"name": "me", "user": user}], "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
    });
    let file = folder.join(format!("{role:?}.json"));
    std::fs::write(&file, config.to_string()).expect("written");
    file
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_command_does_for_every_role_what_the_plane_grants_and_no_more() {
    let here = Roles::open().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let router = here.product.router.clone();
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    let folder = tempfile::tempdir().expect("a folder");
    let starter = run(folder.path(), "opm promise init forged --file -").await;
    std::fs::write(folder.path().join("promise.yaml"), starter.1).expect("written");
    let request = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "forged"},
        "spec": {"promise": {"name": "redis"}, "parameters": {"size": "small"}},
    });
    std::fs::write(folder.path().join("request.yaml"), request.to_string()).expect("written");

    let mut commands = commands(folder.path());
    let mut known = BTreeSet::new();
    leaves(&opm::command(Called::Opm), "", &mut known);
    let tried: BTreeSet<String> = commands.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(known, tried, "every command has a line here");
    // What is deleted can't be read afterwards.
    commands.sort_by_key(|(name, ..)| *name == "request delete");

    let before = here.written().await;
    for role in Role::ALL {
        let token = here.token(role);
        let kubeconfig = kubeconfig(folder.path(), role, token.as_deref());
        // Every message can contain the word of which the unknown token consists.
        let secret = token.filter(|_| role != Role::Unknown);
        let config = folder.path().join(format!("{role:?}"));
        for (name, rest, needs) in &commands {
            let line = format!("opm --portal {address} --kubeconfig {} --config-dir {} {name} {rest}", path(&kubeconfig), path(&config));
            let (code, text) = run(folder.path(), &line).await;
            assert_eq!(code, expected(needs, role), "{role:?}: opm {name} {rest}: {text}");
            // Lines that name the request or the workspace repeat what was typed, the title of the promise was not.
            let is_told = text.contains("Redis") || (rest.is_empty() && text.contains(THERE));
            assert!(role.is_inside() || matches!(needs, Needs::Nothing) || !is_told, "{role:?}: opm {name} {rest}: {text}");
            assert!(secret.as_ref().is_none_or(|secret| !text.contains(secret)), "opm {name} prints the token");
        }
        let stored = std::fs::read_to_string(config.join("credentials.json")).unwrap_or_default();
        assert!(secret.is_none_or(|secret| !stored.contains(&secret)), "the token of a kubeconfig isn't stored");
        if role != Role::Editor {
            assert_eq!(here.written().await, before, "{role:?} wrote something");
        }
    }
    // Only because an editor's commands write do the refusals mean anything.
    assert_ne!(here.written().await.0, before.0);
    serving.abort();
    here.product.running.close().await;
}

/// Runs a command; returns its exit code, and everything that it says.
async fn run(folder: &Path, line: &str) -> (u8, String) {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let config = folder.join("settings");
    if !words.contains(&"--config-dir") {
        words.splice(1..1, ["--config-dir", path(&config)]);
    }
    let cli = Cli::parse_words(words).unwrap_or_else(|error| panic!("{line}: {error}"));
    match opm::say(&cli, || System.now(), random).await {
        Ok(said) => (u8::from(!said.yes), said.text + &said.notes),
        Err(error) => (error.code(), error.to_string()),
    }
}
