//! Acting as somebody else by `Impersonate-*` headers: what was asked for, and what rights it takes.
//! Source: apiserver `endpoints/filters/impersonation`.

use std::collections::{BTreeMap, HashSet};

use http::HeaderMap;
use parking_lot::Mutex;
use percent_encoding::percent_decode_str;

use super::{ANONYMOUS, AUTHENTICATED, MASTERS, UNAUTHENTICATED, WORKSPACES_ADMIN};
use crate::rbac::wish::{ResourceWish, Wish};
use crate::request::User;

/// In workspaces an impersonated user is worth something in one workspace alone; this extra field names it.
pub const SCOPES: &str = "authentication.kcp.io/scopes";

const USER: &str = "impersonate-user";
const GROUP: &str = "impersonate-group";
const UID: &str = "impersonate-uid";
const EXTRA: &str = "impersonate-extra-";

/// The user that a request wants to act as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disguise {
    username: String,
    uid: String,
    groups: Vec<String>,
    extra: BTreeMap<String, Vec<String>>,
}

/// Why a disguise cannot even be judged, or was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImpersonationError {
    /// Groups, a uid or extras without a user name; a bad request.
    #[error("{0}")]
    WithoutUser(String),
    /// A group that nobody below it may take on.
    #[error("forbidden: impersonation is not allowed for the requestor")]
    PrivilegedGroup,
    /// A right is missing; these wish were denied.
    #[error("impersonation needs a right that is missing")]
    Denied(Box<Wish>),
}

/// Reads the headers; `None` when nobody is to be impersonated.
///
/// # Errors
/// [`ImpersonationError::WithoutUser`] when a name is missing.
pub fn asked_for(headers: &HeaderMap) -> Result<Option<Disguise>, ImpersonationError> {
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let mut extra: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in headers {
        if let Some(key) = name.as_str().strip_prefix(EXTRA) {
            let key = percent_decode_str(key).decode_utf8_lossy().to_lowercase();
            extra.entry(key).or_default().push(text(value));
        }
    }
    let disguise = Disguise {
        username: headers.get(USER).map(text).unwrap_or_default(),
        uid: headers.get(UID).map(text).unwrap_or_default(),
        groups: headers.get_all(GROUP).iter().map(text).collect(),
        extra,
    };
    if !disguise.username.is_empty() {
        return Ok(Some(disguise));
    }
    if disguise.uid.is_empty() && disguise.groups.is_empty() && disguise.extra.is_empty() {
        return Ok(None);
    }
    Err(ImpersonationError::WithoutUser(format!("requested {} without impersonating a user name", disguise.as_go())))
}

impl Disguise {
    /// The rights that acting as this user takes, each to be held by the requestor.
    pub fn needed(&self) -> Vec<Wish> {
        let impersonate = |target| Wish::resource("impersonate", target);
        let mut needed = match service_account(&self.username) {
            Some((namespace, name)) => {
                let target = ResourceWish::new("", "serviceaccounts").named(name);
                vec![impersonate(target.within(namespace))]
            }
            None => vec![impersonate(ResourceWish::new("", "users").named(&self.username))],
        };
        needed.extend(self.groups.iter().map(|group| impersonate(ResourceWish::new("", "groups").named(group))));
        if !self.uid.is_empty() {
            needed.push(impersonate(ResourceWish::new("authentication.k8s.io", "uids").named(&self.uid)));
        }
        for (key, values) in &self.extra {
            needed.extend(values.iter().map(|value| {
                let target = ResourceWish::new("authentication.k8s.io", "userextras").named(value);
                impersonate(target.part(key))
            }));
        }
        needed
    }

    /// The user as the rest of the request sees it.
    pub fn user(self) -> User {
        let mut groups = self.groups;
        let mut add = |group: String| {
            if !groups.contains(&group) {
                groups.push(group);
            }
        };
        if let Some((namespace, _)) = service_account(&self.username) {
            add("system:serviceaccounts".into());
            add(format!("system:serviceaccounts:{namespace}"));
        }
        if self.username == ANONYMOUS {
            add(UNAUTHENTICATED.into());
        } else if ![AUTHENTICATED, UNAUTHENTICATED].iter().any(|own| groups.iter().any(|group| group == own)) {
            groups.push(AUTHENTICATED.into());
        }
        User { name: self.username, uid: self.uid, groups, extra: self.extra }
    }

    /// The disguise as the reference server, written in Go, prints it in its refusal.
    fn as_go(&self) -> String {
        let list = |values: &[String]| {
            let quoted: Vec<_> = values.iter().map(|value| format!("{value:?}")).collect();
            format!("[]string{{{}}}", quoted.join(", "))
        };
        let extra: Vec<_> = self.extra.iter().map(|(key, values)| format!("{key:?}:{}", list(values))).collect();
        let groups = if self.groups.is_empty() { "[]string(nil)".into() } else { list(&self.groups) };
        let extra =
            if extra.is_empty() { "map[string][]string(nil)".into() } else { format!("map[string][]string{{{}}}", extra.join(", ")) };
        format!("&user.DefaultInfo{{Name:\"\", UID:{:?}, Groups:{groups}, Extra:{extra}}}", self.uid)
    }
}

