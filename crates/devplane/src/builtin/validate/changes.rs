//! What differs between two texts, line by line, as faults show it: `diff -u` without the names of files.
//! Source: apimachinery `pkg/util/diff` (unified, three lines around each change).

/// Lines around a change.
const AROUND: usize = 3;
/// More pairs of lines than these are not compared one by one.
const MOST: usize = 4_000_000;

/// One stretch of lines in which two texts differ: from and to in the one, from and to in the other.
struct Change {
    old: (usize, usize),
    new: (usize, usize),
}

/// How one text becomes another; empty if they are the same.
pub(super) fn unified(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut text = String::new();
    let changes = changes(&old, &new);
    let mut rest = changes.as_slice();
    while !rest.is_empty() {
        // Changes with few lines between them are shown together.
        let near = rest.windows(2).take_while(|pair| pair[1].old.0 - pair[0].old.1 <= 2 * AROUND).count() + 1;
        let (shown, later) = rest.split_at(near);
        hunk(&old, &new, shown, &mut text);
        rest = later;
    }
    text
}

fn hunk(old: &[&str], new: &[&str], changes: &[Change], text: &mut String) {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return };
    let start = first.old.0.saturating_sub(AROUND);
    let end = (last.old.1 + AROUND).min(old.len());
    let (new_start, new_end) = (first.new.0 - (first.old.0 - start), last.new.1 + (end - last.old.1));
    text.push_str(&format!("@@ -{} +{} @@\n", span(start, end), span(new_start, new_end)));
    let mut at = start;
    let mut write = |sign: char, lines: &[&str]| {
        for line in lines {
            text.push(sign);
            text.push_str(line);
            text.push('\n');
        }
    };
    for change in changes {
        write(' ', &old[at..change.old.0]);
        write('-', &old[change.old.0..change.old.1]);
        write('+', &new[change.new.0..change.new.1]);
        at = change.old.1;
    }
    write(' ', &old[at..end]);
}

/// Lines as the head of a hunk names them.
fn span(start: usize, end: usize) -> String {
    match end - start {
        1 => (start + 1).to_string(),
        0 => format!("{start},0"),
        length => format!("{},{length}", start + 1),
    }
}

/// Where two lists of lines differ, by their longest common part.
fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let head = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(one, other)| one == other).count();
    let (inner_old, inner_new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let width = inner_new.len() + 1;
    if inner_old.len().saturating_mul(width) > MOST {
        return vec![Change { old: (head, old.len() - tail), new: (head, new.len() - tail) }];
    }
    // How many lines from here on are common.
    let mut common = vec![0_usize; (inner_old.len() + 1) * width];
    for (row, line) in inner_old.iter().enumerate().rev() {
        for (column, other) in inner_new.iter().enumerate().rev() {
            let best = common[(row + 1) * width + column].max(common[row * width + column + 1]);
            let both = common[(row + 1) * width + column + 1] + 1;
            common[row * width + column] = if line == other { both } else { best };
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut found: Vec<Change> = Vec::new();
    while row < inner_old.len() || column < inner_new.len() {
        if row < inner_old.len() && column < inner_new.len() && inner_old[row] == inner_new[column] {
            (row, column) = (row + 1, column + 1);
            continue;
        }
        let (from, to) = ((head + row, head + column), row < inner_old.len());
        let down = column == inner_new.len() || (to && common[(row + 1) * width + column] >= common[row * width + column + 1]);
        if down {
            row += 1;
        } else {
            column += 1;
        }
        match found.last_mut() {
            Some(last) if (last.old.1, last.new.1) == from => (last.old.1, last.new.1) = (head + row, head + column),
            _ => found.push(Change { old: (from.0, head + row), new: (from.1, head + column) }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn a_change_is_shown_with_three_lines_around_it() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh";
        assert_eq!(unified(before, &before.replace('d', "x")), "@@ -1,7 +1,7 @@\n a\n b\n c\n-d\n+x\n e\n f\n g\n");
        assert_eq!(unified(before, &before.replace("h", "h\ni")), "@@ -6,3 +6,4 @@\n f\n g\n h\n+i\n");
        assert_eq!(unified(before, &before.replace("a\n", "")), "@@ -1,4 +1,3 @@\n-a\n b\n c\n d\n");
        assert_eq!(unified("a", "a\nb"), "@@ -1 +1,2 @@\n a\n+b\n");
        assert_eq!(unified(before, before), "");
    }
}
