//! `cargo xtask test words`: user-facing texts don't use words that no one in the field would use.
//!
//! It reads the string literals of the crates that write texts, and the documents. Remaining uses of such words are counted file by file in
//! `words.allow`, which can only shrink.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::sources::{before_tests, files, is_test, quoted, raw};
use crate::workspace::Workspace;

/// Words and phrases, each with its replacement. They match whole words, in any case.
const WORDS: &[(&str, &str)] = &[
    ("anew", "again"),
    ("ask for", "request"),
    ("asked for", "requested"),
    ("asks for", "requires, requests"),
    ("became other", "changed"),
    ("break the glass", "override"),
    ("breaks the glass", "overrides"),
    ("broke the glass", "overrode"),
    ("by itself", "automatically"),
    ("does not fit", "isn't valid, doesn't match"),
    ("does not go on", "stopped"),
    ("go on", "continue"),
    ("goes on", "continues"),
    ("has the right", "can"),
    ("have the right", "can"),
    ("is gone", "was deleted, not found"),
    ("is not there", "is missing, not found"),
    ("is told", "is notified"),
    ("lately", "recently"),
    ("made again", "re-created"),
    ("may", "can for permission, might for possibility"),
    ("mend", "fix"),
    ("mended", "fixed"),
    ("mends", "fixes"),
    ("nobody", "no one, or the role"),
    ("not there any more", "was deleted"),
    ("one likes", "you like"),
    ("quicker", "changed by someone else"),
    ("somebody", "someone, or the role"),
    ("stand in", "delegate"),
    ("stand-in", "delegate"),
    ("stands here", "is listed"),
    ("stands in", "is the delegate"),
    ("take back", "withdraw"),
    ("taken back", "withdrawn"),
    ("took back", "withdrew"),
    ("turn down", "reject"),
    ("turned down", "rejected"),
    ("turned it down", "rejected it"),
    ("turns down", "rejects"),
    ("what runs", "resources, what is running"),
    ("what was made", "resources"),
    ("whoever", "anyone who, or the role"),
    ("would have been made", "would have been created"),
    ("your right", "your permission"),
];

/// Crates whose string literals users read. The embedded plane responds word for word like Kubernetes and kcp.
const CRATES: &[&str] = &[
    "app/src",
    "server/src",
    "crates/promise/src",
    "crates/cluster/src",
    "crates/ledger/src",
    "crates/notify/src",
    "crates/opm/src",
    "crates/schema/src",
    "crates/store/src",
    "crates/xtask/src",
];
/// Documents of the project.
const DOCUMENTS: &[&str] = &["ARCHITECTURE.md", "README.md", "docs"];
/// Measurements and their notes, which stay as they were written.
const MEASUREMENTS: &str = "measurements";
/// The file that lists the remaining words.
const ALLOWED: &str = "crates/xtask/words.allow";

/// Number of uses of a word in a file.
type Counts = BTreeMap<(String, String), usize>;

