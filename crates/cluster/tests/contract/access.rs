//! Who may do what, and how one asks.

use k8s_openapi::api::authentication::v1::{SelfSubjectReview, TokenRequest};
use k8s_openapi::api::authorization::v1::SelfSubjectAccessReview;
use k8s_openapi::api::core::v1::{ConfigMap, Secret, ServiceAccount};
use kube::Api;
use kube::api::{ListParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::behaviours;
use crate::ground::{Ground, config_map, refused, request, until};

behaviours![
    a_person_is_who_the_server_says,
    without_a_right_nothing_is_read_or_written,
    a_review_answers_what_the_server_then_does,
    where_one_enters_whoever_may_not_is_not_even_told_what_they_may_do,
    a_right_to_one_name_is_a_right_to_that_name,
    a_subresource_is_a_right_of_its_own,
    nobody_acts_as_another_without_the_right,
    who_may_acts_as_a_service_account_and_as_no_more,
    a_service_account_signs_in_with_a_token_of_its_own,
];

/// Whether the server says that dana may.
async fn may(ground: &Ground, attributes: Value) -> bool {
    told(ground, "dana", attributes).await.unwrap()
}

/// What the server says to somebody who asks whether they may.
async fn told(ground: &Ground, person: &str, attributes: Value) -> Result<bool, kube::Error> {
    let review = json!({"spec": {"resourceAttributes": attributes}});
    let review: SelfSubjectAccessReview = serde_json::from_value(review).unwrap();
    let api: Api<SelfSubjectAccessReview> = Api::all(ground.client(person));
    Ok(api.create(&PostParams::default(), &review).await?.status.unwrap().allowed)
}

async fn a_person_is_who_the_server_says(ground: Ground) {
    let api: Api<SelfSubjectReview> = Api::all(ground.client("dana"));
    let review: SelfSubjectReview = serde_json::from_value(json!({})).unwrap();
    let told = api.create(&PostParams::default(), &review).await.unwrap().status.unwrap().user_info.unwrap();
    assert_eq!(told.username.as_deref(), Some("dana"));
    let groups = told.groups.unwrap();
    assert!(["shop", "system:authenticated"].iter().all(|group| groups.iter().any(|own| own == group)), "{groups:?}");
}

async fn without_a_right_nothing_is_read_or_written(ground: Ground) {
    ground.config_maps().create(&PostParams::default(), &config_map("there", "1")).await.unwrap();
    let api: Api<ConfigMap> = Api::namespaced(ground.client("dana"), &ground.namespace);
    let denied = (403, "Forbidden".to_owned());
    assert_eq!(refused(api.get("there").await), denied);
    assert_eq!(refused(api.get("absent").await), denied, "what is not there is denied as well");
    assert_eq!(refused(api.list(&ListParams::default()).await), denied);
    assert_eq!(refused(api.create(&PostParams::default(), &config_map("new", "1")).await), denied);
}

async fn a_review_answers_what_the_server_then_does(ground: Ground) {
    let asked = json!({"namespace": ground.namespace, "verb": "create", "group": "platform.opmodel.dev", "resource": "promiserequests"});
    assert!(!may(&ground, asked.clone()).await);
    assert_eq!(refused(ground.requests("dana").create(&PostParams::default(), &request("a")).await).0, 403);
    ground
        .grant(
            "requests",
            json!({"apiGroups": ["platform.opmodel.dev"], "resources": ["promiserequests"], "verbs": ["create", "get", "patch"]}),
        )
        .await;
    until("the right counts", || may(&ground, asked.clone())).await;
    ground.requests("dana").create(&PostParams::default(), &request("a")).await.unwrap();
    let elsewhere = json!({"namespace": "default", "verb": "create", "group": "platform.opmodel.dev", "resource": "promiserequests"});
    assert!(!may(&ground, elsewhere).await);
}

async fn where_one_enters_whoever_may_not_is_not_even_told_what_they_may_do(ground: Ground) {
    let asked = json!({"verb": "list", "group": "platform.opmodel.dev", "resource": "promiserequests"});
    assert!(!told(&ground, "dana", asked.clone()).await.unwrap(), "who may enter is answered");
    let outside = told(&ground, "olaf", asked).await;
    if ground.is_entered() {
        assert_eq!(refused(outside).0, 403);
    } else {
        assert!(!outside.unwrap());
    }
}

async fn a_right_to_one_name_is_a_right_to_that_name(ground: Ground) {
    let secrets: Api<Secret> = Api::namespaced(ground.client("admin"), &ground.namespace);
    for name in ["mine-outputs", "other"] {
        let secret: Secret = serde_json::from_value(json!({"metadata": {"name": name}, "stringData": {"password": "p"}})).unwrap();
        secrets.create(&PostParams::default(), &secret).await.unwrap();
    }
    ground.grant("one", json!({"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["mine-outputs"], "verbs": ["get"]})).await;
    let api: Api<Secret> = Api::namespaced(ground.client("dana"), &ground.namespace);
    until("the right counts", || async { api.get("mine-outputs").await.is_ok() }).await;
    assert_eq!(refused(api.get("other").await).0, 403);
    assert_eq!(refused(api.list(&ListParams::default()).await).0, 403);
}

async fn a_subresource_is_a_right_of_its_own(ground: Ground) {
    ground.grant("requests", json!({"apiGroups": ["platform.opmodel.dev"], "resources": ["promiserequests"], "verbs": ["*"]})).await;
    let api = ground.requests("dana");
    until("the right counts", || async { api.list(&ListParams::default()).await.is_ok() }).await;
    api.create(&PostParams::default(), &request("a")).await.unwrap();
    let forged = json!({"status": {"phase": "Ready"}});
    assert_eq!(refused(api.patch_status("a", &PatchParams::default(), &Patch::Merge(forged)).await).0, 403);
}

async fn nobody_acts_as_another_without_the_right(ground: Ground) {
    ground.config_maps().create(&PostParams::default(), &config_map("a", "1")).await.unwrap();
    let as_admin: Api<ConfigMap> = Api::namespaced(ground.client_as("dana", "admin"), &ground.namespace);
    assert_eq!(refused(as_admin.get("a").await).0, 403);
    // With rights of her own she still is not somebody else.
    ground.grant("maps", json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]})).await;
    let own: Api<ConfigMap> = Api::namespaced(ground.client("dana"), &ground.namespace);
    until("the right counts", || async { own.get("a").await.is_ok() }).await;
    assert_eq!(refused(as_admin.get("a").await).0, 403);
}

/// Makes the ServiceAccount of the namespace, which may read config maps.
async fn fulfiller(ground: &Ground) -> Api<ServiceAccount> {
    let accounts: Api<ServiceAccount> = Api::namespaced(ground.client("admin"), &ground.namespace);
    let account: ServiceAccount = serde_json::from_value(json!({"metadata": {"name": "opm-fulfiller"}})).unwrap();
    accounts.create(&PostParams::default(), &account).await.unwrap();
    let subject = json!({"kind": "ServiceAccount", "name": "opm-fulfiller", "namespace": ground.namespace});
    let rule = json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]});
    ground.grant_to(&subject, "fulfiller", rule).await;
    ground.config_maps().create(&PostParams::default(), &config_map("a", "1")).await.unwrap();
    accounts
}

