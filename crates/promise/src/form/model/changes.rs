//! What rules say about changing a field later, and what they leave of it once there is an accepted value.

use serde_json::Value;

use super::Maker;
use crate::form::field::Locked;
use crate::form::immutable::ChangeLimit;
use crate::form::place::Place;
use crate::policy::same_value;
use crate::shape::value_of;
use crate::wording;

/// Words with which a description itself says how a value can change.
const SAID: [&str; 8] = ["immutable", "be changed", "shrink", "can grow", "only grow", "increase", "decrease", "once set"];

/// How rules limit the changes of a field.
#[derive(Default)]
pub(super) struct Limited {
    /// The schema of the field, narrowed to what its former value allows.
    pub node: Option<Value>,
    /// Limits of amounts in words.
    pub amounts: Vec<String>,
    /// A sentence about later changes.
    pub hint: Option<&'static str>,
}

impl Maker<'_> {
    /// Returns how rules limit the changes of a field.
    pub(super) fn limited(&self, place: &Place, node: &Value) -> Limited {
        let mut limited = Limited::default();
        for limit in self.changes.iter().filter(|limit| limit.is_about(&place.path, &place.pattern)) {
            limited.hint = limited.hint.or_else(|| limit.hint(node));
            let Some(former) = self.former(limit, place) else { continue };
            let narrowed = limit.narrowed(limited.node.as_ref().unwrap_or(node), former);
            limited.node = narrowed.or(limited.node);
            limited.amounts.extend(limit.amount(former));
        }
        limited
    }

    /// Returns the accepted value of a field that can't be changed. If it was changed elsewhere, the field stays open, so that the accepted
    /// value can be restored.
    pub(super) fn kept(&self, place: &Place) -> Option<Locked> {
        let limits = self.changes.iter().filter(|limit| limit.keeps() && limit.covers(&place.path, &place.pattern));
        let (limit, former) = limits.filter_map(|limit| Some((limit, self.former(limit, place)?))).next()?;
        if !place.path.get(&self.in_effect).is_some_and(|now| same_value(now, former)) {
            return None;
        }
        let value = wording::upper_first(&value_of(self.promise, &place.path, former));
        let why = Some(&limit.message).filter(|message| !message.is_empty());
        Some(Locked { value, by: None, why: why.cloned().unwrap_or_else(|| "It can't be changed later.".to_owned()) })
    }

    fn former(&self, limit: &ChangeLimit, place: &Place) -> Option<&Value> {
        limit.former(self.own, &place.path, self.accepted?, &self.in_effect)
    }
}

/// Adds a sentence about later changes to the hint of a field, unless its texts say it.
pub(super) fn with_sentence(hint: Option<String>, help: Option<&str>, sentence: Option<&str>) -> Option<String> {
    let said = format!("{} {}", hint.as_deref().unwrap_or_default(), help.unwrap_or_default()).to_lowercase();
    let Some(sentence) = sentence.filter(|_| !SAID.iter().any(|words| said.contains(words))) else { return hint };
    Some(match hint {
        Some(hint) if hint.ends_with(['.', '!', '?']) => format!("{hint} {sentence}"),
        Some(hint) => format!("{hint}. {sentence}"),
        None => sentence.to_owned(),
    })
}
