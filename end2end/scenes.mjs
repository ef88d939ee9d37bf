// Every page in the states that differ in look, made by the portal itself: for photographs and for the accessibility tests.

import { readFile, writeFile } from "node:fs/promises";
import { after, before } from "node:test";
import { join } from "node:path";
import { freePort } from "./certificate.mjs";
import { agree, environment, kubectl, launchBrowser, order, publishEverything, reaches, reader, signIn, together, until, workspace } from "./portal.mjs";
import { note, promise, publish } from "./promises.mjs";
import { arrive, startProvider } from "./provider.mjs";

/** Who signs in with the identity provider of the scenes: this, then a name of `people`. */
const AT_PROVIDER = "provider:";
/** People of the identity provider with their groups. The plane knows the newcomer, and no workspace does. */
const people = { "dev-shop": ["acme-shop-developers"], "org-owner": ["acme-owners"], newcomer: [] };

/**
 * What a portal with scenes is started with: a channel that people may choose, a receiver of webhooks that nobody reaches, and an identity
 * provider beside the sample people, which becomes `it.provider`.
 */
export async function arranged(folder, it) {
  const port = String(await freePort());
  it.provider = await startProvider({ portal: `http://127.0.0.1:${port}`, people });
  const settings = join(folder, "notifications.yaml");
  const webhook = { url: "http://127.0.0.1:9/hook", format: "slack", allowPrivate: true };
  const chat = { ...webhook, name: "shop-chat", title: "Chat, channel #shop", events: [], people: true };
  // JSON is YAML.
  await writeFile(settings, JSON.stringify({ webhooks: [chat, { ...webhook, name: "ops", title: "Operations" }] }));
  const signIn = ["--sign-in", "sample", "--sign-in", "oidc", "--authentication-config", it.provider.authentication, ...it.provider.arguments];
  return ["--port", port, "--notifications", settings, ...signIn];
}

/** Why an attempt to sign in failed, by whom: the portal, the provider, the plane. */
const signInProblems = ["no-attempt", "provider-declined", "provider-did-not-ask", "account-refused"];

