//! The command line on a running portal: it shows and does what pages do.

mod actions;
mod authors;
mod documentation;
mod roles;
mod steps;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use opm::{Cli, Error, Said};
use opm_portal::clock::{Clock as _, System};
use serde_json::json;
use tokio::task::JoinHandle;

use crate::browser::Product;
use crate::programs::token;

/// A portal that listens, with the kubeconfigs of people.
struct Served {
    product: Product,
    address: String,
    folder: tempfile::TempDir,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Served {
    async fn open() -> Self {
        let product = Product::open().await;
        product.publishes_samples().await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let router = product.router.clone();
        let serving = tokio::spawn(async move { axum::serve(listener, router).await });
        Self { product, address, folder: tempfile::tempdir().expect("a folder"), serving }
    }

    /// The kubeconfig of a person whose context is a workspace.
    fn kubeconfig(&self, person: &str, workspace: &str) -> PathBuf {
        let file = self.folder.path().join(format!("{person}.json"));
        let kubeconfig = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "here",
            "clusters": [{"name": "here", "cluster": {"server": format!("https://127.0.0.1:1/clusters/{workspace}")}}],
            "users": [{"name": person, "user": {"token": token(&self.product, person)}}],
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": person}}],
        });
        std::fs::write(&file, kubeconfig.to_string()).expect("written");
        file
    }

    /// Runs a command as a person in a workspace.
    async fn try_run(&self, person: &str, workspace: &str, line: &str) -> Result<Said, Error> {
        let kubeconfig = self.kubeconfig(person, workspace);
        let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let config = self.folder.path().join("settings");
        let way = ["--portal", &self.address, "--kubeconfig", path(&kubeconfig)];
        words.splice(1..1, way.iter().map(|word| (*word).to_owned()));
        say(&words.join(" "), &config).await
    }

    async fn run(&self, person: &str, workspace: &str, line: &str) -> Said {
        self.try_run(person, workspace, line).await.unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// Runs a command until its result fits: the controller takes a moment.
    async fn until(&self, person: &str, workspace: &str, line: &str, fits: impl Fn(&Said) -> bool) -> Said {
        let asking = async {
            loop {
                let said = self.run(person, workspace, line).await;
                if fits(&said) {
                    return said;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), asking).await.unwrap_or_else(|_| panic!("{line} in time"))
    }

    async fn refused(&self, person: &str, workspace: &str, line: &str) -> (u8, String) {
        match self.try_run(person, workspace, line).await {
            Ok(said) => panic!("{line}: {said:?}"),
            Err(error) => (error.code(), error.to_string()),
        }
    }

    async fn close(self) {
        self.serving.abort();
        self.product.running.close().await;
    }
}

/// Runs a command with the settings of a folder.
async fn say(line: &str, config: &Path) -> Result<Said, Error> {
    opm::say(&parsed(line, config), || System.now(), random).await
}

/// A command with the settings of a folder.
fn parsed(line: &str, config: &Path) -> Cli {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    words.splice(1..1, ["--config-dir", path(config)]);
    Cli::parse_words(words).expect("arguments")
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path")
}

/// Bytes that no other call gets.
pub fn random(bytes: &mut [u8]) {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed).to_le_bytes();
    for (byte, digit) in bytes.iter_mut().zip(number) {
        *byte = digit;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bare_watch_follows_your_requests_or_else_those_of_others() {
    let served = Served::open().await;
    let (dev, owner, shop) = ("dev-shop", "org-owner", "root:acme:shop");
    let said = served.run(dev, shop, "opm request watch").await;
    assert!(said.yes && said.text.is_empty() && said.notes.contains("Nothing is in progress in root:acme:shop."), "{said:?}");
    // The first waits for an approver, which doesn't keep the one who requested a cache.
    served.run(dev, shop, "opm promise request postgresql --tier production --name orders").await;
    served.run(owner, shop, "opm promise request redis --size small --name carts").await;
    let said = served.run(owner, shop, "opm request watch --timeout 60s").await;
    assert!(said.yes && said.text.contains("carts") && !said.text.contains("orders"), "{}", said.text);
    // Those who have nothing in progress see what is.
    let (code, _) = served.refused(owner, shop, "opm request watch --timeout 1s").await;
    assert_eq!(code, 7, "it waits for what someone else requested");
    served.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_goes_from_its_flags_to_an_approval_and_away_again() {
    let served = Served::open().await;
    let (dev, shop) = ("dev-shop", "root:acme:shop");

    // A wrong flag gets a suggestion and the list, a wrong value what is possible, a wrong name what is offered.
    let (code, text) = served.refused(dev, shop, "opm promise request postgresql --teir production").await;
    assert!(code == 2 && text.contains("'--tier'") && text.contains("--replicas 1..5"), "policies narrow what is offered: {text}");
    let (code, text) = served.refused(dev, shop, "opm promise request postgresql --tier prod").await;
    assert!(code == 2 && text.contains("possible values: development, production"), "{text}");
    let (code, text) = served.refused(dev, shop, "opm promise request postgres --tier production").await;
    assert!(code == 5 && text.contains("Did you mean postgresql?"), "{text}");
    let (code, text) = served.refused(dev, shop, "opm promise request postgresql --tier production --replicas 1").await;
    assert!(code == 1 && text.contains("--replicas: "), "a refusal names the flag: {text}");

    // A dry run creates nothing, and prints what would be sent.
    let line = "opm promise request postgresql --tier production --replicas 2 --name orders";
    let said = served.run(dev, shop, &format!("{line} --dry-run")).await;
    assert!(said.yes && said.text.contains("would be accepted after approval"), "{}", said.text);
    let said = served.run(dev, shop, &format!("{line} --dry-run -o yaml")).await;
    assert!(said.text.contains("kind: PromiseRequest") && said.text.contains("replicas: 2"), "{}", said.text);
    assert_eq!(served.refused(dev, shop, "opm request get orders").await.0, 5);

    let said = served.run(dev, shop, &format!("{line} --reason Orders")).await;
    assert!(said.text.starts_with("Request orders created in root:acme:shop."), "{}", said.text);
    let (code, text) = served.refused(dev, shop, line).await;
    assert_eq!(code, 6, "{text}");

    // It waits for an approver, who sees it and approves exactly this.
    let waits = |said: &Said| said.text.contains("orders") && said.text.contains(shop);
    served.until("approver", "root:acme", "opm request list --approvals", waits).await;
    let (code, text) = served.refused("approver", "root:acme", "opm request approve orders --content 00ff").await;
    assert!(code == 6 || code == 1, "another content isn't approved: {code} {text}");
    let (code, _) = served.refused(dev, shop, "opm request approve orders").await;
    assert_eq!(code, 5, "nothing waits for the requester");
    let said = served.run("approver", "root:acme", "opm request approve orders --reason Agreed").await;
    assert!(said.text.contains("Approved orders.") && said.notes.contains("Reason: Orders"), "{said:?}");
    let said = served.run(dev, shop, "opm request watch orders --timeout 60s").await;
    assert!(said.yes && said.text.lines().last().is_some_and(|line| line.contains("Ready")), "{}", said.text);

    let said = served.run(dev, shop, "opm request get orders").await;
    for words in ["Ready", "tier: production", "Cluster", "healthy", "host", "approver approved"] {
        assert!(said.text.contains(words), "{words} in {}", said.text);
    }
    assert_eq!(served.run(dev, shop, "opm request list -o name").await.text, "orders\n");

    // A change: what it would change, then the change, and a conflict if someone else was quicker.
    let said = served.run(dev, shop, "opm request diff orders --storage 20").await;
    assert!(!said.yes && said.text.contains("+  storage: 20"), "{}", said.text);
    let said = served.run(dev, shop, "opm request diff orders --replicas 2").await;
    assert!(said.yes && said.text.is_empty(), "{}", said.text);
    let (code, text) = served.refused(dev, shop, "opm request edit orders").await;
    assert!(code == 2 && text.contains("-f FILE"), "{text}");
    let said = served.run(dev, shop, "opm request edit orders --storage 20").await;
    assert!(said.text.starts_with("Request orders changed in root:acme:shop."), "{}", said.text);
    served.until("approver", "root:acme", "opm request list --approvals", waits).await;
    let said = served.run("approver", "root:acme", "opm request reject orders --reason Expensive").await;
    assert_eq!(said.text, "Rejected orders.\n");
    let said = served.run(dev, shop, "opm request watch orders --timeout 60s").await;
    assert!(!said.yes && said.text.contains("rejected"), "{}", said.text);

    // It is deleted only if that is confirmed.
    assert_eq!(served.refused(dev, shop, "opm request delete orders").await.0, 2);
    let said = served.run(dev, shop, "opm request delete orders --yes --wait --timeout 60s").await;
    assert!(said.yes && said.notes.contains("orders is deleted."), "{said:?}");
    served.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_reach_the_secret_beside_the_request_and_nothing_else() {
    let served = Served::open().await;
    let (dev, shop) = ("dev-shop", "root:acme:shop");
    let file = served.folder.path().join("password");
    std::fs::write(&file, "hunter2-hunter2\n").expect("written");
    let line = format!("opm promise request postgresql --tier development --name orders --adminPassword @{}", path(&file));
    for format in ["--dry-run -o yaml", "-o json"] {
        let said = served.run(dev, shop, &format!("{line} {format}")).await;
        assert!(said.text.contains("orders-inputs") && !said.text.contains("hunter2"), "{}", said.text);
    }
    let (code, text) = served.refused(dev, shop, "opm promise request postgresql --tier development --adminPassword hunter2").await;
    assert!(code == 2 && !text.contains("hunter2"), "{text}");
    let said = served.run(dev, shop, "opm request watch orders --timeout 60s").await;
    assert!(said.yes, "{}", said.text);
    served.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_person_gets_what_the_plane_grants_them() {
    let served = Served::open().await;
    let shop = "root:acme:shop";
    assert_eq!(served.refused("dev-data", shop, "opm promise list").await.0, 5, "a stranger isn't told that the workspace exists");
    let said = served.run("viewer-shop", shop, "opm promise list").await;
    assert!(said.text.contains("not allowed") && !said.text.contains("yes"), "{}", said.text);
    let (code, text) = served.refused("viewer-shop", shop, "opm promise request redis --size small").await;
    assert_eq!(code, 4, "{text}");
    let kubeconfig = served.kubeconfig("dev-shop", shop);
    let text = std::fs::read_to_string(&kubeconfig).expect("read").replace(&token(&served.product, "dev-shop"), "nobody");
    let other = served.folder.path().join("nobody.json");
    std::fs::write(&other, text).expect("written");
    let line = format!("opm promise list --portal {} --kubeconfig {}", served.address, path(&other));
    let cli = Cli::parse_words(line.split(' ')).expect("arguments");
    let error = opm::say(&cli, || System.now(), random).await.expect_err("refused");
    assert_eq!((error.code(), error.to_string().as_str()), (4, "the portal doesn't accept the token of this kubeconfig"));

    // A workspace that is chosen holds for later commands, until another one is named.
    let said = served.run("org-owner", "root:acme", "opm workspace use shop").await;
    assert_eq!(said.text, "Using root:acme:shop.\n");
    let said = served.run("org-owner", "root:acme", "opm workspace list").await;
    assert!(said.text.contains("root:acme:shop *"), "{}", said.text);
    let said = served.run("org-owner", "root:acme", "opm cost -w root:acme").await;
    assert!(said.text.starts_with("root:acme in 2"), "{}", said.text);
    served.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_preflight_says_what_the_portal_says() {
    let served = Served::open().await;
    let say = async |replicas: u32| {
        let request = json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "orders"},
            "spec": {"promise": {"name": "postgresql"}, "parameters": {"tier": "production", "replicas": replicas}},
        });
        let file = served.folder.path().join("request.json");
        std::fs::write(&file, request.to_string()).expect("written");
        served.run("dev-shop", "root:acme:shop", &format!("opm preflight -f {}", path(&file))).await
    };
    let said = say(3).await;
    assert!(said.yes, "{}", said.text);
    for words in [
        "would be accepted after approval",
        "acme-approvers",
        "set at root:acme",
        "a month",
        "Cluster orders at sandbox",
        "Dry run with your permissions\n  passed",
    ] {
        assert!(said.text.contains(words), "{words} in {}", said.text);
    }
    let said = say(1).await;
    assert!(!said.yes && said.text.starts_with("This request would be rejected."), "{}", said.text);
    assert!(said.text.contains(".parameters.replicas: ") && said.text.contains("Production baseline"), "{}", said.text);
    served.close().await;
}

#[test]
fn the_lint_of_authors_says_what_the_portal_says() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let broken = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(examples.join("promises/redis.yaml")).expect("an example");
    std::fs::write(broken.path().join("redis.yaml"), text.replace("lifecycle:", "lifecycel:")).expect("written");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for folder in [examples.join("promises"), examples.join("policies"), examples.join("catalog"), broken.path().to_owned()] {
        let cli = Cli::parse_words(["opm", "promise", "lint", path(&folder)]).expect("arguments");
        let said = runtime.block_on(opm::say(&cli, || System.now(), random)).map(|said| said.text.trim_end().to_owned());
        let portal = opm_portal::sample::check::said(std::slice::from_ref(&folder), true, true);
        assert_eq!(said.map_err(|error| error.to_string()), portal.map_err(|error| error.to_string()), "{}", folder.display());
    }
}
