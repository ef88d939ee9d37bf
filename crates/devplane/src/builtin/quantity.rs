//! Quantities such as `500m` and `1Gi`, and the one form in which the API server returns them.
//! Source: apimachinery `api/resource/quantity.go`.

/// Nanos in one: the smallest unit that is kept.
pub(super) const NANOS: i128 = 1_000_000_000;
/// Decimal suffixes from 10⁻⁹ on, a thousandfold each.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
/// Binary suffixes from 1 on, 1024-fold each.
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

enum Form {
    Decimal,
    Exponent,
    Binary,
}

/// The canonical form: no fraction, the largest suffix that needs none, in the family of suffixes in which it was written.
/// None if the text is no quantity.
pub fn canonical(text: &str) -> Option<String> {
    let (nanos, form) = parse(text)?;
    let size = nanos.checked_abs()?;
    let text = match form {
        Form::Binary if size >= 1024 * NANOS => binary(size),
        // Below 1024 binary suffixes say nothing.
        Form::Binary | Form::Decimal => decimal(size, |position| DECIMAL[position].to_owned()),
        Form::Exponent => decimal(size, |position| match i32::try_from(position).unwrap_or_default() * 3 - 9 {
            0 => String::new(),
            exponent => format!("e{exponent}"),
        }),
    };
    Some(if nanos < 0 { format!("-{text}") } else { text })
}

/// How much it is, in nanos; none if the text is no quantity.
pub(super) fn nanos(text: &str) -> Option<i128> {
    parse(text).map(|(nanos, _)| nanos)
}

/// In nanos, and how it was written.
fn parse(text: &str) -> Option<(i128, Form)> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let (number, suffix) = rest.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return None;
    }
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let places = u32::try_from(fraction.len()).ok()?;
    let (nanos, form) = if let Some(power) = BINARY.iter().position(|name| !name.is_empty() && *name == suffix) {
        (scaled(digits.checked_mul(1024_i128.checked_pow(u32::try_from(power).ok()?)?)?, places, 0)?, Form::Binary)
    } else if let Some(position) = DECIMAL.iter().position(|name| *name == suffix) {
        (scaled(digits, places, i32::try_from(position).ok()? * 3 - 9)?, Form::Decimal)
    } else {
        let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
        (scaled(digits, places, exponent)?, Form::Exponent)
    };
    Some((if negative { -nanos } else { nanos }, form))
}

/// `digits` · 10^(`exponent` - `places`) in nanos, rounded up.
fn scaled(digits: i128, places: u32, exponent: i32) -> Option<i128> {
    let power = exponent.checked_add(9)?.checked_sub(i32::try_from(places).ok()?)?;
    match u32::try_from(power) {
        Ok(up) => digits.checked_mul(10_i128.checked_pow(up)?),
        Err(_) => {
            let divisor = 10_i128.checked_pow(power.unsigned_abs())?;
            Some(digits / divisor + i128::from(digits % divisor != 0))
        }
    }
}

fn decimal(nanos: i128, suffix: impl Fn(usize) -> String) -> String {
    if nanos == 0 {
        return "0".into();
    }
    let (mut number, mut position) = (nanos, 0);
    while number % 1000 == 0 && position + 1 < DECIMAL.len() {
        number /= 1000;
        position += 1;
    }
    format!("{number}{}", suffix(position))
}

fn binary(nanos: i128) -> String {
    let mut number = nanos / NANOS + i128::from(nanos % NANOS != 0);
    let mut position = 0;
    while number % 1024 == 0 && position + 1 < BINARY.len() {
        number /= 1024;
        position += 1;
    }
    format!("{number}{}", BINARY[position])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::canonical;

    #[test]
    fn the_largest_suffix_without_a_fraction_is_taken() {
        for (given, expected) in [
            ("0.5Gi", "512Mi"),
            ("1024Mi", "1Gi"),
            ("1000Mi", "1000Mi"),
            ("0.5", "500m"),
            ("1500m", "1500m"),
            ("1000m", "1"),
            ("100000", "100k"),
            ("1e3", "1e3"),
            ("1000e0", "1e3"),
            ("0", "0"),
            ("0Gi", "0"),
            ("512", "512"),
            ("0.5Ki", "512"),
            ("-1000m", "-1"),
            ("+2", "2"),
            (".5", "500m"),
            ("1E", "1E"),
            ("2", "2"),
        ] {
            assert_eq!(canonical(given).as_deref(), Some(expected), "{given}");
        }
    }

    #[test]
    fn a_binary_quantity_that_nothing_divides_is_plain() {
        assert_eq!(canonical("368.4206Mi").as_deref(), Some("386317000"));
        assert_eq!(canonical("386317000").as_deref(), Some("386317k"));
    }

    #[test]
    fn what_is_no_quantity_is_none() {
        for text in ["", "Gi", "1.2.3", "1 Gi", "one", "1Q", "--1", "1e", "."] {
            assert_eq!(canonical(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_canonical_form_is_its_own(text in "[+-]?[0-9]{0,6}(\\.[0-9]{0,4})?(n|u|m|k|M|G|T|Ki|Mi|Gi|Ti|e[0-9])?") {
            if let Some(once) = canonical(&text) {
                // A binary quantity that no 1024 divides loses its suffix, and the next reader takes it for a decimal one.
                let plain = text.ends_with('i') && once.ends_with(|c: char| c.is_ascii_digit());
                let settled = if plain { canonical(&once).unwrap_or_default() } else { once };
                prop_assert_eq!(canonical(&settled), Some(settled.clone()), "{}", text);
            }
        }

        #[test]
        fn no_text_panics(text in ".{0,12}") {
            let _ = canonical(&text);
        }
    }
}
