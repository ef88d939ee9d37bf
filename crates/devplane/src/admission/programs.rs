//! Expressions of policies that were compiled, by their text: all policies compile in the same environment, and the same policy judges
//! every write of its resource.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use parking_lot::Mutex;
use schema::expr::{Environment, ExprError, Program};

/// How much text of expressions is remembered, in bytes: hundreds of policies of many rules.
const BYTES: usize = 4 << 20;

/// What an expression was compiled to, or why it cannot be.
type Compiled = Result<Program, ExprError>;

/// Compiled expressions, no more than fit.
#[derive(Default)]
struct Programs {
    known: HashMap<Arc<str>, Compiled>,
    bytes: usize,
}

impl Programs {
    fn keep(&mut self, expression: &str, compiled: Compiled) {
        if !self.known.contains_key(expression) && self.bytes + expression.len() > BYTES {
            // Seldom. What is used often is compiled again once.
            *self = Self::default();
        }
        if self.known.insert(expression.into(), compiled).is_none() {
            self.bytes += expression.len();
        }
    }
}

static PROGRAMS: LazyLock<Mutex<Programs>> = LazyLock::new(Mutex::default);

/// The program of an expression in the environment of policies.
pub fn program(expression: &str, environment: &Environment) -> Compiled {
    if let Some(known) = PROGRAMS.lock().known.get(expression) {
        return known.clone();
    }
    // Outside the lock: it takes its time. Two at once do the work twice.
    let compiled = environment.compile(expression);
    PROGRAMS.lock().keep(expression, compiled.clone());
    compiled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_remembered_than_fits() {
        let mut programs = Programs::default();
        let failed = || Err(Environment::new().compile("(").unwrap_err());
        let text = |number: usize| format!("{number:06}{}", "x".repeat(1 << 20));
        for number in 0..3 {
            programs.keep(&text(number), failed());
            programs.keep(&text(number), failed());
        }
        assert_eq!((programs.known.len(), programs.bytes), (3, 3 * text(0).len()));
        programs.keep(&text(3), failed());
        assert_eq!((programs.known.len(), programs.bytes), (1, text(3).len()));
    }
}