/** Fills a fresh portal with requests in every phase; answers the pages: a name for files, an address, who looks, and a button to press. */
export async function scenes(it) {
  const person = await signIn(it, "dev-shop", { javaScriptEnabled: false });
  await publishEverything(it.portal, person);
  await publishEverything(it.portal, person, "widgets");
  const fine = { host: "example", limits: { low: 1, high: 2 } };
  await order(it.portal, "sessions", "redis", {});
  await order(it.portal, "orders-db", "postgresql", { tier: "production", replicas: 3, storage: 100 });
  await order(it.portal, "being-made", "everything", { ...fine, behaviour: "waiting" });
  await order(it.portal, "never-starts", "everything", { ...fine, behaviour: "failing" });
  await order(it.portal, "does-not-fit", "everything", { ...fine, host: "Not A Host" });
  await order(it.portal, "alone", "postgresql", { tier: "production", replicas: 1, storage: 100 });
  await order(it.portal, "going", "everything", fine);
  await order(it.portal, "ran-once", "everything", fine);
  await order(it.portal, "changing", "everything", fine);
  await order(it.portal, "to-decide", "postgresql", { tier: "production", replicas: 2, storage: 50 });
  await order(it.portal, "in-a-hurry", "postgresql", { tier: "production", replicas: 2, storage: 20 });
  await agree(it.portal, "orders-db");
  await agree(it.portal, "in-a-hurry", "org-owner", { emergency: true, comment: "The shop is down, and nobody else is awake." });
  await standIn(it, "approver", "org-owner");
  const up = ["sessions", "orders-db", "going", "ran-once", "changing"];
  await Promise.all(up.map((name) => reaches(it.portal, name, "Ready")));
  await behaves(it.portal, "ran-once", "failing");
  await behaves(it.portal, "changing", "waiting");
  const held = JSON.stringify([{ op: "add", path: "/metadata/finalizers/-", value: "example.org/held" }]);
  await kubectl(it.portal, `plane-admin@${workspace}`, ["patch", "promiserequest/going", "--type=json", "-p", held]);
  await kubectl(it.portal, `dev-shop@${workspace}`, ["delete", "promiserequest/going", "--wait=false"]);
  const phases = {
    "being-made": "Provisioning",
    "never-starts": "Failed",
    "does-not-fit": "Failed",
    alone: "Rejected",
    "ran-once": "Degraded",
    changing: "Updating",
    going: "Deleting",
  };
  await Promise.all(Object.entries(phases).map(([name, phase]) => reaches(it.portal, name, phase)));

  const { metadata } = JSON.parse(await kubectl(it.portal, `dev-shop@${workspace}`, ["get", "promiserequest/to-decide", "-o", "json"]));
  const form = `/w/${workspace}/promises/everything/request`;
  const request = (name, view) => `/w/${workspace}/requests/default/${name}${view ? `?view=${view}` : ""}`;
  const change = await changed(person, `${request("orders-db")}/edit`);
  const backup = await ran(it, "orders-db", "backup");
  const pages = [
    { name: "sign-in", path: "/sign-in", person: null },
    { name: "sign-in-required", path: "/workspaces", person: null },
    { name: "sign-in-left", path: "/sign-in?left=oidc", person: null },
    ...signInProblems.map((problem) => ({ name: `sign-in-${problem}`, path: `/sign-in?problem=${problem}`, person: null })),
    { name: "sign-in-too-many-attempts", path: "/sign-in?problem=too-many-attempts&wait=30", person: null },
    { name: "confirm", path: await unconfirmed(it, `${request("orders-db")}/delete`), person: `${AT_PROVIDER}dev-shop` },
    { name: "home-newcomer", path: "/", person: `${AT_PROVIDER}newcomer` },
    { name: "workspaces-newcomer", path: "/workspaces", person: `${AT_PROVIDER}newcomer` },
    { name: "requests-newcomer", path: "/requests", person: `${AT_PROVIDER}newcomer` },
    { name: "home", path: "/" },
    { name: "home-empty", path: "/", person: "viewer-shop" },
    { name: "home-owner", path: "/", person: "org-owner" },
    { name: "home-approver", path: "/", person: "approver" },
    { name: "home-platform", path: "/", person: "platform-engineer" },
    { name: "home-finance", path: "/", person: "finance" },
    { name: "workspaces", path: "/workspaces" },
    { name: "workspaces-nothing", path: "/workspaces?q=nothing-has-this" },
    { name: "workspace", path: `/w/${workspace}` },
    { name: "workspace-owner", path: "/w/root:acme", person: "org-owner" },
    { name: "workspace-denied", path: "/w/root:acme:data" },
    { name: "search", path: `/search?workspace=${workspace}` },
    { name: "search-found", path: `/search?q=orders&workspace=${workspace}` },
    { name: "search-nothing", path: "/search?q=nothing-has-this" },
    { name: "keyboard", path: "/keyboard" },
    { name: "sessions", path: "/account/sessions" },
    { name: "rest-api", path: "/docs/api" },
    { name: "catalog", path: `/w/${workspace}/catalog` },
    { name: "catalog-narrowed", path: `/w/${workspace}/catalog?category=data&tag=sql` },
    { name: "catalog-nothing", path: `/w/${workspace}/catalog?q=nothing-has-this` },
    { name: "promise", path: `/w/${workspace}/promises/postgresql` },
    { name: "promise-denied", path: `/w/${workspace}/promises/postgresql`, person: "viewer-shop" },
    { name: "form", path: `/w/${workspace}/promises/postgresql/request` },
    { name: "form-denied", path: `/w/${workspace}/promises/redis/request`, person: "viewer-shop" },
    { name: "form-everything", path: form },
    { name: "form-example", path: `${form}?start=example:Whole` },
    { name: "form-refused", path: await refused(person, `${form}?start=preset:web`) },
    { name: "promise-policies", path: `/w/${workspace}/promises/postgresql?tab=policies` },
    { name: "promise-fields", path: `/w/${workspace}/promises/postgresql?tab=fields` },
    { name: "promise-versions", path: `/w/${workspace}/promises/redis?tab=versions` },
    { name: "promise-used-by", path: `/w/${workspace}/promises/postgresql?tab=used-by` },
    { name: "adds", path: `/w/${workspace}/promises/postgresql/request/adds` },
    { name: "adds-policy", path: `/w/${workspace}/promises/postgresql/request/adds?origin=policy` },
    { name: "promises", path: "/platform/promises", person: "platform-engineer" },
    { name: "promises-sorted", path: "/platform/promises?sort=-instances&lifecycle=published", person: "platform-engineer" },
    { name: "promises-nothing", path: "/platform/promises" },
    { name: "preview-empty", path: "/platform/promises/preview", person: "platform-engineer" },
    { name: "preview", path: "/platform/promises/preview?workspace=root:platform&promise=postgresql", person: "platform-engineer" },
    { name: "author", path: "/platform/promises/root:platform/postgresql", person: "platform-engineer" },
    { name: "promise-new", path: "/platform/promises/new", person: "platform-engineer" },
    { name: "promise-edit", path: "/platform/promises/root:platform/redis/edit", person: "platform-engineer" },
    { name: "promise-edit-wrong", path: await unpublished(it), person: "platform-engineer" },
    { name: "promise-retire", path: "/platform/promises/root:platform/postgresql/retire", person: "platform-engineer" },
    { name: "fleet", path: "/platform/promises/root:platform/postgresql/fleet", person: "platform-engineer" },
    { name: "fleet-older", path: "/platform/promises/root:platform/redis/fleet?to=1.0.0", person: "platform-engineer" },
    { name: "rollout", path: await rolledOut(it), person: "platform-engineer" },
    { name: "requests-sorted", path: `/w/${workspace}/requests?sort=-state` },
    { name: "catalog-sorted", path: `/w/${workspace}/catalog?sort=name` },
    { name: "policies", path: "/platform/policies", person: "org-owner" },
    { name: "policies-platform", path: "/platform/policies", person: "platform-engineer" },
    { name: "policies-nothing", path: "/platform/policies?q=nothing-has-this", person: "org-owner" },
    { name: "policies-denied", path: "/platform/policies" },
    { name: "policy", path: "/platform/policies/root:acme/production-baseline", person: "org-owner" },
    { name: "policy-tried", path: `/platform/policies/root:acme/production-baseline?promise=root:platform/postgresql&in=${workspace}&try=${encodeURIComponent("tier: production\nreplicas: 6\n")}`, person: "org-owner" },
    { name: "policy-reader", path: `/platform/policies/root:acme/production-baseline?from=${workspace}` },
    { name: "policy-new", path: "/platform/policies/new", person: "org-owner" },
    { name: "policy-edit", path: "/platform/policies/root:acme/production-baseline/edit", person: "org-owner" },
    { name: "policy-schedule", path: "/platform/policies/root:acme/nightly-restarts/edit", person: "org-owner" },
    { name: "policy-window", path: "/platform/policies/root:acme/careful-restores/edit", person: "org-owner" },
    { name: "policy-for-actions", path: "/platform/policies/root:acme/careful-restores", person: "org-owner" },
    { name: "policy-yaml", path: "/platform/policies/root:acme/production-baseline/edit?view=yaml", person: "org-owner" },
    { name: "policy-delete", path: "/platform/policies/root:acme/production-baseline/delete", person: "org-owner" },
    { name: "cost", path: `/cost?workspace=${workspace}` },
    { name: "cost-everywhere", path: "/cost?by=promise", person: "org-owner" },
    { name: "cost-table", path: "/cost?by=team&table=true", person: "org-owner" },
    { name: "review", path: await reviewed(person, `/w/${workspace}/promises/postgresql/request`) },
    { name: "approvals", path: "/approvals", person: "approver" },
    { name: "approvals-open", path: `/approvals?view=all&open=${metadata.uid}`, person: "approver" },
    { name: "approvals-decided", path: "/approvals?view=decided", person: "approver" },
    { name: "approvals-nothing", path: "/approvals", person: "viewer-shop" },
    { name: "approval", path: `/approvals/${metadata.uid}`, person: "approver" },
    { name: "approval-requester", path: `/approvals/${metadata.uid}` },
    { name: "approval-alike", path: `/approvals/${metadata.uid}/alike`, person: "approver" },
    { name: "approval-absent", path: "/approvals/00000000-0000-4000-8000-000000000000", person: "approver" },
    { name: "requests", path: `/w/${workspace}/requests` },
    { name: "requests-all", path: "/requests" },
    { name: "requests-attention", path: "/requests?attention=true&sort=-price", person: "org-owner" },
    { name: "requests-below", path: "/w/root:acme/requests?below=true", person: "org-owner" },
    { name: "requests-of-children", path: "/w/root:acme/requests", person: "org-owner" },
    { name: "requests-narrowed", path: `/w/${workspace}/requests?phase=Ready&mine=true` },
    { name: "requests-kept", path: await kept(person, `/w/${workspace}/requests?phase=Ready`) },
    { name: "requests-nothing", path: `/w/${workspace}/requests?q=nothing-has-this` },
    { name: "requests-denied", path: "/w/root:acme:data/requests" },
    { name: "requests-empty", path: "/w/root:acme:data/requests", person: "dev-data" },
    { name: "request-ready", path: request("orders-db") },
    { name: "request-resources", path: request("orders-db", "resources") },
    { name: "request-resources-tree", path: request("orders-db", "resources&layout=tree") },
    { name: "request-configuration", path: request("orders-db", "configuration") },
    { name: "request-policies", path: request("orders-db", "policies") },
    { name: "request-adds", path: request("orders-db", "adds") },
    { name: "request-to-decide", path: request("to-decide") },
    { name: "request-to-decide-decider", path: request("to-decide"), person: "approver" },
    { name: "request-releases", path: request("orders-db", "releases") },
    { name: "request-schedules", path: await scheduled(it, request("sessions")) },
    { name: "request-actions", path: request("orders-db", "actions") },
    { name: "action", path: `${request("orders-db")}/actions/restore` },
    { name: "action-backup", path: `${request("orders-db")}/actions/backup` },
    { name: "run", path: backup },
    { name: "step-skip", path: await stopped(it) },
    { name: "step-skip-of-run", path: `${backup}/steps/copy/skip` },
    { name: "request-history", path: request("orders-db", "history") },
    { name: "request-yaml", path: request("orders-db", "yaml") },
    { name: "request-events", path: await reported(it) },
    { name: "request-events-elsewhere", path: request("orders-db", "events") },
    { name: "request-logs-elsewhere", path: request("sessions", "logs") },
    { name: "request-viewer", path: request("orders-db"), person: "viewer-shop" },
    { name: "request-refused", path: request("does-not-fit") },
    { name: "request-rejected", path: request("alone") },
    { name: "request-provisioning", path: request("being-made") },
    { name: "request-updating", path: request("changing") },
    { name: "request-degraded", path: request("ran-once") },
    { name: "request-failed", path: request("never-starts") },
    { name: "request-deleting", path: request("going") },
    { name: "edit", path: `${request("orders-db")}/edit` },
    { name: "edit-review", path: change },
    { name: "form-yaml", path: await asYaml(person, `/w/${workspace}/promises/postgresql/request`, (text) => text) },
    { name: "form-yaml-refused", path: await asYaml(person, `${request("orders-db")}/edit`, (text) => text.replace("parameters:", "parameters:\n    replicas: many\n    maintenence: Sun")) },
    { name: "form-yaml-invalid", path: await asYaml(person, `/w/${workspace}/promises/postgresql/request`, (text) => text.replace("name: ", "name: [")) },
    { name: "edit-adds", path: change.replace("/edit/review", "/edit/adds") },
    { name: "request-revealed", path: `${request("sessions")}/revealed?output=url&grant=none`, press: "Reveal url" },
    { name: "delete", path: `${request("orders-db")}/delete` },
    { name: "delete-refused", path: await wronglyConfirmed(person, `${request("orders-db")}/delete`) },
    { name: "refused", path: await turnedDown(it, person) },
    { name: "form-draft", path: await drafted(person, `/w/${workspace}/promises/redis/request`) },
    { name: "requests-drafts", path: `/w/${workspace}/requests?mine=true` },
    { name: "presets", path: await preset(person, request("sessions")) },
    { name: "preset-new", path: `/w/${workspace}/presets?promise=postgresql&start=request:default/orders-db` },
    { name: "presets-empty", path: "/w/root:acme:data/presets", person: "dev-data" },
    { name: "not-found", path: request("not-there") },
    { name: "nowhere", path: "/no-such-page" },
    { name: "workspace-not-found", path: "/w/root:nowhere/catalog" },
    { name: "platform", path: "/platform", person: "org-owner" },
    { name: "platform-year", path: "/platform?range=year", person: "org-owner" },
    { name: "platform-empty", path: "/platform", person: "dev-data" },
    { name: "resources", path: `/w/${workspace}/resources` },
    { name: "resources-below", path: "/w/root:acme/resources?below=true&health=Healthy", person: "org-owner" },
    { name: "resources-nothing", path: `/w/${workspace}/resources?q=nothing-has-this` },
    { name: "resources-denied", path: "/w/root:acme:data/resources" },
    { name: "object", path: `${request("orders-db")}/objects/Cluster/orders-db?group=postgresql.cnpg.io&at=sandbox` },
    { name: "object-degraded", path: `${request("ran-once")}/objects/Deployment/ran-once` },
    { name: "object-absent", path: `${request("orders-db")}/objects/Cluster/not-there` },
    { name: "notifications", path: "/notifications?show=all" },
    { name: "notifications-approver", path: "/notifications", person: "approver" },
    { name: "notifications-nothing", path: "/notifications", person: "finance" },
    { name: "notification-settings", path: "/notifications/settings" },
    { name: "stand-in", path: "/notifications/stand-in", person: "approver" },
    { name: "stand-in-other", path: "/notifications/stand-in", person: "org-owner" },
    { name: "approvals-stand-in", path: "/approvals", person: "org-owner" },
    { name: "deliveries", path: "/platform/deliveries?state=waiting", person: "platform-engineer" },
    { name: "deliveries-none", path: "/platform/deliveries?state=sent", person: "platform-engineer" },
    { name: "emergencies", path: "/platform/emergencies", person: "org-owner" },
    { name: "emergencies-none", path: "/platform/emergencies" },
    { name: "deliveries-denied", path: "/platform/deliveries" },
    { name: "audit", path: "/platform/audit", person: "platform-engineer" },
    { name: "audit-narrowed", path: "/platform/audit?person=dev-shop&operation=create-request&source=portal", person: "platform-engineer" },
    { name: "audit-nothing", path: "/platform/audit?q=nothing-has-this", person: "platform-engineer" },
    { name: "audit-record", path: await auditRecord(it), person: "platform-engineer" },
    { name: "audit-denied", path: "/platform/audit" },
    { name: "gallery", path: "/dev/ui" },
    { name: "form-widgets", path: `/w/${workspace}/promises/widgets/request?start=example:Whole` },
    { name: "form-widgets-refused", path: await mistyped(person, `/w/${workspace}/promises/widgets/request`) },
    { name: "promise-fields-widgets", path: `/w/${workspace}/promises/widgets?tab=fields` },
  ];
  await person.context().close();
  return pages.map((page) => ({ person: "dev-shop", ...page }));
}

