//! The policies that apply to requests in a workspace: those set in it or above it, and those of trusted homes whose scope covers it.
//!
//! Everyone who can enter a workspace can read what applies to the promises offered there. Policies of other promises are shown only to
//! people who can list policies where they are set.

use app::view::EffectivePolicy;
use cluster::ClusterId;
use cluster::kinds::Policy;
use cluster::watch::Key;
use promise::Result;
use promise::api::PromiseSpec;
use promise::policy::{covers_promise, sentence};
use promise::wording::all_of;

use crate::portal::Caller;
use crate::portal::offers::{Offered, Offers};
use crate::portal::place::Workspace;
use crate::portal::rights::Right;

/// Rules of a policy that are put into words.
const SENTENCES: usize = 2;

/// Returns them, those that are set nearest first.
pub(super) async fn effective(caller: &Caller, workspace: &Workspace) -> Result<Vec<EffectivePolicy>> {
    let world = &caller.portal().world;
    let tree = world.tree();
    let lineage = workspace.lineage.iter().rev().filter_map(|place| ClusterId::parse(&place.cluster).ok());
    let trusted = caller.portal().trusted_homes.iter().filter_map(|path| tree.cluster(path));
    let mut homes: Vec<ClusterId> = Vec::new();
    for home in lineage.chain(trusted) {
        if !homes.contains(&home) {
            homes.push(home);
        }
    }
    let (policies, offers) = (world.policies.snapshot(), caller.offers(workspace).await?);
    let mut found = Vec::new();
    for home in homes {
        let Some(source) = tree.path(&home) else { continue };
        let of_home = policies.range(Key::cluster_scoped(&home, "")..).take_while(|(key, _)| key.cluster == home);
        let covering = of_home.filter(|(_, policy)| policy.spec.applies_to.covers_workspace(workspace.path.as_str(), &workspace.labels));
        let covering: Vec<_> = covering.collect();
        if covering.is_empty() {
            continue;
        }
        let reads = caller.may(&home, Right::policy("list", "")).await?;
        for (key, policy) in covering {
            let concerned = concerned(&offers, policy);
            if reads || concerned.is_some() {
                found.push(line(&offers, source.as_str(), &key.name, policy, concerned.flatten().as_ref()));
            }
        }
    }
    Ok(found)
}

/// Returns whether a policy applies to a promise that is offered here, and that promise if it names only one.
fn concerned(offers: &Offers<'_>, policy: &Policy) -> Option<Option<Offered>> {
    match policy.spec.applies_to.promises.as_slice() {
        [] => offers.all().next().map(|_| None),
        [only] if !only.contains('*') => offers.named(only).into_iter().next().map(Some),
        _ => offers.all().find(|offered| covers_promise(&policy.spec.applies_to, &offered.key.name)).map(|_| None),
    }
}

fn line(offers: &Offers<'_>, source: &str, name: &str, policy: &Policy, promise: Option<&Offered>) -> EffectivePolicy {
    let spec = &policy.spec;
    let none = PromiseSpec::default();
    // With one promise, its own labels apply. With several, the parameter names are used.
    let labels = promise.map_or(&none, |offered| &offered.promise.spec);
    let title = |name: &String| {
        let offered = offers.named(name).into_iter().next();
        offered.and_then(|offered| offered.promise.spec.presentation.display_name.clone()).unwrap_or_else(|| name.clone())
    };
    EffectivePolicy {
        source: source.to_owned(),
        name: name.to_owned(),
        title: spec.title.clone().unwrap_or_else(|| name.to_owned()),
        sentences: spec.rules.iter().take(SENTENCES).map(|rule| sentence::in_scope(labels, &spec.applies_to, rule)).collect(),
        more: spec.rules.len().saturating_sub(SENTENCES),
        enforcement: spec.enforcement,
        owner: spec.owner.as_ref().and_then(|owner| owner.team.clone()).unwrap_or_default(),
        promises: all_of(&spec.applies_to.promises.iter().map(title).collect::<Vec<_>>()),
    }
}
