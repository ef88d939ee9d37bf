//! Determines who can see, enable and request a promise, each with a reason (`domain.md` 1).
//!
//! The inputs are facts proven elsewhere: places by logical cluster id, lineages from Workspace objects, and the server's answers about the
//! user. A fact that couldn't be determined is `None`, and what depends on it is then unknown, never yes.

mod invisible;

use serde::{Deserialize, Serialize};

use crate::api::{Lifecycle, MissingRequirement, PromiseCatalogSpec, PromiseSpec, Visibility};
use crate::wording::all_of;
use crate::{glob, requirements};

pub use invisible::NotVisible;

/// A workspace: its identity and its path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Logical cluster id.
    pub cluster: String,
    /// Path, derived from Workspace objects.
    pub path: String,
}

/// A promise in its home workspace.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// Name of the promise.
    pub name: &'a str,
    /// Its home workspace.
    pub home: &'a Place,
    /// Its spec.
    pub spec: &'a PromiseSpec,
    /// Whether it is being deleted: it stays until its last instance is gone.
    pub is_deleting: bool,
}

/// A catalog in its home workspace.
#[derive(Clone, Copy, Debug)]
pub struct Shelf<'a> {
    /// Name of the PromiseCatalog.
    pub name: &'a str,
    /// Its home workspace.
    pub home: &'a Place,
    /// Whether that is a trusted home. Only those can offer promises outside their subtree.
    pub trusted: bool,
    /// Its spec.
    pub spec: &'a PromiseCatalogSpec,
}

/// Reason why a promise is visible in a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "camelCase")]
pub enum SeenBy {
    /// The workspace is its home.
    Home,
    /// The workspace is this many levels below its home.
    Descent {
        /// Number of levels between them.
        levels: usize,
    },
    /// A catalog lists it.
    Catalog {
        /// Name of the catalog.
        name: String,
        /// Its title, or else its name.
        title: String,
    },
}

/// An answer, with the reason if it isn't yes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "camelCase")]
pub enum Answer {
    /// Yes.
    Yes,
    /// No, with a sentence that says why and who can change it.
    No {
        /// The reason, as a sentence.
        why: String,
    },
    /// Unknown, with a sentence that says what is missing.
    Unknown {
        /// The reason, as a sentence.
        why: String,
    },
}

impl Answer {
    /// Whether it is certainly yes.
    pub fn is_yes(&self) -> bool {
        matches!(self, Self::Yes)
    }

    fn no(why: impl Into<String>) -> Self {
        Self::No { why: why.into() }
    }

    fn unknown(why: impl Into<String>) -> Self {
        Self::Unknown { why: why.into() }
    }
}

/// The server's answers about the workspace and the user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    /// Whether the workspace binds our API from the right export with the right identity.
    pub bound: Option<bool>,
    /// Shards that the portal doesn't read, if it finds no binding of our API for the workspace: the binding might be on one of them.
    #[serde(default)]
    pub unread_shards: Vec<String>,
    /// Claims of the export that the workspace hasn't accepted.
    pub missing_claims: Vec<String>,
    /// Whether the user can bind it.
    pub may_bind: Option<bool>,
    /// Requirements of the promise that the workspace lacks.
    pub missing_requirements: Vec<MissingRequirement>,
    /// Whether the user can create PromiseRequests there, checked with the server as the user.
    pub may_create: Option<bool>,
    /// Owner of the workspace, for sentences. `None` if unknown.
    pub owner: Option<String>,
}

/// The four states of a promise for a user in a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OfferAccess {
    /// Whether it is offered there.
    pub visible: Answer,
    /// Why it is visible. Absent if it isn't.
    pub seen_by: Option<SeenBy>,
    /// Whether the user can enable it there. Also yes if it is already enabled.
    pub bindable: Answer,
    /// Whether the workspace has everything that a request needs.
    pub enabled: Answer,
    /// Whether the user can request it now.
    pub requestable: Answer,
}

