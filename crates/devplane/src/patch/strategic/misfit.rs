//! How the API server tells that a strategic patch made an object that does not fit its types: it reads such an object from a map, other
//! ones from a text.
//! Source: apimachinery `runtime/converter.go`.

/// What is told of an object read from a text, in the words for one that a strategic patch made; none where these are the same.
pub fn misfit(told: &str) -> Option<String> {
    let (found, rest) = told.strip_prefix("json: cannot unmarshal ")?.split_once(" into Go struct field ")?;
    let wanted = rest.rsplit_once(" of type ")?.1;
    let found = match found {
        "array" => "slice",
        "object" => "map",
        "number" => "int64",
        number if number.strip_prefix("number ").is_some_and(|digits| digits.contains(['.', 'e'])) => "float64",
        number if number.starts_with("number ") => "int64",
        other => other,
    };
    Some(match wanted {
        "int32" | "int64" if found == "int64" => return None,
        "float64" | "int32" | "int64" if found == "float64" => format!("cannot convert {found} to {wanted}"),
        "string" if found == "int64" => format!("cannot convert {found} to {wanted}"),
        "bool" | "float64" | "int32" | "int64" | "string" => format!("unrecognized type: {wanted}"),
        list if list.starts_with("[]") => format!("cannot restore slice from {found}"),
        map if map.starts_with("map[") => format!("cannot restore map from {found}"),
        structure if structure.starts_with("v1.") => format!("cannot restore struct from: {found}"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_misfits_in_its_way() {
        for (found, wanted, expected) in [
            ("string", "int32", Some("unrecognized type: int32")),
            ("number 1.5", "int32", Some("cannot convert float64 to int32")),
            ("number", "string", Some("cannot convert int64 to string")),
            ("object", "string", Some("unrecognized type: string")),
            ("string", "[]v1.Container", Some("cannot restore slice from string")),
            ("array", "map[string]string", Some("cannot restore map from slice")),
            ("bool", "v1.PodSpec", Some("cannot restore struct from: bool")),
            ("bool", "intstr.IntOrString", None),
        ] {
            let told = format!("json: cannot unmarshal {found} into Go struct field Kind.a.b of type {wanted}");
            assert_eq!(misfit(&told).as_deref(), expected, "{told}");
        }
        assert_eq!(misfit("illegal base64 data at input byte 1"), None);
    }
}
