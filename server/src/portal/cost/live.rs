//! What runs now: what a month of it costs, and what it will cost until the month ends.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::kinds::PromiseRequest;
use cluster::usage::Accepted;
use cluster::watch::Key;
use promise::api::CandidateState;
use promise::ledger::{Figures, accrued};
use promise::names;
use promise::price::Money;
use promise::view::CostBy;

use super::sights::{Place, Scope};
use crate::auth::Caller;
use crate::ledger::{is_ready, price, since};
use crate::portal::requests::rows;

/// What runs now, of the requests that the person may list.
#[derive(Default)]
pub(super) struct Live {
    /// Sums by the value that rows add up by, and currency.
    pub(super) sums: BTreeMap<(String, String), Figures>,
    /// What waits for approval, by currency: the difference, and how many.
    pub(super) waiting: BTreeMap<String, (i64, usize)>,
    /// Requests that run at a price that is not known.
    pub(super) unpriced: usize,
}

/// Reads the requests of a scope.
pub(super) fn read(caller: &Caller, scope: &Scope, by: CostBy, now: i64) -> Live {
    let mut live = Live::default();
    for place in &scope.places {
        for (key, request) in caller.portal().requests_of(&place.cluster) {
            if place.sight.covers(&key.namespace) {
                live.take(caller, scope, by, place, &key, &request, now);
            }
        }
    }
    live
}

impl Live {
    #[expect(clippy::too_many_arguments, reason = "one request in its surroundings")]
    fn take(&mut self, caller: &Caller, scope: &Scope, by: CostBy, place: &Place, key: &Key, request: &Arc<PromiseRequest>, now: i64) {
        let status = request.status.as_ref();
        let runs = status.is_some_and(|status| status.current.is_some()) && request.metadata.deletion_timestamp.is_none();
        let price = price(request);
        if runs {
            match &price {
                None => self.unpriced += 1,
                Some(price) => {
                    let rest = if is_ready(request) {
                        accrued(price.micros, scope.counted().max(since(request, now)), scope.month.end())
                    } else {
                        0
                    };
                    let of = (value(by, place, request), price.currency.clone());
                    *self.sums.entry(of).or_default() += Figures { to_date: 0, forecast: rest, estimate: price.micros, instances: 1 };
                }
            }
        }
        let asked = status.and_then(|status| status.candidate.as_ref()).filter(|asked| asked.state == CandidateState::AwaitingApproval);
        if let Some(asked) = asked {
            let release = caller.portal().world.releases.get(&Key { name: asked.release.clone(), ..key.clone() });
            let wanted = release.and_then(|release| Accepted::of(&asked.release, &request.spec.promise.name, &release.spec).price);
            let before = if runs { price } else { wanted.as_ref().map(|wanted| Money::new(0, wanted.currency.clone())) };
            if let Some(more) = wanted.zip(before).and_then(|(wanted, before)| wanted.minus(&before)) {
                let waiting = self.waiting.entry(more.currency).or_default();
                *waiting = (waiting.0.saturating_add(more.micros), waiting.1 + 1);
            }
        }
    }
}

/// By what a request is counted.
fn value(by: CostBy, place: &Place, request: &PromiseRequest) -> String {
    match by {
        CostBy::Workspace => place.path.to_string(),
        CostBy::Promise => request.spec.promise.name.clone(),
        CostBy::Project => {
            request.metadata.labels.as_ref().and_then(|labels| labels.get(names::PROJECT_LABEL)).cloned().unwrap_or_default()
        }
        CostBy::Owner => rows::requester(request).to_owned(),
    }
}
