//! Search for texts that contain given letters, without reading all texts.

use std::collections::{BTreeSet, HashMap};

/// Three consecutive letters, as bytes.
type Three = [u8; 3];

/// Separator between the fields of a text. No search word contains it.
pub(super) const BETWEEN: char = '\n';

/// Texts by every three consecutive letters that they contain.
#[derive(Default)]
pub(super) struct Words(HashMap<Three, Vec<u32>>);

impl Words {
    /// Adds the text of an id.
    pub(super) fn put(&mut self, id: u32, text: &str) {
        for three in threes(text) {
            let ids = self.0.entry(three).or_default();
            if let Err(at) = ids.binary_search(&id) {
                ids.insert(at, id);
            }
        }
    }

    /// Removes the text of an id.
    pub(super) fn remove(&mut self, id: u32, text: &str) {
        for three in threes(text) {
            let Some(ids) = self.0.get_mut(&three) else { continue };
            if let Ok(at) = ids.binary_search(&id) {
                ids.remove(at);
            }
            if ids.is_empty() {
                self.0.remove(&three);
            }
        }
    }

    /// Returns ids that include all texts containing these words. `None` if the words are too short to narrow the search.
    pub(super) fn among(&self, words: &[String]) -> Option<&[u32]> {
        let all: BTreeSet<Three> = words.iter().flat_map(|word| threes(word)).collect();
        all.iter().map(|three| self.0.get(three).map(Vec::as_slice).unwrap_or_default()).min_by_key(|ids| ids.len())
    }
}

fn threes(text: &str) -> BTreeSet<Three> {
    let windows = text.as_bytes().windows(3).filter_map(|window| Three::try_from(window).ok());
    windows.filter(|three| !three.contains(&(BETWEEN as u8))).collect()
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn a_rare_word_leaves_few_texts_to_read() {
        let mut words = Words::default();
        for id in 0..10_000 {
            words.put(id, &format!("settings-{id:05}\nSettings"));
        }
        words.put(10_000, "orders\nÄrger database");
        let among = |words: &Words, text: &str| words.among(&text.split(' ').map(str::to_owned).collect::<Vec<_>>()).map(<[u32]>::to_vec);
        assert_eq!(among(&words, "database"), Some(vec![10_000]));
        assert_eq!(among(&words, "set database"), Some(vec![10_000]), "the rarest word decides");
        assert!(among(&words, "settings-04711").unwrap().len() < 200);
        assert_eq!(among(&words, "settings-99999"), Some(Vec::new()));
        assert_eq!(among(&words, "ä"), None, "two bytes");
        words.remove(10_000, "orders\nÄrger database");
        assert_eq!(among(&words, "database"), Some(Vec::new()));
    }
}
