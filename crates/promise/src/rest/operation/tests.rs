//! Tests what operations say of themselves.

use std::collections::BTreeSet;

use super::*;

#[test]
fn operations_are_told_apart_and_their_parameters_are_known() {
    let ids: BTreeSet<&str> = OPERATIONS.iter().map(|operation| operation.id).collect();
    assert_eq!(ids.len(), OPERATIONS.len());
    let addresses: BTreeSet<(&str, &str)> = OPERATIONS.iter().map(|operation| (operation.path, operation.method)).collect();
    assert_eq!(addresses.len(), OPERATIONS.len());
    for operation in OPERATIONS {
        assert!(operation.path.starts_with(BASE) && !operation.summary.is_empty(), "{}", operation.id);
        for name in operation.path_parameters() {
            assert!(["workspace", "namespace", "name", "action", "run", "step", "rollout"].contains(&name), "{name}");
        }
        let sends = operation.method == "POST" || operation.method == "PUT";
        // What is retried or cancelled is known.
        assert_eq!(
            operation.body.is_some(),
            sends && ![RETRY, CANCEL, RETRY_RUN, CANCEL_RUN, STOP_ROLLOUT].contains(&operation.path),
            "{}",
            operation.id
        );
    }
}
