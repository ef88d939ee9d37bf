//! Tables as comma-separated values (RFC 4180), safe to open in a spreadsheet.

/// Characters that make a spreadsheet interpret a cell as a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Writes a line with its line end. A cell that looks like a formula is prefixed with an apostrophe so that it is read as text. Plain
/// numbers are unchanged.
pub fn line<T: AsRef<str>>(cells: impl IntoIterator<Item = T>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|text| cell(text.as_ref())).collect();
    format!("{}\r\n", cells.join(","))
}

fn cell(text: &str) -> String {
    let neutral = if text.starts_with(FORMULA) && !is_number(text) { format!("'{text}") } else { text.to_owned() };
    if neutral.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", neutral.replace('"', "\"\"")) } else { neutral }
}

/// Whether the text is digits with an optional sign and at most one point, such as `-12.50`.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let all = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    all(whole) && all(part)
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn cells_are_quoted_and_never_formulas() {
        for (text, written) in [
            ("plain", "plain"),
            ("-12.50", "-12.50"),
            ("=1+1", "'=1+1"),
            ("+43 1", "'+43 1"),
            ("-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("=\"x\"", "\"'=\"\"x\"\"\""),
            ("\r=1", "\"'\r=1\""),
        ] {
            assert_eq!(line([text]), format!("{written}\r\n"));
        }
        assert_eq!(line(["a", "", "b"]), "a,,b\r\n");
    }
}
