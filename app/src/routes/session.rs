//! Addresses for signing in and out.

use super::{at, page, with_query};
use crate::backend::SignInProblem;

/// The sign-in page, which redirects to `back` afterwards.
pub fn sign_in(back: &str) -> String {
    with_query(page::SIGN_IN, &[("back", back)])
}

/// Redirects to an identity provider to sign in, and afterwards to `back`.
pub fn sign_in_with(provider: &str, back: &str) -> String {
    with_query(&at(page::SIGN_IN_WITH, &[provider]), &[("back", back)])
}

/// Redirects a signed-in person to their identity provider to authenticate again, and afterwards to `back`.
pub fn authenticate_again(provider: &str, back: &str) -> String {
    with_query(&sign_in_with(provider, back), &[("again", "true")])
}

/// Where an identity provider sends the browser back to.
pub fn sign_in_callback(provider: &str) -> String {
    at(page::SIGN_IN_CALLBACK, &[provider])
}

/// Redirects to an identity provider to end the session there.
pub fn sign_out_with(provider: &str) -> String {
    at(page::SIGN_OUT_WITH, &[provider])
}

/// The sign-in page after a session that began at this identity provider.
pub fn signed_out(provider: &str) -> String {
    with_query(page::SIGN_IN, &[("left", provider)])
}

/// The sign-in page with the reason why the last attempt failed.
pub fn sign_in_again(back: &str, problem: SignInProblem) -> String {
    let wait = if let SignInProblem::TooManyAttempts(seconds) = problem { seconds.to_string() } else { String::new() };
    with_query(&sign_in(back), &[("problem", problem.word()), ("wait", &wait)])
}
