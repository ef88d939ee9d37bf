//! Notification settings of a user: by event and channel, quiet hours, and digests.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Sort;
use crate::Problem;

/// Minutes in a day.
const DAY: u16 = 24 * 60;

/// Settings of one user. What the user hasn't chosen is as in [`Settings::default`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Rules by category. A missing category has the default.
    pub rules: BTreeMap<Sort, Rule>,
    /// Quiet hours, in which messages that can wait aren't sent.
    pub quiet: Option<Quiet>,
    /// IANA time zone name, for quiet hours and digests.
    pub zone: String,
    /// When digests are sent.
    pub digest: Digest,
}

impl Default for Settings {
    fn default() -> Self {
        Self { rules: BTreeMap::new(), quiet: None, zone: "UTC".to_owned(), digest: Digest::default() }
    }
}

/// Channels on which the user receives the events of a category.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rule {
    /// In the portal.
    pub portal: bool,
    /// By mail.
    pub mail: MailRule,
    /// Name of one of the operator's webhooks that users can choose. Empty for none.
    pub webhook: String,
}

impl Default for Rule {
    fn default() -> Self {
        Self { portal: true, mail: MailRule::Off, webhook: String::new() }
    }
}

/// Whether mails are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MailRule {
    /// No mails.
    #[default]
    Off,
    /// One mail for each event, immediately.
    AtOnce,
    /// In a digest.
    Digest,
}

impl MailRule {
    /// All values.
    pub const ALL: [Self; 3] = [Self::Off, Self::AtOnce, Self::Digest];

    /// Returns the value used in forms.
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::AtOnce => "atOnce",
            Self::Digest => "digest",
        }
    }

    /// Returns the display label.
    pub fn title(self) -> &'static str {
        match self {
            Self::Off => "Off",
            Self::AtOnce => "Immediately",
            Self::Digest => "Digest",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.word() == word)
    }
}

/// Quiet hours, in which messages that can wait aren't sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Quiet {
    /// First minute of the day.
    pub from: u16,
    /// Minute of the day at which they end. If it is before `from`, it is on the next day.
    pub to: u16,
    /// Whether all of Saturday and Sunday is included.
    #[serde(default)]
    pub weekends: bool,
}

/// When digests are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Digest {
    /// Frequency of the digests.
    pub rhythm: Rhythm,
    /// Minute of the day.
    pub at: u16,
}

impl Default for Digest {
    fn default() -> Self {
        Self { rhythm: Rhythm::Daily, at: 17 * 60 }
    }
}

/// Frequency of digests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Rhythm {
    /// Every day.
    #[default]
    Daily,
    /// On Mondays.
    Weekly,
}

impl Settings {
    /// Returns the rule of a category. Tasks for the user are always shown in the portal, whatever was chosen.
    pub fn rule(&self, sort: Sort) -> Rule {
        let usual = || match sort {
            Sort::Waits | Sort::Decisions | Sort::Trouble => Rule { mail: MailRule::AtOnce, ..Rule::default() },
            Sort::Progress | Sort::Budget => Rule::default(),
        };
        let rule = self.rules.get(&sort).cloned().unwrap_or_else(usual);
        Rule { portal: rule.portal || sort.is_always_shown(), ..rule }
    }

    /// Parses a posted form: `<sort>.portal`, `<sort>.mail`, `<sort>.webhook`, `quiet`, `quiet.from`, `quiet.to`, `quiet.weekends`, `zone`,
    /// `digest` and `digest.at`. `webhooks` are the allowed webhooks, and `is_zone` recognizes time zones. An invalid field keeps its
    /// default and gives a problem whose path is the name of the field.
    pub fn parse(pairs: &[(String, String)], webhooks: &[String], is_zone: impl Fn(&str) -> bool) -> (Self, Vec<Problem>) {
        let field = |name: &str| pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim());
        let mut problems = Vec::new();
        let mut problem = |path: &str, message: String| problems.push(Problem { path: path.to_owned(), message });
        let mut settings = Self::default();
        for sort in Sort::ALL {
            let of = |part: &str| format!("{}.{part}", sort.word());
            let mail = field(&of("mail")).map_or(Some(MailRule::Off), MailRule::parse);
            if mail.is_none() {
                problem(&of("mail"), "Choose off, immediately or digest.".to_owned());
            }
            let webhook = field(&of("webhook")).unwrap_or_default().to_owned();
            let known = webhook.is_empty() || webhooks.contains(&webhook);
            if !known {
                problem(&of("webhook"), format!("The channel {webhook} isn't available. Choose another one."));
            }
            let rule = Rule {
                portal: sort.is_always_shown() || field(&of("portal")).is_some(),
                mail: mail.unwrap_or_default(),
                webhook: if known { webhook } else { String::new() },
            };
            settings.rules.insert(sort, rule);
        }
        let mut minute = |name: &str, usual: u16| match field(name).map(parse_minute) {
            Some(Some(minute)) => minute,
            Some(None) => {
                problem(name, "Enter a time such as 07:30.".to_owned());
                usual
            }
            None => usual,
        };
        let (from, to) = (minute("quiet.from", 19 * 60), minute("quiet.to", 7 * 60));
        settings.digest.at = minute("digest.at", settings.digest.at);
        if field("quiet").is_some() {
            let weekends = field("quiet.weekends").is_some();
            if from == to {
                problem("quiet.to", "Choose another end time: quiet hours can't end when they begin.".to_owned());
            }
            settings.quiet = Some(Quiet { from, to, weekends });
        }
        match field("zone").filter(|zone| !zone.is_empty()) {
            Some(zone) if is_zone(zone) => settings.zone = zone.to_owned(),
            Some(zone) => problem("zone", format!("{zone} isn't a time zone. Enter one such as Europe/Berlin.")),
            None => {}
        }
        settings.digest.rhythm = match field("digest") {
            Some("weekly") => Rhythm::Weekly,
            _ => Rhythm::Daily,
        };
        (settings, problems)
    }
}

