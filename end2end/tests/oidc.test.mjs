// Sign-in with OpenID Connect: people of an identity provider that the plane trusts, with scripts and without.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { after, before, test } from "node:test";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { freePort } from "../certificate.mjs";
import { launch, launchBrowser, until, workspace } from "../portal.mjs";
import { arrive, signOut, startProvider } from "../provider.mjs";

const people = { "dev-shop": ["acme-shop-developers"], "org-owner": ["acme-owners"] };
const it = {};

before(async () => {
  it.folder = await mkdtemp(join(tmpdir(), "opm-oidc-"));
  const port = await freePort();
  it.url = `http://localhost:${port}`;
  it.provider = await startProvider({ portal: it.url, people });
  const plane = ["--plane", "embedded", "--empty", "--plane-port", "0", "--authentication-config", it.provider.authentication];
  const own = ["--data", join(it.folder, "data"), "--port", String(port), "--requests-per-second", "0"];
  it.portal = await launch(["serve", ...plane, ...own, ...it.provider.arguments], /http:\/\/127\.0\.0\.1:\d+(?=\D)/);
  await until(async () => (await fetch(`${it.url}/readyz`)).ok, "the portal to be ready");
  it.browser = await launchBrowser();
});

after(async () => {
  await it.browser?.close();
  await it.portal?.stop();
  await it.provider?.stop();
  await rm(it.folder, { recursive: true, force: true });
});

/** A browser without sessions anywhere. */
async function open(options = {}) {
  const context = await it.browser.newContext({ baseURL: it.url, ignoreHTTPSErrors: true, ...options });
  return context.newPage();
}

for (const javaScriptEnabled of [true, false]) {
  test(`a person signs in with the provider and out of both${javaScriptEnabled ? "" : ", without scripts"}`, async () => {
    const page = await open({ javaScriptEnabled });
    await arrive(page, `/w/${workspace}/catalog`, "dev-shop");
    assert.match(await page.locator("h1").innerText(), /Catalog/);
    assert.equal(await page.locator("header details.menu .group-name").first().getAttribute("title"), "dev-shop");
    await page.goto("/account/sessions");
    assert.match(await page.locator("main").innerText(), /Chrome on Linux[^]*with Acme SSO[^]*This browser/);

    await signOut(page);
    // Who signs in next is asked who they are.
    await arrive(page, "/requests", "org-owner");
    assert.equal(await page.locator("header details.menu .group-name").first().getAttribute("title"), "org-owner");
    await page.context().close();
  });
}

test("a person who signs out at the provider is signed out of the portal", async () => {
  const page = await open();
  await arrive(page, "/workspaces", "dev-shop");
  const other = await page.context().newPage();
  await other.goto(`${it.provider.issuer}/session/end`);
  await other.locator("button[value=yes]").click();
  await until(async () => {
    await page.goto("/workspaces");
    return new URL(page.url()).pathname === "/sign-in";
  }, "the session to end");
  await page.context().close();
});

test("an answer of the provider counts once", async () => {
  const page = await open();
  const answers = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/sign-in/oidc/callback") answers.push(request.url());
  });
  await arrive(page, "/requests", "dev-shop");
  assert.equal(answers.length, 1);
  const thief = await open();
  await thief.goto(answers[0]);
  assert.match(await thief.locator("main").innerText(), /has expired, was already used, or was started in another browser/);
  await thief.context().close();
  await page.context().close();
});
