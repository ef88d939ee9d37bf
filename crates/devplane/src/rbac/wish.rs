//! What is asked of the authoriser: a verb on a resource or on a plain path, without who asks and where.
//! Source: apiserver `authorization/authorizer/interfaces.go`.

use serde_json::{Map, Value, json};

use crate::request::{Attributes, User};
use crate::status::qualified;

/// One wish, to be allowed or denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// `get`, `list`, `create`, … or a special verb such as `bind` or `access`.
    pub verb: String,
    /// What the verb is about.
    pub about: About,
}

/// What a wish is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// Objects of a resource.
    Resource(ResourceWish),
    /// A path that serves no resource, such as `/version`.
    Path(String),
}

/// A resource, or one object of it. Empty text means "not given".
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResourceWish {
    /// API group; empty is the core group.
    pub group: String,
    /// Plural resource name.
    pub resource: String,
    /// `status`, `scale`, …; empty for the object itself.
    pub subresource: String,
    /// Namespace; empty at the cluster scope.
    pub namespace: String,
    /// Object name; empty for collections and creation.
    pub name: String,
}

impl ResourceWish {
    /// A cluster-wide resource without name.
    pub fn new(group: &str, resource: &str) -> Self {
        Self { group: group.into(), resource: resource.into(), ..Self::default() }
    }

    /// The same for one object.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// The same for a subresource.
    #[must_use]
    pub fn part(mut self, subresource: &str) -> Self {
        self.subresource = subresource.into();
        self
    }

    /// The same in a namespace.
    #[must_use]
    pub fn within(mut self, namespace: &str) -> Self {
        self.namespace = namespace.into();
        self
    }

    /// `resource` or `resource/subresource`.
    pub fn combined(&self) -> String {
        if self.subresource.is_empty() { self.resource.clone() } else { format!("{}/{}", self.resource, self.subresource) }
    }
}

impl From<&Attributes> for Wish {
    fn from(attributes: &Attributes) -> Self {
        if !attributes.is_resource {
            return Self::path(&attributes.verb, &attributes.path);
        }
        let target = ResourceWish::new(&attributes.group, &attributes.resource)
            .named(&attributes.name)
            .part(&attributes.subresource)
            .within(&attributes.namespace);
        Self::resource(&attributes.verb, target)
    }
}

impl Wish {
    /// A verb on a resource.
    pub fn resource(verb: &str, target: ResourceWish) -> Self {
        Self { verb: verb.into(), about: About::Resource(target) }
    }

    /// A verb on a path; what follows a question mark does not count.
    pub fn path(verb: &str, path: &str) -> Self {
        let path = path.split_once('?').map_or(path, |(path, _)| path);
        Self { verb: verb.into(), about: About::Path(path.into()) }
    }

    /// Entry to a workspace.
    pub fn access() -> Self {
        Self::path("access", "/")
    }

    /// The sentence that tells a user what may not be done. `reason` is appended when it is not empty.
    pub fn denial(&self, user: &User, reason: &str) -> String {
        let wish = match &self.about {
            About::Path(path) => format!("forbidden: User {:?} cannot {} path {path:?}", user.name, self.verb),
            About::Resource(target) => {
                let qualified = qualified(&target.resource, &target.group);
                let subject = if target.name.is_empty() { qualified } else { format!("{qualified} {:?}", target.name) };
                let scope = if target.namespace.is_empty() {
                    "at the cluster scope".to_owned()
                } else {
                    format!("in the namespace {:?}", target.namespace)
                };
                format!(
                    "{subject} is forbidden: User {:?} cannot {} resource {:?} in API group {:?} {scope}",
                    user.name,
                    self.verb,
                    target.combined(),
                    target.group
                )
            }
        };
        if reason.is_empty() { wish } else { format!("{wish}: {reason}") }
    }

    /// The `details` of the refusing Status.
    pub fn denial_details(&self) -> Value {
        let mut details = Map::new();
        if let About::Resource(target) = &self.about {
            for (field, value) in [("name", &target.name), ("group", &target.group), ("kind", &target.resource)] {
                if !value.is_empty() {
                    details.insert(field.into(), json!(value));
                }
            }
        }
        Value::Object(details)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alice() -> User {
        User { name: "alice".into(), ..User::default() }
    }

    #[test]
    fn a_named_object_in_a_namespace() {
        let wish = Wish::resource("patch", ResourceWish::new("g.dev", "widgets").named("a").part("status").within("n"));
        assert_eq!(
            wish.denial(&alice(), "access denied"),
            "widgets.g.dev \"a\" is forbidden: User \"alice\" cannot patch resource \"widgets/status\" in API group \"g.dev\" in the namespace \"n\": access denied"
        );
        assert_eq!(wish.denial_details(), json!({"name": "a", "group": "g.dev", "kind": "widgets"}));
    }

    #[test]
    fn a_path() {
        let wish = Wish::path("get", "/logs?limit=1");
        assert_eq!(wish.denial(&alice(), ""), "forbidden: User \"alice\" cannot get path \"/logs\"");
        assert_eq!(wish.denial_details(), json!({}));
    }
}