/** A signed-in state for each person of the scenes, so that signing in happens once. */
export async function states(it, pages) {
  const known = new Map([[null, undefined]]);
  for (const { person } of pages) {
    if (known.has(person)) continue;
    const page = await signedIn(it, person);
    known.set(person, await page.context().storageState());
    await page.context().close();
  }
  return known;
}

/** A page of a sample person, or of someone of the identity provider. */
async function signedIn(it, person, options) {
  if (!person.startsWith(AT_PROVIDER)) return signIn(it, person, options);
  const context = await it.browser.newContext({ baseURL: it.portal.url, ignoreHTTPSErrors: true, ...options });
  const page = await context.newPage();
  await arrive(page, "/", person.slice(AT_PROVIDER.length));
  return page;
}

/** The address of the page that asks people who they are before they delete something for good. */
async function unconfirmed(it, path) {
  const page = await signedIn(it, `${AT_PROVIDER}dev-shop`, { javaScriptEnabled: false });
  const name = path.split("/").at(-2);
  await page.goto(path);
  await page.getByLabel(/^Type .* to confirm$/).fill(name);
  await page.getByRole("button", { name: /^Delete / }).click();
  await page.getByRole("heading", { level: 1, name: "Confirm that it's you" }).waitFor();
  const address = addressOf(page);
  await page.context().close();
  return address;
}

