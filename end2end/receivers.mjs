// The far edge of what the portal sends: a mail server and a receiver of signed webhooks, each on a port of this machine.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { until } from "./portal.mjs";

const secret = "a secret of the receiver";

/** A mail server on loopback; `mails` is everything that it took, read. */
export async function mailbox() {
  const mails = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    closeTimeout: 100,
    async onData(stream, session, done) {
      try {
        const chunks = [];
        for await (const chunk of stream) chunks.push(chunk);
        mails.push({ ...(await PostalMime.parse(Buffer.concat(chunks))), recipient: session.envelope.rcptTo[0].address });
        done();
      } catch (error) {
        done(error);
      }
    },
  });
  await listening(server);
  return {
    mails,
    port: server.server.address().port,
    /** The first mail to somebody with these words in its subject, as soon as it is there. */
    arrives: (recipient, subject, nth = 0) =>
      until(() => mails.filter((mail) => mail.recipient === recipient && mail.subject === subject)[nth], `the mail to ${recipient}: ${subject}`),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** A receiver of webhooks on loopback; `calls` is everything that it got: headers and body. */
export async function hooks() {
  const calls = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    calls.push({ headers: request.headers, body, ...JSON.parse(body) });
    response.end();
  });
  await listening(server);
  return {
    calls,
    port: server.address().port,
    /** The first message about an event with these words in its title, as soon as it is there; it must be signed. */
    async arrives(event, words) {
      const call = await until(() => calls.find((call) => call.event === event && call.title.includes(words)), `the webhook ${event}: ${words}`);
      if (!isSigned(call)) throw new Error(`the signature does not fit: ${JSON.stringify(call)}`);
      return call;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** What the portal is started with to send mails there, and to tell the webhook of everything. */
export async function sending(folder, mailbox, hooks) {
  const [settings, key] = [join(folder, "notifications.yaml"), join(folder, "webhook-secret")];
  await writeFile(key, secret);
  const webhook = { name: "ops", url: `http://127.0.0.1:${hooks.port}/hook`, secretFile: key, allowPrivate: true };
  // JSON is YAML.
  await writeFile(settings, JSON.stringify({ mail: { domain: "acme.example" }, webhooks: [webhook] }));
  const mails = ["--smtp-url", `smtp://127.0.0.1:${mailbox.port}`, "--mail-from", "OPM Portal <portal@acme.example>"];
  return [...mails, "--public-url", "http://portal.localhost", "--notifications", settings];
}

/** Whether the signature is that of Standard Webhooks. */
function isSigned({ headers, body }) {
  const text = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const expected = Buffer.from(`v1,${createHmac("sha256", secret).update(text).digest("base64")}`);
  const found = Buffer.from(headers["webhook-signature"] ?? "");
  return found.length === expected.length && timingSafeEqual(found, expected);
}

function listening(server) {
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
}
