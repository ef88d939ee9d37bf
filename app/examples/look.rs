//! Writes every page as a file, to be looked at in a browser: `cargo run -p app --features ssr --example look -- FOLDER STYLE`.
//!
//! `STYLE` is the address of a style sheet, such as `site/portal.css`.
#![expect(clippy::expect_used, reason = "an example that shows what the tests show ends at the first surprise")]

#[path = "../tests/pages/every.rs"]
mod every;
#[path = "../tests/pages/world.rs"]
mod world;

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(style)) = (arguments.next().map(PathBuf::from), arguments.next()) else {
        return Err(std::io::Error::other("usage: look FOLDER STYLE"));
    };
    std::fs::create_dir_all(&folder)?;
    for (name, page) in every::every() {
        std::fs::write(folder.join(format!("{name}.html")), page.html.replace("/assets/portal.css", &style))?;
        println!("{name}: {} bytes, status {}", page.html.len(), page.status);
    }
    Ok(())
}
