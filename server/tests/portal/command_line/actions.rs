//! Day-2 actions from a terminal: found, asked for confirmation, run, waited for and listed.

use super::Served;

const SHOP: &str = "root:acme:shop";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_action_is_run_with_flags_of_its_schema_and_waited_for() {
    let served = Served::open().await;
    served.run("dev-shop", SHOP, "opm promise request postgresql --name orders --wait").await;
    let listed = served.run("dev-shop", SHOP, "opm request action orders").await;
    assert!(listed.text.contains("backup") && listed.text.contains("Copies the data."), "{}", listed.text);

    let done = served.run("dev-shop", SHOP, "opm request action orders backup --note Friday --wait").await;
    assert!(done.yes && done.text.contains("Succeeded") && done.text.contains("location: s3://backups/"), "{}", done.text);
    let names = served.run("dev-shop", SHOP, "opm request runs orders -o name").await;
    let backup = names.text.trim();
    assert!(backup.starts_with("orders-backup-"), "{backup}");

    let (code, why) = served.refused("dev-shop", SHOP, &format!("opm request action orders restore --backup {backup}")).await;
    assert!(code == 2 && why.starts_with("confirm with --yes: Replaces the data"), "{code} {why}");
    let (code, why) = served.refused("dev-shop", SHOP, "opm request action orders restore --backup nothing --yes").await;
    assert!(code == 1 && why.contains("--backup: Choose a run of “Back up” that succeeded."), "{code} {why}");
    let (code, why) = served.refused("dev-shop", SHOP, "opm request action orders burn").await;
    assert!(code == 5 && why.contains("orders has no action burn"), "{code} {why}");
    let (code, _) = served.refused("viewer-shop", SHOP, "opm request action orders backup").await;
    assert_eq!(code, 4);

    let restored = served.run("dev-shop", SHOP, &format!("opm request action orders restore --backup {backup} --yes --wait")).await;
    assert!(restored.yes && restored.text.contains(&format!("restored: {backup}")), "{}", restored.text);
    let runs = served.run("viewer-shop", SHOP, "opm request runs orders").await;
    assert_eq!(runs.text.matches("Succeeded").count(), 2, "{}", runs.text);
    let (code, _) = served.refused("dev-shop", SHOP, &format!("opm request runs orders {backup} --cancel")).await;
    assert_eq!(code, 6, "it is over");
    served.close().await;
}