impl OfferAccess {
    /// Returns the same for a promise without a published version: a request would wait for one.
    #[must_use]
    pub fn unpublished(self) -> Self {
        Self {
            requestable: Answer::no("No version of this promise is published yet: its first one was refused. Ask its owner to fix it."),
            ..self
        }
    }
}

/// Returns why a promise is visible in a workspace. `lineage` is the path from the root to the workspace.
///
/// # Errors
/// If it isn't visible.
pub fn seen_by(offer: &Offer<'_>, lineage: &[Place], shelves: &[Shelf<'_>]) -> Result<SeenBy, NotVisible> {
    let Some(workspace) = lineage.last() else { return Err(NotVisible::WorkspaceUnknown) };
    if offer.is_deleting {
        return Err(NotVisible::Deleting { promise: offer.name.to_owned() });
    }
    match offer.spec.lifecycle {
        Lifecycle::Draft => return Err(NotVisible::Draft { promise: offer.name.to_owned() }),
        Lifecycle::Retired => return Err(retired(offer)),
        Lifecycle::Published | Lifecycle::Deprecated => {}
    }
    let level = lineage.iter().position(|place| place.cluster == offer.home.cluster);
    if let Some(level) = level {
        let levels = lineage.len() - 1 - level;
        if levels == 0 {
            return Ok(SeenBy::Home);
        }
        if offer.spec.visibility == Visibility::Descendants {
            return Ok(SeenBy::Descent { levels });
        }
    }
    match listings(offer, lineage, shelves).first() {
        Some(shelf) => {
            Ok(SeenBy::Catalog { name: shelf.name.to_owned(), title: shelf.spec.title.clone().unwrap_or_else(|| shelf.name.to_owned()) })
        }
        None => {
            Err(NotVisible::NotListed { promise: offer.name.to_owned(), workspace: workspace.path.clone(), home: offer.home.path.clone() })
        }
    }
}

/// Whether a workspace can know that this promise exists, even if it can't be requested there: one that is retired or being deleted, or a
/// draft of a home above. Users who name a promise of an unrelated workspace learn nothing about it.
pub fn is_known(offer: &Offer<'_>, lineage: &[Place], shelves: &[Shelf<'_>]) -> bool {
    let listed = || !listings(offer, lineage, shelves).is_empty();
    match lineage.iter().rev().position(|place| place.cluster == offer.home.cluster) {
        Some(0) => true,
        Some(_) => offer.spec.visibility == Visibility::Descendants || listed(),
        None => offer.spec.lifecycle != Lifecycle::Draft && listed(),
    }
}

/// Returns the catalogs that list a promise for a workspace, in display order: larger weight first, then by name.
pub fn listings<'s, 'a>(offer: &Offer<'_>, lineage: &[Place], shelves: &'s [Shelf<'a>]) -> Vec<&'s Shelf<'a>> {
    let mut listed = reaching(offer.home, lineage, shelves);
    listed.retain(|shelf| glob::any_name_matches(&shelf.spec.promises, offer.name));
    listed.sort_by(|a, b| b.spec.weight.cmp(&a.spec.weight).then(a.name.cmp(b.name)));
    listed
}

/// Returns the catalogs of a home that list anything for a workspace.
pub fn reaching<'s, 'a>(home: &Place, lineage: &[Place], shelves: &'s [Shelf<'a>]) -> Vec<&'s Shelf<'a>> {
    let Some(workspace) = lineage.last() else { return Vec::new() };
    let beside = lineage.iter().any(|place| place.cluster == home.cluster);
    let reaches = |shelf: &&Shelf<'_>| {
        shelf.home.cluster == home.cluster && (shelf.trusted || beside) && glob::any_path_matches(&shelf.spec.workspaces, &workspace.path)
    };
    shelves.iter().filter(reaches).collect()
}

