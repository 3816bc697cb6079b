import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { TestEnvironment, type TestNamespace } from '@kubewright/controlplane';
import pg from 'pg';
import {
  PostgresCluster,
  type PostgresClusterSpec,
  type PostgresClusterStatus,
} from '../src/api/v1/postgres-cluster.ts';
import type { InstanceEnvironment } from '../src/instance/environment.ts';
import { clusterLabel, type InstanceReport, statusPort } from '../src/instance/protocol.ts';
import { serverProcesses, signalProcess } from '../src/instance/server/server-processes.ts';
import { type Certificates, nextCertificates } from '../src/spec/certificates.ts';
import { BreakableProxy } from './breakable-proxy.ts';
import { type BundledProgram, bundledProgram } from './bundled-program.ts';

const manifests = [
  new URL('../config/crd/bases/database.db.example.com_postgresclusters.yaml', import.meta.url).pathname,
];
const name = 'shop';
const password = 'secret';

/** Folder of PostgreSQL's programs, or undefined if it is not installed. */
export const programFolder: string | undefined = (() => {
  const installed = '/usr/lib/postgresql';
  const versions = existsSync(installed) ? readdirSync(installed).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [process.env['PG_BIN'] ?? '', ...versions.map((version) => join(installed, version, 'bin'))];
  return folders.find((folder) => folder !== '' && existsSync(join(folder, 'pg_rewind')));
})();

/** Parent of the test folders. In memory, because syncing to disk would be slow, and these tests do not test durability. */
const parentFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** User that runs PostgreSQL if the test runs as root, because PostgreSQL refuses to run as root. */
export const user: { readonly uid: number; readonly gid: number } | undefined =
  process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;

/** Short Lease timing, for quick failover tests. */
export const quickLease = { durationSeconds: 6, renewDeadlineSeconds: 4, retryPeriodSeconds: 1 };

/** Mount points of the archive that the cluster writes to, and of the archive that it is restored from. */
interface Archives {
  readonly archive?: string;
  readonly recovery?: string;
}

/**
 * A `PostgresCluster` in an API server without controllers, with instance managers that run outside pods. The test acts as the
 * operator: it writes the status that the instances follow.
 */
