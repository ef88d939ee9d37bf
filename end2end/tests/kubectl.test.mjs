// The same objects by kubectl: what it writes, an open page shows within a second; what it deletes is cleaned up.

import { test } from "node:test";
import assert from "node:assert/strict";
import { kubectl, signIn, stage, until } from "../portal.mjs";

const it = stage();

test("kubectl lists promises, orders one, and the open page follows", async () => {
  const promises = await kubectl(it.portal, "plane-admin@root:platform", ["get", "promises", "-o", "name"]);
  for (const name of ["postgresql", "redis", "web-application", "object-bucket"]) {
    assert.match(promises, new RegExp(`promise\\.platform\\.opmodel\\.dev/${name}\\b`));
  }

  const page = await signIn(it, "dev-shop");
  await page.goto("/w/root:acme:shop/requests");
  await page.getByText("Live", { exact: true }).waitFor();

  const request = {
    apiVersion: "platform.opmodel.dev/v1alpha1",
    kind: "PromiseRequest",
    metadata: { name: "by-kubectl", namespace: "default" },
    spec: { promise: { name: "redis", workspace: "root:platform" }, requester: { username: "somebody-else", groups: [] } },
  };
  await kubectl(it.portal, "dev-shop@root:acme:shop", ["create", "-f", "-"], JSON.stringify(request));
  await page.getByRole("link", { name: "by-kubectl" }).waitFor({ timeout: 1_000 });

  await kubectl(it.portal, "dev-shop@root:acme:shop", ["wait", "promiserequest/by-kubectl", "--for=jsonpath={.status.phase}=Ready", "--timeout=60s"]);
  const written = JSON.parse(await kubectl(it.portal, "dev-shop@root:acme:shop", ["get", "promiserequest", "by-kubectl", "-o", "json"]));
  assert.equal(written.spec.requester.username, "dev-shop", "a forged requester is replaced");

  const outdated = written.status.conditions.find(({ type }) => type === "PolicyOutdated");
  assert.equal(outdated.status, "False", outdated.message);

  const before = await sandbox();
  const uid = written.metadata.uid;
  assert.ok(before.some((object) => object.includes(uid)), "the sandbox holds objects of the request");
  await kubectl(it.portal, "dev-shop@root:acme:shop", ["delete", "promiserequest", "by-kubectl", "--timeout=60s"]);
  await until(async () => !(await sandbox()).some((object) => object.includes(uid)), "the objects of the request to be gone");
  const others = (objects) => objects.filter((object) => !object.includes(uid)).sort();
  assert.deepEqual(others(await sandbox()), others(before), "nothing else was deleted");
});

/** Objects of the sandbox that carry our label: the uid of their request, kind and name. */
async function sandbox() {
  const kinds = "statefulsets,services,secrets,configmaps,deployments";
  const list = JSON.parse(await kubectl(it.portal, "plane-admin@sandbox", ["get", kinds, "-A", "-l", "platform.opmodel.dev/request-uid", "-o", "json"]));
  return list.items.map((item) => `${item.metadata.labels["platform.opmodel.dev/request-uid"]} ${item.kind} ${item.metadata.namespace}/${item.metadata.name}`);
}
