// The whole path of a person, with JavaScript and without: order, follow, change, delete; for three promises.

import { test } from "node:test";
import assert from "node:assert/strict";
import { becomes, focused, signIn, stage, until, workspace } from "../portal.mjs";

const orders = [
  { promise: "PostgreSQL", name: "orders-db" },
  { promise: "Redis", name: "carts" },
  { promise: "Object bucket", name: "images" },
];

const it = stage();

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  for (const { promise, name: base } of orders) {
    test(`${promise} is ordered, followed, changed and deleted ${how}`, async () => {
      const name = javaScriptEnabled ? base : `${base}-plain`;
      const page = await signIn(it, "dev-shop", { javaScriptEnabled });

      await page.goto(`/w/${workspace}/catalog`);
      await page.getByRole("main").getByRole("link", { name: promise, exact: true }).click();
      await page.getByRole("main").getByRole("link", { name: "Request", exact: true }).click();
      await page.getByLabel("Name", { exact: true }).fill(name);
      await page.getByRole("button", { name: "Review request" }).click();
      await page.getByRole("heading", { level: 1, name: `Review ${name}` }).waitFor();
      await page.getByRole("button", { name: "Submit request" }).click();
      await page.waitForURL(`**/requests/default/${name}`);

      await becomes(page, "Ready", javaScriptEnabled);

      await page.getByRole("main").getByRole("link", { name: "Edit", exact: true }).click();
      await page.getByLabel("Reason", { exact: true }).fill("kept for the season");
      await page.getByRole("button", { name: "Review change" }).click();
      await page.getByRole("button", { name: "Submit change" }).click();
      await page.waitForURL(`**/requests/default/${name}`);
      await page.getByRole("complementary").getByText("kept for the season").waitFor();
      await becomes(page, "Ready", javaScriptEnabled);

      await page.getByRole("main").getByRole("link", { name: "Delete", exact: true }).click();
      await page.getByLabel(`Type ${name} to confirm`).fill("something else");
      await page.getByRole("button", { name: `Delete ${name}`, exact: true }).click();
      await until(async () => (await page.title()).startsWith("Error: "), "the page to say that this is not the name");
      await page.getByLabel(`Type ${name} to confirm`).fill(name);
      await page.getByRole("button", { name: `Delete ${name}`, exact: true }).click();
      await until(async () => (await page.request.get(`/w/${workspace}/requests/default/${name}`)).status() === 404, `${name} to be gone`);

      assert.deepEqual(page.complaints.filter((complaint) => !complaint.includes("422") && !complaint.includes("404")), []);
      await page.context().close();
    });
  }
}

test("bad input names the field and the fix, keeps what was typed, and the focus goes to the summary", async () => {
  const page = await signIn(it, "dev-shop");
  await page.goto(`/w/${workspace}/promises/postgresql/request`);
  await page.getByLabel("Name", { exact: true }).fill("Not A Name");
  await page.getByLabel("Reason", { exact: true }).fill("typed once");
  await page.getByRole("button", { name: "Review request" }).click();
  const summary = page.getByRole("alert");
  await summary.waitFor();
  assert.match(await page.title(), /^Error: /);
  await focused(summary, "the summary");
  assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Not A Name");
  assert.equal(await page.getByLabel("Reason", { exact: true }).inputValue(), "typed once");
  await summary.getByRole("link").first().click();
  await focused(page.getByLabel("Name", { exact: true }), "the field that the link leads to");
});

test("who may not submit sees why, and a forged post is refused and writes nothing", async () => {
  const page = await signIn(it, "viewer-shop", { javaScriptEnabled: false });
  await page.goto(`/w/${workspace}/promises/redis/request`);
  const submit = page.getByRole("button", { name: "Review request" });
  assert.equal(await submit.getAttribute("aria-disabled"), "true");
  const [token, cluster] = await Promise.all(["_token", "_cluster"].map((name) => page.locator(`#request input[name=${name}]`).inputValue()));
  const answer = await page.request.post("/do/requests/submit", {
    form: { workspace, promise: "redis", _token: token, _cluster: cluster, "/name": "forged", _op: "submit" },
    headers: { Origin: it.portal.url },
  });
  assert.equal(answer.status(), 403);
  assert.match(answer.url(), /\/refused\?id=/);
  await page.goto(`/w/${workspace}/requests`);
  assert.equal(await page.getByRole("link", { name: "forged" }).count(), 0);
});
