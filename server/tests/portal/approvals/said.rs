//! Every sentence with which the portal itself turns a decision away: status and words, and that nothing is written.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use cluster::WorkspacePath;
use cluster::kinds::{Approval, Policy, PolicyKind, PromiseRequest, object};
use http::StatusCode;
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;
use kube::Api;
use kube::api::{DeleteParams, ListParams, PostParams};
use promise::api::{ApprovalState, ApprovalStatus, CandidateState, CandidateStatus, PolicySpec};
use serde_json::{Value, json};

use super::{ask, asked, client, decide, let_one_decide, name_approvers, requests, until, waits};
use crate::browser::{Answer, Browser, Product};
use crate::hands::Hands;

/// Who or what, the fields of the post, and the status and the words of the answer.
type Try<'a> = (&'a str, &'a [(&'a str, &'a str)], StatusCode, &'a str);

const ACME: &str = "root:acme";
/// The policy by which operations agree.
const OPERATIONS: &str = "production-databases";
/// The policy by which owners agree, once operations have.
const OWNERS: &str = "large-databases";
/// Longer than the portal remembers a right.
const FORGOTTEN: i64 = 21;

const WHY_NOT: &str = "Add a comment that says why you reject it, so that the requester knows what to change.";
const WHAT_EMERGENCY: &str = "Add a comment that describes the emergency. It's logged, and everyone involved can read it.";
const TO_APPROVE: &str = "An override can only approve. Reject or request changes without it.";
const NO_GLASS: &str = "You need the permission override on production-databases in root:acme.";
const NO_RIGHT: &str = "You need the permission approve on production-databases in root:acme.";
const OVER: &str = "There is nothing left to decide: the request was decided, changed, withdrawn or has expired";
const NOT_OPEN: &str = "This approval isn't open: it was decided, or an earlier stage is still open";
const OWN: &str = "You requested this yourself, and this rule needs approval from someone else.";
const ABSENT: &str = "that you can see";

/// What a post names of a request.
struct Asked {
    uid: String,
    hash: String,
    /// Ids of rules by the policy that has them.
    rules: BTreeMap<String, String>,
}

impl Asked {
    async fn of(product: &Product, name: &str) -> Self {
        let request = requests(product).get(name).await.expect("a request");
        let status = request.status.expect("a status");
        let rule = |approval: &ApprovalStatus| {
            let policy = approval.rule.policy.clone().expect("a policy");
            let id = format!("{}/{policy}/{}", approval.cluster, approval.rule.name);
            (policy, id)
        };
        Self {
            uid: request.metadata.uid.expect("a uid"),
            hash: status.candidate.expect("a candidate").content_hash,
            rules: status.approvals.iter().map(rule).collect(),
        }
    }

    fn address(&self) -> String {
        format!("/approvals/{}", self.uid)
    }

    /// As a post for several requests names it.
    fn item(&self) -> String {
        format!("{}:{}", self.uid, self.hash)
    }
}

fn candidate(request: &PromiseRequest) -> Option<&CandidateStatus> {
    request.status.as_ref()?.candidate.as_ref()
}

/// The portal, and everybody who tries.
struct World {
    product: Product,
    hands: Arc<Hands>,
    people: BTreeMap<&'static str, (Browser, String)>,
}

impl World {
    async fn open() -> Self {
        let hands = Hands::of_the_machine();
        let product = Product::at(hands.clone()).await;
        let mut people = BTreeMap::new();
        for person in ["approver", "dev-data", "dev-shop", "org-owner", "platform-engineer", "viewer-shop"] {
            let mut browser = product.signed_in(person).await;
            let token = browser.get("/").await.hidden("_token");
            people.insert(person, (browser, token));
        }
        Self { product, hands, people }
    }

    fn browser(&mut self, person: &str) -> &mut Browser {
        &mut self.people.get_mut(person).expect("somebody").0
    }

