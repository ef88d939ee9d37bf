//! Texts of the page about the REST API.

use promise::rest::operation::{BASE, OPENAPI};

pub(crate) const TITLE: &str = "REST API";
pub(crate) const ABOUT: &str = "Read and change what these pages show from your own programs, with the same permissions.";
pub(crate) const DESCRIPTION: &str = "OpenAPI description";
pub(crate) const GETTING_STARTED: &str = "Getting started";
pub(crate) const FIRST_CALL: &str = "First call";
pub(crate) const EXAMPLE_PROBLEM: &str = "Example of a problem";
pub(crate) const CONVENTIONS: &str = "Conventions";
pub(crate) const PROBLEMS: &str = "Problems";
pub(crate) const PARAMETER: &str = "Parameter";
pub(crate) const PLACE: &str = "In";
pub(crate) const MEANING: &str = "Meaning";
pub(crate) const QUERY: &str = "query";
pub(crate) const HEADER: &str = "header";
pub(crate) const REQUIRED: &str = "required";
pub(crate) const TYPE: &str = "Type";
pub(crate) const STATUS: &str = "Status";
pub(crate) const TOKEN: &str = "Send a token that the control plane accepts, such as that of a kubeconfig or of a ServiceAccount. The portal uses it to act for you, so the API allows exactly what the control plane allows you. Cookies are ignored.";

/// What holds for every operation.
pub(crate) const RULES: [&str; 6] = [
    "Lists come in parts. As long as an answer has `continue`, send it as the query parameter `continue` to get the next part. Items that exist the whole time appear exactly once, and `total` is the number of all items.",
    "`fields` selects what you get: `fields=name,state` of each item of a list.",
    "Every answer has an ETag. With it in If-None-Match, an unchanged answer is 304 and empty.",
    "To change a request, send its ETag in If-Match. If someone changed its spec in the meantime, the answer is 412 and nothing is written.",
    "With an Idempotency-Key, a POST that is repeated within 24 hours gets the same answer and does nothing again. A call that was refused can be corrected and sent with the same key.",
    "Programs can rely on `reason` and `state`. `message` and `detail` are for people, and their wording can change.",
];

/// The types of problems: kind, status and meaning.
pub(crate) const KINDS: [(&str, &str, &str); 13] = [
    ("unauthenticated", "401", "The control plane doesn't accept the token, or there is none."),
    ("denied", "403", "You aren't allowed to do this. `reason` names the missing permission."),
    ("notFound", "404", "It doesn't exist, or you don't have access to it."),
    ("notEnabled", "404", "The workspace doesn't serve this kind."),
    ("invalid", "422", "A parameter or the body is invalid. `errors` names each field by a JSON Pointer, with the fix."),
    (
        "conflict",
        "409, 412, 422, 428",
        "The name is taken, or something changed. `reason` says what: `otherEdition` needs a new ETag, `keyOfOtherCall` a new key.",
    ),
    ("contested", "409", "Other field managers own parts of it."),
    ("tooManyRequests", "429", "Too many calls. Wait as long as Retry-After says."),
    ("busy", "503", "Something isn't ready yet. Wait as long as Retry-After says."),
    ("unreachable", "503", "The control plane didn't respond."),
    ("timeout", "408", "The call took too long to arrive."),
    ("tooLarge", "413", "The body is too large."),
    ("internal", "500", "Something went wrong on our side. The header X-Request-Id names the call in the log."),
];

/// Name of the example of an operation, for screen readers.
pub(crate) fn example(summary: &str) -> String {
    format!("{summary}: example")
}

/// The first call.
pub(crate) fn first_call() -> String {
    format!("curl -H \"Authorization: Bearer $TOKEN\" \"$PORTAL{BASE}/workspaces\"")
}

/// A problem, as an example.
pub(crate) const PROBLEM: &str = r#"HTTP/1.1 422 Unprocessable Entity
Content-Type: application/problem+json

{
  "type": "/docs/api#invalid",
  "title": "Check your input",
  "status": 422,
  "detail": ".parameters.replicas: Enter at least 3.",
  "reason": {"kind": "invalid", "problems": [{"path": ".parameters.replicas", "message": "Enter at least 3."}]},
  "errors": [{"pointer": "/spec/parameters/replicas", "message": "Enter at least 3."}]
}"#;

/// Where generators of clients find the description.
pub(crate) fn described_at() -> String {
    format!("Generators of clients read {OPENAPI}, which needs no token.")
}
