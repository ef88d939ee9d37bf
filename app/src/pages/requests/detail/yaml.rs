//! The object as the plane holds it.

use leptos::prelude::*;
use promise::view::RequestPage;

use crate::ui::Code;

/// The part.
pub(super) fn part(page: &RequestPage) -> impl IntoView + use<> {
    let row = &page.row;
    let command = format!("kubectl get promiserequest {} -n {} -o yaml", row.name, row.namespace);
    view! {
        <section class="stack" aria-labelledby="yaml" data-live="yaml">
            <div><h2 id="yaml">"The object"</h2><p class="muted">"The same object that the form edits and kubectl shows."</p></div>
            <Code label="kubectl command" text=command copy=true/>
            <Code label="YAML" text=page.yaml.clone() copy=true/>
        </section>
    }
}
