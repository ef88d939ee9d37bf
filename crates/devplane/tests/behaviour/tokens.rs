//! Tokens of service accounts.

use serde_json::{Value, json};

use crate::plane::Server;

#[tokio::test]
async fn a_token_is_its_service_account_where_it_was_made_and_until_it_goes() {
    let server = Server::start();
    server.workspace("root", "team", "universal").await;
    for (prefix, other) in [("", "/clusters/root:team"), ("/clusters/root:team", "")] {
        let accounts = format!("{prefix}/api/v1/namespaces/default/serviceaccounts");
        server.create("admin", &accounts, json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}})).await;
        let asked = server.create("admin", &format!("{accounts}/robot/token"), json!({"spec": {}})).await;
        let token = asked["status"]["token"].as_str().unwrap();
        assert_eq!(asked["spec"]["expirationSeconds"], 3600);

        let reviews = "apis/authentication.k8s.io/v1/selfsubjectreviews";
        let (status, _) = server.post(token, &format!("{other}/{reviews}"), json!({})).await;
        assert_eq!(status, 401, "another cluster does not know it");
        let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}});
        let tokens = format!("{prefix}/apis/authentication.k8s.io/v1/tokenreviews");
        let (_, known) = server.post("admin", &tokens, review.clone()).await;
        assert_eq!(known["status"]["user"]["username"], "system:serviceaccount:default:robot");
        assert_eq!(server.get(token, &format!("{prefix}/api/v1/secrets")).await.0, 403, "it has no rights by itself");

        let for_others = server.create("admin", &format!("{accounts}/robot/token"), json!({"spec": {"audiences": ["vault"]}})).await;
        let (status, _) = server.get(for_others["status"]["token"].as_str().unwrap(), &format!("{prefix}/api")).await;
        assert_eq!(status, 401, "a token for others opens nothing here");

        server.send("admin", "DELETE", &format!("{accounts}/robot"), "application/json", Value::Null).await;
        let (_, known) = server.post("admin", &tokens, review).await;
        assert_eq!(known["status"]["authenticated"], Value::Null, "it dies with its account");
    }
}
