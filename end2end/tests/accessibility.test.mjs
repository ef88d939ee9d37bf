// axe finds nothing on any route, in both themes, wide and narrow; and no page scrolls sideways.

import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { launchBrowser, signIn, startPortal, until, violations } from "../portal.mjs";

const workspace = "root:acme:shop";

let portal, browser;
before(async () => {
  portal = await startPortal();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await portal?.stop();
});

test("every route is accessible in both themes, wide and narrow", async () => {
  const person = await signIn(browser, portal, "dev-shop", { javaScriptEnabled: false });
  await person.goto(`/w/${workspace}/promises/redis/request`);
  await person.getByLabel("Name", { exact: true }).fill("accessible");
  await person.getByRole("button", { name: "Review request" }).click();
  const review = new URL(person.url());
  await person.getByRole("button", { name: "Submit request" }).click();
  await person.waitForURL("**/requests/default/accessible");
  await until(async () => (await (await person.request.get(person.url())).text()).includes(">Ready<"), "the request to be ready", 60_000);
  await person.goto(`/w/${workspace}/promises/postgresql/request`);
  await person.getByLabel("Name", { exact: true }).fill("Not A Name");
  await person.getByRole("button", { name: "Review request" }).click();
  const refused = new URL(person.url());

  const paths = [
    "/",
    "/workspaces",
    "/workspaces?q=nothing-has-this",
    `/w/${workspace}/catalog`,
    `/w/${workspace}/catalog?q=nothing-has-this`,
    `/w/${workspace}/promises/postgresql`,
    `/w/${workspace}/promises/postgresql/request`,
    refused.pathname + refused.search,
    review.pathname + review.search,
    `/w/${workspace}/requests`,
    "/w/root:acme:data/requests",
    `/w/${workspace}/requests/default/accessible`,
    `/w/${workspace}/requests/default/accessible/edit`,
    `/w/${workspace}/requests/default/accessible/delete`,
    `/w/${workspace}/requests/default/not-there`,
    "/w/root:nowhere/catalog",
    "/dev/ui",
  ];
  const found = [];
  const state = await person.context().storageState();
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1440, 390]) {
      const context = await browser.newContext({ baseURL: portal.url, storageState: state, colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      for (const path of paths) {
        await page.goto(path);
        for (const violation of await violations(page)) found.push(`${path} ${colorScheme} ${width}: ${violation}`);
        const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (sideways > 0) found.push(`${path} ${width}: scrolls sideways by ${sideways} px`);
        if (page.complaints?.length) found.push(...page.complaints);
      }
      await context.close();
    }
  }
  const signedOut = await browser.newPage({ baseURL: portal.url });
  await signedOut.goto("/sign-in");
  found.push(...(await violations(signedOut)).map((violation) => `/sign-in: ${violation}`));
  assert.deepEqual(found, []);
});
