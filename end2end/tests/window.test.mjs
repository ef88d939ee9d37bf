// A change waits for the window of a policy, which the form announces: it is carried out when the window opens, or now by someone with the
// permission. With JavaScript and without.

import { test } from "node:test";
import assert from "node:assert/strict";
import { kubectl, order, reaches, requested, signIn, stage, until, violations, workspace } from "../portal.mjs";

const platform = "plane-admin@root:platform";
const it = stage();

/** A time of day in UTC, this many hours from now. */
function inHours(hours) {
  return `${String(new Date(Date.now() + hours * 3_600_000).getUTCHours()).padStart(2, "0")}:00`;
}

/** The policy, with a window. */
const policy = (window) => ({
  apiVersion: "platform.opmodel.dev/v1alpha1",
  kind: "Policy",
  metadata: { name: "quiet-hours" },
  spec: { title: "Quiet hours", appliesTo: { promises: ["postgresql"], workspaces: [workspace] }, rules: [{ name: "at-night", window }] },
});

/** Sets the policy with a window that is closed now. dev-shop can override it. */
async function govern() {
  const group = "platform.opmodel.dev";
  const rules = [
    { nonResourceURLs: ["/"], verbs: ["access"] },
    { apiGroups: [group], resources: ["approvals"], verbs: ["create", "get", "list"] },
    { apiGroups: [group], resources: ["policies"], resourceNames: ["quiet-hours"], verbs: ["override"] },
  ];
  const rbac = "rbac.authorization.k8s.io";
  const name = "override-quiet-hours";
  const objects = [
    policy({ from: inHours(10), to: inHours(12) }),
    { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name }, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
      subjects: [{ apiGroup: rbac, kind: "User", name: "dev-shop" }],
    },
  ];
  for (const object of objects) await kubectl(it.portal, platform, ["apply", "-f", "-"], JSON.stringify(object));
}

/** Submits a change of a database, which has to wait: its review says until when. */
async function submitChange(page, own) {
  await page.goto(`${own}/edit`);
  await page.getByLabel(/^Storage/).first().fill("30");
  await page.getByRole("button", { name: "Review change" }).click();
  const rail = page.getByRole("complementary", { name: "Preflight" });
  await rail.getByText(/^Will be carried out on \w+, \d+ \w+ at \d\d:00 \(UTC\)/).first().waitFor();
  await page.getByRole("button", { name: "Submit change" }).click();
  await page.waitForURL(`**${own}`);
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`a change waits for its window and is carried out now by who may override it, ${how}`, async () => {
    const name = javaScriptEnabled ? "quiet" : "quiet-plain";
    await govern();
    await order(it.portal, name, "postgresql", { storage: 10 });
    await reaches(it.portal, name, "Ready");
    const own = `/w/${workspace}/requests/default/${name}`;
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    await submitChange(page, own);

    const now = page.getByRole("button", { name: "Change now" });
    await until(async () => {
      if (!javaScriptEnabled) await page.goto(own);
      return (await now.count()) === 1;
    }, "the change to wait for its window");
    await page.getByText(/^Waits for the window of Quiet hours: opens on/).first().waitFor();
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);
    assert.equal((await requested(it.portal, name)).status.candidate.state, "awaitingWindow");

    await page.getByLabel("Comment", { exact: true }).fill("The shop is full");
    await now.click();
    await until(async () => {
      const { metadata, status } = await requested(it.portal, name);
      return status.current.generation === metadata.generation && status.phase === "Ready";
    }, "the change to be carried out");
    await page.goto(own);
    await page.getByText("The shop is full").first().waitFor({ state: "attached" });
    await page.context().close();
  });
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`a change that waits is carried out when its window opens, ${how}`, async () => {
    const name = javaScriptEnabled ? "patient" : "patient-plain";
    await govern();
    await order(it.portal, name, "postgresql", { storage: 10 });
    await reaches(it.portal, name, "Ready");
    const own = `/w/${workspace}/requests/default/${name}`;
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    await submitChange(page, own);
    const waits = page.getByText(/^Waits for the window of Quiet hours: opens on/);
    await until(async () => {
      if (!javaScriptEnabled) await page.goto(own);
      return (await waits.count()) > 0;
    }, "the change to wait for its window");
    assert.equal((await requested(it.portal, name)).status.candidate.state, "awaitingWindow");

    // The owner of the policy opens the window, and no one does anything about the request.
    await kubectl(it.portal, platform, ["apply", "-f", "-"], JSON.stringify(policy({ from: inHours(-1), to: inHours(2) })));
    await until(async () => {
      const { metadata, status } = await requested(it.portal, name);
      return status.current.generation === metadata.generation && status.phase === "Ready";
    }, "the change to be carried out");
    await until(async () => {
      if (!javaScriptEnabled) await page.goto(own);
      return (await waits.count()) === 0;
    }, "the page to say so");
    await page.goto(`${own}/edit`);
    assert.equal(await page.getByLabel(/^Storage/).first().inputValue(), "30");
    await page.context().close();
  });
}
