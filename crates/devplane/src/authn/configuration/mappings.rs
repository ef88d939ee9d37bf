//! How a user is made of claims, and what must hold: claims by name, and expressions, which are compiled here.
//! Source: apiserver `pkg/authentication/cel/compile.go`.

use std::sync::LazyLock;

use schema::expr::{Environment, Program, Type};

use super::{Mapping, Mappings, Node, Rule};
use crate::{objects::metadata, objects::metadata::Unit, status::Cause};

/// Domains of keys that no configuration can set: the plane and its clients rely on them.
const RESERVED: [&str; 3] = ["k8s.io", "kubernetes.io", "kcp.io"];
/// What a path can contain beside letters and digits.
const OF_PATHS: &str = "/-._~%!$&'()*+,;=:";

/// The variables of expressions over claims. Claims can have any value.
pub static CLAIMS: LazyLock<Environment> = LazyLock::new(|| Environment::new().variable("claims", Type::map(Type::Dyn)).strict());
/// The variables of expressions over a user.
pub static USER: LazyLock<Environment> = LazyLock::new(|| {
    let texts = Type::list(Type::String);
    let fields = [("username", Type::String), ("uid", Type::String), ("groups", texts.clone()), ("extra", Type::map(texts))];
    Environment::new().variable("user", Type::object(fields)).strict()
});

/// Reads the mappings and rules of an authenticator.
pub fn read(authenticator: &Node<'_>, faults: &mut Vec<Cause>) -> Option<Mappings> {
    let mut required = Vec::new();
    let claim_rules = claim_rules(&authenticator.field("claimValidationRules"), &mut required, faults);
    let node = authenticator.field("claimMappings");
    node.expect_fields(&["username", "groups", "uid", "extra"], faults);
    let before = faults.len();
    let username = prefixed(&node.field("username"), faults);
    if username.is_none() && faults.len() == before {
        let why = "set claim and prefix, or expression; every token has the claim sub";
        faults.push(Cause::required(node.field("username").path(), why));
    }
    let groups = prefixed(&node.field("groups"), faults);
    let uid = uid(&node.field("uid"), faults);
    let extra = extra(&node.field("extra"), faults);
    if let Some(Mapping::Expression(program)) = &username
        && reads(program, "email")
        && !std::iter::once(program)
            .chain(extra.iter().map(|(_, program)| program))
            .chain(claim_rules.iter().map(|rule| &rule.program))
            .any(|program| reads(program, "email_verified"))
    {
        let why = "an address proves nothing before it is verified: use claims.email_verified, too, here, in an extra value or in a claim \
                   validation rule, such as claims.?email_verified.orValue(true) == true";
        faults.push(Cause::invalid(node.field("username").field("expression").path(), &program.source().into(), why));
    }
    let user_rules = user_rules(&authenticator.field("userValidationRules"), faults);
    Some(Mappings { username: username?, groups, uid, extra, required, claim_rules, user_rules })
}

/// Whether an expression reads a claim.
fn reads(program: &Program, claim: &str) -> bool {
    program.references().iter().any(|path| matches!(path.as_slice(), [root, first, ..] if root == "claims" && first == claim))
}

fn claim_rules(list: &Node<'_>, required: &mut Vec<(String, String)>, faults: &mut Vec<Cause>) -> Vec<Rule> {
    let (mut rules, mut expressions) = (Vec::new(), Vec::new());
    for node in list.items(faults) {
        node.expect_fields(&["claim", "requiredValue", "expression", "message"], faults);
        let [claim, value, source, message] = ["claim", "requiredValue", "expression", "message"].map(|name| node.field(name));
        match (claim.text(faults), source.text(faults)) {
            ("", "") => faults.push(Cause::required(node.path(), "set claim and requiredValue, or expression")),
            (name, "") => {
                if !message.is_empty() {
                    faults.push(Cause::forbidden(message.path(), "only rules with an expression have a message; remove it"));
                }
                if required.iter().any(|(known, _)| known == name) {
                    faults.push(Cause::duplicate(claim.path(), name));
                }
                required.push((name.to_owned(), value.text(faults).to_owned()));
            }
            ("", _) => {
                if !value.is_empty() {
                    faults.push(Cause::forbidden(value.path(), "only rules with a claim have a required value; remove it"));
                }
                rules.extend(rule(&CLAIMS, &source, &message, &mut expressions, faults));
            }
            (name, _) => faults.push(Cause::invalid(node.path(), &name.into(), "set either claim or expression, not both")),
        }
    }
    rules
}

fn user_rules(list: &Node<'_>, faults: &mut Vec<Cause>) -> Vec<Rule> {
    let (mut rules, mut expressions) = (Vec::new(), Vec::new());
    for node in list.items(faults) {
        node.expect_fields(&["expression", "message"], faults);
        let (source, message) = (node.field("expression"), node.field("message"));
        if source.text(faults).is_empty() {
            let why = "set an expression that must hold, such as !user.username.startsWith('admin-')";
            faults.push(Cause::required(source.path(), why));
        } else {
            rules.extend(rule(&USER, &source, &message, &mut expressions, faults));
        }
    }
    rules
}

