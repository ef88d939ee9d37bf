// On a cluster that is not the portal's own: bootstrap, serve, sign in with a token, order, delete; with and without JavaScript.

import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command, kubectl, launch, launchBrowser, serve, until, violations } from "../portal.mjs";
import { note, promise } from "../promises.mjs";

const settings = promise("settings", {
  presentation: { displayName: "Settings", summary: "A config map of settings" },
  parameters: { type: "object", properties: { colour: { type: "string", enum: ["green", "blue"], default: "green" } } },
  implementation: { resources: [note({ colour: "${parameters.colour}" }, "settings")] },
});

const it = {};

before(async () => {
  it.folder = await mkdtemp(join(tmpdir(), "opm-cluster-"));
  const tokens = join(it.folder, "tokens.csv");
  await writeFile(tokens, 'token-of-admin,admin,1,"system:masters"\ntoken-of-dana,dana,2,"shop-developers"\n');
  const plane = ["plane", "--listen", "127.0.0.1:0", "--data", join(it.folder, "plane"), "--token-auth-file", tokens, "--empty"];
  it.plane = await launch(plane, /https:\/\/127\.0\.0\.1:\d+(?=\D)/);
  const kubeconfig = join(it.folder, "kubeconfig");
  await writeFile(kubeconfig, JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "admin",
    clusters: [{ name: "own", cluster: { server: it.plane.said, "certificate-authority": join(it.folder, "plane", "tls", "ca.crt") } }],
    users: [{ name: "admin", user: { token: "token-of-admin" } }],
    contexts: [{ name: "admin", context: { cluster: "own", user: "admin" } }],
  }));
  it.admin = (args, input) => kubectl({ kubeconfig }, "admin", args, input);
  await it.admin(["create", "namespace", "shop"]);
  const where = ["--kubeconfig", kubeconfig];
  await assert.rejects(command("doctor", ...where), /opm-portal bootstrap/);
  await command("bootstrap", ...where, "--namespace", "shop");
  assert.match(await command("doctor", ...where), /is ready/);
  await it.admin(["create", "rolebinding", "developers", "-n", "shop", "--clusterrole=opm-user", "--group=shop-developers"]);
  await it.admin(["create", "-f", "-"], JSON.stringify(settings));
  it.portal = await serve(join(it.folder, "portal"), ["--plane", "kubeconfig", "--sign-in", "token", ...where]);
  it.browser = await launchBrowser();
});

after(async () => {
  await it.browser?.close();
  await it.portal?.stop();
  await it.plane?.stop();
  await rm(it.folder, { recursive: true, force: true });
});

for (const javaScriptEnabled of [true, false]) {
  const looks = javaScriptEnabled ? "with JavaScript" : "without JavaScript";

  test(`somebody with a token orders and deletes, ${looks}`, async () => {
    const context = await it.browser.newContext({ baseURL: it.portal.url, javaScriptEnabled });
    const page = await context.newPage();
    await page.goto("/w/cluster:shop/catalog");
    await page.getByLabel("Bearer token").fill("nobody's");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("doesn't accept this token").waitFor();
    assert.equal(await page.getByLabel("Bearer token").inputValue(), "", "what was typed does not come back");
    await page.getByLabel("Bearer token").fill("token-of-dana");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL((address) => !address.pathname.startsWith("/sign-in"));
    await until(() => page.goto("/w/cluster:shop/catalog").then(() => page.getByRole("link", { name: "Settings" }).count()), "the promise to be offered");
    await page.getByRole("link", { name: "Settings" }).first().click();
    await page.goto("/w/cluster:shop/promises/settings/request");
    await page.getByLabel("Name", { exact: true }).fill("mine");
    await page.getByRole("button", { name: "Review request" }).click();
    await page.getByRole("button", { name: /^Submit/ }).click();
    await page.waitForURL("**/w/cluster:shop/requests/shop/mine");
    await it.admin(["wait", "-n", "shop", "promiserequest/mine", "--for=condition=Ready", "--timeout=120s"]);
    assert.equal(await it.admin(["get", "-n", "shop", "configmap/mine", "-o", "jsonpath={.data.colour}"]), "green");
    await page.goto("/w/cluster:shop/requests/shop/mine/delete");
    await page.getByRole("textbox").fill("mine");
    await page.getByRole("button", { name: /Delete/ }).click();
    await it.admin(["wait", "-n", "shop", "promiserequest/mine", "--for=delete", "--timeout=120s"]);
    await assert.rejects(it.admin(["get", "-n", "shop", "configmap/mine"]), /NotFound/);
    await context.close();
  });
}

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing on the sign-in page, ${colorScheme}`, async () => {
    const context = await it.browser.newContext({ baseURL: it.portal.url, colorScheme });
    const page = await context.newPage();
    await page.goto("/sign-in");
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
    assert.deepEqual(await violations(page), []);
    await context.close();
  });
}

test("tokens are nowhere in the log and the folder of the portal", async () => {
  const found = spawnSync("grep", ["--recursive", "--files-with-matches", "token-of-", join(it.folder, "portal")], { encoding: "utf8" });
  assert.equal(found.stdout, "", "a token lies in a file of the portal");
  assert.doesNotMatch(it.portal.log(), /token-of-/);
});
