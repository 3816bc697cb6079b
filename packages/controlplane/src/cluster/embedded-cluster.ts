import { type Clock, type Random, systemClock, systemRandom } from '@kubewright/apimachinery';
import {
  type ApiServerOptions,
  type Connection,
  createHttpServer,
  type HttpServer,
  MemoryStorage,
} from '@kubewright/apiserver';
import { CertificateStore, type HttpLimits } from '@kubewright/apiserver/internal';
import { InProcessTransport, KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import { ControlPlane } from '../kube-apiserver/control-plane.ts';
import { podEviction, podStreams } from '../kube-apiserver/pods/index.ts';
import type { NodeConnector } from '../kube-apiserver/pods/node-connector.ts';
import { Deadline } from '../node/deadline.ts';
import type { ClusterNode, NodeSettings } from './cluster-nodes.ts';
import type { Components } from './components.ts';
import { containedClock } from './contained-clock.ts';
import { firstRevision, noteLastRevision } from './first-revision.ts';
import {
  adminIdentity,
  controllerIdentity,
  controllerManagerIdentity,
  type Identity,
  nodeIdentity,
  schedulerIdentity,
  serverIdentity,
} from './identities.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { LateConnector } from './late-connector.ts';
import { ServiceAccountLogin } from './service-account-login.ts';
import { SplitIdentityTransport } from './split-identity-transport.ts';
import { StateDirectory } from './state-directory.ts';
import type * as Workers from './workers.ts';

/** Limits of an {@link EmbeddedCluster}. */
export interface ClusterLimits {
  /** @defaultValue that of each field */
  readonly http?: Partial<HttpLimits> | undefined;
  /** @defaultValue that of each field */
  readonly requests?: ApiServerOptions['limits'];
  /** Size of all stored objects in bytes; further writes fail as on a full etcd. @defaultValue 512 MiB */
  readonly storageBytes?: number | undefined;
}

/**
 * Options for {@link EmbeddedCluster.start}; each has a default.
 *
 * @example
 * ```ts
 * const options: EmbeddedClusterOptions = { directory: '.kubewright', port: 6443, log: prettyLogger({ destination, now: Date.now }) };
 * await using cluster = await EmbeddedCluster.start(options);
 * ```
 */
export interface EmbeddedClusterOptions {
  /**
   * Folder for certificates, the kubeconfig and notes. It is created if needed and locked while the cluster runs.
   *
   * @defaultValue a temporary folder, removed when the cluster stops
   */
  readonly directory?: string | undefined;
  /** Port of the API server. @defaultValue the port of the last start if it is free, otherwise any free port */
  readonly port?: number | undefined;
  /** @defaultValue the system clock */
  readonly clock?: Clock | undefined;
  /** @defaultValue system randomness */
  readonly random?: Random | undefined;
  /** @defaultValue nothing is logged */
  readonly log?: Logger | undefined;
  /** Limits of connections and bodies, of concurrent requests, and of all stored objects together. */
  readonly limits?: ClusterLimits | undefined;
  /** Gives the cluster nodes. @defaultValue no node: pods stay pending */
  readonly node?: NodeSettings | undefined;
  /** Connector to nodes that run outside this cluster, for logs and exec. @defaultValue a connector to the nodes of `node` */
  readonly connector?: NodeConnector | undefined;
}

/** Default time limit for stopping, in milliseconds. */
const defaultStopMs = 4_000;
/** Part of the time limit reserved for the server after nodes and components have stopped, in milliseconds. */
const serverStopMs = 700;

/**
 * A Kubernetes cluster in this process: API server, controllers, scheduler and nodes. Standard clients can connect to it. State
 * is kept in memory and lost when the cluster stops.
 *
 * @example
 * ```ts
 * await using cluster = await EmbeddedCluster.start();
 * const pods = await cluster.client().resource(Pod).list();
 * ```
 */
export class EmbeddedCluster implements AsyncDisposable {
  readonly #parts: Parts;
  #stopped: Promise<void> | undefined;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Starts a cluster. Resolves once it serves requests.
   *
   * @throws StateDirectoryError if the folder cannot be used or is locked; ListenError if the port is busy.
   */
  static async start(options: EmbeddedClusterOptions = {}): Promise<EmbeddedCluster> {
    const { directory: path, clock = systemClock, random = systemRandom } = options;
    const directory = path === undefined ? StateDirectory.temporary() : StateDirectory.take(path);
    try {
      // The logger's module, the runtime, is loaded only if needed.
      const log = options.log ?? (await import('./workers.ts')).silentLogger;
      return await EmbeddedCluster.#startIn(directory, { ...options, clock, random, log });
    } catch (error) {
      directory[Symbol.dispose]();
      throw error;
    }
  }

  static async #startIn(directory: StateDirectory, options: CompleteOptions): Promise<EmbeddedCluster> {
    const { random, log } = options;
    const clock = containedClock(options.clock, (error) =>
      log.error('timer callback failed in the API server', { error }),
    );
    const onError = (error: unknown): void => log.error('API server error', { error });
    const onWatcherFault = (error: unknown): void => log.error('storage watcher failed', { error });
    const certificates = await CertificateStore.open({ folder: directory.file('certificates'), clock });
    const initialRevision = firstRevision(directory, clock);
    const maxBytes = options.limits?.storageBytes;
    const storage = new MemoryStorage({ clock, initialRevision, maxBytes, onWatcherFault });
    const address = { text: '' };
    const connector = new LateConnector();
    const plane: ControlPlane = new ControlPlane({
      storage,
      clock,
      random,
      serviceAccountKey: certificates.serviceAccount.privateKey,
      allowLoopbackEndpoints: true,
      connect: new Map([
        ...podStreams(options.connector ?? connector, clock),
        ['pods/eviction', podEviction({ handle: () => plane.handle, clock })],
      ]),
      serverAddress: () => address.text,
      frontProxy: {
        clientCa: certificates.clientCa,
        requestHeaderCa: certificates.requestHeaderCa,
        allowedNames: [CertificateStore.frontProxyName],
        clientCertificate: () => certificates.frontProxyCertificate(),
      },
      limits: options.limits?.requests,
      onError,
    });
    await plane.start();
    const { http, takenPort } = await listen(directory, { options, plane, certificates, onError });
    address.text = `${http.host}:${http.port}`;
    const parts: Parts = {
      directory,
      options,
      certificates,
      storage,
      plane,
      http,
      takenPort,
      components: undefined,
      logins: [],
      connector,
      nodes: new Map(),
    };
    const cluster = new EmbeddedCluster(parts);
    try {
      await cluster.#writeKubeconfig();
      await plane.publish();
      // Loaded now, so that the first clients do not wait until a quarter of the program is loaded.
      const workers = await import('./workers.ts');
      await Promise.all([cluster.#startComponents(workers), cluster.#startNodes(workers)]);
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** `https://127.0.0.1:<port>` */
  get url(): string {
    return this.#parts.http.url;
  }

  /** Port of an earlier start that another process now uses, so this cluster has a different one; otherwise `undefined`. */
  get takenPort(): number | undefined {
    return this.#parts.takenPort;
  }

  /** Path of the administrator's kubeconfig. */
  get kubeconfig(): string {
    return this.#parts.directory.file('kubeconfig');
  }

  /** Returns a client without sockets that acts as `identity`. @defaultValue the administrator */
  client(identity: Identity = adminIdentity): KubernetesClient {
    const { clock, random } = this.#parts.options;
    const userAgent = identity.commonName.replace(/^.*:/, '');
    return new KubernetesClient({ transport: this.#transport(identity), clock, random, userAgent });
  }

  /**
   * Writes a kubeconfig with which a program outside pods acts as a service account, and returns its path. The token is renewed
   * while the cluster runs.
   */
  async logInAs(account: { readonly namespace: string; readonly name: string }): Promise<string> {
    const { directory, options, certificates, logins } = this.#parts;
    const { clock, log } = options;
    const { namespace, name } = account;
    const tokenFile = directory.file(`${namespace}.${name}.token`);
    const login = new ServiceAccountLogin({ client: this.client(), namespace, name, tokenFile, clock, log });
    logins.push(login);
    await login.renew();
    const path = directory.file(`${namespace}.${name}.kubeconfig`);
    writeKubeconfig(path, { server: this.url, ca: certificates.ca, user: { name, tokenFile } });
    return path;
  }

  /**
   * Stops everything within one shared time limit, even if a part hangs. Containers get a grace period and are then killed;
   * requests in flight may finish and are then cut off. A second call waits for the first.
   *
   * @param options - `withinMs`: the total time limit, in milliseconds. @defaultValue 4_000
   */
  stop(options: { readonly withinMs?: number } = {}): Promise<void> {
    this.#stopped ??= this.#stop(options.withinMs ?? defaultStopMs);
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(withinMs: number): Promise<void> {
    const { components, nodes, logins, http, plane, storage, directory } = this.#parts;
    const deadline = new Deadline(this.#parts.options.clock, withinMs);
    for (const login of logins) login[Symbol.dispose]();
    try {
      const clients = [
        ...[...nodes.values()].map((node) => node.stop({ withinMs: Math.max(withinMs - serverStopMs, 0) })),
        components?.[Symbol.asyncDispose](),
      ];
      await this.#end('node and components', deadline.meets(Promise.all(clients), { reserveMs: serverStopMs }));
      await this.#end('listener', deadline.meets(http.close({ graceMs: Math.min(500, deadline.leftMs / 2) })));
      await this.#end('server', deadline.meets(plane[Symbol.asyncDispose]()));
      await this.#end('storage', deadline.meets(storage[Symbol.asyncDispose]()));
    } finally {
      this.#noteRevision();
      directory[Symbol.dispose]();
    }
  }

  /** Notes the last revision. A full disk must not prevent the release of the folder. */
  #noteRevision(): void {
    const { directory, storage, options } = this.#parts;
    try {
      noteLastRevision(directory, storage.revision);
    } catch (error) {
      options.log.warn('cannot save the last revision; existing watches may miss the restart of the cluster', {
        error,
      });
    }
  }

  /** Waits for a part to stop. A part that fails or hangs must not prevent the others from stopping. */
  async #end(part: string, inTime: Promise<boolean>): Promise<void> {
    const { log } = this.#parts.options;
    try {
      if (!(await inTime)) log.warn('timed out stopping a part of the cluster', { part });
    } catch (error) {
      log.error('failed to stop a part of the cluster', { part, error });
    }
  }

  async #writeKubeconfig(): Promise<void> {
    const { certificates } = this.#parts;
    const { certificate, key } = await certificates.clientCertificate('admin', adminIdentity);
    writeKubeconfig(this.kubeconfig, {
      server: this.url,
      ca: certificates.ca,
      user: { name: adminIdentity.commonName, certificate, key },
    });
  }

  async #startComponents(workers: typeof Workers): Promise<void> {
    const { options, certificates } = this.#parts;
    const components = new workers.Components(options);
    this.#parts.components = components;
    const controllers = workers.builtInControllers({ ca: certificates.ca }).map(({ account, definition }) => {
      return { name: account, client: this.#controllerClient(account), definition };
    });
    const scheduler = {
      name: 'scheduler',
      client: this.client(schedulerIdentity),
      definition: workers.schedulerController,
    };
    await components.start([...controllers, scheduler]);
  }

  async #startNodes(workers: typeof Workers): Promise<void> {
    const { options, directory, certificates, connector, nodes } = this.#parts;
    if (options.node === undefined) return;
    const { clock, random, log, node: settings } = options;
    const parts = {
      settings,
      client: (name: string) => this.client(nodeIdentity(name)),
      directory: (name: string) => directory.file(name === 'kubewright' ? 'node' : name),
      apiServer: { url: this.url, ca: certificates.ca },
      clock,
      random,
      log: log.named('node'),
    };
    await workers.startNodes(parts, (node) => {
      nodes.set(node.name, node);
      connector.targets.set(node.name, node.connector);
    });
  }

  /** Returns a client that reads as the controller manager and writes as one controller. */
  #controllerClient(account: string): KubernetesClient {
    const { clock, random } = this.#parts.options;
    const informers = this.#transport(controllerManagerIdentity);
    const actor = this.#transport(account === 'apiextensions' ? serverIdentity : controllerIdentity(account));
    const transport = new SplitIdentityTransport({ informers, actor });
    return new KubernetesClient({ transport, clock, random, userAgent: 'kube-controller-manager' });
  }

  #transport(identity: Identity): InProcessTransport<Connection> {
    const connection = { remoteAddress: '127.0.0.1', protocol: 'in-process', clientCertificate: identity } as const;
    return new InProcessTransport<Connection>({ handle: this.#parts.plane.handle, connection });
  }
}

/** Options after defaults have been applied. */
type CompleteOptions = EmbeddedClusterOptions & {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
};

interface Parts {
  readonly directory: StateDirectory;
  readonly options: CompleteOptions;
  readonly certificates: CertificateStore;
  readonly storage: MemoryStorage;
  readonly plane: ControlPlane;
  readonly http: HttpServer;
  readonly takenPort: number | undefined;
  readonly logins: ServiceAccountLogin[];
  readonly connector: LateConnector;
  /** Set after the server has started. */
  components: Components | undefined;
  readonly nodes: Map<string, ClusterNode>;
}

/**
 * Listens on the port of the last start, so an exported KUBECONFIG stays valid. If that port is taken, listens on another; the
 * next start tries the old port again.
 */
async function listen(
  directory: StateDirectory,
  parts: {
    readonly options: CompleteOptions;
    readonly plane: ControlPlane;
    readonly certificates: CertificateStore;
    readonly onError: (error: unknown) => void;
  },
): Promise<{ readonly http: HttpServer; readonly takenPort: number | undefined }> {
  const { options, plane, certificates, onError } = parts;
  const { serving, clientCa } = certificates;
  const tls = { key: serving.key, certificate: serving.certificate, clientCa };
  const { clock, limits } = options;
  const open = (port: number) =>
    createHttpServer({ handle: plane.handle, tls, port, clock, limits: limits?.http, onError });
  const last = directory.readNote<{ port: number }>('port.json')?.port;
  if (options.port !== undefined) return { http: await open(options.port), takenPort: undefined };
  let http: HttpServer;
  try {
    http = await open(last ?? 0);
  } catch (error) {
    if (last === undefined) throw error;
    http = await open(0);
    options.log.info('the previous port is in use; using another one', { port: last, instead: http.port });
    return { http, takenPort: last };
  }
  try {
    directory.writeNote('port.json', { port: http.port });
  } catch (error) {
    options.log.warn('cannot save the port; the next start will use a different one', { port: http.port, error });
  }
  return { http, takenPort: undefined };
}
