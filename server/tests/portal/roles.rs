//! Everyone with whom each operation of the REST API and each command is tried: from nobody to someone who can write.

use std::sync::Arc;
use std::time::Duration;

use cluster::{Scope, WorkspacePath};
use opm_portal::clock::Clock as _;
use opm_portal::config::{SessionLifetime, SignInConfig};
use serde_json::json;

use crate::access::{but_refusals, kept, version, write_request, write_run};
use crate::browser::Product;
use crate::hands::Hands;
use crate::lists::post;
use crate::oidc::issuer::Issuer;
use crate::programs::token;

/// Where everything is tried.
pub const SHOP: &str = "root:acme:shop";
/// Name of the request of redis that is there.
pub const THERE: &str = "zebra";
/// Someone who can do everything in another workspace, and nothing in the shop.
const ELSEWHERE: &str = "zoe";

/// Who tries something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Someone without a token.
    Anonymous,
    /// Someone with a token that nobody issued.
    Unknown,
    /// Someone who could write, with a token that has expired.
    Expired,
    /// Someone of another team.
    Stranger,
    /// Someone who can do everything in another workspace.
    AdminElsewhere,
    /// Someone who can look.
    Viewer,
    /// Someone who can write requests.
    Editor,
}

impl Role {
    /// All roles, those who can write last.
    pub const ALL: [Self; 7] =
        [Self::Anonymous, Self::Unknown, Self::Expired, Self::Stranger, Self::AdminElsewhere, Self::Viewer, Self::Editor];

    /// Whether the plane knows who it is.
    pub fn is_known(self) -> bool {
        !matches!(self, Self::Anonymous | Self::Unknown | Self::Expired)
    }

    /// Whether the plane lets the role into the shop.
    pub fn is_inside(self) -> bool {
        matches!(self, Self::Viewer | Self::Editor)
    }
}

/// A portal without a controller, so that nothing is written unless someone asks for it, and everyone's token.
pub struct Roles {
    pub product: Product,
    clock: Arc<Hands>,
    issuer: Issuer,
    _folder: tempfile::TempDir,
}

impl Roles {
    /// Opens the portal with a request in the shop.
    pub async fn open() -> Self {
        let clock = Hands::of_the_machine();
        let issuer = Issuer::start(clock.clone()).await;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("authentication.json");
        let kind = "AuthenticationConfiguration";
        let configuration = json!({"apiVersion": "apiserver.config.k8s.io/v1", "kind": kind, "jwt": [issuer.authenticator()]});
        std::fs::write(&file, configuration.to_string()).expect("written");
        let providers = vec![issuer.config("sso")];
        let sign_in =
            SignInConfig { samples: false, tokens: false, providers, lifetime: SessionLifetime::default(), reauthentication: None };
        let product = Product::federated(sign_in, &file, false, clock.clone()).await;
        write_request(&product, THERE).await;
        write_run(&product, THERE).await;
        let listed = async {
            while !product.running.portal.world.requests.snapshot().keys().any(|key| key.name == THERE) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), listed).await.expect("the portal sees the request");
        let here = Self { product, clock, issuer, _folder: folder };
        here.lets_rule("root:acme:data").await;
        here
    }

    /// Makes someone an admin of a workspace.
    async fn lets_rule(&self, workspace: &str) {
        let scope = Scope::Workspace(WorkspacePath::parse(workspace).expect("a path"));
        let client = self.product.running.portal.endpoint.client(self.product.admin(), &scope);
        let rules = json!([{"nonResourceURLs": ["*"], "verbs": ["*"]}, {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]);
        let group = "rbac.authorization.k8s.io";
        let role = json!({"apiVersion": format!("{group}/v1"), "kind": "ClusterRole", "metadata": {"name": "rules"}, "rules": rules});
        post(&client, &format!("/apis/{group}/v1/clusterroles"), role).await;
        let binding = json!({
            "apiVersion": format!("{group}/v1"), "kind": "ClusterRoleBinding", "metadata": {"name": "rules"},
            "subjects": [{"kind": "User", "apiGroup": group, "name": ELSEWHERE}],
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "rules"},
        });
        post(&client, &format!("/apis/{group}/v1/clusterrolebindings"), binding).await;
    }

    /// The token of a role.
    pub fn token(&self, role: Role) -> Option<String> {
        let of = |person: &str| Some(token(&self.product, person));
        let issued = |person: &str, lifetime: i64| Some(self.issuer.id_token(person, self.clock.now().as_second() + lifetime));
        match role {
            Role::Anonymous => None,
            Role::Unknown => Some("nobody".to_owned()),
            // The same person with a token that has not expired can write.
            Role::Expired => issued("dev-shop", -3600),
            Role::Stranger => of("dev-data"),
            Role::AdminElsewhere => issued(ELSEWHERE, 3600),
            Role::Viewer => of("viewer-shop"),
            Role::Editor => issued("dev-shop", 3600),
        }
    }

    /// What is written: the version of the plane, and what the portal keeps.
    pub async fn written(&self) -> (String, Vec<(&'static str, i64)>) {
        (version(&self.product).await, but_refusals(kept(&self.product).await))
    }
}
