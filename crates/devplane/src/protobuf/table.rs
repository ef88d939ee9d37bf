//! The table of messages, read at the first use.

use std::{collections::HashMap, sync::LazyLock};

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    /// Text.
    Text,
    /// `true` or `false`.
    Flag,
    /// A whole number of 32 bits.
    Int32,
    /// A whole number of 64 bits.
    Int64,
    /// Bytes; base64 in JSON.
    Bytes,
    /// A time to the second.
    Time,
    /// A time to the microsecond.
    MicroTime,
    /// A quantity such as `500m`.
    Quantity,
    /// A number or a text.
    IntOrString,
    /// JSON within the message.
    Raw,
    /// A list of texts with a message of its own around it.
    Wrapped,
    /// The message at this place of the table.
    Message(usize),
}

/// How often a field is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// Always; empty means unsaid.
    One,
    /// Once or not at all; empty is a value.
    Maybe,
    /// A list.
    List,
    /// A map with texts as keys.
    Map,
}

/// One field of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    pub(super) number: u32,
    /// Its place in the Go structure.
    pub(super) place: usize,
    /// Name in JSON.
    pub(super) name: &'static str,
    /// Whether the fields of this message stand among those of the one around it.
    pub(super) inline: bool,
    pub(super) count: Count,
    /// Whether JSON has it even if it is empty.
    pub(super) always: bool,
    pub(super) kind: Type,
}

/// The fields of a message, by number.
pub(super) type Message = Vec<Field>;

/// The package of what all groups share.
const META: &str = "meta";

struct Table {
    messages: Vec<Message>,
    /// `apps/v1.DeploymentSpec` and so on, in the order of `messages`.
    names: Vec<&'static str>,
    places: HashMap<&'static str, usize>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("messages.txt")));

/// The message of a kind.
pub(super) fn message(api_version: &str, kind: &str) -> Option<&'static Message> {
    place(api_version, kind).map(at)
}

fn place(api_version: &str, kind: &str) -> Option<usize> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let package = match group.split('.').next().unwrap_or_default() {
        "" => "core",
        // Options of requests say the group and version that they are sent to, or this.
        "meta" => META,
        first => first,
    };
    let place = |package: &str| TABLE.places.get(format!("{package}/{version}.{kind}").as_str()).copied();
    let options = ["DeleteOptions", "WatchEvent"].contains(&kind).then(|| TABLE.places.get(format!("{META}/v1.{kind}").as_str()).copied());
    // What the server says about itself has the version of the core group.
    place(package).or_else(|| if group.is_empty() { place(META) } else { options.flatten() })
}

/// The Go structure that has the last field of a path, and the Go type of that field, as Go's JSON decoder names them in its errors:
/// `("DeploymentSpec", "int32")`. None where the table does not know the path; items of lists and values of maps are no steps.
pub fn go_names(api_version: &str, kind: &str, path: &[String]) -> Option<(&'static str, String)> {
    let mut place = place(api_version, kind)?;
    let mut found = None;
    for name in path {
        let (of, field) = field_of(place, name)?;
        found = Some((short(of), go_type(field)));
        if let Type::Message(next) = field.kind {
            place = next;
        }
    }
    found
}

/// The field of this name, with the place of the message that has it: an inlined one, perhaps.
fn field_of(place: usize, name: &str) -> Option<(usize, &'static Field)> {
    at(place).iter().find_map(|field| match field.kind {
        Type::Message(inner) if field.inline => field_of(inner, name),
        _ => (field.name == name).then_some((place, field)),
    })
}

/// `DeploymentSpec` of `apps/v1.DeploymentSpec`.
pub(super) fn short(place: usize) -> &'static str {
    let name = TABLE.names.get(place).copied().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(_, short)| short)
}

/// Whether a message is of the package that all groups share.
pub(super) fn is_shared(place: usize) -> bool {
    TABLE.names.get(place).is_some_and(|name| name.starts_with("meta/"))
}

