//! People are told what happened: in the portal, by mail to a real mail server, by webhooks to a real receiver that checks the signature.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cluster::kinds::{Approval, PromiseRequest};
use cluster::{Endpoint, Scope, Token, WorkspacePath};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::StatusCode;
use jiff::Timestamp;
use kube::api::PostParams;
use kube::runtime::wait::await_condition;
use kube::{Api, ResourceExt as _};
use notify::{Addresses, Format, MailConfig, NotifyConfig, Webhook};
use promise::api::{CandidateState, Phase};
use promise::notify::Event;
use serde_json::{Value, json};
use sha2::Sha256;
use store::{DeliveryState, Message, News, SealKeys, Store};

use crate::browser::{Browser, Product};
use crate::kill::{fraction, setting};
use crate::process::Process;
use crate::receivers::{Call, Mail, Receiver, hooks, mailbox};

const SHOP: &str = "root:acme:shop";
const SECRET: &[u8] = b"a secret of some length";
/// How long something may take.
const PATIENCE: Duration = Duration::from_secs(90);

pub fn webhook(name: &str, format: Format, receiver: &Receiver<Call>) -> Webhook {
    Webhook {
        name: name.to_owned(),
        title: name.to_owned(),
        url: format!("http://127.0.0.1:{}/hook", receiver.port).parse().expect("an address"),
        secret: (format == Format::Portal).then(|| SECRET.to_vec()),
        format,
        events: None,
        workspaces: Vec::new(),
        people: false,
        allow_private: true,
    }
}

pub fn config(mails: &Receiver<Mail>, webhooks: Vec<Webhook>) -> NotifyConfig {
    NotifyConfig {
        base: "https://portal.example.org".to_owned(),
        mail: Some(MailConfig { url: format!("smtp://127.0.0.1:{}", mails.port), from: "Portal <portal@example.org>".to_owned() }),
        addresses: Addresses { domain: Some("acme.example".to_owned()), ..Addresses::default() },
        webhooks,
        retry_after: 1,
        ..NotifyConfig::default()
    }
}

pub fn api<K>(endpoint: &Endpoint, token: &Token, workspace: &str) -> Api<K>
where
    K: kube::Resource<Scope = kube::core::NamespaceResourceScope, DynamicType = ()>,
{
    let scope = Scope::Workspace(WorkspacePath::parse(workspace).expect("a path"));
    Api::namespaced(endpoint.client(token, &scope), "default")
}

/// A production database, for which Acme asks for a second pair of eyes.
pub fn database(name: &str) -> PromiseRequest {
    let parameters = json!({"tier": "production", "size": "small", "replicas": 2, "storage": 20, "labels": {"cost-center": "4711"}});
    let request = json!({
        "apiVersion": promise::names::API_VERSION, "kind": "PromiseRequest", "metadata": {"name": name, "namespace": "default"},
        "spec": {"promise": {"name": "postgresql", "workspace": "root:platform"}, "parameters": parameters},
    });
    serde_json::from_value(request).expect("a request")
}

pub async fn becomes(api: &Api<PromiseRequest>, name: &str, wanted: impl Fn(&PromiseRequest) -> bool) -> PromiseRequest {
    let fits = |request: Option<&PromiseRequest>| request.is_some_and(&wanted);
    let waited = tokio::time::timeout(PATIENCE, await_condition(api.clone(), name, fits)).await;
    match waited {
        Ok(request) => request.expect("a watch").expect("the request"),
        Err(_) => panic!("{name} does not become what it should: {:#?}", api.get(name).await.map(|request| request.status)),
    }
}

pub fn is_asked(request: &PromiseRequest) -> bool {
    let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
    candidate.is_some_and(|candidate| candidate.state == CandidateState::AwaitingApproval)
}

