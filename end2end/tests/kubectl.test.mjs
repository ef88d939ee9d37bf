// The same objects by kubectl: what it writes, an open page shows by itself; what it deletes is cleaned up.

import { test } from "node:test";
import assert from "node:assert/strict";
import { kubectl, order, reaches, signIn, stage, until, watch } from "../portal.mjs";

const it = stage();
const [shop, workspace, sandbox] = ["dev-shop@root:acme:shop", "plane-admin@root:acme:shop", "plane-admin@sandbox"];

test("kubectl lists promises, orders one, and the open page follows", async () => {
  const promises = await kubectl(it.portal, "plane-admin@root:platform", ["get", "promises", "-o", "name"]);
  for (const name of ["postgresql", "redis", "web-application", "background-worker", "object-bucket"]) {
    assert.match(promises, new RegExp(`promise\\.platform\\.opmodel\\.dev/${name}\\b`));
  }

  const page = await signIn(it, "dev-shop");
  await page.goto("/w/root:acme:shop/requests");
  await page.getByText("Live", { exact: true }).waitFor();
  await page.evaluate(() => (window.sameDocument = true));

  const request = {
    apiVersion: "platform.opmodel.dev/v1alpha1",
    kind: "PromiseRequest",
    metadata: { name: "by-kubectl", namespace: "default", annotations: { "platform.opmodel.dev/changed-by": "somebody-else" } },
    spec: { promise: { name: "redis", workspace: "root:platform" }, requester: { username: "somebody-else", groups: [] } },
  };
  await kubectl(it.portal, shop, ["create", "-f", "-"], JSON.stringify(request));
  await page.getByRole("link", { name: "by-kubectl" }).waitFor();
  assert.equal(await page.evaluate(() => window.sameDocument), true, "nobody loaded it again");

  await kubectl(it.portal, shop, ["wait", "promiserequest/by-kubectl", "--for=condition=Ready", "--timeout=120s"]);
  const written = await json(shop, ["promiserequest", "by-kubectl"]);
  assert.equal(written.spec.requester.username, "dev-shop", "a forged requester is replaced");
  assert.equal(written.metadata.annotations?.["platform.opmodel.dev/changed-by"], undefined, "nobody has changed it");
  const outdated = written.status.conditions.find(({ type }) => type === "PolicyOutdated");
  assert.equal(outdated.status, "False", outdated.message);
  await page.context().close();
});

test("the open page shows within a second what the plane says", async () => {
  const page = await signIn(it, "dev-shop");
  await page.goto("/w/root:acme:shop/requests");
  await page.getByText("Live", { exact: true }).waitFor();
  // When the page first shows a request, and when it first shows it as ready; kubectl's own watch says when the plane did.
  await page.evaluate(() => {
    window.shown = {};
    const look = () => {
      for (const row of document.querySelectorAll("tbody tr")) {
        const name = row.querySelector("a.name")?.textContent;
        window.shown[`${name} there`] ??= Date.now();
        if (/\bReady\b/.test(row.querySelector('[data-label="State"]')?.textContent)) window.shown[`${name} ready`] ??= Date.now();
      }
    };
    look();
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  const said = {};
  const watching = watch(it.portal, shop, ["promiserequests", "-o", 'jsonpath={.metadata.name} {.status.phase}{"\\n"}'], (line) => {
    const [name, phase] = line.split(" ");
    said[`${name} there`] ??= Date.now();
    if (phase === "Ready") said[`${name} ready`] ??= Date.now();
  });
  try {
    // What is there already is told first: from then on the watch tells what happens.
    await order(it.portal, "told-first", "redis", {});
    await until(() => said["told-first there"], "kubectl to tell what happens");
    const changes = [];
    for (const name of ["quick-1", "quick-2", "quick-3"]) {
      await order(it.portal, name, "redis", {});
      for (const change of [`${name} there`, `${name} ready`]) {
        const shown = () => page.evaluate((change) => window.shown[change], change);
        const [at, by] = await until(async () => said[change] && (await shown()) && [said[change], await shown()], `${change} to be shown`);
        changes.push({ change, late: Math.max(0, by - at) });
      }
    }
    changes.sort((a, b) => a.late - b.late);
    const told = changes.map(({ change, late }) => `${change} ${late} ms`).join(", ");
    console.log(`shown after the plane said so: ${told}`);
    // Other tests run on this machine. So the median has to be within a second; of the others the slowest does not count, and none may take
    // longer than three seconds.
    const [median, slowestButOne] = [changes[Math.floor(changes.length / 2)], changes.at(-2)];
    assert.ok(median.late <= 1_000 && slowestButOne.late <= 3_000, told);
  } finally {
    await watching.stop();
  }
  await page.context().close();
});

test("deleting by kubectl cleans up everything that the inventory names, and nothing else", async () => {
  for (const name of ["goes", "stays"]) await order(it.portal, name, "postgresql", { tier: "development" });
  for (const name of ["goes", "stays"]) await reaches(it.portal, name, "Ready");
  const [goes, stays] = [await json(shop, ["promiserequest", "goes"]), await json(shop, ["promiserequest", "stays"])];
  const namespaceOf = ({ status }) => status.inventory.find(({ kind }) => kind === "Namespace").name;
  const [gone, kept] = [namespaceOf(goes), namespaceOf(stays)];
  assert.notEqual(gone, kept, "each has a namespace of its own");

  // What nobody asked us for: of the name of something that goes, and in the namespace of what stays. Neither carries our label.
  const alike = goes.status.inventory.find(({ kind }) => kind === "ConfigMap").name;
  const foreign = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "foreign" } },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: alike, namespace: "foreign" }, data: { of: "somebody else" } },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "foreign", namespace: kept }, data: { of: "somebody else" } },
  ];
  for (const object of foreign) await kubectl(it.portal, sandbox, ["create", "-f", "-"], JSON.stringify(object));

  const { inventory } = goes.status;
  const kinds = inventory.map(({ kind }) => kind);
  for (const kind of ["Namespace", "Cluster", "ConfigMap"]) assert.ok(kinds.includes(kind), `${kind} is in the inventory: ${kinds}`);
  for (const item of inventory) {
    assert.equal(await uidOf(item), item.uid, `${item.kind} ${item.name} is there`);
  }
  const before = await everything();
  const inside = [...before.keys()].filter((object) => object.includes(` ${gone}/`)).map((object) => object.split(" ")[0]);
  assert.ok(inside.includes("PersistentVolumeClaim") && inside.includes("Secret"), `operators made more: ${inside}`);

  await kubectl(it.portal, shop, ["delete", "promiserequest", "goes", "--timeout=120s"]);
  for (const item of inventory) assert.equal(await uidOf(item), "", `${item.kind} ${item.name} is gone with its request`);
  const after = await everything();
  const named = new Set(inventory.map(keyOf));
  const goesWithIt = (object) => named.has(object) || object.includes(` ${gone}/`);
  assert.deepEqual([...after.keys()].filter(goesWithIt), [], "nothing is left of it");
  const others = [...before].filter(([object]) => !goesWithIt(object));
  const alone = [...foreign.map(({ kind, metadata }) => keyOf({ kind, destination: "sandbox", ...metadata })), ...stays.status.inventory.map(keyOf)];
  for (const object of alone) assert.ok(others.some(([known]) => known === object), `${object} is to be left alone`);
  assert.deepEqual(others.map(([object]) => [object, after.get(object)]), others, "everything else is what it was");
});

