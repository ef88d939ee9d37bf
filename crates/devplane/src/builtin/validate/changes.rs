//! What differs between two states, line by line, as texts of faults show it.
//! Source: apimachinery `pkg/util/diff` (unified, three lines around each change).

/// Lines around a change.
const AROUND: usize = 3;

/// A line of both texts, of the first alone or of the second alone; with how many lines of each came before.
struct Step<'a> {
    mark: char,
    line: &'a str,
    before: (usize, usize),
}

/// How one text becomes another; empty if they are the same.
pub(super) fn unified(old: &[String], new: &[String]) -> String {
    let steps = steps(old, new);
    let changed: Vec<usize> = steps.iter().enumerate().filter(|(_, step)| step.mark != ' ').map(|(index, _)| index).collect();
    let mut text = String::new();
    let mut rest = changed.as_slice();
    while let Some(&first) = rest.first() {
        // Changes that lie near each other are shown together.
        let count = 1 + rest.windows(2).take_while(|pair| pair[1] - pair[0] <= 2 * AROUND + 1).count();
        let last = rest[count - 1];
        let hunk = &steps[first.saturating_sub(AROUND)..(last + AROUND + 1).min(steps.len())];
        text.push_str(&header(hunk));
        for step in hunk {
            text.push(step.mark);
            text.push_str(step.line);
            text.push('\n');
        }
        rest = &rest[count..];
    }
    text
}

fn header(hunk: &[Step<'_>]) -> String {
    let start = hunk.first().map(|step| step.before).unwrap_or_default();
    let of = |start: usize, other: char| {
        let count = hunk.iter().filter(|step| step.mark != other).count();
        match count {
            0 => format!("{start},0"),
            1 => (start + 1).to_string(),
            _ => format!("{},{count}", start + 1),
        }
    };
    format!("@@ -{} +{} @@\n", of(start.0, '+'), of(start.1, '-'))
}

/// The fewest lines that go and come.
fn steps<'a>(old: &'a [String], new: &'a [String]) -> Vec<Step<'a>> {
    // How many lines the rests from here on have in common.
    let mut common = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if old[i] == new[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut steps) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        let before = (i, j);
        if i < old.len() && j < new.len() && old[i] == new[j] {
            steps.push(Step { mark: ' ', line: &old[i], before });
            i += 1;
            j += 1;
        } else if i < old.len() && (j == new.len() || common[i + 1][j] >= common[i][j + 1]) {
            steps.push(Step { mark: '-', line: &old[i], before });
            i += 1;
        } else {
            steps.push(Step { mark: '+', line: &new[j], before });
            j += 1;
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn a_change_is_shown_with_three_lines_around_it() {
        let lines = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let (old, new) = (lines("a b c d e f g h i"), lines("a b c d x f g h i"));
        assert_eq!(unified(&old, &new), "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+x\n f\n g\n h\n");
        assert_eq!(unified(&old, &old), "");
        assert_eq!(unified(&lines("a"), &lines("a b")), "@@ -1 +1,2 @@\n a\n+b\n");
    }
}
