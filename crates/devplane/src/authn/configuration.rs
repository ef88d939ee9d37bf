//! The file of `--authentication-config`: whose tokens count, as whom, and which requests need none.
//! Source: apiserver `pkg/apis/apiserver/{v1,v1beta1}/types.go`, `pkg/apis/apiserver/validation/validation.go`.
//!
//! Only valid configurations can be constructed, with their expressions compiled. All errors of a file are reported together, each with its
//! field and the fix.

mod issuer;
mod mappings;
mod node;

use schema::expr::Program;
use serde_json::Value;

use crate::status::Cause;
use node::Node;

pub use issuer::certificates;
pub use mappings::{CLAIMS, USER};

/// Versions of the file that are read; they have the same fields.
const VERSIONS: [&str; 2] = ["apiserver.config.k8s.io/v1", "apiserver.config.k8s.io/v1beta1"];
const KIND: &str = "AuthenticationConfiguration";
/// How many issuers a file can have.
const MAX_ISSUERS: usize = 64;

/// Who is let in beside those whose tokens the plane itself knows.
#[derive(Debug, Clone, Default)]
pub struct AuthenticationConfiguration {
    /// The issuers whose tokens count.
    pub jwt: Vec<JwtAuthenticator>,
    /// Requests without a token.
    pub anonymous: Anonymous,
}

/// Which requests without a token are those of the anonymous user. All others are refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Anonymous {
    /// All.
    #[default]
    Everywhere,
    /// Those to exactly these paths.
    Only(Vec<String>),
    /// None.
    Nowhere,
}

impl Anonymous {
    /// Whether a request to a path needs no token.
    pub fn allows(&self, path: &str) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Only(paths) => paths.iter().any(|open| open == path),
            Self::Nowhere => false,
        }
    }
}

/// Whose tokens count, and as whom.
#[derive(Debug, Clone)]
pub struct JwtAuthenticator {
    /// Who issues the tokens.
    pub issuer: IssuerConfiguration,
    /// How a user is made of the claims of a token.
    pub mappings: Mappings,
}

/// An issuer of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuerConfiguration {
    /// Its name, as in the claim `iss`.
    pub url: String,
    /// Where it describes itself.
    pub discovery_url: String,
    /// Certificates that vouch for it, in PEM; those of the machine where there are none.
    pub certificate_authority: Option<String>,
    /// For whom a token has to be meant: one of these.
    pub audiences: Vec<String>,
}

/// How a user is made of claims, and what must hold.
#[derive(Debug, Clone)]
pub struct Mappings {
    /// Name.
    pub username: Mapping,
    /// Groups.
    pub groups: Option<Mapping>,
    /// Uid.
    pub uid: Option<Mapping>,
    /// Extra fields by their keys.
    pub extra: Vec<(String, Program)>,
    /// Claims that must have a value.
    pub required: Vec<(String, String)>,
    /// What must hold of the claims.
    pub claim_rules: Vec<Rule>,
    /// What must hold of the user.
    pub user_rules: Vec<Rule>,
}

/// Where a fact about a user comes from.
#[derive(Debug, Clone)]
pub enum Mapping {
    /// A claim.
    Claim {
        /// Its name.
        name: String,
        /// What is put before its value.
        prefix: String,
    },
    /// An expression over all claims.
    Expression(Program),
}

/// An expression that has to be true.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The expression.
    pub program: Program,
    /// What is said where it is false; may be empty.
    pub message: String,
}

/// Why a file can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigurationError {
    /// It can't be read at all.
    #[error("it isn't valid YAML: {0}")]
    Syntax(String),
    /// It breaks rules.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<Cause>),
}

impl AuthenticationConfiguration {
    /// Reads a file.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(text: &str) -> Result<Self, ConfigurationError> {
        let document: Value = serde_saphyr::from_str(text).map_err(|error| ConfigurationError::Syntax(error.to_string()))?;
        let mut faults = Vec::new();
        let read = read(&Node::root(&document), &mut faults);
        if faults.is_empty() { Ok(read) } else { Err(ConfigurationError::Invalid(faults)) }
    }
}

fn read(root: &Node<'_>, faults: &mut Vec<Cause>) -> AuthenticationConfiguration {
    root.expect_fields(&["apiVersion", "kind", "jwt", "anonymous"], faults);
    one_of(&root.field("apiVersion"), &VERSIONS, faults);
    one_of(&root.field("kind"), &[KIND], faults);
    let jwt = root.field("jwt");
    let items = jwt.items(faults);
    if items.len() > MAX_ISSUERS {
        faults.push(Cause::too_many(jwt.path(), items.len(), MAX_ISSUERS));
        return AuthenticationConfiguration::default();
    }
    let (mut jwt, mut urls, mut discoveries) = (Vec::new(), Vec::new(), Vec::new());
    for item in &items {
        item.expect_fields(&["issuer", "claimValidationRules", "claimMappings", "userValidationRules"], faults);
        let before = faults.len();
        let issuer = issuer::read(&item.field("issuer"), faults);
        unique(&item.field("issuer").field("url"), &mut urls, faults);
        unique(&item.field("issuer").field("discoveryURL"), &mut discoveries, faults);
        if let Some(mappings) = mappings::read(item, faults)
            && faults.len() == before
        {
            jwt.push(JwtAuthenticator { issuer, mappings });
        }
    }
    AuthenticationConfiguration { jwt, anonymous: anonymous(&root.field("anonymous"), faults) }
}

fn anonymous(node: &Node<'_>, faults: &mut Vec<Cause>) -> Anonymous {
    if node.is_absent() {
        return Anonymous::default();
    }
    node.expect_fields(&["enabled", "conditions"], faults);
    let is_enabled = node.field("enabled").flag(faults);
    let conditions = node.field("conditions");
    let mut paths = Vec::new();
    for condition in conditions.items(faults) {
        condition.expect_fields(&["path"], faults);
        paths.push(condition.field("path").text(faults).to_owned());
    }
    match (is_enabled, paths.is_empty()) {
        (true, true) => Anonymous::Everywhere,
        (true, false) => Anonymous::Only(paths),
        (false, true) => Anonymous::Nowhere,
        (false, false) => {
            let why = "conditions open single paths to requests without a token: set anonymous.enabled to true, or remove them";
            faults.push(Cause::forbidden(conditions.path(), why));
            Anonymous::Nowhere
        }
    }
}

/// Tells a text that is none of these.
fn one_of(node: &Node<'_>, supported: &[&str], faults: &mut Vec<Cause>) {
    match node.text(faults) {
        "" => faults.push(Cause::required(node.path(), &format!("set it to {}", supported.join(" or ")))),
        text if !supported.contains(&text) => faults.push(Cause::unsupported(node.path(), text, supported)),
        _ => {}
    }
}

/// Reports a text that occurs twice.
fn unique<'a>(node: &Node<'a>, known: &mut Vec<&'a str>, faults: &mut Vec<Cause>) {
    // Values that aren't text are reported where they are read.
    let text = node.text(&mut Vec::new());
    if known.contains(&text) && !text.is_empty() {
        faults.push(Cause::duplicate(node.path(), text));
    }
    known.push(text);
}

#[cfg(test)]
mod tests;
