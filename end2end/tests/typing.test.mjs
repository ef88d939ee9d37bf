// What is typed stays: over reload, Back, a link, and a portal that doesn't answer; with JavaScript, from the first pause in typing on. And
// secrets are revealed in place.

import { test } from "node:test";
import assert from "node:assert/strict";
import { order, reaches, signIn, stage, until, workspace } from "../portal.mjs";
import { saved } from "../walk.mjs";

const it = stage();
const form = `/w/${workspace}/promises/postgresql/request`;
const name = (page) => page.getByLabel("Name", { exact: true });

/** Types into the form, and waits until it is saved. */
async function typed(page, text) {
  await page.goto(form);
  await name(page).pressSequentially(text);
  await page.getByText("Draft saved").waitFor();
  await page.waitForURL(/draft=[0-9a-f]{32}$/);
}

test("reload, Back and a link lose nothing, and the draft is listed until it is discarded", async () => {
  const page = await signIn(it, "dev-shop");
  await typed(page, "orders-db");
  await page.getByLabel("Reason", { exact: true }).fill("typed once");
  // Left before the next pause.
  await page.reload();
  assert.equal(await name(page).inputValue(), "orders-db");
  await until(async () => (await page.reload(), await page.getByLabel("Reason", { exact: true }).inputValue()) === "typed once", "what was typed last");
  await page.getByRole("link", { name: "Catalog", exact: true }).first().click();
  await page.waitForURL("**/catalog");
  await page.goBack();
  assert.equal(await name(page).inputValue(), "orders-db");

  await page.goto("/");
  await page.getByRole("link", { name: "orders-db", exact: true }).click();
  assert.equal(await name(page).inputValue(), "orders-db");
  await page.goto(`/w/${workspace}/requests`);
  await page.getByRole("button", { name: "Discard the draft orders-db" }).click();
  await page.getByRole("button", { name: "Discard the draft orders-db" }).waitFor({ state: "detached" });
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("a reload of what is saved saves no second draft", async () => {
  const page = await signIn(it, "dev-shop");
  await page.addInitScript(() => document.addEventListener("input", () => (window.isTyped = true), true));
  await page.goto(form);
  await name(page).fill("carts-db");
  await saved(page, true);
  await page.reload();
  assert.equal(await name(page).inputValue(), "carts-db");
  // An input event would save it again. One is sent while the page loads if something was restored that the page lacks.
  assert.equal(await page.evaluate(() => window.isTyped), undefined);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("a reload right after the last key loses nothing, and keeps no secret", async () => {
  const page = await signIn(it, "dev-shop");
  await page.goto(form);
  await name(page).pressSequentially("orders-db");
  await page.getByRole("radio", { name: /^Medium/ }).check();
  await page.reload();
  assert.equal(await name(page).inputValue(), "orders-db");
  assert.ok(await page.getByRole("radio", { name: /^Medium/ }).isChecked());
  // It is checked and saved as if it were typed, and kept for this once.
  await page.waitForURL(/draft=[0-9a-f]{32}$/);
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  await page.getByRole("button", { name: "Review request" }).click();
  await page.getByRole("heading", { level: 1, name: "Review orders-db" }).waitFor();
  await page.getByLabel(/^Administrator's password/).fill("not to be kept");
  await page.reload();
  assert.ok(!(await page.evaluate(() => JSON.stringify(sessionStorage))).includes("not to be kept"));
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("a portal that doesn't answer is said, and nothing that was typed goes", async () => {
  const page = await signIn(it, "dev-shop");
  await typed(page, "orders");
  const status = page.locator("#preflight [role=status]").filter({ hasText: "Can't check: the portal" });
  await page.context().setOffline(true);
  await name(page).pressSequentially("-db");
  await status.getByRole("button", { name: "Try again" }).waitFor();
  // A button that would leave the page stays on it.
  await page.getByRole("button", { name: "Review request" }).click();
  await status.getByRole("button", { name: "Try again" }).waitFor();
  assert.equal(await name(page).inputValue(), "orders-db");
  await page.context().setOffline(false);
  await status.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Review request" }).click();
  await page.getByRole("heading", { level: 1, name: "Review orders-db" }).waitFor();
  await page.context().close();
});

test("a secret is revealed in place, hidden again, and copied without being shown", async () => {
  await order(it.portal, "carts", "redis", {});
  await reaches(it.portal, "carts", "Ready");
  const page = await signIn(it, "dev-shop");
  await page.clock.install();
  await page.goto(`/w/${workspace}/requests/default/carts`);
  const outputs = page.getByRole("region", { name: "Outputs" });
  await page.evaluate(() => (navigator.clipboard.writeText = async (text) => (window.written = text)));
  await outputs.getByRole("button", { name: "Copy url without showing it" }).click();
  await until(async () => (await page.evaluate(() => window.written ?? "")).startsWith("redis://"), "the address to be copied");
  assert.equal(await outputs.getByText("redis://").count(), 0);
  await outputs.getByRole("button", { name: "Reveal url" }).click();
  await outputs.getByText("redis://").waitFor();
  assert.ok(page.url().endsWith("/requests/default/carts"), "in place");
  await page.clock.fastForward(31_000);
  await outputs.getByText("redis://").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "History" }).first().click();
  await page.getByText("Url revealed").first().waitFor();
  await page.context().close();
});
