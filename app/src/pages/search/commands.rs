//! What people can do or open by its name: pages of their own, the theme, and signing out.

use leptos::prelude::*;

use crate::actions::THEME;
use crate::backend::Visit;
use crate::frame::{SIGN_OUT_FORM, THEME_FORM};
use crate::routes::{self, page};
use crate::texts::{api, frame, search as texts};
use crate::ui::Icon;
use crate::view::SearchQuery;

/// A page to open, or a form of the account menu to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) label: String,
    icon: &'static str,
    does: Does,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Does {
    Open(String),
    /// Sets a theme.
    Theme(&'static str),
    SignOut,
}

impl Command {
    /// The link or button, with a role in a list of options.
    pub(super) fn control(&self, role: Option<&'static str>) -> AnyView {
        let (icon, label) = (self.icon, self.label.clone());
        match &self.does {
            Does::Open(address) => view! { <a class="item" role=role href=address.clone()><Icon name=icon/>{label}</a> }.into_any(),
            Does::Theme(theme) => {
                view! { <button class="item" role=role form=THEME_FORM name=THEME value=*theme><Icon name=icon/>{label}</button> }
                    .into_any()
            }
            Does::SignOut => view! { <button class="item" role=role form=SIGN_OUT_FORM><Icon name=icon/>{label}</button> }.into_any(),
        }
    }
}

/// Returns the commands that match every word; none where nothing was typed.
pub(super) fn matching(visit: &Visit, query: &SearchQuery) -> Vec<Command> {
    let typed = query.q.to_lowercase();
    let words: Vec<&str> = typed.split_whitespace().collect();
    if words.is_empty() || !query.kind.is_empty() || query.page > 1 {
        return Vec::new();
    }
    all(visit, &query.workspace).into_iter().filter(|command| matches(&command.label, &words)).collect()
}

/// Checks whether each of the words begins one of the label's.
fn matches(label: &str, words: &[&str]) -> bool {
    let label = label.to_lowercase();
    words.iter().all(|word| label.split(|letter: char| !letter.is_alphanumeric()).any(|known| known.starts_with(word)))
}

fn all(visit: &Visit, workspace: &str) -> Vec<Command> {
    let open = |label: &str, icon: &'static str, address: String| Command { label: texts::go_to(label), icon, does: Does::Open(address) };
    let mut commands = vec![
        open(frame::HOME, "house", page::HOME.to_owned()),
        open(frame::APPROVALS, "stamp", page::APPROVALS.to_owned()),
        open(frame::COST, "chart-column", routes::cost(workspace)),
        open(frame::WORKSPACES, "network", page::WORKSPACES.to_owned()),
        open(texts::NOTIFICATIONS, "bell", page::NOTIFICATIONS.to_owned()),
        open(texts::NOTIFICATION_SETTINGS, "bell", page::NOTIFICATION_SETTINGS.to_owned()),
        open(texts::DELEGATE, "user", page::STAND_IN.to_owned()),
        open(texts::KEYBOARD, "zap", page::KEYBOARD.to_owned()),
        open(api::TITLE, "layers", page::API.to_owned()),
    ];
    if !workspace.is_empty() {
        commands.push(open(texts::WORKSPACE_OVERVIEW, "network", routes::workspace(workspace)));
        commands.push(open(frame::CATALOG, "layout-grid", routes::catalog(workspace)));
        commands.push(open(frame::REQUESTS, "git-pull-request-arrow", routes::requests(workspace)));
        commands.push(open(frame::RESOURCES, "layers", routes::resources(workspace)));
    }
    if visit.platform {
        commands.push(open(texts::OVERVIEW, "shield-check", page::PLATFORM.to_owned()));
        commands.push(open(texts::PROMISES, "box", page::PROMISES.to_owned()));
        commands.push(open(texts::POLICIES, "shield-check", page::POLICIES.to_owned()));
    }
    let theme = |label: &str, theme: &'static str| Command { label: label.to_owned(), icon: "eye", does: Does::Theme(theme) };
    commands.extend([theme(texts::LIGHT_THEME, "light"), theme(texts::DARK_THEME, "dark"), theme(texts::SYSTEM_THEME, "system")]);
    commands.push(Command { label: frame::SIGN_OUT.to_owned(), icon: "log-out", does: Does::SignOut });
    commands
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn every_word_begins_one_of_the_label() {
        assert!(matches("Go to Notification settings", &["set", "not"]));
        assert!(matches("Use the dark theme", &["dark"]));
        assert!(!matches("Use the dark theme", &["dark", "light"]));
        assert!(!matches("Go to Approvals", &["provals"]));
    }
}
