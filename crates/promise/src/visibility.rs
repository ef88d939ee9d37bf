//! Who sees, can enable and may request a promise, each with a reason (`domain.md` 1).
//!
//! The inputs are facts that others proved: places by logical cluster id, lineages from Workspace objects, and what the plane
//! answered about the person. A fact that nobody could establish is `None`, and what hangs on it is then unknown, never yes.

use serde::{Deserialize, Serialize};

use crate::api::{Lifecycle, PromiseCatalogSpec, PromiseSpec, Visibility};
use crate::wording::all_of;
use crate::{glob, requirements};

/// A workspace: its identity and how people call it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Logical cluster id.
    pub cluster: String,
    /// Path, derived from Workspace objects.
    pub path: String,
}

/// A promise at its home.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// Name of the promise.
    pub name: &'a str,
    /// Where it lives.
    pub home: &'a Place,
    /// Its spec.
    pub spec: &'a PromiseSpec,
}

/// A catalog at its home.
#[derive(Clone, Copy, Debug)]
pub struct Shelf<'a> {
    /// Name of the PromiseCatalog.
    pub name: &'a str,
    /// Where it lives.
    pub home: &'a Place,
    /// Whether that is a trusted home; only those offer outside their subtree.
    pub trusted: bool,
    /// Its spec.
    pub spec: &'a PromiseCatalogSpec,
}

/// Why a promise is seen in a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "camelCase")]
pub enum SeenBy {
    /// The workspace is its home.
    Home,
    /// The workspace lies below its home, this many levels.
    Descent {
        /// Levels between.
        levels: usize,
    },
    /// A catalog lists it.
    Catalog {
        /// Name of the catalog.
        name: String,
        /// Its title, else its name.
        title: String,
    },
}

/// Whether something holds, with the reason when it does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "camelCase")]
pub enum Answer {
    /// It holds.
    Yes,
    /// It does not; a sentence says why and who can change it.
    No {
        /// The sentence.
        why: String,
    },
    /// Nobody could tell; a sentence says what is missing.
    Unknown {
        /// The sentence.
        why: String,
    },
}

impl Answer {
    /// Whether it certainly holds.
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

/// What the plane said about the workspace and the person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    /// Whether the workspace binds our API with the right export and identity.
    pub bound: Option<bool>,
    /// Shards that the portal does not read, where the workspace does not bind our API as far as the portal sees: it might be on one of them.
    #[serde(default)]
    pub unread_shards: Vec<String>,
    /// Claims of the export that the workspace does not accept.
    pub missing_claims: Vec<String>,
    /// Whether the person may bind it.
    pub may_bind: Option<bool>,
    /// What the promise requires and the workspace does not have, in words.
    pub missing_requirements: Vec<String>,
    /// Whether the person may create PromiseRequests there, asked of the plane as the person.
    pub may_create: Option<bool>,
    /// Who owns the workspace, for sentences; `None` when unknown.
    pub owner: Option<String>,
}

/// The four states of a promise for a person in a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Standing {
    /// Whether it is offered there.
    pub visible: Answer,
    /// By what; absent when it is not.
    pub seen_by: Option<SeenBy>,
    /// Whether the person can enable it there; yes also when it is enabled.
    pub bindable: Answer,
    /// Whether the workspace has everything that a request needs.
    pub enabled: Answer,
    /// Whether the person may request it now.
    pub requestable: Answer,
}

/// Why a promise is seen in a workspace, else a sentence that says why not. `lineage` leads from the root to the workspace.
///
/// # Errors
/// The sentence.
pub fn seen_by(offer: &Offer<'_>, lineage: &[Place], shelves: &[Shelf<'_>]) -> Result<SeenBy, String> {
    let Some(workspace) = lineage.last() else {
        return Err("The workspace cannot be placed in the tree.".to_owned());
    };
    match offer.spec.lifecycle {
        Lifecycle::Draft => return Err(format!("{} is a draft: its team has not published it yet.", offer.name)),
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
        None => Err(format!("{} is not offered to {}: no catalog of {} lists it there.", offer.name, workspace.path, offer.home.path)),
    }
}

