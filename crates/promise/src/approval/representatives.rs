//! Matches approvers to named users and groups for rules that require `all`.
//!
//! Each approver counts for only one name, so two groups need two people even if someone is in both. The approvers are matched to the names
//! as distinct representatives. The result depends only on who approved, not on the order of the approvals or of the evaluation.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::api::{Approvers, Requester};
use crate::identity::PersonId;

/// An approver, by position.
type Speaker = usize;

/// A user or group that a rule names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Named<'a> {
    User(&'a str),
    Group(&'a str),
}

impl Named<'_> {
    fn name(self) -> String {
        match self {
            Self::User(name) | Self::Group(name) => name.to_owned(),
        }
    }
}

/// Returns the names without a representative: groups first, each once. If groups share members, names that come first are matched first.
/// `agreed` contains each person once; `home` is the workspace of the rule.
pub(super) fn missing(approvers: &Approvers, home: &str, agreed: &[&Requester]) -> Vec<String> {
    let mut people: BTreeMap<Named<'_>, Vec<Speaker>> = BTreeMap::new();
    for (speaker, person) in agreed.iter().enumerate() {
        let id = person.person(home);
        let is_meant = |named: &Named<'_>| match named {
            Named::User(user) => id == PersonId::named(user, home),
            Named::Group(group) => person.groups.iter().any(|own| own == group),
        };
        named(approvers).into_iter().filter(is_meant).for_each(|named| people.entry(named).or_default().push(speaker));
    }
    let mut matching = Matching::default();
    let mut left: Vec<Named<'_>> = named(approvers).into_iter().filter(|named| !matching.augment(*named, &people)).collect();
    left.sort_by_key(|named| matches!(named, Named::User(_)));
    left.into_iter().map(Named::name).collect()
}

/// Returns since when every name has a representative. Decisions come with their times in seconds since 1970. If the rule names no one,
/// every approver is accepted.
pub(super) fn since(approvers: &Approvers, home: &str, agreed: &[(i64, &Requester)]) -> Option<i64> {
    let mut times: Vec<i64> = agreed.iter().map(|(at, _)| *at).collect();
    times.sort_unstable();
    let is_whole = |until: i64| {
        let people: Vec<&Requester> = agreed.iter().filter(|(at, _)| *at <= until).map(|(_, person)| *person).collect();
        missing(approvers, home, &people).is_empty()
    };
    // An additional approver never removes a representative, so a first such time exists.
    let short = times.partition_point(|until| !is_whole(*until));
    times.get(short).copied()
}

/// Returns the names of a rule, each once. Users come first because they can only represent themselves.
fn named(approvers: &Approvers) -> Vec<Named<'_>> {
    let users = approvers.users.iter().map(|user| Named::User(user.as_str()));
    let groups = approvers.groups.iter().map(|group| Named::Group(group.as_str()));
    let mut seen = BTreeSet::new();
    users.chain(groups).filter(|named| seen.insert(*named)).collect()
}

/// The assignment of approvers to names so far.
#[derive(Default)]
struct Matching<'a> {
    speaks_for: BTreeMap<Speaker, Named<'a>>,
    /// The reverse map.
    speaker: BTreeMap<Named<'a>, Speaker>,
}