/** The address of the record of a sign-in: there is one as soon as somebody looks. The chains are verified, too. */
async function auditRecord(it) {
  const page = await signIn(it, "platform-engineer", { javaScriptEnabled: false });
  await page.goto("/platform/audit");
  await page.getByRole("button", { name: /^Verify|^Continue/ }).first().click();
  await page.goto("/platform/audit?operation=sign-in");
  const address = await page.locator("main tbody a").first().getAttribute("href");
  await page.context().close();
  return address;
}

/** Lets somebody name who stands in for them today, and tomorrow: the day may end meanwhile. */
async function standIn(it, person, deputy) {
  const page = await signIn(it, person, { javaScriptEnabled: false });
  const day = (hours) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 10);
  await page.goto("/notifications/stand-in");
  await page.getByLabel("Username", { exact: true }).fill(deputy);
  await page.getByLabel("First day", { exact: true }).fill(day(0));
  await page.getByLabel("Last day", { exact: true }).fill(day(24));
  await page.getByRole("button", { name: "Set delegate", exact: true }).click();
  await page.getByRole("heading", { name: / is your delegate$/ }).waitFor();
  await page.context().close();
}

/** The address of a run of an action of a request, once it succeeded. */
async function ran(it, request, action) {
  const page = await signIn(it, "dev-shop", { javaScriptEnabled: false });
  const own = `/w/${workspace}/requests/default/${request}`;
  await page.goto(`${own}/actions/${action}`);
  await page.locator("button[name=_op][value=run]").click();
  await page.waitForURL(`**${own}/runs/*`);
  await until(async () => {
    await page.reload();
    return (await page.getByRole("heading", { level: 1 }).getByText("Succeeded").count()) === 1;
  }, `${action} of ${request} to succeed`);
  const address = addressOf(page);
  await page.context().close();
  return address;
}

