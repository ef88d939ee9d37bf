//! `/dev/ui`: every primitive of the design system, on the embedded plane only.

use leptos::prelude::*;

use crate::backend::Visit;
use crate::document::{About, Page, framed};
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
            </div>
        }
    })
}
