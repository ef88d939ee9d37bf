//! What an author should know before a policy is saved, although it can be saved: parts that match nothing, and contradictions with other
//! policies.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::compose::compose_read;
use super::narrow::{Spot, spot};
use super::range::{Target, covers_promise};
use super::reading::Reading;
use super::refusal::Conflict;
use super::sentence;
use super::source::{Origin, PolicySource};
use crate::api::{PolicySpec, PromiseSpec, Rule};
use crate::glob;
use crate::path::Path;
use crate::resolve::PromiseReading;

/// One warning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Warning {
    /// A field that doesn't exist, so it has no effect.
    UnknownField {
        /// Path in the spec.
        path: String,
        /// An existing field with a similar name.
        near: Option<String>,
    },
    /// A name or glob that matches no promise.
    UnmatchedPromise {
        /// Position in `appliesTo.promises`.
        index: usize,
        /// The name or glob.
        pattern: String,
    },
    /// A glob that matches no workspace.
    UnmatchedWorkspace {
        /// Position in `appliesTo.workspaces`.
        index: usize,
        /// The glob.
        pattern: String,
    },
    /// A name or glob that matches no action of a promise in scope.
    UnmatchedRuns {
        /// Position in `appliesTo.actions`.
        index: usize,
        /// The name or glob.
        pattern: String,
    },
    /// Labels that no workspace in scope has.
    UnmatchedLabels,
    /// No promise in scope has the parameter of a rule.
    UnmatchedParameter {
        /// Position of the rule.
        index: usize,
        /// Where in the rule it is named, such as `.constrain.parameter`.
        at: String,
        /// The parameter.
        parameter: String,
    },
    /// No promise in scope has the action of a schedule.
    UnmatchedAction {
        /// Position of the rule.
        index: usize,
        /// Name of the action.
        action: String,
    },
    /// A default of a parameter that a promise accepts without declaring it: it adds a field that the promise might not expect.
    UndeclaredDefault {
        /// Position of the rule.
        index: usize,
        /// The parameter.
        parameter: String,
        /// The promise.
        promise: String,
    },
    /// Requests can't satisfy this policy together with others, or together with the promise.
    Contradiction {
        /// Position of the rule.
        index: usize,
        /// Display name of a promise for which it does.
        promise: String,
        /// A workspace in which it does.
        workspace: String,
        /// The condition under which it does, in words. Absent if it always does.
        when: Option<String>,
        /// What contradicts what, as a sentence.
        message: String,
    },
}

impl Warning {
    /// Returns the path in the spec, such as `.appliesTo.promises[0]`.
    pub fn path(&self) -> String {
        match self {
            Self::UnknownField { path, .. } => path.clone(),
            Self::UnmatchedPromise { index, .. } => format!(".appliesTo.promises[{index}]"),
            Self::UnmatchedWorkspace { index, .. } => format!(".appliesTo.workspaces[{index}]"),
            Self::UnmatchedRuns { index, .. } => format!(".appliesTo.actions[{index}]"),
            Self::UnmatchedLabels => ".appliesTo.workspaceLabels".to_owned(),
            Self::UnmatchedParameter { index, at, .. } => format!(".rules[{index}]{at}"),
            Self::UnmatchedAction { index, .. } => format!(".rules[{index}].schedule.action"),
            Self::UndeclaredDefault { index, .. } => format!(".rules[{index}].default.parameter"),
            Self::Contradiction { index, .. } => format!(".rules[{index}]"),
        }
    }

