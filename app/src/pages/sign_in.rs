//! Sign in: on the embedded plane a page of the sample people, elsewhere with a bearer token.

use leptos::prelude::*;

use crate::backend::Visit;
use crate::document::{About, Page, document};
use crate::form::{complaint, described};
use crate::frame::mark;
use crate::routes::post;
use crate::ui::{Banner, Code, HiddenToken, Shape, SubmitButton, Weight};

/// The page; `back` is where to go afterwards, `problem` why the last try failed: the status of the answer, and a sentence.
pub fn page(visit: &Visit, back: &str, problem: Option<(u16, &str)>) -> Page {
    let (status, problem) = problem.map_or((200, None), |(status, problem)| (status, Some(problem)));
    let about = About { title: "Sign in".to_owned(), status, ..About::default() };
    let (visit_here, back, problem) = (visit.clone(), back.to_owned(), problem.map(str::to_owned));
    document(visit, about, move || {
        let way =
            if visit_here.embedded { people(&visit_here, back, problem).into_any() } else { token(&visit_here, back, problem).into_any() };
        view! {
            <div class="lonely"><main id="main" class="stack">
                <div class="signin-head">{mark()}<h1>"Sign in to OPM Portal"</h1><p class="muted">"The front door to your platform"</p></div>
                {way}
            </main></div>
        }
    })
}

/// Everybody on the embedded plane, to choose from.
fn people(visit: &Visit, back: String, problem: Option<String>) -> impl IntoView + use<> {
    let people = visit.people.iter().map(|person| {
        let initials: String = person.display_name.split([' ', '-']).filter_map(|word| word.chars().next()).take(2).collect();
        view! {
            <li><button class="person" name="person" value=person.username.clone()>
                <span class="avatar" aria-hidden="true">{initials.to_uppercase()}</span>
                <span class="grow"><b>{person.username.clone()}</b><span class="subtle">{person.role.clone()}</span></span>
            </button></li>
        }
    });
    view! {
        {problem.map(|problem| view! { <Banner shape=Shape::Failed title="That did not work"><p>{problem}</p></Banner> })}
        <form class="card" method="post" action=post::SIGN_IN>
            <HiddenToken token=visit.sign_in_token.clone()/>
            <input type="hidden" name="back" value=back/>
            <ul class="people">{people.collect_view()}</ul>
        </form>
        <Banner shape=Shape::Degraded title="Development plane"><p>"These are sample people on the embedded plane, without passwords. Workloads are simulated, and only this machine can see them."</p></Banner>
    }
}

/// A field for a bearer token, and how to get one.
fn token(visit: &Visit, back: String, problem: Option<String>) -> impl IntoView + use<> {
    let (id, hint, wrong) = ("token", "token-hint".to_owned(), "token-problem".to_owned());
    let described = described(&[Some(hint.clone()), problem.is_some().then(|| wrong.clone())]);
    let (invalid, marked) = (problem.is_some().then_some("true"), problem.is_some().then_some(""));
    view! {
        <form class="card signin-form stack" method="post" action=post::SIGN_IN>
            <HiddenToken token=visit.sign_in_token.clone()/>
            <input type="hidden" name="back" value=back/>
            <div class="field" data-invalid=marked>
                <label for=id>"Bearer token"</label>
                <p class="hint" id=hint>{format!("One that {} accepts. The portal does everything with it, as you; it is kept sealed until you sign out or it ends.", visit.server)}</p>
                {problem.map(|problem| complaint(wrong, problem))}
                <div class="control"><input class="input" type="password" id=id name="token" required autocomplete="off" spellcheck="false" aria-describedby=described aria-invalid=invalid autofocus/></div>
            </div>
            <div><SubmitButton label="Sign in" weight=Weight::Primary/></div>
        </form>
        <details class="why"><summary>"Where do I get a token?"</summary>
            <div class="prose"><p>"Your platform team hands them out. With kubectl, for a ServiceAccount that you may act as:"</p></div>
            <Code label="Command for a token" text="kubectl create token NAME --namespace NAMESPACE"/>
        </details>
    }
}
