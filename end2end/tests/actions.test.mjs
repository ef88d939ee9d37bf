// Day-2 actions on the page of a request: two backups are made, the earlier one is restored, and all of it is in the history.

import { test } from "node:test";
import assert from "node:assert/strict";
import { order, reaches, signIn, stage, until, violations, workspace } from "../portal.mjs";

const it = stage();

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`a database is backed up and one of its backups is restored, ${how}`, async () => {
    const name = javaScriptEnabled ? "kept" : "kept-plain";
    await order(it.portal, name, "postgresql", { storage: 10 });
    await reaches(it.portal, name, "Ready");
    const own = `/w/${workspace}/requests/default/${name}`;
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    const checked = async () => javaScriptEnabled && assert.deepEqual(await violations(page), []);
    /** Waits until the page of a run says how it ended; without scripting, it is loaded again. */
    const succeeds = () =>
      until(async () => {
        if (!javaScriptEnabled) await page.reload();
        return (await page.getByRole("heading", { level: 1 }).getByText("Succeeded").count()) === 1;
      }, "the run to succeed");

    // Before there is a backup, none can be chosen.
    await page.goto(`${own}/actions/restore`);
    assert.deepEqual(await page.getByLabel("Backup").locator("option").allTextContents(), ["Choose…"]);

    await page.goto(own);
    await page.getByRole("complementary", { name: "Details" }).getByRole("link", { name: "Back up" }).click();
    await page.getByLabel(/^Note/).fill("x".repeat(101));
    await page.getByRole("button", { name: "Back up", exact: true }).click();
    await page.getByRole("alert").getByRole("link").first().waitFor();
    await checked();
    await page.getByLabel(/^Note/).fill("before the migration");
    await page.getByRole("button", { name: "Back up", exact: true }).click();
    await page.waitForURL(`**${own}/runs/*`);
    await succeeds();
    await page.getByText("before the migration").first().waitFor();
    await page.getByText(/^s3:\/\/backups\//).waitFor();
    await checked();
    const run = () => new URL(page.url()).pathname.split("/").pop();
    const backup = run();

    await page.goto(`${own}/actions/backup`);
    await page.getByLabel(/^Note/).fill("after the migration");
    await page.getByRole("button", { name: "Back up", exact: true }).click();
    await page.waitForURL(`**${own}/runs/*`);
    await succeeds();
    const later = run();
    assert.notEqual(later, backup);

    await page.goto(`${own}?view=actions`);
    await page.getByRole("link", { name: "Run Restore" }).click();
    await page.getByRole("button", { name: "Restore", exact: true }).click();
    const problems = await page.getByRole("alert").getByRole("link").allTextContents();
    assert.equal(problems.length, 2, problems.join(" "));
    assert.equal(problems[1], "Confirm that you want to run it.");
    await checked();
    const backups = await page.getByLabel("Backup").locator("option").evaluateAll((options) => options.map(({ value }) => value));
    assert.deepEqual(backups.sort(), ["", backup, later].sort());
    await page.getByLabel("Backup").selectOption(backup);
    await page.getByLabel(`Yes, run “Restore” on ${name}`).check();
    await page.getByRole("button", { name: "Restore", exact: true }).click();
    await page.waitForURL(`**${own}/runs/*`);
    await succeeds();
    await page.locator("dl.outputs").getByText(backup).waitFor();

    await page.goto(`${own}?view=actions`);
    const runs = page.getByRole("table", { name: "Runs" });
    assert.deepEqual(await runs.locator("tbody th a").allTextContents(), ["Restore", "Back up", "Back up"]);
    assert.equal(await runs.getByText("Succeeded").count(), 3);
    await checked();
    await page.context().close();
  });
}