    /// Describes it, with what to do.
    pub fn sentence(&self) -> String {
        match self {
            Self::UnknownField { path, near } => {
                let name = path.rsplit('.').next().unwrap_or(path);
                let fix = near.as_ref().map_or_else(|| "Remove it.".to_owned(), |near| format!("Did you mean {near}?"));
                format!("The field {name} doesn't exist and has no effect. {fix}")
            }
            Self::UnmatchedPromise { pattern, .. } => format!("No promise that you can see matches {pattern}."),
            Self::UnmatchedWorkspace { pattern, .. } => format!("No workspace that you can see here matches {pattern}."),
            Self::UnmatchedRuns { pattern, .. } => format!("No promise in scope has an action that matches {pattern}."),
            Self::UnmatchedLabels => "No workspace that you can see here has these labels.".to_owned(),
            Self::UnmatchedParameter { parameter, .. } => {
                format!("No promise in scope has the parameter {parameter}, so the rule has no effect.")
            }
            Self::UnmatchedAction { action, .. } => format!("No promise in scope has the action {action}, so nothing runs."),
            Self::UndeclaredDefault { parameter, promise, .. } => format!(
                "{promise} accepts any field there and doesn't declare {parameter}: the rule adds it to each request that doesn't set it. Check its name."
            ),
            Self::Contradiction { promise, workspace, when: None, message, .. } => format!("{promise} in {workspace}: {message}"),
            Self::Contradiction { promise, workspace, when: Some(when), message, .. } => {
                format!("{promise} in {workspace}, when {when}: {message}")
            }
        }
    }
}

/// Returns what of a policy matches nothing. `promises` and `workspaces`, with labels, are those that its author can see and to which a
/// policy of its workspace can apply.
pub fn unmatched(spec: &PolicySpec, promises: &[(&str, &PromiseSpec)], workspaces: &[(&str, &BTreeMap<String, String>)]) -> Vec<Warning> {
    let range = &spec.applies_to;
    let mut found = Vec::new();
    for (index, pattern) in range.promises.iter().enumerate() {
        if !promises.iter().any(|(name, _)| glob::name_matches(pattern, name)) {
            found.push(Warning::UnmatchedPromise { index, pattern: pattern.clone() });
        }
    }
    for (index, pattern) in range.workspaces.iter().enumerate() {
        if !workspaces.iter().any(|(path, _)| glob::path_matches(pattern, path)) {
            found.push(Warning::UnmatchedWorkspace { index, pattern: pattern.clone() });
        }
    }
    let is_matched = workspaces.iter().any(|(path, labels)| range.covers_workspace(path, labels));
    if !range.workspace_labels.is_empty() && found.is_empty() && !is_matched {
        found.push(Warning::UnmatchedLabels);
    }
    let covered: Vec<_> = promises.iter().filter(|(name, _)| covers_promise(range, name)).collect();
    if covered.is_empty() {
        return found;
    }
    for (index, pattern) in range.actions.iter().enumerate() {
        if !covered.iter().any(|(_, promise)| promise.actions.keys().any(|action| glob::name_matches(pattern, action))) {
            found.push(Warning::UnmatchedRuns { index, pattern: pattern.clone() });
        }
    }
    for (index, rule) in spec.rules.iter().enumerate() {
        if let Some(schedule) = &rule.schedule
            && !covered.iter().any(|(_, promise)| promise.actions.contains_key(&schedule.action))
        {
            found.push(Warning::UnmatchedAction { index, action: schedule.action.clone() });
        }
        let Some((at, parameter)) = parameter(rule) else { continue };
        let Ok(path) = Path::parse(parameter) else { continue };
        let spots = covered.iter().map(|(_, promise)| promise.parameters.as_deref().map_or(Spot::Absent, |schema| spot(schema, &path)));
        let spots: Vec<Spot<'_>> = spots.collect();
        if spots.iter().all(|spot| matches!(spot, Spot::Absent)) {
            found.push(Warning::UnmatchedParameter { index, at: at.to_owned(), parameter: parameter.clone() });
        }
        let undeclared = covered.iter().zip(&spots).find(|(_, spot)| rule.default.is_some() && matches!(spot, Spot::Open));
        if let Some(((promise, _), _)) = undeclared {
            found.push(Warning::UndeclaredDefault { index, parameter: parameter.clone(), promise: (*promise).to_owned() });
        }
    }
    found
}

/// Returns the parameter that a rule applies to, and its path in the rule.
fn parameter(rule: &Rule) -> Option<(&'static str, &String)> {
    let constrain = rule.constrain.as_ref().map(|constrain| (".constrain.parameter", &constrain.parameter));
    let set = rule.set.as_ref().map(|set| (".set.parameter", &set.parameter));
    constrain.or(set).or_else(|| rule.default.as_ref().map(|default| (".default.parameter", &default.parameter)))
}

