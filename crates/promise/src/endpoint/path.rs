//! Paths of calls.

/// Longest path, in bytes.
const LONGEST: usize = 2048;

/// Why a path isn't used, whatever an Endpoint lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It doesn't begin with a slash.
    #[error("the path must begin with a slash")]
    NotAbsolute,
    /// It has more bytes than [`LONGEST`].
    #[error("the path is longer than 2,048 bytes")]
    TooLong,
    /// It has a query or a fragment.
    #[error("the path can't have a query or a fragment")]
    Query,
    /// Two slashes follow each other.
    #[error("the path can't have empty parts")]
    EmptyPart,
    /// A part is `.` or `..`, encoded or not.
    #[error("the path can't have the parts . and ..")]
    Dots,
    /// It has a character that has to be encoded, or that servers interpret in different ways.
    #[error("the path has a character that isn't allowed; encode letters outside of ASCII and spaces")]
    Character,
    /// An encoded character is incomplete, isn't text, or is one that servers interpret in different ways.
    #[error("the path has an encoded character that isn't allowed")]
    Encoded,
}

/// Returns a path with its encoded characters decoded. Slashes separate its parts before and after.
pub(super) fn read(path: &str) -> Result<String, PathError> {
    if path.len() > LONGEST {
        return Err(PathError::TooLong);
    }
    if path.contains(['?', '#']) {
        return Err(PathError::Query);
    }
    let inner = path.strip_prefix('/').ok_or(PathError::NotAbsolute)?;
    let parts: Vec<&str> = inner.split('/').collect();
    // The last part of `/a/` is empty, and so is the only one of `/`.
    if parts[..parts.len() - 1].iter().any(|part| part.is_empty()) {
        return Err(PathError::EmptyPart);
    }
    let plain = parts.into_iter().map(decoded).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("/{}", plain.join("/")))
}

fn decoded(part: &str) -> Result<String, PathError> {
    let (bytes, mut plain, mut at) = (part.as_bytes(), Vec::with_capacity(part.len()), 0);
    while let Some(byte) = bytes.get(at) {
        if *byte == b'%' {
            let digits = part.get(at + 1..at + 3).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
            let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).ok_or(PathError::Encoded)?;
            // Some servers decode twice, or before they split: to them these end a part, or begin something else.
            if byte.is_ascii_control() || b"/\\%?#;".contains(&byte) {
                return Err(PathError::Encoded);
            }
            plain.push(byte);
            at += 3;
        } else if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,=:@".contains(byte) {
            plain.push(*byte);
            at += 1;
        } else {
            return Err(PathError::Character);
        }
    }
    let plain = String::from_utf8(plain).map_err(|_| PathError::Encoded)?;
    if plain == "." || plain == ".." { Err(PathError::Dots) } else { Ok(plain) }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, PathError, read};

    #[test]
    fn a_path_is_decoded_once() {
        for (path, plain) in [
            ("/", "/"),
            ("/tickets/42", "/tickets/42"),
            ("/tickets/", "/tickets/"),
            ("/a%20b/%C3%A9", "/a b/é"),
            ("/people/ada@example.org", "/people/ada@example.org"),
            ("/v1.2/...", "/v1.2/..."),
            ("/%74ickets", "/tickets"),
        ] {
            assert_eq!(read(path).as_deref(), Ok(plain), "{path}");
        }
    }

    #[test]
    fn a_path_that_servers_read_in_different_ways_is_refused() {
        for (path, why) in [
            ("", PathError::NotAbsolute),
            ("tickets", PathError::NotAbsolute),
            ("@evil.example/", PathError::NotAbsolute),
            ("https://evil.example/", PathError::NotAbsolute),
            ("//evil.example/", PathError::EmptyPart),
            ("/a//b", PathError::EmptyPart),
            ("/..", PathError::Dots),
            ("/../admin", PathError::Dots),
            ("/tickets/./42", PathError::Dots),
            ("/tickets/%2e%2E/admin", PathError::Dots),
            ("/tickets/.%2e", PathError::Dots),
            ("/tickets/%252e%252e/admin", PathError::Encoded),
            ("/tickets%2fadmin", PathError::Encoded),
            ("/tickets%5cadmin", PathError::Encoded),
            ("/tickets%00", PathError::Encoded),
            ("/tickets%0d%0aX: 1", PathError::Encoded),
            ("/tickets%3fa=b", PathError::Encoded),
            ("/tickets%3Ba", PathError::Encoded),
            ("/tickets%", PathError::Encoded),
            ("/tickets%4", PathError::Encoded),
            ("/tickets%+1", PathError::Encoded),
            ("/tickets%é", PathError::Encoded),
            ("/tickets%ff", PathError::Encoded),
            ("/tickets?all=true", PathError::Query),
            ("/tickets#a", PathError::Query),
            ("/tickets;a/..;/admin", PathError::Character),
            ("/tickets\\..\\admin", PathError::Character),
            ("/tickets 42", PathError::Character),
            ("/tickets\r\nX: 1", PathError::Character),
            ("/é", PathError::Character),
        ] {
            assert_eq!(read(path), Err(why), "{path}");
        }
        assert_eq!(read(&format!("/{}", "a".repeat(LONGEST))), Err(PathError::TooLong));
    }
}
