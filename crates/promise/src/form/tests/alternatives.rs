//! Choices between alternatives of an object: what is shown, kept and sent.

use serde_json::{Value, json};

use super::demand::Page;
use super::posted;
use crate::api::PromiseSpec;
use crate::context::Context;
use crate::form::{Choice, ChoiceStyle, Control, Draft, FieldType, Form, Operation, OperationKind, model, parse, reference};
use crate::policy::Effective;
use crate::resolve::resolve;

const CHOICE: &str = "/parameters/source/~choice";
const URL: &str = "/parameters/source/git/url";

fn source() -> Value {
    json!({
        "type": "object",
        "properties": {
            "git": {"type": "object", "required": ["url"], "properties": {"url": {"type": "string"}, "depth": {"type": "integer", "default": 1}}},
            "image": {"type": "string"},
            "interval": {"type": "string"},
        },
        "oneOf": [{"required": ["git"]}, {"required": ["image"]}],
    })
}

fn schema() -> Value {
    json!({"type": "object", "required": ["source"], "properties": {"source": source()}})
}

fn variants() -> Value {
    json!({"type": "object", "required": ["source"], "properties": {"source": {
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"type": "string", "default": "git"}, "url": {"type": "string"}, "image": {"type": "string"}, "note": {"type": "string"}},
        "x-variants": [
            {"title": "Git repository", "properties": ["url"], "required": ["url"], "fixed": {"type": "git"}},
            {"title": "OCI image", "properties": ["image"], "required": ["image"], "fixed": {"type": "oci"}},
        ],
    }}})
}

fn options<'f>(form: &'f Form, name: &str) -> (ChoiceStyle, &'f [Choice]) {
    let field = form.fields().into_iter().find(|field| field.name == name).unwrap_or_else(|| panic!("{name} isn't rendered"));
    match &field.control {
        Control::Choice { style, options, .. } => (*style, options),
        other => panic!("{other:?}"),
    }
}

fn chosen<'f>(form: &'f Form, name: &str) -> Option<&'f str> {
    options(form, name).1.iter().find(|option| option.chosen).map(|option| option.label.as_str())
}

fn rendered(form: &Form) -> Vec<&str> {
    form.fields().into_iter().map(|field| field.name.trim_start_matches("/parameters/source").trim_start_matches('/')).skip(1).collect()
}

/// The form with the problems that a check finds.
fn checked(schema: &Value, draft: &Draft) -> Form {
    let spec = PromiseSpec { parameters: Some(schema.clone().into()), ..PromiseSpec::default() };
    let effective = Effective { schema: schema.clone().into(), ..Effective::default() };
    let problems = resolve(&spec, &draft.parameters, None, &effective, &Context::default()).problems;
    model(&spec, &effective, draft, &problems)
}

#[test]
fn only_the_chosen_alternative_is_shown_and_sent() {
    let mut page = Page::open(&schema(), json!({}));
    assert_eq!(chosen(&page.form, CHOICE), None);
    assert_eq!(rendered(&page.form), ["~choice", "interval"]);
    page.post(&[(CHOICE, "git"), ("_op", "choose:/parameters/source")]);
    assert_eq!(rendered(&page.form), ["~choice", "git", "git/url", "git/depth", "interval"]);
    let git = page.post(&[(URL, "https://example.org"), ("/parameters/source/interval", "5m")]);
    assert_eq!(git, json!({"source": {"git": {"url": "https://example.org"}, "interval": "5m"}}));
    let image = page.post(&[(CHOICE, "image")]);
    assert_eq!(image, json!({"source": {"interval": "5m"}}), "what isn't chosen isn't sent");
    assert_eq!(rendered(&page.form), ["~choice", "image", "interval"]);
    assert_eq!(page.post(&[("/parameters/source/image", "web")]), json!({"source": {"image": "web", "interval": "5m"}}));
    assert_eq!(page.post(&[(CHOICE, "git")]), git, "what was typed is still there");
    assert_eq!(page.post(&[(CHOICE, "image")])["source"]["image"], "web");
}

#[test]
fn values_without_a_field_are_kept_with_their_alternative() {
    let base = json!({"source": {"git": {"url": "u", "depth": 1, "unknown": {"a": [1]}}}});
    let mut page = Page::open(&schema(), base.clone());
    assert_eq!(chosen(&page.form, CHOICE), Some("Git"));
    assert_eq!(page.post(&[]), base);
    page.base = page.post(&[(CHOICE, "image")]);
    assert_eq!(page.base, json!({"source": {}}));
    page.base = page.post(&[]);
    assert_eq!(page.post(&[(CHOICE, "git")]), base);
}

