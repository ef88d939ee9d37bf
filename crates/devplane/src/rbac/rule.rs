//! One rule of a role: what it allows, what it covers, and how it is written in refusals.
//! Source: kubernetes `pkg/apis/rbac/v1/evaluation_helpers.go`; component-helpers `auth/rbac/validation`.

use serde_json::{Map, Value, json};

use super::wish::{About, Wish};

/// A rule over resources or over paths. An empty list of names means all names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rule {
    /// Verbs, or `*`.
    pub verbs: Vec<String>,
    /// API groups, or `*`.
    pub groups: Vec<String>,
    /// `resource`, `resource/subresource`, `*/subresource` or `*`.
    pub resources: Vec<String>,
    /// Object names.
    pub names: Vec<String>,
    /// Paths; a final `*` stands for any rest.
    pub paths: Vec<String>,
}

/// The rules of a role as stored.
pub fn rules(role: &Value) -> Vec<Rule> {
    role["rules"].as_array().into_iter().flatten().map(Rule::parse).collect()
}

impl Rule {
    /// Reads a rule; what is no list of texts counts as absent.
    pub fn parse(rule: &Value) -> Self {
        let list = |field: &str| rule[field].as_array().into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect();
        Self {
            verbs: list("verbs"),
            groups: list("apiGroups"),
            resources: list("resources"),
            names: list("resourceNames"),
            paths: list("nonResourceURLs"),
        }
    }

    /// The rule as it is stored and as rules reviews show it.
    pub fn to_json(&self) -> Value {
        let lists = [
            ("verbs", &self.verbs),
            ("apiGroups", &self.groups),
            ("resources", &self.resources),
            ("resourceNames", &self.names),
            ("nonResourceURLs", &self.paths),
        ];
        Value::Object(
            lists
                .into_iter()
                .filter(|(_, list)| !list.is_empty())
                .map(|(field, list)| (field.to_owned(), json!(list)))
                .collect::<Map<_, _>>(),
        )
    }

    /// Whether the rule is about paths.
    pub fn is_for_paths(&self) -> bool {
        !self.paths.is_empty()
    }

    /// Whether the rule allows the wish.
    pub fn allows(&self, wish: &Wish) -> bool {
        any(&self.verbs, &wish.verb)
            && match &wish.about {
                About::Path(path) => self.paths.iter().any(|own| path_matches(own, path)),
                About::Resource(target) => {
                    any(&self.groups, &target.group)
                        && self.resources.iter().any(|own| resource_matches(own, &target.combined()))
                        && (self.names.is_empty() || self.names.contains(&target.name))
                }
            }
    }

    /// Whether everything that the elementary rule `other` allows is allowed by this one too.
    fn covers(&self, other: &Self) -> bool {
        let each = |wanted: &[String], matches: &dyn Fn(&str) -> bool| wanted.iter().all(|item| matches(item));
        each(&other.verbs, &|verb| any(&self.verbs, verb))
            && each(&other.groups, &|group| any(&self.groups, group))
            && each(&other.resources, &|resource| self.resources.iter().any(|own| resource_matches(own, resource)))
            && each(&other.paths, &|path| self.paths.iter().any(|own| path_matches(own, path)))
            && (self.names.is_empty() || (!other.names.is_empty() && each(&other.names, &|name| self.names.iter().any(|own| own == name))))
    }

    /// The rule as one rule for each verb, group, resource, name or path.
    fn elementary(&self) -> Vec<Self> {
        let mut parts = Vec::new();
        for verb in &self.verbs {
            for group in &self.groups {
                for resource in &self.resources {
                    let part = Self {
                        verbs: vec![verb.clone()],
                        groups: vec![group.clone()],
                        resources: vec![resource.clone()],
                        ..Self::default()
                    };
                    if self.names.is_empty() {
                        parts.push(part);
                    } else {
                        parts.extend(self.names.iter().map(|name| Self { names: vec![name.clone()], ..part.clone() }));
                    }
                }
            }
            parts.extend(self.paths.iter().map(|path| Self { verbs: vec![verb.clone()], paths: vec![path.clone()], ..Self::default() }));
        }
        parts
    }