/// Returns the contradictions of one of the policies that apply to a promise in a workspace: what can't be satisfied always, and what can't
/// be satisfied when a condition of one of its rules is true. `subject` is the policy; `title` is the display name of the promise.
pub fn contradictions(
    target: &Target<'_>,
    sources: &[PolicySource],
    promise: &PromiseReading,
    title: &str,
    subject: &PolicySource,
) -> Vec<Warning> {
    let is_subject =
        |cluster: &str, policy: &str, origin: Origin| origin != Origin::Promise && cluster == subject.cluster && policy == subject.policy;
    let of = |sources: &[PolicySource], when: Option<&str>| -> Vec<Warning> {
        let conflicts = compose_read(target, sources, promise).conflicts;
        let warning = |conflict: Conflict| {
            let mine = conflict.between.iter().find(|from| is_subject(&from.cluster, &from.policy, from.origin))?;
            let index = subject.spec().rules.iter().position(|rule| rule.name == mine.rule)?;
            Some(Warning::Contradiction {
                index,
                promise: title.to_owned(),
                workspace: target.workspace.to_owned(),
                when: when.map(str::to_owned),
                message: conflict.to_string(),
            })
        };
        conflicts.into_iter().filter_map(warning).collect()
    };
    let mut found = of(sources, None);
    let mut conditions: Vec<&str> = subject.spec().rules.iter().filter_map(Rule::when).collect();
    conditions.sort_unstable();
    conditions.dedup();
    for condition in conditions {
        let assumed: Vec<PolicySource> = sources.iter().map(|source| assuming(source, condition)).collect();
        let words = sentence::condition(target.spec, condition);
        for warning in of(&assumed, Some(words.as_deref().unwrap_or("the condition is true"))) {
            let same = |known: &Warning| matches!((known, &warning), (Warning::Contradiction { message: a, .. }, Warning::Contradiction { message: b, .. }) if a == b);
            if !found.iter().any(same) {
                found.push(warning);
            }
        }
    }
    found
}

