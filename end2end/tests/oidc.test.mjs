// Sign-in with OpenID Connect: people of an identity provider that the plane trusts, with scripts and without.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { launch, launchBrowser, until, workspace } from "../portal.mjs";
import { freePort, signInAtProvider, startProvider } from "../provider.mjs";

const people = { "dev-shop": ["acme-shop-developers"], "org-owner": ["acme-owners"] };
const it = {};

before(async () => {
  it.folder = await mkdtemp(join(tmpdir(), "opm-oidc-"));
  const port = await freePort();
  it.url = `http://localhost:${port}`;
  it.provider = await startProvider({ portal: it.url, people });
  const [secret, trust] = [join(it.folder, "client-secret"), join(it.folder, "authentication.json")];
  await writeFile(secret, it.provider.clientSecret);
  const claimMappings = { username: { claim: "sub", prefix: "" }, groups: { claim: "groups", prefix: "" } };
  const issuer = { url: it.provider.issuer, audiences: ["portal"], certificateAuthority: it.provider.certificate };
  const configuration = { apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthenticationConfiguration", jwt: [{ issuer, claimMappings }] };
  await writeFile(trust, JSON.stringify(configuration));
  const plane = ["--plane", "embedded", "--empty", "--plane-port", "0", "--authentication-config", trust];
  const own = ["--data", join(it.folder, "data"), "--port", String(port), "--public-url", it.url, "--requests-per-second", "0"];
  const oidc = ["--oidc-issuer", it.provider.issuer, "--oidc-client-id", "portal", "--oidc-client-secret-file", secret];
  const names = ["--oidc-ca-file", it.provider.certificateFile, "--oidc-title", "Acme SSO"];
  it.portal = await launch(["serve", ...plane, ...own, ...oidc, ...names], /http:\/\/127\.0\.0\.1:\d+(?=\D)/);
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

/** Goes to an address, and signs in with the provider on the way. */
async function arrive(page, address, person) {
  await page.goto(address);
  await page.getByRole("link", { name: "Sign in with Acme SSO" }).click();
  await signInAtProvider(page, person);
  await page.waitForURL((at) => at.pathname === address);
}

for (const javaScriptEnabled of [true, false]) {
  test(`a person signs in with the provider and out of both${javaScriptEnabled ? "" : ", without scripts"}`, async () => {
    const page = await open({ javaScriptEnabled });
    await arrive(page, `/w/${workspace}/catalog`, "dev-shop");
    assert.match(await page.locator("h1").innerText(), /Catalog/);
    assert.equal(await page.locator("header details.menu .group-name").first().getAttribute("title"), "dev-shop");
    await page.goto("/account/sessions");
    assert.match(await page.locator("main").innerText(), /Chrome on Linux[^]*with Acme SSO[^]*This browser/);

    await page.locator("header details.menu summary").last().click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByText("You're signed out").waitFor();
    await page.getByRole("link", { name: "Sign out of Acme SSO" }).click();
    await page.locator("button[value=yes]").click();
    await page.waitForURL((at) => at.pathname === "/sign-in");
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
