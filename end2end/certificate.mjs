// A certificate and ports for the servers of one test file.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A port of this machine that was free a moment ago, for servers whose address must be known before they start. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A certificate for this machine, in a folder of its own, which `remove` deletes. */
export async function certificate() {
  const folder = await mkdtemp(join(tmpdir(), "opm-server-"));
  const [key, cert] = [join(folder, "server.key"), join(folder, "server.crt")];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  // A certificate of an authority is none of a server (RFC 5280), which rustls insists on.
  const subject = [...names, "-addext", "basicConstraints=critical,CA:FALSE"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
  try {
    await run("openssl", ["req", "-x509", ...curve, "-nodes", "-days", "2", "-keyout", key, "-out", cert, ...subject]);
  } catch (error) {
    throw new Error("openssl makes the certificates of the tests: install it", { cause: error });
  }
  const remove = () => rm(folder, { recursive: true, force: true });
  return { folder, file: cert, keyFile: key, key: await readFile(key), cert: await readFile(cert), remove };
}
