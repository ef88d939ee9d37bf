//! How much is parsed and checked after a change, and that the results are those of checking everything.

use std::cell::Cell;
use std::collections::BTreeMap;

use promise::api::{PolicyStatus, PromiseRevisionSpec, PromiseStatus};
use promise::policy::{FitSchema, check_against, check_read, validity};
use promise::revision;
use serde_json::{Value, json};

use super::*;
use crate::kinds::{PolicyKind, PromiseKind, PromiseRevisionKind, object};
use crate::workspaces::WorkspaceRow;

/// A control plane that counts what is parsed and checked.
struct Plane {
    policy_checks: PolicyChecks,
    view: View,
    workspaces: OrdMap<Key, Arc<WorkspaceRow>>,
    read: Cell<usize>,
    checked: Cell<usize>,
}

fn cluster(id: &str) -> ClusterId {
    ClusterId::parse(id).unwrap()
}

fn key(home: &str, name: &str) -> Key {
    Key::cluster_scoped(&cluster(home), name)
}

impl Plane {
    /// Creates a plane with the workspaces `root:platform`, which is trusted, `root:acme` and `root:acme:shop`.
    fn new() -> Self {
        let trusted = vec![WorkspacePath::parse("root:platform").unwrap()];
        let (policies, promises, revisions) = (OrdMap::new(), OrdMap::new(), OrdMap::new());
        let tree = Arc::new(Tree::new(ClusterId::root(), &OrdMap::new()));
        let view = View { policies, promises, revisions, tree, trusted };
        let mut plane = Self {
            policy_checks: PolicyChecks::default(),
            view,
            workspaces: OrdMap::new(),
            read: Cell::default(),
            checked: Cell::default(),
        };
        plane.place("root", "platform");
        plane.place("root", "acme");
        plane.place("acme", "shop");
        plane
    }

    /// Puts a workspace into another one.
    fn place(&mut self, parent: &str, name: &str) {
        let row = WorkspaceRow { cluster: cluster(name), labels: BTreeMap::new(), deleting: false };
        self.workspaces.insert(key(parent, name), Arc::new(row));
        self.view.tree = Arc::new(Tree::new(ClusterId::root(), &self.workspaces));
    }

    fn leave(&mut self, parent: &str, name: &str) {
        self.workspaces.remove(&key(parent, name));
        self.view.tree = Arc::new(Tree::new(ClusterId::root(), &self.workspaces));
    }

    /// Publishes a promise with one parameter, and an own schema: `version` makes it another one.
    fn publish(&mut self, home: &str, name: &str, parameter: &str, version: usize) {
        let schema = json!({"type": "object", "properties": {parameter: {"type": "integer", "minimum": version}}});
        let spec = PromiseSpec { parameters: Some(schema.into()), version: format!("1.0.{version}"), ..PromiseSpec::default() };
        let hash = revision::hash(&spec).unwrap();
        let named = revision::name(name, &hash);
        let record = PromiseRevisionSpec { promise: name.to_owned(), version: spec.version.clone(), hash, spec: spec.clone() };
        self.view.revisions.insert(key(home, &named), Arc::new(object::<PromiseRevisionKind>(&named, None, record)));
        let mut promise = object::<PromiseKind>(name, None, spec);
        promise.status = Some(PromiseStatus { revision: Some(named), ..PromiseStatus::default() });
        self.view.promises.insert(key(home, name), Arc::new(promise));
    }

    /// Writes the status that every request of a promise changes.
    fn count(&mut self, home: &str, name: &str, instances: i64) {
        let mut promise = (**self.view.promises.get(&key(home, name)).unwrap()).clone();
        promise.status.as_mut().unwrap().instances = instances;
        promise.metadata.finalizers = Some(vec!["in-use".to_owned()]);
        self.view.promises.insert(key(home, name), Arc::new(promise));
    }

    fn govern(&mut self, home: &str, name: &str, promises: Value, rule: Value) {
        let mut rule = rule;
        rule["name"] = json!("rule");
        let spec = json!({"title": "Limits", "owner": {"team": "Acme"}, "appliesTo": {"promises": promises}, "rules": [rule]});
        let policy = object::<PolicyKind>(name, None, serde_json::from_value(spec).unwrap());
        self.view.policies.insert(key(home, name), Arc::new(policy));
    }

