// The preview of a form: a schema is pasted, and its form filled in by keyboard, with JavaScript and without. The schemas of other projects are
// those that are hard: rows in rows, objects at any depth, thousands of fields, references and variants.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import { focused, signIn, stage, violations } from "../portal.mjs";

const it = stage();
const address = "/platform/promises/preview";
const corpus = join(process.env.OPM_SHARED ?? "../../shared", "corpus");
const missing = existsSync(corpus) ? false : "shared data not found";

/** A schema with more fields than a form shows, one of them inside of another. */
const many = JSON.stringify({
  type: "object",
  required: ["host"],
  properties: {
    host: { type: "string", description: "Name of the host." },
    storage: { type: "object", properties: { claim: { type: "object", properties: { size: { type: "string", description: "How much is kept." } } } } },
    ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`option${index}`, { type: "string", enum: ["ON_REQUEST", "NEVER"] }])),
  },
});

/** As many fields as the largest schemas have. */
const large = JSON.stringify({
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: 50 }, (_, group) => [
      `part${group}`,
      { type: "object", properties: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`setting${group * 100 + index}`, { type: "integer" }])) },
    ]),
  ),
});

/** A schema that is part of itself. */
const recursive = JSON.stringify({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { root: { $ref: "#/$defs/folder" } },
  $defs: {
    folder: { type: "object", additionalProperties: false, properties: { title: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/folder" } } } },
  },
});

/** Types into a field as a person without a mouse does. */
async function type(field, text) {
  await field.focus();
  await field.press("ControlOrMeta+a");
  await field.pressSequentially(text);
}

/** Pastes a document and shows its form. */
async function paste(page, document) {
  await page.goto(address);
  // As pasting does; typing half a megabyte would take a minute.
  await page.getByLabel("Schema", { exact: true }).evaluate((field, text) => (field.value = text), document);
  await page.getByRole("button", { name: "Show form" }).press("Enter");
  await page.locator("#fields").waitFor();
}

const values = (page) => page.getByRole("complementary", { name: "Result" }).locator("section", { has: page.getByRole("heading", { name: "Values" }) });

/** What a person does in the form of a schema: presses a button, or types into a field of a group; and the values that this makes. */
const hard = [
  {
    file: "cert-manager/certificates.cert-manager.io.crd.yaml",
    steps: [
      { into: "Secret name", text: "web-tls" },
      { within: "Issuer ref", into: "Name", text: "letsencrypt" },
    ],
    makes: ["issuerRef:", "  name: letsencrypt", "secretName: web-tls"],
  },
  {
    file: "gateway-api/httproutes.gateway.networking.k8s.io.crd.yaml",
    steps: [
      { press: "Add parent ref" },
      { within: "Parent ref 1", into: "Name", text: "public" },
      { within: "Rule 1", press: "Add backend ref" },
      { within: "Backend ref 1", into: "Name", text: "web" },
      { within: "Backend ref 1", into: "Port", text: "8080" },
    ],
    makes: ["parentRefs:", "- name: public", "rules:", "  - name: web", "    port: 8080"],
  },
  {
    file: "cluster-api/clusters.cluster.x-k8s.io.crd.yaml",
    steps: [
      { press: "Add cluster network" },
      { press: "Add pods" },
      { press: "Add CIDR block" },
      { within: "CIDR blocks", into: "CIDR block 1", text: "10.0.0.0/16" },
    ],
    makes: ["clusterNetwork:", "  pods:", "    cidrBlocks:", "    - 10.0.0.0/16"],
  },
  {
    file: "crossplane-on-eks/xamazonekss.cluster.awsblueprints.io.xrd.yaml",
    steps: [
      { into: "Min size", text: "2" },
      { within: "Parameters", press: "Add subnet ID" },
      { within: "Subnet IDs", into: "Subnet ID 1", text: "subnet-1" },
      { into: "Region", text: "eu-west-1" },
    ],
    makes: ["managedNodeGroups:", "  minSize: 2", "  - subnet-1", "  region: eu-west-1"],
  },
  {
    file: "cloudnative-pg/clusters.postgresql.cnpg.io.crd.yaml",
    steps: [
      { into: "Instances", text: "3" },
      { find: "wal storage size" },
      { press: "Add (Size)" },
      { within: "WAL storage", into: "Size", text: "10Gi" },
    ],
    makes: ["instances: 3", "walStorage:", "  size: 10Gi"],
  },
  {
    file: "argo-cd/applicationsets.argoproj.io.crd.yaml",
    steps: [
      { press: "Add generator" },
      { within: "Generator 1", press: "Add git" },
      { within: "Git", into: "Repo URL", text: "https://git.example.org/apps" },
      { within: "Git", into: "Revision", text: "main" },
      { into: "Project", text: "default" },
    ],
    makes: ["generators:", "- git:", "repoURL: https://git.example.org/apps", "project: default"],
  },
  {
    file: "kratix-marketplace/app.promise.yaml",
    steps: [
      { into: "Image", text: "nginx:1.29" },
      { into: "Name", text: "web" },
      { within: "Service", into: "Port", text: "9090" },
    ],
    makes: ["image: nginx:1.29", "name: web", "service:", "  port: 9090"],
  },
  {
    file: "kro/eks-cluster-stack.rgd.yaml",
    steps: [
      { into: "Cluster name", text: "shop" },
      { press: "Add subnet ID" },
      { within: "Subnet IDs", into: "Subnet ID 1", text: "subnet-1" },
    ],
    makes: ["clusterName: shop", "subnetIds:", "- subnet-1"],
  },
  {
    file: "helm-values-schemas/prometheus-sql-exporter.values.schema.json",
    steps: [
      { into: "Replica count", text: "2" },
      { press: "Add image" },
      { within: "Image", into: "Tag", text: "0.5" },
    ],
    makes: ["replicaCount: 2", "image:", "  tag:"],
  },
  {
    name: "a schema with 5,000 fields",
    document: large,
    steps: [
      { find: "setting4321" },
      { press: "Add (Setting4321)" },
      { within: "Part43", into: "Setting4321", text: "7" },
    ],
    makes: ["part43:", "  setting4321: 7"],
  },
  {
    name: "a schema that is part of itself",
    document: recursive,
    steps: [
      { press: "Add root" },
      { within: "Root", into: "Title", text: "all" },
      { within: "Root", press: "Add child" },
      { within: "Child 1", press: "Add child" },
      { within: "Child 1", into: "Title", text: "first" },
    ],
    makes: ["root:", "  title: all", "  - children:"],
  },
  {
    name: "a map of maps",
    document: JSON.stringify({
      type: "object",
      properties: { limits: { type: "object", additionalProperties: { type: "object", additionalProperties: { type: "integer" } } } },
    }),
    steps: [
      { press: "Add limit" },
      { into: "Name of Limit 1", text: "team" },
      { within: "Limit 1", press: "Add entry" },
      { into: "Name of entry 1", text: "cpu" },
      { into: "Value of entry 1", text: "4" },
    ],
    makes: ["limits:", "  team:", "    cpu: 4"],
  },
];

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";
  test(`a setting is found, added and filled in ${how}`, async () => {
    const page = await signIn(it, "platform-engineer", { javaScriptEnabled });
    await paste(page, many);
    const find = page.getByLabel("Find a setting");
    await type(find, "storage size");
    await find.press("Enter");
    await page.getByText("1 setting matches", { exact: false }).waitFor();
    await focused(find, "the search");
    await page.getByRole("button", { name: "Add (Size)" }).press("Enter");
    const size = page.locator("#fields").getByLabel("Size optional", { exact: true });
    await focused(size, "the setting that was added");
    await type(size, "10Gi");
    await page.getByRole("button", { name: "Check values" }).last().press("Enter");
    await page.getByRole("alert").getByRole("link", { name: "Enter a value for “Host”." }).waitFor();
    assert.match(await values(page).textContent(), /storage:\s+claim:\s+size: 10Gi/);
    const advice = page.getByRole("complementary", { name: "Result" });
    assert.match(await advice.textContent(), /Give the values of \.option0 titles under form\.fields, such as for ON_REQUEST/);
    if (javaScriptEnabled) assert.deepEqual(await violations(page), []);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });

  test(`text that defines nothing says what can be pasted ${how}`, async () => {
    const page = await signIn(it, "platform-engineer", { javaScriptEnabled });
    await page.goto(address);
    for (const [document, says] of [
      ["kind: Secret\napiVersion: v1\n", /Secret has no schema/],
      ["a: [1", /line 1/],
      ["text", /Paste a schema/],
    ]) {
      await page.getByLabel("Schema", { exact: true }).fill(document);
      await page.getByRole("button", { name: "Show form" }).press("Enter");
      await page.getByText(says).first().waitFor();
      assert.equal(await page.getByLabel("Schema", { exact: true }).inputValue(), document, "what was pasted stays");
    }
    await page.context().close();
  });

  // Without OPM_FULL each of them is filled in in one way, which alternates.
  const here = hard.filter((_, index) => process.env.OPM_FULL || (index % 2 === 0) === javaScriptEnabled);
  for (const { file, name, document, steps, makes } of here) {
    test(`the form of ${name ?? file.split("/")[1]} is filled in without YAML ${how}`, { skip: file && missing }, async () => {
      const page = await signIn(it, "platform-engineer", { javaScriptEnabled, viewport: { width: 360, height: 800 } });
      await paste(page, document ?? (await readFile(join(corpus, file), "utf8")));
      for (const { find, within, press, into, text } of steps) {
        if (find) {
          await type(page.getByLabel("Find a setting"), find);
          await page.getByLabel("Find a setting").press("Enter");
          await page.getByText(/settings? match/).first().waitFor();
          continue;
        }
        const part = within ? page.getByRole("group", { name: new RegExp(`^(${within})( |$)`) }).first() : page.locator("#fields");
        if (press) {
          await part.getByRole("button", { name: press, exact: true }).first().press("Enter");
        } else {
          const field = part.getByRole("textbox", { name: new RegExp(`^${into}( optional)?$`) }).first();
          await field.waitFor();
          await type(field, text);
        }
      }
      await page.getByRole("button", { name: "Check values" }).last().press("Enter");
      for (const line of makes) {
        await values(page).getByText(line.trim(), { exact: false }).first().waitFor();
        assert.ok((await values(page).textContent()).includes(line), `${line} in ${await values(page).textContent()}`);
      }
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the page");
      if (javaScriptEnabled) assert.deepEqual(await violations(page), []);
      assert.deepEqual(page.complaints, []);
      await page.context().close();
    });
  }
}
