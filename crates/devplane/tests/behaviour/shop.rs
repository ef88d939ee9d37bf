//! The export `shop.dev` of `root:provider` with its kind Wheel, and a workspace that can bind it.

use serde_json::{Value, json};

use crate::plane::Server;
use crate::sharing::content;

/// The wheels of `root:team`.
pub const WHEELS: &str = "/clusters/root:team/apis/shop.dev/v1/namespaces/default/wheels";

/// A plane with the export, whose controller has access to its content. `provider` and `team` are ids of clusters.
pub struct Shop {
    pub server: Server,
    pub provider: String,
    pub team: String,
}

impl Shop {
    /// The export with these permission claims; bound nowhere.
    pub async fn open(claims: Value) -> Self {
        let server = Server::start();
        let provider = server.workspace("root", "provider", "universal").await;
        let team = server.workspace("root", "team", "organization").await;
        server.export("root:provider", "shop.dev", "shop.dev", &["wheels"], json!({"permissionClaims": claims})).await;
        server.grant("root:provider", "controller", content("shop.dev")).await;
        Self { server, provider, team }
    }

    /// The export without claims, bound in `root:team`.
    pub async fn bound() -> Self {
        let shop = Self::open(json!([])).await;
        shop.server.bind("root:team", "root:provider", "shop.dev", Value::Null).await;
        shop
    }

    /// The export with one claim, accepted in `root:team` for objects of this selector.
    pub async fn claiming(claim: Value, selector: Value) -> Self {
        let shop = Self::open(json!([claim])).await;
        let mut accepted = claim;
        accepted["state"] = json!("Accepted");
        accepted["selector"] = selector;
        shop.server.bind("root:team", "root:provider", "shop.dev", json!([accepted])).await;
        shop
    }

    /// A path in the export's view of `root:team`.
    pub fn view(&self, path: &str) -> String {
        format!("/services/apiexport/{}/shop.dev/clusters/{}/{path}", self.provider, self.team)
    }
}
