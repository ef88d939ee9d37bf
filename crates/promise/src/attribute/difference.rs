//! The line-by-line difference between two renderings.

use serde::{Deserialize, Serialize};

use super::{AttributedObject, Line};

/// Maximum number of cells in the table that compares two objects. Larger objects are shown as replaced.
const CELLS: usize = 4_000_000;

/// The side of a difference that a line is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Side {
    /// Both sides.
    Kept,
    /// Only the old side.
    Removed,
    /// Only the new side.
    Added,
}

/// A line of a difference. A removed line keeps its old origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DifferenceLine {
    /// The side that the line is on.
    pub side: Side,
    /// The line.
    pub line: Line,
}

/// The difference of one object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectDifference {
    /// Id of the resource.
    pub id: String,
    /// Kind and name, on the new side if the object exists there.
    pub title: String,
    /// `Kept` for an object that exists on both sides, changed or not.
    pub side: Side,
    /// Whether any line differs.
    pub changed: bool,
    /// All lines, in order.
    pub lines: Vec<DifferenceLine>,
}

/// Number of objects that a change concerns, by kind of change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Touched {
    /// Created.
    pub made: usize,
    /// Kept, with different content.
    pub changed: usize,
    /// Replaced by an object of another kind, name or place. The old one is deleted.
    pub replaced: usize,
    /// Deleted.
    pub removed: usize,
    /// Unchanged.
    pub kept: usize,
}

impl Touched {
    /// Returns the number of objects on either side.
    pub fn all(&self) -> usize {
        self.made + self.changed + self.replaced + self.removed + self.kept
    }
}

/// Counts the changes between two renderings.
pub fn touched(before: &[AttributedObject], after: &[AttributedObject]) -> Touched {
    let mut touched = Touched::default();
    for object in after {
        let texts = |of: &AttributedObject| of.lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
        let count = match before.iter().find(|former| former.id == object.id) {
            None => &mut touched.made,
            Some(former) if former.title != object.title || former.destination != object.destination => &mut touched.replaced,
            Some(former) if texts(former) != texts(object) => &mut touched.changed,
            Some(_) => &mut touched.kept,
        };
        *count += 1;
    }
    touched.removed = before.iter().filter(|former| !after.iter().any(|object| object.id == former.id)).count();
    touched
}

/// Compares two renderings: the objects of `after` in order, then the deleted ones.
pub fn difference(before: &[AttributedObject], after: &[AttributedObject]) -> Vec<ObjectDifference> {
    let former = |id: &str| before.iter().find(|object| object.id == id);
    let mut found: Vec<ObjectDifference> = after
        .iter()
        .map(|object| match former(&object.id) {
            Some(known) => both(known, object),
            None => whole(object, Side::Added),
        })
        .collect();
    let gone = before.iter().filter(|object| !after.iter().any(|other| other.id == object.id));
    found.extend(gone.map(|object| whole(object, Side::Removed)));
    found
}

fn whole(object: &AttributedObject, side: Side) -> ObjectDifference {
    let lines = object.lines.iter().map(|line| DifferenceLine { side, line: line.clone() }).collect();
    ObjectDifference { id: object.id.clone(), title: object.title.clone(), side, changed: true, lines }
}

fn both(before: &AttributedObject, after: &AttributedObject) -> ObjectDifference {
    let lines = compare(&before.lines, &after.lines);
    let changed = lines.iter().any(|line| line.side != Side::Kept);
    ObjectDifference { id: after.id.clone(), title: after.title.clone(), side: Side::Kept, changed, lines }
}

/// Returns the shortest edit script, removals before additions. Unchanged lines are those of `after`.
fn compare(before: &[Line], after: &[Line]) -> Vec<DifferenceLine> {
    let start = before.iter().zip(after).take_while(|(one, other)| one.text == other.text).count();
    let rest = before.len().min(after.len()) - start;
    let end = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(one, other)| one.text == other.text).count();
    let (old, new) = (&before[start..before.len() - end], &after[start..after.len() - end]);
    let of = |side: Side, lines: &[Line]| -> Vec<DifferenceLine> {
        lines.iter().map(|line| DifferenceLine { side, line: line.clone() }).collect()
    };
    let mut lines = of(Side::Kept, &after[..start]);
    if old.len().saturating_mul(new.len()) > CELLS {
        lines.extend(of(Side::Removed, old));
        lines.extend(of(Side::Added, new));
    } else {
        lines.extend(middle(old, new));
    }
    lines.extend(of(Side::Kept, &after[after.len() - end..]));
    lines
}

