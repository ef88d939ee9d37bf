//! Pseudorandom numbers that are the same for the same seed (SplitMix64).

/// A sequence of pseudorandom numbers.
pub(super) struct Draw(u64);

impl Draw {
    /// Creates the sequence of one instance, which doesn't depend on the number of instances.
    pub(super) fn new(seed: u64, instance: u64) -> Self {
        let mut first = Self(seed);
        Self(first.next() ^ instance.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`; 0 if `end` is 0.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        u64::try_from((u128::from(self.next()) * u128::from(end)) >> 64).unwrap_or_default()
    }

    /// Returns a version 4 UUID.
    pub(super) fn uid(&mut self) -> String {
        let mut bytes = [0; 16];
        let (high, low) = bytes.split_at_mut(8);
        high.copy_from_slice(&self.next().to_be_bytes());
        low.copy_from_slice(&self.next().to_be_bytes());
        bytes[6] = (bytes[6] & 0x0f) | 0x40;
        bytes[8] = (bytes[8] & 0x3f) | 0x80;
        let text = hex::encode(bytes);
        format!("{}-{}-{}-{}-{}", &text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Draw;

    #[test]
    fn the_same_seed_draws_the_same_and_another_one_does_not() {
        let drawn = |seed, instance| {
            let mut draw = Draw::new(seed, instance);
            (draw.uid(), draw.below(1_000_000), draw.below(0))
        };
        assert_eq!(drawn(1, 7), drawn(1, 7));
        let all: BTreeSet<String> = (0..50).flat_map(|seed| (0..50).map(move |instance| drawn(seed, instance).0)).collect();
        assert_eq!(all.len(), 2_500);
        let uid = drawn(1, 7).0;
        assert!(uid.len() == 36 && uid.as_bytes()[14] == b'4', "{uid}");
    }

    #[test]
    fn every_number_below_is_drawn() {
        let mut draw = Draw::new(3, 0);
        let drawn: BTreeSet<u64> = (0..1_000).map(|_| draw.below(7)).collect();
        assert_eq!(drawn, (0..7).collect());
    }
}
