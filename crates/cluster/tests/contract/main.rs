//! What the crate needs from a plane, behaviour by behaviour: on the embedded plane, and on a real kube-apiserver and a real kcp where there
//! is one.
//!
//! A behaviour is a function of a [`Ground`]: a fresh namespace of a server with our definitions and admission policies. To add one: a
//! function in the file of its subject, and its name in that file's list.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where something is not as it should be")]

mod access;
mod admission;
mod applying;
mod ground;
mod objects;
mod through;
mod watching;

use std::pin::Pin;

use ground::{Ground, Target};

/// A behaviour by its name.
type Behaviour = (&'static str, fn(Ground) -> Pin<Box<dyn Future<Output = ()> + Send>>);

/// Names each function of a file as a behaviour.
macro_rules! behaviours {
    ($($name:ident),* $(,)?) => {
        pub const BEHAVIOURS: &[crate::Behaviour] = &[$((stringify!($name), |ground| Box::pin($name(ground)))),*];
    };
}
pub(crate) use behaviours;

const SUBJECTS: &[(&str, &[Behaviour])] = &[
    ("objects", objects::BEHAVIOURS),
    ("objects", objects::DIRECT),
    ("applying", applying::BEHAVIOURS),
    ("watching", watching::BEHAVIOURS),
    ("access", access::BEHAVIOURS),
    ("admission", admission::BEHAVIOURS),
];

/// What is shown through the virtual workspace of an export, where the server has such things: there the controller works.
const THROUGH: &[(&str, &[Behaviour])] =
    &[("through", through::BEHAVIOURS), ("objects", objects::BEHAVIOURS), ("watching", watching::BEHAVIOURS)];

#[tokio::test]
async fn embedded() {
    all_on(Target::embedded().await).await;
}

#[tokio::test]
async fn kubernetes() {
    if let Some(target) = Target::kubernetes().await {
        all_on(target).await;
    }
}

#[tokio::test]
async fn kcp() {
    if let Some(target) = Target::kcp().await {
        all_on(target).await;
    }
}

/// Shows every behaviour, one after the other, also after one was not shown, and says which.
async fn all_on(target: Target) {
    target.install().await;
    let mut missing = Vec::new();
    let mut count = shown(&target, SUBJECTS, &mut missing).await;
    if let Some(consumer) = target.consumer().await {
        count += shown(&consumer, THROUGH, &mut missing).await;
    }
    println!("{}: {} of {count} behaviours", target.name, count - missing.len());
    assert!(missing.is_empty(), "{} does not show {}", target.name, missing.join(", "));
}

/// Shows these behaviours and says how many there are.
async fn shown(target: &Target, subjects: &[(&str, &[Behaviour])], missing: &mut Vec<String>) -> usize {
    let mut count = 0;
    for (subject, behaviours) in subjects {
        for (name, behaviour) in *behaviours {
            let ground = target.ground(&format!("{subject}-{name}").replace('_', "-")).await;
            // The panic of a behaviour prints where it was.
            if tokio::spawn(behaviour(ground)).await.is_err() {
                missing.push(format!("{subject}::{name}"));
            }
            count += 1;
        }
    }
    count
}