/// Approves every rule that asks, as the holder of the token.
async fn approve(endpoint: &Endpoint, token: &Token, request: &PromiseRequest) {
    let status = request.status.as_ref().expect("a status");
    let candidate = status.candidate.as_ref().expect("a candidate");
    for (number, asked) in status.approvals.iter().enumerate() {
        let home = cluster::ClusterId::parse(&asked.cluster).expect("a workspace");
        let approvals: Api<Approval> = Api::all(endpoint.client(token, &Scope::Cluster(home)));
        let decision = json!({
            "apiVersion": promise::names::API_VERSION, "kind": "Approval", "metadata": {"name": format!("{}-{number}", request.name_any())},
            "spec": {
                "request": {"namespace": "default", "name": request.name_any(), "uid": request.uid()}, "rule": asked.rule,
                "contentHash": candidate.content_hash, "decision": "approve", "comment": "Fine for Q4.",
            },
        });
        let decision = serde_json::from_value(decision).expect("an approval");
        approvals.create(&PostParams::default(), &decision).await.expect("decided");
    }
}

/// What the page says is unread, as its bell counts it.
fn unread(page: &str) -> &str {
    page.split("aria-label=\"Notifications, ").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("nothing that can be read")
}

/// The signature as a receiver computes it.
fn is_signed(call: &Call) -> bool {
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET).expect("a key");
    mac.update(format!("{}.{}.{}", call.headers["webhook-id"], call.headers["webhook-timestamp"], call.body).as_bytes());
    call.headers["webhook-signature"] == format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

fn body(call: &Call) -> Value {
    serde_json::from_str(&call.body).expect("JSON")
}

async fn read_all(browser: &mut Browser) {
    let page = browser.get("/notifications").await;
    let token = page.hidden("_token");
    let pairs = [("_token", token), ("all", "true".to_owned()), ("until", page.hidden("until")), ("back", "/notifications".to_owned())];
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(browser.post("/do/notifications/read", &pairs).await.location(), "/notifications");
}

