//! Rules run over parameters: constraints one by one, so that each problem names its policy, and expressions on a budget.

/// Compiles a pattern of a constraint; the error is a clause that follows a colon.
pub(super) fn pattern(pattern: &str) -> Result<regex::Regex, String> {
    regex::RegexBuilder::new(pattern).size_limit(1 << 20).build().map_err(|_| format!("its pattern {pattern:?} is no regular expression"))
}
