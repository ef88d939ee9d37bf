// The journey of the README on a real kube-apiserver that trusts an identity provider, as a person of that provider, with scripts and without.
// The embedded plane plays the cluster in which databases run, as docs/kubernetes.md describes. Pages and controller are processes of their own.

import assert from "node:assert/strict";
import { readFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { freePort } from "../certificate.mjs";
import { ADMIN, startKubernetes, withoutKubernetes } from "../kubernetes.mjs";
import { becomes, command, kubectl, launch, launchBrowser, until } from "../portal.mjs";
import { arrive, signOut, startProvider } from "../provider.mjs";

const people = { dana: ["shop-developers"], eve: [] };
const workspace = "cluster:shop";
const it = {};

describe("on a kube-apiserver that trusts the provider", { skip: withoutKubernetes }, () => {
  before(async () => {
    it.folder = await mkdtemp(join(tmpdir(), "opm-oidc-kubernetes-"));
    it.port = await freePort();
    it.url = `http://localhost:${it.port}`;
    it.provider = await startProvider({ portal: it.url, people });
    // One after the other they would take twice as long. What started is stopped, whatever fails.
    const keep = async (name, starting) => (it[name] = await starting);
    const servers = [keep("kubernetes", startKubernetes(it.provider)), keep("workload", startWorkload()), keep("browser", launchBrowser())];
    const failed = (await Promise.allSettled(servers)).find(({ status }) => status === "rejected");
    if (failed) throw failed.reason;
    await install();
    it.portal = await serve();
    it.controller = await control();
    await publish();
  });

  after(async () => {
    await it.browser?.close();
    await it.controller?.stop();
    await it.portal?.stop();
    await it.workload?.stop();
    await it.kubernetes?.stop();
    await it.provider?.stop();
    await rm(it.folder, { recursive: true, force: true });
  });

  test("a controller alone keeps no caches for pages", async () => {
    const parts = await (await fetch(`${it.controller.said}/readyz?verbose`)).text();
    assert.match(parts, /^\[\+\] controller: ok$/m);
    assert.doesNotMatch(parts, /requests|releases/);
    assert.match(await (await fetch(`${it.url}/readyz?verbose`)).text(), /^\[\+\] requests: ok$/m);
  });

  for (const javaScriptEnabled of [true, false]) {
    test(`a person requests a database as themselves${javaScriptEnabled ? "" : ", without scripts"}`, async () => {
      const name = javaScriptEnabled ? "orders-db" : "orders-db-plain";
      const context = await it.browser.newContext({ baseURL: it.url, ignoreHTTPSErrors: true, javaScriptEnabled });
      const page = await context.newPage();
      await arrive(page, `/w/${workspace}/catalog`, "dana");
      await page.getByRole("main").getByRole("link", { name: "PostgreSQL", exact: true }).click();
      await page.getByRole("main").getByRole("link", { name: "Request", exact: true }).click();
      await page.getByLabel("Name", { exact: true }).fill(name);
      await page.getByRole("button", { name: "Review request" }).click();
      await page.getByRole("heading", { level: 1, name: `Review ${name}` }).waitFor();
      await page.getByRole("button", { name: "Submit request" }).click();
      await page.waitForURL(`**/requests/shop/${name}`);
      await becomes(page, "Ready", javaScriptEnabled);
      // The server says who it was.
      const made = JSON.parse(await onKubernetes(["get", `promiserequests.platform.opmodel.dev/${name}`, "--namespace", "shop", "-o", "json"]));
      assert.equal(made.spec.requester.username, "dana");

      await signOut(page);
      await arrive(page, "/workspaces", "eve");
      assert.equal((await page.goto(`/w/${workspace}/requests/shop/${name}`)).status(), 404, "people without a role find nothing");
      await context.close();
    });
  }
});

/** kubectl as an administrator of the kube-apiserver. */
function onKubernetes(args, input) {
  return kubectl(it.kubernetes, ADMIN, args, input);
}

/** The cluster that databases are created in, with operators that make them ready. */
async function startWorkload() {
  const data = join(it.folder, "workload");
  const plane = ["--plane", "embedded", "--empty", "--roles", "plane", "--plane-port", "0"];
  const served = await launch(["serve", ...plane, "--port", "0", "--data", data], /KUBECONFIG=/);
  return { ...served, kubeconfig: join(data, "kubeconfig") };
}

/** Steps 1 to 3 of docs/kubernetes.md. */
async function install() {
  const onServer = ["--context", ADMIN];
  await onKubernetes(["create", "namespace", "shop"]);
  await command("bootstrap", "--kubeconfig", it.kubernetes.kubeconfig, ...onServer, "--namespace", "shop");
  await onKubernetes(["create", "rolebinding", "shop-requesters", "--namespace", "shop", "--clusterrole=opm-user", "--group=shop-developers"]);
  const workload = join(it.folder, "workload.yaml");
  await writeFile(workload, await kubectl(it.workload, "plane-admin@sandbox", ["config", "view", "--minify", "--flatten", "--raw"]), { mode: 0o600 });
  const kinds = ["Secret", "ConfigMap", "postgresql.cnpg.io/Cluster"].flatMap((kind) => ["--allow-kind", kind]);
  const at = ["--portal-kubeconfig", it.kubernetes.kubeconfig, ...onServer, "--allow-workspace", "cluster:*"];
  await command("destination", "add", "sandbox", "--kubeconfig", workload, ...at, ...kinds);
}

/** Starts one role on the kube-apiserver, with a folder of its own. */
function role(name, args) {
  const plane = ["--plane", "kubeconfig", "--kubeconfig", it.kubernetes.kubeconfig, "--context", ADMIN, "--data", join(it.folder, name)];
  return launch(["serve", "--roles", name, ...plane, ...args], /http:\/\/127\.0\.0\.1:\d+(?=\D)/);
}

/** Step 4, with the provider. */
async function serve() {
  const own = ["--port", String(it.port), "--requests-per-second", "0", "--oidc-groups-claim", "groups"];
  const portal = await role("web", [...own, ...it.provider.arguments]);
  await until(async () => (await fetch(`${it.url}/readyz`)).ok, "the portal to be ready");
  return portal;
}

/** The controller beside it, which people don't sign in to. */
async function control() {
  const controller = await role("controller", ["--port", "0", "--sign-in", "token", "--public-url", "http://127.0.0.1"]);
  await until(async () => (await fetch(`${controller.said}/readyz`)).ok, "the controller to be ready");
  return controller;
}

/** Step 5, with a promise of the sample world. */
async function publish() {
  const promise = await readFile(fileURLToPath(new URL("../../examples/promises/postgresql.yaml", import.meta.url)), "utf8");
  await onKubernetes(["apply", "-f", "-"], promise);
  await onKubernetes(["wait", "promises.platform.opmodel.dev/postgresql", "--for=condition=Published", "--timeout=120s"]);
}
