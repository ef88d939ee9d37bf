// A request moves to a version that requires another field, and back to the release before, with JavaScript and without.

import { test } from "node:test";
import assert from "node:assert/strict";
import { kubectl, requested, signIn, stage, until, violations, workspace } from "../portal.mjs";
import { note, promise, publish } from "../promises.mjs";

const properties = { replicas: { type: "integer", default: 1 } };

/** A promise whose second version requires a zone and no longer has a window. */
function notes(name, version) {
  const text = { type: "string" };
  const parameters =
    version === "1.0.0"
      ? { type: "object", properties: { ...properties, window: text } }
      : { type: "object", required: ["zone"], properties: { ...properties, zone: text } };
  return promise(name, { version, parameters, implementation: { resources: [note({ replicas: "${string(parameters.replicas)}" })] } });
}

const it = stage();

async function running(name, version) {
  const read = ["get", `promiserequest/${name}`, "-o", "jsonpath={.status.current.version}"];
  await until(async () => (await kubectl(it.portal, `dev-shop@${workspace}`, read)) === version, `${name} to run ${version}`);
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`a request is upgraded and rolled back, ${how}`, async () => {
    const name = javaScriptEnabled ? "notes" : "notes-plain";
    await publish(it.portal, notes(name, "1.0.0"));
    const request = {
      apiVersion: "platform.opmodel.dev/v1alpha1",
      kind: "PromiseRequest",
      metadata: { name },
      spec: { promise: { name, workspace: "root:platform" }, parameters: { replicas: 2, window: "02:00" } },
    };
    await kubectl(it.portal, `dev-shop@${workspace}`, ["create", "-f", "-"], JSON.stringify(request));
    await running(name, "1.0.0");
    await publish(it.portal, notes(name, "2.0.0"));

    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    const own = `/w/${workspace}/requests/default/${name}`;
    const offer = page.getByRole("link", { name: "Upgrade to 2.0.0" });
    await until(async () => {
      await page.goto(own);
      return (await offer.count()) === 1;
    }, "the new version to be offered");
    await offer.click();
    await page.getByText("Version 1.0.0 → 2.0.0").waitFor();
    await page.getByText("1 field needs your input").waitFor();
    await page.getByText("Window: 02:00").waitFor();
    const zone = page.getByLabel(/^Zone/);
    assert.equal(await page.getByLabel(/^Window/).count(), 0);
    if (javaScriptEnabled) assert.equal(await zone.evaluate((input) => input === document.activeElement), true, "the field has the focus");
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);

    await zone.fill("north");
    await page.getByRole("button", { name: "Review change" }).click();
    const changes = page.getByRole("region", { name: "Changes" });
    await changes.getByRole("insertion").filter({ hasText: "2.0.0" }).waitFor();
    await changes.getByRole("insertion").filter({ hasText: "north" }).waitFor();
    await page.getByRole("button", { name: "Submit change" }).click();
    await page.waitForURL(`**${own}`);
    await running(name, "2.0.0");
    const upgraded = await requested(it.portal, name);
    assert.deepEqual(upgraded.spec.parameters, { replicas: 2, zone: "north" });

    await page.goto(`${own}?view=releases`);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("heading", { name: /compared with/ }).waitFor();
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);
    await page.getByRole("link", { name: /^Roll back/ }).click();
    await page.getByText("Roll back to an earlier release").waitFor();
    assert.equal(await page.getByLabel(/^Window/).inputValue(), "02:00");
    await page.getByRole("button", { name: "Review change" }).click();
    await page.getByRole("insertion").filter({ hasText: "1.0.0" }).waitFor();
    await page.getByRole("button", { name: "Submit change" }).click();
    await page.waitForURL(`**${own}`);
    await running(name, "1.0.0");
    const back = await requested(it.portal, name);
    assert.ok(back.metadata.generation > upgraded.metadata.generation, "a rollback is a change of the request");
    assert.deepEqual(back.spec.parameters, { replicas: 2, window: "02:00" });
    await page.context().close();
  });
}

test("the fields of another version appear as soon as it is chosen", async () => {
  await publish(it.portal, notes("memos", "1.0.0"));
  const page = await signIn(it, "dev-shop");
  const form = `/w/${workspace}/promises/memos/request`;
  const published = async (version, field) => {
    await until(async () => {
      await page.goto(form);
      return (await page.content()).includes(`Newest (${version})`) && (await page.getByLabel(field).count()) === 1;
    }, `${version} to be published`);
  };
  await published("1.0.0", /^Window/);
  await publish(it.portal, notes("memos", "2.0.0"));
  await published("2.0.0", /^Zone/);
  await page.getByText("Newest (2.0.0)").first().click();
  await page.getByLabel("Version", { exact: true }).selectOption("=1.0.0");
  await page.getByLabel(/^Window/).waitFor();
  assert.equal(await page.getByLabel(/^Zone/).count(), 0);
  await page.context().close();
});
