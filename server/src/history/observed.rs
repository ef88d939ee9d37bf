//! What the cost ledger observed during a story: when which instance was ready, and at which price.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use store::{Observation, Rate, Subject};

/// A period of time in which an instance was ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    uid: String,
    cluster: String,
    workspace: String,
    namespace: String,
    name: String,
    home: String,
    promise: String,
    version: String,
    project: String,
    owner: String,
    since: Timestamp,
    until: Option<Timestamp>,
    micros: Option<i64>,
    currency: String,
    basis: String,
}

impl Observed {
    /// Returns what the ledger observed. When nobody looked isn't part of a story.
    pub(crate) fn of(observation: Observation) -> Option<Self> {
        let Observation { subject, since, until, ready, rate, basis } = observation;
        let until = until.map(Timestamp::from_second).transpose().ok()?;
        let (micros, currency) = rate.map_or((None, String::new()), |rate| (Some(rate.micros), rate.currency));
        let Subject { uid, cluster, workspace, namespace, name, home, promise, version, project, owner } = subject;
        let since = Timestamp::from_second(since).ok()?;
        ready.then_some(Self {
            uid,
            cluster,
            workspace,
            namespace,
            name,
            home,
            promise,
            version,
            project,
            owner,
            since,
            until,
            micros,
            currency,
            basis,
        })
    }

    /// Returns it as the ledger writes it.
    pub(super) fn into_observation(self) -> Observation {
        let Self { uid, cluster, workspace, namespace, name, home, promise, version, project, owner, .. } = self;
        let currency = self.currency;
        Observation {
            subject: Subject { uid, cluster, workspace, namespace, name, home, promise, version, project, owner },
            since: self.since.as_second(),
            until: self.until.map(Timestamp::as_second),
            ready: true,
            rate: self.micros.map(|micros| Rate { micros, currency }),
            basis: self.basis,
        }
    }
}
