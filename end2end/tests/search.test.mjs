// Search: the palette with JavaScript and the page without it find the same; shortcuts open pages, and none of it takes a key from a field.

import { test } from "node:test";
import assert from "node:assert/strict";
import { order, reaches, signIn, stage, until, violations, workspace } from "../portal.mjs";

const it = stage(async (it) => {
  await order(it.portal, "orders-cache", "redis", {});
  await reaches(it.portal, "orders-cache", "Ready");
});
const requests = `/w/${workspace}/requests`;
const palette = (page) => page.getByRole("dialog", { name: "Search and commands" });
const chosen = (page) => page.locator('[role=option][aria-selected="true"]');

test("without JavaScript the link in the top bar leads to a search that finds mistyped names", async () => {
  const page = await signIn(it, "dev-shop", { javaScriptEnabled: false });
  await page.goto(requests);
  await page.getByRole("banner").getByRole("link", { name: "Search" }).click();
  await page.waitForURL("**/search?workspace=*");
  await page.getByRole("searchbox").fill("ordres-cache");
  await page.getByRole("searchbox").press("Enter");
  await page.getByRole("link", { name: "orders-cache", exact: true }).first().click();
  await page.waitForURL(`**${requests}/default/orders-cache`);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("the palette opens with a key, follows the arrows, and opens what is chosen", async () => {
  const page = await signIn(it, "dev-shop");
  await page.goto(requests);
  await page.keyboard.press("/");
  await palette(page).waitFor();
  const field = palette(page).getByRole("combobox");
  assert.ok(await field.evaluate((field) => field === document.activeElement), "the field has the focus");
  await field.fill("ordres");
  await palette(page).getByRole("option", { name: /orders-cache.*Request/ }).first().waitFor();
  await until(async () => (await chosen(page).count()) === 1, "an option to be chosen");
  assert.deepEqual(await violations(page), []);
  const first = await chosen(page).getAttribute("id");
  assert.equal(await field.getAttribute("aria-activedescendant"), first);
  await page.keyboard.press("ArrowDown");
  assert.notEqual(await field.getAttribute("aria-activedescendant"), first);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${requests}/default/orders-cache`);
  await page.keyboard.press("Control+k");
  await palette(page).waitFor();
  await page.keyboard.press("Escape");
  await palette(page).waitFor({ state: "hidden" });
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("a command of the palette sets the theme", async () => {
  const page = await signIn(it, "dev-shop");
  await page.goto(requests);
  await page.keyboard.press("Control+k");
  await palette(page).getByRole("combobox").fill("dark theme");
  await palette(page).getByRole("option", { name: "Use the dark theme" }).click();
  await until(() => page.evaluate(() => document.documentElement.dataset.theme === "dark"), "the dark theme");
  await page.context().close();
});

test("shortcuts open pages and their list, and fields keep their keys", async () => {
  const page = await signIn(it, "dev-shop");
  await page.goto(requests);
  await page.keyboard.press("?");
  const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await shortcuts.getByText("Search and commands").first().waitFor();
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("Escape");
  await shortcuts.waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("w");
  await page.waitForURL("**/workspaces");
  await page.getByRole("main").getByLabel("Find a workspace", { exact: true }).focus();
  await page.keyboard.type("g/h?");
  assert.equal(await page.getByRole("main").getByLabel("Find a workspace", { exact: true }).inputValue(), "g/h?");
  assert.equal(await page.locator("dialog[open]").count(), 0);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("menus close with Escape and with a click elsewhere", async () => {
  const page = await signIn(it, "dev-shop");
  await page.goto(requests);
  const menu = page.getByRole("banner").locator("details.menu").first();
  await menu.locator("summary").click();
  await page.keyboard.press("Escape");
  assert.equal(await menu.getAttribute("open"), null);
  assert.ok(await menu.locator("summary").evaluate((summary) => summary === document.activeElement));
  await menu.locator("summary").click();
  await page.getByRole("heading", { level: 1 }).click();
  assert.equal(await menu.getAttribute("open"), null);
  await page.context().close();
});