/// Returns a policy whose rules with this condition always apply.
fn assuming(source: &PolicySource, condition: &str) -> PolicySource {
    if !source.spec().rules.iter().any(|rule| rule.when() == Some(condition)) {
        return source.clone();
    }
    let mut spec = source.spec().clone();
    for rule in spec.rules.iter_mut().filter(|rule| rule.when() == Some(condition)) {
        let whens = [
            rule.constrain.as_mut().map(|constrain| &mut constrain.when),
            rule.set.as_mut().map(|set| &mut set.when),
            rule.default.as_mut().map(|default| &mut default.when),
            rule.inject.as_mut().map(|inject| &mut inject.when),
            rule.approve.as_mut().map(|approve| &mut approve.when),
        ];
        whens.into_iter().flatten().for_each(|when| *when = None);
    }
    PolicySource { reading: Arc::new(Reading::of(spec, source.reading.trusted)), ..source.clone() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::{Warning, contradictions, unmatched};
    use crate::api::{PolicySpec, PromiseSpec};
    use crate::policy::{Origin, PolicySource, Reading, Target};
    use crate::resolve::PromiseReading;

    fn promise() -> PromiseSpec {
        let replicas = json!({"type": "integer", "minimum": 1, "maximum": 7});
        let tier = json!({"type": "string", "enum": ["development", "production"]});
        PromiseSpec {
            parameters: Some(json!({"type": "object", "properties": {"replicas": replicas, "tier": tier}}).into()),
            ..PromiseSpec::default()
        }
    }

    fn policy(spec: Value) -> PolicySpec {
        serde_json::from_value(spec).unwrap()
    }

    #[test]
    fn what_matches_nothing_is_found() {
        let promise = promise();
        let labels = BTreeMap::from([("stage".to_owned(), "prod".to_owned())]);
        let of = |spec: Value| unmatched(&policy(spec), &[("redis", &promise)], &[("root:acme:shop", &labels)]);
        let scope = json!({"promises": ["redis", "kafka*"], "workspaces": ["root:acme:**", "root:lab:**"]});
        assert_eq!(
            of(json!({"appliesTo": scope})),
            [
                Warning::UnmatchedPromise { index: 1, pattern: "kafka*".into() },
                Warning::UnmatchedWorkspace { index: 1, pattern: "root:lab:**".into() }
            ]
        );
        assert_eq!(of(json!({"appliesTo": {"workspaceLabels": {"stage": "test"}}})), [Warning::UnmatchedLabels]);
        let rule = |parameter: &str| json!({"rules": [{"name": "r", "constrain": {"parameter": parameter, "maximum": 5}}]});
        let [Warning::UnmatchedParameter { index: 0, .. }] = of(rule(".size"))[..] else { panic!("{:?}", of(rule(".size"))) };
        assert_eq!(of(rule(".replicas")), []);
        let schedule = json!({"rules": [{"name": "r", "schedule": {"action": "backup", "cron": "@daily"}}]});
        assert_eq!(of(schedule), [Warning::UnmatchedAction { index: 0, action: "backup".into() }]);
        let runs = of(json!({"appliesTo": {"actions": ["restore", "r*"]}}));
        let unmatched = |index, pattern: &str| Warning::UnmatchedRuns { index, pattern: pattern.into() };
        assert_eq!(runs, [unmatched(0, "restore"), unmatched(1, "r*")]);
        assert_eq!(runs[1].path(), ".appliesTo.actions[1]");
    }

    #[test]
    fn a_default_that_only_an_open_schema_accepts_is_found() {
        let open = PromiseSpec {
            parameters: Some(
                json!({"type": "object", "properties": {
                    "values": {"type": "object", "properties": {"size": {"type": "integer"}}, "x-kubernetes-preserve-unknown-fields": true},
                }})
                .into(),
            ),
            ..PromiseSpec::default()
        };
        let labels = BTreeMap::new();
        let of = |kind: &str, parameter: &str| {
            let spec = policy(json!({"rules": [{"name": "r", kind: {"parameter": parameter, "value": 5}}]}));
            unmatched(&spec, &[("chart", &open)], &[("root:acme", &labels)])
        };
        let found = of("default", ".values.sise");
        assert_eq!(found, [Warning::UndeclaredDefault { index: 0, parameter: ".values.sise".into(), promise: "chart".into() }]);
        assert_eq!(found[0].path(), ".rules[0].default.parameter");
        assert_eq!((of("default", ".values.size"), of("set", ".values.sise")), (Vec::new(), Vec::new()));
    }

    fn source(name: &str, distance: u32, rule: Value) -> PolicySource {
        let reading = Arc::new(Reading::of(policy(json!({"rules": [rule]})), false));
        PolicySource::new(name, &format!("root:{name}"), name, Origin::Ancestor { distance }, reading)
    }

    fn contradict(mine: Value, theirs: Value) -> Vec<Warning> {
        let (promise, labels) = (promise(), BTreeMap::new());
        let target = Target {
            promise: "redis",
            spec: &promise,
            home: "root:home",
            home_cluster: "home",
            home_trusted: true,
            workspace: "root:acme:shop",
            labels: &labels,
            lineage: &[],
        };
        let sources = [source("mine", 0, mine), source("theirs", 1, theirs)];
        contradictions(&target, &sources, &PromiseReading::of(&promise, true), "Redis", &sources[0])
    }

    #[test]
    fn contradictions_with_an_inherited_policy_are_found_also_under_a_condition() {
        let bound = |bound: &str, value: u32, when: Option<&str>| json!({"name": "r", "constrain": {"parameter": ".replicas", bound: value, "when": when}});
        let always = contradict(bound("minimum", 5, None), bound("maximum", 3, None));
        let [Warning::Contradiction { index: 0, when: None, message, .. }] = &always[..] else { panic!("{always:?}") };
        assert!(message.contains("mine") && message.contains("theirs"), "{message}");

        let production = Some("parameters.tier == 'production'");
        for theirs in [bound("maximum", 3, None), bound("maximum", 3, production)] {
            let found = contradict(bound("minimum", 5, production), theirs);
            let [Warning::Contradiction { when: Some(when), .. }] = &found[..] else { panic!("{found:?}") };
            assert_eq!(when, "tier is production");
        }
        assert_eq!(contradict(bound("minimum", 2, production), bound("maximum", 3, None)), []);
        let other = bound("maximum", 3, Some("parameters.tier == 'development'"));
        assert_eq!(contradict(bound("minimum", 5, production), other), [], "they never apply together");
    }
}
