//! People: their name with an avatar, and the username in the title.

use leptos::prelude::*;
use promise::identity::username_of;
use promise::people::initials;

use super::reading::Reading;

/// Number of colours of avatars; `style/shell.css` has them.
const HUES: u32 = 8;

/// A person by name, with an avatar.
#[component]
pub fn Person(#[prop(into)] username: String) -> impl IntoView {
    let name = person_name(&username);
    let title = username_of(&username).to_owned();
    view! { <span class="who" title=title><Avatar name=name.clone() username=username/>{name}</span> }
}

/// The initials of a person, on a colour of their own. They are beside the name, so screen readers skip them.
#[component]
pub fn Avatar(#[prop(into)] name: String, #[prop(into)] username: String) -> impl IntoView {
    view! { <span class="avatar" data-hue=hue(&username) aria-hidden="true">{initials(&name)}</span> }
}

/// Returns the name of a person for sentences.
pub fn person_name(username: &str) -> String {
    Reading::current().names.of(username).to_owned()
}

/// Returns the colour of a person: the same on every page and in every process (FNV-1a).
fn hue(username: &str) -> String {
    let hash = username.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash % HUES).to_string()
}

#[cfg(test)]
mod tests {
    use promise::people::PeopleNames;

    use super::*;

    fn shown(username: &'static str) -> String {
        let names = PeopleNames::new([("dev-shop".to_owned(), "Dana <Shaw>".to_owned())]);
        Owner::new_root(None).with(|| {
            provide_context(Reading { names, ..Reading::default() });
            view! { <Person username=username/> }.to_html()
        })
    }

    #[test]
    fn a_person_has_a_name_and_a_username() {
        let dana = shown("dev-shop");
        assert!(dana.contains("title=\"dev-shop\"") && dana.contains("Dana &lt;Shaw&gt;") && dana.contains(">DS<"), "{dana}");
        let robot = shown("system:serviceaccount:default:night-robot@a1");
        assert!(robot.contains("title=\"system:serviceaccount:default:night-robot\"") && robot.contains(">NR<"), "{robot}");
        assert_eq!(shown("amara"), shown("amara"));
    }
}
