//! What people can do or open by its name: pages of their own, the theme, and signing out.

use leptos::prelude::*;
use promise::Result;

use super::hit::{address, request_address};
use crate::actions::THEME;
use crate::backend::Visit;
use crate::frame::{SIGN_OUT_FORM, THEME_FORM};
use crate::routes::{self, page};
use crate::texts::{api, frame, search as texts};
use crate::ui::Icon;
use crate::view::{SearchHit, SearchKind, SearchQuery};

/// Maximum number of commands about what follows a verb.
const MOST: usize = 4;

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

/// What someone wants to do with something that is named after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Request,
    Open,
}

/// Returns the verb that the text begins with, and what comes after it. `None` without either.
fn verb(text: &str) -> Option<(Verb, &str)> {
    let (first, rest) = text.trim().split_once(char::is_whitespace)?;
    let verb = match first.to_lowercase().as_str() {
        "request" | "new" | "create" => Verb::Request,
        "open" | "go" => Verb::Open,
        _ => return None,
    };
    // As in “go to” and “open workspace”.
    let after = |rest: &'_ str, word: &str| -> Option<usize> {
        let (known, _) = rest.split_once(' ')?;
        known.eq_ignore_ascii_case(word).then_some(known.len())
    };
    let rest = ["to", "workspace"].iter().fold(rest.trim(), |rest, word| after(rest, word).map_or(rest, |length| rest[length..].trim()));
    (!rest.is_empty()).then_some((verb, rest))
}

/// Returns the commands for what was typed: those that match every word, after those about what follows a verb, such as “request redis”.
///
/// # Errors
/// If the search doesn't respond.
pub(super) async fn found(visit: &Visit, query: &SearchQuery) -> Result<Vec<Command>> {
    let mut commands = match verb(&query.q).filter(|_| query.kind.is_empty() && query.page <= 1) {
        Some((verb, rest)) => about(visit, query, verb, rest).await?,
        None => Vec::new(),
    };
    commands.extend(matching(visit, query));
    Ok(commands)
}

async fn about(visit: &Visit, query: &SearchQuery, verb: Verb, rest: &str) -> Result<Vec<Command>> {
    let kind = match verb {
        Verb::Request => SearchKind::Promise,
        Verb::Open => SearchKind::Workspace,
    };
    let named = SearchQuery { q: rest.to_owned(), kind: kind.word().to_owned(), ..query.clone() };
    let found = visit.backend()?.search(&named).await?;
    let command = |hit: &SearchHit| match verb {
        Verb::Request => Some(Command { label: texts::request(&hit.title), icon: "plus", does: Does::Open(request_address(&hit.target)?) }),
        Verb::Open => {
            let label = texts::open_workspace(hit.target.workspace());
            Some(Command { label, icon: "network", does: Does::Open(address(&hit.target)) })
        }
    };
    Ok(found.hits.iter().filter_map(command).take(MOST).collect())
}

/// Returns the commands that match every word; none where nothing was typed.
fn matching(visit: &Visit, query: &SearchQuery) -> Vec<Command> {
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
    use super::{Verb, matches, verb};

    #[test]
    fn a_verb_is_followed_by_what_it_is_about() {
        assert_eq!(verb("request redis"), Some((Verb::Request, "redis")));
        assert_eq!(verb("  New  message queue "), Some((Verb::Request, "message queue")));
        assert_eq!(verb("open workspace acme shop"), Some((Verb::Open, "acme shop")));
        assert_eq!(verb("go to shop"), Some((Verb::Open, "shop")));
        for text in ["request", "open ", "redis request", ""] {
            assert_eq!(verb(text), None, "{text}");
        }
    }

    #[test]
    fn every_word_begins_one_of_the_label() {
        assert!(matches("Go to Notification settings", &["set", "not"]));
        assert!(matches("Use the dark theme", &["dark"]));
        assert!(!matches("Use the dark theme", &["dark", "light"]));
        assert!(!matches("Go to Approvals", &["provals"]));
    }
}