/** The address of a request once it lists the schedule of a policy. Another policy lets restores wait for a window. */
async function scheduled(it, path) {
  const owner = "org-owner@root:acme";
  const policy = (name, title, appliesTo, rule) => {
    const spec = { title, owner: { team: "Data" }, appliesTo, rules: [rule] };
    const written = { apiVersion: "platform.opmodel.dev/v1alpha1", kind: "Policy", metadata: { name }, spec };
    return kubectl(it.portal, owner, ["apply", "-f", "-"], JSON.stringify(written));
  };
  const schedule = { action: "restart", cron: "0 2 * * *", timezone: "Europe/Berlin", retention: "7d" };
  await policy("nightly-restarts", "Nightly restarts", { promises: ["redis"] }, { name: "nightly", schedule });
  const window = { days: ["sat", "sun"], from: "22:00", to: "06:00", timezone: "Europe/Berlin" };
  await policy("careful-restores", "Careful restores", { promises: ["postgresql"], actions: ["restore"] }, { name: "weekends", window });
  const name = path.split("/").at(-1);
  await until(async () => {
    const { status } = JSON.parse(await kubectl(it.portal, `dev-shop@${workspace}`, ["get", `promiserequest/${name}`, "-o", "json"]));
    return status.schedules?.length > 0;
  }, `${name} to list its schedule`);
  return path;
}

