//! Tailwind utilities for the classes of pages, by encre-css. Its theme is the tokens of `style/tokens.css`:
//!
//! - each colour is a colour of the same name: `bg-well`, `text-ink-2`, `border-line`;
//! - each length can be used for spacing and sizes: `p-pad`, `min-h-control`, `w-rail`;
//! - each font (size and line height) is a text size: `text-xs` to `text-lg`; and `rounded-md` and `rounded-lg` are the two radii;
//! - `grid-cols-fit-44` and `grid-cols-fill-44` are as many columns as fit, each at least that wide; `fit` stretches those there are;
//! - `max-md:`, `max-lg:` and `max-xl:` are the widths of `style/narrow.css`.
//!
//! Its preflight is off, because `style/base.css` has these rules. Colours of Tailwind's palette, and utilities that need variables of the
//! preflight (`shadow-*`, `ring-*`, `space-*`, `divide-*`, filters and transforms), are errors.

use std::borrow::Cow;
use std::collections::BTreeSet;

use anyhow::{Result, bail};
use encre_css::{Config, Preflight, Scanner};

/// Prefixes of utilities that take lengths, as tokens name them.
const LENGTHS: &[&str] = &[
    "p", "px", "py", "ps", "pe", "pt", "pb", "m", "mx", "my", "ms", "me", "mt", "mb", "gap", "gap-x", "gap-y", "w", "h", "min-w", "min-h",
    "max-w", "max-h", "top", "bottom", "inset",
];
/// Utilities with a meaning of our own: the radii of the tokens, and what would need encre's preflight.
const MEANINGS: &[(&str, &str)] = &[
    ("rounded-md", "rounded-[length:var(--r)]"),
    ("rounded-lg", "rounded-[length:var(--r-big)]"),
    ("tabular-nums", "[font-variant-numeric:tabular-nums]"),
];

/// Widths below which pages change. Tailwind excludes the width itself, and `max-width` in sheets includes it: no screen is in between.
const SCREENS: &[(&str, &str)] = &[("md", "48.001rem"), ("lg", "64.001rem"), ("xl", "80.001rem")];

/// A text size: its name, font size and line height.
struct Text {
    name: String,
    size: String,
    height: String,
}

/// What the tokens are.
#[derive(Default)]
struct Tokens {
    colours: BTreeSet<String>,
    lengths: BTreeSet<String>,
    texts: Vec<Text>,
}

/// Returns the layer of utilities for these classes. Those that are no utilities are left out.
pub fn layer(tokens: &str, classes: &[String]) -> Result<String> {
    let tokens = Tokens::read(tokens);
    // Text sizes come first, so that other utilities can change their line height.
    let (texts, others): (Vec<&str>, Vec<&str>) = classes.iter().map(String::as_str).partition(|class| tokens.text(class).is_some());
    let mut rules = generate(&tokens, &texts);
    rules.push_str("\n\n");
    rules.push_str(&generate(&tokens, &others));
    for foreign in ["oklch(", "--en-"] {
        if let Some((before, _)) = rules.split_once(foreign) {
            let rule = before.rsplit("\n\n").next().unwrap_or_default().trim();
            bail!("a utility with a colour that is no token, or one that needs encre's preflight:\n{rule} {foreign}…");
        }
    }
    Ok(format!("@layer {} {{\n{rules}\n}}\n", crate::classes::UTILITIES))
}

fn generate(tokens: &Tokens, classes: &[&str]) -> String {
    let mut config = Config::default();
    config.preflight = Preflight::new_none();
    config.scanner = Scanner::from_fn(|classes| classes.split(' ').collect());
    for (name, width) in SCREENS {
        config.theme.screens.add(*name, *width);
    }
    for colour in &tokens.colours {
        config.theme.colors.add(colour.clone(), format!("var(--{colour})"));
    }
    for class in classes {
        if let Some(meaning) = tokens.meaning(class) {
            config.shortcuts.add((*class).to_owned(), meaning);
        }
    }
    encre_css::generate([classes.join(" ").as_str()], &config)
}

impl Tokens {
    fn read(sheet: &str) -> Self {
        let mut tokens = Self::default();
        for declaration in sheet.split([';', '{']) {
            let Some((name, value)) = declaration.trim().strip_prefix("--").and_then(|text| text.split_once(": ")) else { continue };
            let (name, value) = (name.to_owned(), value.trim());
            if value.starts_with("light-dark(") {
                tokens.colours.insert(name);
            } else if is_length(value) {
                tokens.lengths.insert(name);
            } else if let Some((size, height)) = value.split_once('/').filter(|(size, height)| is_length(size) && is_length(height)) {
                tokens.texts.push(Text { name, size: size.to_owned(), height: height.to_owned() });
            }
        }
        tokens
    }

