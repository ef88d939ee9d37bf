// A request that expires, or has expired, is renewed on its page, with JavaScript and without. A renewal is checked and priced like any change.

import { test } from "node:test";
import assert from "node:assert/strict";
import { kubectl, requested, signIn, stage, until, violations, workspace } from "../portal.mjs";
import { note, promise } from "../promises.mjs";

const platform = "plane-admin@root:platform";
const as = `dev-shop@${workspace}`;
const day = 24 * 3600 * 1000;
/** How soon the requests of the last tests expire, in milliseconds: late enough to be accepted, and over when their tests come. */
const SOON = 60_000;
const it = stage(async (it) => {
  for (const name of ["lapsed", "lapsed-plain"]) await create(it, name, "redis", { size: "small" }, new Date(Date.now() + SOON));
});

/** Creates a request that expires at a time. */
async function create(it, name, promise, parameters, at) {
  const spec = { promise: { name: promise, workspace: "root:platform" }, parameters, expiresAt: at.toISOString().replace(/\.\d+Z$/, "Z") };
  const request = { apiVersion: "platform.opmodel.dev/v1alpha1", kind: "PromiseRequest", metadata: { name }, spec };
  await kubectl(it.portal, as, ["create", "-f", "-"], JSON.stringify(request));
}

/** Until when a request was accepted, or nothing. */
const accepted = async (name) => kubectl(it.portal, as, ["get", `promiserequest/${name}`, "-o", "jsonpath={.status.current.expiresAt}"]);

/** Chooses the day after so many days, submits the renewal from its form, and waits until it is accepted. */
async function renew(page, name, days) {
  await page.getByLabel("Expires on").fill(dayAfter(days));
  await page.getByRole("button", { name: "Review change" }).click();
  await page.getByRole("region", { name: "Changes" }).getByText("Expires").waitFor();
  await page.getByRole("button", { name: "Submit change" }).click();
  await page.waitForURL(`**/w/${workspace}/requests/default/${name}`);
  // The time of day stays.
  await until(async () => (await accepted(name)).startsWith(dayAfter(days)), "the renewal to be accepted");
}

/** The day after so many days, in UTC, as forms show it. */
const dayAfter = (days) => new Date(Date.now() + days * day).toISOString().slice(0, 10);

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`a request that expires soon is renewed, ${how}`, async () => {
    const name = javaScriptEnabled ? "short-lived" : "short-lived-plain";
    const own = `/w/${workspace}/requests/default/${name}`;
    await create(it, name, "redis", { size: "small" }, new Date(`${dayAfter(4)}T00:00:00Z`));
    await until(async () => (await accepted(name)) !== "", "the request to be accepted with its end");

    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    await page.goto(own);
    await page.getByText("This request expires soon").waitFor();
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);
    await page.getByRole("link", { name: "Renew" }).click();
    const suggested = await page.getByLabel("Expires on").inputValue();
    assert.ok(suggested > dayAfter(4), `a later day is suggested: ${suggested}`);
    await renew(page, name, 60);
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

/** A promise with a price for each month, the price, and, later, a policy that its instances don't match. */
const lease = (name) =>
  promise(name, {
    parameters: { type: "object", properties: { seats: { type: "integer", minimum: 1, maximum: 1000, default: 10 } } },
    implementation: { resources: [note({ seats: "${string(parameters.seats)}" })] },
    cost: { currency: "EUR", items: [{ name: "Lease", monthly: "${prices.lease.base}" }] },
  });
const catalog = (name, price) => ({
  apiVersion: "platform.opmodel.dev/v1alpha1",
  kind: "PromiseCatalog",
  metadata: { name },
  spec: { title: "Leases", weight: 100, promises: [name], workspaces: ["root:acme:**"], currency: "EUR", prices: [{ from: "2020-01-01", values: { lease: { base: price } } }] },
});
const limit = (name) => ({
  apiVersion: "platform.opmodel.dev/v1alpha1",
  kind: "Policy",
  metadata: { name },
  spec: { title: "Small leases", appliesTo: { promises: [name] }, rules: [{ name: "seats", constrain: { parameter: ".seats", maximum: 500 } }] },
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`a renewal is checked and priced again, ${how}`, async () => {
    const name = javaScriptEnabled ? "leased" : "leased-plain";
    const own = `/w/${workspace}/requests/default/${name}`;
    const write = (object) => kubectl(it.portal, platform, ["apply", "-f", "-"], JSON.stringify(object));
    await write(catalog(name, "10.40"));
    await write(lease(name));
    await kubectl(it.portal, platform, ["wait", `promise/${name}`, "--for=condition=Published", "--timeout=120s"]);
    await create(it, name, name, { seats: 600 }, new Date(`${dayAfter(4)}T00:00:00Z`));
    await until(async () => (await requested(it.portal, name)).status?.phase === "Ready", "the request to be ready");
    assert.equal(Number((await requested(it.portal, name)).status.cost.monthly), 10.4);

    // What runs keeps its price and its values.
    await write(catalog(name, "15.60"));
    await write(limit(name));
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    await until(async () => {
      await page.goto(own);
      await page.getByRole("link", { name: "Renew" }).click();
      return (await page.locator('[data-key="f-seats"]').filter({ hasText: "500" }).count()) === 1;
    }, "the form to have the new limit");
    await page.getByLabel("Expires on").fill(dayAfter(60));
    await page.getByRole("button", { name: "Review change" }).click();
    await page.getByRole("alert").getByRole("link").filter({ hasText: "500" }).first().waitFor();
    assert.equal(await page.getByLabel("Expires on").inputValue(), dayAfter(60), "the day is kept");
    assert.equal(await accepted(name), `${dayAfter(4)}T00:00:00Z`);
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);

    await page.locator("#request").getByLabel(/^Seats/).fill("500");
    await page.getByRole("button", { name: "Review change" }).click();
    await page.getByRole("button", { name: "Submit change" }).waitFor();
    await until(async () => {
      await page.reload();
      return (await page.getByRole("main").getByText("€15.60/month").count()) > 0;
    }, "the review to have the new price");
    await page.getByRole("main").getByText("€5.20/month").first().waitFor();
    await page.getByRole("button", { name: "Submit change" }).click();
    await page.waitForURL(`**${own}`);
    await until(async () => (await accepted(name)) === `${dayAfter(60)}T00:00:00Z`, "the renewal to be accepted");
    const { spec, status } = await requested(it.portal, name);
    assert.deepEqual([spec.parameters.seats, Number(status.cost.monthly)], [500, 15.6]);
    await page.context().close();
  });
}

// They come last: by now, what was created for them has expired, or is about to.
for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`a request that has expired keeps running until it is renewed, ${how}`, async () => {
    const name = javaScriptEnabled ? "lapsed" : "lapsed-plain";
    const own = `/w/${workspace}/requests/default/${name}`;
    await until(async () => (await accepted(name)) !== "", "the request to be accepted with its end");
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    const notice = page.getByText("This request has expired", { exact: true });
    await until(async () => {
      await page.goto(own);
      return (await notice.count()) === 1;
    }, "the request to expire", 2 * SOON);
    await until(async () => {
      const { status } = await requested(it.portal, name);
      return status.phase === "Ready" && status.waitingOn?.reason === "Expired";
    }, "the request to wait for its renewal");
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);
    await page.getByRole("link", { name: "Renew" }).click();
    await renew(page, name, 30);
    await until(async () => {
      await page.goto(own);
      return (await notice.count()) === 0;
    }, "the notice to go");
    assert.equal((await requested(it.portal, name)).status.waitingOn?.reason, undefined);
    await page.context().close();
  });
}
