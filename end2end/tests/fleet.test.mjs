// Twenty instances of a promise are upgraded in waves of five by someone who can change them; one of them can't be, which stops the rollout
// until it is fixed. With JavaScript and without.

import { test } from "node:test";
import assert from "node:assert/strict";
import { kubectl, signIn, stage, until, violations, workspace } from "../portal.mjs";
import { note, promise, publish } from "../promises.mjs";

const shop = `plane-admin@${workspace}`;
const group = { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "platform-engineers" };

/** Lets platform engineers maintain what runs in the shop. */
async function maintained(it) {
  const binding = (role) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: `maintainers-${role}` },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [group],
  });
  const items = ["opm-enter", "opm-requests-editor"].map(binding);
  await kubectl(it.portal, shop, ["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
}

const it = stage(maintained);

/** A promise whose second version creates another object, which the request's namespace can already have. */
function notes(name, version) {
  const resources = [note({ version })];
  if (version !== "1.0.0") resources.push(note({ version }, "index", "-index"));
  const parameters = { type: "object", properties: { replicas: { type: "integer", default: 1 } } };
  return promise(name, { version, parameters, implementation: { resources } });
}

/** How many instances of a promise run a version. */
async function running(name, version) {
  const path = `{range .items[?(@.spec.promise.name=="${name}")]}{.status.current.version}/{.status.phase}{"\\n"}{end}`;
  const lines = (await kubectl(it.portal, shop, ["get", "promiserequests", "-o", `jsonpath=${path}`])).trim().split("\n");
  return lines.filter((line) => line === `${version}/Ready`).length;
}

async function twenty(name) {
  await publish(it.portal, notes(name, "1.0.0"));
  const items = Array.from({ length: 20 }, (_, index) => ({
    apiVersion: "platform.opmodel.dev/v1alpha1",
    kind: "PromiseRequest",
    metadata: { name: `${name}-${String(index + 1).padStart(2, "0")}`, namespace: "default" },
    spec: { promise: { name, workspace: "root:platform" }, parameters: {} },
  }));
  await kubectl(it.portal, `dev-shop@${workspace}`, ["create", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  await until(async () => (await running(name, "1.0.0")) === 20, `20 instances of ${name} to be ready`);
  await kubectl(it.portal, shop, ["create", "configmap", `${name}-07-index`]);
  await publish(it.portal, notes(name, "2.0.0"));
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`instances are upgraded in waves, and one that fails stops them, ${how}`, async () => {
    const name = javaScriptEnabled ? "fleet" : "fleet-plain";
    await twenty(name);
    const page = await signIn(it, "platform-engineer", { javaScriptEnabled });
    const author = `/platform/promises/root:platform/${name}`;
    await until(async () => {
      await page.goto(author);
      return (await page.getByRole("row", { name: /^2\.0\.0/ }).count()) === 1;
    }, "the second version to be listed");
    await page.getByText("20 instances in 1 workspace that you can see").waitFor();
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);

    await page.getByRole("link", { name: "View fleet" }).click();
    await page.getByRole("heading", { name: `Fleet of The ${name}` }).waitFor();
    assert.equal(await page.getByText("Ready to upgrade").count(), 20);
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: "Upgrade selected" }).click();
    await page.getByText("Select at least one instance.").waitFor();
    await page.getByLabel("Instances per wave").fill("5");
    await page.getByRole("button", { name: /^Upgrade all that are ready/ }).click();

    // The second wave has the one whose object belongs to someone else. What had begun is finished, and nothing else begins.
    const shown = async (text) => {
      if (javaScriptEnabled) return page.getByText(text).first().waitFor();
      await until(async () => {
        await page.reload();
        return (await page.getByText(text).count()) > 0;
      }, text);
    };
    await shown("An instance stopped this rollout");
    const stopped = /^(\d+) of 20 instances upgraded · (\d+) waiting · 1 failed$/;
    await shown(stopped);
    const [, done, waiting] = (await page.getByText(stopped).textContent()).match(stopped).map(Number);
    assert.ok(done >= 5 && waiting >= 10 && done + waiting === 19, `${done} upgraded, ${waiting} waiting`);
    await page.getByRole("note").or(page.getByRole("status")).filter({ hasText: `${name}-07` }).first().waitFor();
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);
    assert.equal(await running(name, "2.0.0"), done);
    assert.equal(await page.getByRole("row").filter({ hasText: "Waiting" }).count(), waiting);

    await kubectl(it.portal, shop, ["delete", "configmap", `${name}-07-index`]);
    await until(async () => (await running(name, "2.0.0")) === done + 1, "the fixed instance to be ready");
    await page.getByRole("button", { name: `Retry ${name}-07` }).click();
    await shown(/^20 of 20 instances upgraded$/);
    await shown("Completed");
    assert.equal(await running(name, "2.0.0"), 20);
    await page.goto(author);
    await page.getByRole("link", { name: "2.0.0" }).waitFor();
    await page.context().close();
  });
}

test("a rollout continues in another session of its person, and nobody else sees it", async () => {
  const name = "fleet-session";
  await twenty(name);
  const page = await signIn(it, "platform-engineer");
  const fleet = `/platform/promises/root:platform/${name}/fleet`;
  await until(async () => {
    await page.goto(fleet);
    return (await page.getByText("Ready to upgrade").count()) === 20;
  }, "the second version to be offered");
  // On a phone, a card begins with the name, and its checkbox is beside it.
  await page.setViewportSize({ width: 390, height: 844 });
  const card = page.locator("main tbody tr").filter({ hasText: `${name}-07` });
  const [title, box] = [await card.locator(".name").boundingBox(), await card.getByRole("checkbox").boundingBox()];
  assert.ok(box.x < title.x && box.y < title.y + title.height && title.y < box.y + box.height, `${JSON.stringify(box)} beside ${JSON.stringify(title)}`);
  // The one that fails comes first, so that the rollout is stopped when the person signs in elsewhere.
  await page.getByLabel(`Select ${name}-07 in ${workspace}`).check();
  await page.getByLabel(`Select ${name}-08 in ${workspace}`).check();
  await page.getByLabel("Instances per wave").fill("1");
  await page.getByRole("button", { name: "Upgrade selected" }).click();
  await page.getByText("An instance stopped this rollout").waitFor();
  const rollout = page.url();

  const second = await signIn(it, "platform-engineer");
  await second.goto(rollout);
  await second.getByRole("button", { name: `Skip ${name}-07` }).click();
  await second.getByText(/^1 of 2 instances upgraded · 1 skipped$/).waitFor();
  await second.getByText("Completed with 1 skipped", { exact: true }).waitFor();
  await second.context().close();
  await page.context().close();

  const other = await signIn(it, "dev-shop");
  const answer = await other.goto(rollout);
  assert.equal(answer.status(), 404, "a rollout is of the person who started it");
  await other.context().close();
});
