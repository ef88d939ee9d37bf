//! The dry run: what the plane says to a request, asked as the person.

use std::time::Instant;

use cluster::kinds::{PromiseRequest, PromiseRequestKind, object};
use cluster::{Scope, WorkspacePath};
use kube::Api;
use kube::api::PostParams;
use opm_portal::config::{Config, PlaneConfig, SignInConfig, Storage};
use opm_portal::serve::{Edges, Running};
use promise::api::{PromiseRef, PromiseRequestSpec};

use super::figures::Figures;
use super::world::World;

/// Times `before` together with a dry run of a new request for the promise of `asked`, on an embedded plane with the sample world.
pub fn measure(asked: &World, rounds: usize, mut before: impl FnMut(usize)) -> Figures {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let config = Config {
            plane: PlaneConfig::Embedded { listen: ([127, 0, 0, 1], 0).into(), examples: None, history: false, authentication: None },
            storage: Storage::Memory,
            listen: ([127, 0, 0, 1], 0).into(),
            web: true,
            controller: false,
            database: None,
            session_key_file: None,
            metrics: None,
            public_url: None,
            notify: notify::NotifyConfig::default(),
            limits: opm_portal::limits::LimitsConfig::default(),
            sign_in: SignInConfig::default(),
            audit: opm_portal::audit::AuditConfig::default(),
        };
        let running = Running::open(&config, Edges::default()).await.expect("the portal opens");
        let person = running.sandbox.as_ref().and_then(|sandbox| sandbox.identities.token("dev-shop")).expect("a person");
        let scope = Scope::Workspace(WorkspacePath::parse("root:acme:shop").expect("a path"));
        let requests: Api<PromiseRequest> = Api::namespaced(running.portal.endpoint.client(person, &scope), "default");
        let request = |round| {
            let promise = PromiseRef { name: asked.name.clone(), workspace: Some("root:platform".into()), version: None };
            let spec = PromiseRequestSpec { promise, ..asked.request(round) };
            object::<PromiseRequestKind>("orders", Some("default"), spec)
        };
        let params = PostParams { dry_run: true, ..PostParams::default() };
        requests.create(&params, &request(0)).await.expect("the plane would take it");
        let mut times = Vec::with_capacity(rounds);
        for round in 0..rounds.max(1) {
            let start = Instant::now();
            before(round);
            requests.create(&params, &request(round)).await.expect("the plane would take it");
            times.push(start.elapsed());
        }
        running.close().await;
        Figures::new(times)
    })
}
