// A TypeScript client that is generated from the OpenAPI description: it compiles, knows the fields of answers, and works.

import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { startPortal, until, workspace } from "../portal.mjs";

/** A program that uses the generated types. */
const program = `
import type { operations, components } from "./api";

type Answer<O extends keyof operations, S extends number, T extends string = "application/json"> =
  operations[O] extends { responses: { [status in S]: { content: { [kind in T]: infer Body } } } } ? Body : never;
export type Manifest = operations["createRequest"]["requestBody"]["content"]["application/json"];
export type Request = Answer<"getRequest", 200>;

async function call<T>(portal: string, token: string, path: string, method = "GET", body?: unknown): Promise<T> {
  const headers = { authorization: \`Bearer \${token}\` };
  const answer = await fetch(portal + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  if (!answer.ok) throw new Error(((await answer.json()) as components["schemas"]["ProblemDetails"]).detail);
  return (await answer.json()) as T;
}

export async function names(portal: string, token: string, workspace: string): Promise<string[]> {
  const list = await call<Answer<"listRequests", 200>>(portal, token, \`/api/v1/workspaces/\${workspace}/requests\`);
  return list.items.map((item) => item.name);
}

export async function create(portal: string, token: string, workspace: string, manifest: Manifest): Promise<string> {
  const made = await call<Answer<"createRequest", 201>>(portal, token, \`/api/v1/workspaces/\${workspace}/requests\`, "POST", manifest);
  const state: components["schemas"]["RequestState"] = made.state;
  return \`\${made.name} \${state} \${made.generation}\`;
}
`;

/** What must not compile: a field that no answer has. */
const wrong = `import type { Request } from "./client";\nexport const field = (request: Request): string => request.noSuchField;\n`;

function compiled(files) {
  const options = { strict: true, noEmitOnError: false, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022, lib: ["lib.es2022.d.ts", "lib.dom.d.ts"], skipLibCheck: true, types: [] };
  const built = ts.createProgram(files, options);
  const found = ts.getPreEmitDiagnostics(built).map((one) => ts.flattenDiagnosticMessageText(one.messageText, "\n"));
  built.emit();
  return found;
}

test("a generated client compiles and does what it says", async () => {
  const portal = await startPortal();
  const folder = await mkdtemp(join(tmpdir(), "opm-client-"));
  try {
    const description = await (await fetch(`${portal.url}/api/v1/openapi.json`)).json();
    await writeFile(join(folder, "api.ts"), astToString(await openapiTS(description)));
    await writeFile(join(folder, "client.ts"), program);
    await writeFile(join(folder, "wrong.ts"), wrong);
    assert.deepEqual(compiled([join(folder, "client.ts")]), []);
    assert.match(compiled([join(folder, "wrong.ts")]).join("\n"), /noSuchField/);

    await writeFile(join(folder, "package.json"), '{"type": "module"}');
    const client = await import(join(folder, "client.js"));
    const { users } = JSON.parse(await readFile(portal.kubeconfig, "utf8"));
    const { token } = users.find((known) => known.name === "dev-shop").user;
    const manifest = {
      apiVersion: "platform.opmodel.dev/v1alpha1",
      kind: "PromiseRequest",
      metadata: { name: "typed" },
      spec: { promise: { name: "redis" }, parameters: { size: "small" } },
    };
    assert.equal(await client.create(portal.url, token, workspace, manifest), "typed pending 1");
    await until(async () => (await client.names(portal.url, token, workspace)).includes("typed"), "the request in the list");
    await assert.rejects(client.create(portal.url, token, workspace, manifest), /already exists/);
  } finally {
    await portal.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
