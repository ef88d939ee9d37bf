//! Amounts of Kubernetes in words: what a suffix stands for.

/// Suffixes of powers of 1,024, with the unit that people know.
const BINARY: [(&str, &str); 6] = [("Ki", "KiB"), ("Mi", "MiB"), ("Gi", "GiB"), ("Ti", "TiB"), ("Pi", "PiB"), ("Ei", "EiB")];
/// Suffixes of powers of 1,000.
const DECIMAL: [(&str, usize); 6] = [("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
/// Maximum number of digits.
const DIGITS: usize = 12;

/// Returns what a suffix makes of a number.
pub(super) fn said(text: &str) -> Option<String> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').filter(|end| *end > 0)?;
    let (number, suffix) = text.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || whole.len() + fraction.len() > DIGITS || fraction.contains('.') {
        return None;
    }
    if let Some((_, unit)) = BINARY.iter().find(|(known, _)| *known == suffix) {
        return Some(format!("{number}\u{a0}{unit}"));
    }
    if suffix == "m" && fraction.is_empty() {
        let thousandths: u64 = whole.parse().ok()?;
        let decimals = format!("{:03}", thousandths % 1000);
        let decimals = decimals.trim_end_matches('0');
        let point = if decimals.is_empty() { "" } else { "." };
        return Some(format!("{}{point}{decimals}", grouped(u128::from(thousandths / 1000))));
    }
    let (_, zeros) = DECIMAL.iter().find(|(known, _)| *known == suffix)?;
    let shifted = zeros.checked_sub(fraction.len())?;
    format!("{whole}{fraction}{}", "0".repeat(shifted)).parse().ok().map(grouped)
}

/// Returns a number with commas between thousands.
pub(super) fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn suffixes_are_spelled_out() {
        for (text, words) in [
            ("10Gi", Some("10\u{a0}GiB")),
            ("0.5Ti", Some("0.5\u{a0}TiB")),
            ("500m", Some("0.5")),
            ("1250m", Some("1.25")),
            ("2000m", Some("2")),
            ("10G", Some("10,000,000,000")),
            ("1.5k", Some("1,500")),
            ("10", None),
            ("Gi", None),
            ("10g", None),
            ("1e3", None),
            ("1.5m", None),
            ("", None),
        ] {
            assert_eq!(said(text).as_deref(), words, "{text}");
        }
    }
}
