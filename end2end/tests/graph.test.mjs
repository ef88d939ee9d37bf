// What was made as a graph: it folds by kind without JavaScript, leads to the pages of objects, and is made larger, smaller and moved by buttons,
// keys and mouse with it.

import { test } from "node:test";
import assert from "node:assert/strict";
import { brotliCompressSync } from "node:zlib";
import { order, reaches, signIn, stage, until, violations, workspace } from "../portal.mjs";

const name = "storefront";
const path = `/w/${workspace}/requests/default/${name}?view=resources`;

const it = stage(async (it) => {
  await order(it.portal, name, "redis", { replicas: 2 });
  await reaches(it.portal, name, "Ready");
});

const graph = (page) => page.locator(".graph");

test("without JavaScript every box leads to its object, and the object back", async () => {
  const page = await signIn(it, "dev-shop", { javaScriptEnabled: false });
  await page.goto(path);
  assert.equal(await page.locator(".graph-tools").isVisible(), false, "buttons that do nothing are not shown");
  await graph(page).getByRole("link", { name: /StatefulSet/ }).click();
  await page.getByRole("heading", { level: 1, name: `StatefulSet/${name}` }).waitFor();
  assert.equal(await page.title(), `StatefulSet/${name} of ${name} · shop · OPM Portal`);
  await page.getByText("As stored in the release").waitFor();
  await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name }).click();
  await page.waitForURL(`**${path}`);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("buttons, keys and mouse make it larger, smaller, and move it; the keyboard reaches every box", async () => {
  const page = await signIn(it, "dev-shop", { viewport: { width: 900, height: 900 } });
  await page.goto(path);
  const width = () => page.locator(".graph > svg").evaluate((svg) => svg.getBoundingClientRect().width);
  const before = await width();
  await page.getByRole("button", { name: "Zoom in", exact: true }).click();
  await until(async () => (await width()) > before * 1.2, "a larger graph");
  await page.getByText("125 %", { exact: true }).waitFor();
  await graph(page).focus();
  await page.keyboard.press("0");
  await until(async () => Math.abs((await width()) - before) < 1, "the size of the beginning");
  for (const key of ["+", "+", "-"]) await page.keyboard.press(key);
  await until(async () => Math.abs((await width()) - before * 1.25) < 1, "a step larger");
  const left = () => graph(page).evaluate((element) => element.scrollLeft);
  const [at, box] = [await left(), await graph(page).boundingBox()];
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 60, box.y + 20, { steps: 4 });
  await page.mouse.up();
  await until(async () => (await left()) !== at, "the graph to be dragged");
  // Wherever it was moved to, what has the focus is seen.
  const boxes = graph(page).getByRole("link");
  for (let index = 0; index < (await boxes.count()); index += 1) {
    await boxes.nth(index).focus();
    await until(async () => {
      const [frame, target] = [await graph(page).boundingBox(), await boxes.nth(index).boundingBox()];
      return target.x + target.width > frame.x && target.x < frame.x + frame.width;
    }, `box ${index} to come into sight`);
  }
  await page.getByRole("button", { name: "Fit", exact: true }).click();
  await until(async () => graph(page).evaluate((element) => element.scrollWidth <= element.clientWidth + 1), "the whole graph");
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

/** The page with this address, once its island listens: before, links load pages. */
async function moving(address) {
  const page = await signIn(it, "dev-shop", { viewport: { width: 900, height: 900 } });
  await page.goto(address);
  await page.locator("html[data-zooms]").waitFor();
  await page.evaluate(() => (window.sameDocument = true));
  return page;
}

const focus = (page) => page.evaluate(() => document.activeElement.textContent);

test("with JavaScript a box opens its object below the graph, as Back and arrow keys have it", async () => {
  const page = await moving(path);
  const box = graph(page).getByRole("link", { name: /StatefulSet/ });
  const opened = page.getByRole("region", { name, exact: true }).filter({ has: page.getByRole("link", { name: "Open object" }) });
  // Dragging a box opens nothing.
  const at = await box.boundingBox();
  await page.mouse.move(at.x + 20, at.y + 20);
  await page.mouse.down();
  await page.mouse.move(at.x - 30, at.y + 20, { steps: 4 });
  await page.mouse.up();
  assert.ok(page.url().endsWith(path));
  await page.getByRole("button", { name: "Fit", exact: true }).click();
  const zoomed = await graph(page).locator("> svg").getAttribute("width");

  await box.click();
  await opened.getByText("StatefulSet", { exact: true }).waitFor();
  await page.waitForURL(`**${path}&open=*`);
  assert.equal(await box.getAttribute("aria-current"), "true");
  assert.ok(await box.evaluate((link) => link === document.activeElement), "the box keeps the focus");
  assert.equal(await graph(page).locator("> svg").getAttribute("width"), zoomed, "the zoom stays");
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("ArrowDown");
  const below = await focus(page);
  assert.doesNotMatch(below, /StatefulSet/);
  await page.keyboard.press("ArrowUp");
  assert.match(await focus(page), /StatefulSet/);
  await page.keyboard.press("ArrowLeft");
  assert.match(await focus(page), /redis/, "the version, which the objects are made from");
  await page.keyboard.press("ArrowRight");
  for (let step = 0; step < 9 && (await focus(page)) !== below; step += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await opened.getByText("StatefulSet", { exact: true }).waitFor({ state: "detached" });
  await page.goBack();
  await opened.getByText("StatefulSet", { exact: true }).waitFor();
  assert.equal(await page.evaluate(() => window.sameDocument), true, "nobody loaded it again");
  await opened.getByRole("link", { name: "Open object" }).click();
  await page.getByRole("heading", { level: 1, name: `StatefulSet/${name}` }).waitFor();
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("with JavaScript the tree shows another object in place, and arrow keys move in it", async () => {
  const page = await moving(`${path}&layout=tree`);
  const links = page.locator(".tree a");
  await links.first().focus();
  await page.keyboard.press("ArrowDown");
  assert.ok(await links.nth(1).evaluate((link) => link === document.activeElement));
  const href = await links.nth(1).getAttribute("href");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${href}`);
  await page.locator(`.tree a[aria-current][href="${href}"]`).waitFor();
  assert.ok(await links.nth(1).evaluate((link) => link === document.activeElement), "the focus stays");
  assert.equal(await page.evaluate(() => window.sameDocument), true, "nobody loaded it again");
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("the page of an object fits the budget of ordinary pages", async () => {
  const page = await signIn(it, "dev-shop", { javaScriptEnabled: false });
  for (const object of [`StatefulSet/${name}`, `Secret/${name}-connection`]) {
    const html = await (await page.request.get(`/w/${workspace}/requests/default/${name}/objects/${object}`)).text();
    const [, style] = html.match(/<link rel="stylesheet" href="([^"]+)"/);
    const bytes = brotliCompressSync(html).length + brotliCompressSync(await (await page.request.get(style)).body()).length;
    console.log(`${object}: ${bytes} bytes`);
    assert.ok(bytes <= 16_000, `${object}: ${bytes} bytes`);
    assert.ok(!html.includes(`redis://${name}`), "no value of a Secret");
  }
  await page.context().close();
});
