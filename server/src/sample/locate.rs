//! Finds the line of a field in YAML that people wrote, so that a refusal of the plane can point at it.

/// Line of the field at `path`, such as `.spec.rules[1].name`, counted from 1. When the field is not there, or stands inside braces, the line of
/// the nearest field above it.
pub fn line(text: &str, path: &str) -> usize {
    let lines: Vec<(usize, &str)> =
        text.lines().enumerate().filter(|(_, line)| !matches!(line.trim_start().chars().next(), None | Some('#'))).collect();
    let mut block = lines.as_slice();
    let mut found = block.first().map_or(1, |(number, _)| number + 1);
    for step in steps(path) {
        let Some((number, inner)) = (match step {
            Step::Key(key) => enter_key(block, key),
            Step::Item(index) => enter_item(block, index),
        }) else {
            break;
        };
        found = number + 1;
        block = inner;
    }
    found
}

enum Step<'a> {
    Key(&'a str),
    Item(usize),
}

fn steps(path: &str) -> impl Iterator<Item = Step<'_>> {
    path.split('.').filter(|part| !part.is_empty()).flat_map(|part| {
        let (key, items) = part.split_once('[').map_or((part, ""), |(key, rest)| (key, rest));
        let key = (!key.is_empty()).then_some(Step::Key(key));
        key.into_iter().chain(items.split('[').filter_map(|item| item.trim_end_matches(']').parse().ok().map(Step::Item)))
    })
}

type Lines<'a, 'b> = &'b [(usize, &'a str)];

/// Column at which the content of a line begins, behind any `- `.
fn column(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '-']).len()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn enter_key<'a, 'b>(block: Lines<'a, 'b>, key: &str) -> Option<(usize, Lines<'a, 'b>)> {
    let level = column(block.first()?.1);
    let at = block.iter().position(|(_, line)| {
        column(line) == level
            && line.get(level..).and_then(|rest| rest.split_once(':')).is_some_and(|(name, _)| name.trim_matches('"') == key)
    })?;
    let rest = block.get(at + 1..)?;
    // A list may stand at the same column as its key.
    let end = rest.iter().position(|(_, line)| indent(line) < level || (indent(line) == level && !line.trim_start().starts_with('-')));
    Some((block.get(at)?.0, rest.get(..end.unwrap_or(rest.len()))?))
}

fn enter_item<'a, 'b>(block: Lines<'a, 'b>, index: usize) -> Option<(usize, Lines<'a, 'b>)> {
    let level = indent(block.first()?.1);
    let mut starts =
        block.iter().enumerate().filter(|(_, (_, line))| indent(line) == level && line.trim_start().starts_with('-')).map(|(at, _)| at);
    let start = starts.nth(index)?;
    let end = starts.next().unwrap_or(block.len());
    let item = block.get(start..end)?;
    let (number, first) = item.first()?;
    // A dash alone on its line belongs to no column of what follows.
    let inner = if first.trim() == "-" { item.get(1..)? } else { item };
    Some((*number, inner))
}

#[cfg(test)]
mod tests {
    use super::line;

    const TEXT: &str = "\
# A comment
kind: Promise
metadata: {name: redis}
spec:
  version: 1.0.0

  implementation:
    resources:
    - id: cache
      template:
        kind: Deployment
    -
      id: service
      template: {kind: Service}
  outputs:
  - name: endpoint
    value: a
";

    #[test]
    fn finds_fields_and_falls_back_to_what_holds_them() {
        for (path, expected) in [
            ("", 2),
            (".kind", 2),
            (".metadata.name", 3),
            (".spec.version", 5),
            (".spec.implementation.resources[0].id", 9),
            (".spec.implementation.resources[0].template.kind", 11),
            (".spec.implementation.resources[1].id", 13),
            (".spec.implementation.resources[1].template.kind", 14),
            (".spec.implementation.resources[2].id", 8),
            (".spec.outputs[0].value", 17),
            (".spec.parameters.properties", 4),
        ] {
            assert_eq!(line(TEXT, path), expected, "{path}");
        }
    }
}
