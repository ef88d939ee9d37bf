//! The ways to sign in, and how the browser stores the session.

use std::sync::Arc;

use app::backend::SignInProblem;
use cluster::Token;
use jiff::SignedDuration;
use oidc::Provider;

use super::cookie::CookieStyle;
use crate::config::{PublicUrl, SessionLifetime, SignInConfig, SignInError};
use crate::sample::Person;

/// What a visitor entered on the sign-in page.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// Name of one of the embedded plane's people.
    pub person: &'a str,
    /// A bearer token; it is stored only in sealed form.
    pub token: &'a str,
    /// Whether the visitor is on this machine.
    pub is_here: bool,
}

/// How people sign in to the portal, and how the browser stores the session.
#[derive(Debug)]
pub struct SignIn {
    /// The embedded plane's people, each with their own token.
    people: Vec<(Person, Token)>,
    /// Whether they can be chosen.
    samples: bool,
    /// Whether people can enter a bearer token that the server accepts.
    tokens: bool,
    /// Identity providers, in the order of their buttons.
    providers: Vec<Arc<Provider>>,
    /// How long sessions last.
    pub lifetime: SessionLifetime,
    /// How long ago people can have authenticated with a provider to do what can't be undone; however long if absent.
    pub reauthentication: Option<SignedDuration>,
    /// Name and attributes of the session cookie.
    pub cookie: CookieStyle,
}

impl SignIn {
    /// Prepares the ways to sign in that are configured. `people` are those of the embedded plane.
    ///
    /// # Errors
    /// If a provider's settings can't be used.
    pub fn new(
        config: &SignInConfig,
        people: Vec<(Person, Token)>,
        public: Option<&PublicUrl>,
        cookie: CookieStyle,
    ) -> Result<Self, SignInError> {
        let base = public.map(ToString::to_string).unwrap_or_default();
        let provider = |provider: &oidc::ProviderConfig| {
            let redirect = format!("{base}{}", app::routes::sign_in_callback(&provider.name));
            Provider::new(provider.clone(), &redirect).map(Arc::new).map_err(|problem| SignInError::of(format!("--oidc-issuer: {problem}")))
        };
        Ok(Self {
            people,
            samples: config.samples,
            tokens: config.tokens,
            providers: config.providers.iter().map(provider).collect::<Result<_, _>>()?,
            lifetime: config.lifetime,
            reauthentication: config.reauthentication,
            cookie,
        })
    }

    /// Returns the embedded plane's people, whether or not they can be chosen.
    pub fn people(&self) -> impl Iterator<Item = &Person> {
        self.people.iter().map(|(person, _)| person)
    }

    /// Returns the people who can be chosen on the sign-in page.
    pub fn choices(&self) -> impl Iterator<Item = &Person> {
        self.people().filter(|_| self.samples)
    }

    /// Checks whether people can enter a bearer token.
    pub fn takes_tokens(&self) -> bool {
        self.tokens
    }

    /// Returns the identity providers, in the order of their buttons.
    pub fn providers(&self) -> &[Arc<Provider>] {
        &self.providers
    }

    /// Returns the identity provider with this name.
    pub fn provider(&self, name: &str) -> Option<&Arc<Provider>> {
        self.providers.iter().find(|provider| provider.config().name == name)
    }

    /// Returns the token for what the visitor entered.
    ///
    /// # Errors
    /// If this way of signing in is turned off, there is no such person, the input can't be a token, or a sample person is chosen from
    /// another machine.
    pub fn open(&self, given: Given<'_>) -> Result<Token, SignInProblem> {
        let chooses = self.samples && (!self.tokens || !given.person.is_empty());
        match (chooses, self.tokens) {
            // Choosing a name proves nothing, so it is allowed only to people who could read the tokens as well.
            (true, _) if !given.is_here => Err(SignInProblem::Elsewhere),
            (true, _) => {
                let known = self.people.iter().find(|(known, _)| known.name == given.person);
                known.map(|(_, token)| token.clone()).ok_or(SignInProblem::UnknownPerson)
            }
            (false, true) => {
                let token = given.token.trim();
                let token = token.strip_prefix("Bearer ").unwrap_or(token).trim();
                let printable = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
                printable.then(|| Token::new(token)).ok_or(SignInProblem::NotAToken)
            }
            (false, false) => Err(SignInProblem::NotOffered),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign_in(samples: bool, tokens: bool) -> SignIn {
        let config = SignInConfig { samples, tokens, ..SignInConfig::default() };
        SignIn::new(&config, Vec::new(), None, CookieStyle::Plain).unwrap()
    }

    #[test]
    fn what_is_pasted_is_taken_as_it_was_copied() {
        let sign_in = sign_in(false, true);
        for pasted in ["abc.def", " abc.def\n", "Bearer abc.def"] {
            assert_eq!(sign_in.open(Given { person: "", token: pasted, is_here: false }).unwrap().expose().as_ref(), "abc.def", "{pasted}");
        }
        for pasted in ["", "  ", "a b", "a\nb", "käse"] {
            assert!(sign_in.open(Given { person: "plane-admin", token: pasted, is_here: true }).is_err(), "{pasted}");
        }
    }

    #[test]
    fn what_is_not_offered_is_refused() {
        let given = Given { person: "plane-admin", token: "abc.def", is_here: true };
        assert_eq!(sign_in(false, false).open(given), Err(SignInProblem::NotOffered));
        assert_eq!(sign_in(true, false).open(Given { person: "", ..given }), Err(SignInProblem::UnknownPerson), "tokens aren't offered");
        assert!(sign_in(true, true).open(Given { person: "", ..given }).is_ok(), "both are offered");
    }
}
