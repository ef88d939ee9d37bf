//! Invisible characters on pages (see [`promise::invisible`]). Editable fields keep them: saving an unchanged form must not change values.

use promise::invisible::{is_invisible, reveal};

/// Elements whose content is not text on the page.
const VERBATIM: [&str; 3] = ["textarea", "script", "style"];

/// Shows invisible characters in the texts of rendered HTML.
pub fn revealed(html: String) -> String {
    if !html.contains(is_invisible) {
        return html;
    }
    let mut out = String::with_capacity(html.len() + 64);
    let mut rest = html.as_str();
    while let Some(tag) = rest.find('<') {
        let (text, from) = rest.split_at(tag);
        reveal(text, &mut out);
        let end = end_of_tag(from);
        let verbatim = VERBATIM.iter().find(|name| opens(&from[1..end], name));
        let end = match verbatim.and_then(|name| from[end..].find(&format!("</{name}"))) {
            Some(closing) => end + closing,
            None => end,
        };
        out.push_str(&from[..end]);
        rest = &from[end..];
    }
    reveal(rest, &mut out);
    out
}

/// Returns where the tag at the start of a text ends; quoted values can contain the character that would end it.
fn end_of_tag(text: &str) -> usize {
    let mut quoted = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '>' if !quoted => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn opens(tag: &str, name: &str) -> bool {
    tag.strip_prefix(name).is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_whitespace() || letter == '>'))
}

#[cfg(test)]
mod tests {
    use super::revealed;

    #[test]
    fn what_turns_a_line_around_or_hides_in_a_word_is_shown() {
        let page = "<p title=\"a\u{202e}b\">pr\u{200b}od <b>\u{202e}nimda</b>\u{2066}</p>";
        assert_eq!(revealed(page.to_owned()), "<p title=\"a\u{202e}b\">pr[U+200B]od <b>[U+202E]nimda</b>[U+2066]</p>");
    }

    #[test]
    fn what_can_be_edited_stays_what_it_is() {
        let form = "<textarea name=\"a\">x\u{200b}y</textarea><input value=\"x>\u{200b}y\"><script>let a = '\u{feff}'</script>";
        assert_eq!(revealed(form.to_owned()), form);
        assert_eq!(revealed(format!("{form}z\u{feff}")), format!("{form}z[U+FEFF]"));
    }
}
