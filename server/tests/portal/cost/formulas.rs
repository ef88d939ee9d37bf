//! Cells that a spreadsheet would take for formulas: what people and clusters write does not come back as one, in any file.

use http::StatusCode;
use serde_json::{Value, json};

use super::{cells, file, last_month, line, pass, post};
use crate::access::write_request;
use crate::browser::Product;
use crate::seeded::tell;

/// What a formula begins with, or what leads to one.
const SIGNS: [&str; 5] = ["=", "+", "-", "@", "\t"];

/// Whether a spreadsheet calculates what stands in a cell; a number is one.
fn is_formula(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err()
}

/// The cells of every line under these heads, where no cell of the file is a formula.
fn harmless(file: &str, columns: &[&str]) -> Vec<Vec<String>> {
    let mut lines = file.lines();
    let heads = cells(lines.next().expect("heads"));
    let at: Vec<usize> = columns.iter().map(|column| heads.iter().position(|head| head == column).expect("a column")).collect();
    let mut found = Vec::new();
    for line in lines {
        let cells = cells(line);
        assert!(!cells.iter().any(|cell| is_formula(cell)), "{line:?}");
        found.push(at.iter().map(|at| cells[*at].clone()).collect());
    }
    found.sort();
    found
}

/// What is expected for every sign, in the order of the lines.
fn expected<const N: usize>(of: impl Fn(&str) -> [String; N]) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = SIGNS.iter().map(|sign| of(sign).to_vec()).collect();
    all.sort();
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn projects_owners_and_names_come_back_as_texts_in_both_files_of_costs() {
    let product = Product::quiet().await;
    pass(&product, 2).await;
    let lines = SIGNS.iter().enumerate().map(|(at, sign)| {
        let mut line = line(&product, &format!("uid-{at}"), &format!("{sign}1+name"), &format!("{sign}1+owner"), 1_000_000);
        line.0.project = format!("{sign}1+project");
        line
    });
    post(&product, &lines.collect::<Vec<_>>()).await;
    let query = format!("workspace=root:acme:shop&month={}", last_month(&product));
    let mut browser = product.signed_in("dev-shop").await;
    let plain = file(&mut browser, &format!("/cost/export.csv?{query}")).await;
    let texts = expected(|sign| ["project", "owner", "name"].map(|what| format!("'{sign}1+{what}")));
    assert_eq!(harmless(&plain, &["project", "owner", "instance"]), texts);

    // Tags are one text of JSON, in which nobody's value may be another.
    let focus = file(&mut browser, &format!("/cost/focus.csv?{query}")).await;
    let mut found = harmless(&focus, &["ResourceName", "Tags"]);
    for line in &mut found {
        let tags: Value = serde_json::from_str(&line[1]).expect("tags");
        line[1] = tags["owner"].as_str().expect("an owner").to_owned();
        line.push(tags[promise::names::PROJECT_LABEL].as_str().expect("a project").to_owned());
    }
    assert_eq!(found, expected(|sign| [format!("'{sign}1+name"), format!("{sign}1+owner"), format!("{sign}1+project")]));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_clusters_say_comes_back_as_texts_in_the_file_of_resources() {
    let product = Product::quiet().await;
    write_request(&product, "zebra").await;
    let inventory: Vec<Value> = SIGNS
        .iter()
        .enumerate()
        .map(|(at, sign)| {
            json!({"id": format!("part-{at}"), "version": "v1", "kind": "ConfigMap", "name": format!("object-{at}"), "namespace": "default",
                "applied": true, "health": "Degraded", "message": format!("{sign}1+message")})
        })
        .collect();
    tell(&product, "root:acme:shop", "zebra", &json!({"observedGeneration": 1, "phase": "Degraded", "inventory": inventory})).await;
    let mut browser = product.signed_in("dev-shop").await;
    let told = browser.until("/w/root:acme:shop/resources.csv", |answer| answer.text.contains("object-4")).await;
    assert_eq!(told.status, StatusCode::OK, "{}", told.text);
    assert_eq!(harmless(&told.text, &["message"]), expected(|sign| [format!("'{sign}1+message")]));
    product.running.close().await;
}
