//! Checks the promise's own rules.

use schema::structural::Schema;

use super::Draft;
use crate::api::PolicySpec;
use crate::policy;

pub(super) fn check(draft: &mut Draft<'_>, schema: &Schema) {
    let spec = draft.spec;
    let own = PolicySpec { rules: spec.policies.clone(), ..PolicySpec::default() };
    for problem in policy::validity(&own, draft.trusted) {
        let path = problem.path.replacen(".rules", ".policies", 1);
        draft.problem(path, problem.message);
    }
    for problem in policy::check_own(spec, schema) {
        let path = problem.path.replacen(".rules", ".policies", 1);
        // Problems that don't depend on the schema were reported with the rule itself.
        if !draft.problems.iter().any(|told| told.path == path) {
            draft.problem(path, problem.message);
        }
    }
    let mut names = std::collections::BTreeSet::new();
    for (index, reference) in spec.policy_refs.iter().enumerate() {
        if !names.insert(&reference.name) {
            draft.problem(format!(".policyRefs[{index}]"), format!("Remove this entry: {} is already listed.", reference.name));
        }
    }
}