fn middle(old: &[Line], new: &[Line]) -> Vec<DifferenceLine> {
    let width = new.len() + 1;
    // Number of lines that can be kept from here to both ends.
    let mut kept = vec![0_u32; (old.len() + 1) * width];
    for at in (0..old.len()).rev() {
        for to in (0..new.len()).rev() {
            kept[at * width + to] = if old[at].text == new[to].text {
                kept[(at + 1) * width + to + 1] + 1
            } else {
                kept[(at + 1) * width + to].max(kept[at * width + to + 1])
            };
        }
    }
    let (mut at, mut to) = (0, 0);
    let mut lines = Vec::with_capacity(old.len().max(new.len()));
    while at < old.len() || to < new.len() {
        if at < old.len() && to < new.len() && old[at].text == new[to].text {
            lines.push(DifferenceLine { side: Side::Kept, line: new[to].clone() });
            (at, to) = (at + 1, to + 1);
        } else if at < old.len() && (to == new.len() || kept[(at + 1) * width + to] >= kept[at * width + to + 1]) {
            lines.push(DifferenceLine { side: Side::Removed, line: old[at].clone() });
            at += 1;
        } else {
            lines.push(DifferenceLine { side: Side::Added, line: new[to].clone() });
            to += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::{AttributedObject, Line, LineOrigin};
    use super::{Side, Touched, difference, touched};

    fn object(id: &str, text: &str) -> AttributedObject {
        let lines = text.split_whitespace().map(|text| Line { text: text.into(), origin: LineOrigin::Promise, also: Vec::new() }).collect();
        AttributedObject { id: id.into(), title: id.into(), destination: None, because: Vec::new(), waits_for: None, lines }
    }

    fn shown(before: &str, after: &str) -> String {
        let found = difference(&[object("a", before)], &[object("a", after)]);
        let sign = |side| match side {
            Side::Kept => ' ',
            Side::Removed => '-',
            Side::Added => '+',
        };
        found[0].lines.iter().map(|line| format!("{}{}", sign(line.side), line.line.text)).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn lines_that_stay_are_kept() {
        assert_eq!(shown("a b c", "a b c"), " a, b, c");
        assert_eq!(shown("a b c", "a x c"), " a,-b,+x, c");
        assert_eq!(shown("a b c d", "b c x d"), "-a, b, c,+x, d");
        assert_eq!(shown("", "a"), "+a");
        assert_eq!(shown("a a a", "a a"), " a, a,-a");
        assert_eq!(shown("a b", "b a"), "-a, b,+a");
    }

    #[test]
    fn objects_come_and_go_by_their_id() {
        let found = difference(&[object("a", "1"), object("b", "2")], &[object("c", "3"), object("a", "1")]);
        let sides: Vec<_> = found.iter().map(|object| (object.id.as_str(), object.side, object.changed)).collect();
        assert_eq!(sides, [("c", Side::Added, true), ("a", Side::Kept, false), ("b", Side::Removed, true)]);
    }

    #[test]
    fn objects_are_counted_by_what_becomes_of_them() {
        let moved = AttributedObject { destination: Some("eu-1".into()), ..object("d", "4") };
        let before = [object("a", "1"), object("b", "2"), object("c", "3"), object("d", "4")];
        let after = [object("a", "1"), object("b", "5"), moved, object("e", "6")];
        assert_eq!(touched(&before, &after), Touched { made: 1, changed: 1, replaced: 1, removed: 1, kept: 1 });
        assert_eq!(touched(&before, &after).all(), 5);
    }

    #[test]
    fn applying_a_difference_gives_the_other_side() {
        let texts = ["a b c a b b a", "c b a b a c", "", "b", "a a a a b b b b", "x y z"];
        for before in texts {
            for after in texts {
                let found = difference(&[object("a", before)], &[object("a", after)]);
                let side = |left_out: Side| -> Vec<&str> {
                    found[0].lines.iter().filter(|line| line.side != left_out).map(|line| line.line.text.as_str()).collect()
                };
                assert_eq!(side(Side::Removed), after.split_whitespace().collect::<Vec<_>>());
                assert_eq!(side(Side::Added), before.split_whitespace().collect::<Vec<_>>());
            }
        }
    }
}
