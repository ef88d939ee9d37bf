// A request that expires is renewed on its page, with JavaScript and without.

import { test } from "node:test";
import assert from "node:assert/strict";
import { kubectl, signIn, stage, until, violations, workspace } from "../portal.mjs";

const it = stage();
const day = 24 * 3600 * 1000;

/** The day after so many days, in UTC, as forms show it. */
const dayAfter = (days) => new Date(Date.now() + days * day).toISOString().slice(0, 10);

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`a request that expires soon is renewed, ${how}`, async () => {
    const name = javaScriptEnabled ? "short-lived" : "short-lived-plain";
    const own = `/w/${workspace}/requests/default/${name}`;
    const as = `dev-shop@${workspace}`;
    const spec = { promise: { name: "redis", workspace: "root:platform" }, parameters: { size: "small" }, expiresAt: `${dayAfter(4)}T00:00:00Z` };
    const request = { apiVersion: "platform.opmodel.dev/v1alpha1", kind: "PromiseRequest", metadata: { name }, spec };
    await kubectl(it.portal, as, ["create", "-f", "-"], JSON.stringify(request));
    const accepted = async () => kubectl(it.portal, as, ["get", `promiserequest/${name}`, "-o", "jsonpath={.status.current.expiresAt}"]);
    await until(async () => (await accepted()) !== "", "the request to be accepted with its end");

    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    await page.goto(own);
    await page.getByText("This request expires soon").waitFor();
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);
    await page.getByRole("link", { name: "Renew" }).click();
    const expires = page.getByLabel("Expires on");
    const suggested = await expires.inputValue();
    assert.ok(suggested > dayAfter(4), `a later day is suggested: ${suggested}`);
    const chosen = dayAfter(60);
    await expires.fill(chosen);
    await page.getByRole("button", { name: "Review change" }).click();
    const changes = page.getByRole("region", { name: "Changes" });
    await changes.getByText("Expires").waitFor();
    await page.getByRole("button", { name: "Submit change" }).click();
    await page.waitForURL(`**${own}`);
    await until(async () => (await accepted()) === `${chosen}T00:00:00Z`, "the renewal to be accepted");
    await page.goto(own);
    assert.equal(await page.getByText("This request expires soon").count(), 0);
    await page.context().close();
  });
}

test("a day in the past is refused with the fix", async () => {
  const page = await signIn(it, "dev-shop");
  await page.goto(`/w/${workspace}/promises/redis/request`);
  await page.getByLabel(/^Name/).first().fill("late");
  await page.locator("#terms summary").click();
  await page.getByLabel("Expires on").fill("2020-01-01");
  await page.getByRole("button", { name: "Review request" }).click();
  await page.getByText(/The expiry date 1 Jan 2020, 00:00 UTC has passed. Enter a time in the future/).first().waitFor();
  await page.context().close();
});