/// Decides wishes. It remembers who has impersonated by the plain verb before, because their refusals read differently: the
/// server tries the way that worked last time first, and reports its answer.
#[derive(Debug, Default)]
pub struct Impersonation {
    succeeded: Mutex<HashSet<String>>,
}

impl Impersonation {
    /// Whether `requestor` may act as `disguise` for the request `wish`; `allows` asks the authoriser about the requestor.
    ///
    /// # Errors
    /// [`ImpersonationError::PrivilegedGroup`] or [`ImpersonationError::Denied`].
    pub fn decide(
        &self,
        requestor: &User,
        disguise: Disguise,
        wish: &Wish,
        guard_groups: bool,
        allows: impl Fn(&Wish) -> bool,
    ) -> Result<User, ImpersonationError> {
        let privileged = |group: &&String| [MASTERS, WORKSPACES_ADMIN].contains(&group.as_str());
        if guard_groups && disguise.groups.iter().filter(privileged).any(|group| !requestor.in_group(group) && !requestor.in_group(MASTERS))
        {
            return Err(ImpersonationError::PrivilegedGroup);
        }
        if let Some(missing) = disguise.needed().into_iter().find(|needed| !allows(needed)) {
            let known = self.succeeded.lock().contains(&requestor.name);
            let denied = if known {
                missing
            } else {
                Wish { verb: format!("impersonate-on:{}:{}", kind_of(&disguise.username), wish.verb), ..wish.clone() }
            };
            return Err(ImpersonationError::Denied(Box::new(denied)));
        }
        self.succeeded.lock().insert(requestor.name.clone());
        Ok(disguise.user())
    }
}

/// Which right it takes to act as somebody for one request.
fn kind_of(username: &str) -> &'static str {
    if service_account(username).is_some() {
        "serviceaccount"
    } else if username.starts_with("system:node:") {
        "arbitrary-node"
    } else {
        "user-info"
    }
}

/// Namespace and name of a service account's user name.
fn service_account(username: &str) -> Option<(&str, &str)> {
    username.strip_prefix("system:serviceaccount:")?.split_once(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse::<http::HeaderName>().unwrap(), value.parse().unwrap())).collect()
    }

    fn asked(pairs: &[(&str, &str)]) -> Disguise {
        asked_for(&headers(pairs)).unwrap().unwrap()
    }

    #[test]
    fn everything_asked_for_needs_a_right() {
        let disguise = asked(&[
            ("Impersonate-User", "carol"),
            ("Impersonate-Group", "g"),
            ("Impersonate-Uid", "u"),
            ("Impersonate-Extra-Scopes", "view"),
        ]);
        let named: Vec<_> = disguise.needed().iter().map(|needed| needed.denial_details()["kind"].as_str().unwrap().to_owned()).collect();
        assert_eq!(named, ["users", "groups", "uids", "userextras"]);
        assert_eq!(disguise.user().groups, ["g", AUTHENTICATED]);
    }

    #[test]
    fn a_service_account_brings_its_groups() {
        let disguise = asked(&[("Impersonate-User", "system:serviceaccount:default:robot")]);
        assert_eq!(disguise.user().groups, ["system:serviceaccounts", "system:serviceaccounts:default", AUTHENTICATED]);
        let unauthenticated = asked(&[("Impersonate-User", "alice"), ("Impersonate-Group", UNAUTHENTICATED)]);
        assert_eq!(unauthenticated.user().groups, [UNAUTHENTICATED]);
    }

    #[test]
    fn a_group_without_user_is_a_bad_request() {
        let error = asked_for(&headers(&[("Impersonate-Group", "team-c")])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "requested &user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string{\"team-c\"}, Extra:map[string][]string(nil)} without impersonating a user name"
        );
    }

    #[test]
    fn refusals_name_the_request_until_the_plain_verb_has_worked() {
        let impersonation = Impersonation::default();
        let bob = User { name: "bob".into(), ..User::default() };
        let list = Wish::resource("list", ResourceWish::new("", "namespaces"));
        let ask = |allowed: bool| impersonation.decide(&bob, asked(&[("Impersonate-User", "alice")]), &list, true, |_| allowed);
        let Err(ImpersonationError::Denied(first)) = ask(false) else { panic!("allowed") };
        assert_eq!(first.verb, "impersonate-on:user-info:list");
        assert_eq!(ask(true).unwrap().name, "alice");
        let Err(ImpersonationError::Denied(second)) = ask(false) else { panic!("allowed") };
        assert_eq!((second.verb.as_str(), &second.denial_details()["name"]), ("impersonate", &serde_json::json!("alice")));
    }

    #[test]
    fn privileged_groups_are_out_of_reach() {
        let admin = User { name: "admin".into(), groups: vec![WORKSPACES_ADMIN.into()], ..User::default() };
        let disguise = asked(&[("Impersonate-User", "x"), ("Impersonate-Group", MASTERS)]);
        let answer = Impersonation::default().decide(&admin, disguise, &Wish::path("get", "/"), true, |_| true);
        assert_eq!(answer, Err(ImpersonationError::PrivilegedGroup));
    }
}
