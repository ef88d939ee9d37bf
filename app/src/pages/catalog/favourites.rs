//! Stars that add promises to the favourites. One form serves all of a page, so that a long catalog stays small.

use leptos::prelude::*;

use crate::actions::{self, SetFavouritePromise};
use crate::backend::Visit;
use crate::texts::catalog as texts;
use crate::ui::{HiddenToken, Icon};
use crate::view::{OfferRow, PromiseKey};

/// Id of the form.
const FORM: &str = "favourites";

/// The favourites of the user, and what their form needs.
pub(super) struct Stars {
    kept: Vec<PromiseKey>,
    workspace: String,
    token: String,
    back: String,
}

impl Stars {
    pub(super) fn of(visit: &Visit, workspace: &str) -> Self {
        Self {
            kept: visit.favourite_promises.clone(),
            workspace: workspace.to_owned(),
            token: visit.backend.as_ref().map(|backend| backend.viewer().form_token).unwrap_or_default(),
            back: visit.address.clone(),
        }
    }

    /// The button of a promise. It can stand anywhere on the page.
    pub(super) fn button(&self, row: &OfferRow) -> impl IntoView + use<> {
        let key = PromiseKey { home: row.home.clone(), name: row.name.clone() };
        let is = self.kept.contains(&key);
        let label = if is { texts::remove_favourite(&row.display_name) } else { texts::add_favourite(&row.display_name) };
        let class = if is {
            "btn btn-ghost btn-sm btn-icon relative z-1 text-rule [&_path]:[fill:currentColor]"
        } else {
            "btn btn-ghost btn-sm btn-icon relative z-1"
        };
        view! { <button class=class form=FORM name=if is { "remove" } else { "add" } value=key.to_string() aria-label=label><Icon name="star"/></button> }
    }

    /// The form of all stars.
    pub(super) fn form(&self) -> impl IntoView + use<> {
        view! {
            <form id=FORM method="post" action={actions::path::<SetFavouritePromise>()}>
                <HiddenToken token=self.token.clone()/>
                <input type="hidden" name="workspace" value=self.workspace.clone()/>
                <input type="hidden" name="back" value=self.back.clone()/>
            </form>
        }
    }
}
