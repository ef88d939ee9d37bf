//! Sources of random bytes.

/// A source of random bytes: the system's in production, a seeded one in tests.
pub trait Random: Send + Sync {
    /// Overwrites `bytes` with random ones.
    fn fill(&self, bytes: &mut [u8]);
}

/// Returns `N` random bytes.
pub(crate) fn bytes<const N: usize>(random: &dyn Random) -> [u8; N] {
    let mut bytes = [0; N];
    random.fill(&mut bytes);
    bytes
}

/// Returns the bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the 32 bytes of 64 hexadecimal digits.
pub(crate) fn unhex(text: &str) -> Option<[u8; 32]> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
pub(crate) mod seeded {
    //! A counter that looks random enough: every call returns different bytes, every run the same.

    use std::sync::atomic::{AtomicU64, Ordering};

    use sha2::{Digest as _, Sha256};

    #[derive(Default)]
    pub(crate) struct Seeded(AtomicU64);

    impl super::Random for Seeded {
        fn fill(&self, bytes: &mut [u8]) {
            for chunk in bytes.chunks_mut(32) {
                let block = Sha256::digest(self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes());
                let length = chunk.len();
                chunk.copy_from_slice(&block[..length]);
            }
        }
    }
}
