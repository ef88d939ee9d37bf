//! The text of a manifest as lines, of which some are replaced.

/// Returns how many spaces a line begins with.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns the position after the last line of an entry in block style, without the empty lines and comments that follow it.
pub(super) fn end_of(lines: &[&str], first: usize) -> usize {
    let width = lines.get(first).map_or(0, |line| indent(line));
    let mut end = first + 1;
    for (at, line) in lines.iter().enumerate().skip(first + 1) {
        if line.trim().is_empty() {
            continue;
        }
        // The items of a list can stand as far left as its key.
        let is_item = indent(line) == width && (line.trim_start() == "-" || line.trim_start().starts_with("- "));
        if indent(line) <= width && !is_item {
            break;
        }
        end = at + 1;
    }
    end
}

/// Returns the text with other lines in place of some.
pub(super) fn replaced(lines: &[&str], from: usize, to: usize, by: &[String]) -> String {
    let before = lines.iter().take(from).copied();
    let after = lines.iter().skip(to).copied();
    before.chain(by.iter().map(String::as_str)).chain(after).collect::<Vec<_>>().join("\n")
}
