//! A policy with everything in it read: paths parsed, expressions and patterns compiled. Made once per policy and kept as long as the
//! policy stays as it is; see [`super::Book`].

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use regex::Regex;
use schema::expr::Program;

use super::expressions;
use super::source::{Origin, PolicySource, Provenance};
use super::validity::{self, Fault};
use crate::api::{Constrain, PolicySpec, Rule};
use crate::expression;
use crate::path::Path;

/// A policy and what was read of it.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The policy as it was written.
    pub spec: PolicySpec,
    /// Whether it is set in a trusted home: only those may `set` and `inject`.
    pub trusted: bool,
    /// One for each rule of the policy.
    pub(super) rules: Vec<RuleReading>,
}

/// What was read of one rule. Whatever could not be read is among the faults.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleReading {
    /// The parameter that it concerns; the whole for rules that concern no single one.
    pub path: Path,
    /// The condition under which it counts.
    pub when: Option<Program>,
    /// What a `validate` rule asks.
    pub expression: Option<Program>,
    /// The pattern of a `constrain` rule. One that may take much memory is compiled each time.
    pub pattern: Option<Regex>,
    /// What is wrong with the rule by itself.
    pub faults: Vec<Fault>,
}

impl Reading {
    /// Reads a policy. What is wrong with it is kept, and refuses whoever is in its range.
    pub fn of(spec: PolicySpec, trusted: bool) -> Self {
        let too_many = || Fault::new("", format!("it has more than {} rules", validity::RULES));
        let read = |(at, rule)| if at < validity::RULES { RuleReading::of(rule, trusted) } else { RuleReading::refused(too_many()) };
        let mut rules: Vec<RuleReading> = spec.rules.iter().enumerate().map(read).collect();
        // A rule is known by its name: to readings, releases and approvals.
        let mut names = HashSet::new();
        for (rule, read) in spec.rules.iter().zip(&mut rules) {
            if rule.name.trim().is_empty() {
                read.faults.push(Fault::new(".name", "it has no name; give it one"));
            } else if !names.insert(rule.name.as_str()) {
                read.faults.push(Fault::new(".name", "its name is that of another rule of this policy; give it another one"));
            }
        }
        Self { spec, trusted, rules }
    }

    /// Each rule with what was read of it.
    pub(super) fn rules(&self) -> impl Iterator<Item = (&Rule, &RuleReading)> {
        self.spec.rules.iter().zip(&self.rules)
    }
}

impl RuleReading {
    fn refused(fault: Fault) -> Self {
        Self { faults: vec![fault], ..Self::default() }
    }

    fn of(rule: &Rule, trusted: bool) -> Self {
        let mut read = Self { faults: validity::faults(rule, trusted), ..Self::default() };
        let parameter = (rule.constrain.as_ref().map(|constrain| &constrain.parameter))
            .or(rule.set.as_ref().map(|set| &set.parameter))
            .or(rule.default.as_ref().map(|default| &default.parameter))
            .or(rule.validate.as_ref().and_then(|validate| validate.parameter.as_ref()));
        // One that cannot be parsed is among the faults.
        read.path = parameter.and_then(|text| Path::parse(text).ok()).unwrap_or_default();
        let mut compile = |at: &'static str, expression: &str| match expressions::compile(expression) {
            Ok(program) => Some(program),
            Err(why) => {
                read.faults.push(Fault::new(at, why));
                None
            }
        };
        if let Some((at, when)) = validity::place_of_when(rule).zip(rule.when()) {
            read.when = compile(at, when);
        }
        if let Some(validate) = &rule.validate {
            read.expression = compile(".validate.expression", &validate.expression);
        }
        if let Some(pattern) = rule.constrain.as_ref().and_then(|constrain| constrain.pattern.as_deref()) {
            match compiled_pattern(pattern) {
                Ok(regex) => read.pattern = is_small(pattern).then_some(regex),
                Err(why) => read.faults.push(Fault::new(".constrain.pattern", why)),
            }
        }
        read
    }
}

/// Compiles a pattern of a constraint; the error is a clause that follows a colon.
fn compiled_pattern(pattern: &str) -> Result<Regex, String> {
    schema::pattern::compile(pattern).map_err(|_| format!("its pattern {pattern:?} is no regular expression"))
}

/// Whether a pattern surely takes little memory, so that anybody's may be kept: short, nothing repeated very often, no classes of Unicode.
fn is_small(pattern: &str) -> bool {
    let counts = pattern.split('{').skip(1).map(|count| {
        let most = count.split('}').next().and_then(|range| range.rsplit(',').find(|number| !number.is_empty()));
        most.and_then(|number| number.parse::<u64>().ok()).unwrap_or(1)
    });
    // Repetitions may stand inside each other.
    let copies = counts.fold(1_u64, u64::saturating_mul);
    pattern.len() <= 200 && copies <= 100 && !pattern.contains("\\p") && !pattern.contains("\\P") && !pattern.contains("(?")
}

/// Finds what was read of a rule by where the rule comes from. Rules that it does not know are read when they are asked for.
#[derive(Default)]
pub(crate) struct Readings<'s>(HashMap<(bool, &'s str, &'s str, &'s str), &'s RuleReading>);

impl<'s> Readings<'s> {
    /// Those of the rules of these sources.
    pub fn of(sources: &[&'s PolicySource]) -> Self {
        let rules = sources.iter().flat_map(|source| {
            let is_own = source.origin == Origin::Promise;
            let key = move |rule: &'s Rule| (is_own, source.cluster.as_str(), source.policy.as_str(), rule.name.as_str());
            source.reading.rules().map(move |(rule, read)| (key(rule), read))
        });
        Self(rules.collect())
    }

    fn find(&self, from: &Provenance) -> Option<&'s RuleReading> {
        self.0.get(&(from.origin == Origin::Promise, from.cluster.as_str(), from.policy.as_str(), from.rule.as_str())).copied()
    }

    /// The expression of a `validate` rule, or a clause about what is wrong with it.
    pub fn expression(&self, from: &Provenance, text: &str) -> Result<Cow<'s, Program>, String> {
        let known = self.find(from).and_then(|read| read.expression.as_ref());
        match known.filter(|program| program.source() == expression::inside(text)) {
            Some(program) => Ok(Cow::Borrowed(program)),
            None => expressions::compile(text).map(Cow::Owned),
        }
    }

    /// The pattern of a `constrain` rule, or a clause about what is wrong with it; nothing if it has none.
    pub fn pattern(&self, from: &Provenance, constrain: &Constrain) -> Option<Result<Cow<'s, Regex>, String>> {
        let text = constrain.pattern.as_deref()?;
        Some(match self.find(from).and_then(|read| read.pattern.as_ref()) {
            Some(regex) => Ok(Cow::Borrowed(regex)),
            None => compiled_pattern(text).map(Cow::Owned),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::is_small;

    #[test]
    fn only_patterns_that_surely_take_little_are_kept() {
        for small in ["^x", "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$", "^[0-9]{4}-[0-9]{2}$", "a{3,}", "{"] {
            assert!(is_small(small), "{small}");
        }
        for large in ["\\pL{50}", "(a{99}){99}", "a{1000}", "(?i)a", &"a".repeat(300)] {
            assert!(!is_small(large), "{large}");
        }
    }
}
