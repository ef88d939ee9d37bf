//! Icons: drawings from Lucide, in a file that all pages use by name.
//!
//! Lucide, ISC License, Copyright (c) Lucide Icons and Contributors: permission to use, copy, modify and distribute for any purpose with or
//! without fee is granted, provided that the copyright notice and this permission notice appear in all copies.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::LazyLock;

use leptos::prelude::*;

use super::badge::Shape;

/// The sprite: every icon and every shape of a status as a symbol, in one file that browsers keep.
pub static SPRITE: LazyLock<String> = LazyLock::new(|| {
    let icons = DRAWINGS.iter().map(|(name, drawing)| format!(r#"<symbol id="i-{name}" viewBox="0 0 24 24">{drawing}</symbol>"#));
    let shape = |shape: &Shape| format!(r#"<symbol id="s-{}" viewBox="0 0 16 16">{}</symbol>"#, shape.word(), shape.drawing());
    let symbols: String = icons.chain(Shape::ALL.iter().map(shape)).collect();
    format!(r#"<svg xmlns="http://www.w3.org/2000/svg">{symbols}</svg>"#)
});

/// Address of the sprite: another one for other drawings.
pub static SPRITE_ADDRESS: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    SPRITE.hash(&mut hasher);
    format!("/assets/icons.{:08x}.svg", hasher.finish() as u32)
});

/// An icon of the sprite; a word is shown beside it, so screen readers skip it.
#[component]
pub fn Icon(#[prop(into)] name: String) -> impl IntoView {
    let name = if DRAWINGS.iter().any(|(known, _)| *known == name) { name } else { "box".to_owned() };
    view! { <svg class="icon" aria-hidden="true"><use href=format!("{}#i-{name}", *SPRITE_ADDRESS)></use></svg> }
}

const DRAWINGS: &[(&str, &str)] = &[
    ("arrow-right", r#"<path d="m12 5 7 7-7 7M5 12h14"/>"#),
    ("arrow-left", r#"<path d="m12 19-7-7 7-7M19 12H5"/>"#),
    (
        "box",
        r#"<path d="M21 8a2 2 0 0 0-1-1.73l-7-4a2 2 0 0 0-2 0l-7 4A2 2 0 0 0 3 8v8a2 2 0 0 0 1 1.73l7 4a2 2 0 0 0 2 0l7-4A2 2 0 0 0 21 16Z"/><path d="m3.300 7 8.700 5 8.700-5M12 22V12"/>"#,
    ),
    ("app-window", r#"<rect x="2" y="4" width="20" height="16" rx="2"/><path d="M10 4v4M2 8h20M6 4v4"/>"#),
    ("archive", r#"<rect width="20" height="5" x="2" y="3" rx="1"/><path d="M4 8v11a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V8M10 12h4"/>"#),
    ("chart-column", r#"<path d="M3 3v16a2 2 0 0 0 2 2h16M18 17V9M13 17V5M8 17v-3"/>"#),
    (
        "bell",
        r#"<path d="M10.300 21a2 2 0 0 0 3.400 0M3.300 15.300A1 1 0 0 0 4 17h16a1 1 0 0 0 .700-1.700C19.400 14 18 12.500 18 8A6 6 0 0 0 6 8c0 4.500-1.400 5.900-2.700 7.300"/>"#,
    ),
    ("check", r#"<path d="M20 6 9 17l-5-5"/>"#),
    ("chevron-down", r#"<path d="m6 9 6 6 6-6"/>"#),
    ("chevron-right", r#"<path d="m9 18 6-6-6-6"/>"#),
    ("chevrons-up-down", r#"<path d="m7 15 5 5 5-5M7 9l5-5 5 5"/>"#),
    ("copy", r#"<rect width="14" height="14" x="8" y="8" rx="2"/><path d="M4 16a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2"/>"#),
    ("database", r#"<ellipse cx="12" cy="5" rx="9" ry="3"/><path d="M3 5v14a9 3 0 0 0 18 0V5M3 12a9 3 0 0 0 18 0"/>"#),
    (
        "eye",
        r#"<path d="M2.062 12.348a1 1 0 0 1 0-.696 10.750 10.750 0 0 1 19.876 0 1 1 0 0 1 0 .696 10.750 10.750 0 0 1-19.876 0"/><circle cx="12" cy="12" r="3"/>"#,
    ),
    (
        "git-pull-request-arrow",
        r#"<circle cx="5" cy="6" r="3"/><path d="M5 9v12"/><circle cx="19" cy="18" r="3"/><path d="m15 9-3-3 3-3M12 6h5a2 2 0 0 1 2 2v7"/>"#,
    ),
    ("globe", r#"<circle cx="12" cy="12" r="10"/><path d="M12 2a14.500 14.500 0 0 0 0 20 14.500 14.500 0 0 0 0-20M2 12h20"/>"#),
    (
        "house",
        r#"<path d="M15 21v-8a1 1 0 0 0-1-1h-4a1 1 0 0 0-1 1v8"/><path d="M3 10a2 2 0 0 1 .709-1.528l7-6a2 2 0 0 1 2.582 0l7 6A2 2 0 0 1 21 10v9a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z"/>"#,
    ),
    (
        "layout-grid",
        r#"<rect width="7" height="7" x="3" y="3" rx="1"/><rect width="7" height="7" x="14" y="3" rx="1"/><rect width="7" height="7" x="14" y="14" rx="1"/><rect width="7" height="7" x="3" y="14" rx="1"/>"#,
    ),
    ("layers", r#"<path d="m12 3 9 5-9 5-9-5zM3 12.500l9 5 9-5M3 17l9 5 9-5"/>"#),
    ("lock", r#"<rect width="18" height="11" x="3" y="11" rx="2"/><path d="M7 11V7a5 5 0 0 1 10 0v4"/>"#),
    ("log-out", r#"<path d="m16 17 5-5-5-5M21 12H9M9 21H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h4"/>"#),
    (
        "network",
        r#"<rect x="16" y="16" width="6" height="6" rx="1"/><rect x="2" y="16" width="6" height="6" rx="1"/><rect x="9" y="2" width="6" height="6" rx="1"/><path d="M5 16v-3a1 1 0 0 1 1-1h12a1 1 0 0 1 1 1v3M12 12V8"/>"#,
    ),
    (
        "pencil",
        r#"<path d="M21.174 6.812a1 1 0 0 0-3.986-3.987L3.842 16.174a2 2 0 0 0-.5.830l-1.321 4.352a.5.5 0 0 0 .623.622l4.353-1.320a2 2 0 0 0 .830-.497zM15 5l4 4"/>"#,
    ),
    ("plus", r#"<path d="M5 12h14M12 5v14"/>"#),
    (
        "refresh-cw",
        r#"<path d="M3 12a9 9 0 0 1 9-9 9.750 9.750 0 0 1 6.740 2.740L21 8M21 3v5h-5M21 12a9 9 0 0 1-9 9 9.750 9.750 0 0 1-6.740-2.740L3 16M8 16H3v5"/>"#,
    ),
    (
        "star",
        r#"<path d="M11.525 2.295a.53.53 0 0 1 .95 0l2.31 4.679a2.123 2.123 0 0 0 1.595 1.160l5.166.756a.53.53 0 0 1 .294.904l-3.736 3.638a2.123 2.123 0 0 0-.611 1.878l.882 5.140a.53.53 0 0 1-.771.560l-4.618-2.428a2.122 2.122 0 0 0-1.973 0L6.396 21.010a.53.53 0 0 1-.770-.560l.881-5.139a2.122 2.122 0 0 0-.611-1.879L2.160 9.795a.53.53 0 0 1 .294-.906l5.165-.755a2.122 2.122 0 0 0 1.597-1.160z"/>"#,
    ),
    ("search", r#"<path d="m21 21-4.340-4.340"/><circle cx="11" cy="11" r="8"/>"#),
    (
        "shield-check",
        r#"<path d="M20 13c0 5-3.500 7.500-7.660 8.950a1 1 0 0 1-.670-.010C7.500 20.500 4 18 4 13V6a1 1 0 0 1 1-1c2 0 4.500-1.200 6.240-2.720a1.170 1.170 0 0 1 1.520 0C14.510 3.810 17 5 19 5a1 1 0 0 1 1 1z"/><path d="m9 12 2 2 4-4"/>"#,
    ),
    (
        "stamp",
        r#"<path d="M5 22h14M19.270 13.730A2.500 2.500 0 0 0 17.500 13h-11A2.500 2.500 0 0 0 4 15.500V17a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-1.500c0-.660-.260-1.300-.730-1.770M14 13V8.500C14 7 15 7 15 5a3 3 0 0 0-6 0c0 2 1 2 1 3.500V13"/>"#,
    ),
    ("sliders-horizontal", r#"<path d="M10 5H3M12 19H3M14 3v4M16 17v4M21 12h-9M21 19h-5M21 5h-7M8 10v4M8 12H3"/>"#),
    ("trash-2", r#"<path d="M3 6h18M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2M10 11v6M14 11v6"/>"#),
    ("user", r#"<path d="M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2"/><circle cx="12" cy="7" r="4"/>"#),
    ("x", r#"<path d="M18 6 6 18M6 6l12 12"/>"#),
    ("ellipsis", r#"<circle cx="12" cy="12" r="1"/><circle cx="19" cy="12" r="1"/><circle cx="5" cy="12" r="1"/>"#),
    ("arrow-up", r#"<path d="m5 12 7-7 7 7M12 19V5"/>"#),
    ("arrow-down", r#"<path d="M12 5v14M19 12l-7 7-7-7"/>"#),
    (
        "zap",
        r#"<path d="M4 14a1 1 0 0 1-.780-1.630l9.900-10.200a.5.5 0 0 1 .860.460l-1.920 6.020A1 1 0 0 0 13 10h7a1 1 0 0 1 .780 1.630l-9.900 10.200a.5.5 0 0 1-.860-.460l1.920-6.020A1 1 0 0 0 11 14z"/>"#,
    ),
];
