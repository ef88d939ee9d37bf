//! Saved views of a list: links to filters that the user has named, and the forms that save, rename and delete them.

use crate::view::{MAX_VIEW_TITLE, SavedList, SavedViews, ViewLine};
use leptos::prelude::*;

use crate::actions::{self, DeleteView, RenameView, SaveView};
use crate::routes::{self, page};
use crate::texts::lists as texts;
use crate::ui::{HiddenToken, Icon};

/// The row above a list; nothing if there is no view and no filter to save.
pub(super) fn bar(views: &SavedViews, token: &str) -> impl IntoView + use<> {
    let links = views.views.iter().map(|view| {
        let current = (view.filter == views.filter).then_some("true");
        view! { <a href=address(views, &view.filter) aria-current=current>{view.title.clone()}</a> }
    });
    let links = (!views.views.is_empty())
        .then(|| view! { <nav class="chips" aria-label=texts::SAVED_VIEWS><span class="chip-label ms-0">{texts::VIEWS}</span>{links.collect_view()}</nav> });
    let form = match views.current() {
        Some(view) => Some(change(views, view, token).into_any()),
        None => (!views.filter.is_empty() && !views.unread).then(|| keep(views, token).into_any()),
    };
    let unread = views.unread.then(|| view! { <p class="basis">{texts::SAVED_VIEWS_UNREAD}</p> });
    let shown = links.is_some() || form.is_some() || unread.is_some();
    shown.then(|| view! { <div class="row mb-3">{links}{form}{unread}</div> })
}

/// The list with a filter.
fn address(views: &SavedViews, filter: &[(String, String)]) -> String {
    let path = match views.list {
        SavedList::Requests => routes::requests(&views.workspace),
        SavedList::Resources => routes::resources(&views.workspace),
        SavedList::Approvals => page::APPROVALS.to_owned(),
        SavedList::Policies => page::POLICIES.to_owned(),
        SavedList::Promises => page::PROMISES.to_owned(),
    };
    let pairs: Vec<(&str, &str)> = filter.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    routes::with_query(&path, &pairs)
}

fn keep(views: &SavedViews, token: &str) -> impl IntoView + use<> {
    let filter = views.filter.iter().map(|(name, value)| view! { <input type="hidden" name=name.clone() value=value.clone()/> });
    let (filter, back, token) = (filter.collect_view(), address(views, &views.filter), token.to_owned());
    let (list, place) = (views.list.word(), views.workspace.clone());
    view! {
        <details class="menu"><summary class="btn btn-sm">{texts::SAVE_THIS_VIEW}<Icon name="chevron-down"/></summary>
            <div class="pop view-form"><form method="post" action={actions::path::<SaveView>()}>
                <HiddenToken token=token/><input type="hidden" name="list" value=list/><input type="hidden" name="place" value=place/>
                {filter}<input type="hidden" name="back" value=back/>
                {title("")}<button class="btn btn-primary">{texts::SAVE_VIEW}</button>
                <p class="basis">{texts::SAVE_VIEW_HINT}</p>
            </form></div>
        </details>
    }
}

fn change(views: &SavedViews, view: &ViewLine, token: &str) -> impl IntoView + use<> {
    let (id, back, without) = (view.id.clone(), address(views, &views.filter), address(views, &[]));
    let token = token.to_owned();
    view! {
        <details class="menu"><summary class="btn btn-sm">{texts::EDIT_VIEW}<Icon name="chevron-down"/></summary>
            <div class="pop view-form">
                <form method="post" action={actions::path::<RenameView>()}><HiddenToken token=token.clone()/><input type="hidden" name="id" value=id.clone()/><input type="hidden" name="back" value=back/>{title(&view.title)}<button class="btn">{texts::RENAME_VIEW}</button></form>
                <form method="post" action={actions::path::<DeleteView>()}><HiddenToken token=token/><input type="hidden" name="id" value=id/><input type="hidden" name="back" value=without/><button class="item"><Icon name="trash-2"/>{texts::DELETE_VIEW}</button></form>
            </div>
        </details>
    }
}

fn title(value: &str) -> impl IntoView + use<> {
    view! { <div class="field"><label for="view-title">{texts::VIEW_NAME}</label><div class="control"><input class="input" id="view-title" name="title" value=value.to_owned() maxlength=MAX_VIEW_TITLE.to_string() required/></div></div> }
}
