//! Globs, for workspace paths (`root:acme:**`), for names of promises (`postgres*`) and for paths of URLs (`/tickets/*`).

/// Whether a pattern matches a workspace path.
///
/// `*` matches exactly one level, `**` any number of levels including none. So `root:acme:**` also matches the organization's own
/// workspace; leaving it out would open a gap in the policy. Within a level, `*` matches any characters.
pub fn path_matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split(':').collect();
    let path: Vec<&str> = path.split(':').collect();
    levels_match(&pattern, &path)
}

/// Whether a pattern matches the path of a URL, whose levels end with `/`. `*` matches exactly one level, `**` any number of levels. A path
/// that ends with `/` needs a pattern that does, or one that ends with `**`.
pub fn url_path_matches(pattern: &str, path: &str) -> bool {
    let (levels, inner) = (pattern.trim_end_matches('/'), path.trim_end_matches('/'));
    let (ends, may_end) = (inner.len() < path.len(), levels.len() < pattern.len());
    let ends_alike = ends == may_end || levels.ends_with("**");
    let (pattern, path): (Vec<&str>, Vec<&str>) = (levels.split('/').collect(), inner.split('/').collect());
    ends_alike && levels_match(&pattern, &path)
}

/// Whether a name matches a pattern, in which `*` stands for any characters, including none.
pub fn name_matches(pattern: &str, name: &str) -> bool {
    letters_match(pattern, name)
}

/// Whether any pattern matches the name.
pub fn any_name_matches(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|pattern| name_matches(pattern, name))
}

/// Whether any pattern matches the workspace path.
pub fn any_path_matches(patterns: &[String], path: &str) -> bool {
    patterns.iter().any(|pattern| path_matches(pattern, path))
}

/// Walks both lists once and remembers the last `**`, so that a hostile pattern costs at most pattern × path.
fn levels_match(pattern: &[&str], path: &[&str]) -> bool {
    let (mut at, mut level) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while level < path.len() {
        if at < pattern.len() && pattern[at] == "**" {
            retry = Some((at, level));
            at += 1;
        } else if at < pattern.len() && letters_match(pattern[at], path[level]) {
            at += 1;
            level += 1;
        } else if let Some((star, from)) = retry {
            retry = Some((star, from + 1));
            at = star + 1;
            level = from + 1;
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|rest| *rest == "**")
}

fn letters_match(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut letter) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while letter < text.len() {
        if at < pattern.len() && pattern[at] == b'*' {
            retry = Some((at, letter));
            at += 1;
        } else if at < pattern.len() && pattern[at] == text[letter] {
            at += 1;
            letter += 1;
        } else if let Some((star, from)) = retry {
            retry = Some((star, from + 1));
            at = star + 1;
            letter = from + 1;
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|rest| *rest == b'*')
}

#[cfg(test)]
mod tests {
    use super::{name_matches, path_matches, url_path_matches};

    #[test]
    fn one_star_is_one_level() {
        assert!(path_matches("root:*", "root:acme"));
        assert!(!path_matches("root:*", "root:acme:shop"));
        assert!(!path_matches("root:*", "root"));
    }

    #[test]
    fn two_stars_are_any_levels_and_none() {
        assert!(path_matches("root:acme:**", "root:acme"));
        assert!(path_matches("root:acme:**", "root:acme:shop:eu"));
        assert!(!path_matches("root:acme:**", "root:acmes"));
        assert!(path_matches("**:prod", "root:acme:prod"));
        assert!(path_matches("root:**:prod", "root:prod"));
        assert!(!path_matches("root:**:prod", "root:prod:east"));
        assert!(path_matches("**", "root"));
    }

    #[test]
    fn a_star_inside_a_level_stays_inside_it() {
        assert!(path_matches("root:acme:team-*", "root:acme:team-a"));
        assert!(!path_matches("root:acme:team-*", "root:acme:team-a:sub"));
        assert!(name_matches("postgres*", "postgresql"));
        assert!(!name_matches("postgres*", "my-postgresql"));
        assert!(name_matches("*sql*", "postgresql"));
    }

    #[test]
    fn paths_of_urls_have_levels_and_a_last_slash_counts() {
        for (pattern, path, matches) in [
            ("/tickets", "/tickets", true),
            ("/tickets/*", "/tickets/7", true),
            ("/tickets/*", "/tickets", false),
            ("/tickets/*", "/tickets/", false),
            ("/tickets/*", "/tickets/7/comments", false),
            ("/tickets/**", "/tickets/7/comments", true),
            ("/tickets/**", "/tickets/7/", true),
            ("/tickets/**", "/tickets", true),
            ("/tickets/", "/tickets", false),
            ("/tickets", "/tickets/", false),
            ("/tickets/", "/tickets/", true),
            ("/**", "/", true),
            ("/", "/", true),
            ("/", "/a", false),
        ] {
            assert_eq!(url_path_matches(pattern, path), matches, "{pattern} {path}");
        }
    }

    #[test]
    fn many_stars_do_not_explode() {
        let pattern = "*a".repeat(40);
        assert!(!name_matches(&pattern, &"a".repeat(39)));
        let path = vec!["x"; 200].join(":");
        let pattern = vec!["**"; 200].join(":") + ":y";
        assert!(!path_matches(&pattern, &path));
    }
}