/// Ids of the notifications that a page offers to select.
fn selectable(page: &str) -> Vec<String> {
    let boxes = page.split("<input type=\"checkbox\" name=\"id\" value=\"").skip(1);
    boxes.filter_map(|rest| rest.split('"').next().map(str::to_owned)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn selected_notifications_are_marked_as_read_and_no_others() {
    let product = Product::open().await;
    let mut browser = product.signed_in("dev-shop").await;
    for name in ["first", "second", "third"] {
        ask_for(&product, name).await;
    }
    let page = browser.until("/notifications", |page| selectable(&page.text).len() >= 3).await;
    let ids = selectable(&page.text);
    let mark = |ids: &[String]| {
        let token = [("_token".to_owned(), page.hidden("_token")), ("back".to_owned(), "/notifications".to_owned())];
        token.into_iter().chain(ids.iter().map(|id| ("id".to_owned(), id.clone()))).collect::<Vec<_>>()
    };
    for selected in [&ids[..0], &ids[..2]] {
        let pairs = mark(selected);
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(browser.post("/do/notifications/read", &pairs).await.location(), "/notifications");
        let now = selectable(&browser.get("/notifications").await.text);
        let left: Vec<&String> = ids.iter().filter(|id| now.contains(id)).collect();
        assert_eq!(left, ids.iter().filter(|id| !selected.contains(id)).collect::<Vec<_>>());
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_reaches_those_who_are_asked_and_the_answer_whoever_asked() {
    let (mails, signed, chat) = (mailbox().await, hooks().await, hooks().await);
    signed.answer(&["503 Busy"]);
    let config = config(&mails, vec![webhook("ops", Format::Portal, &signed), webhook("chat", Format::Slack, &chat)]);
    let product = Product::telling(config).await;
    let mut approver = product.signed_in("approver").await;
    let mut requester = product.signed_in("dev-shop").await;
    let sandbox = product.running.sandbox.as_ref().expect("an embedded plane");
    let token = |name: &str| sandbox.identities.token(name).expect("a person");
    let endpoint = &product.running.portal.endpoint;
    let requests: Api<PromiseRequest> = api(endpoint, token("dev-shop"), SHOP);
    // Asked for sooner it fails at first, which is told to whoever asked.
    product.publishes_samples().await;
    requests.create(&PostParams::default(), &database("orders-db")).await.expect("asked for");
    let asked = becomes(&requests, "orders-db", is_asked).await;
    let hash = asked.status.as_ref().and_then(|status| status.candidate.as_ref()).map(|candidate| candidate.content_hash.clone());
    let link = format!("/approvals/{}?since={}", asked.uid().expect("a uid"), hash.expect("a hash"));

    let mail = mails.until("the question", |mail| mail.text.contains("is waiting for approval")).await;
    assert_eq!(mail.to, "approver@acme.example");
    assert_eq!(mail.header("Subject"), "orders-db is waiting for approval");
    for part in
        ["You're an approver for the policy A second pair of eyes", "/notifications/settings", "https://portal.example.org/approvals/"]
    {
        assert!(mail.text.contains(part), "{part}: {}", mail.text);
    }
    assert!(!mail.text.contains("4711"), "no values");
    let page = approver.until("/notifications", |page| page.text.contains("orders-db is waiting for approval")).await;
    assert_eq!(unread(&page.text), "1 new");
    assert!(page.text.contains(&link.replace('&', "&amp;")), "{}", page.text);
    let told = requester.get("/notifications?show=all").await;
    assert_eq!(unread(&told.text), "nothing new", "nobody is asked about what is their own: {}", told.text);
    let of_acme = approver.get("/notifications?workspace=root:acme").await;
    assert!(of_acme.text.contains("orders-db is waiting for approval"), "child workspaces are included: {}", of_acme.text);
    assert!(!of_acme.text.contains("Mark all as read"), "all would be more than is shown");
    let of_globex = approver.get("/notifications?workspace=root:globex").await;
    assert!(
        of_globex.text.contains("No notifications in this workspace") && of_globex.text.contains("Clear filters"),
        "{}",
        of_globex.text
    );

    let call = signed.until("the second attempt", |call| body(call)["event"] == "approvalNeeded" && signed.all().len() > 1).await;
    assert!(is_signed(&call), "{call:?}");
    let ids: BTreeSet<String> = signed.all().iter().map(|call| call.headers["webhook-id"].clone()).collect();
    assert_eq!(ids.len(), 1, "the second attempt has the id of the first");
    let chatted = chat.until("a line in the chat", |call| call.body.contains("orders-db is waiting for approval")).await;
    assert!(!chatted.headers.contains_key("webhook-signature") && body(&chatted)["text"].is_string());

    read_all(&mut approver).await;
    assert_eq!(unread(&approver.get("/").await.text), "nothing new");
    approve(endpoint, token("approver"), &asked).await;
    let mail = mails.until("the answer", |mail| mail.text.contains("Amara Okafor approved orders-db")).await;
    assert_eq!(mail.to, "dev-shop@acme.example");
    becomes(&requests, "orders-db", |request| request.status.as_ref().is_some_and(|status| status.phase == Phase::Ready)).await;
    let page = requester.until("/notifications", |page| page.text.contains("orders-db is ready")).await;
    for told in ["Amara Okafor approved orders-db", "“Fine for Q4.”", "orders-db is approved and being provisioned"] {
        assert!(page.text.contains(told), "{told}: {}", page.text);
    }
    signed.until("the end", |call| body(call)["event"] == "ready").await;
    let ids: Vec<String> = mails.all().iter().map(|mail| mail.header("Message-ID").to_owned()).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "no mail came twice: {ids:?}");
    assert!(!mails.all().iter().any(|mail| mail.text.contains("is ready")), "who chose nothing gets no mail of what goes on by itself");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_delivered_is_given_up_and_sent_again_by_those_who_look_after_the_platform() {
    let (mails, gone) = (mailbox().await, hooks().await);
    gone.answer(&["410 Gone"]);
    let product = Product::telling(config(&mails, vec![webhook("gone", Format::Portal, &gone)])).await;
    let mut stranger = product.signed_in("dev-shop").await;
    let mut engineer = product.signed_in("platform-engineer").await;
    crate::access::write_request(&product, "cache").await;
    let page = engineer.until("/platform/deliveries", |page| page.text.contains("gone responded with 410.")).await;
    assert_eq!(page.status, StatusCode::OK);
    let id = page.hidden("id");
    let again = |token: &str, id: &str| [("_token", token.to_owned()), ("id", id.to_owned()), ("back", "/platform/deliveries".to_owned())];
    let token = stranger.get("/").await.hidden("_token");
    let pairs = again(&token, &id);
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(stranger.get("/platform/deliveries").await.status, StatusCode::FORBIDDEN);
    let refused = stranger.act("/do/deliveries/retry", &pairs).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{}", refused.text);
    assert!(refused.text.contains("href=\"/platform/deliveries\""), "the way back: {}", refused.text);
    assert_eq!(gone.all().len(), 1, "what was given up stays so");

    let pairs = again(&page.hidden("_token"), &id);
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(engineer.post("/do/deliveries/retry", &pairs).await.location(), "/platform/deliveries");
    gone.until("the same message again", |_| gone.all().len() > 1).await;
    let ids: BTreeSet<String> = gone.all().iter().map(|call| call.headers["webhook-id"].clone()).collect();
    assert_eq!(ids.len(), 1);
    product.running.close().await;
}

/// Creates a request that needs no approval, as dev-shop.
async fn ask_for_a_cache(product: &Product) {
    ask_for(product, "cache").await;
}

async fn ask_for(product: &Product, name: &str) {
    let sandbox = product.running.sandbox.as_ref().expect("an embedded plane");
    let requests: Api<PromiseRequest> =
        api(&product.running.portal.endpoint, sandbox.identities.token("dev-shop").expect("a person"), SHOP);
    let request = json!({
        "apiVersion": promise::names::API_VERSION, "kind": "PromiseRequest", "metadata": {"name": name, "namespace": "default"},
        "spec": {"promise": {"name": "redis", "workspace": "root:platform"}},
    });
    requests.create(&PostParams::default(), &serde_json::from_value(request).expect("a request")).await.expect("created");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_choose_how_they_are_told_and_wrong_choices_are_kept_nowhere() {
    let mails = mailbox().await;
    let product = Product::telling(config(&mails, Vec::new())).await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get("/notifications/settings").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text.contains("dev-shop@acme.example"));
    let token = page.hidden("_token");
    let wrong = [("_token", token.as_str()), ("zone", "Mars/Olympus"), ("quiet", "on"), ("quiet.from", "25:00"), ("quiet.to", "07:00")];
    let answer = browser.act("/do/notifications/settings", &wrong).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    for said in ["Mars/Olympus isn't a time zone", "value=\"25:00\"", "Enter a time such as"] {
        assert!(answer.text.contains(said), "{said}: {}", answer.text);
    }
    assert!(!browser.get("/notifications/settings").await.text.contains("Mars/Olympus"));
    let right = [("_token", token.as_str()), ("zone", "Europe/Berlin"), ("progress.mail", "atOnce"), ("progress.portal", "on")];
    assert_eq!(browser.post("/do/notifications/settings", &right).await.location(), "/notifications/settings?done=saved");
    let saved = browser.get("/notifications/settings?done=saved").await.text;
    assert!(saved.contains("value=\"Europe/Berlin\"") && saved.contains("Notification settings saved"), "{saved}");
    assert!(!browser.get("/notifications/settings").await.text.contains("Notification settings saved"));

    ask_for_a_cache(&product).await;
    let mail = mails.until("what goes on, as chosen", |mail| mail.text.contains("cache is ready")).await;
    assert_eq!(mail.to, "dev-shop@acme.example");
    // What somebody else was told is nobody's to read.
    let mut other = product.signed_in("dev-data").await;
    assert!(!other.get("/notifications?show=all").await.text.contains("cache is ready"));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_collected_is_one_mail_under_one_id_at_each_attempt() {
    let mails = mailbox().await;
    mails.answer(&["451 Busy"]);
    let product = Product::telling(config(&mails, Vec::new())).await;
    let portal = &product.running.portal;
    let now = portal.clock.now();
    let news: Vec<News> = ["cache", "queue", "orders-db"].map(|name| ready(name, now)).into();
    portal.store.tell(&news, now).await.expect("told");
    mails.until("the second attempt", |_| mails.all().len() > 1).await;
    let mails = mails.all();
    let ids: BTreeSet<&str> = mails.iter().map(|mail| mail.header("Message-ID")).collect();
    assert_eq!(ids.len(), 1, "{mails:#?}");
    assert!(mails.iter().all(|mail| mail.header("Subject") == "3 notifications"), "{mails:#?}");
    product.running.close().await;
}

/// That something is ready, collected for a mail to dana.
pub fn ready(name: &str, now: Timestamp) -> News {
    let mail = Message {
        id: format!("{name}-mail"),
        channel: "mail".to_owned(),
        target: "dana@acme.example".to_owned(),
        collected: true,
        due: now,
    };
    News {
        id: name.to_owned(),
        person: "dana".to_owned(),
        event: Event::Ready.word().to_owned(),
        title: format!("{name} is ready"),
        text: String::new(),
        why: "You asked for it.".to_owned(),
        names_workspace: false,
        link: "/notifications".to_owned(),
        workspace: SHOP.to_owned(),
        shown: true,
        at: now,
        messages: vec![mail],
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_no_longer_wants_mails_gets_none_of_those_that_wait() {
    let mails = mailbox().await;
    let product = Product::telling(config(&mails, Vec::new())).await;
    let store = &product.running.portal.store;
    let mut browser = product.signed_in("dev-shop").await;
    let token = browser.get("/notifications/settings").await.hidden("_token");
    // Collected for half a day from now.
    let minute = (product.running.portal.clock.now().as_second() / 60 + 12 * 60) % (24 * 60);
    let time = format!("{:02}:{:02}", minute / 60, minute % 60);
    let shown = [("_token", token.as_str()), ("zone", "UTC"), ("digest", "daily"), ("digest.at", time.as_str()), ("progress.portal", "on")];
    let collected: Vec<(&str, &str)> = shown.into_iter().chain([("progress.mail", "digest")]).collect();
    assert_eq!(browser.post("/do/notifications/settings", &collected).await.location(), "/notifications/settings?done=saved");
    ask_for_a_cache(&product).await;
    browser.until("/notifications", |page| page.text.contains("cache is ready")).await;
    assert!(store.count_deliveries(DeliveryState::Waiting).await.expect("a count") > 0, "it waits for the others of the day");
    assert_eq!(browser.post("/do/notifications/settings", &shown).await.location(), "/notifications/settings?done=saved");
    assert_eq!(store.count_deliveries(DeliveryState::Waiting).await.expect("a count"), 0);
    assert!(browser.get("/notifications").await.text.contains("cache is ready"), "the portal shows it still");
    assert!(mails.all().is_empty(), "{:#?}", mails.all());
    product.running.close().await;
}

/// The token of a person in the kubeconfig that the process wrote.
fn token_of(data: &Path, person: &str) -> Token {
    let file: Value = serde_json::from_str(&std::fs::read_to_string(data.join("kubeconfig")).expect("a kubeconfig")).expect("JSON");
    let user = file["users"].as_array().and_then(|users| users.iter().find(|user| user["name"] == person)).expect("a person");
    Token::new(user["user"]["token"].as_str().expect("a token"))
}

/// `cargo xtask soak kill` runs this against the release binary at more instants (`OPM_KILLS`, `OPM_SEED`).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_instant_no_decision_is_told_twice_and_none_gets_lost() {
    let (kills, seed) = (setting("OPM_KILLS", 3), setting("OPM_SEED", 1));
    let (mails, signed) = (mailbox().await, hooks().await);
    let folder = tempfile::tempdir().expect("a folder");
    let (data, file) = (folder.path().join("data"), folder.path().join("notifications.yaml"));
    std::fs::create_dir(&data).expect("a folder");
    std::fs::write(folder.path().join("secret"), SECRET).expect("written");
    let text = json!({
        "mail": {"domain": "acme.example"},
        "webhooks": [{
            "name": "ops", "url": format!("http://127.0.0.1:{}/hook", signed.port), "allowPrivate": true,
            "secretFile": folder.path().join("secret"),
        }],
    });
    std::fs::write(&file, text.to_string()).expect("written");
    let smtp = format!("smtp://127.0.0.1:{}", mails.port);
    let file = file.display().to_string();
    let args = [
        "--public-url",
        "http://localhost:8080",
        "--smtp-url",
        &smtp,
        "--mail-from",
        "Portal <portal@example.org>",
        "--notifications",
        &file,
    ];
    let mut process = Process::start_with(&data, &args).await;
    let mut names = BTreeSet::new();
    for number in 0..kills {
        let name = format!("db-{number}");
        let requests = |process: &Process| api::<PromiseRequest>(process.endpoint(), &token_of(&data, "dev-shop"), SHOP);
        requests(&process).create(&PostParams::default(), &database(&name)).await.expect("asked for");
        let asked = becomes(&requests(&process), &name, is_asked).await;
        approve(process.endpoint(), &token_of(&data, "approver"), &asked).await;
        // From before the decision is seen until after its messages are sent.
        tokio::time::sleep(Duration::from_millis(600).mul_f64(fraction(seed, number))).await;
        process.kill();
        process = Process::start_with(&data, &args).await;
        becomes(&requests(&process), &name, |request| request.status.as_ref().is_some_and(|status| status.phase == Phase::Ready)).await;
        names.insert(name);
    }
    for name in &names {
        let title = format!("Amara Okafor approved {name}");
        mails.until(&title, |mail| mail.header("Subject") == title).await;
        signed.until(&title, |call| body(call)["title"] == title.as_str()).await;
        signed.until("the end", |call| body(call)["title"] == format!("{name} is ready").as_str()).await;
    }
    process.kill();

    // What was sent twice has one id, and the portal tells each thing once.
    let mut ids: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for mail in mails.all() {
        ids.entry(format!("{} {}", mail.to, mail.header("Subject"))).or_default().insert(mail.header("Message-ID").to_owned());
    }
    for call in signed.all() {
        assert!(is_signed(&call));
        let told = body(&call);
        let id = ids.entry(format!("webhook {} {}", told["event"], told["title"])).or_default();
        id.insert(call.headers["webhook-id"].clone());
    }
    for (what, ids) in &ids {
        assert_eq!(ids.len(), 1, "{what} was told under {ids:?}");
    }
    let keys = SealKeys::open(&data.join("session.key"), &opm_portal::clock::System).expect("the keys");
    let store = Store::open(&data.join("portal.sqlite"), keys).await.expect("the database");
    let told = store.notifications("dev-shop", "", true, 0, 1000).await.expect("what was told");
    for name in &names {
        for event in [Event::Approved, Event::Accepted, Event::Ready] {
            let of = told.rows.iter().filter(|one| one.event == event.word() && one.title.split(' ').any(|word| word == name));
            assert_eq!(of.count(), 1, "{name} {event:?}: {:#?}", told.rows);
        }
    }
}
