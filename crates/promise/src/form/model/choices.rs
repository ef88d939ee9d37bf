//! The choice between alternatives of an object: an input of its own before the fields of the chosen one.

use serde_json::Value;

use super::Maker;
use crate::alternatives::{Alternative, Alternatives, Chosen, Count};
use crate::form::alternatives::NONE;
use crate::form::control::{Choice, ChoiceStyle, Control};
use crate::form::field::{Field, HiddenInput, field_id};
use crate::form::kind::Property;
use crate::form::operation::{Operation, OperationKind};
use crate::form::place::Place;
use crate::form::{describe, rows};
use crate::path::Path;
use crate::resolve;
use crate::shape::hint_at;

/// Label of the choice.
const CHOOSE_ONE: &str = "Choose one";
/// Label of the option for none of the alternatives.
const NO_ALTERNATIVE: &str = "None";
/// Label of the option of a select while nothing is chosen.
const UNDECIDED: &str = "Not chosen";
/// What becomes of values that were entered for another alternative.
const OTHERS_STAY: &str = "What you entered for another option is kept while you edit, and isn't submitted";
/// Maximum number of options with radio buttons.
const FEW: usize = 6;
/// Maximum length of a label that fits into a segment, in characters.
const SHORT: usize = 12;
/// Maximum length of the explanation of an option, in characters.
const EXPLANATION: usize = 90;

/// The alternatives of an object with the chosen one.
pub(super) struct Choosing {
    alternatives: Alternatives,
    chosen: Chosen,
}

impl Choosing {
    /// Whether the choice shows or sets a field.
    pub(super) fn is_about(&self, key: &str) -> bool {
        self.alternatives.lists(key) || self.alternatives.fixes(key)
    }
}

impl<'a> Maker<'a> {
    /// Returns the alternatives of an object from which users choose.
    pub(super) fn choosing(&self, place: &Place, node: &Value) -> Option<Choosing> {
        let alternatives = Alternatives::at(self.promise, place, node).filter(Alternatives::is_exclusive)?;
        let posted = alternatives.posted(&self.draft.texts, &place.name);
        // Defaults of its fields apply once the object is given.
        let by_default = own_defaults(node);
        let in_effect = place.path.get(&self.in_effect).unwrap_or(&by_default);
        let chosen = posted.unwrap_or_else(|| alternatives.of_values(place.path.get(&self.draft.parameters), Some(in_effect)));
        Some(Choosing { alternatives, chosen })
    }

    /// Puts the fields of alternatives together and leaves out those that aren't chosen. Also returns the position of the choice.
    pub(super) fn arranged(&self, choosing: Option<&Choosing>, all: Vec<Property<'a>>) -> (Vec<Property<'a>>, Option<usize>) {
        let Some(choosing) = choosing else { return (all, None) };
        let Choosing { alternatives, chosen } = choosing;
        let position = all.iter().position(|(_, key, ..)| choosing.is_about(key)).unwrap_or_default();
        let (mine, mut arranged): (Vec<Property<'a>>, Vec<Property<'a>>) = all.into_iter().partition(|(_, key, ..)| choosing.is_about(key));
        let mine = mine
            .into_iter()
            .filter(|(place, key, ..)| alternatives.shows(*chosen, key, self.is_entered(place)))
            .map(|(place, key, node, required)| (place, key, node, required || alternatives.requires(*chosen, key)));
        arranged.splice(position..position, mine.collect::<Vec<_>>());
        (arranged, Some(position))
    }

    /// Whether the chosen alternative requires a field. `None` if it isn't shown.
    pub(super) fn shown_by(&self, choosing: &Choosing, place: &Place, key: &str) -> Option<bool> {
        let Choosing { alternatives, chosen } = choosing;
        alternatives.shows(*chosen, key, self.is_entered(place)).then(|| alternatives.requires(*chosen, key))
    }

    fn is_entered(&self, place: &Place) -> bool {
        place.path.get(&self.draft.parameters).is_some() || rows::entered(&self.draft.texts, &place.name)
    }

    /// Returns the choice itself.
    pub(super) fn choice(&mut self, place: &Place, node: &'a Value, choosing: &Choosing) -> Field {
        let Choosing { alternatives, chosen } = choosing;
        let name = rows::choice(&place.name);
        let id = field_id(&name);
        let (style, options) = self.alternatives(place, node, choosing, &id);
        let mut hidden = vec![HiddenInput { name: rows::shown(&name), value: "1".to_owned() }];
        hidden.extend(self.set_aside(place, node, choosing));
        Field {
            path: place.path.to_string(),
            label: CHOOSE_ONE.to_owned(),
            hint: (hidden.len() > 1 && *chosen != Chosen::Undecided).then(|| OTHERS_STAY.to_owned()),
            help: None,
            unit: None,
            constraint: None,
            required: alternatives.count == Count::Exactly,
            default: None,
            visible: true,
            steers: false,
            locked: None,
            by: Vec::new(),
            problem: self.problem_of_choice(place, node, choosing, &id),
            empty: None,
            hidden,
            control: Control::Choice { style, options, show: Some(Operation::value(OperationKind::Choose, &place.name)) },
            id,
            name,
        }
    }

