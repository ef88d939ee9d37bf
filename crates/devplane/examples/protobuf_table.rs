//! Writes `src/protobuf/messages.txt` anew from the Go types of Kubernetes, whose tags hold field numbers and JSON names.
//!
//! `cargo run -p devplane --example protobuf_table -- API APIMACHINERY > crates/devplane/src/protobuf/messages.txt`, where the
//! arguments are the directories of the Go modules `k8s.io/api` and `k8s.io/apimachinery`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Packages of the kinds that the plane serves, with the names of their import path as Go files shorten it.
const PACKAGES: [&str; 17] = [
    "core/v1",
    "admissionregistration/v1",
    "apps/v1",
    "authentication/v1",
    "authorization/v1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "certificates/v1",
    "coordination/v1",
    "discovery/v1",
    "events/v1",
    "networking/v1",
    "policy/v1",
    "rbac/v1",
    "scheduling/v1",
    "storage/v1",
];

/// What all kinds share.
const META: &str = "meta/v1";

/// Structures that have a form of their own in JSON; the words of the table for them.
const OWN_FORMS: [(&str, &str); 7] = [
    ("meta/v1.Time", "time"),
    ("meta/v1.MicroTime", "micro-time"),
    ("meta/v1.FieldsV1", "raw"),
    ("meta/v1.Duration", "duration"),
    ("resource.Quantity", "quantity"),
    ("intstr.IntOrString", "int-or-string"),
    ("runtime.RawExtension", "raw"),
];

/// One field: number, name (`.` for a structure whose fields stand inline in JSON), type.
struct Field {
    number: u32,
    name: String,
    kind: String,
}

#[derive(Default)]
struct Source {
    /// Structures by `package.Name`.
    messages: BTreeMap<String, Vec<(u32, String, String, bool)>>,
    /// Other named types, as they are defined.
    names: BTreeMap<String, String>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(api), Some(machinery)) = (arguments.next(), arguments.next()) else {
        return Err("needs the directories of k8s.io/api and k8s.io/apimachinery".into());
    };
    let mut source = Source::default();
    for package in PACKAGES {
        source.read(package, &Path::new(&api).join(package))?;
    }
    source.read(META, &Path::new(&machinery).join("pkg/apis/meta/v1"))?;
    source.print();
    Ok(())
}

impl Source {
    fn read(&mut self, package: &str, directory: &Path) -> std::io::Result<()> {
        let text = std::fs::read_to_string(directory.join("types.go"))?;
        let mut open: Option<String> = None;
        for line in text.lines().map(str::trim) {
            if let Some(message) = &open {
                if line == "}" {
                    open = None;
                } else if let Some(field) = field(line) {
                    self.messages.entry(message.clone()).or_default().push(field);
                }
            } else if let Some(rest) = line.strip_prefix("type ") {
                let (name, definition) = rest.split_once(' ').unwrap_or((rest, ""));
                let name = format!("{package}.{name}");
                if definition.starts_with("struct {") {
                    self.messages.entry(name.clone()).or_default();
                    open = (!definition.ends_with('}')).then_some(name);
                } else {
                    self.names.insert(name, definition.to_owned());
                }
            }
        }
        Ok(())
    }

    /// Writes all that kinds with metadata reach, and what the server itself says.
    fn print(&self) {
        let order = "Fields have the order of the Go structures.";
        println!("# Protobuf messages of Kubernetes 1.36, written by examples/protobuf_table.rs: field number, JSON name, type. {order}");
        println!("# ?: may be absent, !: written even if empty, [: list, {{: map of texts; the name . has its fields inline.");
        let is_kind = |fields: &[(u32, String, String, bool)]| {
            fields.iter().any(|(number, name, _, _)| *number == 1 && name == "metadata") && fields.len() > 1
        };
        let own = ["DeleteOptions", "Status", "WatchEvent", "PartialObjectMetadata", "PartialObjectMetadataList"];
        let mut wanted: Vec<String> = self.messages.iter().filter(|(_, fields)| is_kind(fields)).map(|(name, _)| name.clone()).collect();
        wanted.extend(own.map(|name| format!("{META}.{name}")));
        let mut seen = BTreeSet::new();
        while let Some(message) = wanted.pop() {
            if seen.insert(message.clone()) {
                wanted.extend(self.fields(&message).into_iter().filter(|field| field.kind.contains('/')).map(|field| {
                    let at = field.kind.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or_default();
                    field.kind[at..].to_owned()
                }));
            }
        }
        for message in seen {
            println!("\n{message}");
            for Field { number, name, kind } in self.fields(&message) {
                println!("{number} {name} {kind}");
            }
        }
    }

    fn fields(&self, message: &str) -> Vec<Field> {
        let package = message.rsplit_once('.').map_or("", |(package, _)| package);
        let declared = self.messages.get(message).into_iter().flatten();
        let fields = declared.map(|(number, name, go, always)| Field {
            number: *number,
            name: name.clone(),
            kind: format!("{}{}", if *always { "!" } else { "" }, self.kind(package, go)),
        });
        fields.collect()
    }

    /// The word of the table for a Go type.
    fn kind(&self, package: &str, go: &str) -> String {
        if let Some(rest) = go.strip_prefix('*') {
            return format!("?{}", self.kind(package, rest));
        }
        match go {
            "string" | "bool" | "int32" | "int64" => return go.to_owned(),
            "[]byte" => return "bytes".to_owned(),
            "types.UID" | "types.NodeName" => return "string".to_owned(),
            _ => {}
        }
        if let Some(rest) = go.strip_prefix("[]") {
            return format!("[{}", self.kind(package, rest));
        }
        if let Some(rest) = go.strip_prefix("map[") {
            let values = rest.split_once(']').map_or("", |(_, values)| values);
            return format!("{{{}", self.kind(package, values));
        }
        let full = match go.split_once('.') {
            Some(("metav1", name)) => format!("{META}.{name}"),
            Some(("v1" | "apiv1" | "corev1", name)) => format!("core/v1.{name}"),
            Some(("authenticationv1", name)) => format!("authentication/v1.{name}"),
            Some(_) => go.to_owned(),
            None => format!("{package}.{go}"),
        };
        if let Some((_, word)) = OWN_FORMS.iter().find(|(name, _)| *name == full) {
            return (*word).to_owned();
        }
        match self.names.get(&full) {
            // A message around the list on the wire, the list alone in JSON.
            Some(definition) if definition.starts_with("[]") => "wrapped".to_owned(),
            Some(definition) => self.kind(full.rsplit_once('.').map_or(package, |(package, _)| package), definition),
            None => full,
        }
    }
}

/// A line of a structure: number, JSON name, Go type, and whether it is written even if it is empty.
fn field(line: &str) -> Option<(u32, String, String, bool)> {
    if line.starts_with("//") {
        return None;
    }
    let (declared, tags) = line.split_once('`')?;
    let tag = |name: &str| tags.split_once(&format!("{name}:\"")).and_then(|(_, rest)| rest.split('"').next());
    // Some tags name the field alone, without wire type and number; those are written by hand in Go, and none is of ours.
    let number = tag("protobuf")?.split(',').nth(1)?.parse().ok()?;
    let json = tag("json")?;
    let mut parts = json.split(',');
    let name = parts.next().unwrap_or_default();
    let options: Vec<&str> = parts.collect();
    let mut words = declared.split_whitespace();
    let go = words.next_back()?;
    let inline = options.contains(&"inline");
    let go = go.to_owned();
    Some((
        number,
        if inline { ".".to_owned() } else { name.to_owned() },
        go,
        !inline && !options.iter().any(|option| option.starts_with("omit")),
    ))
}
