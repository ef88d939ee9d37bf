//! Order of values, the same as in the form.

use crate::api::PromiseSpec;
use crate::path::Path;
use crate::shape;

/// Sort key for the order of the form's fields: first by the group that names the field or one above it, then at each level by the author's
/// `order`, then by name.
pub fn rank(promise: &PromiseSpec, path: &Path) -> impl Ord + use<> {
    let groups = promise.form.groups.iter();
    let named = groups.flat_map(|group| &group.fields).filter_map(|text| Path::parse(text).ok()).position(|field| path.starts_with(&field));
    let steps = (1..=path.0.len()).map(|length| {
        let above = Path(path.0[..length].to_vec());
        let order = shape::hint_at(promise, &above).and_then(|hint| hint.order).unwrap_or(i32::MAX);
        (order, above)
    });
    (named.unwrap_or(usize::MAX), steps.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::rank;
    use crate::api::PromiseSpec;
    use crate::path::Path;
    use serde_json::json;

    #[test]
    fn values_stand_as_the_fields_of_the_form_do() {
        let form = json!({
            "groups": [{"title": "First", "fields": [".tier", ".backup"]}, {"title": "Then", "fields": [".size"]}],
            "fields": {".b": {"order": 1}, ".backup.keep": {"order": 1}},
        });
        let promise = PromiseSpec { form: serde_json::from_value(form).unwrap(), ..PromiseSpec::default() };
        let mut paths = [".a", ".b", ".backup.enabled", ".backup.keep", ".hosts[10]", ".hosts[2]", ".size", ".tier"]
            .map(|text| Path::parse(text).unwrap());
        paths.sort_by_key(|path| rank(&promise, path));
        let told = paths.map(|path| path.to_string());
        assert_eq!(told, [".tier", ".backup.keep", ".backup.enabled", ".size", ".b", ".a", ".hosts[2]", ".hosts[10]"]);
    }
}
