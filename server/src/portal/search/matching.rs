//! How well a word that people typed matches a word of a document.

/// The best quality: the same word.
pub(super) const SAME: u8 = 100;
/// A word that starts with what was typed.
const BEGINS: u8 = 80;
/// A word that contains what was typed.
const CONTAINS: u8 = 55;
/// A word that is what was typed except for one mistake; each further one costs [`MISTAKE`].
const SIMILAR: u8 = 45;
/// A word that starts with what was typed, except for one mistake.
const BEGINS_SIMILAR: u8 = 35;
const MISTAKE: u8 = 10;
/// Shorter words match only at the beginning of others: nearly every word contains two given letters.
const SHORT: usize = 3;
/// Longer words aren't typed: they are names of machines, which differ in one letter from each other.
const LONGEST_MISTYPED: usize = 24;

/// The letters and digits of a word as bits. A word that lacks many letters of another can't be similar to it, which is quick to see.
pub(super) fn letters(word: &str) -> u64 {
    word.bytes().fold(0, |bits, byte| {
        let at = match byte {
            b'a'..=b'z' => byte - b'a',
            b'0'..=b'9' => byte - b'0' + 26,
            other => 36 + other % 28,
        };
        bits | 1 << at
    })
}

/// A word that people typed, in lowercase.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    text: String,
    letters: u64,
    mistakes: u32,
}

impl Wanted {
    pub(super) fn of(text: &str) -> Self {
        // One number isn't another one mistyped.
        let has_number = text.bytes().any(|byte| byte.is_ascii_digit());
        let mistakes = match text.chars().count() {
            _ if has_number => 0,
            4..=7 => 1,
            8..=LONGEST_MISTYPED => 2,
            _ => 0,
        };
        Self { text: text.to_owned(), letters: letters(text), mistakes }
    }

    /// Returns how well the word matches letter by letter; 0 if it doesn't. `letters` are those of the word.
    pub(super) fn literally(&self, word: &str, letters: u64) -> u8 {
        if self.letters & !letters != 0 {
            return 0;
        }
        match word.strip_prefix(self.text.as_str()) {
            Some("") => SAME,
            Some(_) => BEGINS,
            None if self.text.len() >= SHORT && word.contains(self.text.as_str()) => CONTAINS,
            None => 0,
        }
    }

    /// Returns how well the word matches if what was typed has mistakes; 0 if it doesn't.
    pub(super) fn nearly(&self, word: &str, letters: u64) -> u8 {
        if self.mistakes == 0 || (self.letters & !letters).count_ones() > self.mistakes {
            return 0;
        }
        let (typed, length) = (self.text.chars().count(), word.chars().count());
        let allowed = self.mistakes as usize;
        if length.abs_diff(typed) <= allowed {
            let mistakes = strsim::osa_distance(&self.text, word);
            if mistakes <= allowed {
                return quality(SIMILAR, mistakes);
            }
        }
        // The first letter is rarely wrong, and without it everything begins like everything.
        if length <= typed || word.chars().next() != self.text.chars().next() {
            return 0;
        }
        let begin: String = word.chars().take(typed).collect();
        let mistakes = strsim::osa_distance(&self.text, &begin);
        if mistakes <= allowed { quality(BEGINS_SIMILAR, mistakes) } else { 0 }
    }
}

fn quality(first: u8, mistakes: usize) -> u8 {
    let further = u8::try_from(mistakes.saturating_sub(1)).unwrap_or(u8::MAX);
    first.saturating_sub(further.saturating_mul(MISTAKE))
}

/// Returns the words of a text, in lowercase.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn match_of(typed: &str, word: &str) -> u8 {
        let wanted = Wanted::of(typed);
        let of_word = letters(word);
        wanted.literally(word, of_word).max(wanted.nearly(word, of_word))
    }

    #[test]
    fn better_matches_have_a_better_quality() {
        let of = |typed: &str| match_of(typed, "postgresql");
        let order = [of("postgresql"), of("post"), of("gres"), of("postgrseql"), of("postgras"), of("mysql")];
        assert!(order.is_sorted_by(|a, b| a > b || (*a == 0 && *b == 0)), "{order:?}");
        assert_eq!(order[5], 0);
    }

    #[test]
    fn a_mistyped_word_is_found() {
        for (typed, word) in
            [("postgers", "postgresql"), ("bukcet", "bucket"), ("redsi", "redis"), ("chekcout", "checkout"), ("invioces", "invoices")]
        {
            assert!(match_of(typed, word) > 0, "{typed} {word}");
        }
        for (typed, word) in [("red", "rad"), ("orders", "border"), ("db01", "db02"), ("x", "axe"), ("bucket", "redis")] {
            assert_eq!(match_of(typed, word), 0, "{typed} {word}");
        }
    }

    #[test]
    fn names_are_split_where_people_split_them() {
        assert_eq!(words("orders-db_2 (Großhandel)").collect::<Vec<_>>(), ["orders", "db", "2", "großhandel"]);
        assert_eq!(words("root:acme:shop").collect::<Vec<_>>(), ["root", "acme", "shop"]);
    }
}
