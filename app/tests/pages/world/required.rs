//! What a promise requires first, and the request that another one was created for.

use app::view::{RelatedLine, Remedy, RequiredLine};
use promise::state::{RequestState, RequestStates};

/// One line for each way to get what is missing.
pub(super) fn lines() -> Vec<RequiredLine> {
    let line = |what: &str, remedy| RequiredLine { what: what.into(), remedy };
    vec![
        line("a working instance of postgresql", Remedy::Request { promise: "postgresql".into(), title: "PostgreSQL".into() }),
        line("a working instance of redis", Remedy::Offered { promise: "redis".into(), title: "Redis".into() }),
        line("a working instance of vault", Remedy::NotOffered),
        line("the kind Issuer of cert-manager.io at eu-1", Remedy::Platform),
    ]
}

/// The request that creates another one.
pub(super) fn owner() -> RelatedLine {
    RelatedLine {
        workspace: super::WORKSPACE.into(),
        namespace: "default".into(),
        name: "shop-stack".into(),
        promise_title: "Shop".into(),
        states: RequestStates { state: RequestState::Ready, change: None },
    }
}