    /// Names of all decisions there are, as the plane tells them.
    async fn written(&self) -> Vec<String> {
        let api: Api<Approval> = Api::all(client(&self.product, ACME));
        let all = api.list(&ListParams::default()).await.expect("a list").items;
        all.into_iter().filter_map(|approval| approval.metadata.name).collect()
    }

    async fn posts(&mut self, person: &str, address: &str, pairs: &[(&str, &str)]) -> Answer {
        let (browser, token) = self.people.get_mut(person).expect("somebody");
        let all: Vec<(&str, &str)> = pairs.iter().copied().chain([("_token", token.as_str())]).collect();
        browser.act(address, &all).await
    }

    /// Somebody tries to agree, or what `pairs` say otherwise, by a rule of a policy, and nothing comes of it.
    async fn turned_away(&mut self, person: &str, about: (&Asked, &str), pairs: &[(&str, &str)], status: StatusCode, sentence: &str) {
        let (asked, policy) = about;
        let (rule, address, before) = (&asked.rules[policy], asked.address(), self.written().await);
        let usual = [
            ("uid", asked.uid.as_str()),
            ("rule", rule.as_str()),
            ("hash", asked.hash.as_str()),
            ("decision", "approve"),
            ("back", address.as_str()),
        ];
        let usual = usual.into_iter().filter(|(name, _)| !pairs.iter().any(|(known, _)| known == name));
        let all: Vec<(&str, &str)> = pairs.iter().copied().chain(usual).collect();
        let answer = self.posts(person, "/do/approvals/decide", &all).await;
        self.nothing_came_of(&format!("{person} {pairs:?}"), &answer, status, sentence, &before).await;
    }

    /// The same for several requests at once.
    async fn together(&mut self, person: &str, items: &[&Asked], pairs: &[(&str, &str)], status: StatusCode, sentence: &str) {
        let before = self.written().await;
        let (rule, like) = (items[0].rules[OPERATIONS].clone(), items[0].uid.clone());
        let chosen: Vec<String> = items.iter().map(|asked| asked.item()).collect();
        let usual = [("rule", rule.as_str()), ("like", like.as_str()), ("decision", "approve")];
        let chosen = chosen.iter().map(|item| ("item", item.as_str())).filter(|_| !pairs.contains(&("none", "")));
        let all: Vec<(&str, &str)> = pairs.iter().copied().chain(usual).chain(chosen).collect();
        let answer = self.posts(person, "/do/approvals/decide-together", &all).await;
        self.nothing_came_of(&format!("{person} for several {pairs:?}"), &answer, status, sentence, &before).await;
    }

    async fn nothing_came_of(&self, about: &str, answer: &Answer, status: StatusCode, sentence: &str, before: &[String]) {
        assert_eq!(answer.status, status, "{about}: {sentence}: {}", answer.text);
        assert!(answer.text.contains(sentence), "{about}: {sentence} is not in {}", answer.text);
        assert_eq!(self.written().await, before, "{about}: nothing is written");
    }

