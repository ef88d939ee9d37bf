//! The choice with the lowest cost for an instance, among the presets of its promise and the values that can change its price.

use std::collections::BTreeMap;

use cluster::kinds::PromiseRequest;
use parking_lot::Mutex;
use promise::api::PromiseSpec;
use promise::path::Path;
use promise::policy::Effective;
use promise::preflight::{Choice, PricedChoice};
use promise::price::Money;
use promise::{Result, saving, shape, wording};
use serde_json::Value;

use super::form;
use crate::portal::Caller;
use crate::portal::catalog::prices::Basis;
use crate::portal::place::Workspace;

/// Number of instances to keep. Installations with more compute some of them again.
const KEPT: usize = 20_000;

/// A choice that costs less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::portal) struct Cheaper {
    /// The choice, such as `the preset Trial` or `Memory: Small`.
    pub(in crate::portal) choice: String,
    /// How much less it costs per month.
    pub(in crate::portal) saves: Money,
}

/// uid, generation and current release: identifies what is requested and what was created from it.
type Name = (String, i64, String);

/// Results by instance, valid until something that their prices depend on changes. The cost of an instance is the same for all users.
#[derive(Default)]
pub struct CheaperChoices(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    basis: Option<Basis>,
    found: BTreeMap<Name, Option<Cheaper>>,
}

impl CheaperChoices {
    fn known(&self, basis: &Basis, name: &Name) -> Option<Option<Cheaper>> {
        let mut kept = self.0.lock();
        if !kept.basis.as_ref().is_some_and(|known| known.is(basis)) || kept.found.len() >= KEPT {
            *kept = Kept { basis: Some(basis.clone()), found: BTreeMap::new() };
        }
        kept.found.get(name).cloned()
    }

    fn keep(&self, basis: &Basis, name: Name, found: Option<Cheaper>) {
        let mut kept = self.0.lock();
        if kept.basis.as_ref().is_some_and(|known| known.is(basis)) {
            kept.found.insert(name, found);
        }
    }
}

/// Returns a choice that lowers the cost of an instance and is valid for promise and policies. `None` if there is none, and while the
/// instance is being changed.
///
/// # Errors
/// If the user can't read the request or see the promise, or the control plane doesn't respond.
pub(in crate::portal) async fn cheaper(caller: &Caller, workspace: &Workspace, request: &PromiseRequest) -> Result<Option<Cheaper>> {
    let status = request.status.as_ref();
    let Some(current) = status.and_then(|status| status.current.as_ref()) else { return Ok(None) };
    let asked = status.and_then(|status| status.candidate.as_ref()).is_some_and(|asked| asked.state.is_open());
    if asked {
        return Ok(None);
    }
    let portal = caller.portal();
    let basis = Basis::now(portal);
    let uid = request.metadata.uid.clone().unwrap_or_default();
    let name = (uid, request.metadata.generation.unwrap_or_default(), current.release.clone());
    if let Some(known) = portal.cheaper.known(&basis, &name) {
        return Ok(known);
    }
    // The portal's cached request has no parameters: only the user can read them.
    let (namespace, named) = (&request.metadata.namespace, &request.metadata.name);
    let read = caller.read_request(workspace, namespace.as_deref().unwrap_or_default(), named.as_deref().unwrap_or_default()).await?;
    let opened = form::open_for(caller, workspace, &read).await?;
    let choices = caller.choices(workspace, &opened.offered, &opened.submission(&opened.start)).await?;
    let present = opened.accepted().cloned().unwrap_or_default();
    let found = least(&opened.spec, &opened.effective, &present, &choices);
    portal.cheaper.keep(&basis, name, found.clone());
    Ok(found)
}

/// Returns the preset that saves the most. If no preset saves anything, the value that does.
fn least(spec: &PromiseSpec, effective: &Effective, present: &Value, choices: &[PricedChoice]) -> Option<Cheaper> {
    let saves = |priced: &PricedChoice| {
        let saves = saving::saved_by(spec, effective, present, priced)?;
        let choice = match &priced.choice {
            Choice::Preset { name } => format!("the preset {}", wording::humanise(name)),
            Choice::Value { path, value } => {
                let path = Path::parse(path).ok()?;
                format!("{}: {}", wording::label(spec, &path), shape::value_of(spec, &path, value))
            }
        };
        Some((saving::is_preset(&priced.choice), Cheaper { choice, saves }))
    };
    let found = choices.iter().filter_map(saves);
    found.max_by_key(|(preset, cheaper)| (*preset, cheaper.saves.micros)).map(|(_, cheaper)| cheaper)
}

#[cfg(test)]
mod tests {
    use promise::price::{Amount, Change};
    use serde_json::json;

    use super::*;

    fn priced(choice: Choice, after: i64, fits: bool) -> PricedChoice {
        let amount = |micros| Amount::Known(Money::new(micros, "EUR"));
        PricedChoice { choice, change: Change { before: amount(10), after: amount(after) }, fits }
    }

    fn preset(name: &str) -> Choice {
        Choice::Preset { name: name.to_owned() }
    }

    fn small() -> Choice {
        Choice::Value { path: ".size".to_owned(), value: json!("small") }
    }

    #[test]
    fn what_fits_and_saves_most_is_proposed_and_presets_before_values() {
        let spec = PromiseSpec::default();
        let choice = |choices: &[PricedChoice]| {
            least(&spec, &Effective::default(), &json!({}), choices).map(|cheaper| (cheaper.choice, cheaper.saves.micros))
        };
        assert_eq!(choice(&[priced(preset("big"), 20, true), priced(small(), 10, true)]), None);
        assert_eq!(choice(&[priced(small(), 4, true)]), Some(("Size: small".to_owned(), 6)));
        let several = [priced(preset("trial"), 8, true), priced(preset("tiny"), 1, false), priced(small(), 4, true)];
        assert_eq!(choice(&several), Some(("the preset Trial".to_owned(), 2)), "one that rules refuse is none");
    }

    #[test]
    fn another_tier_is_no_saving() {
        let spec: PromiseSpec = serde_json::from_value(json!({
            "version": "1.0.0",
            "form": {
                "fields": {".backup": {"visibleWhen": "${parameters.tier == 'production'}"}},
                "presets": [{"name": "trial", "values": {"tier": "development"}}],
            },
        }))
        .unwrap();
        let choices = [priced(preset("trial"), 1, true), priced(small(), 4, true)];
        let choice = |tier: &str| {
            least(&spec, &Effective::default(), &json!({"tier": tier, "size": "large"}), &choices).map(|cheaper| cheaper.choice)
        };
        assert_eq!(choice("production"), Some("Size: small".to_owned()));
        assert_eq!(choice("development"), Some("the preset Trial".to_owned()));
    }
}
