//! What requests depend on: the control plane, the controller, and the destinations and endpoints that the user can list.

use std::collections::BTreeMap;
use std::sync::Arc;

use app::view::{PartKind, PartState, PlatformPart};
use cluster::ClusterId;
use cluster::controller::ControllerState;
use cluster::kinds::{Destination, Endpoint};
use cluster::watch::{Freshness, Key};
use imbl::OrdMap;
use promise::Result;
use promise::api::{Condition, ConditionStatus};

use crate::portal::Caller;
use crate::portal::Portal;
use crate::portal::rights::Right;

/// Number of instances with objects at a destination, by its home workspace and name.
pub(super) type AtDestinations = BTreeMap<(String, String), usize>;

/// Returns the parts, those with problems first among destinations and among endpoints.
pub(super) async fn of(caller: &Caller, used: &AtDestinations) -> Result<Vec<PlatformPart>> {
    let portal = caller.portal();
    let mut parts = vec![plane(portal)];
    parts.extend(portal.controller.as_ref().map(|state| controller(&state.borrow())));
    let readable = readable(caller, &portal.world.destinations.snapshot(), Right::destinations("list")).await?;
    parts.extend(in_order(readable.iter().map(|(key, one)| destination(key, one, used))));
    let readable = self::readable(caller, &portal.world.endpoints.snapshot(), Right::endpoints("list")).await?;
    parts.extend(in_order(readable.iter().map(|(key, one)| endpoint(key, one))));
    Ok(parts)
}

/// Returns the objects of the homes where the user has this permission.
async fn readable<V>(caller: &Caller, all: &OrdMap<Key, Arc<V>>, right: Right) -> Result<Vec<(Key, Arc<V>)>> {
    let mut homes: Vec<ClusterId> = all.keys().map(|key| key.cluster.clone()).collect();
    homes.dedup();
    let mut readable = Vec::new();
    for home in homes {
        if caller.may(&home, right.clone()).await? {
            readable.push(home);
        }
    }
    let there = all.iter().filter(|(key, _)| readable.contains(&key.cluster));
    Ok(there.map(|(key, one)| (key.clone(), one.clone())).collect())
}

fn in_order(parts: impl Iterator<Item = PlatformPart>) -> Vec<PlatformPart> {
    let mut parts: Vec<PlatformPart> = parts.collect();
    parts.sort_by(|a, b| (a.state == PartState::Works, &a.name).cmp(&(b.state == PartState::Works, &b.name)));
    parts
}

fn plane(portal: &Portal) -> PlatformPart {
    let world = &portal.world;
    let watched = world.requests.snapshot().len() + world.promises.snapshot().len() + world.policies.snapshot().len();
    let (state, since) = match world.requests.freshness() {
        Freshness::Synced => (PartState::Works, None),
        Freshness::Starting => (PartState::Waits, None),
        Freshness::Unreachable { since, .. } => (PartState::Fails, Some(since.to_string())),
    };
    PlatformPart { name: portal.endpoint.name().to_owned(), state, since, watched, ..PlatformPart::new(PartKind::Plane) }
}

/// Why it doesn't work can name workspaces and addresses, and is in the log.
fn controller(state: &ControllerState) -> PlatformPart {
    let state = match state {
        ControllerState::Ready | ControllerState::Standby { .. } => PartState::Works,
        ControllerState::Waiting { .. } | ControllerState::Starting { .. } => PartState::Waits,
        ControllerState::Degraded { .. } | ControllerState::Stopped => PartState::Fails,
    };
    PlatformPart { state, ..PlatformPart::new(PartKind::Controller) }
}

fn destination(key: &Key, destination: &Destination, used: &AtDestinations) -> PlatformPart {
    let status = destination.status.as_ref();
    PlatformPart {
        version: status.and_then(|status| status.version.clone()).unwrap_or_default(),
        instances: used.get(&(key.cluster.to_string(), key.name.clone())).copied().unwrap_or_default(),
        ..of_conditions(PartKind::Destination, key, status.map(|status| status.conditions.as_slice()).unwrap_or_default())
    }
}

fn endpoint(key: &Key, endpoint: &Endpoint) -> PlatformPart {
    let conditions = endpoint.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
    PlatformPart { version: endpoint.spec.url.clone(), ..of_conditions(PartKind::Endpoint, key, conditions) }
}

/// Returns a part whose state is that of its worst condition.
fn of_conditions(kind: PartKind, key: &Key, conditions: &[Condition]) -> PlatformPart {
    let is = |wanted: ConditionStatus| move |condition: &&Condition| condition.status == wanted;
    let against = conditions.iter().find(is(ConditionStatus::False));
    let unclear = conditions.iter().find(is(ConditionStatus::Unknown));
    let (state, about) = match (against, unclear, conditions.first()) {
        (Some(condition), ..) => (PartState::Fails, Some(condition)),
        (None, Some(condition), _) => (PartState::Unknown, Some(condition)),
        (None, None, Some(condition)) => (PartState::Works, Some(condition)),
        (None, None, None) => (PartState::Unknown, None),
    };
    PlatformPart {
        name: key.name.clone(),
        state,
        message: about.filter(|_| state != PartState::Works).map(|condition| condition.message.clone()).unwrap_or_default(),
        since: about.and_then(|condition| condition.last_transition_time.clone()),
        ..PlatformPart::new(kind)
    }
}

#[cfg(test)]
mod tests {
    use cluster::kinds::{DestinationKind, object};
    use promise::api::{DestinationSpec, DestinationStatus};

    use super::*;

    #[test]
    fn a_destination_is_as_its_worst_condition() {
        let key = Key::cluster_scoped(&ClusterId::parse("platform").unwrap(), "eu-1");
        let used = AtDestinations::from([(("platform".to_owned(), "eu-1".to_owned()), 4), (("other".to_owned(), "eu-1".to_owned()), 7)]);
        let shown = |statuses: &[(ConditionStatus, &str)]| {
            let condition = |(status, message): &(ConditionStatus, &str)| Condition {
                status: *status,
                message: (*message).to_owned(),
                last_transition_time: Some("2026-11-21T10:29:00Z".into()),
                ..Condition::default()
            };
            let mut one = object::<DestinationKind>("eu-1", None, DestinationSpec::default());
            let conditions = statuses.iter().map(condition).collect();
            one.status = Some(DestinationStatus { conditions, ..DestinationStatus::default() });
            destination(&key, &one, &used)
        };
        let works = shown(&[(ConditionStatus::True, "The server responds")]);
        assert_eq!((works.state, works.message.as_str(), works.instances), (PartState::Works, "", 4));
        let fails = shown(&[(ConditionStatus::True, "The server responds"), (ConditionStatus::False, "The credential is refused")]);
        assert_eq!((fails.state, fails.message.as_str()), (PartState::Fails, "The credential is refused"));
        assert_eq!(shown(&[(ConditionStatus::Unknown, "No response")]).state, PartState::Unknown);
        assert_eq!((shown(&[]).state, shown(&[]).since), (PartState::Unknown, None), "it was never asked");
    }

    #[test]
    fn a_controller_on_standby_works() {
        let state = |state: ControllerState| controller(&state).state;
        assert_eq!(state(ControllerState::Standby { why: "Another instance leads.".into() }), PartState::Works);
        assert_eq!(state(ControllerState::Degraded { why: "It cannot read its Lease.".into() }), PartState::Fails);
    }
}
