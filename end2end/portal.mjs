// One portal on its embedded plane, in memory, for one test file; and a person in a browser.

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

function environment(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the browser tests by "cargo xtask test --only browser"`);
  return value;
}

/** Starts the portal and waits until it is ready. */
export async function startPortal() {
  const data = await mkdtemp(join(tmpdir(), "opm-portal-"));
  const child = spawn(
    environment("OPM_PORTAL"),
    ["serve", "--plane", "embedded", "--data", data, "--port", "0", "--plane-port", "0", "--site", environment("OPM_SITE")],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  const url = await new Promise((resolve, reject) => {
    const read = (chunk) => {
      output += chunk;
      const found = output.match(/http:\/\/127\.0\.0\.1:\d+/);
      if (found) resolve(found[0]);
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    child.on("exit", (code) => reject(new Error(`the portal ended with ${code}:\n${output}`)));
  });
  await until(async () => (await fetch(`${url}/readyz`)).ok, "the portal to be ready");
  return {
    url,
    data,
    kubeconfig: join(data, "kubeconfig"),
    log: () => output,
    async stop() {
      child.removeAllListeners("exit");
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Asks again until it holds; the error names what was awaited. */
export async function until(holds, what, milliseconds = 30_000) {
  const end = Date.now() + milliseconds;
  for (;;) {
    try {
      const value = await holds();
      if (value) return value;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    if (Date.now() > end) throw new Error(`waited ${milliseconds} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Debian's Chromium without its own errands. */
export function launchBrowser() {
  return chromium.launch({
    executablePath: environment("OPM_CHROMIUM"),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/** A signed-in person's page. Console errors and failed requests are collected in `page.complaints`. */
export async function signIn(browser, portal, person, options = {}) {
  const context = await browser.newContext({ baseURL: portal.url, viewport: { width: 1440, height: 1000 }, ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", (message) => message.type() === "error" && page.complaints.push(`${page.url()}: ${message.text()}`));
  page.on("pageerror", (error) => page.complaints.push(`${page.url()}: ${error}`));
  await page.goto("/sign-in");
  await page.getByRole("button", { name: new RegExp(`\\b${person}\\b`) }).click();
  await page.waitForURL((address) => !address.pathname.startsWith("/sign-in"));
  return page;
}

/** Rule violations of axe on the page as it is. */
export async function violations(page) {
  const source = await readFile(new URL("./node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
  // Evaluated by the debugger's protocol, which the content security policy does not concern.
  await page.evaluate(source);
  const result = await page.evaluate(() =>
    globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
  );
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`);
}
