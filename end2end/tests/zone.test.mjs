// Times are shown in the time zone of the reader: that of the browser, or the chosen one where no script runs.

import { test } from "node:test";
import assert from "node:assert/strict";
import { order, reaches, signIn, stage, workspace } from "../portal.mjs";

const it = stage(async (it) => {
  await order(it.portal, "carts", "redis", {});
  await reaches(it.portal, "carts", "Ready");
});

/** The cookie with the zone. */
const zone = async (page) => (await page.context().cookies()).find((cookie) => cookie.name === "zone")?.value;

test("the portal learns the browser's zone, and the exact time stays in UTC", async () => {
  const page = await signIn(it, "dev-shop", { timezoneId: "Asia/Tokyo" });
  await page.goto(`/w/${workspace}/requests/default/carts`);
  assert.equal(await zone(page), "Asia/Tokyo");
  assert.match(await page.locator("time").first().getAttribute("title"), / UTC$/);
  await page.context().close();
});

test("without a script, times are in UTC until a zone is chosen", async () => {
  const page = await signIn(it, "dev-shop", { javaScriptEnabled: false });
  await page.goto("/notifications/settings");
  assert.equal(await zone(page), undefined);
  await page.getByLabel("Time zone, such as Europe/Berlin").fill("America/New_York");
  await page.getByRole("button", { name: "Save settings" }).click();
  assert.equal(await zone(page), "America/New_York");
  await page.getByLabel("Time zone, such as Europe/Berlin").fill("Mars/Base");
  await page.getByRole("button", { name: "Save settings" }).click();
  await page.getByText("Mars/Base isn't a time zone").first().waitFor();
  assert.equal(await zone(page), "America/New_York", "what is refused changes nothing");
  await page.context().close();
});
