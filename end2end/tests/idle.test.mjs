// A page at rest costs one open stream where it is live, none elsewhere, and no other request: one scene of every page.

import { test } from "node:test";
import assert from "node:assert/strict";
import { until } from "../portal.mjs";
import { byRoute } from "../routes.mjs";
import { gallery, hasIslands, isLive } from "../scenes.mjs";

const it = gallery();

// Each of them waits for a second of rest, so several wait together.
test("while a page is idle there is its stream, if it is live, and no other request", { concurrency: 4 }, async (t) => {
  const pages = [...(await byRoute(await it.shown()))];
  const idle = ([route, [scene]]) => {
    const live = isLive(scene.html);
    return t.test(`${route}, ${live ? "live" : "not live"}`, async () => {
      const page = await it.open(scene);
      const requests = [];
      let last = Date.now();
      page.on("request", (request) => {
        last = Date.now();
        const { pathname, search } = new URL(request.url());
        // When it fetches the icon is the browser's own affair.
        if (pathname !== "/icon.svg" || search !== "") requests.push(pathname);
      });
      // Time is the page's own: an hour passes at once, with every timer in it.
      await page.clock.install();
      await page.goto(scene.path);
      await page.waitForLoadState("load");
      if (live) {
        await until(() => requests.includes("/live"), "the stream");
        if ((await page.locator("[data-live-state]").count()) > 0) await page.locator('[data-live-state="live"]').first().waitFor();
      }
      // The islands come last, and on a busy machine long after the rest.
      if (live || hasIslands(scene.html)) await until(() => requests.some((path) => path.endsWith(".wasm")), "the wasm");
      // A portal that has just begun has news of its own.
      await until(() => Date.now() - last > 1_000, "the page to be at rest");
      assert.equal(requests.filter((path) => path === "/live").length, Number(live), "streams");
      requests.length = 0;
      await page.clock.fastForward("01:00:00");
      // Requests are told in their order: what the page asked for in that hour comes before this one.
      await page.evaluate(() => fetch("/icon.svg?asked"));
      assert.deepEqual(requests, ["/icon.svg"]);
      assert.deepEqual(page.complaints, []);
      await page.context().close();
    });
  };
  await Promise.all(pages.map(idle));
  assert.ok(pages.some(([, [scene]]) => isLive(scene.html)), "there are live pages");
});