async fn who_may_acts_as_a_service_account_and_as_no_more(ground: Ground) {
    fulfiller(&ground).await;
    let user = format!("system:serviceaccount:{}:opm-fulfiller", ground.namespace);
    let maps: Api<ConfigMap> = Api::namespaced(ground.client_as("dana", &user), &ground.namespace);
    assert_eq!(refused(maps.get("a").await).0, 403, "nobody has the right by himself");
    let rule = json!({"apiGroups": [""], "resources": ["serviceaccounts"], "resourceNames": ["opm-fulfiller"], "verbs": ["impersonate"]});
    ground.grant("acts", rule).await;
    until("the right counts", || async { maps.get("a").await.is_ok() }).await;
    let own: Api<ConfigMap> = Api::namespaced(ground.client("dana"), &ground.namespace);
    assert_eq!(refused(own.get("a").await).0, 403, "the right is not her own");
    let secrets: Api<Secret> = Api::namespaced(ground.client_as("dana", &user), &ground.namespace);
    assert_eq!(refused(secrets.list(&ListParams::default()).await).0, 403, "and it is no more than the other's");
    let other = format!("system:serviceaccount:{}:default", ground.namespace);
    let maps: Api<ConfigMap> = Api::namespaced(ground.client_as("dana", &other), &ground.namespace);
    assert_eq!(refused(maps.get("a").await).0, 403);
}

async fn a_service_account_signs_in_with_a_token_of_its_own(ground: Ground) {
    let accounts = fulfiller(&ground).await;
    let asked: TokenRequest = serde_json::from_value(json!({"spec": {"audiences": [], "expirationSeconds": 600}})).unwrap();
    let made = accounts.create_token_request("opm-fulfiller", &PostParams::default(), &asked).await.unwrap();
    let client = ground.client_with(&made.status.unwrap().token.unwrap());
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), &ground.namespace);
    until("the right counts", || async { maps.get("a").await.is_ok() }).await;
    assert_eq!(refused(maps.list(&ListParams::default()).await).0, 403);
}