    /// Returns the text size that a class is, with its variants.
    fn text<'a>(&self, class: &'a str) -> Option<(&'a str, &Text)> {
        let (variants, utility) = split(class);
        let size = utility.strip_prefix("text-")?;
        Some((variants, self.texts.iter().find(|text| text.name == size)?))
    }

    /// Returns a class that uses a token in encre's words, as arbitrary values: it has no theme for lengths.
    fn meaning(&self, class: &str) -> Option<Cow<'static, str>> {
        if let Some((variants, text)) = self.text(class) {
            return Some(format!("{variants}text-[{}] {variants}leading-[{}]", text.size, text.height).into());
        }
        let (variants, utility) = split(class);
        if let Some((_, meaning)) = MEANINGS.iter().find(|(name, _)| *name == utility) {
            return Some(format!("{variants}{meaning}").into());
        }
        for (prefix, repeat) in [("grid-cols-fit-", "auto-fit"), ("grid-cols-fill-", "auto-fill")] {
            if let Some(quarters) = utility.strip_prefix(prefix).and_then(|width| width.parse::<f64>().ok()) {
                let least = quarters / 4.0;
                return Some(format!("{variants}grid-cols-[repeat({repeat},minmax(min({least}rem,100%),1fr))]").into());
            }
        }
        let prefixes = LENGTHS.iter().filter_map(|prefix| Some((prefix, utility.strip_prefix(prefix)?.strip_prefix('-')?)));
        let (prefix, token) = prefixes.into_iter().find(|(_, token)| self.lengths.contains(*token))?;
        Some(format!("{variants}{prefix}-[var(--{token})]").into())
    }
}

/// Splits a class after its variants, which end at the last colon outside of brackets.
fn split(class: &str) -> (&str, &str) {
    let mut depth = 0_i32;
    let mut end = 0;
    for (at, letter) in class.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            ':' if depth == 0 => end = at + 1,
            _ => {}
        }
    }
    class.split_at(end)
}

fn is_length(value: &str) -> bool {
    ["rem", "px"].iter().any(|unit| value.strip_suffix(unit).is_some_and(|number| number.parse::<f64>().is_ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKENS: &str = ":root {\n  --well: light-dark(#f7f9fa, #181e20);\n  --sm: .8125rem/1.25rem;\n  --r-big: 10px;\n  --pad: 1.25rem;\n  --quick: 120ms;\n}";

    fn made(classes: &[&str]) -> String {
        let classes: Vec<String> = classes.iter().map(|class| (*class).to_owned()).collect();
        layer(TOKENS, &classes).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tokens_are_the_theme() {
        assert_eq!(
            made(&["bg-well", "p-pad", "pt-0", "rounded-lg", "text-sm", "leading-6", "nothing"]),
            "@layer utilities { .text-sm { font-size: .8125rem; } .text-sm { line-height: 1.25rem; } .rounded-lg { border-radius: var(--r-big); } \
             .bg-well { background-color: var(--well); } .p-pad { padding: var(--pad); } .pt-0 { padding-top: 0px; } .leading-6 { line-height: 1.5rem; } }"
        );
    }

    #[test]
    fn columns_have_a_least_width() {
        let made = made(&["grid-cols-fit-44", "grid-cols-fill-70"]);
        assert!(made.contains(".grid-cols-fit-44 { grid-template-columns: repeat(auto-fit,minmax(min(11rem,100%),1fr)); }"), "{made}");
        assert!(made.contains(".grid-cols-fill-70 { grid-template-columns: repeat(auto-fill,minmax(min(17.5rem,100%),1fr)); }"), "{made}");
    }

    #[test]
    fn variants_keep_their_meaning() {
        assert_eq!(
            made(&["max-md:p-pad", "first:[&_p]:p-pad"]),
            "@layer utilities { .first\\:\\[\\&_p\\]\\:p-pad:first-child p { padding: var(--pad); } @media (width < 48.001rem) { .max-md\\:p-pad { padding: var(--pad); } } }"
        );
    }

    #[test]
    fn colours_that_are_no_tokens_and_utilities_without_their_preflight_are_errors() {
        for class in ["bg-red-500", "shadow-md", "space-y-2"] {
            assert!(layer(TOKENS, &[class.to_owned()]).is_err(), "{class}");
        }
    }

    #[test]
    fn the_same_classes_are_the_same_bytes() {
        assert_eq!(made(&["gap-2", "flex", "p-pad", "text-sm"]), made(&["text-sm", "p-pad", "flex", "gap-2"]));
    }
}