export class InstanceCluster implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(parentFolder, 'pg-'));
  readonly #environment: TestEnvironment;
  readonly #namespace: TestNamespace;
  readonly #network = `127.${randomInt(64, 250)}.${randomInt(1, 250)}`;
  readonly #instances = new Map<string, RunningInstance>();
  readonly #program: Promise<BundledProgram>;
  readonly #archives: Archives;
  #orders = 0;
  readonly certificates: Certificates;

  private constructor(environment: TestEnvironment, namespace: TestNamespace, archives: Archives) {
    this.#archives = archives;
    this.#environment = environment;
    this.#namespace = namespace;
    this.certificates = nextCertificates({}, { cluster: name, namespace: namespace.name, nowMs: Date.now() });
    // PostgreSQL's programs run as another user, who must be able to enter the folder.
    chmodSync(this.folder, 0o755);
    this.#program = bundledProgram("import '#src/instance/main.ts';");
  }

  static async start(spec: Partial<PostgresClusterSpec> = {}, archives: Archives = {}): Promise<InstanceCluster> {
    const environment = await TestEnvironment.start({ env: {}, manifests });
    const cluster = new InstanceCluster(environment, await environment.namespace(), archives);
    const metadata = { name, namespace: cluster.#namespace.name };
    const { parameters, ...rest } = spec;
    const defaults = { lease: quickLease, instances: 3 };
    await cluster.client.resource(PostgresCluster).create(
      PostgresCluster({
        metadata,
        spec: {
          storage: {},
          ...defaults,
          ...rest,
          parameters: { fsync: 'off', shared_buffers: '16MB', wal_keep_size: '64MB', ...parameters },
        },
      }),
    );
    await cluster.client.resource(Lease).create(Lease({ metadata: { ...metadata, name: `${name}-primary` } }));
    return cluster;
  }

  get client(): KubernetesClient {
    return this.#namespace.client;
  }

  get key(): { readonly name: string; readonly namespace: string } {
    return { name, namespace: this.#namespace.name };
  }

  /** Returns the start of a range of unused ids in the table `orders`. */
  nextOrder(): number {
    this.#orders += 100_000;
    return this.#orders;
  }

  instance(instance: string): RunningInstance {
    const found = this.#instances.get(instance);
    if (!found) throw new Error(`${instance} is not running`);
    return found;
  }

  async status(): Promise<PostgresClusterStatus> {
    return (await this.client.resource(PostgresCluster).get(this.key)).status ?? {};
  }

  async lease(): Promise<NonNullable<Lease['spec']>> {
    const key = { ...this.key, name: `${name}-primary` };
    return (await this.client.resource(Lease).get(key)).spec ?? {};
  }

  /** Writes the cluster's status, as the operator does. */
  async setStatus(status: Partial<PostgresClusterStatus>): Promise<void> {
    await this.client.resource(PostgresCluster).status.patch(this.key, { type: 'merge', body: { status } });
  }

  async setTarget(targetPrimary: string): Promise<void> {
    await this.setStatus({ targetPrimary, targetPrimaryTime: new Date().toISOString() });
  }

  async setSpec(spec: object): Promise<void> {
    await this.client.resource(PostgresCluster).patch(this.key, { type: 'merge', body: { spec } });
  }

  /** Writes a role's password file for an instance, as the kubelet does when the Secret is created or changed. */
  writePassword(instance: string, role: 'app' | 'superuser', text: string): void {
    const { appCredentials, superuserCredentials } = this.instance(instance).environment;
    const folder = role === 'app' ? appCredentials : superuserCredentials;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'password'), text);
  }

  /** Starts an instance. If the instance has run before, its data is reused. */
  async add(instance: string): Promise<RunningInstance> {
    const earlier = this.#instances.get(instance);
    const number = Number(instance.slice(instance.lastIndexOf('-') + 1));
    const address = earlier?.address ?? `${this.#network}.${number + 1}`;
    if (!earlier) await this.#createPod(instance, address);
    const folder = join(this.folder, instance);
    const environment: InstanceEnvironment = {
      name: instance,
      podUID: `${instance}-pod`,
      namespace: this.#namespace.name,
      cluster: name,
      address,
      dataDirectory: join(folder, 'data'),
      socketDirectory: join(folder, 's'),
      serverCertificates: join(folder, 'server'),
      replicationCertificates: join(folder, 'replication'),
      appCredentials: join(folder, 'app'),
      superuserCredentials: join(folder, 'superuser'),
      archive: { volume: this.#archives.archive ?? '', credentials: '' },
      recovery: { volume: this.#archives.recovery ?? '', credentials: '' },
    };
    this.#writeSecrets(environment);
    const text = readFileSync(this.#environment.kubeconfig ?? '', 'utf8');
    const port = /https:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1] ?? '';
    const proxy = earlier?.proxy ?? (await BreakableProxy.to(Number(port)));
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, text.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${proxy.port}`));
    const { authority, operator } = this.certificates;
    const certificate = { cert: operator.certificate, key: operator.key, ca: authority.bundle.join('') };
    const started = new RunningInstance({
      environment,
      proxy,
      program: (await this.#program).path,
      kubeconfig,
      operator: certificate,
    });
    this.#instances.set(instance, started);
    return started;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#instances.values()].map((instance) => instance.stop()));
    for (const { proxy } of this.#instances.values()) await proxy[Symbol.asyncDispose]();
    await this.#environment[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
    (await this.#program)[Symbol.dispose]();
  }

  async #createPod(instance: string, podIP: string): Promise<void> {
    const metadata = { name: instance, namespace: this.#namespace.name, labels: { [clusterLabel]: name } };
    const containers = [{ name: 'postgresql', image: 'postgres-instance:15' }];
    await this.client.resource(Pod).create(Pod({ metadata, spec: { containers } }));
    const body = { status: { podIP, podIPs: [{ ip: podIP }] } };
    await this.client.resource(Pod).status.patch({ ...this.key, name: instance }, { type: 'merge', body });
  }

  #writeSecrets({ serverCertificates, replicationCertificates, appCredentials }: InstanceEnvironment): void {
    const { authority, server, replication } = this.certificates;
    for (const [folder, pair] of [
      [serverCertificates, server],
      [replicationCertificates, replication],
    ] as const) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'tls.crt'), pair.certificate);
      writeFileSync(join(folder, 'tls.key'), pair.key);
      writeFileSync(join(folder, 'ca.crt'), authority.bundle.join(''));
    }
    mkdirSync(appCredentials, { recursive: true });
    writeFileSync(join(appCredentials, 'username'), 'app');
    writeFileSync(join(appCredentials, 'password'), password);
    if (user) chownSync(join(serverCertificates, '..'), user.uid, user.gid);
  }
}

/** The processes of an instance manager and its server. */
export class RunningInstance {
  readonly environment: InstanceEnvironment;
  /** Proxy between the instance and the API server. */
  readonly proxy: BreakableProxy;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #operator: ClientCertificate;

  constructor(options: {
    readonly environment: InstanceEnvironment;
    readonly proxy: BreakableProxy;
    readonly program: string;
    readonly kubeconfig: string;
    readonly operator: ClientCertificate;
  }) {
    const { environment, proxy, program, kubeconfig, operator } = options;
    this.environment = environment;
    this.proxy = proxy;
    this.#operator = operator;
    const env = {
      PATH: `${programFolder}:${process.env['PATH']}`,
      KUBECONFIG: kubeconfig,
      POD_NAME: environment.name,
      POD_UID: environment.podUID,
      POD_NAMESPACE: environment.namespace,
      POD_IP: environment.address,
      CLUSTER_NAME: environment.cluster,
      PGDATA: environment.dataDirectory,
      PGHOST: environment.socketDirectory,
      SERVER_CERTIFICATES: environment.serverCertificates,
      REPLICATION_CERTIFICATES: environment.replicationCertificates,
      APP_CREDENTIALS: environment.appCredentials,
      SUPERUSER_CREDENTIALS: environment.superuserCredentials,
      ARCHIVE_VOLUME: environment.archive.volume,
      RECOVERY_VOLUME: environment.recovery.volume,
    };
    const stdio = process.env['INSTANCE_LOG'] ? 'inherit' : 'ignore';
    this.#child = spawn(process.execPath, [program], { env, ...user, cwd: '/', stdio: ['ignore', stdio, stdio] });
    this.#exited = new Promise((resolve) => this.#child.once('exit', resolve));
  }

  get address(): string {
    return this.environment.address;
  }

  /** Returns the instance's report, or undefined if it does not respond. */
  report(): Promise<InstanceReport | undefined> {
    return this.request('GET', '/v1/status').then(
      ({ body }) => JSON.parse(body) as InstanceReport,
      () => undefined,
    );
  }

  /** Sends a request with the given certificate, by default the operator's. */
  request(
    method: string,
    path: string,
    certificate: Partial<ClientCertificate> = this.#operator,
  ): Promise<{ readonly code: number; readonly body: string }> {
    return new Promise((resolve, reject) => {
      const options = {
        host: this.address,
        port: statusPort,
        path,
        method,
        agent: false,
        timeout: 2_000,
        ...certificate,
      };
      const call = request({ ...options, ca: this.#operator.ca, checkServerIdentity: () => undefined }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        response.once('end', () => resolve({ code: response.statusCode ?? 0, body }));
      });
      call.once('timeout', () => call.destroy(new Error('no response')));
      call.once('error', reject).end();
    });
  }

  /** Runs a query as the owner of the application's database. */
  query(sql: string, options: QueryOptions = {}): Promise<readonly Record<string, unknown>[]> {
    return queryAt(this.address, sql, options);
  }

  /** Returns the IDs of the server's processes. */
  serverProcesses(): Promise<readonly number[]> {
    return serverProcesses(this.environment.dataDirectory);
  }

  /** Sends a signal to the instance manager. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Kills the main process of the server, like the kernel's OOM killer. */
  killServer(): void {
    const file = join(this.environment.dataDirectory, 'postmaster.pid');
    process.kill(Number.parseInt(readFileSync(file, 'utf8'), 10), 'SIGKILL');
  }

  /** Suspends the instance manager and the server, like a node that no longer responds. */
  suspend(): Promise<void> {
    return this.#signalAll('SIGSTOP');
  }

  /** Resumes the instance manager and the server. */
  resume(): Promise<void> {
    return this.#signalAll('SIGCONT');
  }

  /** Waits until the instance manager has exited. */
  async exited(): Promise<void> {
    await this.#exited;
  }

  /** Stops the instance manager, and waits until it has exited. */
  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      await this.resume();
      this.signal('SIGTERM');
    }
    await this.#exited;
  }

  async #signalAll(signal: NodeJS.Signals): Promise<void> {
    this.signal(signal);
    for (const pid of await this.serverProcesses()) signalProcess(pid, signal);
  }
}

interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

interface QueryOptions {
  readonly timeoutMs?: number;
  /** Connects as this user instead of the owner of the application's database. */
  readonly as?: Pick<pg.ClientConfig, 'host' | 'user' | 'password' | 'ssl'>;
}

/** Runs a query as the owner of the application's database, or as another user. */
export async function queryAt(
  address: string,
  sql: string,
  { timeoutMs = 5_000, as = {} }: QueryOptions = {},
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({
    host: address,
    user: 'app',
    password,
    database: 'app',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    ...as,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    (
      client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }
    ).connection.stream.destroy();
  }
}
