// Promises that tests publish.

import { kubectl } from "./portal.mjs";

/** A resource of a promise: a ConfigMap that is named after the request. */
export function note(data = { of: "${request.name}" }, id = "note", suffix = "") {
  return { id, template: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `\${request.name}${suffix}` }, data } };
}

/** A published promise that creates a note and has no parameters; `spec` overrides any of it. */
export function promise(name, { presentation, ...spec } = {}) {
  return {
    apiVersion: "platform.opmodel.dev/v1alpha1",
    kind: "Promise",
    metadata: { name },
    spec: {
      version: "1.0.0",
      lifecycle: "published",
      visibility: "descendants",
      presentation: { displayName: `The ${name}`, summary: "A note of a team.", category: "data", maintainer: { team: "Platform" }, ...presentation },
      parameters: { type: "object", properties: {} },
      implementation: { resources: [note()] },
      ...spec,
    },
  };
}

/** Applies a promise, and waits until it is published. */
export async function publish(portal, applied) {
  const platform = "plane-admin@root:platform";
  await kubectl(portal, platform, ["apply", "-f", "-"], JSON.stringify(applied));
  await kubectl(portal, platform, ["wait", `promise/${applied.metadata.name}`, "--for=condition=Published", "--timeout=120s"]);
}