    fn alternatives(&self, place: &Place, node: &Value, choosing: &Choosing, id: &str) -> (ChoiceStyle, Vec<Choice>) {
        let Choosing { alternatives, chosen } = choosing;
        let explanations: Vec<Option<String>> = alternatives.all.iter().map(|one| self.explanation(place, node, one)).collect();
        // Explanations of some options only look as if the others had none.
        let explained = explanations.iter().all(Option::is_some);
        let none = (alternatives.count == Count::AtMost).then(|| (NONE.to_owned(), NO_ALTERNATIVE.to_owned(), None, Chosen::None));
        let mut all: Vec<(String, String, Option<String>, Chosen)> = none.into_iter().collect();
        for (index, (one, explanation)) in alternatives.all.iter().zip(explanations).enumerate() {
            all.push((one.key.clone(), one.title(self.promise, place, node), explanation.filter(|_| explained), Chosen::One(index)));
        }
        let longest = all.iter().map(|(_, label, ..)| label.chars().count()).max().unwrap_or_default();
        let style = match all.len() {
            count if count > FEW => ChoiceStyle::Select,
            _ if explained || longest > SHORT => ChoiceStyle::Cards,
            _ => ChoiceStyle::Segments,
        };
        // A select always has a chosen option; radio buttons don't.
        if style == ChoiceStyle::Select && *chosen == Chosen::Undecided {
            all.insert(0, (String::new(), UNDECIDED.to_owned(), None, Chosen::Undecided));
        }
        let options = all.into_iter().enumerate().map(|(index, (value, label, hint, option))| Choice {
            id: if index == 0 { id.to_owned() } else { format!("{id}.{index}") },
            value,
            label,
            hint,
            chosen: option == *chosen,
            price: None,
        });
        (style, options.collect())
    }

    /// Returns the explanation of an alternative that is a single field.
    fn explanation(&self, place: &Place, node: &Value, one: &Alternative) -> Option<String> {
        let [key] = one.fields.as_slice() else { return None };
        let pattern = place.child(node, key).pattern;
        let hint = describe::hint_and_help(&pattern, hint_at(self.promise, &pattern), &node["properties"][key]).0;
        hint.filter(|hint| hint.chars().count() <= EXPLANATION)
    }

    /// Returns what was entered for alternatives that aren't chosen. It is posted with the form, so that it is still there if users choose
    /// them again.
    fn set_aside(&self, place: &Place, node: &Value, choosing: &Choosing) -> Vec<HiddenInput> {
        let Choosing { alternatives, chosen } = choosing;
        let fields = node["properties"].as_object().into_iter().flatten().map(|(key, _)| (place.child(node, key), key));
        let others = fields.filter(|(place, key)| alternatives.lists(key) && !alternatives.shows(*chosen, key, self.is_entered(place)));
        let texts = others.flat_map(|(place, _)| rows::below(&self.draft.texts, &place.name));
        texts.map(|(name, value)| HiddenInput { name: name.clone(), value: value.clone() }).collect()
    }

    /// Whether the problem of an object is one of the choice between its alternatives.
    pub(super) fn has_problem_of_choice(&self, place: &Place, node: &Value) -> bool {
        self.choosing(place, node).is_some_and(|choosing| self.is_violated(place, &choosing))
    }

    fn is_violated(&self, place: &Place, choosing: &Choosing) -> bool {
        place.path.get(&self.in_effect).is_some_and(|object| choosing.alternatives.is_violated(object))
    }

    /// Takes the problem of the choice. Once one is chosen, what it lacks is a problem of its fields.
    fn problem_of_choice(&mut self, place: &Place, node: &'a Value, choosing: &Choosing, id: &str) -> Option<String> {
        let path = &place.path;
        let mut first = None;
        if self.is_violated(place, choosing) {
            let missing = self.missing(place, choosing);
            let is_of_object = |at: &Option<Path>| at.as_ref() == Some(path);
            if missing.is_empty() {
                first = self.take_problem(path, false, id);
            } else if self.problems.iter().any(|(at, _)| is_of_object(at)) {
                self.problems.retain(|(at, _)| !is_of_object(at));
                for key in missing {
                    let child = place.child(node, &key);
                    if !self.problems.iter().any(|(at, _)| at.as_ref() == Some(&child.path)) {
                        let message = resolve::required(self.promise, &node["properties"][&key], &child.path);
                        self.problems.push((Some(child.path), message));
                    }
                }
            }
        }
        let fixed: Vec<Path> = choosing.alternatives.all.iter().flat_map(|one| one.fixed.keys()).map(|key| path.child(key)).collect();
        for path in fixed {
            let problem = self.take_problem(&path, true, id);
            first = first.or(problem);
        }
        first
    }

    /// Returns the fields that the chosen alternative requires and that have no value.
    fn missing(&self, place: &Place, choosing: &Choosing) -> Vec<String> {
        let Chosen::One(index) = choosing.chosen else { return Vec::new() };
        let object = place.path.get(&self.in_effect);
        let required = choosing.alternatives.all.get(index).into_iter().flat_map(|one| &one.required);
        required.filter(|key| object.is_none_or(|object| object.get(key).is_none())).cloned().collect()
    }

    /// Says which fields of a group are needed, if any of them is enough.
    pub(super) fn at_least_one(&self, place: &Place, node: &Value) -> Option<String> {
        let alternatives = Alternatives::at(self.promise, place, node).filter(|found| !found.is_exclusive())?;
        Some(alternatives.in_words(self.promise, place, node))
    }
}

/// Returns the defaults of the fields of an object.
fn own_defaults(node: &Value) -> Value {
    let fields = node["properties"].as_object().into_iter().flatten();
    Value::Object(fields.filter_map(|(key, field)| Some((key.clone(), field.get("default")?.clone()))).collect())
}
