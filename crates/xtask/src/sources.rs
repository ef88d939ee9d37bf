//! What the checks of sources share: finding files, and reading Rust without compiling it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Returns the files below a folder, or the file itself, with this ending.
pub fn files(at: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    if at.is_file() {
        return Ok(vec![at.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(at).with_context(|| at.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path, ending)?);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a source file holds only tests.
pub fn is_test(file: &Path) -> bool {
    file.iter().any(|part| part == "tests" || part == "tests.rs")
}

/// Returns a source file without its tests, which are at its end.
pub fn before_tests(source: &str) -> &str {
    ["#[cfg(test)]\nmod tests {", "#[cfg(test)]\npub(crate) mod tests {"]
        .iter()
        .fold(source, |left, start| left.split(start).next().unwrap_or_default())
}

/// Returns the number of hashes that a raw string starts with, if there is one.
pub fn raw(text: &str) -> Option<usize> {
    let after = text.strip_prefix('r')?;
    let hashes = after.chars().take_while(|letter| *letter == '#').count();
    after.get(hashes..)?.starts_with('"').then_some(hashes)
}

/// Returns the text up to the closing quote, and what follows it. A line that is continued with a backslash is one text.
pub fn quoted(source: &str) -> (String, &str) {
    let mut text = String::new();
    let mut letters = source.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (text, source.get(at + 1..).unwrap_or_default()),
            '\\' => match letters.next() {
                Some((_, '\n')) => {
                    let mut ahead = letters.clone();
                    while let Some((_, letter)) = ahead.next() {
                        if !letter.is_whitespace() {
                            break;
                        }
                        letters = ahead.clone();
                    }
                }
                Some((_, escaped)) => text.push(if escaped == 'n' { ' ' } else { escaped }),
                None => break,
            },
            letter => text.push(letter),
        }
    }
    (text, "")
}