/// Whether a workspace may know that there is this promise at all, though it may be unable to order it: one that is retired, or a draft of a
/// home above. Whoever names a promise of somebody else's workspace learns nothing by that.
pub fn is_known(offer: &Offer<'_>, lineage: &[Place], shelves: &[Shelf<'_>]) -> bool {
    let listed = || !listings(offer, lineage, shelves).is_empty();
    match lineage.iter().rev().position(|place| place.cluster == offer.home.cluster) {
        Some(0) => true,
        Some(_) => offer.spec.visibility == Visibility::Descendants || listed(),
        None => offer.spec.lifecycle != Lifecycle::Draft && listed(),
    }
}

/// The catalogs that list a promise for a workspace, in the order in which they are shown: larger weight first, then by name.
pub fn listings<'s, 'a>(offer: &Offer<'_>, lineage: &[Place], shelves: &'s [Shelf<'a>]) -> Vec<&'s Shelf<'a>> {
    let mut listed = reaching(offer.home, lineage, shelves);
    listed.retain(|shelf| glob::any_name_matches(&shelf.spec.promises, offer.name));
    listed.sort_by(|a, b| b.spec.weight.cmp(&a.spec.weight).then(a.name.cmp(b.name)));
    listed
}

/// The catalogs of a home that list anything for a workspace.
pub fn reaching<'s, 'a>(home: &Place, lineage: &[Place], shelves: &'s [Shelf<'a>]) -> Vec<&'s Shelf<'a>> {
    let Some(workspace) = lineage.last() else { return Vec::new() };
    let beside = lineage.iter().any(|place| place.cluster == home.cluster);
    let reaches = |shelf: &&Shelf<'_>| {
        shelf.home.cluster == home.cluster && (shelf.trusted || beside) && glob::any_path_matches(&shelf.spec.workspaces, &workspace.path)
    };
    shelves.iter().filter(reaches).collect()
}

fn retired(offer: &Offer<'_>) -> String {
    let instead = offer.spec.deprecation.as_ref().and_then(|deprecation| deprecation.replaced_by.as_ref());
    match instead {
        Some(other) => format!("{} is retired. Use {other} instead.", offer.name),
        None => format!("{} is retired and takes no new requests.", offer.name),
    }
}

/// The four states, each with its reason.
pub fn standing(offer: &Offer<'_>, lineage: &[Place], shelves: &[Shelf<'_>], facts: &Facts) -> Standing {
    let path = lineage.last().map_or("this workspace", |place| place.path.as_str());
    let owner = owner(facts, path);
    let (visible, seen_by) = match seen_by(offer, lineage, shelves) {
        Ok(by) => (Answer::Yes, Some(by)),
        Err(why) => (Answer::no(why), None),
    };
    let enabled = enabled(facts, path, &owner);
    let bindable = match (facts.bound, facts.may_bind) {
        (Some(true), _) | (_, Some(true)) => Answer::Yes,
        (_, Some(false)) => Answer::no(format!("You may not enable it in {path}. Ask {owner}.")),
        (_, None) => Answer::unknown(format!("Whether you may enable it in {path} could not be found out.")),
    };
    let requestable = [visible.clone(), enabled.clone(), creatable(facts, path, &owner)].into_iter().find(|answer| !answer.is_yes());
    Standing { visible, seen_by, bindable, enabled, requestable: requestable.unwrap_or(Answer::Yes) }
}

/// Whether the person may ask for anything in the workspace at `path`, whatever is offered there.
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
        Some(false) => Answer::no(format!("You may look at requests in {path} and not create them. Ask {owner} for the right to.")),
        None => Answer::unknown(format!("Whether you may create requests in {path} could not be found out.")),
    }
}

