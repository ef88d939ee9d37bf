//! Values that policies give: in place of defaults that they don't allow, and as defaults of their own that other values bring into force. The
//! form posts them like entered ones, so it also says which they are: they follow the policies until someone chooses another value, and are never
//! taken for the choice of the user.

use app::backend::Pairs;
use app::view::{ParameterLine, ValueSource};
use promise::Result;
use promise::form::{Adjusted, put};
use promise::path::Path;
use promise::wording::{GivenAs, given_value, label};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::form::{Opened, Typed};
use super::posting::input;
use super::source;
use crate::portal::Caller;
use crate::portal::place::Workspace;

/// A value that a policy gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Given {
    /// Path of the parameter, such as `.replicas`.
    path: String,
    /// The value.
    value: Value,
    /// Title or name of the policy.
    #[serde(default)]
    policy: String,
}

impl Given {
    /// Returns the values that the posted form says policies gave.
    pub(super) fn posted(pairs: &Pairs) -> Vec<Self> {
        let texts = pairs.iter().filter(|(name, _)| name == input::GIVEN);
        // Which policy gave a value is known from the check alone.
        let read = |text: &str| Some(Self { policy: String::new(), ..serde_json::from_str(text).ok()? });
        texts.filter_map(|(_, text)| read(text)).collect()
    }

    /// Returns the text that the form posts.
    pub(super) fn text(&self) -> String {
        serde_json::json!({"path": self.path, "value": self.value}).to_string()
    }

    /// Returns the path, if the value is still the given one.
    fn unchanged(&self, parameters: &Value) -> Option<Path> {
        let path = Path::parse(&self.path).ok()?;
        path.get(parameters).is_some_and(|value| *value == self.value).then_some(path)
    }
}

/// Replaces defaults that the policies for these values don't allow. `typing` is the name of the input in which the user is typing: its value
/// stays.
pub(super) async fn adjust(caller: &Caller, workspace: &Workspace, opened: &Opened, typed: &mut Typed, typing: Option<&str>) -> Result<()> {
    let rules = &opened.effective;
    // What is entered as YAML stays as it is.
    if source::is_shown(typed) || (rules.constraints.is_empty() && rules.conditional.is_empty()) {
        return Ok(());
    }
    let given = std::mem::take(&mut typed.given);
    let is_typed = |path: &Path| typing == Some(path.pointer(promise::form::BASE).as_str());
    for path in given.iter().filter_map(|given| given.unchanged(&typed.draft.parameters)).filter(|path| !is_typed(path)).collect::<Vec<_>>()
    {
        put(&mut typed.draft, &path, None);
    }
    let checked = caller.preflight(workspace, &opened.offered, &opened.submission(typed)).await?;
    let proposed = promise::form::proposed(&opened.spec, rules, &checked.effective, &mut typed.draft, typing);
    let adjusted = promise::form::adjust(&opened.spec, &checked.effective, &mut typed.draft, typing);
    let policy = |one: &Adjusted| one.from.title.clone().unwrap_or_else(|| one.from.policy.clone());
    let sentence = |one: &Adjusted, how: GivenAs| {
        let value = promise::shape::value_of(&opened.spec, &one.path, &one.value);
        given_value(&label(&opened.spec, &one.path), &value, how, &policy(one))
    };
    let smallest = adjusted.iter().map(|one| sentence(one, GivenAs::Smallest));
    typed.adjusted = smallest.chain(proposed.iter().map(|one| sentence(one, GivenAs::Default))).collect();
    let given = |one: &Adjusted| Given { path: one.path.to_string(), value: one.value.clone(), policy: policy(one) };
    typed.given = adjusted.iter().chain(&proposed).map(given).collect();
    Ok(())
}

/// Attributes given values to their policies.
pub(super) fn attribute(typed: &Typed, lines: &mut [ParameterLine]) {
    for line in lines.iter_mut().filter(|line| line.source == ValueSource::Asked) {
        let given = typed
            .given
            .iter()
            .find(|given| given.path == line.path && !given.policy.is_empty() && given.unchanged(&typed.draft.parameters).is_some());
        if let Some(given) = given {
            line.source = ValueSource::Policy(given.policy.clone());
        }
    }
}
