//! Sign in: on the embedded plane a page of the sample people, elsewhere with a bearer token.

use leptos::prelude::*;

use crate::actions::{self, SignIn};
use crate::backend::{SignInProblem, Visit};
use crate::document::{About, Page, document};
use crate::form::{complaint, described};
use crate::frame::mark;
use crate::ui::{Banner, Code, HiddenToken, Shape, SubmitButton, Weight};

/// The page; `back` is where to go afterwards, `problem` why the last attempt failed.
pub fn page(visit: &Visit, back: &str, problem: Option<SignInProblem>) -> Page {
    let (status, why) = (problem.map_or(200, SignInProblem::status), problem.map(sentence));
    let retry_after = if let Some(SignInProblem::TooManyAttempts(seconds)) = problem { Some(seconds) } else { None };
    let about = About { title: "Sign in".to_owned(), status, retry_after, ..About::default() };
    let (visit_here, back) = (visit.clone(), back.to_owned());
    document(about, move || {
        let way = if visit_here.embedded { people(&visit_here, back, why).into_any() } else { token(&visit_here, back, why).into_any() };
        view! {
            <div class="lonely"><main id="main" class="stack">
                <div class="signin-head">{mark()}<h1>"Sign in to OPM Portal"</h1><p class="muted">"The front door to your platform"</p></div>
                {way}
            </main></div>
        }
    })
}

fn sentence(problem: SignInProblem) -> String {
    match problem {
        SignInProblem::UnknownPerson => "Choose one of the people below.".to_owned(),
        SignInProblem::Elsewhere => {
            "Sample people can sign in only on the machine that runs the portal, and not through a proxy.".to_owned()
        }
        SignInProblem::NotAToken => "Paste a bearer token: one word without spaces.".to_owned(),
        SignInProblem::TokenRefused => "The server doesn't accept this token. It might have expired.".to_owned(),
        SignInProblem::TooManyAttempts(1) => "There were too many sign-in attempts from your network. Try again in a second.".to_owned(),
        SignInProblem::TooManyAttempts(seconds) => {
            format!("There were too many sign-in attempts from your network. Try again in {seconds} seconds.")
        }
        SignInProblem::Unavailable => "You couldn't be signed in, because the server didn't respond. Try again in a moment.".to_owned(),
    }
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
        {problem.map(|problem| view! { <Banner shape=Shape::Failed title="Couldn't sign you in"><p>{problem}</p></Banner> })}
        <form class="card" method="post" action={actions::path::<SignIn>()}>
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
        <form class="card signin-form stack" method="post" action={actions::path::<SignIn>()}>
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