/// A rule, unless the same was there before.
fn rule<'a>(
    environment: &Environment,
    source: &Node<'a>,
    message: &Node<'_>,
    known: &mut Vec<&'a str>,
    faults: &mut Vec<Cause>,
) -> Option<Rule> {
    let text = source.text(faults);
    if known.contains(&text) {
        faults.push(Cause::duplicate(source.path(), text));
        return None;
    }
    known.push(text);
    let program = compiled(environment, source, faults)?;
    if *program.kind() != Type::Bool {
        let why = format!("must evaluate to true or false, and is {}; compare the value, as in {text} == true", program.kind());
        faults.push(Cause::invalid(source.path(), &text.into(), &why));
        return None;
    }
    Some(Rule { program, message: message.text(faults).to_owned() })
}

/// A claim with a prefix, or an expression; nothing where there is neither.
fn prefixed(node: &Node<'_>, faults: &mut Vec<Cause>) -> Option<Mapping> {
    node.expect_fields(&["claim", "prefix", "expression"], faults);
    let [claim, prefix, source] = ["claim", "prefix", "expression"].map(|name| node.field(name));
    match (claim.text(faults), source.text(faults)) {
        ("", "") => None,
        ("", _) => {
            if !prefix.is_absent() {
                faults.push(Cause::forbidden(
                    prefix.path(),
                    "an expression has no prefix; add it in the expression, as in 'idp:' + claims.sub",
                ));
            }
            compiled(&CLAIMS, &source, faults).map(Mapping::Expression)
        }
        (name, "") => {
            if prefix.is_absent() {
                let why = "a claim needs a prefix, which keeps its names apart from others; set it to \"\" for none";
                faults.push(Cause::required(prefix.path(), why));
            }
            Some(Mapping::Claim { name: name.to_owned(), prefix: prefix.text(faults).to_owned() })
        }
        _ => {
            faults.push(Cause::forbidden(node.path(), "set either claim or expression, not both"));
            None
        }
    }
}

fn uid(node: &Node<'_>, faults: &mut Vec<Cause>) -> Option<Mapping> {
    node.expect_fields(&["claim", "expression"], faults);
    let (claim, source) = (node.field("claim"), node.field("expression"));
    match (claim.text(faults), source.text(faults)) {
        ("", "") => None,
        ("", _) => compiled(&CLAIMS, &source, faults).map(Mapping::Expression),
        (name, "") => Some(Mapping::Claim { name: name.to_owned(), prefix: String::new() }),
        _ => {
            faults.push(Cause::forbidden(node.path(), "set either claim or expression, not both"));
            None
        }
    }
}

fn extra(list: &Node<'_>, faults: &mut Vec<Cause>) -> Vec<(String, Program)> {
    let mut extra: Vec<(String, Program)> = Vec::new();
    let mut known: Vec<&str> = Vec::new();
    for node in list.items(faults) {
        node.expect_fields(&["key", "valueExpression"], faults);
        let (key, source) = (node.field("key"), node.field("valueExpression"));
        let name = key.text(faults);
        check_key(&key, name, faults);
        if known.contains(&name) {
            faults.push(Cause::duplicate(key.path(), name));
            continue;
        }
        known.push(name);
        if source.text(faults).is_empty() {
            faults.push(Cause::required(source.path(), "set an expression whose value is a string or a list of strings"));
        } else if let Some(program) = compiled(&CLAIMS, &source, faults) {
            extra.push((name.to_owned(), program));
        }
    }
    extra
}

/// Checks a key, which begins with the domain of its owner.
fn check_key(node: &Node<'_>, key: &str, faults: &mut Vec<Cause>) {
    if key.is_empty() {
        return faults.push(Cause::required(node.path(), "set a key with a domain, such as example.org/department"));
    }
    let mut invalid = |why: &str| faults.push(Cause::invalid(node.path(), &key.into(), why));
    let Some((domain, path)) = key.split_once('/').filter(|(domain, path)| !domain.is_empty() && !path.is_empty()) else {
        return invalid("must be a path below a domain, such as example.org/department");
    };
    // Capital letters are reported below.
    for why in metadata::subdomain_faults(&domain.to_lowercase(), Unit::Characters) {
        invalid(&why);
    }
    if !path.chars().all(|letter| letter.is_ascii_alphanumeric() || OF_PATHS.contains(letter)) {
        invalid("what follows the domain can contain letters, digits and -._~%!$&'()*+,;=:/ only");
    }
    if key.chars().any(char::is_uppercase) {
        invalid("must be lowercase");
    }
    if RESERVED.iter().any(|reserved| domain == *reserved || domain.strip_suffix(reserved).is_some_and(|rest| rest.ends_with('.'))) {
        invalid("k8s.io, kubernetes.io, kcp.io and their subdomains are reserved; choose a domain of your own");
    }
}

fn compiled(environment: &Environment, node: &Node<'_>, faults: &mut Vec<Cause>) -> Option<Program> {
    let source = node.text(faults);
    match environment.compile(source) {
        Ok(program) => Some(program),
        Err(error) => {
            faults.push(Cause::invalid(node.path(), &source.into(), &error.to_string()));
            None
        }
    }
}
