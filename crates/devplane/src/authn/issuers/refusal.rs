//! Why a token of an issuer doesn't count. No text repeats the token.

use schema::expr::ExprError;

/// Why a token of an issuer doesn't count.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The keys of the issuer aren't known.
    #[error("the keys of its issuer aren't known yet: {0}")]
    NoKeys(String),
    /// It can't be read.
    #[error("it can't be read as a JSON Web Token")]
    Malformed,
    /// It is signed in a way that doesn't count.
    #[error("it isn't signed with RS256, RS384, RS512, PS256, PS384, PS512, ES256 or ES384")]
    Algorithm,
    /// None of the issuer's keys made its signature.
    #[error("none of the issuer's keys made its signature")]
    Signature,
    /// It is meant for others.
    #[error("its audience is none of {}", .0.join(", "))]
    Audience(Vec<String>),
    /// Its time is over, or it has none.
    #[error("it has expired, or doesn't say when it does")]
    Expired,
    /// Its time is still to come.
    #[error("it isn't valid yet (nbf)")]
    NotYet,
    /// A claim is missing.
    #[error("it has no claim {0:?}")]
    ClaimMissing(String),
    /// A claim has another form.
    #[error("its claim {claim:?} isn't {wanted}")]
    ClaimForm {
        /// The claim.
        claim: String,
        /// What it should be, such as `a string`.
        wanted: &'static str,
    },
    /// The person has not shown that an address is theirs.
    #[error("its claim \"email\" isn't verified")]
    EmailNotVerified,
    /// A claim is elsewhere, which isn't looked up.
    #[error("its claim {0:?} is stored elsewhere (_claim_names), where the plane doesn't look it up")]
    Distributed(String),
    /// A required claim has another value.
    #[error("its claim {0:?} doesn't have the required value")]
    Required(String),
    /// There is no name.
    #[error("it gives no user name")]
    NoName,
    /// The name is one of those that only the plane gives.
    #[error("user names that begin with system: are reserved")]
    SystemName,
    /// An expression fails.
    #[error("the expression {expression:?} fails: {error}")]
    Expression {
        /// Its source.
        expression: String,
        /// Why.
        error: ExprError,
    },
    /// An expression has a value of another type.
    #[error("the expression {expression:?} isn't {wanted}")]
    Result {
        /// Its source.
        expression: String,
        /// What it should be.
        wanted: &'static str,
    },
    /// A rule doesn't hold.
    #[error("the rule {expression:?} doesn't hold{}{message}", if message.is_empty() { "" } else { ": " })]
    Rule {
        /// Its source.
        expression: String,
        /// What the configuration says about that; may be empty.
        message: String,
    },
}
