// Lists are narrowed in place: what is typed or chosen shows without loading the page again, with the address, Back, the focus and an announcement as if
// it had been.

import { test } from "node:test";
import assert from "node:assert/strict";
import { order, signIn, stage, until, violations, workspace } from "../portal.mjs";

const path = `/w/${workspace}/requests`;

const it = stage(async (it) => {
  for (const [name, promise] of [["orders-cache", "redis"], ["sessions", "redis"], ["orders-db", "postgresql"]]) {
    const parameters = promise === "redis" ? {} : { tier: "production", replicas: 2, storage: 50 };
    await order(it.portal, name, promise, parameters);
  }
});

const rows = (page) => page.getByRole("table", { name: "Requests" }).getByRole("rowheader").getByRole("link");
const names = async (page) => (await rows(page).allTextContents()).sort();
const shows = (page, ...expected) => until(async () => JSON.stringify(await names(page)) === JSON.stringify(expected), `${expected} to be listed`);
const said = (page) => page.locator("[data-said]").textContent();

/** The page of the list, once its islands listen: before, links and forms load pages. */
async function opened(person = "dev-shop") {
  const page = await signIn(it, person);
  await page.goto(path);
  await page.getByText("Live", { exact: true }).waitFor();
  await shows(page, "orders-cache", "orders-db", "sessions");
  await page.evaluate(() => (window.sameDocument = true));
  return page;
}

/** Nothing was loaded again. */
async function stayed(page) {
  assert.equal(await page.evaluate(() => window.sameDocument), true, "the page was loaded again");
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

test("what is typed narrows the list, and the field keeps the focus and every letter", async () => {
  const page = await opened();
  const search = page.getByRole("searchbox", { name: "Search requests" });
  await search.pressSequentially("orders", { delay: 40 });
  await shows(page, "orders-cache", "orders-db");
  await page.waitForURL(`**${path}?q=orders`);
  assert.equal(await search.inputValue(), "orders");
  assert.ok(await search.evaluate((field) => field === document.activeElement), "the field keeps the focus");
  await until(async () => /2/.test(await said(page)), "the number of rows to be said");
  await page.getByText("Live", { exact: true }).waitFor();
  await search.fill("nothing-has-this");
  await page.getByRole("heading", { name: "No requests match" }).waitFor();
  assert.ok((await said(page)).length > 0);
  await search.fill("");
  await shows(page, "orders-cache", "orders-db", "sessions");
  await page.waitForURL(`**${path}`);
  await stayed(page);
});

test("a filter applies in place, keeps the focus, and Back takes it away", async () => {
  const page = await opened();
  const filter = page.getByRole("list", { name: "Promise" }).getByRole("link", { name: /^Redis/ });
  await filter.focus();
  await page.keyboard.press("Enter");
  await shows(page, "orders-cache", "sessions");
  await page.waitForURL(`**${path}?promise=redis`);
  assert.equal(await filter.getAttribute("aria-current"), "true");
  assert.ok(await filter.evaluate((link) => link === document.activeElement), "the filter keeps the focus");
  assert.deepEqual(await violations(page), []);
  // What the page was narrowed to is in every address: of the search, and of what is downloaded.
  await page.getByRole("searchbox", { name: "Search requests" }).fill("orders");
  await shows(page, "orders-cache");
  await page.waitForURL(`**${path}?*q=orders*`);
  assert.match(await page.getByRole("link", { name: "CSV" }).getAttribute("href"), /q=orders.*promise=redis/);
  await page.goBack();
  await shows(page, "orders-cache", "orders-db", "sessions");
  assert.equal(await page.getByRole("searchbox", { name: "Search requests" }).inputValue(), "");
  await page.goForward();
  await shows(page, "orders-cache");
  await stayed(page);
});

test("another page, and a list in a new tab, open as ever", async () => {
  const page = await opened();
  const [other] = await Promise.all([
    page.context().waitForEvent("page"),
    page.getByRole("list", { name: "Promise" }).getByRole("link", { name: /^Redis/ }).click({ modifiers: ["Control"] }),
  ]);
  await other.waitForURL(`**${path}?promise=redis`);
  await other.close();
  assert.ok(page.url().endsWith(path));
  await rows(page).first().click();
  await page.waitForURL(`**${path}/default/*`);
  await page.context().close();
});

test("a narrowed list stays live", async () => {
  const page = await opened();
  await page.getByRole("searchbox", { name: "Search requests" }).fill("late");
  await page.waitForURL(`**${path}?q=late`);
  await order(it.portal, "late-cache", "redis", {});
  await shows(page, "late-cache");
  await stayed(page);
});

test("the catalog is narrowed in place, too", async () => {
  const page = await signIn(it, "dev-shop");
  await page.goto(`/w/${workspace}/catalog`);
  await page.evaluate(() => (window.sameDocument = true));
  const offers = page.locator(".offer");
  const all = await offers.count();
  // Typed before the island listens or after: it counts.
  await page.getByRole("searchbox").pressSequentially("postgres");
  await until(async () => (await offers.count()) > 0 && (await offers.count()) < all, "fewer services");
  await page.getByRole("link", { name: "Clear all" }).click();
  await until(async () => (await offers.count()) === all, "all services");
  await stayed(page);
});