    /// The rule as the reference server prints it in refusals.
    pub fn compact(&self) -> String {
        let lists = [
            ("APIGroups", &self.groups),
            ("Resources", &self.resources),
            ("NonResourceURLs", &self.paths),
            ("ResourceNames", &self.names),
            ("Verbs", &self.verbs),
        ];
        let parts: Vec<_> =
            lists.into_iter().filter(|(_, list)| !list.is_empty()).map(|(name, list)| format!("{name}:{}", quoted(list))).collect();
        format!("{{{}}}", parts.join(", "))
    }
}

/// What of `wanted` no rule of `held` covers, verbs of the same thing joined.
pub fn uncovered(held: &[Rule], wanted: &[Rule]) -> Vec<Rule> {
    let mut missing: Vec<Rule> = Vec::new();
    let parts = wanted.iter().flat_map(Rule::elementary).filter(|part| !held.iter().any(|rule| rule.covers(part)));
    for part in parts {
        let same = |rule: &&mut Rule| {
            (&rule.groups, &rule.resources, &rule.names, &rule.paths) == (&part.groups, &part.resources, &part.names, &part.paths)
        };
        match missing.iter_mut().find(same) {
            Some(rule) if rule.verbs.contains(&part.verbs[0]) => {}
            Some(rule) => rule.verbs.extend(part.verbs),
            None => missing.push(part),
        }
    }
    missing
}

/// A list of texts as Go prints it: `["a" "b"]`.
pub fn quoted(list: &[String]) -> String {
    format!("[{}]", list.iter().map(|item| format!("{item:?}")).collect::<Vec<_>>().join(" "))
}

fn any(list: &[String], wanted: &str) -> bool {
    list.iter().any(|own| own == "*" || own == wanted)
}

fn resource_matches(own: &str, wanted: &str) -> bool {
    own == "*" || own == wanted || own.strip_prefix("*/").is_some_and(|sub| wanted.split_once('/').is_some_and(|(_, wanted)| wanted == sub))
}

fn path_matches(own: &str, wanted: &str) -> bool {
    own == wanted || own.strip_suffix('*').is_some_and(|prefix| wanted.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::super::wish::ResourceWish;
    use super::*;

    fn rule(value: Value) -> Rule {
        Rule::parse(&value)
    }

    #[test]
    fn subresources_are_resources_of_their_own() {
        let status = Wish::resource("patch", ResourceWish::new("g", "widgets").named("a").part("status"));
        for (resource, allowed) in [("widgets", false), ("widgets/status", true), ("*/status", true), ("*", true)] {
            let rule = rule(json!({"apiGroups": ["g"], "resources": [resource], "verbs": ["patch"]}));
            assert_eq!(rule.allows(&status), allowed, "{resource}");
        }
    }

    #[test]
    fn named_rules_do_not_allow_lists() {
        let rule = rule(json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"], "resourceNames": ["mine"]}));
        assert!(rule.allows(&Wish::resource("get", ResourceWish::new("", "configmaps").named("mine"))));
        assert!(!rule.allows(&Wish::resource("list", ResourceWish::new("", "configmaps"))));
    }

    #[test]
    fn missing_parts_are_joined_by_verb() {
        let held = [rule(json!({"apiGroups": ["g"], "resources": ["widgets/status"], "verbs": ["patch"]}))];
        let wanted = [
            rule(json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list"]})),
            rule(json!({"apiGroups": ["g"], "resources": ["widgets/status"], "verbs": ["patch"]})),
            rule(json!({"nonResourceURLs": ["*"], "verbs": ["*"]})),
        ];
        let missing: Vec<_> = uncovered(&held, &wanted).iter().map(Rule::compact).collect();
        assert_eq!(
            missing,
            ["{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\" \"list\"]}", "{NonResourceURLs:[\"*\"], Verbs:[\"*\"]}"]
        );
    }

    #[test]
    fn all_names_are_more_than_some() {
        let some = rule(json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"], "resourceNames": ["a"]}));
        let all = rule(json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}));
        assert!(uncovered(std::slice::from_ref(&all), std::slice::from_ref(&some)).is_empty());
        assert_eq!(uncovered(&[some], std::slice::from_ref(&all)), [all]);
    }
}
