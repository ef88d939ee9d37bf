// A page at rest costs one open stream and no other request.

import { test } from "node:test";
import assert from "node:assert/strict";
import { signIn, stage, until } from "../portal.mjs";

const it = stage();

for (const [person, path] of [
  ["dev-shop", "/w/root:acme:shop/requests"],
  ["dev-shop", "/"],
  ["org-owner", "/platform"],
  ["approver", "/approvals"],
]) {
  test(`while ${path} is idle there is one open stream and no other request`, async () => {
    const page = await signIn(it, person);
    const requests = [];
    let last = Date.now();
    page.on("request", () => (last = Date.now()));
    // Time is the page's own: an hour passes at once, with every timer in it.
    await page.clock.install();
    const stream = page.waitForRequest((request) => new URL(request.url()).pathname.startsWith("/live"));
    await page.goto(path);
    await stream;
    await page.waitForLoadState("load");
    await page.getByText("Live", { exact: true }).waitFor();
    // A portal that has just begun has news of its own.
    await until(() => Date.now() - last > 1_000, "the page to be at rest");
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await page.clock.fastForward("01:00:00");
    // Requests are told in their order: what the page asked for in that hour comes before this one.
    await page.evaluate(() => fetch("/icon.svg"));
    assert.deepEqual(requests, ["/icon.svg"]);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });
}
