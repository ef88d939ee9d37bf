//! JSON patch (RFC 6902).
//! Source: `gopkg.in/evanphx/json-patch.v4`.

use serde_json::Value;

use super::{PatchError, go_type};
use crate::objects::depth;

/// What an operation has.
const FIELDS: [&str; 4] = ["op", "path", "from", "value"];
/// Operations in one patch, as the API server limits them.
const MAX_OPERATIONS: usize = 10_000;
/// Bytes that all copies of one patch may add (`jsonpatch.AccumulatedCopySizeLimit` of the API server): copies of copies would grow
/// without end.
const MAX_COPIED: usize = 3 << 20;
/// How deep a value may come to lie. Deeper ones are not read back.
const MAX_DEPTH: usize = 128;

/// Applies the operations of `patch` in order; one that fails makes the whole patch fail.
///
/// # Errors
/// [`PatchError::Malformed`] if the patch is not a list of operations, [`PatchError::DoesNotApply`] if one of them fails.
pub fn json(target: &Value, patch: &Value) -> Result<Value, PatchError> {
    let Value::Array(operations) = patch else {
        let message =
            format!("error decoding patch: json: cannot unmarshal {} into Go value of type []handlers.jsonPatchOp", go_type(patch));
        return Err(PatchError::Malformed(message));
    };
    operations.iter().try_for_each(readable)?;
    if operations.len() > MAX_OPERATIONS {
        let message = format!("The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {}", operations.len());
        return Err(PatchError::TooLarge(message));
    }
    let mut result = target.clone();
    let mut copied = 0;
    for operation in operations {
        perform(&mut result, operation, &mut copied).ok_or(PatchError::DoesNotApply)?;
    }
    Ok(result)
}

/// Whether an operation has the types of one; what it lacks shows when it is performed.
fn readable(operation: &Value) -> Result<(), PatchError> {
    let why = match operation {
        Value::Null => return Ok(()),
        Value::Object(fields) => {
            let mut texts = FIELDS.into_iter().filter(|field| *field != "value").filter_map(|field| Some((field, fields.get(field)?)));
            let Some((field, other)) = texts.find(|(_, value)| !value.is_string() && !value.is_null()) else { return Ok(()) };
            format!("{} into Go struct field jsonPatchOp.{field} of type string", go_type(other))
        }
        other => format!("{} into Go value of type handlers.jsonPatchOp", go_type(other)),
    };
    Err(PatchError::Malformed(format!("error decoding patch: json: cannot unmarshal {why}")))
}

/// Paths of what the operations of a patch have and no operation knows, `[0].frob`.
pub fn unknown_fields(patch: &Value) -> Vec<String> {
    let operations = patch.as_array().into_iter().flatten().enumerate();
    let fields = operations.flat_map(|(index, operation)| operation.as_object().into_iter().flatten().map(move |(name, _)| (index, name)));
    fields.filter(|(_, name)| !FIELDS.contains(&name.as_str())).map(|(index, name)| format!("[{index}].{name}")).collect()
}

/// `None` if the operation is unknown or does not fit.
fn perform(document: &mut Value, operation: &Value, copied: &mut usize) -> Option<()> {
    let path = Pointer::parse(operation.get("path")?.as_str()?)?;
    match operation.get("op")?.as_str()? {
        // A missing value counts as null, as the library of the API server takes it.
        "add" => add(document, &path, operation.get("value").cloned().unwrap_or_default()),
        "replace" => replace(document, &path, operation.get("value").cloned().unwrap_or_default()),
        "remove" => remove(document, &path).map(drop),
        "test" => {
            let found = find(document, &path);
            let wanted = operation.get("value").unwrap_or(&Value::Null);
            // A field that is not there equals null.
            (found.unwrap_or(&Value::Null) == wanted).then_some(())
        }
        "copy" => {
            let from = Pointer::parse(operation.get("from")?.as_str()?)?;
            let value = find(document, &from)?.clone();
            *copied += value.to_string().len();
            if *copied > MAX_COPIED {
                return None;
            }
            add(document, &path, value)
        }
        "move" => {
            let from = Pointer::parse(operation.get("from")?.as_str()?)?;
            // A value cannot move into itself.
            if path.0.len() > from.0.len() && path.0.starts_with(&from.0) {
                return None;
            }
            let value = remove(document, &from)?;
            add(document, &path, value)
        }
        _ => None,
    }
}

/// The unescaped steps of a JSON pointer (RFC 6901).
struct Pointer(Vec<String>);

impl Pointer {
    fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(Vec::new()));
        }
        let steps = text.strip_prefix('/')?.split('/');
        Some(Self(steps.map(|step| step.replace("~1", "/").replace("~0", "~")).collect()))
    }
}

fn find<'v>(document: &'v Value, path: &Pointer) -> Option<&'v Value> {
    path.0.iter().try_fold(document, |value, step| match value {
        Value::Object(object) => object.get(step),
        Value::Array(items) => items.get(index(step, items.len())?),
        _ => None,
    })
}