    /// Returns the problems of a policy, after as many steps as it takes.
    fn problems(&mut self, at: &Key) -> Vec<Problem> {
        let read = |spec: &PromiseSpec| {
            self.read.set(self.read.get() + 1);
            FitSchema::of(spec)
        };
        let check = |policy: &Reading, name: &str, promise: &FitSchema| {
            self.checked.set(self.checked.get() + 1);
            check_read(policy, name, promise)
        };
        let judge = Judge { read, check };
        loop {
            if let Some(problems) = self.policy_checks.step(at, &self.view, &judge) {
                return problems;
            }
        }
    }

    /// Looks at all policies, as after an event that affects all of them. Returns how many promises were parsed and pairs checked.
    fn look(&mut self) -> (usize, usize) {
        self.read.set(0);
        self.checked.set(0);
        let all: Vec<Key> = self.view.policies.keys().cloned().collect();
        for at in &all {
            let found = self.problems(at);
            assert_eq!(found, self.expected(at), "{at}");
        }
        (self.read.get(), self.checked.get())
    }

    /// Checks a policy against every promise that it has to fit.
    fn expected(&self, at: &Key) -> Vec<Problem> {
        let Some(policy) = self.view.policies.get(at) else { return Vec::new() };
        let (place, trusted) = self.view.place(&at.cluster);
        let invalid = validity(&policy.spec, trusted);
        if !invalid.is_empty() {
            return invalid;
        }
        let mut found = Vec::new();
        for key in self.view.promises.keys() {
            let Some(offer) = self.view.offer(key).filter(|offer| has_to_fit(&place, (&offer.home, offer.trusted))) else { continue };
            for problem in check_against(&policy.spec, &key.name, &offer.revision.spec.spec) {
                found.push(Problem { message: format!("For the promise {}: {}", key.name, problem.message), ..problem });
            }
        }
        found.truncate(MOST_REPORTED);
        found
    }
}

fn most(parameter: &str) -> Value {
    json!({"constrain": {"parameter": parameter, "maximum": 500}})
}

fn asks(expression: &str) -> Value {
    json!({"validate": {"expression": expression, "message": "Choose less."}})
}

/// A plane with so many promises, and seven policies: four that concern all of them, one for a single one and two for none.
fn settled(promises: usize) -> Plane {
    let mut plane = Plane::new();
    for number in 0..promises {
        plane.publish("platform", &format!("p{number:04}"), "size", 1);
    }
    plane.govern("platform", "most", json!([]), most(".size"));
    plane.govern("acme", "asks", json!(["p*"]), asks("parameters.size < 400"));
    plane.govern("shop", "lacks", json!([]), asks("!has(parameters.colour) || parameters.colour == 'red'"));
    plane.govern("acme", "both", json!(["*"]), asks("parameters.size < 400 || parameters.colour == 'red'"));
    plane.govern("platform", "one", json!(["p0003"]), most(".size"));
    plane.govern("platform", "other", json!(["q*"]), most(".size"));
    plane.govern("platform", "invalid", json!([]), json!({}));
    let first = plane.look();
    assert_eq!(first, (promises, 4 * promises + 1), "each promise is parsed once, for all policies");
    plane
}

#[test]
fn an_event_costs_what_it_affects_however_many_promises_there_are() {
    for promises in [10, 300] {
        let mut plane = settled(promises);
        assert_eq!(plane.look(), (0, 0), "nothing changed");
        plane.count("platform", "p0005", 7);
        assert_eq!(plane.look(), (0, 0), "requests of a promise came or went");
        let mut policy = (**plane.view.policies.get(&key("platform", "most")).unwrap()).clone();
        policy.spec.title = Some("Other words".to_owned());
        policy.status = Some(PolicyStatus { observed_generation: 2, ..PolicyStatus::default() });
        plane.view.policies.insert(key("platform", "most"), Arc::new(policy));
        assert_eq!(plane.look(), (0, 0), "texts and status of a policy");
        plane.publish("platform", "p0005", "size", 2);
        assert_eq!(plane.look(), (1, 4), "a version was published");
        plane.publish("platform", "p9999", "size", 1);
        assert_eq!(plane.look(), (1, 4), "a promise was published");
        plane.view.promises.remove(&key("platform", "p0006"));
        assert_eq!(plane.look(), (0, 0), "a promise was deleted");
        plane.publish("shop", "p0003", "size", 1);
        assert_eq!(plane.look(), (1, 1), "only the policy of its own workspace has to fit it");
        plane.govern("platform", "other", json!(["p0004"]), most(".size"));
        assert_eq!(plane.look(), (1, 1), "a policy for one promise");
        plane.view.policies.remove(&key("platform", "most"));
        assert_eq!(plane.look(), (0, 0), "a policy was deleted");
        let schemas = plane.view.promises.len() - 1;
        plane.govern("platform", "most", json!([]), most(".size"));
        assert_eq!(plane.look(), (schemas, schemas), "a policy for everything");
    }
}

