//! `opm login` with a code that is entered in a browser (RFC 8628): signing in, renewal, and signing out.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use oidc::{Error, Provider, ProviderConfig, Tokens};
use opm::Said;
use opm_portal::clock::{Clock as _, System};
use parking_lot::Mutex;
use serde_json::Value;

use super::World;
use super::issuer::{DEVICE, Issuer, TOKENS};
use crate::command_line::random;
use crate::hands::Hands;

/// How far the clock of the command line is ahead, in seconds.
static AHEAD: AtomicI64 = AtomicI64::new(0);

fn now() -> Timestamp {
    System.now() + SignedDuration::from_secs(AHEAD.load(Ordering::SeqCst))
}

/// Runs a command with the settings of a folder.
async fn run(line: &str, config: &Path) -> Result<Said, opm::Error> {
    let line = format!("{line} --config-dir {}", config.display());
    opm::say(&opm::Cli::parse_words(line.split_whitespace()).expect("arguments"), now, random).await
}

/// The only credential that is stored.
fn stored(config: &Path) -> Value {
    let text = std::fs::read_to_string(config.join("credentials.json")).expect("credentials");
    let all: serde_json::Map<String, Value> = serde_json::from_str(&text).expect("JSON");
    all.values().next().cloned().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_code_signs_in_the_token_is_renewed_and_signing_out_revokes_it() {
    let world = World::open().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let portal = format!("http://{}", listener.local_addr().expect("an address"));
    let router = world.product.router.clone();
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("opm");

    let refused = run(&format!("opm login --portal {portal}"), &config).await.expect_err("there are two providers");
    assert!(refused.code() == 2 && refused.to_string().contains("sso or other"), "{refused}");
    let login = format!("opm login --portal {portal} --provider sso");
    let entered = async {
        loop {
            match world.sso.enters("dev-shop") {
                Some(code) => return code,
                None => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    let (said, code) = tokio::join!(run(&login, &config), entered);
    let said = said.expect("signed in");
    assert!(said.notes.contains(&format!("Open {}/device and enter the code {code} within 5 minutes.", world.sso.url())), "{}", said.notes);
    assert!(said.text.starts_with(&format!("Signed in to {portal}: you can enter ")), "{}", said.text);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(config.join("credentials.json")).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "others can't read it");
    }
    run("opm workspace use root:acme:shop", &config).await.expect("a workspace");
    assert!(run("opm promise list -o name", &config).await.expect("a list").text.contains("redis"));
    assert!(run("opm promise list -w root:acme:data", &config).await.is_err_and(|error| error.code() == 5), "it is dev-shop");

    // A minute before its end, the token is replaced, once.
    let (before, refreshes) = (stored(&config), world.sso.refreshes());
    for seconds in [TOKENS - 30, 0] {
        AHEAD.fetch_add(seconds, Ordering::SeqCst);
        world.clock.put_forward(seconds);
        run("opm request list", &config).await.expect("a list");
    }
    let after = stored(&config);
    assert_eq!(world.sso.refreshes(), refreshes + 1);
    assert!(before["token"] != after["token"] && before["from"]["refreshToken"] != after["from"]["refreshToken"]);

    let said = run("opm logout", &config).await.expect("signed out");
    assert!(said.notes.is_empty() && said.text == format!("Signed out of {portal}.\n"), "{said:?}");
    assert_eq!((world.sso.counting(), stored(&config)), (0, Value::Null), "neither here nor there");

    // Who refuses isn't signed in, and what was stored before stays.
    world.sso.says_of_codes(&["access_denied"]);
    let refused = run(&login, &config).await.expect_err("refused");
    assert!(refused.code() == 4 && refused.to_string().starts_with("Acme sso: "), "{refused}");
    world.sso.says_of_codes(&["expired_token"]);
    assert_eq!(run(&login, &config).await.expect_err("too late").code(), 7);
    serving.abort();
    world.close().await;
}

/// A provider as a command line knows it, and its clock.
async fn provider() -> (Issuer, Provider, Arc<Hands>) {
    let clock = Hands::of_the_machine();
    let issuer = Issuer::start(clock.clone()).await;
    let config = ProviderConfig { client_id: DEVICE.to_owned(), client_secret: None, ..issuer.config("sso") };
    (issuer, Provider::new(config, "http://127.0.0.1/").expect("a provider"), clock)
}

/// Waits for a code, with what happens while it waits; returns the times that it waited, too.
async fn waited(provider: &Provider, clock: &Hands, meanwhile: impl Fn(usize)) -> (Result<Tokens, Error>, Vec<u64>) {
    let begun = provider.begin_on_device(clock.now()).await.expect("a code").expect("the provider offers it");
    let waits = Mutex::new(Vec::new());
    let sleep = |time: Duration| {
        let mut waits = waits.lock();
        waits.push(time.as_secs());
        meanwhile(waits.len());
        std::future::ready(())
    };
    let outcome = provider.finish_on_device(&begun, || clock.now(), sleep).await;
    (outcome, waits.into_inner())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_provider_says_how_often_it_is_asked() {
    let (issuer, provider, clock) = provider().await;
    issuer.says_of_codes(&["authorization_pending", "slow_down", "authorization_pending"]);
    let enters = |wait: usize| {
        if wait == 3 {
            issuer.enters("dev-shop").expect("a code that waits");
        }
    };
    let (outcome, waits) = waited(&provider, &clock, enters).await;
    assert_eq!((outcome.expect("signed in").subject.as_str(), waits), ("dev-shop", vec![1, 6, 6]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_code_that_is_refused_or_too_old_signs_no_one_in() {
    let (issuer, provider, clock) = provider().await;
    issuer.says_of_codes(&["access_denied"]);
    let (outcome, _) = waited(&provider, &clock, |_| ()).await;
    assert!(matches!(&outcome, Err(Error::Refused { code, .. }) if code == "access_denied"), "{outcome:?}");
    issuer.says_of_codes(&["expired_token"]);
    assert!(waited(&provider, &clock, |_| ()).await.0.is_err_and(|error| error.is_expired()));
    // Nor does it wait longer than the provider said, whatever that says now.
    let (outcome, waits) = waited(&provider, &clock, |_| clock.put_forward(200)).await;
    assert!(outcome.is_err_and(|error| error.is_expired()) && waits.len() == 2, "{waits:?}");
    // A token that another key signed is none.
    issuer.rotates("other", true);
    let (outcome, _) = waited(&provider, &clock, |_| drop(issuer.enters("dev-shop"))).await;
    assert!(matches!(outcome, Err(Error::IdToken(_))), "{outcome:?}");
    // People aren't sent to an address in clear text.
    issuer.enters_codes_at("http://login.example.org/device");
    assert!(matches!(provider.begin_on_device(clock.now()).await, Err(Error::Answer(_))));
}
