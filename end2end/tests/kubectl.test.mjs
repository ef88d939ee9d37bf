// The same objects by kubectl: what it writes, an open page shows by itself; what it deletes is cleaned up.

import { test } from "node:test";
import assert from "node:assert/strict";
import { kubectl, order, reaches, signIn, stage, until } from "../portal.mjs";

const it = stage();

test("kubectl lists promises, orders one, and the open page follows", async () => {
  const promises = await kubectl(it.portal, "plane-admin@root:platform", ["get", "promises", "-o", "name"]);
  for (const name of ["postgresql", "redis", "web-application", "object-bucket"]) {
    assert.match(promises, new RegExp(`promise\\.platform\\.opmodel\\.dev/${name}\\b`));
  }

  const page = await signIn(it, "dev-shop");
  await page.goto("/w/root:acme:shop/requests");
  await page.getByText("Live", { exact: true }).waitFor();
  await page.evaluate(() => (window.sameDocument = true));

  const request = {
    apiVersion: "platform.opmodel.dev/v1alpha1",
    kind: "PromiseRequest",
    metadata: { name: "by-kubectl", namespace: "default" },
    spec: { promise: { name: "redis", workspace: "root:platform" }, requester: { username: "somebody-else", groups: [] } },
  };
  await kubectl(it.portal, "dev-shop@root:acme:shop", ["create", "-f", "-"], JSON.stringify(request));
  const ended = Date.now();
  await page.getByRole("link", { name: "by-kubectl" }).waitFor();
  // How long it takes is told and not judged: other tests run on this machine.
  console.log(`shown ${Date.now() - ended} ms after kubectl had ended`);
  assert.equal(await page.evaluate(() => window.sameDocument), true, "nobody loaded it again");

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

test("an approval by kubectl says of itself what became of it, and changes nothing where it does not count", async () => {
  const [shop, acme] = ["dev-shop@root:acme:shop", "root:acme"];
  const name = "two-stages";
  await order(it.portal, name, "postgresql", { tier: "production", size: "large", replicas: 2, storage: 50 });
  await reaches(it.portal, name, "AwaitingApproval");
  const read = async () => JSON.parse(await kubectl(it.portal, shop, ["get", "promiserequest", name, "-o", "json"]));
  const waiting = await read();
  assert.deepEqual(waiting.status.approvals.map(({ rule, stage, state }) => [rule.policy, stage, state]).sort(), [["large-databases", 2, "queued"], ["production-databases", 1, "waiting"]]);
  const write = (who, approval, rule, more = {}) => kubectl(it.portal, `${who}@${acme}`, ["create", "-f", "-"], JSON.stringify({
    apiVersion: "platform.opmodel.dev/v1alpha1",
    kind: "Approval",
    metadata: { name: approval },
    spec: {
      request: { cluster: waiting.metadata.annotations["kcp.io/cluster"], namespace: "default", name, uid: waiting.metadata.uid },
      rule, contentHash: waiting.status.candidate.contentHash, decision: "approve", comment: "By kubectl", ...more,
    },
  }));
  const becomes = async (approval, state, why) => {
    await kubectl(it.portal, `approver@${acme}`, ["wait", `approval/${approval}`, `--for=jsonpath={.status.state}=${state}`, "--timeout=60s"]);
    const message = await kubectl(it.portal, `approver@${acme}`, ["get", "approval", approval, "-o", "jsonpath={.status.message}"]);
    assert.match(message, why);
  };
  const [operations, owners] = [{ policy: "production-databases", name: "operations-agree" }, { policy: "large-databases", name: "owners-agree" }];
  await assert.rejects(write("finance", "of-finance", operations), /[Ff]orbidden/);
  await write("approver", "wrong-hash", operations, { contentHash: "0000" });
  await becomes("wrong-hash", "void", /names the content 0000, which two-stages does not have/);
  await write("org-owner", "wrong-person", operations, { decidedBy: { username: "approver", groups: ["acme-approvers"] } });
  await becomes("wrong-person", "void", /org-owner does not have the right to approve for the policy production-databases in root:acme/);
  await write("org-owner", "early", owners);
  await becomes("early", "pending", /once stage 1 has agreed/);
  const same = await read();
  assert.deepEqual([same.status.phase, same.status.candidate.contentHash], ["AwaitingApproval", waiting.status.candidate.contentHash]);
  assert.equal(same.status.current, undefined, "nothing is made");
  const table = await kubectl(it.portal, `approver@${acme}`, ["get", "approvals"]);
  assert.match(table, /wrong-hash\s+approve\s+void\s+approver/);

  await write("approver", "right", operations);
  await becomes("right", "counts", /It counts for the rule operations-agree/);
  await becomes("early", "counts", /It counts for the rule owners-agree/);
  await reaches(it.portal, name, "Ready");
  await assert.rejects(kubectl(it.portal, `approver@${acme}`, ["delete", "approval", "early"]), /taken back by who took it/);
});

/** Objects of the sandbox that carry our label: the uid of their request, kind and name. */
async function sandbox() {
  const kinds = "statefulsets,services,secrets,configmaps,deployments";
  const list = JSON.parse(await kubectl(it.portal, "plane-admin@sandbox", ["get", kinds, "-A", "-l", "platform.opmodel.dev/request-uid", "-o", "json"]));
  return list.items.map((item) => `${item.metadata.labels["platform.opmodel.dev/request-uid"]} ${item.kind} ${item.metadata.namespace}/${item.metadata.name}`);
}
