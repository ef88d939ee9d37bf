// A real kube-apiserver with its etcd for one test file, as plain as they start: RBAC, a token file, no controllers.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certificate, freePort } from "./certificate.mjs";
import { kubectl, start, until } from "./portal.mjs";

const { OPM_KUBE_APISERVER: apiserver, OPM_ETCD: etcd, CI } = process.env;
if (CI === "true" && !(apiserver && etcd)) throw new Error("OPM_KUBE_APISERVER and OPM_ETCD name no programs");

/** Why tests on a kube-apiserver are skipped; `false` where they run. */
export const withoutKubernetes =
  !(apiserver && etcd) && "OPM_KUBE_APISERVER and OPM_ETCD name no programs; `cargo xtask test --install` builds and names them";

/** The context of an administrator in the kubeconfig of the server. */
export const ADMIN = "cluster";

/** Starts a server that accepts the tokens that a file names (`--authentication-config`). Its kubeconfig is the administrator's. */
export async function startKubernetes({ authentication }) {
  const folder = await mkdtemp(join(tmpdir(), "opm-kubernetes-"));
  const file = (name) => join(folder, name);
  const certified = await certificate();
  const [port, storage, peer] = [await freePort(), `http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
  await writeFile(file("tokens.csv"), `token-of-${ADMIN},${ADMIN},${ADMIN},"system:masters"\n`);
  const database = await start(
    etcd,
    [
      ...[`--data-dir=${file("etcd")}`, "--unsafe-no-fsync", `--listen-client-urls=${storage}`, `--advertise-client-urls=${storage}`],
      ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`],
    ],
    /ready to serve client requests/,
  );
  const serving = start(
    apiserver,
    [
      ...[`--etcd-servers=${storage}`, "--bind-address=127.0.0.1", `--secure-port=${port}`, "--authorization-mode=RBAC"],
      ...[`--tls-cert-file=${certified.file}`, `--tls-private-key-file=${certified.keyFile}`],
      ...[`--token-auth-file=${file("tokens.csv")}`, `--authentication-config=${authentication}`],
      ...["--service-account-issuer=https://kubernetes.default.svc", `--service-account-key-file=${certified.file}`],
      ...[`--service-account-signing-key-file=${certified.keyFile}`, "--service-cluster-ip-range=10.0.0.0/24"],
      // No controller makes the accounts that it would ask for.
      "--disable-admission-plugins=ServiceAccount",
    ],
    /Serving securely/,
  );
  const server = await serving.catch(async (error) => {
    await database.stop();
    throw error;
  });
  const cluster = { server: `https://127.0.0.1:${port}`, "certificate-authority-data": certified.cert.toString("base64") };
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": ADMIN,
    clusters: [{ name: ADMIN, cluster }],
    users: [{ name: ADMIN, user: { token: `token-of-${ADMIN}` } }],
    contexts: [{ name: ADMIN, context: { cluster: ADMIN, user: ADMIN } }],
  };
  await writeFile(file("kubeconfig"), JSON.stringify(kubeconfig));
  const it = {
    kubeconfig: file("kubeconfig"),
    async stop() {
      await server.stop();
      await database.stop();
      await certified.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await until(() => kubectl(it, ADMIN, ["get", "--raw", "/readyz"]), "the kube-apiserver to be ready", 60_000);
  return it;
}
