//! Requests that promises create: how deep, and never for themselves.

use crate::problem::Problem;

/// Maximum number of requests in a row of which each was created for the one before.
pub const NESTING_LIMIT: usize = 8;

/// A request that created another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Creator {
    /// Name of its promise.
    pub promise: String,
    /// Id of the home of the promise, if it is known.
    pub home: Option<String>,
}

/// Returns why a request that promises created isn't fulfilled. `creators` are the requests that it is nested in, nearest first.
pub fn too_deep(creators: &[Creator]) -> Option<Problem> {
    (creators.len() > NESTING_LIMIT).then(|| {
        let message = format!(
            "Promises requested promises {NESTING_LIMIT} times in a row, and this would be another time. Ask their teams to request fewer."
        );
        Problem { path: ".promise".to_owned(), message }
    })
}

/// Checks whether it isn't known yet if one of these requests has the same promise.
pub fn might_repeat(creators: &[Creator], promise: &str) -> bool {
    creators.iter().any(|creator| creator.promise == promise && creator.home.is_none())
}

/// Returns why a request isn't fulfilled whose promise is also that of a request that it is nested in. Even a few levels of a promise that
/// requests itself several times would be very many requests.
pub fn repeated(creators: &[Creator], promise: &str, home: &str) -> Option<Problem> {
    let is_same = |creator: &Creator| creator.promise == promise && creator.home.as_deref() == Some(home);
    creators.iter().any(is_same).then(|| {
        let message = format!(
            "A request for {promise} created this one, directly or through other promises. A promise can't request itself: ask the team of \
             {promise} to change it."
        );
        Problem { path: ".promise.name".to_owned(), message }
    })
}

#[cfg(test)]
mod tests {
    use super::{Creator, NESTING_LIMIT, might_repeat, repeated, too_deep};

    fn creator(promise: &str, home: Option<&str>) -> Creator {
        Creator { promise: promise.to_owned(), home: home.map(str::to_owned) }
    }

    #[test]
    fn promises_can_request_promises_up_to_a_limit() {
        let creators = |count: usize| -> Vec<Creator> { (0..count).map(|index| creator(&format!("p{index}"), None)).collect() };
        assert_eq!(too_deep(&creators(NESTING_LIMIT)), None);
        assert!(too_deep(&creators(NESTING_LIMIT + 1)).unwrap().message.starts_with("Promises requested promises 8 times"));
    }

    #[test]
    fn no_promise_requests_itself_but_one_of_the_same_name_elsewhere() {
        let creators = [creator("team", Some("shop")), creator("database", Some("shop"))];
        assert_eq!(repeated(&creators, "database", "platform"), None, "a team offers a database of its own that requests the platform's");
        assert_eq!(repeated(&creators, "cache", "shop"), None);
        let problem = repeated(&creators, "team", "shop").unwrap();
        assert!(problem.message.starts_with("A request for team created this one"), "{problem:?}");
        let unknown = [creator("team", None)];
        assert_eq!((repeated(&unknown, "team", "shop"), might_repeat(&unknown, "team")), (None, true), "its home isn't known");
        assert!(!might_repeat(&unknown, "cache") && !might_repeat(&creators, "team"));
    }
}
