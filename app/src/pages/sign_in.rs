//! Sign in: on the embedded plane, a page of the sample people.

use leptos::prelude::*;

use crate::backend::Visit;
use crate::document::{About, Page, document};
use crate::frame::mark;
use crate::routes::post;
use crate::ui::{Banner, HiddenToken, Shape};

/// The page; `back` is where to go afterwards, `problem` why the last try failed.
pub fn page(visit: &Visit, back: &str, problem: Option<&str>) -> Page {
    let status = if problem.is_some() { 403 } else { 200 };
    let about = About { title: "Sign in".to_owned(), status, ..About::default() };
    let (visit_here, back, problem) = (visit.clone(), back.to_owned(), problem.map(str::to_owned));
    document(visit, about, move || {
        let people = visit_here.people.iter().map(|person| {
            let initials: String = person.display_name.split([' ', '-']).filter_map(|word| word.chars().next()).take(2).collect();
            view! {
                <li><button class="person" name="person" value=person.username.clone()>
                    <span class="avatar" aria-hidden="true">{initials.to_uppercase()}</span>
                    <span class="grow"><b>{person.username.clone()}</b><span class="subtle">{person.role.clone()}</span></span>
                </button></li>
            }
        });
        view! {
            <div class="lonely"><main id="main" class="stack">
                <div class="signin-head">{mark()}<h1>"Sign in to OPM Portal"</h1><p class="muted">"The front door to your platform"</p></div>
                {problem.map(|problem| view! { <Banner shape=Shape::Failed title="That did not work"><p>{problem}</p></Banner> })}
                <form class="card" method="post" action=post::SIGN_IN>
                    <HiddenToken token=visit_here.sign_in_token.clone()/>
                    <input type="hidden" name="back" value=back/>
                    <ul class="people">{people.collect_view()}</ul>
                </form>
                {visit_here.embedded.then(|| view! {
                    <Banner shape=Shape::Degraded title="Development plane"><p>"These are sample people on the embedded plane, without passwords. Workloads are simulated, and only this machine can see them."</p></Banner>
                })}
            </main></div>
        }
    })
}
