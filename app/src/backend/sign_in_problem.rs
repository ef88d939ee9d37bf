//! Why a sign-in failed.

/// Why a sign-in failed. It is part of the sign-in page's address: there is no user yet for whom it could be saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInProblem {
    /// The sample user doesn't exist.
    UnknownPerson,
    /// Sample users can only be chosen on the machine that the portal runs on.
    Elsewhere,
    /// The pasted text can't be a token.
    NotAToken,
    /// The server doesn't accept the token.
    TokenRefused,
    /// The portal doesn't offer this way to sign in.
    NotOffered,
    /// The sign-in with the identity provider has expired, was already used, or was begun in another browser.
    NoAttempt,
    /// The identity provider didn't sign the person in.
    ProviderDeclined,
    /// The identity provider doesn't respond.
    ProviderUnavailable,
    /// What the identity provider sent isn't valid.
    ProviderAnswer,
    /// The identity provider doesn't send the claim that usernames are made of.
    ProviderClaim,
    /// The identity provider was asked to authenticate the person again and didn't, or doesn't say so.
    ProviderDidNotAsk,
    /// Someone else came back from the identity provider than who left to confirm who they are.
    OtherPerson,
    /// The portal doesn't impersonate anyone with the names that the identity provider sends.
    NameRefused,
    /// The server doesn't accept people of the identity provider.
    AccountRefused,
    /// Too many attempts; the next one is possible after this many seconds.
    TooManyAttempts(u64),
    /// The server or the database doesn't respond.
    Unavailable,
}

impl SignInProblem {
    /// Returns its name in addresses.
    pub const fn word(self) -> &'static str {
        match self {
            Self::UnknownPerson => "unknown-person",
            Self::Elsewhere => "elsewhere",
            Self::NotAToken => "not-a-token",
            Self::TokenRefused => "token-refused",
            Self::NotOffered => "not-offered",
            Self::NoAttempt => "no-attempt",
            Self::ProviderDeclined => "provider-declined",
            Self::ProviderUnavailable => "provider-unavailable",
            Self::ProviderAnswer => "provider-answer",
            Self::ProviderClaim => "provider-claim",
            Self::ProviderDidNotAsk => "provider-did-not-ask",
            Self::OtherPerson => "other-person",
            Self::NameRefused => "name-refused",
            Self::AccountRefused => "account-refused",
            Self::TooManyAttempts(_) => "too-many-attempts",
            Self::Unavailable => "unavailable",
        }
    }

    /// Parses the name, and the seconds to wait where that matters.
    pub fn parse(word: &str, seconds: u64) -> Option<Self> {
        let all = [
            Self::UnknownPerson,
            Self::Elsewhere,
            Self::NotAToken,
            Self::TokenRefused,
            Self::NotOffered,
            Self::NoAttempt,
            Self::ProviderDeclined,
            Self::ProviderUnavailable,
            Self::ProviderAnswer,
            Self::ProviderClaim,
            Self::ProviderDidNotAsk,
            Self::OtherPerson,
            Self::NameRefused,
            Self::AccountRefused,
            Self::TooManyAttempts(seconds.clamp(1, 3600)),
            Self::Unavailable,
        ];
        all.into_iter().find(|problem| problem.word() == word)
    }

    /// Returns the HTTP status of the page that shows it.
    pub const fn status(self) -> u16 {
        match self {
            Self::TooManyAttempts(_) => 429,
            Self::Unavailable | Self::ProviderUnavailable => 503,
            _ => 403,
        }
    }
}
