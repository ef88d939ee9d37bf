//! Rows in rows, and fields that are rendered on demand.

use serde_json::{Value, json};

use super::posted;
use crate::api::PromiseSpec;
use crate::form::{Control, Draft, Field, Form, More, is_search, model, parse};
use crate::policy::Effective;

/// The form of a schema between a browser and the portal.
pub(super) struct Page {
    pub(super) spec: PromiseSpec,
    pub(super) effective: Effective,
    pub(super) base: Value,
    pub(super) form: Form,
}

impl Page {
    pub(super) fn open(schema: &Value, base: Value) -> Self {
        let spec = PromiseSpec { parameters: Some(schema.clone().into()), ..PromiseSpec::default() };
        let effective = Effective { schema: schema.clone().into(), ..Effective::default() };
        let form = model(&spec, &effective, &Draft::of(base.clone()), &[]);
        Self { spec, effective, base, form }
    }

    /// Posts the form with some inputs changed, and returns the parameters.
    pub(super) fn post(&mut self, changes: &[(&str, &str)]) -> Value {
        let mut pairs = posted(&self.form);
        for (name, text) in changes {
            pairs.retain(|(known, _)| known != name);
            pairs.push(((*name).to_owned(), (*text).to_owned()));
        }
        let draft = parse(&pairs, &self.spec, &self.effective, &self.base).draft;
        assert!(draft.problems.is_empty(), "{:?}", draft.problems);
        self.form = model(&self.spec, &self.effective, &draft, &[]);
        draft.parameters
    }

    pub(super) fn press(&mut self, operation: &str) -> Value {
        self.post(&[("_op", operation)])
    }

    pub(super) fn shown(&self, path: &str) -> Option<&Field> {
        self.form.fields().into_iter().find(|field| field.path == path)
    }

    pub(super) fn field(&self, path: &str) -> &Field {
        self.shown(path).unwrap_or_else(|| panic!("{path} isn't rendered"))
    }

    pub(super) fn add(&mut self, path: &str) -> Value {
        let add = match &self.field(path).control {
            Control::Items { add, .. } | Control::List { add, .. } | Control::Map { add, .. } => add.clone(),
            other => panic!("{path} has no rows: {other:?}"),
        };
        self.press(&add)
    }

    fn more(&self, path: &str) -> &More {
        match &self.field(path).control {
            Control::Group { more, .. } => more,
            other => panic!("{path} is no group: {other:?}"),
        }
    }
}

fn many(count: usize) -> Value {
    (0..count).map(|number| (format!("field{number:03}"), json!({"type": "string"}))).collect::<serde_json::Map<_, _>>().into()
}

#[test]
fn rows_have_rows() {
    let port =
        json!({"type": "object", "properties": {"port": {"type": "integer"}, "hosts": {"type": "array", "items": {"type": "string"}}}});
    let container = json!({"type": "object", "properties": {
        "name": {"type": "string"},
        "ports": {"type": "array", "items": port},
        "limits": {"type": "object", "additionalProperties": {"type": "string"}},
    }});
    let schema = json!({"type": "object", "properties": {"containers": {"type": "array", "items": container}}});
    let mut page = Page::open(&schema, json!({}));
    page.add(".containers");
    page.add(".containers[0].ports");
    page.add(".containers[0].ports");
    page.add(".containers[0].ports[1].hosts");
    page.add(".containers");
    let value = page.post(&[
        ("/parameters/containers/0/name", "web"),
        ("/parameters/containers/0/ports/0/port", "80"),
        ("/parameters/containers/0/ports/1/port", "443"),
        ("/parameters/containers/0/ports/1/hosts/0", "example.org"),
        ("/parameters/containers/1/name", "sidecar"),
    ]);
    let web = json!({"name": "web", "ports": [{"port": 80}, {"port": 443, "hosts": ["example.org"]}]});
    assert_eq!(value, json!({"containers": [web, {"name": "sidecar"}]}));
    page.press("up:/parameters/containers/0/ports/1");
    let moved = page.press("remove:/parameters/containers/1");
    assert_eq!(moved, json!({"containers": [{"name": "web", "ports": [{"port": 443, "hosts": ["example.org"]}, {"port": 80}]}]}));
}

