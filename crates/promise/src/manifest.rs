//! Kubernetes objects in multi-document YAML files, with their position in the file.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_saphyr::{DefaultMessageFormatter, MessageFormatter as _};

use crate::form::yaml::places::{Place, Places};
use crate::form::yaml::{parse, repeated};

/// A problem at a place of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {field}{}{message}", .place.map(|place| format!(":{}:{}", place.line, place.column)).unwrap_or_default(), if field.is_empty() { "" } else { ": " })]
pub struct Defect {
    /// Name of the file.
    pub file: String,
    /// Where in the file. Absent for a file that can't be read.
    pub place: Option<Place>,
    /// Path of the field, such as `.spec.parameters`; empty for the whole object.
    pub field: String,
    /// What is wrong, with the fix.
    pub message: String,
}

impl Defect {
    /// A problem with a file as a whole.
    pub fn of_file(file: &str, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), place: None, field: String::new(), message: message.into() }
    }
}

/// The problems of some files, at least one, in the order of files and lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defects(Vec<Defect>);

impl Defects {
    /// Combines problems.
    ///
    /// # Errors
    /// If there is at least one.
    pub fn check(mut found: Vec<Defect>) -> Result<(), Self> {
        if found.is_empty() {
            return Ok(());
        }
        found.sort_by(|one, other| (&one.file, one.place).cmp(&(&other.file, other.place)));
        Err(Self(found))
    }
}

impl From<Defect> for Defects {
    fn from(defect: Defect) -> Self {
        Self(vec![defect])
    }
}

impl std::error::Error for Defects {}

impl std::fmt::Display for Defects {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let [one] = self.0.as_slice() {
            return one.fmt(f);
        }
        write!(f, "{} problems found:", self.0.len())?;
        self.0.iter().try_for_each(|defect| write!(f, "\n{defect}"))
    }
}

/// An object and its position in a file.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Name of the file.
    pub file: String,
    /// Line where its document begins, counted from 1.
    pub line: usize,
    /// The YAML that contains it.
    pub text: String,
    /// Path of the object inside that YAML; empty when it is the whole document.
    pub at: String,
    /// The object.
    pub object: Value,
}

impl Manifest {
    /// Reads all documents of a file: returns the objects, and errors for documents that aren't YAML or aren't objects with apiVersion,
    /// kind and name.
    pub fn read(file: &str, text: &str) -> (Vec<Self>, Vec<Defect>) {
        let (mut manifests, mut errors) = (Vec::new(), Vec::new());
        for (line, text) in documents(text) {
            let read = parse(text)
                .map_err(|error| unreadable(file, line, text, &error))
                .and_then(|object: Value| Self { file: file.to_owned(), line, text: text.to_owned(), at: String::new(), object }.checked());
            match read {
                Ok(manifest) => manifests.push(manifest),
                Err(error) => errors.push(error),
            }
        }
        (manifests, errors)
    }

    /// Returns the object at the path `at` of a larger file.
    ///
    /// # Errors
    /// If it isn't an object with apiVersion, kind and name.
    pub fn inside(file: &str, text: &str, at: &str, object: Value) -> Result<Self, Defect> {
        Self { file: file.to_owned(), line: 1, text: text.to_owned(), at: at.to_owned(), object }.checked()
    }

    fn checked(self) -> Result<Self, Defect> {
        match [".apiVersion", ".kind", ".metadata.name"].into_iter().find(|field| self.text_at(field).is_empty()) {
            Some(field) => Err(self.wrong(field, "is missing")),
            None => Ok(self),
        }
    }