    /// Waits until the plane says that somebody may decide for operations, or that they may not.
    async fn may(&self, person: &str, wanted: bool) {
        let caller = self.people[person].0.caller(&self.product).await;
        let cluster = self.product.running.portal.world.tree().cluster(&WorkspacePath::parse(ACME).expect("a path")).expect("a workspace");
        let client = caller.client(&cluster);
        let right = json!({"verb": "approve", "group": "platform.opmodel.dev", "resource": "policies", "name": OPERATIONS});
        let spec = json!({"resourceAttributes": right});
        let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": spec});
        let asking = async {
            loop {
                let request = http::Request::post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
                let request = request.header("content-type", "application/json").body(review.to_string().into_bytes());
                let answer = client.request::<Value>(request.expect("a request")).await;
                // Who may not enter a workspace may not even ask there.
                if answer.is_ok_and(|answer| answer["status"]["allowed"] == true) == wanted {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), asking).await.unwrap_or_else(|_| panic!("{person}: never {wanted}"));
    }
}

/// Has operations asked about every redis, for a second.
async fn hurry(product: &Product) {
    let api: Api<Policy> = Api::all(client(product, ACME));
    let spec: PolicySpec = serde_json::from_value(json!({
        "owner": {"team": "Operations"}, "appliesTo": {"promises": ["redis"]},
        "rules": [{"name": "soon", "approve": {"approvers": {"groups": ["acme-approvers"]}, "expiresAfter": "1s"}}],
    }))
    .expect("a policy");
    api.create(&PostParams::default(), &object::<PolicyKind>("hurry", None, spec)).await.expect("a policy");
    let known = async {
        while api.get("hurry").await.expect("a policy").status.is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), known).await.expect("the controller looks at the policy");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_does_not_count_is_turned_away_with_its_sentence_and_nothing_is_written() {
    const INVALID: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;
    let mut world = World::open().await;
    // Those whose right is tried are named by the rule: it is not that which they lack.
    name_approvers(&world.product, &["dev-shop", "platform-engineer", "dev-data"]).await;
    // Whoever asked has the right to decide as well: it is not the right that they lack.
    let_one_decide(&world.product, "dev-shop").await;
    world.may("dev-shop", true).await;
    hurry(&world.product).await;
    let requester = world.people["dev-shop"].0.clone();
    for name in ["open-db", "decided-db", "withdrawn-db"] {
        asked(&world.product, &requester, name, 50).await;
    }
    ask(&world.product, &requester, "large-db", "postgresql", json!({"tier": "production", "size": "large", "replicas": 2})).await;
    waits(&world.product, "large-db", "").await;
    ask(&world.product, &requester, "late", "redis", json!({})).await;
    until(&world.product, "late", |request| candidate(request).is_some_and(|known| known.state == CandidateState::Expired)).await;
    let mut all = BTreeMap::new();
    for name in ["open-db", "decided-db", "withdrawn-db", "large-db", "late"] {
        let asked = Asked::of(&world.product, name).await;
        world.browser("approver").until(&asked.address(), |answer| answer.status == StatusCode::OK).await;
        all.insert(name, asked);
    }

    // A question that is open.
    let open = &all["open-db"];
    let long = "x".repeat(4097);
    let mut many = vec![("decision", "requestChanges"), ("comment", "All of it")];
    many.extend([("field", ".storage"); 65]);
    let tries: [Try<'_>; 14] = [
        ("approver", &[("decision", "maybe")], INVALID, "Choose whether to approve, reject or request changes."),
        ("approver", &[("decision", "reject")], INVALID, WHY_NOT),
        ("approver", &[("decision", "requestChanges")], INVALID, "Add a comment that says what to change."),
        ("approver", &[("comment", long.as_str())], INVALID, "Shorten the comment to at most 4 KiB."),
        ("approver", &many, INVALID, "Choose at most 64 values."),
        ("approver", &[("hash", "0000")], StatusCode::CONFLICT, "The request changed after you opened this page, so nothing was saved"),
        ("approver", &[("rule", "root/other/rule")], StatusCode::CONFLICT, "This decision is no longer needed"),
        ("approver", &[("emergency", "true"), ("comment", "It burns")], StatusCode::FORBIDDEN, NO_GLASS),
        ("org-owner", &[("emergency", "true")], INVALID, WHAT_EMERGENCY),
        ("org-owner", &[("emergency", "true"), ("decision", "reject"), ("comment", "No")], INVALID, TO_APPROVE),
        ("org-owner", &[], StatusCode::FORBIDDEN, NO_RIGHT),
        ("viewer-shop", &[], StatusCode::FORBIDDEN, NO_RIGHT),
        ("dev-shop", &[], INVALID, OWN),
        ("dev-data", &[], StatusCode::NOT_FOUND, ABSENT),
    ];
    for (person, pairs, status, sentence) in tries {
        world.turned_away(person, (open, OPERATIONS), pairs, status, sentence).await;
    }
    let tries: [Try<'_>; 5] = [
        ("approver", &[("none", "")], INVALID, "Choose at least one request."),
        ("approver", &[("emergency", "true")], INVALID, "These requests can't be decided together."),
        ("viewer-shop", &[], StatusCode::FORBIDDEN, NO_RIGHT),
        ("dev-shop", &[], INVALID, OWN),
        ("dev-data", &[], StatusCode::NOT_FOUND, ABSENT),
    ];
    for (person, pairs, status, sentence) in tries {
        world.together(person, &[open, &all["decided-db"]], pairs, status, sentence).await;
    }

    // One whose turn has not come, and one that is answered.
    let large = &all["large-db"];
    world.turned_away("org-owner", (large, OWNERS), &[], StatusCode::CONFLICT, NOT_OPEN).await;
    let agreed = decide(world.browser("approver"), &large.uid, &[("decision", "approve"), ("back", "/approvals")]).await;
    assert_eq!(agreed.status, StatusCode::SEE_OTHER, "{}", agreed.text);
    until(&world.product, "large-db", |request| {
        let approvals = request.status.as_ref().map(|status| status.approvals.as_slice()).unwrap_or_default();
        approvals.iter().any(|one| one.rule.policy.as_deref() == Some(OPERATIONS) && one.state == ApprovalState::Approved)
    })
    .await;
    world.turned_away("approver", (large, OPERATIONS), &[], StatusCode::CONFLICT, NOT_OPEN).await;

    // Questions that are over: the same post once more, taken back, expired.
    let decided = &all["decided-db"];
    let agreed = decide(world.browser("approver"), &decided.uid, &[("decision", "approve"), ("back", "/approvals")]).await;
    assert_eq!(agreed.status, StatusCode::SEE_OTHER, "{}", agreed.text);
    until(&world.product, "decided-db", |request| candidate(request).is_none_or(|known| known.state == CandidateState::Accepted)).await;
    let withdrawn = &all["withdrawn-db"];
    let pairs = [("uid", withdrawn.uid.as_str()), ("hash", withdrawn.hash.as_str()), ("back", "/approvals")];
    let taken = world.posts("dev-shop", "/do/approvals/withdraw", &pairs).await;
    assert_eq!(taken.status, StatusCode::SEE_OTHER, "{}", taken.text);
    until(&world.product, "withdrawn-db", |request| candidate(request).is_some_and(|known| known.state == CandidateState::Withdrawn)).await;
    for (asked, policy) in [(decided, OPERATIONS), (withdrawn, OPERATIONS), (&all["late"], "hurry")] {
        world.turned_away("approver", (asked, policy), &[], StatusCode::CONFLICT, OVER).await;
    }

    // A right that is revoked after the page was shown. The portal may remember it for a while, and the plane does not.
    let people = ["platform-engineer", "dev-data"];
    for person in people {
        let_one_decide(&world.product, person).await;
        world.may(person, true).await;
    }
    world.hands.put_forward(FORGOTTEN);
    for person in people {
        world.browser(person).until(&open.address(), |answer| answer.text.contains("name=\"rule\"")).await;
        let bindings: Api<ClusterRoleBinding> = Api::all(client(&world.product, ACME));
        bindings.delete(&format!("decides-{person}"), &DeleteParams::default()).await.expect("deleted");
        world.may(person, false).await;
    }
    world.turned_away("platform-engineer", (open, OPERATIONS), &[], StatusCode::FORBIDDEN, "").await;
    world.hands.put_forward(FORGOTTEN);
    world.turned_away("platform-engineer", (open, OPERATIONS), &[], StatusCode::FORBIDDEN, NO_RIGHT).await;
    world.turned_away("dev-data", (open, OPERATIONS), &[], StatusCode::NOT_FOUND, ABSENT).await;
    world.together("dev-data", &[open], &[], StatusCode::NOT_FOUND, ABSENT).await;
    world.product.running.close().await;
}
