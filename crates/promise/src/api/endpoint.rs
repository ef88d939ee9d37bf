//! Endpoints: HTTP servers that workflows of promises can call.

use super::request::Condition;

/// An HTTP server that workflows of promises can call. Nothing else outside of the control plane and the Destinations is called.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EndpointSpec {
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Address of the server, such as `https://tickets.example.org/api`. Calls go below its path. `http` is only accepted if `addresses`
    /// lists every address of the host.
    pub url: String,
    /// Patterns for paths below `url` that can be called, such as `/tickets/*`: `*` stands for one level, `**` for any number of levels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Methods that can be used. Absent means GET and POST.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<HttpMethod>,
    /// Credential for the server. Its Secret needs the same label as that of a Destination.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<EndpointSecretRef>,
    /// How the credential is sent. Absent means as a bearer token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization: Option<EndpointAuthorization>,
    /// Networks whose addresses can be called although they are private, loopback, link-local or reserved, such as `10.1.0.0/16`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
    /// Home workspaces whose promises can call the endpoint, besides its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_homes: Vec<String>,
    /// Certificates in PEM format that the server's certificate is verified with, instead of those of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_bundle: Option<String>,
}

/// Method of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    /// Reads.
    Get,
    /// Creates, or starts something.
    Post,
    /// Creates or replaces.
    Put,
    /// Changes a part.
    Patch,
    /// Deletes.
    Delete,
}

/// Reference to a key of a Secret.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EndpointSecretRef {
    /// Namespace of the Secret.
    pub namespace: String,
    /// Name of the Secret.
    pub name: String,
    /// Key with the token or the value of the header. Absent means `token`. With the type `basic`, the keys are always `username` and
    /// `password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// How a credential is sent.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EndpointAuthorization {
    /// How the credential is sent.
    #[serde(default)]
    pub r#type: AuthorizationType,
    /// Name of the header, such as `X-Api-Key`. Only with the type `header`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
}

/// How a credential is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum AuthorizationType {
    /// As a bearer token.
    #[default]
    Bearer,
    /// As user name and password.
    Basic,
    /// As the value of a header.
    Header,
}

/// Observed state of an endpoint.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EndpointStatus {
    /// Generation that this status describes.
    #[serde(default)]
    pub observed_generation: i64,
    /// Conditions: `Valid`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

impl EndpointStatus {
    /// Type of the condition that says whether the endpoint can be called.
    pub const VALID: &'static str = "Valid";

    /// Whether the endpoint can be called.
    pub fn is_valid(&self) -> bool {
        Condition::is_true(&self.conditions, Self::VALID)
    }
}
