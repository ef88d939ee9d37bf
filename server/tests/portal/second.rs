//! A second portal at the plane of a first one, which it reaches as any server of a kubeconfig.

use notify::NotifyConfig;
use opm_portal::config::{Config, OnServer, PlaneConfig, SignInConfig, Storage};
use opm_portal::limits::LimitsConfig;
use opm_portal::router::router;
use opm_portal::serve::{Edges, Running};
use serde_json::{Value, json};

use crate::browser::Product;

/// A portal at the plane of another, to which people sign in with tokens.
pub struct Second {
    /// It.
    pub product: Product,
    _folder: tempfile::TempDir,
}

impl Second {
    /// Opens one that has no controller.
    pub async fn of(first: &Product) -> Self {
        let (config, folder) = config(first, SignInConfig { samples: false, tokens: true, ..SignInConfig::default() });
        let running = Running::open(&config, Edges::default()).await.expect("the portal opens");
        running.portal.world.synced().await;
        let router = router(&running.portal);
        Self { product: Product { running, router }, _folder: folder }
    }
}

/// The kubeconfig of an operator, with the identities of portal and controller.
pub fn kubeconfig(first: &Product) -> Value {
    let sandbox = first.running.sandbox.as_ref().expect("an embedded plane");
    let text = std::fs::read_to_string(&sandbox.kubeconfig).expect("a kubeconfig");
    let mut kubeconfig: Value = serde_json::from_str(&text).expect("JSON");
    for name in ["opm-portal", "opm-controller"] {
        let token = sandbox.identities.token(name).expect("an identity").expose().to_string();
        let put = |list: &mut Value, item: Value| list.as_array_mut().expect("a list").push(item);
        put(&mut kubeconfig["users"], json!({"name": name, "user": {"token": token}}));
        put(&mut kubeconfig["contexts"], json!({"name": name, "context": {"cluster": "root", "user": name}}));
    }
    kubeconfig
}

/// The settings of a portal without a controller at the plane of another, and the folder with its kubeconfig.
pub fn config(first: &Product, sign_in: SignInConfig) -> (Config, tempfile::TempDir) {
    let sandbox = first.running.sandbox.as_ref().expect("an embedded plane");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kubeconfig");
    std::fs::write(&file, kubeconfig(first).to_string()).expect("written");
    let server = OnServer { kubeconfig: Some(file), context: None, provider: sandbox.world.provider.clone() };
    let config = Config {
        plane: PlaneConfig::Kubeconfig { server, trusted_homes: sandbox.world.trusted_homes().cloned().collect() },
        storage: Storage::Memory,
        listen: ([127, 0, 0, 1], 0).into(),
        web: true,
        controller: false,
        database: None,
        session_key_file: None,
        metrics: None,
        public_url: None,
        notify: NotifyConfig::default(),
        limits: LimitsConfig { requests_per_second: None, ..LimitsConfig::default() },
        sign_in,
        audit: opm_portal::audit::AuditConfig::default(),
    };
    (config, folder)
}
