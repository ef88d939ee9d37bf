//! Texts that resemble each other, in a fraction of their memory.
//!
//! What a promise creates differs in little from request to request, and so do the releases. A text is compressed with another one of its
//! kind as the dictionary, so that what remains is mostly what differs. The format is LZ4 blocks
//! (<https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md>); they never leave the process.

use std::ops::RangeInclusive;
use std::sync::Arc;

use lz4_flex::block::{compress_with_dict, decompress_with_dict};
use parking_lot::Mutex;

/// Number of texts that are kept as dictionaries: about one for each sort of object in a busy cache.
const SAMPLES: usize = 16;
/// Lengths in bytes of the texts that a dictionary is of use for. Shorter ones aren't worth it. A block can refer 64 KiB back, and what is
/// the same is further back in longer ones.
const LENGTHS: RangeInclusive<usize> = 256..=32 << 10;

/// A text as a block. It has no `Debug`, because it might be a Secret.
#[derive(Clone)]
pub struct CompressedText {
    /// The dictionary, if one was of use.
    sample: Option<Sample>,
    block: Box<[u8]>,
    /// Length of the text in bytes.
    length: usize,
}

type Sample = Arc<Box<[u8]>>;

impl CompressedText {
    /// Compresses a text without a dictionary, so that no other row keeps any of it.
    pub fn alone(text: &[u8]) -> Self {
        Self::with(text, None)
    }

    fn with(text: &[u8], sample: Option<Sample>) -> Self {
        let block = compress_with_dict(text, dictionary(sample.as_ref())).into_boxed_slice();
        Self { sample, block, length: text.len() }
    }

    /// Returns the text.
    pub fn text(&self) -> Vec<u8> {
        // The block was written with the same dictionary.
        decompress_with_dict(&self.block, self.length, dictionary(self.sample.as_ref())).unwrap_or_else(|error| {
            tracing::error!(%error, "a text in memory can't be read");
            Vec::new()
        })
    }

    /// Whether the block is at most this fraction of another length.
    fn is_within(&self, length: usize, (share, of): (usize, usize)) -> bool {
        self.block.len() * of <= length * share
    }
}

fn dictionary(sample: Option<&Sample>) -> &[u8] {
    sample.map_or(&[], |sample| sample)
}

/// Compresses texts of a kind.
#[derive(Default)]
pub struct Compressor {
    /// Texts that new ones are compressed with, the most recently used first.
    samples: Mutex<Vec<Sample>>,
}

impl Compressor {
    /// Creates one that has seen no text.
    pub const fn new() -> Self {
        Self { samples: Mutex::new(Vec::new()) }
    }

    /// Compresses a text.
    pub fn compress(&self, text: &[u8]) -> CompressedText {
        if !LENGTHS.contains(&text.len()) {
            return CompressedText::alone(text);
        }
        let alone = CompressedText::alone(text);
        let samples = self.samples.lock().clone();
        let mut best: Option<CompressedText> = None;
        for sample in samples {
            let compressed = CompressedText::with(text, Some(sample));
            let is_small = compressed.is_within(alone.block.len(), (1, 4));
            if best.as_ref().is_none_or(|best| compressed.block.len() < best.block.len()) {
                best = Some(compressed);
            }
            // A better one would gain little.
            if is_small {
                break;
            }
        }
        match best.filter(|best| best.is_within(alone.block.len(), (2, 3))) {
            Some(best) => {
                self.used(best.sample.as_ref());
                best
            }
            // What can't be compressed resembles nothing.
            None if !alone.is_within(text.len(), (9, 10)) => alone,
            None => self.first_of_its_sort(text),
        }
    }

    /// Compresses a text that no sample resembles, and keeps it as a sample.
    fn first_of_its_sort(&self, text: &[u8]) -> CompressedText {
        let sample = Arc::new(Box::from(text));
        self.used(Some(&sample));
        CompressedText::with(text, Some(sample))
    }

    /// Moves a sample to the front.
    fn used(&self, sample: Option<&Sample>) {
        let Some(sample) = sample else { return };
        let mut samples = self.samples.lock();
        if samples.first().is_some_and(|first| Arc::ptr_eq(first, sample)) {
            return;
        }
        samples.retain(|other| !Arc::ptr_eq(other, sample));
        samples.insert(0, sample.clone());
        samples.truncate(SAMPLES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An object as JSON: what its sort has in common, and what is its own.
    fn object(sort: u32, number: u32) -> Vec<u8> {
        let fields = (0..30).map(|field| format!("\"{:08x}\": \"{:016x}\"", mixed(sort * 1_000 + field), mixed(sort * 7_777 + field)));
        let common = fields.collect::<Vec<_>>().join(", ");
        format!("{{\"name\": \"object-{number}\", \"uid\": \"{:08x}\", {common}}}", mixed(number)).into_bytes()
    }

    fn mixed(number: u32) -> u32 {
        number.wrapping_mul(2_654_435_761).rotate_left(13).wrapping_mul(2_246_822_519)
    }

    fn noise(length: usize) -> Vec<u8> {
        let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        std::iter::successors(Some(1), next).take(length).map(|state| u8::try_from(state >> 24).unwrap()).collect()
    }

    #[test]
    fn what_texts_of_a_sort_have_in_common_is_kept_once() {
        let compressor = Compressor::default();
        for number in 0..300 {
            let text = object(number % 3, number);
            let (kept, alone) = (compressor.compress(&text), CompressedText::alone(&text));
            assert_eq!(kept.text(), text);
            assert_eq!(alone.text(), text);
            if number >= 3 {
                assert!(kept.block.len() * 5 < alone.block.len(), "{} bytes, {} alone", kept.block.len(), alone.block.len());
            }
        }
        assert_eq!(compressor.samples.lock().len(), 3, "one of each sort");
    }

    #[test]
    fn nothing_is_kept_of_texts_that_a_dictionary_is_of_no_use_for_and_any_text_comes_back() {
        let compressor = Compressor::default();
        let (noise, long) = (noise(200_000), (0..100).flat_map(|sort| object(sort, 0)).collect::<Vec<u8>>());
        for text in [&b""[..], b"a", b"{}", &noise, &noise[..70_000], &noise[..255], &noise[1_000..2_000], &long] {
            let kept = compressor.compress(text);
            assert!(kept.text() == text && kept.sample.is_none(), "{} bytes", text.len());
        }
        assert!(compressor.samples.lock().is_empty());
        for sort in 0..40 {
            assert_eq!(compressor.compress(&object(sort, sort)).text(), object(sort, sort));
        }
        assert_eq!(compressor.samples.lock().len(), SAMPLES);
    }
}
