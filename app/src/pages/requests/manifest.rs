//! The form of a request as YAML: one text area with the manifest, and where its problems are.

use leptos::prelude::*;

use crate::form::area;
use crate::texts::forms as texts;
use crate::ui::{Banner, Code, CopyButton, Shape};
use crate::view::{RequestForm, YamlLine, YamlView};

/// Id of the text area.
pub(super) const TEXT: &str = "manifest";
/// Fewest lines that the text area shows.
const LEAST: usize = 16;
/// How many lines can be added before the text area scrolls.
const ROOM: usize = 4;
/// Most lines that are numbered. A longer text scrolls.
const NUMBERED: usize = 400;
/// A reference to a secret, as an example.
const REFERENCE: &str = "{name: my-secret, key: password}";

/// The buttons that show the fields or the manifest. What was entered goes along.
pub(super) fn switch(is_yaml: bool) -> impl IntoView {
    let side = |label: &'static str, operation: &'static str, here: bool| {
        view! { <button class="preset" name="_op" value=operation aria-pressed=here.to_string()>{label}</button> }
    };
    view! { <p class="row mb-3">{side(texts::AS_FORM, "form", !is_yaml)}{side(texts::AS_YAML, "yaml", is_yaml)}</p> }
}

/// The manifest, what isn't submitted of it, and other ways to submit it.
pub(super) fn text(form: &RequestForm, yaml: &YamlView, wrong: bool, workspace: &str) -> impl IntoView + use<> {
    let lines = yaml.text.lines().count();
    let rows = if lines > NUMBERED { NUMBERED / 10 } else { (lines + ROOM).max(LEAST) };
    let secrets = (!yaml.secrets.is_empty())
        .then(|| view! { <p class="hint" id="manifest-secrets">{texts::secrets_in_yaml(&yaml.secrets)}<code>{REFERENCE}</code>"."</p> });
    let described = ["manifest-hint", if yaml.secrets.is_empty() { "" } else { "manifest-secrets" }, if wrong { "summary" } else { "" }];
    let described = described.into_iter().filter(|id| !id.is_empty()).collect::<Vec<_>>().join(" ");
    let invalid = wrong.then_some("true");
    let focus = !wrong && form.focus.as_deref() == Some(TEXT);
    let wrong_lines: Vec<usize> = yaml.problems.iter().filter(|_| wrong).filter_map(|line| Some(line.at?.0)).collect();
    let numbers = (lines <= NUMBERED).then(|| numbers(lines, &wrong_lines));
    let removed = (!yaml.removed.is_empty()).then(|| {
        let text = texts::enter_in_last_step(&yaml.removed);
        view! { <div role="status"><Banner shape=Shape::Degraded title=texts::SECRET_REMOVED><p>{text}</p></Banner></div> }
    });
    let unsent = (!yaml.unsent.is_empty()).then(|| {
        let lines = places(&yaml.unsent);
        view! { <div class="mt-4"><Banner shape=Shape::Unknown title=texts::NOT_SUBMITTED><p>{texts::NOT_SUBMITTED_TEXT}</p><ul class="prose">{lines}</ul></Banner></div> }
    });
    let file = format!("{}.yaml", if form.name.is_empty() { "request" } else { &form.name });
    let commands = format!("opm preflight -f {file} --workspace {workspace}\nkubectl apply -f {file}");
    let link = yaml.link.clone().map(
        |link| view! { <p class="small"><a id="with-values" href=link>{texts::LINK_WITH_VALUES}</a><CopyButton of="with-values" what=texts::LINK_WITH_VALUES/></p> },
    );
    view! {
        {removed}
        <div class="field" data-invalid=wrong.then_some("")>
            <label for=TEXT>{texts::REQUEST_AS_YAML}</label>
            <p class="hint" id="manifest-hint">{texts::MANIFEST_HINT}</p>
            {secrets}
            // Reading a file needs scripting, as copying does.
            <p class="hint copy"><label>{texts::OPEN_FILE}" "<input type="file" class="input w-m" accept=".yaml,.yml,.json" data-into=TEXT/></label></p>
            <div class="code flex gap-3 mt-1">
                {numbers}
                <textarea class="input mono min-w-0" id=TEXT name="_manifest" rows=rows.to_string() spellcheck="false" autocapitalize="off" wrap="off" aria-describedby=described aria-invalid=invalid autofocus=focus>{area(&yaml.text)}</textarea>
                <CopyButton of=TEXT what=texts::REQUEST_AS_YAML/>
            </div>
        </div>
        {unsent}
        <div class="field"><p class="hint mb-2">{texts::save_as(&file)}</p><Code label=texts::COMMANDS text=commands copy=true/></div>
        {link}
    }
}

/// The numbers of the lines beside the text area; those with a problem are bold.
fn numbers(lines: usize, wrong: &[usize]) -> impl IntoView + use<> {
    let numbers = (1..=lines).map(|number| {
        let is_wrong = wrong.contains(&number);
        let number = if is_wrong { view! { <b>{number}</b> }.into_any() } else { number.into_any() };
        view! { {number}"\n" }
    });
    view! { <pre class="subtle text-end mt-1 py-0.5" aria-hidden="true">{numbers.collect_view()}</pre> }
}

/// Every problem with its place; takes the focus when the page opens.
pub(super) fn problems(yaml: &YamlView, focus: bool) -> impl IntoView + use<> {
    view! {
        <div class="banner summary" data-st="failed" role="alert" aria-labelledby="summary-title" tabindex="-1" id="summary" autofocus=focus>
            {Shape::Failed.svg()}<div><h2 id="summary-title">{texts::THERE_IS_A_PROBLEM}</h2><ul>{places(&yaml.problems)}</ul></div>
        </div>
    }
}

fn places(lines: &[YamlLine]) -> impl IntoView + use<> {
    let lines = lines.iter().map(|line| {
        let place = line.at.map(|(line, column)| view! { <a href=format!("#{TEXT}")>{texts::line_and_column(line, column)}</a>": " });
        let path = (!line.path.is_empty()).then(|| view! { <code>{line.path.trim_start_matches('.').to_owned()}</code>" " });
        view! { <li>{place}{path}{line.message.clone()}</li> }
    });
    lines.collect_view()
}
