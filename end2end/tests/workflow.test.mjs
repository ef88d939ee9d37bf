// Workflows: a step fails because of an outage of the simulated ticket system and is retried to the end or skipped, and a Job leaves its log.

import { test } from "node:test";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { kubectl, signIn, stage, until, violations, workspace } from "../portal.mjs";

const platform = "plane-admin@root:platform";
const it = stage();

/** The address of the ticket system. */
const ticketSystem = () => kubectl(it.portal, platform, ["get", "endpoint/tickets", "-o", "jsonpath={.spec.url}"]);

/** How many tickets ask for a name, on the page of the ticket system. */
async function tickets(name) {
  const text = await (await fetch(await ticketSystem())).text();
  return text.split(`<strong>Publish ${name}.example.org</strong>`).length - 1;
}

/** Switches the outage of the ticket system on or off. */
async function outage(on) {
  const url = await ticketSystem();
  const form = new URLSearchParams({ on: String(on) });
  const answer = await fetch(`${url}/outage`, { method: "POST", body: form, headers: { origin: url }, redirect: "manual" });
  assert.equal(answer.status, 303);
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`a step that failed is retried to the end, ${how}`, async () => {
    const promise = await readFile(new URL("../../examples/workflows/public-hostname.yaml", import.meta.url), "utf8");
    await kubectl(it.portal, platform, ["apply", "-f", "-"], promise);
    const name = javaScriptEnabled ? "front" : "front-plain";
    await outage(true);
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    await until(async () => {
      await page.goto(`/w/${workspace}/promises/public-hostname/request`);
      return (await page.getByLabel(/^Hostname/).count()) === 1;
    }, "the promise to be published");
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel(/^Hostname/).fill(name);
    await page.getByLabel(/^Service/).fill("storefront.shop.svc");
    await page.getByRole("button", { name: "Review request" }).click();
    await page.getByRole("button", { name: "Submit request" }).click();
    const own = `/w/${workspace}/requests/default/${name}`;
    await page.waitForURL(`**${own}`);
    const steps = page.getByRole("region", { name: "Steps" });
    const says = async (text) =>
      until(async () => {
        if (!javaScriptEnabled) await page.goto(own);
        return (await steps.getByText(text).count()) > 0;
      }, `the page to say ${text}`);
    await says("HTTP 503");
    const retry = page.getByRole("button", { name: "Retry" });
    await until(async () => {
      if (!javaScriptEnabled) await page.goto(own);
      return (await retry.count()) === 1;
    }, "the step to have failed for good");
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);
    assert.equal(await tickets(name), 0);

    await outage(false);
    await retry.click();
    const ready = ["get", `promiserequest/${name}`, "-o", "jsonpath={.status.phase} {.status.workflow.phase}"];
    await until(async () => (await kubectl(it.portal, `dev-shop@${workspace}`, ready)) === "Ready Succeeded", "the request to be ready");
    assert.equal(await tickets(name), 1, "a retry opens one ticket");
    await page.goto(own);
    await page.getByText("Steps", { exact: true }).click();
    await page.getByText("Ask the network team").waitFor();
    await page.getByText(`${name}.example.org`).first().waitFor();
    await page.context().close();
  });
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`a Job of OpenTofu leaves the last lines of its log, ${how}`, async () => {
    const promise = await readFile(new URL("../../examples/workflows/opentofu-bucket.yaml", import.meta.url), "utf8");
    await kubectl(it.portal, platform, ["apply", "-f", "-"], promise);
    const name = javaScriptEnabled ? "assets" : "assets-plain";
    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    await until(async () => {
      await page.goto(`/w/${workspace}/promises/opentofu-bucket/request`);
      return (await page.getByLabel("Name", { exact: true }).count()) === 1;
    }, "the promise to be published");
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("button", { name: "Review request" }).click();
    await page.getByRole("button", { name: "Submit request" }).click();
    const own = `/w/${workspace}/requests/default/${name}`;
    await page.waitForURL(`**${own}`);
    const ready = ["get", `promiserequest/${name}`, "-o", "jsonpath={.status.phase} {.status.steps[1].outputs.bucket}"];
    await until(async () => (await kubectl(it.portal, `dev-shop@${workspace}`, ready)) === `Ready default-${name}`, "the Job to be finished");
    await page.goto(own);
    await page.getByText("Steps", { exact: true }).click();
    await page.getByText("Log Apply the module").click();
    await page.getByText("Apply complete! Resources: 2 added").waitFor();
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);
    await page.context().close();
  });
}

