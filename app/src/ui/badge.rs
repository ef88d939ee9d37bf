//! Status: colour, shape and word, always all three.

use leptos::prelude::*;

use super::icon::SPRITE_ADDRESS;

/// A state with its own shape and colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Disc with a tick.
    Ready,
    /// Half-filled ring.
    Provisioning,
    /// Hourglass.
    Waiting,
    /// Triangle.
    Degraded,
    /// Octagon with a cross.
    Failed,
    /// Ring with a bar.
    Denied,
    /// Dashed ring with a question mark.
    #[default]
    Unknown,
    /// Square with a minus.
    Deleting,
    /// Empty ring: not reached yet.
    Ahead,
}

impl Shape {
    /// All shapes, for the gallery.
    pub const ALL: [Self; 9] = [
        Self::Ready,
        Self::Provisioning,
        Self::Waiting,
        Self::Degraded,
        Self::Failed,
        Self::Denied,
        Self::Unknown,
        Self::Deleting,
        Self::Ahead,
    ];

    /// Returns the word in `data-st`, which sets the colour.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Provisioning => "provisioning",
            Self::Waiting => "waiting",
            Self::Degraded => "degraded",
            Self::Failed => "failed",
            Self::Denied => "denied",
            Self::Unknown => "unknown",
            Self::Deleting => "deleting",
            Self::Ahead => "ahead",
        }
    }

    pub(super) fn drawing(self) -> &'static str {
        match self {
            Self::Ready => {
                r#"<circle cx="8" cy="8" r="7" fill="currentColor"/><path d="M4.7 8.2l2.3 2.3 4.3-4.8" fill="none" stroke="var(--canvas)" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/>"#
            }
            Self::Provisioning => {
                r#"<circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2"/><path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor"/>"#
            }
            Self::Waiting => {
                r#"<path d="M3.5 1.8h9M3.5 14.2h9M4.8 2v2.4L8 8l3.2-3.6V2M4.8 14v-2.4L8 8l3.2 3.6V14" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/>"#
            }
            Self::Degraded => {
                r#"<path d="M8 1.4 15 13.6a1 1 0 0 1-.9 1.4H1.9A1 1 0 0 1 1 13.6z" fill="currentColor"/><path d="M8 6v3.4M8 12v.1" stroke="var(--canvas)" stroke-width="1.8" stroke-linecap="round"/>"#
            }
            Self::Failed => {
                r#"<path d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.900V5.1z" fill="currentColor"/><path d="m5.600 5.600 4.800 4.800m0-4.800-4.800 4.800" stroke="var(--canvas)" stroke-width="1.8" stroke-linecap="round"/>"#
            }
            Self::Denied => {
                r#"<circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2"/><path d="M4.500 11.500l7-7" stroke="currentColor" stroke-width="2"/>"#
            }
            Self::Unknown => {
                r#"<circle cx="8" cy="8" r="6.300" fill="none" stroke="currentColor" stroke-width="1.500" stroke-dasharray="2.600 1.900"/><path d="M6.300 6.300a1.800 1.800 0 1 1 2.600 1.600c-.6.3-.9.700-.9 1.300M8 11.300v.1" fill="none" stroke="currentColor" stroke-width="1.500" stroke-linecap="round"/>"#
            }
            Self::Deleting => {
                r#"<rect x="1.500" y="1.500" width="13" height="13" rx="3" fill="currentColor"/><path d="M5 8h6" stroke="var(--canvas)" stroke-width="1.800" stroke-linecap="round"/>"#
            }
            Self::Ahead => r#"<circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.500"/>"#,
        }
    }

    /// Renders the drawing alone, from the sprite and hidden from screen readers; a word is shown beside it.
    pub fn svg(self) -> impl IntoView {
        view! { <svg class="shape" aria-hidden="true"><use href=format!("{}#s-{}", *SPRITE_ADDRESS, self.word())></use></svg> }
    }
}

/// Shape and word in running text or a table.
#[component]
pub fn Status(shape: Shape, #[prop(into)] word: String) -> impl IntoView {
    view! { <span class="st" data-st=shape.word()>{shape.svg()}{word}</span> }
}

/// Shape and word on a soft ground, beside a headline.
#[component]
pub fn Badge(shape: Shape, #[prop(into)] word: String) -> impl IntoView {
    view! { <span class="badge" data-st=shape.word()>{shape.svg()}{word}</span> }
}