impl<'a> Matching<'a> {
    /// Finds a representative for one more name, reassigning others if necessary: an augmenting path. Names that have a representative keep
    /// one. Returns whether it succeeded.
    fn augment(&mut self, named: Named<'a>, people: &BTreeMap<Named<'a>, Vec<Speaker>>) -> bool {
        // The name through which each person was reached. The path can be as long as user input makes it, so this doesn't recurse.
        let mut reached: BTreeMap<Speaker, Named<'a>> = BTreeMap::new();
        let mut queue = VecDeque::from([named]);
        while let Some(at) = queue.pop_front() {
            for person in people.get(&at).into_iter().flatten().copied() {
                let Entry::Vacant(entry) = reached.entry(person) else { continue };
                entry.insert(at);
                match self.speaks_for.get(&person).copied() {
                    Some(other) => queue.push_back(other),
                    None => {
                        self.shift(person, &reached);
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Reassigns everyone on the path back from `last` to the name through which they were reached.
    fn shift(&mut self, last: Speaker, reached: &BTreeMap<Speaker, Named<'a>>) {
        let mut next = Some(last);
        while let Some(person) = next {
            let Some(named) = reached.get(&person).copied() else { return };
            self.speaks_for.insert(person, named);
            next = self.speaker.insert(named, person);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{missing, since};
    use crate::api::{Approvers, Requester};

    fn words(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn approvers(groups: &[&str], users: &[&str]) -> Approvers {
        Approvers { groups: words(groups), users: words(users) }
    }

    fn person(name: &str, groups: &[&str]) -> Requester {
        Requester { username: name.to_owned(), groups: words(groups), cluster: None }
    }

    #[test]
    fn a_table_of_who_is_missing() {
        let two = || approvers(&["legal", "security"], &[]);
        let three = || approvers(&["legal", "security", "finance"], &[]);
        let and_amara = || approvers(&["legal"], &["amara"]);
        let cases = [
            ("nobody agreed", two(), vec![], vec!["legal", "security"]),
            ("one person of both groups", two(), vec![person("a", &["legal", "security"])], vec!["security"]),
            ("two people of both groups", two(), vec![person("a", &["legal", "security"]), person("b", &["legal", "security"])], vec![]),
            ("one of both and one of the first", two(), vec![person("a", &["legal", "security"]), person("b", &["legal"])], vec![]),
            ("one of both and one of the second", two(), vec![person("a", &["legal", "security"]), person("b", &["security"])], vec![]),
            ("two of the same group", two(), vec![person("a", &["legal"]), person("b", &["legal"])], vec!["security"]),
            ("one of both and one of none", two(), vec![person("a", &["security", "legal"]), person("b", &["staff"])], vec!["security"]),
            (
                "two for three",
                three(),
                vec![person("a", &["legal", "security", "finance"]), person("b", &["security", "finance"])],
                vec!["finance"],
            ),
            (
                "everybody moves up",
                three(),
                vec![person("a", &["legal", "security"]), person("b", &["security", "finance"]), person("c", &["legal"])],
                vec![],
            ),
            ("a user of a group", and_amara(), vec![person("amara", &["legal"])], vec!["legal"]),
            ("a user of a group, and another one", and_amara(), vec![person("amara", &["legal"]), person("b", &["legal"])], vec![]),
            ("the group without the user", and_amara(), vec![person("a", &["legal"]), person("b", &["legal"])], vec!["amara"]),
            ("a group named twice", approvers(&["legal", "legal"], &[]), vec![person("a", &["legal"])], vec![]),
            ("a user named twice", approvers(&[], &["amara", "amara"]), vec![person("amara", &[])], vec![]),
            ("a group with the name of a user", approvers(&["amara"], &["amara"]), vec![person("amara", &[])], vec!["amara"]),
            ("nobody is named", approvers(&[], &[]), vec![person("a", &[])], vec![]),
        ];
        for (what, approvers, people, left) in cases {
            let mut agreed: Vec<&Requester> = people.iter().collect();
            assert_eq!(missing(&approvers, "", &agreed), left, "{what}");
            agreed.reverse();
            assert_eq!(missing(&approvers, "", &agreed), left, "{what}, the other way round");
        }
    }

    #[test]
    fn it_is_enough_from_when_the_last_is_spoken_for() {
        let two = approvers(&["legal", "security"], &[]);
        let (both, first, second) = (person("a", &["legal", "security"]), person("b", &["legal"]), person("c", &["security"]));
        assert_eq!(since(&two, "", &[]), None);
        assert_eq!(since(&two, "", &[(5, &both)]), None);
        for votes in [[(5, &both), (3, &first), (9, &second)], [(9, &second), (5, &both), (3, &first)]] {
            assert_eq!(since(&two, "", &votes), Some(5), "whoever is in both speaks for the second");
        }
        assert_eq!(since(&two, "", &[(7, &first), (7, &second)]), Some(7));
        let anybody = approvers(&[], &[]);
        assert_eq!(since(&anybody, "", &[(5, &both), (3, &first)]), Some(3));
        assert_eq!(since(&anybody, "", &[]), None);
    }

    const GROUPS: [&str; 4] = ["one", "two", "three", "four"];

    /// Returns the maximum number of groups from this one on that can have a representative, by brute force. `taken` is a bit set of
    /// people.
    fn most(group: usize, members: &[Vec<bool>], taken: u32) -> usize {
        if group == GROUPS.len() {
            return 0;
        }
        let free = (0..members.len()).filter(|person| members[*person][group] && (taken & (1_u32 << *person)) == 0);
        let with = free.map(|person| 1 + most(group + 1, members, taken | (1_u32 << person))).max().unwrap_or_default();
        with.max(most(group + 1, members, taken))
    }

    proptest! {
        #[test]
        fn as_many_are_spoken_for_as_can_be(
            voices in prop::collection::vec((0..5_i64, prop::collection::vec(any::<bool>(), GROUPS.len())), 0..6),
        ) {
            let all = approvers(&GROUPS, &[]);
            let people: Vec<Requester> = voices.iter().enumerate().map(|(index, (_, is_in))| {
                let groups: Vec<&str> = GROUPS.iter().zip(is_in).filter(|(_, is_in)| **is_in).map(|(group, _)| *group).collect();
                person(&format!("p{index}"), &groups)
            }).collect();
            let mut agreed: Vec<&Requester> = people.iter().collect();
            let members: Vec<Vec<bool>> = voices.iter().map(|(_, is_in)| is_in.clone()).collect();
            let left = missing(&all, "", &agreed);
            prop_assert_eq!(left.len(), GROUPS.len() - most(0, &members, 0));
            agreed.reverse();
            prop_assert_eq!(missing(&all, "", &agreed), left);

            let mut times: Vec<i64> = voices.iter().map(|(at, _)| *at).collect();
            times.sort_unstable();
            let first = times.into_iter().find(|until| {
                let members: Vec<Vec<bool>> = voices.iter().filter(|(at, _)| at <= until).map(|(_, is_in)| is_in.clone()).collect();
                most(0, &members, 0) == GROUPS.len()
            });
            let mut dated: Vec<(i64, &Requester)> = voices.iter().map(|(at, _)| *at).zip(&people).collect();
            prop_assert_eq!(since(&all, "", &dated), first);
            dated.reverse();
            prop_assert_eq!(since(&all, "", &dated), first);
        }
    }
}