    /// Returns the string at a path such as `.metadata.name`; empty if there is none.
    pub fn text_at(&self, path: &str) -> &str {
        self.object.pointer(&path.replace('.', "/")).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns kind and name, for people.
    pub fn title(&self) -> String {
        format!("{} {}", self.text_at(".kind"), self.text_at(".metadata.name"))
    }

    /// Returns an error about a field of this object.
    pub fn wrong(&self, field: &str, message: &str) -> Defect {
        let place = Places::of(&self.text).place(&format!("{}{field}", self.at));
        Defect {
            file: self.file.clone(),
            place: Some(Place { line: self.line + place.line - 1, column: place.column }),
            field: format!("{}{field}", self.at),
            message: message.to_owned(),
        }
    }

    /// Parses `spec` into its type, so that a misspelt or missing field is reported with its line.
    ///
    /// # Errors
    /// If the spec doesn't match the type.
    pub fn spec<T: DeserializeOwned>(&self) -> Result<T, Defect> {
        #[derive(serde::Deserialize)]
        struct Whole<T> {
            spec: T,
        }
        let whole: Whole<T> = parse(&self.text).map_err(|error| unreadable(&self.file, self.line, &self.text, &error))?;
        Ok(whole.spec)
    }
}

/// Returns an error of the YAML parser for a text that starts at `line` of its file, with the field at that position.
pub fn unreadable(file: &str, line: usize, text: &str, error: &serde_saphyr::Error) -> Defect {
    let number = |n| usize::try_from(n).unwrap_or(1).max(1);
    let place = error.location().map(|at| Place { line: number(at.line()), column: number(at.column()) });
    let place = place.unwrap_or(Place { line: 1, column: 1 });
    let message = repeated(error).unwrap_or_else(|| DefaultMessageFormatter.format_message(error.without_snippet()).into_owned());
    let message = message.lines().next().unwrap_or_default().to_owned();
    let field = Places::of(text).field(place);
    Defect { file: file.to_owned(), place: Some(Place { line: line + place.line - 1, column: place.column }), field, message }
}

/// Returns the documents of a file with their first lines, without those that consist only of comments.
fn documents(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut begin, mut first) = (0, 1);
    let mut position = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if is_separator(line) {
            found.push((first, &text[begin..position]));
            (begin, first) = (position + line.len(), number + 2);
        }
        position += line.len();
    }
    found.push((first, &text[begin..]));
    found.retain(|(_, text)| text.lines().any(|line| !matches!(line.trim_start().chars().next(), None | Some('#'))));
    found
}

/// Checks whether a line is a separator: three hyphens, optionally followed by a comment.
fn is_separator(line: &str) -> bool {
    line.strip_prefix("---")
        .is_some_and(|rest| rest.trim().is_empty() || (rest.starts_with([' ', '\t']) && rest.trim_start().starts_with('#')))
}

#[cfg(test)]
mod tests {
    use crate::api::PolicySpec;

    use super::*;

    const TWO: &str =
        "# first\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels: {}\n";

    #[test]
    fn each_document_knows_its_line() {
        let (one, errors) = Manifest::read("a.yaml", TWO);
        assert_eq!((one.len(), one[0].title().as_str(), one[0].line), (1, "ConfigMap a", 1));
        assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a.yaml:8:1: .metadata.name: is missing"]);
        let (two, _) = Manifest::read("a.yaml", "kind: A\n--- # the next\napiVersion: v1\nkind: B\nmetadata: {name: b}\n");
        assert_eq!((two[0].title().as_str(), two[0].line), ("B b", 3));
    }

    #[test]
    fn broken_yaml_names_its_line() {
        let error = Manifest::read("a.yaml", &format!("{TWO}  name: [\n")).1.remove(0).to_string();
        assert!(error.starts_with("a.yaml:"), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }

    #[test]
    fn a_field_that_is_given_twice_is_named() {
        let error = Manifest::read("a.yaml", &format!("{TWO}  labels: {{a: b}}\n")).1.remove(0).to_string();
        assert_eq!(error, "a.yaml:10:3: Remove the second labels: a field can be given once.");
    }

    /// Many examples have more commented lines than others.
    #[test]
    fn any_number_of_comments_is_read() {
        let commented = "    # someone: turned this off\n".repeat(2_000);
        let text = format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels:\n{commented}    a: b\n{commented}");
        let (read, errors) = Manifest::read("a.yaml", &text);
        assert_eq!((read.len(), errors), (1, Vec::new()));
        assert_eq!(read[0].text_at(".metadata.labels.a"), "b");
    }

    #[test]
    fn numbers_are_those_of_kubectl() {
        let (read, _) = Manifest::read("a.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nmode: 0400\n");
        assert_eq!(read[0].object["mode"], 0o400);
    }

    #[test]
    fn a_spec_of_the_wrong_type_names_line_and_field() {
        let text = "apiVersion: x/v1\nkind: Policy\nmetadata: {name: a}\nspec:\n  enforcement: sometimes\n  rules: []\n";
        let error = Manifest::read("p.yaml", text).0[0].spec::<PolicySpec>().unwrap_err().to_string();
        assert!(error.starts_with("p.yaml:5:") && error.contains(".spec.enforcement: ") && error.contains("sometimes"), "{error}");
    }
}
