//! The names of runs.

use sha2::{Digest as _, Sha256};

/// Longest name: objects are named after runs, and the name of a Job has room for those of its pods.
const LONGEST: usize = 52;
/// Digits that tell the runs of an action apart.
const DIGITS: usize = 8;

/// Returns the name of a run that someone starts. The same `nonce` makes the same name, so a form that is sent twice starts one run.
pub fn run_name(request: &str, action: &str, nonce: &str) -> String {
    joined(request, action, &digits(nonce))
}

/// Returns digits that tell a text apart from others.
pub(crate) fn digits(text: &str) -> String {
    hex::encode(Sha256::digest(text)).chars().take(DIGITS).collect()
}

/// Joins a request, an action and what tells its runs apart. The first two are shortened to what fits.
pub(crate) fn joined(request: &str, action: &str, end: &str) -> String {
    // Names of requests and actions are ASCII.
    let room = LONGEST - end.len() - "--".len();
    let action: String = action.chars().take(room / 2).collect();
    let request: String = request.chars().take(room - action.len()).collect();
    format!("{}-{}-{end}", request.trim_end_matches(['-', '.']), action.trim_end_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, run_name};

    #[test]
    fn a_run_is_named_after_its_request_and_action() {
        let name = run_name("orders-db", "backup", "a");
        assert!(name.starts_with("orders-db-backup-") && name.len() == "orders-db-backup-".len() + 8, "{name}");
        assert_eq!(name, run_name("orders-db", "backup", "a"));
        assert_ne!(name, run_name("orders-db", "backup", "b"));
    }

    #[test]
    fn long_names_are_shortened_to_a_valid_one() {
        for (request, action) in
            [("a".repeat(253), "b".repeat(63)), (format!("{}-c", "a".repeat(35)), "x".into()), ("r".into(), "y-".repeat(30))]
        {
            let name = run_name(&request, &action, "n");
            assert!(name.len() <= LONGEST && !name.contains("--"), "{name}");
        }
    }
}
