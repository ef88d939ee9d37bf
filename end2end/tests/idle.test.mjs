// A page at rest costs one open stream and no other request.

import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { launchBrowser, signIn, startPortal } from "../portal.mjs";

let portal, browser;
before(async () => {
  portal = await startPortal();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await portal?.stop();
});

test("while a page is idle there is one open stream and no other request", async () => {
  const page = await signIn(browser, portal, "dev-shop");
  const requests = [];
  const stream = page.waitForRequest((request) => new URL(request.url()).pathname.startsWith("/live"));
  await page.goto("/w/root:acme:shop/requests");
  await stream;
  await page.waitForLoadState("load");
  page.on("request", (request) => requests.push(request.url()));
  // The watched thing is the absence of requests: it needs a span of time to be absent in.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  assert.deepEqual(requests, []);
  assert.deepEqual(page.complaints, []);
});