test("a workflow that waits for a ticket can be cancelled and continues with a retry", async () => {
  const promise = await readFile(new URL("../../examples/workflows/public-hostname.yaml", import.meta.url), "utf8");
  await kubectl(it.portal, platform, ["apply", "-f", "-"], promise);
  await outage(true);
  const page = await signIn(it, "dev-shop", { javaScriptEnabled: false });
  const manifest = {
    apiVersion: "platform.opmodel.dev/v1alpha1", kind: "PromiseRequest", metadata: { name: "halted", namespace: "default" },
    spec: { promise: { name: "public-hostname" }, parameters: { hostname: "halted", service: "storefront.shop.svc" } },
  };
  await kubectl(it.portal, `dev-shop@${workspace}`, ["apply", "-f", "-"], JSON.stringify(manifest));
  const own = `/w/${workspace}/requests/default/halted`;
  const cancel = page.getByRole("button", { name: "Cancel" });
  await until(async () => {
    await page.goto(own);
    return (await cancel.count()) === 1;
  }, "the workflow to run");
  await cancel.click();
  await until(async () => {
    await page.goto(own);
    return (await page.getByRole("region", { name: "Steps" }).getByText("Cancelled").count()) > 0;
  }, "the page to say that it is cancelled");
  await outage(false);
  await page.getByRole("button", { name: "Retry" }).click();
  const ready = ["get", "promiserequest/halted", "-o", "jsonpath={.status.phase}"];
  await until(async () => (await kubectl(it.portal, `dev-shop@${workspace}`, ready)) === "Ready", "the request to be ready");
  await page.context().close();
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`a step that fails is skipped by someone who can override, ${how}`, async () => {
    const promise = await readFile(new URL("../../examples/workflows/public-hostname.yaml", import.meta.url), "utf8");
    await kubectl(it.portal, platform, ["apply", "-f", "-"], promise);
    const group = "platform.opmodel.dev";
    const rules = [
      { nonResourceURLs: ["/"], verbs: ["access"] },
      { apiGroups: [group], resources: ["approvals"], verbs: ["create"] },
      { apiGroups: [group], resources: ["promises"], resourceNames: ["public-hostname"], verbs: ["override"] },
    ];
    const rbac = "rbac.authorization.k8s.io";
    const metadata = { name: "skips-tickets" };
    const binding = {
      apiVersion: `${rbac}/v1`, kind: "ClusterRoleBinding", metadata,
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: metadata.name }, subjects: [{ apiGroup: rbac, kind: "User", name: "approver" }],
    };
    await kubectl(it.portal, platform, ["apply", "-f", "-"], JSON.stringify({ apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata, rules }));
    await kubectl(it.portal, platform, ["apply", "-f", "-"], JSON.stringify(binding));
    const name = javaScriptEnabled ? "by-hand" : "by-hand-plain";
    await outage(true);
    const manifest = {
      apiVersion: `${group}/v1alpha1`, kind: "PromiseRequest", metadata: { name, namespace: "default" },
      spec: { promise: { name: "public-hostname" }, parameters: { hostname: name, service: "storefront.shop.svc" } },
    };
    await kubectl(it.portal, `dev-shop@${workspace}`, ["apply", "-f", "-"], JSON.stringify(manifest));
    const page = await signIn(it, "approver", { javaScriptEnabled });
    const own = `/w/${workspace}/requests/default/${name}`;
    const failed = page.getByText("Failed", { exact: true });
    const skip = page.getByRole("link", { name: "Skip Ask the network team" });
    await until(async () => {
      await page.goto(own);
      return (await skip.count()) === 1 && (await failed.count()) > 0;
    }, "the step to have failed for good");
    await skip.click();
    await page.getByRole("heading", { level: 1, name: `Skip “Ask the network team” of ${name}` }).waitFor();
    await page.getByText("Publish the name", { exact: true }).waitFor();
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: "Skip step" }).click();
    await page.getByText("Add a reason.").waitFor();
    await page.getByLabel("Reason", { exact: true }).fill("Agreed on the phone");
    await page.getByRole("button", { name: "Skip step" }).click();
    await page.waitForURL(`**${own}`);
    const ready = ["get", `promiserequest/${name}`, "-o", "jsonpath={.status.phase} {.status.workflow.phase}"];
    await until(async () => (await kubectl(it.portal, `dev-shop@${workspace}`, ready)) === "Ready Succeeded", "the request to be ready");
    await outage(false);
    await page.goto(own);
    await page.getByText("Steps", { exact: true }).click();
    await page.getByText(/skipped it: Agreed on the phone/).waitFor();
    await page.context().close();
  });
}