/** The address of the page that skips a step that failed, before one that waits for it. */
async function stopped(it) {
  const notices = promise("notices", {
    presentation: { displayName: "Notices", summary: "A notice of a team." },
    parameters: { type: "object", properties: { text: { type: "string", default: "closed" } } },
    implementation: { resources: [note({ text: "${parameters.text}" }, "notice")] },
    workflows: {
      provision: {
        steps: [
          { id: "check", title: "Check the text", validate: { expression: "${parameters.text != 'closed'}", message: "Enter a text other than closed." } },
          { id: "notice", title: "Publish the notice", dependsOn: ["check"], apply: { resources: ["notice"] } },
        ],
      },
    },
  });
  await publish(it.portal, notices);
  const request = { apiVersion: "platform.opmodel.dev/v1alpha1", kind: "PromiseRequest", metadata: { name: "notice" }, spec: { promise: { name: "notices", workspace: "root:platform" } } };
  await kubectl(it.portal, `dev-shop@${workspace}`, ["create", "-f", "-"], JSON.stringify(request));
  const state = ["get", "promiserequest/notice", "-o", "jsonpath={.status.steps[0].phase}"];
  await until(async () => (await kubectl(it.portal, `dev-shop@${workspace}`, state)) === "Failed", "the step to fail");
  return `/w/${workspace}/requests/default/notice/steps/check/skip`;
}

/** The address of the text of a promise that can't be published: its version is lower, and its schema has a problem. */
async function unpublished(it) {
  const page = await signIn(it, "platform-engineer", { javaScriptEnabled: false });
  await page.goto("/platform/promises/root:platform/redis/edit");
  const text = page.getByLabel("Promise", { exact: true });
  await text.fill((await text.inputValue()).replace(/version: .*/, "version: 0.0.1").replace("type: object", "type: objekt"));
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.getByRole("heading", { name: "Fix these problems to publish" }).waitFor();
  const address = addressOf(page);
  await page.context().close();
  return address;
}

/** The address of a rollout whose first instance can't be upgraded by the one who started it. */
async function rolledOut(it) {
  const memos = (version) =>
    promise("memos", {
      version,
      presentation: { displayName: "Memos", summary: "Memos of a team." },
      parameters: { type: "object", properties: { size: { type: "string", default: "small" } } },
      implementation: { resources: [note({ version }, "memo")] },
    });
  await publish(it.portal, memos("1.0.0"));
  const request = { apiVersion: "platform.opmodel.dev/v1alpha1", kind: "PromiseRequest", metadata: { name: "memo" }, spec: { promise: { name: "memos", workspace: "root:platform" } } };
  await kubectl(it.portal, `dev-shop@${workspace}`, ["create", "-f", "-"], JSON.stringify(request));
  await reaches(it.portal, "memo", "Ready");
  await publish(it.portal, memos("2.0.0"));
  const page = await signIn(it, "platform-engineer", { javaScriptEnabled: false });
  await until(async () => {
    await page.goto("/platform/promises/root:platform/memos/fleet");
    return (await page.getByRole("columnheader", { name: "2.0.0" }).count()) === 1;
  }, "the second version of memos");
  await page.getByRole("button", { name: /^Upgrade all that are ready/ }).click();
  await page.waitForURL("**/rollouts/*");
  const address = addressOf(page);
  await page.context().close();
  return address;
}

