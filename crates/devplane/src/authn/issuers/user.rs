//! The user of a verified token: applies the mappings and rules of the configuration to its claims.
//! Source: apiserver `plugin/pkg/authenticator/token/oidc/oidc.go` (`AuthenticateToken`), `pkg/authentication/cel/mapper.go`; kcp
//! `pkg/authentication` for what is reserved.
//!
//! Names and groups that begin with `system:` mean what the plane says they mean, and no issuer can give them, as in workspaces of kcp: such
//! a name is refused, and such groups are left out. An API server alone leaves that to its configuration.

use std::collections::BTreeMap;

use schema::expr::{Budget, Program, Scope, Type};
use serde_json::{Number, Value, json};

use super::claims::{self, Claims};
use super::refusal::Refusal;
use crate::authn::configuration::{CLAIMS, Mapping, Mappings, Rule, USER};
use crate::request::User;

/// What only the plane gives.
const RESERVED: &str = "system:";
/// The extra field that names the token itself.
const CREDENTIAL_ID: &str = "authentication.kubernetes.io/credential-id";
const TEXT: &str = "a string";
const TEXTS: &str = "a string or a list of strings";

/// The user of a token, without the group of everybody who presented one.
///
/// # Errors
/// If something is missing or a rule doesn't hold.
pub fn user(mappings: &Mappings, claims: &Claims) -> Result<User, Refusal> {
    let scope = CLAIMS.scope().with("claims", &as_go_reads(&Value::Object(claims.clone())));
    let name = name(&mappings.username, claims, &scope)?;
    let groups = mappings.groups.as_ref().map_or(Ok(Vec::new()), |mapping| groups(mapping, claims, &scope))?;
    let uid = match &mappings.uid {
        None => String::new(),
        Some(Mapping::Claim { name, .. }) => claims::text(claims, name)?.to_owned(),
        Some(Mapping::Expression(program)) => text(program, &scope)?,
    };
    let extra = extra(&mappings.extra, claims, &scope)?;
    for (claim, value) in &mappings.required {
        if claims::text(claims, claim)? != value {
            return Err(Refusal::Required(claim.clone()));
        }
    }
    hold(&mappings.claim_rules, &scope)?;
    let user = User { name, uid, groups, extra };
    if !mappings.user_rules.is_empty() {
        let fields = json!({"username": user.name, "uid": user.uid, "groups": user.groups, "extra": user.extra});
        hold(&mappings.user_rules, &USER.scope().with("user", &fields))?;
    }
    reserved(user)
}

fn reserved(mut user: User) -> Result<User, Refusal> {
    if user.name.is_empty() {
        return Err(Refusal::NoName);
    }
    if user.name.starts_with(RESERVED) {
        return Err(Refusal::SystemName);
    }
    user.groups.retain(|group| !group.starts_with(RESERVED));
    Ok(user)
}

/// The claims as expressions see them: Go knows one kind of number in JSON.
fn as_go_reads(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().and_then(Number::from_f64).map_or(Value::Null, Value::Number),
        Value::Array(items) => items.iter().map(as_go_reads).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), as_go_reads(value))).collect(),
        other => other.clone(),
    }
}

fn name(mapping: &Mapping, claims: &Claims, scope: &Scope) -> Result<String, Refusal> {
    match mapping {
        Mapping::Expression(program) => text(program, scope),
        Mapping::Claim { name, prefix } => {
            let value = claims::text(claims, name)?;
            // A prefix alone isn't a username.
            if value.is_empty() {
                return Err(Refusal::NoName);
            }
            match claims.get("email_verified") {
                Some(verified) if name == "email" => match verified.as_bool() {
                    Some(true) => {}
                    Some(false) => return Err(Refusal::EmailNotVerified),
                    None => return Err(claims::form("email_verified", "true or false")),
                },
                _ => {}
            }
            Ok(format!("{prefix}{value}"))
        }
    }
}

fn groups(mapping: &Mapping, claims: &Claims, scope: &Scope) -> Result<Vec<String>, Refusal> {
    match mapping {
        Mapping::Expression(program) => texts(program, scope),
        Mapping::Claim { name, prefix } => match claims::texts(claims, name)? {
            Some(groups) => Ok(groups.into_iter().map(|group| format!("{prefix}{group}")).collect()),
            None if claims.get("_claim_names").is_some_and(|names| names.get(name).is_some()) => Err(Refusal::Distributed(name.clone())),
            None => Ok(Vec::new()),
        },
    }
}

fn extra(mappings: &[(String, Program)], claims: &Claims, scope: &Scope) -> Result<BTreeMap<String, Vec<String>>, Refusal> {
    let mut extra = BTreeMap::new();
    if let Some(id) = claims.get("jti").and_then(Value::as_str).filter(|id| !id.is_empty()) {
        extra.insert(CREDENTIAL_ID.to_owned(), vec![format!("JTI={id}")]);
    }
    for (key, program) in mappings {
        let values = texts(program, scope)?;
        if !values.is_empty() {
            extra.insert(key.clone(), values);
        }
    }
    Ok(extra)
}

fn hold(rules: &[Rule], scope: &Scope) -> Result<(), Refusal> {
    for Rule { program, message } in rules {
        match value(program, scope)? {
            Value::Bool(true) => {}
            Value::Bool(false) => return Err(Refusal::Rule { expression: program.source().to_owned(), message: message.clone() }),
            _ => return Err(result(program, "true or false")),
        }
    }
    Ok(())
}

fn value(program: &Program, scope: &Scope) -> Result<Value, Refusal> {
    // Times and the like aren't texts, even if they are written as such.
    let value = program.evaluate(scope, &mut Budget::default());
    let is_plain = !matches!(program.kind(), Type::Bytes | Type::Named(_) | Type::Type);
    match value {
        Ok(value) if is_plain => Ok(value),
        Ok(_) => Err(result(program, TEXTS)),
        Err(error) => Err(Refusal::Expression { expression: program.source().to_owned(), error }),
    }
}

fn text(program: &Program, scope: &Scope) -> Result<String, Refusal> {
    match value(program, scope)? {
        Value::String(text) => Ok(text),
        _ => Err(result(program, TEXT)),
    }
}

/// Texts that aren't empty.
fn texts(program: &Program, scope: &Scope) -> Result<Vec<String>, Refusal> {
    let items = match value(program, scope)? {
        Value::Null => Vec::new(),
        Value::Array(items) => items,
        text => vec![text],
    };
    let mut texts = Vec::new();
    for item in items {
        match item {
            Value::String(text) => texts.extend(Some(text).filter(|text| !text.is_empty())),
            _ => return Err(result(program, TEXTS)),
        }
    }
    Ok(texts)
}

fn result(program: &Program, wanted: &'static str) -> Refusal {
    Refusal::Result { expression: program.source().to_owned(), wanted }
}

#[cfg(test)]
mod tests;