#[test]
fn a_posted_choice_is_not_guessed_again() {
    let mut page = Page::open(&schema(), json!({"source": {"git": {"url": "u"}}}));
    page.base = page.post(&[(CHOICE, "image")]);
    page.base = page.post(&[]);
    assert_eq!(chosen(&page.form, CHOICE), Some("Image"));
    let both = json!({"source": {"git": {"url": "u"}, "image": "web"}});
    let mut page = Page::open(&schema(), both.clone());
    assert_eq!(chosen(&page.form, CHOICE), None);
    assert_eq!(page.post(&[]), both);
    assert_eq!(rendered(&page.form), ["~choice", "git", "git/url", "git/depth", "image", "interval"], "what is set is shown");
    let emptied = page.post(&[("/parameters/source/image", "")]);
    assert_eq!((chosen(&page.form, CHOICE), emptied), (None, json!({"source": {"git": {"url": "u"}}})));
    assert_eq!(page.post(&[(CHOICE, "image"), ("/parameters/source/image", "x")]), json!({"source": {"image": "x"}}));
}

#[test]
fn problems_stand_at_the_choice_until_one_is_chosen() {
    let form = checked(&schema(), &Draft::of(json!({"source": {}})));
    let summary = |form: &Form| form.summary.iter().map(|one| (one.target.clone(), one.message.clone())).collect::<Vec<_>>();
    let problem = "Choose exactly one of source: git or image.";
    assert_eq!(summary(&form), [("f-source-_7e_choice".to_owned(), problem.to_owned())]);
    assert_eq!(form.fields().iter().filter(|field| field.problem.is_some()).map(|field| &field.name).collect::<Vec<_>>(), [CHOICE]);
    let both = checked(&schema(), &Draft::of(json!({"source": {"git": {"url": "u"}, "image": "web"}})));
    assert_eq!(summary(&both), [("f-source-_7e_choice".to_owned(), "Keep only one of source: git or image.".to_owned())]);
    for (alternative, message, target) in
        [("image", "Enter a value for “Image”.", "f-source-image"), ("git", "Enter a value for “URL”.", "f-source-git-url")]
    {
        let mut page = Page::open(&schema(), json!({}));
        page.post(&[(CHOICE, alternative)]);
        let draft = parse(&posted(&page.form), &page.spec, &page.effective, &page.base).draft;
        assert_eq!(summary(&checked(&schema(), &draft)), [(target.to_owned(), message.to_owned())]);
    }
}

#[test]
fn an_optional_choice_offers_none() {
    let mut schema = schema();
    let alternatives = json!([{"required": ["git"]}, {"required": ["image"]}]);
    schema["properties"]["source"]["oneOf"] = json!([alternatives[0], alternatives[1], {"not": {"anyOf": alternatives}}]);
    let mut page = Page::open(&schema, json!({"source": {"image": "web"}}));
    let labels: Vec<&str> = options(&page.form, CHOICE).1.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(labels, ["None", "Git", "Image"]);
    assert_eq!(page.post(&[(CHOICE, "~none")]), json!({"source": {}}));
    assert_eq!(rendered(&page.form), ["~choice", "interval"]);
    assert_eq!(chosen(&Page::open(&schema, json!({})).form, CHOICE), Some("None"));
    assert_eq!(page.post(&[(CHOICE, "image")]), json!({"source": {"image": "web"}}));
}

#[test]
fn many_alternatives_are_a_select() {
    let providers: serde_json::Map<String, Value> =
        (0..9).map(|index| (format!("p{index}"), json!({"type": "object", "properties": {"name": {"type": "string"}}}))).collect();
    let schema = json!({"type": "object", "required": ["source"], "properties": {"source": {
        "type": "object", "properties": providers, "minProperties": 1, "maxProperties": 1}}});
    let mut page = Page::open(&schema, json!({}));
    let (style, all) = options(&page.form, CHOICE);
    assert_eq!((style, all.len(), chosen(&page.form, CHOICE)), (ChoiceStyle::Select, 10, Some("Not chosen")));
    page.post(&[(CHOICE, "p4")]);
    assert_eq!(page.post(&[("/parameters/source/p4/name", "x")]), json!({"source": {"p4": {"name": "x"}}}));
    let form = checked(&schema, &Draft::of(json!({"source": {}})));
    assert_eq!(form.summary[0].message, "Choose exactly one of source.");
}