fn descend<'v>(document: &'v mut Value, steps: &[String]) -> Option<&'v mut Value> {
    steps.iter().try_fold(document, |value, step| match value {
        Value::Object(object) => object.get_mut(step),
        Value::Array(items) => {
            let at = index(step, items.len())?;
            items.get_mut(at)
        }
        _ => None,
    })
}

fn add(document: &mut Value, path: &Pointer, value: Value) -> Option<()> {
    if !depth::fits(&value, MAX_DEPTH.checked_sub(path.0.len())?) {
        return None;
    }
    let Some((last, parents)) = path.0.split_last() else {
        *document = value;
        return Some(());
    };
    match descend(document, parents)? {
        Value::Object(object) => {
            object.insert(last.clone(), value);
        }
        Value::Array(items) if last == "-" => items.push(value),
        Value::Array(items) => {
            let at = index(last, items.len() + 1)?;
            items.insert(at, value);
        }
        _ => return None,
    }
    Some(())
}

/// A field that is not there is made, as the library of the API server takes it; an item must be there.
fn replace(document: &mut Value, path: &Pointer, value: Value) -> Option<()> {
    let parent = path.0.split_last().and_then(|(_, parents)| descend(document, parents));
    if matches!(parent, Some(Value::Object(_))) {
        return add(document, path, value);
    }
    *descend(document, &path.0)? = value;
    Some(())
}

fn remove(document: &mut Value, path: &Pointer) -> Option<Value> {
    let (last, parents) = path.0.split_last()?;
    match descend(document, parents)? {
        Value::Object(object) => object.remove(last),
        Value::Array(items) => {
            let at = index(last, items.len())?;
            Some(items.remove(at))
        }
        _ => None,
    }
}

