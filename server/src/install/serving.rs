//! Checks whether `serve` could start on a server: its two identities, and what they can read.

use std::sync::Arc;

use cluster::endpoint::Own;
use cluster::install::{self, Finding, Identities};
use cluster::projection::Reader;
use cluster::world::Access;
use cluster::{Token, Topology};
use k8s_openapi::api::authentication::v1::SelfSubjectReview;
use kube::Api;
use kube::api::PostParams;
use tokio_util::sync::CancellationToken;

use crate::clock::{Clock as _, System};
use crate::plane::held::{Held, HeldError};
use crate::plane::identity::{CONTROLLER, PORTAL};

/// Returns what keeps `serve` from starting, or requests in prepared workspaces from being fulfilled.
pub async fn hindrances(own: &Own, topology: &Topology) -> Vec<Finding> {
    let (portal, controller) = tokio::join!(identity(own, topology, PORTAL), identity(own, topology, CONTROLLER));
    let (portal, controller) = match (portal, controller) {
        (Ok(portal), Ok(controller)) => (portal, controller),
        (portal, controller) => return [portal, controller].into_iter().filter_map(Result::err).collect(),
    };
    let shutdown = CancellationToken::new();
    let clock: Arc<dyn cluster::Clock> = Arc::new(|| System.now());
    let reads = |token: Token, who: &'static str, reader: Reader| {
        let access = Access { endpoint: own.endpoint(topology), token, topology: topology.clone() };
        install::readable(access, who, reader, clock.clone(), &shutdown)
    };
    let (portal, controller) = tokio::join!(reads(portal, PORTAL, Reader::Portal), reads(controller, CONTROLLER, Reader::Controller));
    let mut found = portal.map_or_else(|fails| fails, |world| install::settled(&world));
    found.extend(controller.err().into_iter().flatten());
    shutdown.cancel();
    found
}

/// Returns the token of an identity after the server confirmed that it belongs to it.
async fn identity(own: &Own, topology: &Topology, name: &'static str) -> Result<Token, Finding> {
    let held = Held::open(own, topology, name).await.map_err(|error| absent(topology, name, &error))?;
    let reviews: Api<SelfSubjectReview> = Api::all(own.endpoint(topology).client(held.token(), &topology.own()));
    let answer = reviews.create(&PostParams::default(), &SelfSubjectReview::default()).await;
    let finding = |what: String, remedy: String| Finding { what, remedy };
    let answer = answer.map_err(|error| match cluster::error::from_plane(&error, "its own name") {
        promise::Error::Unauthenticated => finding(
            format!("The server doesn't accept the token of {name}."),
            format!("put a valid token of the user {name} into the context {name}, or remove the context"),
        ),
        promise::Error::Denied { .. } => finding(format!("{name} can't enter the provider workspace."), BOOTSTRAP.to_owned()),
        other => finding(format!("{name} can't look up its own identity: {other}."), BOOTSTRAP.to_owned()),
    })?;
    let username = answer.status.and_then(|status| status.user_info).and_then(|user| user.username).unwrap_or_default();
    let accepted = match topology {
        // The provider workspace doesn't affect the names.
        Topology::Workspaces { .. } => Identities::default().with_accounts_of("").accepts(name, &username),
        Topology::Namespaces => {
            let usual = Identities::usual(topology);
            usual.accepts(&usual.portal, &username) && name == PORTAL || usual.accepts(&usual.controller, &username) && name == CONTROLLER
        }
    };
    if accepted {
        return Ok(held.token().clone());
    }
    Err(finding(
        format!("The context {name} belongs to the user {username}, but admission policies and roles only know {name}."),
        format!("use a token of the user {name} in the context {name}, or remove the context to use the ServiceAccount"),
    ))
}

const BOOTSTRAP: &str = "opm-portal bootstrap";

fn absent(topology: &Topology, name: &str, error: &HeldError) -> Finding {
    let account = topology.own_object("ServiceAccount", name);
    match error {
        HeldError::Context(error) => Finding {
            what: format!("serve has no token for {name}: {error}."),
            remedy: format!("give the user of the context {name} a token, or remove the context"),
        },
        HeldError::Account(promise::Error::Denied { .. }) => Finding {
            what: format!(
                "serve has no token for {name}: the kubeconfig has no context {name}, and you can't create tokens of the {account}."
            ),
            remedy: format!(
                "request permission to create serviceaccounts/token there, or add a context {name} with a token of the user {name}"
            ),
        },
        HeldError::Account(error) => Finding {
            what: format!(
                "serve has no token for {name}: the kubeconfig has no context {name}, and the {account} can't issue one ({error})."
            ),
            remedy: BOOTSTRAP.to_owned(),
        },
    }
}
