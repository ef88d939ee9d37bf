//! Numbers: how they are printed, compared and checked against ranges.

use serde_json::Number;

/// A number as Go prints it with `%v`.
pub(crate) fn show(number: &Number) -> String {
    if number.is_i64() || number.is_u64() { number.to_string() } else { show_float(number.as_f64().unwrap_or_default()) }
}

/// A float as Go prints it with `%v`: the shortest text that reads back, with an exponent below 1e-4 and from a million on.
///
/// Limits of a schema are floats in the API server, so `maximum: 1000000` prints as `1e+06`.
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

/// Whether the number is whole, in whatever way it is written: `2.0` is.
pub(crate) fn is_integer(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0 && float.is_finite())
}

/// The number as a 64-bit integer, if it is whole and fits.
pub(crate) fn as_i64(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        let float = number.as_f64()?;
        (float.fract() == 0.0 && (i64::MIN as f64..i64::MAX as f64).contains(&float)).then_some(float as i64)
    })
}

/// Whether `number` lies in the range of the type and format; `None` as format is the default one.
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

/// Orders two numbers exactly where both are integers, as floats otherwise.
pub(crate) fn compare(left: &Number, right: &Number) -> std::cmp::Ordering {
    if let (Some(left), Some(right)) = (integer(left), integer(right)) {
        return left.cmp(&right);
    }
    left.as_f64().unwrap_or_default().total_cmp(&right.as_f64().unwrap_or_default())
}

/// Equality of numbers by value: `1` equals `1.0`.
pub(crate) fn equal(left: &Number, right: &Number) -> bool {
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => left == right,
        _ => left.as_f64() == right.as_f64(),
    }
}

/// Whether `number` is a whole multiple of `of`; exact for integers, with a tolerance of rounding for decimals.
pub(crate) fn is_multiple(number: &Number, of: &Number) -> bool {
    if let (Some(number), Some(of)) = (integer(number), integer(of)) {
        return of != 0 && number % of == 0;
    }
    let (number, of) = (number.as_f64().unwrap_or_default(), of.as_f64().unwrap_or_default());
    let quotient = number / of;
    quotient.is_finite() && (quotient - quotient.round()).abs() < 1e-9 * quotient.abs().max(1.0)
}

fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}