/// Parses `07:30` as minutes of the day.
fn parse_minute(text: &str) -> Option<u16> {
    let (hours, minutes) = text.split_once(':')?;
    let digits = |text: &str| (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text: &str| digits(text).then(|| text.parse::<u16>().ok()).flatten();
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let minute = hours * 60 + minutes;
    (minutes < 60 && minute < DAY).then_some(minute)
}

/// Formats minutes of the day as `07:30`.
pub fn clock(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> (Settings, Vec<Problem>) {
        let pairs: Vec<(String, String)> = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Settings::parse(&pairs, &["shop-ops".to_owned()], |zone| zone == "Europe/Berlin")
    }

    #[test]
    fn a_form_says_what_was_chosen() {
        let (settings, problems) = parse(&[
            ("progress.mail", "digest"),
            ("progress.webhook", "shop-ops"),
            ("budget.portal", "on"),
            ("quiet", "on"),
            ("quiet.from", "19:00"),
            ("quiet.to", "7:00"),
            ("quiet.weekends", "on"),
            ("zone", "Europe/Berlin"),
            ("digest", "weekly"),
            ("digest.at", "08:15"),
        ]);
        assert_eq!(problems, []);
        assert_eq!(settings.rule(Sort::Progress), Rule { portal: false, mail: MailRule::Digest, webhook: "shop-ops".into() });
        assert!(settings.rule(Sort::Budget).portal);
        assert!(settings.rule(Sort::Waits).portal, "what waits for somebody is always shown");
        assert_eq!(settings.rule(Sort::Waits).mail, MailRule::Off, "and need not be mailed");
        assert_eq!(settings.quiet, Some(Quiet { from: 1140, to: 420, weekends: true }));
        assert_eq!((settings.zone.as_str(), settings.digest), ("Europe/Berlin", Digest { rhythm: Rhythm::Weekly, at: 495 }));
        let text = serde_json::to_string(&settings).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
    }

    #[test]
    fn what_does_not_fit_is_said_beside_its_field() {
        let (_, problems) = parse(&[
            ("waits.mail", "sometimes"),
            ("waits.webhook", "theirs"),
            ("quiet", "on"),
            ("quiet.from", "24:00"),
            ("quiet.to", "19:00"),
            ("zone", "Mars/Olympus"),
            ("digest.at", "noon"),
        ]);
        let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(paths, ["waits.mail", "waits.webhook", "quiet.from", "digest.at", "quiet.to", "zone"]);
    }

    #[test]
    fn whoever_chose_nothing_hears_by_mail_of_what_needs_them() {
        let settings = Settings::default();
        assert_eq!(settings.rule(Sort::Waits).mail, MailRule::AtOnce);
        assert_eq!(settings.rule(Sort::Progress).mail, MailRule::Off);
        assert!(Sort::ALL.into_iter().all(|sort| settings.rule(sort).portal));
    }

    #[test]
    fn times_of_the_day_are_read_as_they_are_written() {
        for (text, minute) in [("00:00", Some(0)), ("7:5", Some(425)), ("23:59", Some(1439)), ("23:60", None), ("+7:00", None), ("7", None)]
        {
            assert_eq!(parse_minute(text), minute, "{text}");
        }
        assert_eq!(clock(425), "07:05");
    }
}
