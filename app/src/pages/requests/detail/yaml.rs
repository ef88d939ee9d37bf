//! The object as the control plane stores it.

use crate::view::RequestPage;
use leptos::prelude::*;

use crate::texts::request as texts;
use crate::ui::Code;

/// The part.
pub(super) fn part(page: &RequestPage) -> impl IntoView + use<> {
    let row = &page.row;
    let command = format!("kubectl get promiserequest {} -n {} -o yaml", row.name, row.namespace);
    view! {
        <section class="stack" aria-labelledby="yaml" data-live="yaml">
            <div><h2 id="yaml">{texts::MANIFEST}</h2><p class="muted">{texts::MANIFEST_HINT}</p></div>
            <Code label=texts::MANIFEST_YAML text=page.manifest.clone() copy=true/>
            <div><h2>{texts::KUBERNETES_OBJECT}</h2><p class="muted">{texts::SAME_OBJECT}</p></div>
            <Code label=texts::KUBECTL_COMMAND text=command copy=true/>
            <Code label=texts::YAML text=page.yaml.clone() copy=true/>
        </section>
    }
}
