//! How deep promises can request promises.

use crate::problem::Problem;

/// Maximum number of requests in a row of which each was created for the one before. A promise that requests itself would go on forever.
pub const NESTING_LIMIT: usize = 8;

/// Returns why a request that promises created isn't fulfilled. `above` is the number of requests that it is nested in.
pub fn problem(above: usize) -> Option<Problem> {
    (above > NESTING_LIMIT).then(|| {
        let message = format!(
            "Promises requested promises {NESTING_LIMIT} times in a row, and this would be another time. Ask their teams whether one of them \
             requests itself."
        );
        Problem { path: ".promise".to_owned(), message }
    })
}

#[cfg(test)]
mod tests {
    use super::{NESTING_LIMIT, problem};

    #[test]
    fn promises_can_request_promises_up_to_a_limit() {
        assert_eq!(problem(NESTING_LIMIT), None);
        assert!(problem(NESTING_LIMIT + 1).unwrap().message.starts_with("Promises requested promises 8 times"));
    }
}
