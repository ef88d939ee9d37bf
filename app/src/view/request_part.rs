//! The parts of the page of a request.

/// A part of a request's page, as the address names it in `view`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestPart {
    /// Outputs, resources and recent activity.
    #[default]
    Overview,
    /// Every resource.
    Resources,
    /// The requested values.
    Configuration,
    /// Every policy that was evaluated.
    Policies,
    /// The manifests, line by line.
    Adds,
    /// The recorded releases.
    Releases,
    /// Day-2 actions and their runs.
    Actions,
    /// Activity, and events about the request itself.
    History,
    /// Events about the objects and their pods.
    Events,
    /// Logs of pods.
    Logs,
    /// The object.
    Yaml,
}

impl RequestPart {
    /// All parts, in the order of their tabs.
    pub const ALL: [Self; 11] = [
        Self::Overview,
        Self::Resources,
        Self::Configuration,
        Self::Policies,
        Self::Adds,
        Self::Releases,
        Self::Actions,
        Self::History,
        Self::Events,
        Self::Logs,
        Self::Yaml,
    ];

    /// Returns the word for it in the address. The overview has none.
    pub fn word(self) -> &'static str {
        match self {
            Self::Overview => "",
            Self::Resources => "resources",
            Self::Configuration => "configuration",
            Self::Policies => "policies",
            Self::Adds => "adds",
            Self::Releases => "releases",
            Self::Actions => "actions",
            Self::History => "history",
            Self::Events => "events",
            Self::Logs => "logs",
            Self::Yaml => "yaml",
        }
    }
}