#[test]
fn lists_and_maps_are_rows_too() {
    let lists = json!({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}});
    let map = json!({"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}}});
    let schema = json!({"type": "object", "properties": {"matrix": lists, "labels": map}});
    let held = json!({"matrix": [[1, 2], [], [3]], "labels": {"a": {"x": "1"}, "b": {}}});
    let mut page = Page::open(&schema, held.clone());
    assert_eq!(page.press("check"), held);
    let ids = page.form.fields().iter().map(|field| field.id.clone()).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(ids.len(), page.form.fields().len());
    page.add(".matrix[1]");
    page.add(".labels.b");
    let changed = page.post(&[
        ("/parameters/matrix/1/0", "7"),
        ("/parameters/labels/~rows/1/~value/~rows/0/~key", "y"),
        ("/parameters/labels/~rows/1/~value/~rows/0/~value", "2"),
    ]);
    assert_eq!(changed, json!({"matrix": [[1, 2], [7], [3]], "labels": {"a": {"x": "1"}, "b": {"y": "2"}}}));
}

#[test]
fn large_objects_offer_their_fields_by_name() {
    let mut schema = json!({"type": "object", "properties": many(300), "required": ["field007"]});
    schema["properties"]["debug"] = json!({"type": "boolean", "default": true});
    let mut page = Page::open(&schema, json!({"field100": "set"}));
    let paths: Vec<&str> = page.form.fields().iter().map(|field| field.path.as_str()).collect();
    assert_eq!(paths, [".field007", ".field100"]);
    // Asking for a field changes nothing, whatever its default is.
    let asked = page.post(&[("/parameters/~more", "debug"), ("_op", "show:/parameters")]);
    assert_eq!(asked, json!({"field100": "set"}));
    assert!(matches!(page.field(".debug").control, Control::Tick { checked: true, .. }));
    assert_eq!(page.post(&[("/parameters/~more", "field042"), ("_op", "show:/parameters")]), json!({"field100": "set"}));
    let value = page.post(&[("/parameters/field042", "here"), ("/parameters/field100", "")]);
    assert_eq!(value, json!({"field042": "here"}));
    assert!(page.shown(".field100").is_some(), "a field doesn't go while somebody edits it");
}

#[test]
fn closed_objects_keep_what_they_have() {
    let part = |count| json!({"type": "object", "properties": many(count), "default": {}});
    let mut properties: serde_json::Map<String, Value> = (0..30).map(|number| (format!("part{number:02}"), part(12))).collect();
    properties.insert("last".to_owned(), json!({"type": "object", "properties": many(11), "x-kubernetes-preserve-unknown-fields": true}));
    let schema = json!({"type": "object", "properties": properties});
    let base = json!({"part20": {"field001": "kept", "unknown": 1}, "part01": {"field002": "a"}, "last": {"other": [1]}});
    let mut page = Page::open(&schema, base.clone());
    let drawn = page.form.fields().len();
    assert!(drawn < 200, "{drawn} fields of 371");
    assert_eq!(page.more(".part20").closed, Some((2, 12)));
    assert_eq!(page.press("check"), base);
    let show = page.more(".part20").show.clone();
    assert_eq!(page.press(&show), base);
    let changed = page.post(&[("/parameters/part20/field005", "new")]);
    assert_eq!(changed["part20"], json!({"field001": "kept", "field005": "new", "unknown": 1}));
    assert_eq!((&changed["part01"], &changed["last"]), (&base["part01"], &base["last"]));
}

#[test]
fn what_a_closed_object_lacks_stays_missing_when_it_is_opened() {
    let mut part = json!({"type": "object", "properties": many(11), "required": ["list"]});
    part["properties"]["list"] = json!({"type": "array", "items": {"type": "string"}});
    let each =
        |value: &Value| (0..30).map(|number| (format!("part{number:02}"), value.clone())).collect::<serde_json::Map<String, Value>>();
    let base = Value::from(each(&json!({"field002": "a"})));
    let mut page = Page::open(&json!({"type": "object", "properties": each(&part)}), base.clone());
    page.form = model(&page.spec, &page.effective, &Draft::of_stored(base.clone()), &[]);
    assert!(page.more(".part20").closed.is_some());
    let show = page.more(".part20").show.clone();
    assert_eq!(page.press(&show), base);
    assert_eq!(page.press("check"), base);
    let mut changed = base.clone();
    changed["part20"]["list"] = json!([]);
    assert_eq!(page.post(&[("/parameters/part20/list/~empty", "1")]), changed);
}

#[test]
fn fields_that_a_schema_does_not_name_are_yaml() {
    let schema = json!({"type": "object", "properties": {"config": {
        "type": "object",
        "properties": {"level": {"type": "string"}},
        "x-kubernetes-preserve-unknown-fields": true,
    }}});
    let mut page = Page::open(&schema, json!({"config": {"level": "info", "deep": {"a": [1]}}}));
    let value = page.post(&[("/parameters/config/level", "debug"), ("/parameters/config/~others", "deep: {a: [2]}\nmore: true\n")]);
    assert_eq!(value, json!({"config": {"level": "debug", "deep": {"a": [2]}, "more": true}}));
    let pairs = [("/parameters/config/level".to_owned(), "x".to_owned()), ("/parameters/config/~others".to_owned(), "level: y".to_owned())];
    let draft = parse(&pairs, &page.spec, &page.effective, &page.base).draft;
    assert_eq!(draft.problems.len(), 1, "a field can't have two values: {:?}", draft.problems);
}

#[test]
fn every_field_is_found_by_label_name_or_description() {
    let mut schema = json!({"type": "object", "properties": many(60), "required": ["field001"]});
    let claim = json!({"type": "object", "properties": {
        "className": {"type": "string", "description": "The kind of disk."},
        "size": {"type": "string"},
    }});
    schema["properties"]["storage"] = json!({"type": "object", "properties": {"volumeClaim": claim}});
    let mut page = Page::open(&schema, json!({}));
    let found = |page: &Page| -> Vec<String> { page.form.find.iter().flat_map(|find| &find.found).map(|one| one.label.clone()).collect() };
    assert_eq!(found(&page), Vec::<String>::new());
    for (text, labels) in [
        ("Class name", vec!["Class name"]),
        ("CLASSNAME", vec!["Class name"]),
        ("disk", vec!["Class name"]),
        ("storage size", vec!["Size"]),
        ("volume", vec!["Volume claim"]),
        ("nothing like it", vec![]),
    ] {
        let asked = page.post(&[("/parameters/~find", text), ("_op", "find:")]);
        assert_eq!(asked, json!({}));
        assert_eq!(found(&page), labels, "{text}");
    }
    page.post(&[("/parameters/~find", "field0"), ("_op", "find:")]);
    let find = page.form.find.clone().unwrap_or_else(|| panic!("no search"));
    assert_eq!((find.found.len(), find.total), (20, 60));
    assert_eq!(find.found.iter().filter(|one| one.show.is_none()).count(), 1, "one is rendered");
    page.post(&[("/parameters/~find", "size"), ("_op", "find:")]);
    let show = page.form.find.iter().flat_map(|find| &find.found).find_map(|one| one.show.clone());
    assert_eq!(show.as_deref(), Some("show:/parameters/storage/volumeClaim/size"));
    page.press(&show.unwrap_or_default());
    let value = page.post(&[("/parameters/storage/volumeClaim/size", "1Gi")]);
    assert_eq!(value, json!({"storage": {"volumeClaim": {"size": "1Gi"}}}));
}

#[test]
fn the_enter_key_searches_if_the_text_is_new() {
    let post = |find: &str, sought: &str| {
        [("/parameters/~find", find), ("/parameters/~sought", sought)].map(|(name, text)| (name.to_owned(), text.to_owned()))
    };
    assert!(is_search(&post("size", "")));
    assert!(is_search(&post("size", "disk")));
    assert!(!is_search(&post("size", "size")));
    assert!(!is_search(&post(" ", "size")));
    assert!(!is_search(&[]));
}

#[test]
fn a_form_uses_the_schema_that_policies_were_composed_with() {
    let spec = PromiseSpec { parameters: Some(json!({"type": "object", "properties": many(10)}).into()), ..PromiseSpec::default() };
    let labels = std::collections::BTreeMap::new();
    let target = crate::policy::Target {
        promise: "wide",
        spec: &spec,
        home: "root:home",
        home_cluster: "home",
        home_trusted: true,
        workspace: "root:acme",
        lineage: &[],
        labels: &labels,
    };
    let reading = crate::resolve::PromiseReading::of(&spec, true);
    let effective = crate::policy::compose_read(&target, &[], &reading);
    let used = [(); 2].map(|()| crate::resolve::parsed_schema(&spec, &effective));
    assert!(used.iter().all(|schema| std::ptr::eq(&raw const **schema, reading.schema())), "it is parsed once");
}