/// An index below `length`; a negative one counts from the end, as the library of the API server allows.
fn index(step: &str, length: usize) -> Option<usize> {
    let at: i64 = step.parse().ok()?;
    let length = i64::try_from(length).ok()?;
    let at = if at < 0 { at + length } else { at };
    (0..length).contains(&at).then_some(at)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json as value;

    use super::*;
    use crate::apply::arbitrary::json_value;

    fn patched(target: Value, patch: Value) -> Result<Value, PatchError> {
        json(&target, &patch)
    }

    #[test]
    fn each_operation_does_its_part() {
        let patch = value!([
            {"op": "test", "path": "/size", "value": 1},
            {"op": "add", "path": "/list/-", "value": "z"},
            {"op": "add", "path": "/list/0", "value": "first"},
            {"op": "replace", "path": "/size", "value": 2},
            {"op": "move", "from": "/map/m", "path": "/map/o"},
            {"op": "copy", "from": "/size", "path": "/map/size"},
            {"op": "remove", "path": "/gone"},
        ]);
        let target = value!({"size": 1, "list": ["x"], "map": {"m": "n"}, "gone": true});
        let expected = value!({"size": 2, "list": ["first", "x", "z"], "map": {"o": "n", "size": 2}});
        assert_eq!(patched(target, patch), Ok(expected));
    }

    #[test]
    fn replacing_a_field_that_is_not_there_makes_it() {
        assert_eq!(patched(value!({}), value!([{"op": "replace", "path": "/b", "value": 1}])), Ok(value!({"b": 1})));
    }

    #[test]
    fn slashes_and_tildes_are_escaped() {
        let patch = value!([{"op": "replace", "path": "/a~1b~01", "value": 2}]);
        assert_eq!(patched(value!({"a/b~1": 1}), patch), Ok(value!({"a/b~1": 2})));
    }

    #[test]
    fn what_does_not_fit_is_refused_whole() {
        for patch in [
            value!([{"op": "test", "path": "/a", "value": 7}]),
            value!([{"op": "remove", "path": "/b"}]),
            value!([{"op": "replace", "path": "/b/c", "value": 1}]),
            value!([{"op": "replace", "path": "/list/0", "value": 1}]),
            value!([{"op": "add", "path": "/b/c", "value": 1}]),
            value!([{"op": "add", "path": "/list/5", "value": 1}]),
            value!([{"op": "move", "from": "/a", "path": "/a/b"}]),
            value!([{"op": "explode", "path": "/a"}]),
            value!([{"path": "/a"}]),
        ] {
            assert_eq!(patched(value!({"a": 1, "list": []}), patch.clone()), Err(PatchError::DoesNotApply), "{patch}");
        }
    }

    #[test]
    fn a_patch_cannot_grow_without_bounds() {
        let doubling = vec![value!({"op": "copy", "from": "/a", "path": "/a/-"}); 60];
        assert_eq!(patched(value!({"a": ["x".repeat(1000)]}), doubling.into()), Err(PatchError::DoesNotApply));
        let deeper: Vec<Value> =
            (0..200).map(|level| value!({"op": "add", "path": format!("/a{}", "/a".repeat(level)), "value": {}})).collect();
        assert_eq!(patched(value!({}), deeper.into()), Err(PatchError::DoesNotApply));
        let many = vec![value!({"op": "test", "path": "/none", "value": null}); MAX_OPERATIONS + 1];
        assert!(matches!(patched(value!({}), many.into()), Err(PatchError::TooLarge(_))));
    }

    /// The cases of RFC 6902, appendix A.
    #[test]
    fn the_examples_of_the_rfc() {
        let refused = || Err(PatchError::DoesNotApply);
        for (target, patch, expected) in [
            (value!({"foo": "bar"}), value!([{"op": "add", "path": "/baz", "value": "qux"}]), Ok(value!({"baz": "qux", "foo": "bar"}))),
            (
                value!({"foo": ["bar", "baz"]}),
                value!([{"op": "add", "path": "/foo/1", "value": "qux"}]),
                Ok(value!({"foo": ["bar", "qux", "baz"]})),
            ),
            (value!({"baz": "qux", "foo": "bar"}), value!([{"op": "remove", "path": "/baz"}]), Ok(value!({"foo": "bar"}))),
            (value!({"foo": ["bar", "qux", "baz"]}), value!([{"op": "remove", "path": "/foo/1"}]), Ok(value!({"foo": ["bar", "baz"]}))),
            (
                value!({"baz": "qux", "foo": "bar"}),
                value!([{"op": "replace", "path": "/baz", "value": "boo"}]),
                Ok(value!({"baz": "boo", "foo": "bar"})),
            ),
            (
                value!({"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}}),
                value!([{"op": "move", "from": "/foo/waldo", "path": "/qux/thud"}]),
                Ok(value!({"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}})),
            ),
            (
                value!({"foo": ["all", "grass", "cows", "eat"]}),
                value!([{"op": "move", "from": "/foo/1", "path": "/foo/3"}]),
                Ok(value!({"foo": ["all", "cows", "eat", "grass"]})),
            ),
            (
                value!({"baz": "qux", "foo": ["a", 2, "c"]}),
                value!([{"op": "test", "path": "/baz", "value": "qux"}, {"op": "test", "path": "/foo/1", "value": 2}]),
                Ok(value!({"baz": "qux", "foo": ["a", 2, "c"]})),
            ),
            (value!({"baz": "qux"}), value!([{"op": "test", "path": "/baz", "value": "bar"}]), refused()),
            (
                value!({"foo": "bar"}),
                value!([{"op": "add", "path": "/child", "value": {"grandchild": {}}}]),
                Ok(value!({"foo": "bar", "child": {"grandchild": {}}})),
            ),
            (
                value!({"foo": "bar"}),
                value!([{"op": "add", "path": "/baz", "value": "qux", "xyz": 123}]),
                Ok(value!({"foo": "bar", "baz": "qux"})),
            ),
            (value!({"foo": "bar"}), value!([{"op": "add", "path": "/baz/bat", "value": "qux"}]), refused()),
            (value!({"/": 9, "~1": 10}), value!([{"op": "test", "path": "/~01", "value": 10}]), Ok(value!({"/": 9, "~1": 10}))),
            (value!({"/": 9, "~1": 10}), value!([{"op": "test", "path": "/~01", "value": "10"}]), refused()),
            (
                value!({"foo": ["bar"]}),
                value!([{"op": "add", "path": "/foo/-", "value": ["abc", "def"]}]),
                Ok(value!({"foo": ["bar", ["abc", "def"]]})),
            ),
        ] {
            assert_eq!(patched(target, patch.clone()), expected, "{patch}");
        }
    }

    #[test]
    fn operations_have_their_types_before_any_is_performed() {
        let patch = value!([{"op": "test", "path": "/a", "value": 7}, {"op": "add", "path": 5}]);
        let error = patched(value!({}), patch).unwrap_err();
        assert_eq!(
            error.to_string(),
            "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string"
        );
        assert_eq!(patched(value!({}), value!([null])), Err(PatchError::DoesNotApply));
        assert_eq!(unknown_fields(&value!([{"op": "add"}, {"frob": 1, "value": {"frob": 2}}])), ["[1].frob"]);
    }

    #[test]
    fn an_object_is_no_json_patch() {
        let error = patched(value!({}), value!({"op": "remove"})).unwrap_err();
        assert_eq!(error.to_string(), "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp");
    }

    proptest! {
        #[test]
        fn no_patch_panics(target in json_value(), patch in json_value()) {
            drop(json(&target, &patch));
        }

        #[test]
        fn adding_and_removing_gives_the_same(target in proptest::collection::btree_map("[a-c]", json_value(), 0..3), value in json_value()) {
            let target = value!(target);
            let patch = value!([{"op": "add", "path": "/new", "value": value}, {"op": "remove", "path": "/new"}]);
            prop_assert_eq!(json(&target, &patch).unwrap(), target);
        }
    }
}
