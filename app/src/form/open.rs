//! The input for a file whose content becomes the text of an area.

use leptos::prelude::*;
use promise::form::FileText;

use crate::texts::forms as texts;

/// Opens a file. It needs scripting to read the file, as copying does; without it the style sheet hides the input.
pub fn open(into: &str, file: FileText, label: &str) -> impl IntoView + use<> {
    let encoding = (file == FileText::Base64).then_some("base64");
    view! { <p class="hint copy grow"><label>{texts::OPEN_FILE}<span class="vh">{texts::of_field(label)}</span>" "<input type="file" class="input w-m" data-into=into.to_owned() data-as=encoding/></label></p> }
}
