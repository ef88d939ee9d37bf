// An identity provider for one test file: the certified OpenID provider `oidc-provider`, over TLS, where anyone who exists can sign in.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:https";
import { createServer as createPort } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Provider } from "oidc-provider";

const run = promisify(execFile);

/** A port of this machine that was free a moment ago: the provider must know the portal's address before the portal starts. */
export async function freePort() {
  const server = createPort();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A certificate for this machine, in a folder of its own. */
async function certificate() {
  const folder = await mkdtemp(join(tmpdir(), "opm-provider-"));
  const [key, cert] = [join(folder, "provider.key"), join(folder, "provider.crt")];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  // A certificate of an authority is none of a server (RFC 5280), which rustls insists on.
  const subject = [...names, "-addext", "basicConstraints=critical,CA:FALSE"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
  try {
    await run("openssl", ["req", "-x509", ...curve, "-nodes", "-days", "2", "-keyout", key, "-out", cert, ...subject]);
  } catch (error) {
    throw new Error("openssl makes the certificate of the identity provider: install it", { cause: error });
  }
  return { folder, file: cert, key: await readFile(key), cert: await readFile(cert) };
}

/** Starts a provider with the portal as its client. `people` are groups by subject. */
export async function startProvider({ portal, people }) {
  const certified = await certificate();
  const server = createServer({ key: certified.key, cert: certified.cert });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `https://localhost:${server.address().port}`;
  const client = {
    client_id: "portal",
    client_secret: "the-secret-of-the-portal",
    redirect_uris: [`${portal}/sign-in/oidc/callback`],
    post_logout_redirect_uris: [`${portal}/sign-in`],
    backchannel_logout_uri: `${portal}/sign-in/oidc/back-channel-logout`,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
  const account = (id) => ({ accountId: id, claims: async () => ({ sub: id, name: `${id} of Acme`, groups: people[id] }) });
  const provider = new Provider(issuer, {
    clients: [client],
    claims: { openid: ["sub"], profile: ["name", "groups"] },
    // Without it, the claims of scopes are at the userinfo endpoint alone, which no plane asks.
    conformIdTokenClaims: false,
    cookies: { keys: ["a-key-of-the-tests"] },
    features: { backchannelLogout: { enabled: true } },
    // Its own dispatcher refuses addresses of this machine, where the portal is.
    fetch: (url, { dispatcher: _, ...options }) => fetch(url, options),
    findAccount: async (_, id) => (id in people ? account(id) : undefined),
    issueRefreshToken: async () => true,
    pkce: { required: () => true },
  });
  server.on("request", provider.callback());
  return {
    issuer,
    clientSecret: client.client_secret,
    certificateFile: certified.file,
    certificate: certified.cert.toString(),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(certified.folder, { recursive: true, force: true });
    },
  };
}

/** Signs in at the provider, on whose page the browser is, and consents. */
export async function signInAtProvider(page, person) {
  await page.locator("input[name=login]").fill(person);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.locator("button[type=submit]").click();
}
