//! The session of `session.txt`, on the plane and on a real kube-apiserver: what kubectl says must be the same.

use std::{
    net::SocketAddr,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};

use devplane::{Options, Plane, Storage, Token};
use regex::{Captures, Regex};
use serde_json::json;
use testplane::Person;
use tokio_util::sync::CancellationToken;

const SESSION: &str = include_str!("session.txt");
const PEOPLE: &[Person] = &[Person { name: "admin", groups: &["system:masters"] }];

/// A command, and the reason why it may say something else on the plane.
struct Said {
    command: &'static str,
    differs: Option<&'static str>,
}

fn session() -> Vec<Said> {
    let mut session = Vec::new();
    let mut differs = None;
    for line in SESSION.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('~') {
            Some(reason) => differs = Some(reason.trim()),
            None => session.push(Said { command: line, differs: differs.take() }),
        }
    }
    session
}

/// Runs all commands against one server; what each said, normalised.
fn run_all(kubectl: &Path, kubeconfig: &str, commands: &[&'static str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour/kubectl/files"), folder.path());
    std::fs::write(folder.path().join("config"), kubeconfig).unwrap();
    let place = folder.path().display().to_string();
    let normaliser = Normaliser::new(place);
    commands.iter().map(|command| normaliser.text(&run(kubectl, folder.path(), command))).collect()
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            std::fs::create_dir(&target).unwrap();
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

fn run(kubectl: &Path, folder: &Path, command: &str) -> String {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("k() {{ \"$KUBECTL\" --kubeconfig=config --cache-dir=cache -n library \"$@\"; }}\n{command}"));
    shell.env("KUBECTL", kubectl).env("TMPDIR", folder).env("EDITOR", "sed -i 's/^data:/data:\\n  edited: \"1\"/'").current_dir(folder);
    let output = shell.stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    // The causes of a refusal come in no order.
    let (mut causes, said): (Vec<String>, Vec<String>) =
        text(&output.stderr).lines().map(|line| format!("{line}\n")).partition(|line| line.starts_with("* "));
    causes.sort();
    format!("exit {:?}\n{}--- errors\n{}{}", output.status.code(), text(&output.stdout), said.concat(), causes.concat())
}

/// Makes of what differs from run to run what does not.
struct Normaliser {
    folder: String,
    patterns: Vec<(Regex, &'static str)>,
    uid: Regex,
}

impl Normaliser {
    fn new(folder: String) -> Self {
        let patterns = [
            (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( [+-]\d{4} UTC|Z)?", "<time>"),
            (r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "<time>"),
            (r"(https?://)?127\.0\.0\.1:\d+", "<host>"),
            (r#"(resourceVersion"?: ?|Resource Version: +|resourceVersion\\":)\\?"?\d+\\?"?"#, "$1<version>"),
            (r"(?m)^[EWI]\d{4} \S+ +\d+ ", "<log> "),
            (r"(LIVE|MERGED|kubectl-edit)-\d+", "$1-<number>"),
            (r"\b\d+(m\d+)?s\b", "<age>"),
            (r"<invalid>", "<age>"),
            (r" {2,}|\t+", "  "),
            (r"(?m) +$", ""),
            (r"-{4,}", "----"),
            (r"-([bcdfghjklmnpqrstvwxz2456789]{5})\b", "-<generated>"),
        ];
        let patterns = patterns.into_iter().map(|(pattern, with)| (Regex::new(pattern).unwrap(), with)).collect();
        Self { folder, patterns, uid: Regex::new(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").unwrap() }
    }

    fn text(&self, text: &str) -> String {
        let text = text.replace(&self.folder, "<folder>");
        let text = self.uid.replace_all(&text, |_: &Captures<'_>| "<uid>").into_owned();
        self.patterns.iter().fold(text, |text, (pattern, with)| pattern.replace_all(&text, *with).into_owned())
    }
}

/// The lines that one side says and the other does not.
fn differences(real: &str, given: &str) -> String {
    let only = |one: &str, other: &str, mark: char| {
        let lines: Vec<&str> = other.lines().collect();
        one.lines().filter(|line| !lines.contains(line)).map(|line| format!("    {mark} {line}\n")).collect::<String>()
    };
    let found = only(real, given, '-') + &only(given, real, '+');
    if found.is_empty() { "    the same lines in another order or number\n".to_owned() } else { found }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_says_what_it_says_with_a_real_server() {
    let Some(kubectl) = super::kubectl() else { return };
    if !testplane::full() {
        return;
    }
    let Some(server) = testplane::kubernetes(PEOPLE).await else { return };
    let tokens = PEOPLE.iter().map(|person| Token {
        token: testplane::Server::token(person.name),
        username: person.name.into(),
        uid: person.name.into(),
        groups: person.groups.iter().map(|group| (*group).to_owned()).collect(),
    });
    let listener = devplane::tls::listen(SocketAddr::from(([127, 0, 0, 1], 0)), None).await.unwrap();
    let address = format!("https://{}", listener.local_addr().unwrap());
    // A kube-apiserver alone collects no garbage and finishes no namespace.
    let mut options = Options::new(Storage::Memory, tokens.collect(), &address);
    options.controllers = false;
    let plane = Plane::open(options).unwrap();
    let kubeconfig = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "admin",
        "clusters": [{"name": "server", "cluster": {"server": address, "certificate-authority-data": base64::Engine::encode(&base64::prelude::BASE64_STANDARD, &listener.authority_pem)}}],
        "users": [{"name": "admin", "user": {"token": testplane::Server::token("admin")}}],
        "contexts": [{"name": "admin", "context": {"cluster": "server", "user": "admin"}}],
    })
    .to_string();
    let shutdown = CancellationToken::new();
    let serving = tokio::spawn(listener.serve(plane.router(), shutdown.clone()));

    let session = session();
    let commands: Arc<Vec<&'static str>> = Arc::new(session.iter().map(|said| said.command).collect());
    let kubectl = Arc::new(kubectl);
    let run = |kubeconfig: String| {
        let (kubectl, commands) = (kubectl.clone(), commands.clone());
        tokio::task::spawn_blocking(move || run_all(&kubectl, &kubeconfig, &commands))
    };
    let (real, given) = tokio::join!(run(server.kubeconfig("admin")), run(kubeconfig));
    shutdown.cancel();
    serving.await.unwrap();

    let (mut same, mut faults) = (0, Vec::new());
    for ((said, real), given) in session.iter().zip(real.unwrap()).zip(given.unwrap()) {
        match (real == given, said.differs) {
            (true, None) => same += 1,
            (false, Some(_)) => {}
            (true, Some(_)) => faults.push(format!("{}: says the same now, take its reason away\n", said.command)),
            (false, None) => faults.push(format!("{}\n{}", said.command, differences(&real, &given))),
        }
    }
    println!("kubectl: {same} of {} commands say the same", session.len());
    assert!(faults.is_empty(), "{} differ:\n{}", faults.len(), faults.concat());
}