fn enabled(facts: &Facts, path: &str, owner: &str) -> Answer {
    match facts.bound {
        None => return Answer::unknown(format!("Whether requests are enabled in {path} could not be found out.")),
        Some(false) if !facts.unread_shards.is_empty() => {
            return Answer::no(format!(
                "The portal does not read requests of {path}: it is on another shard ({}), or requests are not enabled in it yet. Ask the \
                 platform team.",
                facts.unread_shards.join(", ")
            ));
        }
        Some(false) => {
            return Answer::no(format!("Requests are not enabled in {path} yet. {owner} can enable them.", owner = upper(owner)));
        }
        Some(true) => {}
    }
    if !facts.missing_claims.is_empty() {
        return Answer::no(format!(
            "{path} does not let the platform work with {}. {} can accept that.",
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

/// Of several visible offers of one name, the index of the one that wins, and of those it shadows: the nearest home wins.
///
/// `offers` are (home, seen by); homes above the workspace come before all others, nearest first, then others by path.
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
    use super::{Answer, Facts, Offer, Place, SeenBy, Shelf, is_known, nearest, open, seen_by, standing};
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
    fn offered_below_its_home_and_through_catalogs_of_trusted_homes() {
        let home = place("root:platform");
        let published = spec(Lifecycle::Published, Visibility::Descendants);
        let offer = Offer { name: "redis", home: &home, spec: &published };
        assert_eq!(seen_by(&offer, &lineage("root:platform:x"), &[]), Ok(SeenBy::Descent { levels: 1 }));
        assert!(seen_by(&offer, &lineage("root:acme:shop"), &[]).is_err());

        let listing =
            PromiseCatalogSpec { promises: vec!["*".into()], workspaces: vec!["root:acme:**".into()], ..PromiseCatalogSpec::default() };
        let shelf = |trusted| Shelf { name: "standard", home: &home, trusted, spec: &listing };
        assert!(matches!(seen_by(&offer, &lineage("root:acme:shop"), &[shelf(true)]), Ok(SeenBy::Catalog { .. })));
        assert!(seen_by(&offer, &lineage("root:acme:shop"), &[shelf(false)]).is_err(), "an untrusted home offers nothing outside");
        assert!(seen_by(&offer, &lineage("root:globex"), &[shelf(true)]).is_err());

        let draft = spec(Lifecycle::Draft, Visibility::Descendants);
        let offer = Offer { name: "redis", home: &home, spec: &draft };
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
            is_known(&Offer { name: "redis", home: &home, spec: &spec }, &lineage(from), &[shelf])
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
        let offer = Offer { name: "redis", home: &home, spec: &published };
        assert!(seen_by(&offer, &lineage("root:acme:shop"), &[]).is_err(), "a reused path is another workspace");
    }

    #[test]
    fn a_workspace_that_might_be_on_another_shard_is_not_said_to_be_disabled() {
        let facts = Facts { bound: Some(false), may_create: Some(true), ..Facts::default() };
        let Answer::No { why } = open(&facts, "root:s1") else { panic!("expected a refusal") };
        assert!(why.contains("not enabled in root:s1 yet") && why.contains("can enable them"), "{why}");
        let facts = Facts { unread_shards: vec!["https://shard-2:6443".into()], ..facts };
        let Answer::No { why } = open(&facts, "root:s1") else { panic!("expected a refusal") };
        assert!(why.contains("does not read requests of root:s1") && why.contains("https://shard-2:6443"), "{why}");
        assert!(!why.contains("can enable them"), "{why}");
    }

    #[test]
    fn what_is_unknown_is_never_yes() {
        let home = place("root:acme");
        let published = spec(Lifecycle::Published, Visibility::Descendants);
        let offer = Offer { name: "redis", home: &home, spec: &published };
        let shop = lineage("root:acme:shop");
        let state = standing(&offer, &shop, &[], &Facts::default());
        assert!(matches!((&state.enabled, &state.requestable), (Answer::Unknown { .. }, Answer::Unknown { .. })));
        let facts = Facts { bound: Some(true), may_create: Some(false), ..Facts::default() };
        let Answer::No { why } = standing(&offer, &shop, &[], &facts).requestable else { panic!("expected a refusal") };
        assert!(why.contains("root:acme:shop"), "{why}");
        assert_eq!(open(&facts, "root:acme:shop"), Answer::no(why), "whatever is offered");
        let facts = Facts { bound: Some(true), may_create: Some(true), ..Facts::default() };
        assert!(open(&facts, "root:acme:shop").is_yes());
        assert!(standing(&offer, &shop, &[], &facts).requestable.is_yes());
        let facts = Facts { missing_claims: vec!["secrets".into()], ..facts };
        assert!(!standing(&offer, &shop, &[], &facts).requestable.is_yes());
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