/// Fails on words that are not allowed. If fewer are left than allowed, the list shrinks; in CI that is a failure, too.
pub fn check(workspace: &Workspace, is_ci: bool) -> Result<()> {
    let mut found = Counts::new();
    for folder in CRATES {
        for file in files(&workspace.root.join(folder), "rs")?.into_iter().filter(|file| !is_test(file)) {
            let source = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            if !file.ends_with("xtask/src/words.rs") {
                count(&mut found, &workspace.root, &file, &literals(before_tests(&source)));
            }
        }
    }
    for name in DOCUMENTS {
        for file in files(&workspace.root.join(name), "md")?.into_iter().filter(|file| !file.iter().any(|part| part == MEASUREMENTS)) {
            let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            count(&mut found, &workspace.root, &file, &[prose(&text)]);
        }
    }
    let path = workspace.root.join(ALLOWED);
    let allowed = read(&std::fs::read_to_string(&path).with_context(|| path.display().to_string())?);
    let new: Vec<String> = found
        .iter()
        .filter(|(key, count)| **count > allowed.get(*key).copied().unwrap_or(0))
        .map(|((file, word), count)| {
            let better = WORDS.iter().find(|(known, _)| known == word).map_or("", |(_, better)| better);
            format!("{file}: “{word}” {count} times, write: {better}")
        })
        .collect();
    if !new.is_empty() {
        bail!("words that texts don't use:\n{}", new.join("\n"));
    }
    if found != allowed {
        if is_ci {
            bail!("{ALLOWED} allows words that are not used any more. Run `cargo xtask test words` and commit the file");
        }
        std::fs::write(&path, written(&found)).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// Returns the list for the first time, or after a word was added to [`WORDS`].
fn written(counts: &Counts) -> String {
    counts.iter().map(|((file, word), count)| format!("{count}\t{word}\t{file}\n")).collect()
}

fn read(list: &str) -> Counts {
    let lines = list.lines().filter_map(|line| {
        let mut parts = line.splitn(3, '\t');
        let (count, word, file) = (parts.next()?.parse().ok()?, parts.next()?, parts.next()?);
        Some(((file.to_owned(), word.to_owned()), count))
    });
    lines.collect()
}

fn count(counts: &mut Counts, root: &Path, file: &Path, texts: &[String]) {
    let name = file.strip_prefix(root).unwrap_or(file).display().to_string();
    for text in texts {
        let text = text.to_lowercase();
        for (word, _) in WORDS {
            let times = occurrences(&text, word);
            if times > 0 {
                *counts.entry((name.clone(), (*word).to_owned())).or_default() += times;
            }
        }
    }
}

/// Returns how often a text contains these words, with no letter before or after.
fn occurrences(text: &str, words: &str) -> usize {
    let is_letter = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    text.match_indices(words)
        .filter(|(at, _)| {
            let (before, after) = (text.get(..*at).unwrap_or_default(), text.get(at + words.len()..).unwrap_or_default());
            !is_letter(before.chars().next_back()) && !is_letter(after.chars().next())
        })
        .count()
}

/// Returns the string literals of a source file that are texts: those with more than one word.
fn literals(source: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = source;
    while let Some(next) = rest.chars().next() {
        let after = rest.get(next.len_utf8()..).unwrap_or_default();
        rest = if rest.starts_with("//") {
            rest.find('\n').and_then(|end| rest.get(end..)).unwrap_or_default()
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\\"'") {
            after.get(after.find('\'').unwrap_or(0) + 1..).unwrap_or_default()
        } else if next == '"' {
            let (text, after) = quoted(after);
            texts.push(text);
            after
        } else if let Some(hashes) = raw(rest) {
            let start = 2 + hashes;
            let end = format!("\"{}", "#".repeat(hashes));
            let body = rest.get(start..).unwrap_or_default();
            let length = body.find(&end).unwrap_or(body.len());
            texts.push(body.get(..length).unwrap_or_default().to_owned());
            body.get(length + end.len()..).unwrap_or_default()
        } else {
            after
        };
    }
    texts.retain(|text| text.trim().contains(' '));
    texts
}

/// Returns a document without its code blocks and inline code.
fn prose(document: &str) -> String {
    let blocks = document.split("```").step_by(2).collect::<Vec<_>>().join(" ");
    let text = blocks.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_are_read() {
        let source = "// may I\nlet a = \"you may go\"; /* */ let b = 'x'; let c = '\"'; let d = \"name\";\nlet e = r#\"a \"raw\" text\"#;\n\
                      let f = \"one \\\n         line, \\\"quoted\\\" text\";";
        assert_eq!(literals(source), ["you may go", "a \"raw\" text", "one line, \"quoted\" text"]);
    }

    #[test]
    fn words_are_whole_and_documents_are_read_without_code() {
        assert_eq!(occurrences("mayor, may, dismay; may", "may"), 2);
        assert_eq!(occurrences("nobody_else nobody", "nobody"), 1);
        assert_eq!(prose("Run `may x`.\n```\nmay\n```\nIt is\ngone."), "Run . It is gone.");
    }

    #[test]
    fn the_list_is_read_as_it_is_written() {
        let counts = Counts::from([(("app/src/a.rs".to_owned(), "go on".to_owned()), 2)]);
        assert_eq!(read(&written(&counts)), counts);
    }
}
