//! `/dev/ui`: every primitive of the design system, on the embedded plane only.

use leptos::prelude::*;

use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::ui::chart::{Amount, Bars, Figure, Lines, Meter, Series, StackedBars};
use crate::ui::{Badge, Banner, Code, Empty, LinkButton, PageHead, Pager, Shape, Status, SubmitButton, Tab, Tabs, Tile, Weight};

/// The page.
pub fn page(visit: &Visit) -> Page {
    let about = About { title: "Design system".to_owned(), ..About::default() };
    framed(visit, about, || {
        view! {
            <PageHead title="Design system"/>
            <div class="stack">
                <section><h2>"Status"</h2>
                    <p class="row">{Shape::ALL.map(|shape| view! { <Status shape=shape word=shape.word()/> }).collect_view()}</p>
                    <p class="row">{Shape::ALL.map(|shape| view! { <Badge shape=shape word=shape.word()/> }).collect_view()}</p>
                </section>
                <section><h2>"Buttons"</h2><div class="row">
                    <SubmitButton label="Plain"/><SubmitButton label="Primary" weight=Weight::Primary/><SubmitButton label="Danger" weight=Weight::Danger/><SubmitButton label="Ghost" weight=Weight::Ghost/>
                    <LinkButton href="#main" label="Link" icon="plus"/><SubmitButton label="Not allowed" why="The reason stands beside it.".to_owned()/>
                </div></section>
                <section><h2>"Banner"</h2><Banner shape=Shape::Degraded title="Something to know"><p>"And what to do about it."</p></Banner></section>
                <section><h2>"Empty"</h2><Empty title="Nothing here yet" text="A sentence that says how to begin."><LinkButton href="#main" label="Begin"/></Empty></section>
                <section><h2>"Code"</h2><Code label="Example" text="kubectl get promiserequests" copy=true/></section>
                <section><h2>"Tabs"</h2><Tabs label="Example of tabs" tabs=vec![
                    Tab { label: "Overview", href: "#main".to_owned(), count: None, current: true },
                    Tab { label: "Resources", href: "#main".to_owned(), count: Some(12), current: false },
                ]/></section>
                <section><h2>"Tiles and pages"</h2><p class="row"><Tile icon="database"/><Tile icon="zap" large=true/></p><Pager page=2 pages=3 href=Box::new(|_| "#main".to_owned())/></section>
                <section class="stack"><h2>"Charts"</h2>
                    <StackedBars figure=figure("stacked", "Stacked bars")/><Bars figure=figure("bars", "Bars")/><Lines figure=figure("lines", "Lines")/>
                    <Meter label="Budget" text="€842.50 of €1200.00" used=70/>
                </section>
            </div>
        }
    })
}

/// Six weeks of numbers: the last week has only a forecast, and one number is unknown.
fn figure(id: &str, title: &str) -> Figure {
    let series = |name: &str, tone: u8, counts: &[Option<usize>]| Series {
        name: name.to_owned(),
        tone,
        values: counts.iter().map(|count| count.map(Amount::count)).collect(),
        ..Series::default()
    };
    Figure {
        id: id.to_owned(),
        title: title.to_owned(),
        description: "Numbers to look at; the fourth of the first is not known.".to_owned(),
        unit: "things".to_owned(),
        along: "Week".to_owned(),
        labels: (1..=6).map(|week| format!("Week {week}")).collect(),
        series: vec![
            series("First", 1, &[Some(9), Some(11), Some(8), None, Some(12)]),
            series("Second", 2, &[Some(3), Some(2), Some(0), Some(4), Some(5)]),
            series("Third", 3, &[Some(1), Some(1), Some(2), Some(6), Some(2)]),
            Series { forecast: true, from: 4, ..series("Forecast", 0, &[Some(1), Some(15)]) },
        ],
        today: Some(4),
        line: Some(("Aim".to_owned(), Amount::count(18))),
        ..Figure::default()
    }
}
