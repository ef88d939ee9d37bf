// Pages that sum many things up follow what changes, and what somebody types stays.

import { test } from "node:test";
import assert from "node:assert/strict";
import { order, signIn, stage, until, workspace } from "../portal.mjs";

const it = stage();

test("home and the overview show a request without being loaded again", async () => {
  const pages = [];
  for (const path of ["/", "/platform"]) {
    const page = await signIn(it, "org-owner");
    await page.goto(path);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.evaluate(() => (window.sameDocument = true));
    pages.push(page);
  }
  await order(it.portal, "followed", "redis", {});
  const [home, platform] = pages;
  await home.getByRole("link", { name: `1 request in ${workspace}`, exact: true }).waitFor();
  await platform.getByText("Based on 1 request").waitFor();
  for (const page of pages) {
    assert.equal(await page.evaluate(() => window.sameDocument), true, "nobody loaded it again");
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  }
});

test("the inbox shows what comes in, and keeps what is being read and typed", async () => {
  const database = { tier: "production", replicas: 2, storage: 50 };
  await order(it.portal, "first-db", "postgresql", database);
  const page = await signIn(it, "approver");
  await page.goto("/approvals");
  await page.getByRole("link", { name: /first-db/ }).waitFor();
  await page.goto("/approvals");
  await page.getByText("Live", { exact: true }).waitFor();
  await page.locator("#comment").fill("Half a thought");
  await page.getByLabel("Search approvals").fill("not sent");
  await order(it.portal, "second-db", "postgresql", database);
  await page.getByRole("link", { name: /second-db/ }).waitFor();
  await page.getByText("2 requests need your approval").waitFor();
  assert.equal(await page.locator("#comment").inputValue(), "Half a thought");
  assert.equal(await page.getByLabel("Search approvals").inputValue(), "not sent");
  assert.match(await page.locator("[data-row][aria-current]").innerText(), /first-db/, "the row of what is being read is marked");
  await until(async () => /^2/.test(await page.locator(".sidenav .hot").textContent()), "the navigation to say so too");
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});