#[test]
fn choosing_a_variant_sets_its_fixed_values() {
    let mut page = Page::open(&variants(), json!({}));
    assert_eq!(chosen(&page.form, CHOICE), Some("Git repository"), "its default is in effect");
    assert_eq!(rendered(&page.form), ["~choice", "url", "note"]);
    assert_eq!(page.post(&[("/parameters/source/url", "u")]), json!({"source": {"url": "u"}}));
    assert_eq!(page.post(&[(CHOICE, "OCI image")]), json!({"source": {"type": "oci"}}));
    let form = checked(&variants(), &parse(&posted(&page.form), &page.spec, &page.effective, &page.base).draft);
    assert_eq!(form.summary.iter().map(|one| one.message.as_str()).collect::<Vec<_>>(), ["Enter a value for “Image”."]);
    assert_eq!(page.post(&[("/parameters/source/image", "i")]), json!({"source": {"type": "oci", "image": "i"}}));
    for base in [
        json!({"source": {"type": "git", "url": "u", "note": "n"}}),
        json!({"source": {"type": "git", "url": "u", "image": "i"}}),
        json!({"source": {"type": "svn", "url": "u"}}),
        json!({"source": {"url": "u"}}),
        json!({"source": {}}),
    ] {
        assert_eq!(Page::open(&variants(), base.clone()).post(&[]), base);
    }
    let unknown = checked(&variants(), &Draft::of(json!({"source": {"type": "svn"}})));
    assert_eq!(unknown.summary[0].message, "Choose exactly one of source: Git repository or OCI image.");
    assert_eq!(unknown.summary[0].target, "f-source-_7e_choice");
}

#[test]
fn the_parameters_themselves_and_rows_have_alternatives() {
    let rows = json!({"type": "object", "properties": {"sources": {"type": "array", "items": source()}}});
    let mut page = Page::open(&rows, json!({"sources": [{"image": "a"}, {"git": {"url": "u"}}]}));
    let names = ["/parameters/sources/0/~choice", "/parameters/sources/1/~choice"];
    assert_eq!(names.map(|name| chosen(&page.form, name)), [Some("Image"), Some("Git")]);
    page.post(&[(names[0], "git")]);
    let moved = page.press("up:/parameters/sources/1");
    assert_eq!(moved, json!({"sources": [{"git": {"url": "u"}}, {"git": {}}]}));
    assert_eq!(page.post(&[(names[1], "image")]), json!({"sources": [{"git": {"url": "u"}}, {"image": "a"}]}));

    let mut root = source();
    root["type"] = json!("object");
    let mut spec = PromiseSpec { parameters: Some(root.clone().into()), ..PromiseSpec::default() };
    let effective = Effective { schema: root.clone().into(), ..Effective::default() };
    let name = "/parameters/~choice";
    let parse_with = |spec: &PromiseSpec, form: &Form, chosen: &str| {
        let pairs: Vec<(String, String)> = posted(form).into_iter().filter(|(known, _)| known != name).collect();
        parse(&[pairs, vec![(name.to_owned(), chosen.to_owned())]].concat(), spec, &effective, &json!({})).draft
    };
    let form = model(&spec, &effective, &Draft::of(json!({"image": "a"})), &[]);
    assert_eq!(chosen(&form, name), Some("Image"));
    assert_eq!(parse_with(&spec, &form, "git").parameters, json!({}));
    // Fields that stand in groups of the promise have their choice before them.
    spec.form = serde_json::from_value(json!({"groups": [
        {"title": "Timing", "fields": [".interval"]},
        {"title": "Source", "fields": [".image", ".git"]},
    ]}))
    .unwrap();
    let form = model(&spec, &effective, &Draft::of(json!({"image": "a"})), &[]);
    let sections: Vec<Vec<&str>> =
        form.sections.iter().map(|section| section.fields.iter().map(|field| field.name.as_str()).collect()).collect();
    assert_eq!(sections, [vec!["/parameters/interval"], vec![name, "/parameters/image"]]);
    let form = model(&spec, &effective, &parse_with(&spec, &form, "git"), &[]);
    assert_eq!(form.sections[1].fields.iter().map(|field| field.path.as_str()).collect::<Vec<_>>(), ["", ".git"]);
}

#[test]
fn a_default_of_the_object_does_not_bring_back_what_is_not_chosen() {
    let mut schema = schema();
    schema["properties"]["source"]["default"] = json!({"git": {"url": "u"}, "interval": "5m"});
    let mut page = Page::open(&schema, json!({}));
    assert_eq!(chosen(&page.form, CHOICE), Some("Git"));
    assert_eq!(page.post(&[]), json!({}));
    page.post(&[(CHOICE, "image")]);
    assert_eq!(page.post(&[("/parameters/source/image", "i")]), json!({"source": {"image": "i", "interval": "5m"}}));
}

