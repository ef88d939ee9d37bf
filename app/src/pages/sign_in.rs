//! Sign-in: a button for each identity provider, a list of the embedded plane's sample people, a field for a bearer token, as the portal
//! offers them.

use leptos::prelude::*;

use crate::actions::{self, SignIn};
use crate::backend::{SignInProblem, Visit};
use crate::document::{About, Page, document};
use crate::form::{complaint, described};
use crate::frame::mark;
use crate::routes;
use crate::texts::account as texts;
use crate::ui::{Avatar, Banner, Code, HiddenToken, LinkButton, Shape, SubmitButton, Weight};
use crate::view::SignInProvider;

/// The page; `back` is where to go afterwards, `problem` why the last attempt failed, `left` the identity provider of the session that just
/// ended.
pub fn page(visit: &Visit, back: &str, problem: Option<SignInProblem>, left: &str) -> Page {
    let (status, why) = (problem.map_or(200, SignInProblem::status), problem.map(sentence));
    let retry_after = if let Some(SignInProblem::TooManyAttempts(seconds)) = problem { Some(seconds) } else { None };
    let about = About { title: texts::SIGN_IN.to_owned(), status, retry_after, ..About::default() };
    let (visit_here, back) = (visit.clone(), back.to_owned());
    let left = visit.providers.iter().find(|provider| provider.name == left).cloned();
    document(about, move || {
        let (has_people, has_token) = (!visit_here.people.is_empty(), visit_here.takes_tokens);
        // The field for a token shows itself why the last attempt failed.
        let (on_top, at_token) = if has_token && problem.is_some_and(is_about_token) { (None, why) } else { (why, None) };
        let with = (!visit_here.providers.is_empty()).then(|| providers(&visit_here, &back));
        let apart = with.is_some() && (has_people || has_token);
        let ways = view! {
            {left.map(signed_out)}
            {on_top.map(|problem| view! { <Banner shape=Shape::Failed title=texts::COULD_NOT_SIGN_YOU_IN focus=true><p>{problem}</p></Banner> })}
            {with}
            {apart.then(|| view! { <p class="muted text-center">{texts::OR}</p> })}
            {has_people.then(|| people(&visit_here, back.clone()))}
            {has_token.then(|| token(&visit_here, back, at_token))}
        };
        view! {
            <div class="lonely"><main id="main" class="stack gap-4">
                <div class="signin-head">{mark()}<h1>{texts::SIGN_IN_TO_PORTAL}</h1><p class="muted">{texts::TAGLINE}</p></div>
                {ways}
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
        SignInProblem::NotOffered => texts::NOT_OFFERED.to_owned(),
        SignInProblem::NoAttempt => texts::SIGN_IN_EXPIRED.to_owned(),
        SignInProblem::ProviderDeclined => texts::PROVIDER_DECLINED.to_owned(),
        SignInProblem::ProviderUnavailable => texts::PROVIDER_UNAVAILABLE.to_owned(),
        SignInProblem::ProviderAnswer => texts::PROVIDER_NOT_VERIFIED.to_owned(),
        SignInProblem::ProviderClaim => texts::PROVIDER_SENDS_NO_NAME.to_owned(),
        SignInProblem::ProviderDidNotAsk => texts::PROVIDER_DID_NOT_ASK.to_owned(),
        SignInProblem::OtherPerson => texts::OTHER_PERSON.to_owned(),
        SignInProblem::NameRefused => texts::NAME_NOT_ACCEPTED.to_owned(),
        SignInProblem::AccountRefused => texts::ACCOUNT_NOT_ACCEPTED.to_owned(),
        SignInProblem::TooManyAttempts(seconds) => texts::too_many_attempts(seconds),
        SignInProblem::Unavailable => texts::SERVER_DID_NOT_RESPOND.to_owned(),
    }
}

/// Offers to sign out of the identity provider as well: the session there doesn't end with the portal's.
fn signed_out(provider: SignInProvider) -> impl IntoView {
    let (href, label) = (routes::sign_out_with(&provider.name), texts::sign_out_of(&provider.title));
    view! {
        <Banner shape=Shape::Ready title=texts::SIGNED_OUT live=true>
            <p>{texts::still_signed_in(&provider.title)}</p>
            <p><a href=href>{label}</a></p>
        </Banner>
    }
}

/// Checks whether the field for a token shows what went wrong.
fn is_about_token(problem: SignInProblem) -> bool {
    matches!(
        problem,
        SignInProblem::NotAToken | SignInProblem::TokenRefused | SignInProblem::TooManyAttempts(_) | SignInProblem::Unavailable
    )
}

/// A button for each identity provider. They are links: a browser follows the redirects of a form only to addresses that the page's content
/// security policy names.
fn providers(visit: &Visit, back: &str) -> impl IntoView + use<> {
    let buttons = visit.providers.iter().enumerate().map(|(number, provider)| {
        let (href, label) = (routes::sign_in_with(&provider.name, back), texts::sign_in_with(&provider.title));
        view! { <LinkButton href=href label=label weight=if number == 0 { Weight::Primary } else { Weight::Plain }/> }
    });
    view! { <div class="card stack gap-3 p-pad">{buttons.collect_view()}</div> }
}

/// The list of sample people on the embedded plane.
fn people(visit: &Visit, back: String) -> impl IntoView + use<> {
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
        <form class="card stack gap-4 p-pad" method="post" action={actions::path::<SignIn>()}>
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
