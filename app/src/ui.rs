//! The design system: primitives without product terms. `/dev/ui` shows all of them.

mod badge;
mod banner;
mod button;
pub mod chart;
mod copy;
mod empty;
mod graph;
mod head;
mod icon;
mod live;
mod moment;
mod pager;
mod person;
mod reading;
mod tabs;
mod texts;

pub use badge::{Badge, Shape, Status};
pub use banner::Banner;
pub use button::{HiddenToken, LinkButton, SubmitButton, Weight};
pub use copy::{Code, CopyButton};
pub use empty::Empty;
pub use graph::{Graph, Layers, Node};
pub use head::{Crumb, Crumbs, PageHead, Tile};
pub use icon::{Icon, SPRITE, SPRITE_ADDRESS};
pub use live::LiveState;
pub use moment::{Moment, date, day, day_and_time, day_in_year, due, span};
pub use pager::{Pager, paged};
pub use person::{Avatar, Person, person_name};
pub use reading::Reading;
pub use tabs::{Tab, Tabs};
