//! Suggestions for misspelled names.

/// Returns the distance between two names in single-character edits, or `None` if they aren't similar.
pub(crate) fn alike(a: &str, b: &str) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    if a.len().max(b.len()) > 64 {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(corner + 1);
        }
    }
    let distance = row[b.len()];
    (distance <= 2 && distance < a.len().max(b.len()) / 2 + 1).then_some(distance)
}