#[test]
fn presets_and_the_search_choose() {
    let mut page = Page::open(&schema(), json!({}));
    page.spec.form = serde_json::from_value(json!({"presets": [{"name": "git", "values": {"source": {"git": {"url": "u"}}}}]})).unwrap();
    page.post(&[(CHOICE, "image")]);
    page.post(&[("/parameters/source/image", "i")]);
    assert_eq!(page.press("preset:git"), json!({"source": {"git": {"url": "u"}}}));
    assert_eq!(chosen(&page.form, CHOICE), Some("Git"));
    page.press("show:/parameters/source/image");
    assert_eq!(chosen(&page.form, CHOICE), Some("Image"));
    let pressed = parse(
        &[("_op".to_owned(), Operation::value(OperationKind::Choose, "/parameters/source"))],
        &page.spec,
        &page.effective,
        &json!({}),
    );
    assert_eq!(pressed.focus.as_deref(), Some("f-source-_7e_choice"));
}

#[test]
fn the_reference_and_hints_name_the_alternatives() {
    let mut schema = schema();
    let allowed = |schema: &Value| {
        let spec = PromiseSpec { parameters: Some(schema.clone().into()), ..PromiseSpec::default() };
        let effective = Effective { schema: schema.clone().into(), ..Effective::default() };
        let fields = reference(&spec, &effective, 50).fields;
        assert_eq!(fields[0].r#type, FieldType::Group);
        (fields[0].allowed.clone(), model(&spec, &effective, &Draft::default(), &[]).fields()[0].constraint.clone())
    };
    assert_eq!(allowed(&schema), (Some("Exactly one of: Git, Image".to_owned()), None));
    let root = PromiseSpec { parameters: Some(source().into()), ..PromiseSpec::default() };
    let fields = reference(&root, &Effective::default(), 50).fields;
    let lines: Vec<(&str, Option<&str>)> = fields.iter().map(|field| (field.label.as_str(), field.allowed.as_deref())).collect();
    assert_eq!(lines, [("Git", Some("Exactly one of: Git, Image")), ("Image", Some("Exactly one of: Git, Image")), ("Interval", None)]);
    let any = schema["properties"]["source"]["oneOf"].take();
    schema["properties"]["source"]["anyOf"] = any;
    if let Some(source) = schema["properties"]["source"].as_object_mut() {
        source.remove("oneOf");
    }
    let sentence = Some("At least one of: Git, Image".to_owned());
    assert_eq!(allowed(&schema), (sentence.clone(), sentence));
    assert_eq!(Page::open(&schema, json!({"source": {}})).form.fields().len(), 4, "all of them are shown");
}

#[test]
fn titles_of_an_enum_are_the_labels_of_its_options() {
    let schema = json!({"type": "object", "properties": {"size": {
        "type": "string", "enum": ["s", "l"], "x-enum-titles": {"s": "Small", "l": " "}}}});
    let page = Page::open(&schema, json!({}));
    let labels: Vec<&str> = options(&page.form, "/parameters/size").1.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(labels, ["Not set", "Small", "l"]);
    let path = crate::path::Path::default().child("size");
    assert_eq!(crate::shape::value_of(&page.spec, &path, &json!("s")), "Small");
}

#[test]
fn an_unchanged_form_returns_every_combination_of_values() {
    let fields = json!({"git": {"url": "u"}, "image": "i", "interval": "5m", "other": 1});
    let (git, image) = (json!({"required": ["git"]}), json!({"required": ["image"]}));
    let none = json!({"not": {"anyOf": [git, image]}});
    for constraint in [
        json!({"oneOf": [git, image]}),
        json!({"oneOf": [git, image, none]}),
        json!({"anyOf": [git, image]}),
        json!({"oneOf": null, "minProperties": 1, "maxProperties": 1}),
        json!({"oneOf": null, "x-variants": [{"title": "A", "properties": ["git"]}, {"title": "B", "properties": ["image"], "required": ["image"]}]}),
        json!({"oneOf": null, "x-variants": [{"properties": ["git"], "fixed": {"interval": "5m"}}, {"properties": ["image"], "fixed": {"interval": "1m"}}]}),
    ] {
        let mut node = source();
        node.as_object_mut().unwrap().remove("oneOf");
        constraint.as_object().unwrap().iter().filter(|(_, value)| !value.is_null()).for_each(|(key, value)| node[key] = value.clone());
        for is_required in [true, false] {
            let required = if is_required { json!(["source"]) } else { json!([]) };
            let schema = json!({"type": "object", "required": required, "properties": {"source": node}});
            for set in 0..16_u32 {
                let held = fields.as_object().unwrap().iter().enumerate().filter(|(index, _)| set & (1 << index) != 0);
                let held: serde_json::Map<String, Value> = held.map(|(_, (key, value))| (key.clone(), value.clone())).collect();
                let base = json!({"source": held});
                let mut page = Page::open(&schema, base.clone());
                assert_eq!(page.post(&[]), base, "{constraint}");
                assert_eq!(page.post(&[]), base, "{constraint}, again");
            }
        }
    }
}
