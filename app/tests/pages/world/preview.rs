//! What an author pasted into the preview.

use app::view::{Pick, PromisePreview};
use promise::Problem;
use promise::api::PromiseSpec;
use promise::form::{Draft, model};
use promise::policy::Effective;
use serde_json::json;

use super::World;

/// The preview in this world: nothing yet, a schema with values, or text that isn't one.
pub(super) fn of(world: &World) -> PromisePreview {
    if world.empty {
        return PromisePreview::default();
    }
    let document = "type: object\nproperties: {}\n".to_owned();
    if !world.fits {
        return PromisePreview { document, problem: Some("Secret has no schema.".to_owned()), ..PromisePreview::default() };
    }
    let schema = json!({"type": "object", "properties": {"size": {"type": "string"}, "replicas": {"type": "integer"}}});
    let spec = PromiseSpec { parameters: Some(schema.clone().into()), ..PromiseSpec::default() };
    let effective = Effective { schema: schema.into(), ..Effective::default() };
    let problem = Problem { path: ".parameters.replicas".to_owned(), message: "Enter replicas as a whole number.".to_owned() };
    PromisePreview {
        document,
        versions: ["v1", "v1beta1"]
            .map(|version| Pick { value: version.to_owned(), label: version.to_owned(), chosen: version == "v1" })
            .to_vec(),
        form: Some(model(&spec, &effective, &Draft::of(json!({"replicas": "two"})), &[problem])),
        refused: vec![".parameters: Add a type.".to_owned()],
        checked: true,
        values: "replicas: two\n".to_owned(),
        advice: vec!["Describe .size: the form shows the first sentence of its description below the label.".to_owned()],
        advice_total: 2,
        hints: "form:\n  fields:\n    .size:\n      help: ''\n".to_owned(),
        draft: "d1".to_owned(),
        ..PromisePreview::default()
    }
}