#[test]
fn a_policy_that_fits_nothing_is_checked_until_enough_is_found() {
    let mut plane = Plane::new();
    for number in 0..100 {
        plane.publish("platform", &format!("p{number:04}"), "size", 1);
    }
    plane.govern("platform", "bad", json!([]), json!({"constrain": {"parameter": ".size", "pattern": "x"}}));
    assert_eq!(plane.look(), (MOST_REPORTED, MOST_REPORTED));
    let kept = &plane.policy_checks.policies[&key("platform", "bad")];
    assert_eq!((kept.unfit.len(), kept.pending.len()), (MOST_REPORTED, 100 - MOST_REPORTED));
    plane.publish("platform", "p0002", "colour", 1);
    assert_eq!(plane.look(), (2, 2), "the one that was fixed, and the next one");
    plane.publish("platform", "p0002", "size", 1);
    assert_eq!(plane.look(), (1, 1));
    let kept = &plane.policy_checks.policies[&key("platform", "bad")];
    assert_eq!((kept.unfit.len(), kept.pending.len()), (MOST_REPORTED, 100 - MOST_REPORTED), "what isn't reported isn't kept");
}

#[test]
fn what_is_gone_is_forgotten() {
    let mut plane = settled(30);
    plane.view.promises.clear();
    plane.view.revisions.clear();
    plane.look();
    assert!(plane.policy_checks.offers.is_empty());
    assert!(plane.policy_checks.policies.values().all(|kept| kept.pending.is_empty() && kept.unfit.is_empty()));
    plane.view.policies.clear();
    assert_eq!(plane.problems(&key("platform", "most")), [], "the one that was deleted last is looked at once more");
    assert!(plane.policy_checks.policies.is_empty());
}

#[test]
fn results_are_the_same_as_of_checking_everything_whatever_changes() {
    let mut plane = Plane::new();
    let mut state = 7_u64;
    let mut pick = |of: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % of
    };
    let homes = ["platform", "acme", "shop"];
    let rules = [
        most(".size"),
        most(".colour"),
        json!({"constrain": {"parameter": ".size", "pattern": "x"}}),
        asks("parameters.size < 400"),
        asks("!has(parameters.colour) || parameters.colour < 9"),
        asks("parameters.size == 'x'"),
        json!({"set": {"parameter": ".size", "value": 3}}),
        json!({"default": {"parameter": ".size", "value": "large"}}),
    ];
    let mut unfit = 0;
    for reconciliation in 0..400 {
        let home = homes[pick(3) as usize];
        let name = format!("p{}", pick(14));
        match pick(12) {
            0..=3 => plane.publish(home, &name, ["size", "colour"][pick(2) as usize], pick(4) as usize),
            4 => drop(plane.view.promises.remove(&key(home, &name))),
            5 => {
                // A revision that is missing for a while: another tool deleted it, or the caches are behind.
                let gone = plane.view.revisions.keys().nth(pick(20) as usize).cloned();
                gone.map(|gone| plane.view.revisions.remove(&gone));
            }
            6..=8 => {
                let range = [json!([]), json!(["p*"]), json!(["p1*"]), json!([name, "p3"])][pick(4) as usize].clone();
                let rule = rules[pick(rules.len() as u64) as usize].clone();
                plane.govern(home, &format!("policy-{}", pick(6)), range, rule);
            }
            9 => drop(plane.view.policies.remove(&key(home, &format!("policy-{}", pick(6))))),
            10 => {
                plane.leave("acme", "shop");
                plane.leave("root", "shop");
                plane.place(["root", "acme"][pick(2) as usize], "shop");
            }
            _ => {
                plane.leave("root", "platform");
                if pick(2) == 0 {
                    plane.look();
                }
                plane.place("root", "platform");
            }
        }
        // Not every change is looked at by itself.
        if reconciliation % 3 != 0 {
            plane.look();
            unfit += plane.policy_checks.policies.values().filter(|kept| !kept.unfit.is_empty()).count();
        }
    }
    assert!(unfit > 100, "many policies didn't fit: {unfit}");
}
