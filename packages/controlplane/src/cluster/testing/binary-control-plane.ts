import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Clock, sleep } from '@kubewright/apimachinery';
import { Namespace } from '@kubewright/apimachinery/core/v1';
import { clientFromConfig, loadClientConfig } from '@kubewright/client';
import type { TestBackend } from './test-backend.ts';
import { TestEnvironmentError } from './test-environment-error.ts';

type Binaries = Extract<TestBackend, { readonly type: 'binaries' }>;

/** Options for {@link BinaryControlPlane}. */
export interface BinaryControlPlaneOptions extends Binaries {
  /** A new folder for state, certificates and the kubeconfig. */
  readonly directory: string;
  readonly clock: Clock;
}

/** Interval between readiness checks, in milliseconds. */
const pollMs = 100;
const listen = '127.0.0.1';

/** Runs etcd and kube-apiserver as child processes, as envtest does, without controllers, scheduler or nodes. */
export class BinaryControlPlane implements AsyncDisposable {
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly #options: BinaryControlPlaneOptions;
  readonly #running: { readonly name: string; readonly child: ChildProcess; readonly ended: Promise<void> }[] = [];
  #said = '';

  private constructor(options: BinaryControlPlaneOptions) {
    this.#options = options;
    this.kubeconfig = join(options.directory, 'kubeconfig');
  }

  /** Starts both programs; resolves once they respond. @throws TestEnvironmentError if one exits or is not ready in time */
  static async start(options: BinaryControlPlaneOptions): Promise<BinaryControlPlane> {
    const started = new BinaryControlPlane(options);
    try {
      await started.#start();
      return started;
    } catch (error) {
      await started[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Newest first: an API server that has lost its etcd hangs.
    for (const { child, ended } of [...this.#running].reverse()) {
      child.kill('SIGTERM');
      const late = new AbortController();
      const waited = sleep(this.#options.clock, { ms: this.#options.stopTimeoutMs, signal: late.signal });
      await Promise.race([ended, waited.then(() => child.kill('SIGKILL')).catch(() => undefined)]);
      late.abort();
      await ended;
    }
  }

  async #start(): Promise<void> {
    const { directory, etcd, apiServer } = this.#options;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const [client, peer, secure] = [await freePort(), await freePort(), await freePort()];
    const at = (port: number): string => `http://${listen}:${port}`;
    this.#spawn('etcd', etcd, [
      `--data-dir=${join(directory, 'etcd')}`,
      ...[`--listen-client-urls=${at(client)}`, `--advertise-client-urls=${at(client)}`],
      ...[`--listen-peer-urls=${at(peer)}`, `--initial-advertise-peer-urls=${at(peer)}`],
      `--initial-cluster=default=${at(peer)}`,
      '--unsafe-no-fsync',
    ]);
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const token = randomBytes(24).toString('hex'); // seam: a secret must not be derivable from a seed
    this.#write('sa.key', privateKey);
    this.#write('sa.pub', publicKey);
    this.#write('tokens.csv', `${token},admin,admin,"system:masters"\n`);
    const certificates = join(directory, 'certs');
    this.#spawn('kube-apiserver', apiServer, [
      ...[`--etcd-servers=${at(client)}`, `--secure-port=${secure}`, `--bind-address=${listen}`],
      ...[`--cert-dir=${certificates}`, `--token-auth-file=${join(directory, 'tokens.csv')}`],
      ...['--authorization-mode=RBAC', '--service-cluster-ip-range=10.0.0.0/24', '--endpoint-reconciler-type=none'],
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${join(directory, 'sa.pub')}`,
      `--service-account-signing-key-file=${join(directory, 'sa.key')}`,
      // No controller creates service accounts, so pods must not require them.
      '--disable-admission-plugins=ServiceAccount',
    ]);
    const server = `https://${listen}:${secure}`;
    const authority = join(certificates, 'apiserver.crt');
    this.#write('kubeconfig', kubeconfigText({ server, authority, token }));
    await this.#ready(authority);
  }

  #write(name: string, text: string): void {
    writeFileSync(join(this.#options.directory, name), text, { mode: 0o600 });
  }

  #spawn(name: string, program: string, args: readonly string[]): void {
    const child = spawn(program, args, { cwd: this.#options.directory, stdio: ['ignore', 'pipe', 'pipe'] });
    const note = (text: string): void => {
      this.#said = (this.#said + text).slice(-4_000);
      if (this.#options.showOutput) process.stderr.write(text);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', note);
    const ended = new Promise<void>((resolve) => {
      child.once('error', (error) => {
        note(error.message);
        resolve();
      });
      child.once('close', () => resolve());
    });
    this.#running.push({ name, child, ended });
  }

  async #ready(authority: string): Promise<void> {
    const { clock, startTimeoutMs } = this.#options;
    const deadline = clock.monotonic() + startTimeoutMs;
    for (;;) {
      const gone = this.#running.find(({ child }) => child.exitCode !== null || child.signalCode !== null);
      if (gone) throw this.#failure(`${gone.name} exited during startup`);
      if (existsSync(authority) && (await this.#isReady())) return;
      if (clock.monotonic() > deadline) {
        throw this.#failure(
          `the API server was not ready after ${startTimeoutMs / 1_000} s; set KUBEBUILDER_CONTROLPLANE_START_TIMEOUT to wait longer`,
        );
      }
      await sleep(clock, { ms: pollMs });
    }
  }

  async #isReady(): Promise<boolean> {
    await using client = clientFromConfig(await loadClientConfig({ kubeconfig: this.kubeconfig }));
    try {
      // The server creates this namespace last when it starts.
      await client.resource(Namespace).get({ name: 'default' });
      return true;
    } catch {
      // The server is not ready yet.
      return false;
    }
  }

  #failure(why: string): TestEnvironmentError {
    return new TestEnvironmentError({
      what: 'cannot start the control plane for the tests',
      why: `${why}\n${this.#said.trim()}`,
    });
  }
}

interface Access {
  readonly server: string;
  readonly authority: string;
  readonly token: string;
}

/** Formats a kubeconfig as JSON, which is valid YAML. */
function kubeconfigText({ server, authority, token }: Access): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority': authority } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    'current-context': 'test',
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, listen, resolve);
  });
  const { port } = server.address() as { readonly port: number }; // the address of a TCP server
  await new Promise((resolve) => server.close(resolve));
  return port;
}
