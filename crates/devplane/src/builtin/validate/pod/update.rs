//! What of a pod may change.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidatePodUpdate`); apimachinery `util/diff`.

use serde_json::{Value, json};

use super::super::{count, is_blank, items, text};
use super::containers;
use crate::{protobuf::go_internal, status::Cause};

const FIXED: &str = "pod updates may not change fields other than \
                     `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
                     `spec.tolerations` (only additions to existing tolerations),\
                     `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n";
/// Lines around a difference.
const CONTEXT: usize = 3;

pub(super) fn check(spec: &Value, old: &Value, causes: &mut Vec<Cause>) {
    for list in ["containers", "initContainers"] {
        let field = format!("spec.{list}");
        if count(&spec[list]) != count(&old[list]) {
            causes.push(Cause::forbidden(&field, "pod updates may not add or remove containers"));
            return;
        }
        for (index, container) in items(&spec[list]) {
            if is_blank(&container["image"]) {
                causes.push(Cause::required(&format!("{field}[{index}].image"), ""));
            }
            containers::padded_image(container, &format!("{field}[{index}]"), causes);
        }
    }
    if !deadline(&spec["activeDeadlineSeconds"], &old["activeDeadlineSeconds"], causes) {
        return;
    }
    tolerations(spec, old, causes);
    for (index, gate) in items(&spec["schedulingGates"]) {
        let name = text(&gate["name"]);
        if !items(&old["schedulingGates"]).any(|(_, known)| text(&known["name"]) == name) {
            let detail = format!("only deletion is allowed, but found new scheduling gate '{name}'");
            causes.push(Cause::forbidden(&format!("spec.schedulingGates[{index}].name"), &detail));
        }
    }
    let munged = munged(spec, old);
    let (before, after) = (go_internal::indented("v1", "PodSpec", old), go_internal::indented("v1", "PodSpec", &munged));
    if before != after {
        causes.push(Cause::forbidden("spec", &format!("{FIXED}{}", difference(&before, &after))));
    }
}

/// A deadline comes nearer and never goes; the answer is whether to look further.
fn deadline(new: &Value, old: &Value, causes: &mut Vec<Cause>) -> bool {
    let field = "spec.activeDeadlineSeconds";
    match (new.as_i64(), old.as_i64()) {
        (Some(seconds), _) if !(0..=i64::from(i32::MAX)).contains(&seconds) => {
            causes.push(Cause::invalid(field, new, "must be between 0 and 2147483647, inclusive"));
            false
        }
        (Some(seconds), Some(before)) if before < seconds => {
            causes.push(Cause::invalid(field, new, "must be less than or equal to previous value"));
            false
        }
        (None, Some(_)) => {
            causes.push(Cause::invalid(field, &Value::Null, "must not update from a positive integer to nil value"));
            true
        }
        _ => true,
    }
}

/// Tolerations come and never go; how long they hold may change.
fn tolerations(spec: &Value, old: &Value, causes: &mut Vec<Cause>) {
    let lasting = |toleration: &Value| {
        let mut fields = toleration.as_object().cloned().unwrap_or_default();
        fields.remove("tolerationSeconds");
        fields
    };
    let new: Vec<_> = items(&spec["tolerations"]).map(|(_, toleration)| lasting(toleration)).collect();
    if items(&old["tolerations"]).all(|(_, toleration)| new.contains(&lasting(toleration))) {
        super::scheduling::tolerations(&spec["tolerations"], "spec.tolerations", causes);
    } else {
        let detail = "existing toleration can not be modified except its tolerationSeconds";
        causes.push(Cause::forbidden("spec.tolerations", detail));
    }
}

/// The new spec with the old values of all that may change.
fn munged(spec: &Value, old: &Value) -> Value {
    let mut munged = spec.clone();
    for list in ["containers", "initContainers"] {
        for (index, container) in items(&old[list]) {
            if let Some(place) = munged.get_mut(list).and_then(|list| list.get_mut(index)).and_then(Value::as_object_mut) {
                place.insert("image".into(), container["image"].clone());
            }
        }
    }
    let grace = "terminationGracePeriodSeconds";
    let mut kept = vec!["activeDeadlineSeconds", "schedulingGates", "tolerations"];
    if old[grace].as_i64().is_some_and(|seconds| seconds < 0) && spec[grace] == 1 {
        kept.push(grace);
    }
    // Pods that nobody may place yet can still be told where to go.
    if !is_blank(&old["schedulingGates"]) {
        if contains(&spec["nodeSelector"], &old["nodeSelector"]) {
            kept.push("nodeSelector");
        }
        if old["affinity"]["nodeAffinity"].is_null() {
            munged = without_node_affinity(munged);
        }
    }
    let Some(fields) = munged.as_object_mut() else { return json!({}) };
    for name in kept {
        match old.get(name) {
            Some(value) => fields.insert(name.into(), value.clone()),
            None => fields.remove(name),
        };
    }
    munged
}

fn contains(new: &Value, old: &Value) -> bool {
    super::super::entries(old).all(|(key, value)| new.get(key) == Some(value))
}

fn without_node_affinity(mut spec: Value) -> Value {
    if let Some(affinity) = spec.get_mut("affinity").and_then(Value::as_object_mut) {
        affinity.remove("nodeAffinity");
    }
    if let Some(fields) = spec.as_object_mut()
        && fields.get("affinity").is_some_and(is_blank)
    {
        fields.remove("affinity");
    }
    spec
}

/// One stretch of lines in which two texts differ: from and to in the one, from and to in the other.
struct Change {
    old: (usize, usize),
    new: (usize, usize),
}

/// Two texts line by line, as `diff -u` shows them without the names of files.
fn difference(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut text = String::new();
    let changes = changes(&old, &new);
    let mut rest = changes.as_slice();
    while !rest.is_empty() {
        // Changes with few lines between them are shown together.
        let near = rest.windows(2).take_while(|pair| pair[1].old.0 - pair[0].old.1 <= 2 * CONTEXT).count() + 1;
        let (shown, later) = rest.split_at(near);
        hunk(&old, &new, shown, &mut text);
        rest = later;
    }
    text
}

fn hunk(old: &[&str], new: &[&str], changes: &[Change], text: &mut String) {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return };
    let start = first.old.0.saturating_sub(CONTEXT);
    let end = (last.old.1 + CONTEXT).min(old.len());
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

/// Lines as the head of a hunk tells them.
fn span(start: usize, end: usize) -> String {
    match end - start {
        1 => (start + 1).to_string(),
        0 => format!("{start},0"),
        length => format!("{},{length}", start + 1),
    }
}

/// More pairs of lines than these are not compared one by one.
const MOST: usize = 4_000_000;

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
    use super::*;

    #[test]
    fn a_difference_is_shown_with_three_lines_around_it() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh";
        assert_eq!(difference(before, &before.replace('d', "x")), "@@ -1,7 +1,7 @@\n a\n b\n c\n-d\n+x\n e\n f\n g\n");
        assert_eq!(difference(before, &before.replace("h", "h\ni")), "@@ -6,3 +6,4 @@\n f\n g\n h\n+i\n");
        assert_eq!(difference(before, &before.replace("a\n", "")), "@@ -1,4 +1,3 @@\n-a\n b\n c\n d\n");
    }

    #[test]
    fn images_change_and_policies_stay() {
        let old = json!({"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Always"});
        let mut new = old.clone();
        new["containers"][0]["image"] = json!("j");
        let mut causes = Vec::new();
        check(&new, &old, &mut causes);
        assert_eq!(causes, []);
        new["restartPolicy"] = json!("Never");
        check(&new, &old, &mut causes);
        assert!(
            causes[0]
                .message
                .contains("\n@@ -35,7 +35,7 @@\n   }\n  ],\n  \"EphemeralContainers\": null,\n- \"RestartPolicy\": \"Always\",\n")
        );
    }
}