fn retired(offer: &Offer<'_>) -> NotVisible {
    let (promise, deprecation) = (offer.name.to_owned(), offer.spec.deprecation.as_ref());
    match deprecation.and_then(|deprecation| deprecation.replaced_by.clone()) {
        Some(replaced_by) => NotVisible::Replaced { promise, replaced_by },
        None => NotVisible::Retired { promise },
    }
}

/// Returns the four states, each with its reason.
pub fn offer_access(offer: &Offer<'_>, lineage: &[Place], shelves: &[Shelf<'_>], facts: &Facts) -> OfferAccess {
    let path = lineage.last().map_or("this workspace", |place| place.path.as_str());
    let owner = owner(facts, path);
    let (visible, seen_by) = match seen_by(offer, lineage, shelves) {
        Ok(by) => (Answer::Yes, Some(by)),
        Err(why) => (Answer::no(why.to_string()), None),
    };
    let enabled = enabled(facts, path, &owner);
    let bindable = match (facts.bound, facts.may_bind) {
        (Some(true), _) | (_, Some(true)) => Answer::Yes,
        (_, Some(false)) => Answer::no(format!("You can't enable it in {path}. Ask {owner}.")),
        (_, None) => Answer::unknown(format!("We couldn't check whether you can enable it in {path}.")),
    };
    let requestable = [visible.clone(), enabled.clone(), creatable(facts, path, &owner)].into_iter().find(|answer| !answer.is_yes());
    OfferAccess { visible, seen_by, bindable, enabled, requestable: requestable.unwrap_or(Answer::Yes) }
}

/// Whether the user can request anything in the workspace at `path`, regardless of what is offered there.
pub fn open(facts: &Facts, path: &str) -> Answer {
    let owner = owner(facts, path);
    let closed = [enabled(facts, path, &owner), creatable(facts, path, &owner)].into_iter().find(|answer| !answer.is_yes());
    closed.unwrap_or(Answer::Yes)
}

fn owner(facts: &Facts, path: &str) -> String {
    facts.owner.clone().unwrap_or_else(|| format!("the owner of {path}"))
}

fn creatable(facts: &Facts, path: &str, owner: &str) -> Answer {
    match facts.may_create {
        Some(true) => Answer::Yes,
        Some(false) => Answer::no(format!("You can view requests in {path} but can't create them. Ask {owner} for access.")),
        None => Answer::unknown(format!("We couldn't check whether you can create requests in {path}.")),
    }
}

fn enabled(facts: &Facts, path: &str, owner: &str) -> Answer {
    match facts.bound {
        None => return Answer::unknown(format!("We couldn't check whether requests are enabled in {path}.")),
        Some(false) if !facts.unread_shards.is_empty() => {
            return Answer::no(format!(
                "The portal doesn't read requests of {path}: the workspace is on another shard ({}), or requests aren't enabled in it yet. \
                 Ask the platform team.",
                facts.unread_shards.join(", ")
            ));
        }
        Some(false) => {
            return Answer::no(format!("Requests aren't enabled in {path} yet. {owner} can enable them.", owner = upper(owner)));
        }
        Some(true) => {}
    }
    if !facts.missing_claims.is_empty() {
        return Answer::no(format!(
            "{path} doesn't let the platform access {}. {} can accept this.",
            all_of(&facts.missing_claims),
            upper(owner)
        ));
    }
    if let Some(problem) = requirements::problem(&facts.missing_requirements) {
        return Answer::no(problem.message);
    }
    Answer::Yes
}

fn upper(text: &str) -> String {
    crate::wording::upper_first(text)
}

