import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The measured control planes. `boot` starts the programs that a control plane needs to become ready, and `complete`
// starts the rest; both return the child processes. `credentials` returns an administrator's credentials.

/** Returns the embedded cluster with controllers, scheduler, node and the example operator, in one process. */
export function ourSide() {
  const program = fileURLToPath(new URL('./cluster-process.mjs', import.meta.url));
  return {
    name: 'Kubewright',
    boot: ({ folder, port }) => [start(process.execPath, [program, folder, String(port)], { folder, log: 'cluster' })],
    complete: () => [],
    credentials: ({ folder }) => {
      const kubeconfig = readFileSync(join(folder, 'kubeconfig'), 'utf8');
      const pem = (field) => Buffer.from(new RegExp(`${field}: *(\\S+)`).exec(kubeconfig)[1], 'base64').toString();
      return { cert: pem('client-certificate-data'), key: pem('client-key-data') };
    },
  };
}

/**
 * Returns the real control plane from `bin`: etcd, kube-apiserver, kube-controller-manager, kube-scheduler. The `flags`
 * of the target are additional kube-apiserver flags.
 */
export function oracleSide(bin) {
  for (const program of ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']) {
    if (existsSync(join(bin, program))) continue;
    process.stderr.write(
      `${program} not found in ${bin}\n  why: --oracle must be the folder of the Kubernetes binaries\n`,
    );
    process.exit(2);
  }
  return {
    name: 'Kubernetes',
    boot: (place) => bootOracle(bin, place),
    complete: (place) => completeOracle(bin, place),
    credentials: () => ({ token: 'admintoken' }),
  };
}

function bootOracle(bin, { folder, port, flags = [] }) {
  const at = (name) => join(folder, name);
  // Each boot starts a new cluster, as in `ourSide`; certificates and keys are kept.
  rmSync(at('etcd'), { recursive: true, force: true });
  if (!existsSync(at('sa.key'))) {
    spawnSync('openssl', ['genrsa', '-out', at('sa.key'), '2048']);
    spawnSync('openssl', ['rsa', '-in', at('sa.key'), '-pubout', '-out', at('sa.pub')]);
    writeFileSync(at('tokens.csv'), 'admintoken,admin,admin,"system:masters"\n');
    writeFileSync(at('kubeconfig'), kubeconfig(port));
  }
  const etcd = [
    `--data-dir=${at('etcd')}`,
    `--listen-client-urls=http://127.0.0.1:${port + 1}`,
    `--advertise-client-urls=http://127.0.0.1:${port + 1}`,
    `--listen-peer-urls=http://127.0.0.1:${port + 2}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${port + 2}`,
    `--initial-cluster=default=http://127.0.0.1:${port + 2}`,
  ];
  const apiserver = [
    `--etcd-servers=http://127.0.0.1:${port + 1}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=10.99.0.1',
    `--cert-dir=${at('certs')}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    `--token-auth-file=${at('tokens.csv')}`,
    '--authorization-mode=Node,RBAC',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${at('sa.pub')}`,
    `--service-account-signing-key-file=${at('sa.key')}`,
    '--allow-privileged=true',
    '--endpoint-reconciler-type=none',
    ...flags,
  ];
  return [
    start(join(bin, 'etcd'), etcd, { folder, log: 'etcd' }),
    start(join(bin, 'kube-apiserver'), apiserver, { folder, log: 'apiserver' }),
  ];
}

function completeOracle(bin, { folder, port }) {
  const at = (name) => join(folder, name);
  const common = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
    (flag) => `--${flag}=${at('kubeconfig')}`,
  );
  common.push('--bind-address=127.0.0.1', '--leader-elect=false', '--authentication-skip-lookup=true');
  const controllers = [
    ...common,
    `--secure-port=${port + 3}`,
    `--cert-dir=${at('kcm')}`,
    `--service-account-private-key-file=${at('sa.key')}`,
    `--root-ca-file=${at('certs/apiserver.crt')}`,
    '--use-service-account-credentials=false',
  ];
  const scheduler = [...common, `--secure-port=${port + 4}`, `--cert-dir=${at('scheduler')}`];
  return [
    start(join(bin, 'kube-controller-manager'), controllers, { folder, log: 'controllers' }),
    start(join(bin, 'kube-scheduler'), scheduler, { folder, log: 'scheduler' }),
  ];
}

function start(program, args, { folder, log }) {
  mkdirSync(folder, { recursive: true });
  const output = openSync(join(folder, `${log}.log`), 'a');
  const child = spawn(program, args, { stdio: ['ignore', output, output] });
  closeSync(output);
  return child;
}

function kubeconfig(port) {
  return `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:${port}", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: admintoken}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`;
}
