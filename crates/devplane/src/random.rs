//! Randomness, injected: uids, generated names and cluster ids come from a [`Random`].
//! Source: apiserver `storage/names/generate.go` for generated names.

/// Where the plane takes random bytes from.
pub trait Random: Send + Sync + 'static {
    /// Fills the buffer with random bytes.
    fn fill(&self, buffer: &mut [u8]);
}

/// The random source of the machine.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemRandom;

impl Random for SystemRandom {
    #[expect(clippy::disallowed_methods, reason = "the one place where the plane reads the machine's random source")]
    fn fill(&self, buffer: &mut [u8]) {
        if let Err(error) = getrandom::fill(buffer) {
            // Without randomness uids would repeat; a server that goes on would corrupt its data.
            tracing::error!(%error, "the random source of the machine fails");
            std::process::abort();
        }
    }
}

/// A new version 4 UUID, as `metadata.uid` has it.
pub fn uid(random: &dyn Random) -> String {
    let mut bytes = [0; 16];
    random.fill(&mut bytes);
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}

/// The alphabet of generated names: no vowels and nothing that reads like another character (apimachinery `rand`).
const NAME_ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// The five characters that `metadata.generateName` gets.
pub fn name_suffix(random: &dyn Random) -> String {
    word(random, 5, NAME_ALPHABET)
}

/// `length` characters of `alphabet`, which has at most 256 characters.
pub fn word(random: &dyn Random, length: usize, alphabet: &[u8]) -> String {
    // Bytes at or beyond the largest multiple of the alphabet's length are thrown away: each character is equally likely.
    let limit = 256 - 256 % alphabet.len();
    let mut text = String::with_capacity(length);
    let mut bytes = [0; 16];
    while text.len() < length {
        random.fill(&mut bytes);
        for byte in bytes {
            if usize::from(byte) < limit && text.len() < length {
                text.push(char::from(alphabet[usize::from(byte) % alphabet.len()]));
            }
        }
    }
    text
}
