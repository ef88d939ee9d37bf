//! Sign-in: on the embedded plane a list of the sample people, elsewhere a field for a bearer token.

use leptos::prelude::*;

use crate::actions::{self, SignIn};
use crate::backend::{SignInProblem, Visit};
use crate::document::{About, Page, document};
use crate::form::{complaint, described};
use crate::frame::mark;
use crate::texts::account as texts;
use crate::ui::{Avatar, Banner, Code, HiddenToken, Shape, SubmitButton, Weight};

/// The page; `back` is where to go afterwards, `problem` why the last attempt failed.
pub fn page(visit: &Visit, back: &str, problem: Option<SignInProblem>) -> Page {
    let (status, why) = (problem.map_or(200, SignInProblem::status), problem.map(sentence));
    let retry_after = if let Some(SignInProblem::TooManyAttempts(seconds)) = problem { Some(seconds) } else { None };
    let about = About { title: texts::SIGN_IN.to_owned(), status, retry_after, ..About::default() };
    let (visit_here, back) = (visit.clone(), back.to_owned());
    document(about, move || {
        let way = if visit_here.embedded { people(&visit_here, back, why).into_any() } else { token(&visit_here, back, why).into_any() };
        view! {
            <div class="lonely"><main id="main" class="stack gap-5">
                <div class="signin-head">{mark()}<h1>{texts::SIGN_IN_TO_PORTAL}</h1><p class="muted">{texts::TAGLINE}</p></div>
                {way}
            </main></div>
        }
    })
}

fn sentence(problem: SignInProblem) -> String {
    match problem {
        SignInProblem::UnknownPerson => texts::CHOOSE_A_PERSON.to_owned(),
        SignInProblem::Elsewhere => texts::ONLY_ON_THIS_MACHINE.to_owned(),
        SignInProblem::NotAToken => texts::PASTE_A_TOKEN.to_owned(),
        SignInProblem::TokenRefused => texts::TOKEN_NOT_ACCEPTED.to_owned(),
        SignInProblem::TooManyAttempts(seconds) => texts::too_many_attempts(seconds),
        SignInProblem::Unavailable => texts::SERVER_DID_NOT_RESPOND.to_owned(),
    }
}

/// The list of sample people on the embedded plane.
fn people(visit: &Visit, back: String, problem: Option<String>) -> impl IntoView + use<> {
    let people = visit.people.iter().enumerate().map(|(number, person)| {
        let line = if number > 0 { "border-t border-line-soft" } else { "" };
        view! {
            <li class=line><button class="person" name="person" value=person.username.clone()>
                <Avatar name=person.display_name.clone() username=person.username.clone()/>
                <span class="grow"><b>{person.display_name.clone()}</b>" "<span class="subtle">{person.username.clone()}</span><span class="basis block">{person.role.clone()}</span></span>
            </button></li>
        }
    });
    view! {
        {problem.map(|problem| view! { <Banner shape=Shape::Failed title=texts::COULD_NOT_SIGN_YOU_IN focus=true><p>{problem}</p></Banner> })}
        <form class="card" method="post" action={actions::path::<SignIn>()}>
            <HiddenToken token=visit.sign_in_token.clone()/>
            <input type="hidden" name="back" value=back/>
            <ul>{people.collect_view()}</ul>
        </form>
        <Banner shape=Shape::Degraded title=texts::DEMO><p>{texts::SAMPLE_PEOPLE}</p></Banner>
    }
}

/// A field for a bearer token, and how to get one.
fn token(visit: &Visit, back: String, problem: Option<String>) -> impl IntoView + use<> {
    let (id, hint, wrong) = ("token", "token-hint".to_owned(), "token-problem".to_owned());
    let described = described(&[Some(hint.clone()), problem.is_some().then(|| wrong.clone())]);
    let (invalid, marked) = (problem.is_some().then_some("true"), problem.is_some().then_some(""));
    view! {
        <form class="card stack gap-5 p-pad" method="post" action={actions::path::<SignIn>()}>
            <HiddenToken token=visit.sign_in_token.clone()/>
            <input type="hidden" name="back" value=back/>
            <div class="field mt-0" data-invalid=marked>
                <label for=id>{texts::BEARER_TOKEN}</label>
                <p class="hint" id=hint>{texts::token_hint(&visit.server)}</p>
                {problem.map(|problem| complaint(wrong, problem))}
                <div class="control"><input class="input" type="password" id=id name="token" required autocomplete="off" spellcheck="false" aria-describedby=described aria-invalid=invalid autofocus/></div>
            </div>
            <div><SubmitButton label=texts::SIGN_IN weight=Weight::Primary/></div>
        </form>
        <details class="why"><summary>{texts::WHERE_TO_GET_A_TOKEN}</summary>
            <div class="prose"><p>{texts::ASK_FOR_A_TOKEN}</p></div>
            <Code label=texts::TOKEN_COMMAND text="kubectl create token NAME --namespace NAMESPACE"/>
        </details>
    }
}
