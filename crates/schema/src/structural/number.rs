//! Numbers: printing, comparing and checking ranges.

use serde_json::Number;

/// Formats a number like Go's `%v`.
pub(crate) fn show(number: &Number) -> String {
    if is_float(number) { show_float(number.as_f64().unwrap_or_default()) } else { number.to_string() }
}

/// Formats a float like Go's `%v`: the shortest text that parses to the same value, with an exponent below 1e-4 and from a million up.
///
/// Limits of a schema are floats in the API server: `maximum: 1000000` prints as `1e+06` where floats are compared with it.
pub(crate) fn show_float(float: f64) -> String {
    let size = float.abs();
    if size != 0.0 && !(1e-4..1e6).contains(&size) {
        let text = format!("{float:e}");
        // Go writes a sign and two digits: 1e+06, 1e-05.
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
        return format!("{mantissa}e{sign}{digits:0>2}");
    }
    format!("{float}")
}

/// Whether the API server reads the number as a float: true for every number that doesn't fit into a signed 64-bit integer.
pub(crate) fn is_float(number: &Number) -> bool {
    number.as_i64().is_none()
}

/// Whether a float counts as whole: it is close enough to a whole number, within the range in which floats can represent every whole
/// number.
/// Source: go-openapi `swag/convert.go`.
pub(crate) fn is_whole(float: f64) -> bool {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    const NEAR: f64 = 1e-9;
    if !float.is_finite() || float.abs() > LARGEST {
        return false;
    }
    let whole = float.trunc();
    whole == float || (whole != 0.0 && (float - whole).abs() / (float.abs() + whole.abs()) < NEAR)
}

/// Returns the number as a 64-bit integer, if it is whole and fits.
pub(crate) fn as_i64(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        let float = number.as_f64()?;
        (float.fract() == 0.0 && (i64::MIN as f64..i64::MAX as f64).contains(&float)).then_some(float as i64)
    })
}

/// Whether `number` is in the range of the type and format; `None` as the format means the default one.
pub(crate) fn in_range(number: &Number, integer: bool, format: Option<&str>) -> bool {
    if !integer {
        return !matches!(format, Some("float" | "float32")) || number.as_f64().is_some_and(|float| float.abs() <= f64::from(f32::MAX));
    }
    match format {
        Some("int32") => as_i64(number).is_some_and(|value| i32::try_from(value).is_ok()),
        Some("uint32") => as_i64(number).is_some_and(|value| u32::try_from(value).is_ok()),
        Some("uint64") => number.is_u64() || as_i64(number).is_some_and(|value| value >= 0),
        _ => as_i64(number).is_some(),
    }
}

/// Compares a number with a limit, and returns the limit as text. If both are whole, they are compared as integers, unless the limit itself
/// is not of the type.
///
/// The API server cuts off the fraction of a limit that it compares with a whole number, and reads 0 for at least 0.5. Here the fraction
/// counts: users rely on the limit that they wrote.
pub(crate) fn compare(number: &Number, limit: &Number, limit_fits: bool) -> (std::cmp::Ordering, String) {
    let bound = limit.as_f64().unwrap_or_default();
    match number.as_i64().filter(|_| limit_fits && bound.fract() == 0.0) {
        Some(number) => {
            let bound = limit.as_i64().unwrap_or(bound as i64);
            (number.cmp(&bound), bound.to_string())
        }
        None => (number.as_f64().unwrap_or_default().total_cmp(&bound), show_float(bound)),
    }
}

/// Whether two numbers are equal by value: `1` equals `1.0`.
pub(crate) fn equal(left: &Number, right: &Number) -> bool {
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => left == right,
        _ => left.as_f64() == right.as_f64(),
    }
}

/// Whether `number` is a whole multiple of `of`. The API server cuts off the fraction of the divisor of whole numbers; here it counts.
pub(crate) fn is_multiple(number: &Number, of: &Number) -> bool {
    let of = of.as_f64().unwrap_or_default();
    match number.as_i64() {
        Some(number) if of.fract() == 0.0 => of != 0.0 && number % (of as i64) == 0,
        _ => {
            let number = number.as_f64().unwrap_or_default();
            is_whole(if of < 1.0 { 1.0 / of * number } else { number / of })
        }
    }
}

fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}