/// Among several visible offers of one name, returns the index of the one that wins, and of those that it shadows. The nearest home wins.
///
/// `offers` are (home, reason). Homes above the workspace come first, nearest first, then others by path.
pub fn nearest(offers: &[(&Place, &SeenBy)]) -> Option<(usize, Vec<usize>)> {
    let mut order: Vec<usize> = (0..offers.len()).collect();
    order.sort_by_key(|index| {
        let (home, by) = offers[*index];
        let distance = match by {
            SeenBy::Home => 0,
            SeenBy::Descent { levels } => *levels,
            SeenBy::Catalog { .. } => usize::MAX,
        };
        (distance, &home.path, &home.cluster)
    });
    let (first, rest) = order.split_first()?;
    Some((*first, rest.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::{Answer, Facts, Offer, Place, SeenBy, Shelf, is_known, nearest, offer_access, open, seen_by};
    use crate::api::{Lifecycle, PromiseCatalogSpec, PromiseSpec, Visibility};

    fn place(path: &str) -> Place {
        Place { cluster: format!("id-{path}"), path: path.into() }
    }

    fn lineage(path: &str) -> Vec<Place> {
        let levels: Vec<&str> = path.split(':').collect();
        (1..=levels.len()).map(|count| place(&levels[..count].join(":"))).collect()
    }

    fn spec(lifecycle: Lifecycle, visibility: Visibility) -> PromiseSpec {
        PromiseSpec { lifecycle, visibility, ..PromiseSpec::default() }
    }

    #[test]
    fn a_promise_without_a_published_version_is_visible_and_cannot_be_requested() {
        let home = place("root:platform");
        let published = spec(Lifecycle::Published, Visibility::Descendants);
        let offer = Offer { name: "database", home: &home, spec: &published, is_deleting: false };
        let facts = Facts { bound: Some(true), may_create: Some(true), ..Facts::default() };
        let access = offer_access(&offer, &lineage("root:platform:team"), &[], &facts);
        assert!(access.requestable.is_yes());
        let refused = access.unpublished();
        assert!(refused.visible.is_yes() && matches!(refused.requestable, Answer::No { .. }));
    }

    #[test]
    fn offered_below_its_home_and_through_catalogs_of_trusted_homes() {
        let home = place("root:platform");
        let published = spec(Lifecycle::Published, Visibility::Descendants);
        let offer = Offer { name: "redis", home: &home, spec: &published, is_deleting: false };
        assert_eq!(seen_by(&offer, &lineage("root:platform:x"), &[]), Ok(SeenBy::Descent { levels: 1 }));
        assert!(seen_by(&offer, &lineage("root:acme:shop"), &[]).is_err());

        let listing =
            PromiseCatalogSpec { promises: vec!["*".into()], workspaces: vec!["root:acme:**".into()], ..PromiseCatalogSpec::default() };
        let shelf = |trusted| Shelf { name: "standard", home: &home, trusted, spec: &listing };
        assert!(matches!(seen_by(&offer, &lineage("root:acme:shop"), &[shelf(true)]), Ok(SeenBy::Catalog { .. })));
        assert!(seen_by(&offer, &lineage("root:acme:shop"), &[shelf(false)]).is_err(), "an untrusted home offers nothing outside");
        assert!(seen_by(&offer, &lineage("root:globex"), &[shelf(true)]).is_err());

        let draft = spec(Lifecycle::Draft, Visibility::Descendants);
        let offer = Offer { name: "redis", home: &home, spec: &draft, is_deleting: false };
        assert!(seen_by(&offer, &lineage("root:acme:shop"), &[shelf(true)]).is_err());
    }

    #[test]
    fn a_workspace_knows_what_stands_above_it_or_is_listed_for_it() {
        let home = place("root:acme");
        let listing =
            PromiseCatalogSpec { promises: vec!["*".into()], workspaces: vec!["root:globex:**".into()], ..PromiseCatalogSpec::default() };
        let shelf = Shelf { name: "standard", home: &home, trusted: true, spec: &listing };
        let known = |lifecycle, visibility, from: &str| {
            let spec = spec(lifecycle, visibility);
            is_known(&Offer { name: "redis", home: &home, spec: &spec, is_deleting: false }, &lineage(from), &[shelf])
        };
        let (all, own) = (Visibility::Descendants, Visibility::Private);
        for (lifecycle, visibility, from, expected) in [
            (Lifecycle::Draft, own, "root:acme", true),
            (Lifecycle::Draft, all, "root:acme:shop", true),
            (Lifecycle::Published, own, "root:acme:shop", false),
            (Lifecycle::Retired, all, "root:acme:shop", true),
            (Lifecycle::Retired, own, "root:globex:web", true),
            (Lifecycle::Draft, all, "root:globex:web", false),
            (Lifecycle::Published, all, "root:other", false),
        ] {
            assert_eq!(known(lifecycle, visibility, from), expected, "{lifecycle:?} {visibility:?} from {from}");
        }
    }

    #[test]
    fn identity_is_the_cluster_and_not_the_path() {
        let home = Place { cluster: "old".into(), path: "root:acme".into() };
        let published = spec(Lifecycle::Published, Visibility::Descendants);
        let offer = Offer { name: "redis", home: &home, spec: &published, is_deleting: false };
        assert!(seen_by(&offer, &lineage("root:acme:shop"), &[]).is_err(), "a reused path is another workspace");
    }

    #[test]
    fn a_workspace_that_might_be_on_another_shard_is_not_said_to_be_disabled() {
        let facts = Facts { bound: Some(false), may_create: Some(true), ..Facts::default() };
        let Answer::No { why } = open(&facts, "root:s1") else { panic!("expected a refusal") };
        assert!(why.contains("aren't enabled in root:s1 yet") && why.contains("can enable them"), "{why}");
        let facts = Facts { unread_shards: vec!["https://shard-2:6443".into()], ..facts };
        let Answer::No { why } = open(&facts, "root:s1") else { panic!("expected a refusal") };
        assert!(why.contains("doesn't read requests of root:s1") && why.contains("https://shard-2:6443"), "{why}");
        assert!(!why.contains("can enable them"), "{why}");
    }

    #[test]
    fn what_is_unknown_is_never_yes() {
        let home = place("root:acme");
        let published = spec(Lifecycle::Published, Visibility::Descendants);
        let offer = Offer { name: "redis", home: &home, spec: &published, is_deleting: false };
        let shop = lineage("root:acme:shop");
        let state = offer_access(&offer, &shop, &[], &Facts::default());
        assert!(matches!((&state.enabled, &state.requestable), (Answer::Unknown { .. }, Answer::Unknown { .. })));
        let facts = Facts { bound: Some(true), may_create: Some(false), ..Facts::default() };
        let Answer::No { why } = offer_access(&offer, &shop, &[], &facts).requestable else { panic!("expected a refusal") };
        assert!(why.contains("root:acme:shop"), "{why}");
        assert_eq!(open(&facts, "root:acme:shop"), Answer::no(why), "whatever is offered");
        let facts = Facts { bound: Some(true), may_create: Some(true), ..Facts::default() };
        assert!(open(&facts, "root:acme:shop").is_yes());
        assert!(offer_access(&offer, &shop, &[], &facts).requestable.is_yes());
        let facts = Facts { missing_claims: vec!["secrets".into()], ..facts };
        assert!(!offer_access(&offer, &shop, &[], &facts).requestable.is_yes());
    }

    #[test]
    fn the_nearest_home_wins() {
        let (far, near, shelf) = (place("root"), place("root:acme"), place("root:platform"));
        let by_shelf = SeenBy::Catalog { name: "c".into(), title: "c".into() };
        let offers = [(&shelf, &by_shelf), (&far, &SeenBy::Descent { levels: 2 }), (&near, &SeenBy::Descent { levels: 1 })];
        assert_eq!(nearest(&offers), Some((2, vec![1, 0])));
        assert_eq!(nearest(&[]), None);
    }
}