fn go_type(field: &Field) -> String {
    let own = match field.kind {
        Type::Text => "string".to_owned(),
        Type::Flag => "bool".to_owned(),
        Type::Int32 => "int32".to_owned(),
        Type::Int64 => "int64".to_owned(),
        Type::Bytes => "[]uint8".to_owned(),
        Type::Time => "v1.Time".to_owned(),
        Type::MicroTime => "v1.MicroTime".to_owned(),
        Type::Quantity => "resource.Quantity".to_owned(),
        Type::IntOrString => "intstr.IntOrString".to_owned(),
        Type::Raw => "runtime.RawExtension".to_owned(),
        Type::Wrapped => "v1.ExtraValue".to_owned(),
        Type::Message(place) => {
            let name = TABLE.names.get(place).copied().unwrap_or_default();
            name.split_once('/').map_or(name, |(_, versioned)| versioned).to_owned()
        }
    };
    match field.count {
        Count::One | Count::Maybe => own,
        Count::List => format!("[]{own}"),
        Count::Map => format!("map[string]{own}"),
    }
}

/// The message at a place of the table.
pub(super) fn at(place: usize) -> &'static Message {
    static NONE: Message = Vec::new();
    TABLE.messages.get(place).unwrap_or(&NONE)
}

impl Table {
    fn read(text: &'static str) -> Self {
        let lines = || text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let names = lines().filter(|line| !line.contains(' '));
        let names: Vec<&str> = names.collect();
        let places: HashMap<&str, usize> = names.iter().enumerate().map(|(place, name)| (*name, place)).collect();
        let mut messages = Vec::with_capacity(places.len());
        for line in lines() {
            let mut words = line.split(' ');
            match (words.next(), words.next(), words.next(), messages.last_mut()) {
                (Some(number), Some(name), Some(kind), Some(message)) => {
                    let message: &mut Message = message;
                    let place = message.len();
                    message.extend(field(number, name, kind, &places).map(|field| Field { place, ..field }));
                }
                _ => messages.push(Message::new()),
            }
        }
        // On the wire fields come by their numbers.
        messages.iter_mut().for_each(|message| message.sort_by_key(|field| field.number));
        Self { messages, names, places }
    }
}

fn field(number: &str, name: &'static str, kind: &str, places: &HashMap<&str, usize>) -> Option<Field> {
    let (always, kind) = kind.strip_prefix('!').map_or((false, kind), |rest| (true, rest));
    let (count, kind) = match kind.split_at_checked(1)? {
        ("?", rest) => (Count::Maybe, rest),
        ("[", rest) => (Count::List, rest),
        ("{", rest) => (Count::Map, rest),
        _ => (Count::One, kind),
    };
    let kind = match kind {
        "string" => Type::Text,
        "bool" => Type::Flag,
        "int32" => Type::Int32,
        "int64" => Type::Int64,
        "bytes" => Type::Bytes,
        "time" => Type::Time,
        "micro-time" => Type::MicroTime,
        "quantity" => Type::Quantity,
        "int-or-string" => Type::IntOrString,
        "raw" => Type::Raw,
        "wrapped" => Type::Wrapped,
        message => Type::Message(*places.get(message)?),
    };
    Some(Field { number: number.parse().ok()?, place: 0, name, inline: name == ".", count, always, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_understood() {
        let text = include_str!("messages.txt");
        let fields = text.lines().filter(|line| !line.starts_with('#') && line.contains(' ')).count();
        assert_eq!(TABLE.messages.iter().map(Vec::len).sum::<usize>(), fields);
    }

    #[test]
    fn go_names_are_those_of_the_innermost_structure() {
        let names = |api_version: &str, kind: &str, path: &[&str]| {
            go_names(api_version, kind, &path.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(names("apps/v1", "Deployment", &["spec", "replicas"]), Some(("DeploymentSpec", "int32".into())));
        assert_eq!(names("v1", "ConfigMap", &["data"]), Some(("ConfigMap", "map[string]string".into())));
        assert_eq!(names("v1", "Pod", &["metadata", "ownerReferences", "kind"]), Some(("OwnerReference", "string".into())));
        assert_eq!(names("meta/v1", "ObjectMeta", &["finalizers"]), Some(("ObjectMeta", "[]string".into())));
        assert_eq!(names("v1", "ConfigMap", &["nothing"]), None);
    }

    #[test]
    fn every_built_in_kind_has_a_message() {
        // Definitions of custom resources are of another module of Kubernetes, and their clients write JSON.
        let missing: Vec<&str> = crate::registry::builtin::kubernetes()
            .iter()
            .chain(crate::registry::builtin::workspace())
            .filter(|resource| resource.group != "apiextensions.k8s.io" && message(&resource.api_version(), &resource.kind).is_none())
            .map(|resource| resource.kind.as_str())
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
