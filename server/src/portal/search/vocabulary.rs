//! All words of all documents, and the documents that contain each of them.

use std::collections::HashMap;
use std::sync::Arc;

use super::matching::{Wanted, letters};

/// The words, numbered. A number is used again after its word is gone.
#[derive(Default)]
pub(super) struct Vocabulary {
    words: Vec<Word>,
    /// The letters of each word, together in memory: they are compared with every typed word.
    letters: Vec<u64>,
    numbers: HashMap<Arc<str>, u32>,
    unused: Vec<u32>,
}

#[derive(Clone)]
struct Word {
    text: Arc<str>,
    /// Documents that contain it, in ascending order.
    documents: Vec<u32>,
}

/// How well each word of the vocabulary matches a typed one.
pub(super) struct Matches {
    /// By number; 0 doesn't match.
    pub(super) quality: Vec<u8>,
    /// The words that match, best first.
    pub(super) best_first: Vec<u32>,
    /// Number of documents to visit, at most.
    pub(super) reach: usize,
}

impl Vocabulary {
    /// Notes that a document contains a word, and returns the number of the word.
    pub(super) fn put(&mut self, word: &str, document: u32) -> u32 {
        let number = match self.numbers.get(word) {
            Some(number) => *number,
            None => self.add(word),
        };
        if let Some(word) = self.words.get_mut(number as usize)
            && let Err(at) = word.documents.binary_search(&document)
        {
            word.documents.insert(at, document);
        }
        number
    }

    fn add(&mut self, text: &str) -> u32 {
        let text: Arc<str> = text.into();
        let (word, bits) = (Word { text: text.clone(), documents: Vec::new() }, letters(&text));
        let number = match self.unused.pop() {
            Some(number) => {
                self.words[number as usize] = word;
                self.letters[number as usize] = bits;
                number
            }
            None => {
                self.words.push(word);
                self.letters.push(bits);
                // There is no memory for so many words.
                u32::try_from(self.words.len() - 1).unwrap_or(u32::MAX)
            }
        };
        self.numbers.insert(text, number);
        number
    }

    /// Notes that a document doesn't contain a word any more.
    pub(super) fn remove(&mut self, number: u32, document: u32) {
        let Some(word) = self.words.get_mut(number as usize) else { return };
        if let Ok(at) = word.documents.binary_search(&document) {
            word.documents.remove(at);
        }
        if word.documents.is_empty() && self.numbers.remove(&word.text).is_some() {
            *word = Word { text: "".into(), documents: Vec::new() };
            self.letters[number as usize] = 0;
            self.unused.push(number);
        }
    }

    /// Returns the documents that contain a word, in ascending order.
    pub(super) fn documents(&self, number: u32) -> &[u32] {
        self.words.get(number as usize).map(|word| word.documents.as_slice()).unwrap_or_default()
    }

    /// Compares all words with a typed one. Mistakes count only if no word matches without them.
    pub(super) fn matches(&self, wanted: &Wanted) -> Matches {
        let literally = self.compare(|word, letters| wanted.literally(word, letters));
        if literally.reach > 0 { literally } else { self.compare(|word, letters| wanted.nearly(word, letters)) }
    }

    fn compare(&self, quality_of: impl Fn(&str, u64) -> u8) -> Matches {
        let mut found = Matches { quality: vec![0; self.words.len()], best_first: Vec::new(), reach: 0 };
        for (number, (word, letters)) in self.words.iter().zip(&self.letters).enumerate() {
            // Numbers of words that are gone have no letters.
            let quality = if *letters == 0 { 0 } else { quality_of(&word.text, *letters) };
            if quality > 0 {
                found.quality[number] = quality;
                found.best_first.push(number as u32);
                found.reach += word.documents.len();
            }
        }
        found.best_first.sort_by_key(|number| std::cmp::Reverse(found.quality[*number as usize]));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_gone_is_not_found_and_its_number_is_used_again() {
        let mut vocabulary = Vocabulary::default();
        let orders = vocabulary.put("orders", 1);
        assert_eq!(vocabulary.put("orders", 2), orders);
        vocabulary.remove(orders, 1);
        assert_eq!(vocabulary.documents(orders), [2]);
        vocabulary.remove(orders, 2);
        vocabulary.remove(orders, 2);
        assert_eq!(vocabulary.matches(&Wanted::of("orders")).reach, 0);
        let invoices = vocabulary.put("invoices", 3);
        assert_eq!(invoices, orders);
        assert_eq!(vocabulary.put("checkout", 3), orders + 1);
        assert_eq!(vocabulary.matches(&Wanted::of("invoices")).best_first, [invoices]);
    }

    #[test]
    fn mistakes_count_only_where_nothing_matches_without_them() {
        let mut vocabulary = Vocabulary::default();
        let (redis, redid) = (vocabulary.put("redis", 1), vocabulary.put("redid", 2));
        assert_eq!(vocabulary.matches(&Wanted::of("redis")).best_first, [redis]);
        let mut both = vocabulary.matches(&Wanted::of("redix")).best_first;
        both.sort_unstable();
        assert_eq!(both, [redis, redid]);
    }
}
