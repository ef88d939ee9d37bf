//! Limits of an evaluation. Everything is counted and nothing is timed: the same input always stops at the same step.

/// Maximum steps of one expression outside of rules: far more than any template needs, a fraction of a second of work.
pub const STEPS: u64 = 1_000_000;
/// Maximum steps of all rules of one object together.
pub const RULE_STEPS: u64 = 5_000_000;
/// Maximum length of a string that an expression can build, in bytes.
pub const TEXT_LIMIT: usize = 256 << 10;
/// Maximum size of a list or map that an expression can build, in entries.
pub const LIST_LIMIT: usize = 10_000;
/// Maximum total of string bytes and list entries that one budget can build.
const BUILT_LIMIT: u64 = 64 << 20;

/// Remaining steps and memory. Several evaluations can share one budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    steps: u64,
    built: u64,
}

/// The limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exhausted {
    /// No steps are left.
    #[error("it takes too many steps: loop over fewer items or simplify it")]
    Steps,
    /// One string grew too long, or all strings and lists together.
    #[error("it builds too much text: at most {} KiB in one value", TEXT_LIMIT >> 10)]
    Text,
    /// One list or map grew too large.
    #[error("it builds too large a list: at most {LIST_LIMIT} entries")]
    List,
}

impl Default for Budget {
    fn default() -> Self {
        Self::steps(STEPS)
    }
}

impl Budget {
    /// Creates a budget of this many steps; a step is one node of an expression, or about ten bytes of text read.
    pub fn steps(steps: u64) -> Self {
        Self { steps, built: BUILT_LIMIT }
    }

    /// Creates the budget of all rules of one object.
    pub fn for_rules() -> Self {
        Self::steps(RULE_STEPS)
    }

    /// Returns the remaining steps.
    pub fn remaining(&self) -> u64 {
        self.steps
    }

    /// Takes steps; once the budget is used up, nothing is left and every further call fails too.
    pub(crate) fn take(&mut self, steps: u64) -> Result<(), Exhausted> {
        match self.steps.checked_sub(steps) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => {
                self.steps = 0;
                Err(Exhausted::Steps)
            }
        }
    }

    /// Charges for reading this many bytes of text.
    pub(crate) fn read(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.take(bytes as u64 / 10)
    }

    /// Charges for a new string.
    pub(crate) fn text(&mut self, bytes: usize) -> Result<(), Exhausted> {
        if bytes > TEXT_LIMIT {
            return Err(Exhausted::Text);
        }
        self.read(bytes)?;
        self.build(bytes as u64)
    }

    /// Charges for a new list or map.
    pub(crate) fn list(&mut self, entries: usize) -> Result<(), Exhausted> {
        if entries > LIST_LIMIT {
            return Err(Exhausted::List);
        }
        self.take(entries as u64 / 4)?;
        self.build(entries as u64 * 16)
    }

    fn build(&mut self, bytes: u64) -> Result<(), Exhausted> {
        self.built = self.built.checked_sub(bytes).ok_or(Exhausted::Text)?;
        Ok(())
    }
}
