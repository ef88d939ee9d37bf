//! Results of checking policies against the promises that they apply to, kept for each pair: parsing a schema and checking every expression
//! against it takes milliseconds, and most changes on a control plane change neither.

use std::collections::HashMap;

use parking_lot::Mutex;
use promise::Problem;
use promise::api::{AppliesTo, PolicySpec, PromiseSpec, Rule};

use crate::watch::Key;

/// How many problems of a policy are reported.
const TOLD: usize = 10;

/// Results of each policy.
#[derive(Default)]
pub struct Fits(Mutex<HashMap<Key, Kept>>);

struct Kept {
    trusted: bool,
    spec: PolicySpec,
    /// Problems of the policy itself.
    invalid: Vec<Problem>,
    /// Mismatches, by name of the promise and hash of its revision.
    pairs: HashMap<(String, String), Vec<Problem>>,
}

/// A promise that a policy has to match.
pub struct Met<'a> {
    /// Its name.
    pub name: &'a str,
    /// Hash of its published spec.
    pub hash: &'a str,
    /// Its published spec.
    pub spec: &'a PromiseSpec,
}

/// How policies are checked.
pub struct Judge<V, C> {
    /// Returns problems of a policy itself, given whether it is set in a trusted home.
    pub validity: V,
    /// Returns the mismatches between a policy and a promise of a given name.
    pub check: C,
}

impl Fits {
    /// Returns the problems of a policy itself, otherwise its mismatches with the promises that it applies to. Only pairs without a result
    /// are checked. A policy is checked only once at a time.
    pub fn problems<'m, V, C>(
        &self,
        key: &Key,
        spec: &PolicySpec,
        trusted: bool,
        met: impl Iterator<Item = Met<'m>>,
        judge: &Judge<V, C>,
    ) -> Vec<Problem>
    where
        V: Fn(&PolicySpec, bool) -> Vec<Problem>,
        C: Fn(&PolicySpec, &str, &PromiseSpec) -> Vec<Problem>,
    {
        // No lock is held while expressions of other people are parsed.
        let before = self.0.lock().remove(key);
        let (invalid, mut known) = match before {
            Some(kept) if kept.trusted == trusted && decides(&kept.spec) == decides(spec) => (kept.invalid, kept.pairs),
            _ => ((judge.validity)(spec, trusted), HashMap::new()),
        };
        let (mut pairs, mut problems) = (HashMap::new(), invalid.clone());
        if invalid.is_empty() {
            for Met { name, hash, spec: promise } in met {
                let pair = (name.to_owned(), hash.to_owned());
                let found = known.remove(&pair).unwrap_or_else(|| (judge.check)(spec, name, promise));
                let told = found
                    .iter()
                    .map(|problem| Problem { message: format!("For the promise {name}: {}", problem.message), ..problem.clone() });
                problems.extend(told);
                pairs.insert(pair, found);
                if problems.len() >= TOLD {
                    problems.truncate(TOLD);
                    // Results that weren't needed now might be needed when some of this is fixed.
                    pairs.extend(known);
                    break;
                }
            }
        }
        self.0.lock().insert(key.clone(), Kept { trusted, spec: spec.clone(), invalid, pairs });
        problems
    }

    /// Drops the results of a policy that is gone.
    pub fn forget(&self, key: &Key) {
        self.0.lock().remove(key);
    }
}

/// Returns the parts of a policy that determine whether it matches. Its texts for people don't.
fn decides(spec: &PolicySpec) -> (&AppliesTo, &[Rule]) {
    (&spec.applies_to, &spec.rules)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde_json::json;

    use super::*;
    use crate::workspaces::ClusterId;

    /// A control plane with promises that counts how often a pair was checked.
    struct Plane {
        fits: Fits,
        promises: Vec<(String, String, PromiseSpec)>,
        judged: Cell<usize>,
    }

    impl Plane {
        fn look(&self, spec: &PolicySpec) -> (Vec<Problem>, usize) {
            self.judged.set(0);
            let check = |policy: &PolicySpec, name: &str, promise: &PromiseSpec| {
                self.judged.set(self.judged.get() + 1);
                promise::policy::check_against(policy, name, promise)
            };
            let judge = Judge { validity: promise::policy::validity, check };
            let met = self.promises.iter().map(|(name, hash, spec)| Met { name, hash, spec });
            let problems = self.fits.problems(&Key::cluster_scoped(&ClusterId::root(), "limits"), spec, true, met, &judge);
            (problems, self.judged.get())
        }
    }

    fn policy(parameter: &str) -> PolicySpec {
        let spec = json!({"title": "Limits", "owner": {"team": "Acme"}, "appliesTo": {"promises": ["p*", "p7"]},
            "rules": [{"name": "size", "constrain": {"parameter": parameter, "maximum": 5}}]});
        serde_json::from_value(spec).unwrap()
    }

    #[test]
    fn only_pairs_whose_content_changed_are_judged_again() {
        let schema = json!({"type": "object", "properties": {"size": {"type": "integer"}}});
        let spec = PromiseSpec { parameters: serde_json::from_value(schema).unwrap(), ..PromiseSpec::default() };
        let promises = (0..200).map(|number| (format!("p{number}"), format!("hash-{number}"), spec.clone())).collect();
        let mut plane = Plane { fits: Fits::default(), promises, judged: Cell::default() };
        assert_eq!(plane.look(&policy(".size")), (vec![], 200));
        assert_eq!(plane.look(&policy(".size")), (vec![], 0), "nothing changed");
        assert_eq!(plane.look(&PolicySpec { title: Some("Other words".into()), ..policy(".size") }), (vec![], 0));
        plane.promises[3].1 = "another hash".into();
        assert_eq!(plane.look(&policy(".size")), (vec![], 1), "one promise was published again");
        plane.promises.remove(9);
        assert_eq!(plane.look(&policy(".size")), (vec![], 0));
        let (problems, judged) = plane.look(&policy(".colour"));
        assert_eq!(judged, 199, "other rules");
        assert!(problems.len() == 1 && problems[0].message.starts_with("For the promise p7: "), "{problems:?}");
        assert_eq!(plane.look(&policy(".colour")), (problems, 0));
    }

    #[test]
    fn a_policy_that_is_invalid_by_itself_meets_no_promise() {
        let plane =
            Plane { fits: Fits::default(), promises: vec![("p1".into(), "h".into(), PromiseSpec::default())], judged: Cell::default() };
        let mut invalid = policy(".size");
        invalid.rules[0].constrain = None;
        let (problems, judged) = plane.look(&invalid);
        assert!(!problems.is_empty() && judged == 0, "{problems:?}");
        plane.fits.forget(&Key::cluster_scoped(&ClusterId::root(), "limits"));
        assert_eq!(plane.look(&policy(".size")).1, 1);
    }
}