test("an approval by kubectl says of itself what became of it, and changes nothing where it does not count", async () => {
  const acme = "root:acme";
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
    await kubectl(it.portal, `approver@${acme}`, ["wait", `approval/${approval}`, `--for=jsonpath={.status.state}=${state}`, "--timeout=120s"]);
    const message = await kubectl(it.portal, `approver@${acme}`, ["get", "approval", approval, "-o", "jsonpath={.status.message}"]);
    assert.match(message, why);
  };
  const [operations, owners] = [{ policy: "production-databases", name: "operations-agree" }, { policy: "large-databases", name: "owners-agree" }];
  await assert.rejects(write("finance", "of-finance", operations), /[Ff]orbidden/);
  await write("approver", "wrong-hash", operations, { contentHash: "0000" });
  await becomes("wrong-hash", "void", /for content 0000, which two-stages doesn't have/);
  await write("org-owner", "wrong-person", operations, { decidedBy: { username: "approver", groups: ["acme-approvers"] } });
  await becomes("wrong-person", "void", /org-owner isn't one of the approvers of this rule: acme-approvers/);
  await write("org-owner", "early", owners);
  await becomes("early", "pending", /once stage 1 is approved/);
  const same = await read();
  assert.deepEqual([same.status.phase, same.status.candidate.contentHash], ["AwaitingApproval", waiting.status.candidate.contentHash]);
  assert.equal(same.status.current, undefined, "nothing is made");
  const table = await kubectl(it.portal, `approver@${acme}`, ["get", "approvals"]);
  assert.match(table, /wrong-hash\s+approve\s+void\s+approver/);

  await write("approver", "right", operations);
  await becomes("right", "counts", /Counts for the rule operations-agree/);
  await becomes("early", "counts", /Counts for the rule owners-agree/);
  await reaches(it.portal, name, "Ready");
  await assert.rejects(kubectl(it.portal, `approver@${acme}`, ["delete", "approval", "early"]), /only the person who made a decision can withdraw it/);
});

/** What kubectl reads, as JSON. */
async function json(context, args) {
  return JSON.parse(await kubectl(it.portal, context, ["get", ...args, "-o", "json"]));
}

/** The uid of an object of an inventory at the sandbox; empty if it is not there. */
async function uidOf({ group, kind, namespace, name, destination }) {
  const where = namespace ? ["-n", namespace] : [];
  const what = [kind, group].filter(Boolean).join(".").toLowerCase();
  return kubectl(it.portal, destination ? sandbox : workspace, ["get", what, name, ...where, "--ignore-not-found", "-o", "jsonpath={.metadata.uid}"]);
}

/** The uid of every object of the sandbox, and of what may lie beside a request, whoever made it. */
async function everything() {
  const kinds = "namespaces,persistentvolumeclaims,secrets,configmaps,services,deployments,statefulsets,clusters.postgresql.cnpg.io,buckets.objectstorage.example.org";
  const { items } = await json(sandbox, [kinds, "-A"]);
  const beside = await json(workspace, ["secrets,configmaps", "-A"]);
  const uids = (items, destination) => items.map(({ kind, metadata }) => [keyOf({ kind, destination, ...metadata }), metadata.uid]);
  return new Map([...uids(items, "sandbox"), ...uids(beside.items)]);
}

/** `Kind name` or `Kind namespace/name`, and where that is. */
function keyOf({ kind, namespace, name, destination }) {
  return `${kind} ${[namespace, name].filter(Boolean).join("/")} ${destination ? `at ${destination}` : "beside the request"}`;
}
