// An author writes a promise in the portal: problems at their lines, the form before it is published, what is breaking, and its retirement.

import { test } from "node:test";
import assert from "node:assert/strict";
import { kubectl, signIn, stage, until, violations, workspace } from "../portal.mjs";

const it = stage();
const platform = "plane-admin@root:platform";

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`a promise is written, checked, published, changed and retired, ${how}`, async () => {
    const name = javaScriptEnabled ? "letters" : "letters-plain";
    const page = await signIn(it, "platform-engineer", { javaScriptEnabled });
    await page.goto("/platform/promises");
    await page.getByRole("link", { name: "New promise" }).click();
    const text = page.getByLabel("Promise", { exact: true });
    const start = (await text.inputValue()).replaceAll("my-promise", name).replace("lifecycle: draft", "lifecycle: published");
    await page.getByLabel("Workspace", { exact: true }).selectOption("root:platform");
    const wrong = start.replace("type: string", "type: text");
    await text.fill(wrong);
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByRole("heading", { name: "Fix these problems to publish" }).waitFor();
    const line = wrong.split("\n").findIndex((one) => one.includes("type: text")) + 1;
    await page.getByText(`Line ${line}, column`).first().waitFor();
    assert.equal(await text.inputValue(), wrong, "nothing typed is lost");
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);

    await text.fill(start);
    await page.getByRole("button", { name: "Preview form" }).click();
    await page.waitForURL("**/platform/promises/preview?draft=*");
    await page.getByText("Size", { exact: true }).first().waitFor();
    await page.goBack();
    await text.fill(start);
    await page.getByRole("button", { name: "Publish" }).click();
    await page.waitForURL(`**/platform/promises/root:platform/${name}`);
    await until(async () => {
      await page.reload();
      return (await page.getByRole("row", { name: /^1\.0\.0/ }).count()) === 1;
    }, "the first version to be published");

    await page.getByRole("link", { name: "Edit" }).click();
    const before = await text.inputValue();
    await text.fill(before.replace("size: ${parameters.size}", "size: fixed").replace(/ {6}size:\n(?: {8}.*\n)+/, "      zone:\n        type: string\n        description: Where it is.\n"));
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByText(/Increase the version: 1\.0\.0 is already published/).waitFor();
    await page.getByText("Breaking: requests of the published version might not be valid.").waitFor();
    await page.getByText("Size is removed", { exact: true }).first().waitFor();
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);

    // Someone else changes it meanwhile: nothing of it is overwritten.
    await kubectl(it.portal, platform, ["patch", `promise/${name}`, "--type=merge", "-p", JSON.stringify({ metadata: { labels: { by: "another" } } })]);
    await text.fill((await text.inputValue()).replace("version: 1.0.0", "version: 2.0.0"));
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByRole("heading", { name: "Fix these problems to publish" }).waitFor();
    assert.equal(await kubectl(it.portal, platform, ["get", `promise/${name}`, "-o", "jsonpath={.spec.version}"]), "1.0.0");
    await page.goto(`/platform/promises/root:platform/${name}/edit`);
    await text.fill((await text.inputValue()).replace("summary: What people get, in one sentence.", "summary: Letters to people."));
    await page.getByRole("button", { name: "Publish" }).click();
    await page.waitForURL(`**/platform/promises/root:platform/${name}`);
    await until(async () => {
      await page.reload();
      return (await page.getByText("Letters to people.").count()) === 1;
    }, "the summary, which needs no new version");
    assert.equal(await page.getByText("Refused").count(), 0);

    const catalog = `/w/${workspace}/promises/${name}`;
    assert.equal((await page.goto(catalog)).status(), 200);
    await page.goto(`/platform/promises/root:platform/${name}`);
    await page.getByRole("link", { name: "Retire" }).click();
    await page.getByText("No instances that you can list.").waitFor();
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: /^Retire / }).click();
    await page.waitForURL(`**/platform/promises/root:platform/${name}`);
    await until(async () => (await page.goto(catalog)).status() === 404, "the catalog to leave it out");
    await page.context().close();

    const other = await signIn(it, "dev-shop", { javaScriptEnabled });
    for (const part of ["", "/edit", "/retire", "/fleet"]) {
      assert.equal((await other.goto(`/platform/promises/root:platform/${name}${part}`)).status(), 404, part);
    }
    await other.context().close();
  });
}
