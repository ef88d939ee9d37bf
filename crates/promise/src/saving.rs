//! Which savings are proposed, and to whom.

use crate::api::PromiseSpec;
use crate::policy::Effective;
use crate::preflight::{Choice, PricedChoice};
use crate::price::Money;
use crate::purpose;

/// What a person would have to do to save something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Delete the instance.
    Delete,
    /// Change its parameters.
    Change,
}

impl Act {
    /// Returns the verb of the permission that it needs on the request. A saving is proposed only to people who have it: to anyone else it
    /// is a reproach and not a proposal.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Delete => "delete",
            Self::Change => "patch",
        }
    }
}

/// Returns what a choice saves per month, if it is a saving: valid, cheaper, and for the same kind of instance. Another tier, such as
/// development instead of production, is another kind however cheap it is.
pub fn saved_by(spec: &PromiseSpec, effective: &Effective, present: &serde_json::Value, priced: &PricedChoice) -> Option<Money> {
    let less = priced.change.difference().filter(|more| priced.fits && more.micros < 0)?;
    let is_other = purpose::is_changed_by(spec, effective, present, &priced.choice);
    (!is_other).then(|| Money::new(less.micros.saturating_neg(), less.currency))
}

/// Whether a choice is a whole preset, which is proposed before single values.
pub fn is_preset(choice: &Choice) -> bool {
    matches!(choice, Choice::Preset { .. })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::price::{Amount, Change};

    fn spec(tier: Value) -> PromiseSpec {
        let parameters = json!({"type": "object", "properties": {"tier": tier, "size": {"type": "string", "enum": ["small", "large"]}}});
        let presets =
            json!([{"name": "trial", "values": {"tier": "development", "size": "small"}}, {"name": "less", "values": {"size": "small"}}]);
        serde_json::from_value(json!({"version": "1.0.0", "parameters": parameters, "form": {"presets": presets}})).unwrap()
    }

    fn priced(choice: Choice, after: i64, fits: bool) -> PricedChoice {
        let amount = |micros| Amount::Known(Money::new(micros, "EUR"));
        PricedChoice { choice, change: Change { before: amount(10), after: amount(after) }, fits }
    }

    fn value(path: &str, value: &str) -> Choice {
        Choice::Value { path: path.to_owned(), value: json!(value) }
    }

    #[test]
    fn a_saving_is_valid_cheaper_and_of_the_same_tier() {
        // Neither required nor read by any condition: its name alone says what it is.
        let spec = spec(json!({"type": "string", "default": "development"}));
        let present = json!({"tier": "production", "size": "large"});
        let saves = |priced: &PricedChoice| saved_by(&spec, &Effective::default(), &present, priced).map(|money| money.micros);
        let preset = |name: &str| Choice::Preset { name: name.to_owned() };
        assert_eq!(saves(&priced(value(".size", "small"), 4, true)), Some(6));
        assert_eq!(saves(&priced(preset("less"), 4, true)), Some(6));
        assert_eq!(saves(&priced(value(".size", "small"), 4, false)), None, "policies refuse it");
        assert_eq!(saves(&priced(value(".size", "small"), 10, true)), None, "it costs the same");
        assert_eq!(saves(&priced(value(".tier", "development"), 1, true)), None, "production stays production");
        assert_eq!(saves(&priced(preset("trial"), 1, true)), None);
    }

    #[test]
    fn each_act_needs_its_own_permission() {
        assert_eq!([Act::Delete.verb(), Act::Change.verb()], ["delete", "patch"]);
    }
}