/** The address of the events about the resources of a memo, of which there is one. */
async function reported(it) {
  const memo = JSON.parse(await kubectl(it.portal, `plane-admin@${workspace}`, ["get", "configmap/memo", "-o", "json"]));
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "memo.1", namespace: "default" },
    type: "Warning",
    reason: "TooLong",
    message: "The memo is longer than a page",
    involvedObject: { apiVersion: "v1", kind: "ConfigMap", name: "memo", namespace: "default", uid: memo.metadata.uid },
    count: 4,
    firstTimestamp: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    lastTimestamp: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    source: { component: "memo-checker" },
  };
  await kubectl(it.portal, `plane-admin@${workspace}`, ["create", "-f", "-"], JSON.stringify(event));
  return `/w/${workspace}/requests/default/memo?view=events`;
}

/** Changes how the simulated program of a request behaves. */
async function behaves(portal, name, behaviour) {
  const patch = JSON.stringify({ spec: { parameters: { behaviour } } });
  await kubectl(portal, `dev-shop@${workspace}`, ["patch", `promiserequest/${name}`, "--type=merge", "-p", patch]);
}

/** The address of a form that says what is wrong. */
async function refused(page, path) {
  await page.goto(path);
  await page.getByLabel("Name", { exact: true }).first().fill("Not A Name");
  await page.getByLabel("Host", { exact: true }).fill("Not A Host");
  await page.getByLabel("Low", { exact: true }).fill("many");
  await page.getByRole("button", { name: "Review request" }).click();
  await page.getByRole("alert").first().waitFor();
  return addressOf(page);
}

/** The address of a form with a text of each kind that isn't one. */
async function mistyped(page, path) {
  await page.goto(path);
  const wrong = { Name: "mistyped", Timeout: "soon", Begins: "tomorrow", Network: "10.0.0.0", Site: "eu-wset-1" };
  for (const [field, text] of Object.entries(wrong)) await page.locator("#request").getByLabel(new RegExp(`^${field}( optional)?$`)).first().fill(text);
  await page.getByRole("button", { name: "Review request" }).click();
  await page.getByRole("alert").first().waitFor();
  return addressOf(page);
}

/** The address of the page that asks for a confirmation again. */
async function wronglyConfirmed(page, path) {
  await page.goto(path);
  await page.getByLabel(/^Type .* to confirm$/).fill("something else");
  await page.getByRole("button", { name: /^Delete / }).click();
  await page.waitForURL(/refused=/);
  return addressOf(page);
}

/** The address of the page that says why an action was refused: it was about a saved view that nobody has. */
async function turnedDown(it, page) {
  const _token = await page.locator("input[name=_token]").first().inputValue();
  const form = { _token, id: "no-such-view", title: "Mine", back: `/w/${workspace}/requests` };
  const answer = await page.request.post("/do/views/rename", { form, headers: { Origin: it.portal.url } });
  const address = new URL(answer.url());
  return address.pathname + address.search;
}

/** The address of a list whose filter has a name. */
async function kept(page, path) {
  await page.goto(path);
  await page.getByText("Save this view").click();
  await page.getByLabel("Name", { exact: true }).fill("What works");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  return addressOf(page);
}

