//! Why an expression doesn't say whether an object is ready.

use schema::expr::ExprError;
use serde_json::Value;

use crate::expression;

/// Why `readyWhen` doesn't say whether an object is ready.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReadinessError {
    /// It returns something else than true or false.
    #[error("readyWhen must return true or false, but it returns {0}.")]
    NotABoolean(Value),
    /// The expression fails.
    #[error("{}", expression::sentence(.0))]
    Failed(ExprError),
}

#[cfg(test)]
mod tests {
    use schema::expr::ExprError;
    use serde_json::json;

    use super::ReadinessError;
    use crate::expression;

    #[test]
    fn every_error_is_a_sentence() {
        let error = ReadinessError::NotABoolean(json!("yes"));
        assert_eq!(error.to_string(), "readyWhen must return true or false, but it returns \"yes\".");
        let absent = ExprError::AbsentPath("self.status".to_owned());
        assert_eq!(ReadinessError::Failed(absent.clone()).to_string(), expression::sentence(&absent));
    }
}
