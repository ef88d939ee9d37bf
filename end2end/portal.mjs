// One portal on its embedded plane for one test file; a person in a browser; and kubectl.

import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { after, before } from "node:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "node:https";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

/** The workspace in which the tests work. */
export const workspace = "root:acme:shop";

/**
 * A portal and a browser for the tests of the file that calls this: started before the first, then prepared, stopped after the last.
 * `arrange` answers with further arguments of the portal, whose folder it is given.
 */
export function stage(prepare = async () => {}, arrange = async () => []) {
  const it = {};
  before(async () => {
    it.portal = await startPortal((folder) => arrange(folder, it));
    it.browser = await launchBrowser();
    await prepare(it);
  });
  after(async () => {
    await it.browser?.close();
    await it.portal?.stop();
  });
  return it;
}

/** How long anything may take on a machine that is busy with the other tests, too, in milliseconds. */
const PATIENCE = 120_000;

/** What a variable says that the caller of the tests sets. */
export function environment(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the browser tests by "cargo xtask test --only browser"`);
  return value;
}

/** The portal's program with these arguments, as `start` starts it. */
export function launch(args, says) {
  return start(environment("OPM_PORTAL"), args, says);
}

/**
 * Starts a program with these arguments, and waits until it prints what `says` matches; that is `said`. Output comes in
 * pieces: what ends in a number is whole only with what follows it.
 */
export async function start(program, args, says) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const said = await new Promise((resolve, reject) => {
    const read = (chunk) => {
      output += chunk;
      const found = output.match(says);
      if (found) resolve(found[0]);
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    child.on("exit", (code) => reject(new Error(`${program} ${args[0]} ended with ${code}:\n${output}`)));
  });
  return {
    said,
    log: () => output,
    async stop() {
      child.removeAllListeners("exit");
      // What has ended by itself does not say so a second time.
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/**
 * Serves the portal in a folder, and waits until it is ready. A test opens more pages in a second than a person does, so there is no limit
 * to the requests of one person.
 */
export async function serve(data, args) {
  const port = args.includes("--port") ? [] : ["--port", "0"];
  const served = await launch(["serve", ...args, "--data", data, ...port, "--requests-per-second", "0"], /http:\/\/127\.0\.0\.1:\d+(?=\D)/);
  await until(async () => (await fetch(`${served.said}/readyz`)).ok, "the portal to be ready");
  return { ...served, url: served.said, data };
}

/** Starts the portal on its embedded plane in a folder of its own, with what `arrange` answers besides. */
export async function startPortal(arrange = async () => []) {
  const data = await mkdtemp(join(tmpdir(), "opm-portal-"));
  const portal = await serve(data, ["--plane", "embedded", "--empty", "--plane-port", "0", ...(await arrange(data))]);
  return {
    ...portal,
    kubeconfig: join(data, "kubeconfig"),
    async stop() {
      await portal.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Runs a command of the program to its end; answers what it printed. */
export async function command(...args) {
  return (await run(environment("OPM_PORTAL"), args)).stdout;
}

const run = promisify(execFile);

/** kubectl with the kubeconfig of the portal, in one of its contexts such as `dev-shop@root:acme:shop`; answers what it printed. */
export async function kubectl(portal, context, args, input) {
  // What it remembers of a server is under its port, which another server may have had before.
  const own = ["--kubeconfig", portal.kubeconfig, "--cache-dir", `${portal.kubeconfig}-cache`, "--context", context];
  const command = run(environment("OPM_KUBECTL"), [...own, ...args]);
  if (input !== undefined) command.child.stdin.end(input);
  return (await command).stdout;
}

/** Watches with kubectl what `args` name, in one of the portal's contexts: `seen` is called with each line as it is printed, until `stop`. */
export function watch(portal, context, args, seen) {
  const own = ["--kubeconfig", portal.kubeconfig, "--cache-dir", `${portal.kubeconfig}-cache`, "--context", context];
  const child = spawn(environment("OPM_KUBECTL"), [...own, "get", "--watch", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  createInterface({ input: child.stdout }).on("line", seen);
  const ended = new Promise((resolve) => child.on("exit", resolve));
  return {
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Publishes the promise with a field of every kind, or another one of the tests, and waits until the workspace offers it. */
export async function publishEverything(portal, page, name = "everything") {
  const file = fileURLToPath(new URL(`./promises/${name}.yaml`, import.meta.url));
  await kubectl(portal, "platform-engineer@root:platform", ["apply", "-f", file]);
  await kubectl(portal, "platform-engineer@root:platform", ["wait", `promise/${name}`, "--for=condition=Published", "--timeout=120s"]);
  await until(async () => (await page.request.get(`/w/${workspace}/promises/${name}`)).ok(), "the promise to be offered");
}

/** Where objects of the platform are, below the address of a workspace. */
const PLATFORM = "/apis/platform.opmodel.dev/v1alpha1";
const GROUP = "platform.opmodel.dev/v1alpha1";

/**
 * Asks the plane in one of the contexts of the portal's kubeconfig, as kubectl does but without starting it, which takes as long as a page; `path`
 * is that of an object or a list of the platform. Answers what the plane says; an error if it refuses.
 */
export async function ask(portal, context, method, path, body) {
  const { clusters, contexts, users } = JSON.parse(await readFile(portal.kubeconfig, "utf8"));
  const named = (list, wanted) => list.find(({ name }) => name === wanted);
  const { context: of } = named(contexts, context);
  const { cluster } = named(clusters, of.cluster);
  const headers = { Authorization: `Bearer ${named(users, of.user).user.token}`, "Content-Type": "application/json" };
  const options = { method, headers, ca: Buffer.from(cluster["certificate-authority-data"], "base64") };
  return new Promise((resolve, reject) => {
    const asked = request(`${cluster.server}${PLATFORM}/${path}`, options, async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString();
      if (answer.statusCode < 300) resolve(JSON.parse(text));
      else reject(new Error(`the plane answers ${answer.statusCode} to ${method} ${path} as ${context}: ${text}`));
    });
    asked.on("error", reject).end(body && JSON.stringify(body));
  });
}

const shop = `dev-shop@${workspace}`;
const address = (name) => `namespaces/default/promiserequests/${name}`;

/** A request of the shop, as it stands on the plane. */
export function requested(portal, name) {
  return ask(portal, shop, "GET", address(name));
}

/** Asks for something at the plane, as dev-shop; `terms` are further fields of the request, such as `paused`. */
export async function order(portal, name, promise, parameters, terms = {}) {
  await ask(portal, shop, "POST", "namespaces/default/promiserequests", {
    apiVersion: GROUP,
    kind: "PromiseRequest",
    metadata: { name, namespace: "default" },
    spec: { promise: { name: promise, workspace: "root:platform" }, parameters, ...terms },
  });
}

/** Lets a request carry on that is paused. */
export async function resume(portal, name) {
  // The controller may write the status in between, which makes the object read before too old.
  await until(async () => {
    const request = await requested(portal, name);
    return ask(portal, shop, "PUT", address(name), { ...request, spec: { ...request.spec, paused: false } });
  }, `${name} to be resumed`);
}

/** Waits until a request is in a phase. */
export async function reaches(portal, name, phase) {
  let last;
  const holds = async () => (last = (await requested(portal, name)).status?.phase) === phase;
  await until(holds, `${name} to be ${phase}`).catch((error) => {
    throw new Error(`${error.message}; it is ${last}`);
  });
}

/** Lets everybody who is asked about a request agree to it as it is, as `person`, with what `also` adds; nothing where nobody is asked. */
export async function agree(portal, name, person = "approver", also = {}) {
  const request = await until(async () => {
    const found = await requested(portal, name);
    return found.status?.observedGeneration === found.metadata.generation && found.status.phase !== "Pending" && found;
  }, `${name} to be looked at`);
  if (request.status.phase !== "AwaitingApproval") return;
  for (const [index, { rule, source }] of request.status.approvals.entries()) {
    await ask(portal, `${person}@${source}`, "POST", "approvals", {
      apiVersion: GROUP,
      kind: "Approval",
      metadata: { name: `${name}-${index}-${request.metadata.generation}` },
      spec: {
        request: { cluster: request.metadata.annotations["kcp.io/cluster"], namespace: "default", name, uid: request.metadata.uid },
        rule,
        contentHash: request.status.candidate.contentHash,
        decision: "approve",
        comment: "Seen and fine",
        ...also,
      },
    });
  }
}

/** Waits for a state in the headline of a request: by itself with scripting, by the Refresh link without. */
export async function becomes(page, state, live) {
  const badge = page.getByRole("heading", { level: 1 }).getByText(state, { exact: true });
  if (live) return badge.waitFor();
  return until(
    async () => {
      if (await badge.isVisible()) return true;
      await page.getByRole("link", { name: "Refresh" }).click();
      return false;
    },
    `the request to be ${state}`,
  );
}

/** Asks again until it holds; the error names what was awaited. */
export async function until(holds, what, milliseconds = PATIENCE) {
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

/** Does something for each of `items`, for so many at the same time. */
export async function together(count, items, act) {
  const waiting = items.entries();
  const work = async () => {
    for (const [index, item] of waiting) await act(item, index);
  };
  await Promise.all(Array.from({ length: count }, work));
}

/** Asks for pages as somebody who is signed in does, without a browser: with the cookies of a state, and those that answers set. */
export function reader(url, state) {
  const cookies = new Map((state?.cookies ?? []).map(({ name, value }) => [name, value]));
  return async (path, options = {}) => {
    const headers = { Accept: "text/html", Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
    const answer = await fetch(new URL(path, url), { ...options, headers });
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = set.match(/^([^=]+)=([^;]*)/);
      cookies.set(name, value);
    }
    return answer;
  };
}

/** Waits until an element has the focus, which a browser gives (`autofocus`, the target of a link) only when it draws the page. */
export async function focused(element, what) {
  await until(() => element.evaluate((found) => found === document.activeElement), `${what} to have the focus`);
}

/** Debian's Chromium without its own errands. */
export async function launchBrowser() {
  const browser = await chromium.launch({
    executablePath: environment("OPM_CHROMIUM"),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  browser.on("context", (context) => context.setDefaultTimeout(PATIENCE));
  return browser;
}

/** A signed-in person's page. Console errors and failed requests are collected in `page.complaints`. */
export async function signIn({ browser, portal }, person, options = {}) {
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

/** The source of axe, read once. */
let axe;

/** Rule violations of axe on the page when its colours have come to rest, or on a part of it. */
export async function violations(page, part = "html") {
  await page.evaluate(() => Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished)).then(() => {}));
  if (!(await page.evaluate(() => "axe" in globalThis))) {
    axe ??= await readFile(new URL("./node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
    // Evaluated by the debugger's protocol, which the content security policy does not concern.
    await page.evaluate(axe);
  }
  const result = await page.evaluate(
    (part) => globalThis.axe.run(part, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
    part,
  );
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`);
}
