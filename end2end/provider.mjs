// An identity provider for one test file: the certified OpenID provider `oidc-provider`, over TLS, where anyone who exists can sign in.

import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { Provider } from "oidc-provider";
import { certificate } from "./certificate.mjs";

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
  const claimMappings = { username: { claim: "sub", prefix: "" }, groups: { claim: "groups", prefix: "" } };
  const trusted = { issuer: { url: issuer, audiences: [client.client_id], certificateAuthority: certified.cert.toString() }, claimMappings };
  const [secret, authentication] = [join(certified.folder, "client-secret"), join(certified.folder, "authentication.json")];
  await writeFile(secret, client.client_secret);
  const configuration = { apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthenticationConfiguration", jwt: [trusted] };
  await writeFile(authentication, JSON.stringify(configuration));
  return {
    issuer,
    /** The file by which a plane trusts this provider: `--authentication-config`. */
    authentication,
    /** The arguments with which the portal offers it. */
    arguments: [
      ...["--public-url", portal, "--oidc-issuer", issuer, "--oidc-client-id", client.client_id, "--oidc-client-secret-file", secret],
      ...["--oidc-ca-file", certified.file, "--oidc-title", title],
    ],
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await certified.remove();
    },
  };
}

/** The name of the provider on pages of the portal. */
const title = "Acme SSO";

/** Goes to an address of the portal, and signs in with the provider on the way. */
export async function arrive(page, address, person) {
  await page.goto(address);
  await page.getByRole("link", { name: `Sign in with ${title}` }).click();
  await signInAtProvider(page, person);
  await page.waitForURL((at) => at.pathname === address);
}

/** Signs out of the portal, and then of the provider. */
export async function signOut(page) {
  await page.locator("header details.menu summary").last().click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByText("You're signed out").waitFor();
  await page.getByRole("link", { name: `Sign out of ${title}` }).click();
  await page.locator("button[value=yes]").click();
  await page.waitForURL((at) => at.pathname === "/sign-in");
}

/** Signs in at the provider, on whose page the browser is, and consents. */
export async function signInAtProvider(page, person) {
  await page.locator("input[name=login]").fill(person);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.locator("button[type=submit]").click();
}
