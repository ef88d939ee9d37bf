//! What an evaluation may use. Everything is counted, nothing is timed: the same input always ends at the same step.

/// Steps of one expression outside of rules: far more than any template needs, a fraction of a second of work.
pub const STEPS: u64 = 1_000_000;
/// Steps of all rules of one object together.
pub const RULE_STEPS: u64 = 5_000_000;
/// Longest text that an expression may build, in bytes.
pub const TEXT_LIMIT: usize = 256 << 10;
/// Longest list or largest map that an expression may build, in entries.
pub const LIST_LIMIT: usize = 10_000;
/// Bytes of texts and entries of lists that one budget may build in all.
const BUILT_LIMIT: u64 = 64 << 20;

/// Steps and memory left. One budget may serve many evaluations: they share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    steps: u64,
    built: u64,
}

/// What ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exhausted {
    /// No steps are left.
    #[error("it takes too many steps: loop over fewer items or simplify it")]
    Steps,
    /// One text grew too long, or all texts and lists together.
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
    /// A budget of so many steps; a step is one node of an expression, or some ten bytes of text looked at.
    pub fn steps(steps: u64) -> Self {
        Self { steps, built: BUILT_LIMIT }
    }

    /// The budget of all rules of one object.
    pub fn for_rules() -> Self {
        Self::steps(RULE_STEPS)
    }

    /// Steps that are left.
    pub fn remaining(&self) -> u64 {
        self.steps
    }

    /// Takes steps; at the end of the budget nothing is left, and every further call fails as well.
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

    /// Pays for looking at so many bytes of text.
    pub(crate) fn read(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.take(bytes as u64 / 10)
    }

    /// Pays for a new text.
    pub(crate) fn text(&mut self, bytes: usize) -> Result<(), Exhausted> {
        if bytes > TEXT_LIMIT {
            return Err(Exhausted::Text);
        }
        self.read(bytes)?;
        self.build(bytes as u64)
    }

    /// Pays for a new list or map.
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
