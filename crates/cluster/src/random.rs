//! Randomness, passed in from outside: the binary owns the only source.

/// Source of random bytes.
pub trait Random: Send + Sync + 'static {
    /// Overwrites `bytes` with random ones.
    fn fill(&self, bytes: &mut [u8]);
}

impl<F: Fn(&mut [u8]) + Send + Sync + 'static> Random for F {
    fn fill(&self, bytes: &mut [u8]) {
        self(bytes);
    }
}
