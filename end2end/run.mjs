// Runs test files, and beside them the one portal whose pages several of them look at:
//
//   node run.mjs tests/weight.test.mjs …
//
// Environment: OPM_PORTAL, OPM_CHROMIUM, OPM_KUBECTL; OPM_KUBE_APISERVER and OPM_ETCD for the test on a real kube-apiserver.

import { spawn } from "node:child_process";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser, startPortal } from "./portal.mjs";
import { arranged, scenes, states } from "./scenes.mjs";

/** Each file has a browser, most a portal, too, and waits as much as it works. */
const together = "--test-concurrency=3";

const folder = await mkdtemp(join(tmpdir(), "opm-gallery-"));
const made = join(folder, "scenes.json");
const tests = spawn(process.execPath, ["--test", together, ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, OPM_GALLERY: made },
});
const ended = new Promise((resolve) => tests.on("exit", (code) => resolve(code ?? 1)));

const it = {};
try {
  it.portal = await startPortal((folder) => arranged(folder, it));
  it.browser = await launchBrowser();
  const pages = await scenes(it);
  const known = [...(await states(it, pages))];
  const { url, kubeconfig } = it.portal;
  await writeFile(`${made}.part`, JSON.stringify({ portal: { url, kubeconfig }, pages, known }));
  await rename(`${made}.part`, made);
  process.exitCode = await ended;
} catch (error) {
  // What waits for the scenes need not wait longer.
  tests.kill();
  throw error;
} finally {
  await it.browser?.close();
  await it.portal?.stop();
  await it.provider?.stop();
  await rm(folder, { recursive: true, force: true });
}
