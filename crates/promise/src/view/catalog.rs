//! What a workspace offers.

use serde::{Deserialize, Serialize};

use super::policy::PolicyLine;
use super::preflight::PriceView;
use super::sort::{Column, Sort};
use crate::api::Lifecycle;

/// Whether a person can ask for a promise here, with the reason when not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Availability {
    /// The state.
    pub state: AvailabilityState,
    /// Why not, as a sentence.
    pub reason: Option<String>,
}

/// The four answers that matter to a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AvailabilityState {
    /// It can be requested here.
    #[default]
    Available,
    /// Its API is not enabled in this workspace.
    Disabled,
    /// The person may not request it.
    Denied,
    /// It is no longer offered, or not yet.
    Closed,
}

/// A promise in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OfferRow {
    /// Name of the promise.
    pub name: String,
    /// Path of its home.
    pub home: String,
    /// Whether a nearer home hides it.
    pub shadowed: bool,
    /// Name for people.
    pub display_name: String,
    /// One sentence.
    pub summary: String,
    /// Category; empty when it has none.
    pub category: String,
    /// Tags.
    pub tags: Vec<String>,
    /// Name of its icon; empty when it has none.
    pub icon: String,
    /// Newest published version.
    pub version: String,
    /// Where in its life it is.
    pub lifecycle: Lifecycle,
    /// Shown first.
    pub featured: bool,
    /// Who answers questions; empty when nobody is named.
    pub team: String,
    /// Whether it can be requested here.
    pub availability: Availability,
    /// What it costs at least, such as `from 24.80 €/month`; empty where it costs nothing or nobody says.
    pub price: String,
    /// Shelf that it stands on; empty for none.
    pub shelf: String,
}

/// A value of a facet, and how many rows it leaves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FacetValue {
    /// Value, as in the address.
    pub value: String,
    /// For people.
    pub label: String,
    /// Rows that are left with it.
    pub count: usize,
    /// Whether it is in force.
    pub chosen: bool,
}

/// The values of a facet that can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facet {
    /// The most frequent ones, by name.
    pub values: Vec<FacetValue>,
    /// How many more there are.
    pub left_out: usize,
}

/// What a catalog can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogColumn {
    /// Name for people.
    Name,
    /// When it was published first.
    Published,
}

impl Column for CatalogColumn {
    const ALL: &'static [(Self, &'static str)] = &[(Self::Name, "name"), (Self::Published, "published")];

    fn is_descending_first(self) -> bool {
        self == Self::Published
    }
}

/// What narrows a catalog; as in the address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CatalogQuery {
    /// Words.
    pub q: String,
    /// One category.
    pub category: String,
    /// One tag.
    pub tag: String,
    /// One team.
    pub owner: String,
    /// One lifecycle.
    pub lifecycle: String,
    /// Order; as usual it is featured ones first, then by shelf and name.
    pub sort: Sort<CatalogColumn>,
    /// Page, from 1.
    pub page: usize,
}

/// A shelf of a catalog: what somebody put together, in their words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShelfLine {
    /// As [`OfferRow::shelf`] names it.
    pub id: String,
    /// Heading.
    pub title: String,
    /// A sentence; may be empty.
    pub description: String,
}

/// A catalog as one person sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogPage {
    /// Rows of this page, by shelf, and featured first on each.
    pub rows: Vec<OfferRow>,
    /// The shelves of these rows, in their order. Rows without a shelf come last.
    pub shelves: Vec<ShelfLine>,
    /// Rows of all pages with the filters in force.
    pub fit: usize,
    /// How many of these can be requested here.
    pub available: usize,
    /// Rows without any filter.
    pub total: usize,
    /// How many pages there are.
    pub pages: usize,
    /// Categories.
    pub categories: Facet,
    /// Tags.
    pub tags: Facet,
    /// Teams.
    pub owners: Facet,
    /// Lifecycles.
    pub lifecycles: Facet,
    /// What is in force.
    pub query: CatalogQuery,
}

/// A parameter in the overview of a promise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldLine {
    /// Path such as `.backup.enabled`.
    pub path: String,
    /// Label.
    pub label: String,
    /// Type in words.
    pub kind: String,
    /// Whether it has to be given.
    pub required: bool,
    /// Default in words; may be empty.
    pub default: String,
    /// What is allowed, in words; may be empty.
    pub allowed: String,
    /// Hint; may be empty.
    pub help: String,
}

/// A published version.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionLine {
    /// Version.
    pub version: String,
    /// Name of the revision.
    pub revision: String,
    /// RFC 3339 time.
    pub since: String,
    /// Whether new requests get it.
    pub newest: bool,
}

/// A named starting point of a form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StartLine {
    /// As [`crate::form::starts_from`] reads it.
    pub start: String,
    /// Name for people.
    pub title: String,
    /// One sentence; may be empty.
    pub description: String,
}

/// An example of a promise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExampleLine {
    /// Name.
    pub name: String,
    /// One sentence; may be empty.
    pub description: String,
    /// As [`crate::form::starts_from`] reads it.
    pub start: String,
    /// A whole PromiseRequest.
    pub yaml: String,
}

/// A link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkLine {
    /// Text.
    pub title: String,
    /// `https:` or `mailto:`.
    pub url: String,
}

/// An output that a promise gives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputLine {
    /// Name.
    pub name: String,
    /// One sentence; may be empty.
    pub description: String,
    /// Whether it is a secret.
    pub secret: bool,
}

/// Everything about a promise before one asks for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromisePage {
    /// What the list shows.
    pub row: OfferRow,
    /// Markdown.
    pub description: String,
    /// Further reading.
    pub links: Vec<LinkLine>,
    /// Address of the team; may be empty.
    pub contact: String,
    /// What its users should know.
    pub deprecation: Option<String>,
    /// Its parameters.
    pub fields: Vec<FieldLine>,
    /// Rules that apply here.
    pub policies: Vec<PolicyLine>,
    /// Why not all rules can be seen, and who can mend it.
    pub policies_unknown: Option<String>,
    /// What it costs with its defaults.
    pub price: PriceView,
    /// From which day on the defaults cost something else, as a sentence; absent where no list does that yet.
    pub next_price: Option<String>,
    /// Published versions, newest first.
    pub versions: Vec<VersionLine>,
    /// Named starting points of its form: link text, name for people, one sentence.
    pub presets: Vec<StartLine>,
    /// Examples.
    pub examples: Vec<ExampleLine>,
    /// What one gets.
    pub outputs: Vec<OutputLine>,
    /// Home of the nearer promise of this name.
    pub shadowed_by: Option<String>,
}
