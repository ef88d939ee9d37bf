// A secret parameter, with JavaScript and without: typed in the review, it reaches the sandbox and stays out of pages, addresses and logs.

import { test } from "node:test";
import assert from "node:assert/strict";
import { kubectl, signIn, stage, until, workspace } from "../portal.mjs";

const it = stage();

/** The password of the superuser of an instance, as it stands in the sandbox. */
async function password(name) {
  const found = ["get", "secrets", "--all-namespaces", "--field-selector", `metadata.name=${name}-administrator`, "--output", "json"];
  const [secret] = JSON.parse(await kubectl(it.portal, "plane-admin@sandbox", found)).items;
  return secret && Buffer.from(secret.data.password, "base64").toString();
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`a typed secret reaches the sandbox and is shown nowhere, ${how}`, async () => {
    const name = javaScriptEnabled ? "ledger" : "ledger-plain";
    const secret = `correct-horse-${name}`;
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    const addresses = [];
    page.on("request", (request) => addresses.push(request.url()));

    await page.goto(`/w/${workspace}/promises/postgresql/request`);
    assert.equal(await page.locator("input[type=password]").count(), 0, "the form, which becomes a draft, has no input for it");
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("button", { name: "Review request" }).click();
    const input = page.getByLabel("Administrator's password");
    assert.equal(await input.getAttribute("type"), "password");
    assert.equal(await input.getAttribute("autocomplete"), "off");
    await input.fill(secret);
    await page.getByRole("button", { name: "Submit request" }).click();
    await page.waitForURL(`**/requests/default/${name}`);
    await until(async () => (await password(name)) === secret, `the password of ${name} in the sandbox`);
    assert.ok(!(await page.content()).includes(secret));

    // Left empty, the present value stays; typed again, it is another one.
    for (const [typed, expected] of [["", secret], [`${secret}-2`, `${secret}-2`]]) {
      await page.goto(`/w/${workspace}/requests/default/${name}/edit`);
      await page.getByRole("button", { name: "Review change" }).click();
      await page.getByLabel("Administrator's password").fill(typed);
      await page.getByRole("button", { name: "Submit change" }).click();
      await page.waitForURL(`**/requests/default/${name}`);
      await until(async () => (await password(name)) === expected, `the password of ${name} to be the one that holds`);
      assert.ok(!(await page.content()).includes(secret));
    }
    assert.deepEqual(addresses.filter((address) => address.includes("correct-horse")), []);
    assert.ok(!it.portal.log().includes("correct-horse"));
    await page.context().close();
  });
}
