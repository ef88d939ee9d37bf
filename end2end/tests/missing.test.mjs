// A request that lacks a required list, as kubectl can create it: its form keeps the list missing until someone enters or empties it.

import { test } from "node:test";
import assert from "node:assert/strict";
import { order, reaches, requested, signIn, stage, violations, workspace } from "../portal.mjs";
import { promise, publish } from "../promises.mjs";

const it = stage();

/** A promise with a list, a map and an object that are required. */
const proxy = promise("proxy", {
  parameters: {
    type: "object",
    required: ["hosts", "labels", "limits"],
    properties: {
      hosts: { type: "array", description: "Names to answer to.", items: { type: "string" } },
      labels: { type: "object", description: "Labels of the proxy.", additionalProperties: { type: "string" } },
      limits: { type: "object", description: "What it can use.", properties: { connections: { type: "integer" } } },
    },
  },
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`what a request lacks stays missing until it is entered, ${how}`, async () => {
    await publish(it.portal, proxy);
    const name = javaScriptEnabled ? "lacking" : "lacking-plain";
    await order(it.portal, name, "proxy", { hosts: ["a.example"] });
    await reaches(it.portal, name, "Failed");

    const page = await signIn(it, "dev-shop", { javaScriptEnabled });
    await page.goto(`/w/${workspace}/requests/default/${name}/edit`);
    const empty = (field) => page.getByRole("group", { name: field, exact: true }).getByRole("checkbox", { name: /^Set to empty if nothing is/ });
    await empty("Labels").waitFor();
    assert.equal(await empty("Hosts").count(), 0, "what is there isn't offered to be emptied");
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);

    // Unchanged, it is refused as before, and nothing was added.
    await page.getByRole("button", { name: "Review change" }).press("Enter");
    await page.getByRole("alert").getByRole("link", { name: /labels/i }).waitFor();
    await empty("Labels").press("Space");
    await empty("Limits").press("Space");
    await page.getByRole("button", { name: "Review change" }).press("Enter");
    await page.getByRole("button", { name: "Submit change" }).press("Enter");
    await reaches(it.portal, name, "Ready");
    assert.deepEqual((await requested(it.portal, name)).spec.parameters, { hosts: ["a.example"], labels: {}, limits: {} });
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });
}
