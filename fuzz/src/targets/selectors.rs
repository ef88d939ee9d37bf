//! Selectors of lists and watches, as texts and as objects.

use devplane::selectors::{LabelSelector, Selection, faults};
use serde_json::json;

use crate::bytes::Bytes;

const WORDS: &[&str] = &[
    "a",
    "b",
    "app",
    "example.org/name",
    "=",
    "==",
    "!=",
    "!",
    ",",
    " in ",
    " notin ",
    "(",
    ")",
    " ",
    "gt",
    ">",
    "<",
    "1",
    "metadata.name",
    "metadata.namespace",
    "spec.size",
    "\\",
    "\\,",
    "\\=",
    "matchLabels",
    "matchExpressions",
    "key",
    "operator",
    "values",
    "In",
    "NotIn",
    "Exists",
    "DoesNotExist",
    "",
    "in",
    "notin",
];

/// Reads selectors and asks them about an object.
pub(crate) fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data, WORDS);
    let as_text = |bytes: &mut Bytes| {
        let length = bytes.byte();
        (0..length).map_while(|_| (!bytes.is_empty()).then(|| bytes.text())).collect::<String>()
    };
    let object = json!({"metadata": {"name": "a", "namespace": "b", "labels": {"a": "1", "app": "b", "b": ""}}, "spec": {"size": 1}});
    if bytes.one_in(3) {
        let selector = bytes.value();
        let _ = faults(&selector, "spec.selector");
        let _ = LabelSelector::from_object(&selector).matches(&object["metadata"]["labels"]);
        return;
    }
    let (labels, fields) = (as_text(&mut bytes), as_text(&mut bytes));
    if let Ok(selection) = Selection::parse(&labels, &fields, |field| field.len() < 20, str::to_owned) {
        let _ = (selection.matches(&object), selection.exact("metadata.name"));
        if selection.is_empty() {
            assert!(selection.matches(&object), "an empty selector lets nothing through: {labels:?} {fields:?}");
        }
    }
}
