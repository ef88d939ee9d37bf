//! Starts a rollout: the chosen instances, or all that match, as far as the user can list them.

use std::collections::BTreeSet;

use app::view::{FleetQuery, RolloutForm};
use promise::rollout::{MAX_MEMBERS, MAX_MINUTES, MAX_WAVE};
use promise::{Error, Problem, Result};
use store::{NewMember, NewRollout};

use super::authored::Authored;
use super::instances::{Instance, Instances, matches};
use crate::portal::Caller;
use crate::portal::caller::database;
use crate::portal::write::{WriteOperation, WriteTarget};

/// Starts a rollout, and returns its id.
pub(super) async fn start(caller: &Caller, form: &RolloutForm) -> Result<String> {
    let authored = Authored::read(caller, &form.place, &form.promise).await?;
    if !authored.versions(caller).iter().any(|choice| choice.version == form.to) {
        return Err(invalid("to", format!("Choose another version: {} isn't published.", form.to)));
    }
    let wave_size = number("wave", &form.wave, MAX_WAVE.try_into().unwrap_or(u32::MAX), "Enter how many instances a wave has")?;
    let minutes = number("minutes", &form.minutes, MAX_MINUTES, "Enter how many minutes an instance has to be ready")?;
    let Instances { all, .. } = Instances::of(caller, &authored).await?;
    let chosen = chosen(&all, form);
    if chosen.is_empty() {
        return Err(invalid("item", "Select at least one instance.".to_owned()));
    }
    if chosen.len() > MAX_MEMBERS {
        return Err(invalid("item", format!("Filter the list first: a rollout can upgrade at most {MAX_MEMBERS} instances.")));
    }
    let members: Vec<NewMember<'_>> = chosen.iter().map(|one| member(one)).collect();
    let (portal, home) = (caller.portal(), authored.key.cluster.to_string());
    let new = NewRollout {
        home: &home,
        promise: &form.promise,
        version: &form.to,
        person: &caller.identity().person,
        session: caller.session(),
        wave_size,
        minutes,
        skips: form.all,
    };
    let write = caller.write(WriteOperation::StartRollout, WriteTarget::in_workspace("rollout", &authored.key.cluster, &form.promise));
    let begun = write.remember(portal.store.begin_rollout(&new, &members, portal.clock.now(), &*portal.random), |_| true).await;
    let id = begun.map_err(|error| database(&error))?;
    portal.rollouts.wake();
    Ok(id)
}

/// Returns the chosen instances in the order of the list, without those that run the version.
fn chosen<'a>(all: &'a [Instance], form: &RolloutForm) -> Vec<&'a Instance> {
    let others = all.iter().filter(|one| one.version != form.to);
    if form.all {
        let query =
            FleetQuery { q: form.q.clone(), workspace: form.workspace.clone(), version: form.version.clone(), ..FleetQuery::default() };
        return others.filter(|one| matches(one, &query)).collect();
    }
    let items: BTreeSet<&str> = form.items.iter().map(String::as_str).collect();
    others.filter(|one| items.contains(format!("{}/{}/{}", one.path, one.key.namespace, one.key.name).as_str())).collect()
}

fn member(one: &Instance) -> NewMember<'_> {
    NewMember {
        cluster: one.key.cluster.as_str(),
        namespace: &one.key.namespace,
        name: &one.key.name,
        uid: one.request.metadata.uid.as_deref().unwrap_or_default(),
        from: &one.version,
    }
}

/// Reads a number between one and `most`.
fn number(field: &str, typed: &str, most: u32, ask: &str) -> Result<u32> {
    let number = typed.trim().parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| invalid(field, format!("{ask}, from 1 to {most}.")))
}

fn invalid(field: &str, message: String) -> Error {
    Error::Invalid { problems: vec![Problem { path: format!(".{field}"), message }] }
}
