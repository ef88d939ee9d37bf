//! Which workspaces are for production: those whose labels say so, as [`crate::purpose`] finds the tier of an instance.

use std::collections::BTreeMap;

use crate::purpose::{PRODUCTION, TIERS};

/// Checks whether a workspace is for production: one of its labels has the name `tier`, `environment`, `env` or `stage`, with or without a
/// prefix such as `acme.example/`, and the value `production`, `prod` or `live`.
pub fn is_production(labels: &BTreeMap<String, String>) -> bool {
    let says = |words: &[&str], text: &str| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    labels.iter().any(|(key, value)| says(&TIERS, key.rsplit('/').next().unwrap_or(key)) && says(&PRODUCTION, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_is_for_production_if_a_label_says_so() {
        let of =
            |key: &str, value: &str| is_production(&[("org".to_owned(), "acme".to_owned()), (key.to_owned(), value.to_owned())].into());
        for (key, value) in [("stage", "production"), ("env", "prod"), ("acme.example/environment", "live"), ("Tier", "Production")] {
            assert!(of(key, value), "{key}={value}");
        }
        for (key, value) in [("stage", "development"), ("stage", "preproduction"), ("purpose", "production"), ("stage/owner", "production")]
        {
            assert!(!of(key, value), "{key}={value}");
        }
        assert!(!is_production(&BTreeMap::new()));
    }
}
