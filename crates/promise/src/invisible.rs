//! Invisible characters that change how text reads: bidirectional controls and zero-width characters.
//!
//! People decide on text that others wrote. Wherever such text is shown, these characters are shown as code points.

/// Returns the text with invisible characters replaced by markers such as `[U+202E]`.
pub fn revealed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    reveal(text, &mut out);
    out
}

/// Appends a text with invisible characters replaced by markers.
pub fn reveal(text: &str, out: &mut String) {
    let mut before = ' ';
    for letter in text.chars() {
        // Joiners belong to some scripts and to emoji. Next to an ASCII letter they only hide something.
        let joins = matches!(letter, '\u{200c}' | '\u{200d}') && !before.is_ascii();
        if is_invisible(letter) && !joins {
            out.push_str(&format!("[U+{:04X}]", u32::from(letter)));
        } else {
            out.push(letter);
        }
        before = letter;
    }
}

/// Whether a character is invisible and changes how the surrounding text reads.
pub fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::revealed;

    #[test]
    fn what_turns_a_line_around_or_hides_in_a_word_is_shown() {
        assert_eq!(revealed("pr\u{200b}od \u{202e}nimda\u{2066}"), "pr[U+200B]od [U+202E]nimda[U+2066]");
    }

    #[test]
    fn letters_that_need_a_joiner_keep_it() {
        for text in ["می\u{200c}خواهم", "👩\u{200d}💻", "größer 10 €"] {
            assert_eq!(revealed(text), text);
        }
        assert_eq!(revealed("ad\u{200d}min"), "ad[U+200D]min");
    }
}
