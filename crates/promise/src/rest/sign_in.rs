//! How programs sign people in.

use serde::{Deserialize, Serialize};

/// How a command line signs people in. It is public: it says what every sign-in at the provider shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SignInInfo {
    /// Identity providers at which command lines can sign people in. Empty if people bring a token of their own.
    pub providers: Vec<SignInProvider>,
}

/// An identity provider (OpenID Connect).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SignInProvider {
    /// Name.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// Issuer, exactly as the provider spells it.
    pub issuer: String,
    /// Client id for command lines. It is a public client: it has no secret.
    pub client_id: String,
    /// Scopes to request besides `openid`.
    pub scopes: Vec<String>,
    /// Claim that the control plane makes usernames of.
    pub username_claim: String,
    /// Certificates of the provider's own certificate authority in PEM format. Absent if machines trust it anyway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_authority: Option<String>,
}