/** The address of the list with a preset that was saved from a request. */
async function preset(page, path) {
  await page.goto(path);
  await page.getByRole("link", { name: "Save as preset" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Small sessions");
  await page.getByRole("button", { name: "Save preset" }).click();
  await page.getByText("Preset Small sessions saved").waitFor();
  return addressOf(page);
}

/** The address of a form as it was typed so far. */
async function drafted(page, path) {
  await page.goto(path);
  await page.getByLabel("Name", { exact: true }).fill("half-typed");
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.waitForURL(/draft=/);
  return addressOf(page);
}

/** The address of a review. */
async function reviewed(page, path) {
  await page.goto(path);
  await page.getByLabel("Name", { exact: true }).fill("reviewed");
  await page.getByRole("button", { name: "Review request" }).click();
  await page.getByRole("heading", { level: 1, name: "Review reviewed" }).waitFor();
  return addressOf(page);
}

/** The address of the review of a change. */
async function changed(page, path) {
  await page.goto(path);
  await page.getByLabel("Reason", { exact: true }).fill("kept for the season");
  await page.getByRole("button", { name: "Review change" }).click();
  await page.getByRole("heading", { level: 1, name: /^Review changes to / }).waitFor();
  return addressOf(page);
}

/** The address of a form that is shown as YAML and was checked with another text. */
async function asYaml(page, path, written) {
  await page.goto(path);
  await page.getByRole("button", { name: "YAML", exact: true }).click();
  const text = page.getByLabel("Request as YAML", { exact: true });
  await text.waitFor();
  await text.fill(written(await text.inputValue()));
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Check", exact: true }).click()]);
  return addressOf(page);
}

function addressOf(page) {
  const address = new URL(page.url());
  return address.pathname + address.search;
}

/** How many pages of the gallery are opened at the same time: while one waits for the portal or for a frame, another works. */
const TOGETHER = 2;

/** Whether a page has islands besides the palette, which is loaded when it is first opened. */
export const hasIslands = (html) => /<leptos-island data-component="(?!Palette_)/.test(html);
/** Whether a page has a stream that keeps it live. */
export const isLive = (html) => html.includes("/live?topic=");

/**
 * The portal with every scene, which all files share and leave as it is; `run.mjs` starts it. `everywhere(looks)` opens each scene once and looks at
 * it in each way; it answers what each found, and what the browser complained of. `shown()` answers the scenes that are pages and no refusals, each
 * with its HTML; `scene(name)` is one of all; `open(scene, options)` opens a browser as its person; `reader(person)` asks for pages as a person
 * without a browser. A look with `of` is only for the scenes that it answers.
 */
export function gallery() {
  const it = {};
  let pages, known;
  before(async () => {
    const file = environment("OPM_GALLERY");
    // It is made while other tests run.
    const made = await until(async () => JSON.parse(await readFile(file, "utf8")), "the scenes", 900_000);
    it.portal = made.portal;
    pages = made.pages;
    known = new Map(made.known);
    it.browser = await launchBrowser();
  });
  after(() => it.browser?.close());
  it.open = async ({ person }, options) => {
    const context = await it.browser.newContext({ baseURL: it.portal.url, storageState: known.get(person) ?? undefined, ...options });
    const page = await context.newPage();
    page.complaints = [];
    page.on("console", (message) => message.type() === "error" && !/status of 4\d\d/.test(message.text()) && page.complaints.push(message.text()));
    page.on("pageerror", (error) => page.complaints.push(`${error}`));
    return page;
  };
  it.scene = (name) => pages.find((scene) => scene.name === name);
  it.reader = (person) => reader(it.portal.url, known.get(person));
  it.everywhere = async (looks, options) => {
    const found = new Map(looks.map(({ name }) => [name, []]));
    const wanted = new Map(pages.map((scene) => [scene, []]));
    for (const look of looks) for (const scene of (await look.of?.(pages)) ?? pages) wanted.get(scene).push(look);
    const scenes = pages.filter((scene) => wanted.get(scene).length > 0).values();
    const work = async () => {
      // A browser that stays open knows scripts and styles already, and has compiled what looks at them.
      const opened = new Map();
      for (const scene of scenes) {
        if (!opened.has(scene.person)) opened.set(scene.person, await it.open(scene, options));
        const page = opened.get(scene.person);
        await page.goto(scene.path);
        for (const { name, width, height = 900, media = {}, find } of wanted.get(scene)) {
          await page.setViewportSize({ width, height });
          await page.emulateMedia({ colorScheme: "light", reducedMotion: "no-preference", forcedColors: "none", ...media });
          const problems = await find(page, scene.name);
          for (const problem of [...page.complaints.splice(0), ...problems]) found.get(name).push(`${scene.name}: ${problem}`);
        }
      }
      for (const page of opened.values()) await page.context().close();
    };
    await Promise.all(Array.from({ length: TOGETHER }, work));
    return found;
  };
  it.shown = async () => {
    const found = new Array(pages.length);
    await together(TOGETHER, pages, async (scene, index) => {
      const answer = await it.reader(scene.person)(scene.path, { redirect: "manual" });
      const html = await answer.text();
      if (answer.ok) found[index] = { ...scene, html };
    });
    return found.filter(Boolean);
  };
  return it;
}
