//! The weight of the forms of real definitions.

use leptos::prelude::*;
use promise::api::PromiseSpec;
use promise::form::{Draft, model};
use promise::policy::Effective;
use promise::source::schemas;
use serde_json::json;
use testdata::corpus::documents;

use super::Fields;

/// Maximum size of an empty form, in bytes of HTML.
const LARGEST: usize = 150_000;

#[test]
fn forms_of_all_definitions_are_short_at_first_view() {
    let Some(documents) = documents() else { return };
    let (mut seen, mut largest) = (0, (0, String::new()));
    for (name, document) in &documents {
        for source in schemas(document).unwrap_or_default() {
            let spec = PromiseSpec { parameters: Some(source.schema.clone().into()), ..PromiseSpec::default() };
            let effective = Effective { schema: source.schema.into(), ..Effective::default() };
            let form = model(&spec, &effective, &Draft::of(json!({})), &[]);
            let html = Owner::new().with(|| view! { <Fields form=form focus=None workspace="root:acme".to_owned()/> }.to_html());
            seen += 1;
            largest = largest.max((html.len(), format!("{name} {}", source.version)));
        }
    }
    println!("{seen} forms; the largest has {} bytes at first view: {}", largest.0, largest.1);
    assert!(seen > 300, "only {seen} schemas were found");
    assert!(largest.0 <= LARGEST, "{largest:?}");
}
