// The pages of the program, as its own route table names them, and which of them an address belongs to.

import { command } from "./portal.mjs";

/** What answers GET and is no page of its own, and why. Probes and what is for programs are left out by who may use them. */
const noPages = new Map([
  ["/{*path}", "files; where there is none, the page that says so is the scene `nowhere`"],
  ["/sign-in/{provider}", "it leads to an identity provider; tests/oidc.test.mjs goes there"],
  ["/sign-in/{provider}/callback", "it leads back from there"],
  ["/sign-in/{provider}/sign-out", "it leads to an identity provider"],
  ["/live", "a stream of events"],
  ["/search/suggestions", "a fragment, which the palette shows"],
  ["/refused", "it says no, whatever it is about; so does the scene `refused`"],
  ["/w/{workspace}/resources.csv", "a file"],
  ["/w/{workspace}/requests.csv", "a file"],
  ["/requests.csv", "a file"],
  ["/cost/export.csv", "a file"],
  ["/cost/focus.csv", "a file"],
  ["/api/v1/openapi.json", "a description for programs"],
  ["/api/v1/sign-in", "for command lines"],
  ["/platform/audit/export.jsonl", "a file"],
]);

/** The patterns of all pages. */
export async function pageRoutes() {
  const lines = (await command("routes")).trim().split("\n").map((line) => line.split(" "));
  const patterns = lines.filter(([method, access]) => method === "GET" && access !== "Probe" && access !== "Bearer").map(([, , pattern]) => pattern);
  const gone = [...noPages.keys()].filter((pattern) => !patterns.includes(pattern));
  if (gone.length > 0) throw new Error(`there are no such routes any more: ${gone.join(", ")}`);
  return patterns.filter((pattern) => !noPages.has(pattern));
}

/** The pattern that an address belongs to; of several the one that leaves least open, as the router has it. */
export function routeOf(patterns, address) {
  const steps = new URL(address, "http://portal.example").pathname.split("/");
  const open = (step) => step.startsWith("{");
  const fits = (pattern) => {
    const wanted = pattern.split("/");
    return wanted.length === steps.length && wanted.every((step, index) => (open(step) ? steps[index] !== "" : step === steps[index]));
  };
  const count = (pattern) => pattern.split("/").filter(open).length;
  return patterns.filter(fits).sort((one, other) => count(one) - count(other))[0];
}

/** The scenes of each page, by its pattern; the error names the pages that no scene shows. */
export async function byRoute(scenes) {
  const patterns = await pageRoutes();
  const found = new Map(patterns.map((pattern) => [pattern, []]));
  for (const scene of scenes) found.get(routeOf(patterns, scene.path))?.push(scene);
  const without = patterns.filter((pattern) => found.get(pattern).length === 0);
  if (without.length > 0) throw new Error(`no scene of scenes.mjs shows ${without.join(", ")}`);
  return found;
}
