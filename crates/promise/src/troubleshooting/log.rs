//! The end of a log, as it is shown.

/// Most lines that are shown of a log.
pub const LOG_LINES: u32 = 200;
/// Most bytes that are shown of a log.
pub const LOG_BYTES: usize = 64 << 10;

/// The last lines of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogTail {
    /// The lines, oldest first, without control characters.
    pub lines: Vec<String>,
    /// Whether the log might have earlier lines.
    pub is_cut: bool,
}

/// Returns the last lines of a log, at most `most` lines and [`LOG_BYTES`] bytes. A line that doesn't fit by itself is cut at its end.
pub fn tail(text: &str, most: usize) -> LogTail {
    let (mut size, mut lines, mut is_cut) = (0, Vec::new(), false);
    for line in text.lines().rev() {
        if lines.len() == most {
            is_cut = true;
            break;
        }
        let mut line = printable(line);
        size += line.len() + 1;
        if size > LOG_BYTES {
            is_cut = true;
            if !lines.is_empty() {
                break;
            }
            line.truncate(line.floor_char_boundary(LOG_BYTES));
        }
        lines.push(line);
    }
    lines.reverse();
    // A server that was asked for as many lines doesn't say whether there are earlier ones.
    LogTail { is_cut: is_cut || (most > 0 && lines.len() == most), lines }
}

/// Removes control characters and the escape sequences with which programs colour their lines. Terminals obey both.
fn printable(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' && letters.next_if_eq(&'[').is_some() {
            // A control sequence ends with a letter or one of a few signs (ECMA-48, 5.4).
            while letters.next_if(|letter| !('@'..='~').contains(letter)).is_some() {}
            letters.next();
        } else if letter == '\t' || !letter.is_control() {
            plain.push(letter);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_shown_oldest_first() {
        let text: String = (1..=300).map(|number| format!("line {number}\n")).collect();
        let shown = tail(&text, 200);
        assert_eq!((shown.lines.len(), shown.is_cut), (200, true));
        assert_eq!((shown.lines[0].as_str(), shown.lines[199].as_str()), ("line 101", "line 300"));
        assert_eq!(tail("one\ntwo", 200), LogTail { lines: vec!["one".into(), "two".into()], is_cut: false });
        assert_eq!(tail("", 200), LogTail::default());
    }

    #[test]
    fn long_lines_are_cut_to_what_a_page_can_hold() {
        let long = "ä".repeat(LOG_BYTES);
        let shown = tail(&format!("first\n{long}\n"), 200);
        assert_eq!((shown.lines.len(), shown.is_cut), (1, true));
        assert!(shown.lines[0].len() <= LOG_BYTES && shown.lines[0].starts_with('ä'));
        let several = format!("{}\n", "x".repeat(1_000)).repeat(100);
        let shown = tail(&several, 200);
        assert!(shown.is_cut && shown.lines.len() == LOG_BYTES / 1_001, "{}", shown.lines.len());
    }

    #[test]
    fn colours_and_control_characters_are_left_out() {
        let shown = tail("\u{1b}[1;31mERROR\u{1b}[0m\tno\u{0} room\u{7}\r\n\u{1b}[2J", 10);
        assert_eq!(shown.lines, ["ERROR\tno room", ""]);
        assert_eq!(tail("ends with \u{1b}[", 10).lines, ["ends with "]);
    }
}
