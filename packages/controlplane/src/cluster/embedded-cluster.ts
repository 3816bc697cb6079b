import { resolve } from 'node:path';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { CertificateStore } from '@kubewright/apiserver/internal';
import type { KubernetesClient } from '@kubewright/client';
import type { BuiltInControllerFactory } from '../controllers/index.ts';
import { clusterLogEvents } from '../log/cluster-log-events.ts';
import { ClusterClients } from './cluster-clients.ts';
import { clusterControlPlane } from './cluster-control-plane.ts';
import { listen } from './cluster-listener.ts';
import { ClusterNetwork } from './cluster-network.ts';
import type { ClusterNode, NodeFault } from './cluster-nodes.ts';
import { type ClusterSnapshot, restoreSnapshot, takeSnapshot } from './cluster-snapshot.ts';
import { ClusterVolumes } from './cluster-volumes.ts';
import { ComponentSelection } from './component-selection.ts';
import type { Components } from './components.ts';
import { containedClock } from './contained-clock.ts';
import {
  type CompleteOptions,
  type EmbeddedClusterOptions,
  nodesOf,
  podNetworkOf,
} from './embedded-cluster-options.ts';
import { adminIdentity, controllerManagerIdentity, type Identity } from './identities.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { LateConnector } from './late-connector.ts';
import { failNode } from './node-faults.ts';
import type { NodeLink } from './node-link.ts';
import { openStorage } from './open-storage.ts';
import { ServiceAccountLogin } from './service-account-login.ts';
import type { SnapshotPlaces, SnapshotSummary } from './snapshot-file.ts';
import { furtherComponents, startComponents } from './start-components.ts';
import { notesIn, StateDirectory } from './state-directory.ts';
import { type StoppableParts, stopCluster } from './stop-cluster.ts';
import type * as Workers from './workers.ts';

/** Default time limit for stopping, in milliseconds. */
const defaultStopMs = 4_000;

/**
 * A Kubernetes cluster in this process: API server, controllers, scheduler and nodes. Standard clients can connect to it. State
 * is kept in memory and lost when the cluster stops, unless the option `data` names a folder for it.
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
   * Starts a cluster. Resolves once it serves requests and accepts pods.
   *
   * @throws StateDirectoryError if the folder cannot be used or is locked; ListenError if the port is busy; ComponentsError if
   * the list of components is invalid.
   */
  static async start(options: EmbeddedClusterOptions = {}): Promise<EmbeddedCluster> {
    const { clock = systemClock, random = systemRandom, data } = options;
    const selection = new ComponentSelection(options.components ?? ['*']);
    const directory = StateDirectory.open(options);
    let network: ClusterNetwork | undefined;
    try {
      // The logger's module, the runtime, is loaded only if needed.
      const log = options.log ?? (await import('./workers.ts')).silentLogger;
      const settings = podNetworkOf(options, selection);
      // Stored with the objects, which need it even if the state folder was removed.
      const notes = data === undefined ? directory : notesIn(resolve(data));
      network = await ClusterNetwork.open({ notes, clock, random, log, ...settings });
      return await EmbeddedCluster.#startIn(directory, { ...options, clock, random, log, selection, network });
    } catch (error) {
      await network?.[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
      throw error;
    }
  }

  static async #startIn(directory: StateDirectory, options: CompleteOptions): Promise<EmbeddedCluster> {
    const { random, log, selection, network, server = {} } = options;
    const clock = containedClock(options.clock, (error) =>
      log.error('timer callback failed in the API server', { event: clusterLogEvents.timerFailed, error }),
    );
    const onError = (error: unknown): void =>
      log.error('API server error', { event: clusterLogEvents.apiServerFailed, error });
    const onWatcherFault = (error: unknown): void =>
      log.error('storage watcher failed', { event: clusterLogEvents.storageWatcherFailed, error });
    const hasProcesses = network.isRouted;
    const volumes = new ClusterVolumes({ random, log, hasProcesses, data: options.data });
    const folder = directory.file('certificates');
    const certificates = await CertificateStore.open({ folder, clock, hosts: network.serverHosts });
    const { data, etcdServers, snapshot, limits } = options;
    const maxBytes = limits?.storageBytes;
    const from = { data, etcdServers, snapshot };
    const storage = await openStorage(directory, { clock, ...from, maxBytes, onWatcherFault });
    const address = { text: '' };
    const connector = new LateConnector();
    const plane = clusterControlPlane(options, {
      storage,
      clock,
      certificates,
      connector,
      serverAddress: () => address.text,
      onError,
    });
    await plane.start();
    const { http, takenPort } = await listen(directory, { options, plane, certificates, onError });
    address.text = `${server.advertiseAddress ?? new URL(http.url).hostname}:${http.port}`;
    const parts: Parts = {
      directory,
      options,
      certificates,
      storage,
      plane,
      clients: new ClusterClients({ handle: plane.handle, clock, random }),
      http,
      takenPort,
      components: undefined,
      logins: [],
      connector,
      volumes,
      nodes: new Map(),
    };
    const cluster = new EmbeddedCluster(parts);
    try {
      await cluster.#writeKubeconfig();
      await plane.publish();
      // Loaded now, so that the first clients need not wait while a quarter of the program is loaded.
      const workers = await import('./workers.ts');
      const controllers = workers.builtInControllers({
        ca: cluster.#trust,
        signer: certificates.clientSigner,
        issueToken: (token) => plane.issueLegacyToken(token),
      });
      const names = controllers.filter(({ actsAsServer }) => !actsAsServer).map(({ name }) => name);
      selection.check([...names, ...furtherComponents]);
      const selected = controllers.filter(({ name, actsAsServer }) => actsAsServer || selection.includes(name));
      await Promise.all([cluster.#startComponents(workers, selected), cluster.#startNodes(workers, selected)]);
      if (selection.includes('serviceaccount-controller')) await workers.defaultAccountExists(cluster.client(), clock);
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

  /** Certificate with which clients verify the server, in PEM format. */
  get #trust(): string {
    const { options, certificates } = this.#parts;
    return options.server?.serving?.certificate ?? certificates.ca;
  }

  /** Path of the administrator's kubeconfig. */
  get kubeconfig(): string {
    return this.#parts.directory.file('kubeconfig');
  }

  /** Returns a client without sockets that acts as `identity`. @defaultValue the administrator */
  client(identity: Identity = adminIdentity): KubernetesClient {
    return this.#parts.clients.as(identity);
  }

  /** Takes a snapshot of all objects: to start other clusters with, or to return to. Takes milliseconds for 1,000 objects. */
  snapshot(): Promise<ClusterSnapshot> {
    const { storage, plane } = this.#parts;
    return takeSnapshot(storage, plane.ttls());
  }

  /**
   * Returns all objects to their state at a snapshot, under new resource versions. Objects created since are deleted. Controllers
   * and nodes keep running and see the changes like any others.
   *
   * @throws RevisionMismatchError (KW5001) if an object was written at the same time; call it again.
   */
  restore(snapshot: ClusterSnapshot): Promise<void> {
    return restoreSnapshot(this.#parts.storage, snapshot);
  }

  /**
   * Writes all objects of a stopped cluster to a file.
   *
   * @throws SnapshotFileError (KW5506) if the file cannot be written; DiskStorageError (KW5012) if the cluster runs.
   */
  static async saveSnapshot(places: SnapshotPlaces): Promise<SnapshotSummary> {
    return (await import('./snapshot-file.ts')).saveSnapshot(places);
  }

  /**
   * Replaces all objects of a stopped cluster with those in a file. Objects created since are deleted.
   *
   * @throws SnapshotFileError (KW5506) if the file cannot be read; DiskStorageError (KW5012) if the cluster runs.
   */
  static async loadSnapshot(places: SnapshotPlaces): Promise<SnapshotSummary> {
    return (await import('./snapshot-file.ts')).loadSnapshot(places);
  }

  /**
   * Writes a kubeconfig with which a program outside pods acts as a service account, and returns its path. The token is renewed
   * while the cluster runs.
   */
  async logInAs(account: { readonly namespace: string; readonly name: string }): Promise<string> {
    const { directory, options, logins } = this.#parts;
    const { clock, log } = options;
    const { namespace, name } = account;
    const tokenFile = directory.file(`${namespace}.${name}.token`);
    const login = new ServiceAccountLogin({ client: this.client(), namespace, name, tokenFile, clock, log });
    logins.push(login);
    await login.renew();
    const path = directory.file(`${namespace}.${name}.kubeconfig`);
    writeKubeconfig(path, { server: this.url, ca: this.#trust, user: { name, tokenFile } });
    return path;
  }

  /**
   * Lets a node fail, for tests: `partitioned` cuts it off from the API server, `stopped` hangs its agent as SIGSTOP does, `killed`
   * ends its agent and containers without notice. Its lease expires, and the controllers taint it and evict its pods.
   *
   * @returns the fault; dispose it to bring the node back. It then ends the pods that were deleted in the meantime.
   * @throws NodeFaultError (KW5507) if the cluster has no such node, or it has failed already
   */
  failNode(name: string, fault: NodeFault): Promise<AsyncDisposable> {
    return failNode(this.#parts, { name, fault, isOver: () => this.#stopped !== undefined });
  }

  /**
   * Stops everything within one shared time limit, even if a part hangs. Containers get a grace period and are then killed;
   * requests in flight may finish and are then cut off. A second call waits for the first.
   *
   * @param options - `withinMs`: the total time limit, in milliseconds. @defaultValue 4_000
   */
  stop(options: { readonly withinMs?: number } = {}): Promise<void> {
    this.#stopped ??= stopCluster(this.#parts, options.withinMs ?? defaultStopMs);
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #writeKubeconfig(): Promise<void> {
    const { certificates } = this.#parts;
    const { certificate, key } = await certificates.clientCertificate('admin', adminIdentity);
    writeKubeconfig(this.kubeconfig, {
      server: this.url,
      ca: this.#trust,
      user: { name: adminIdentity.commonName, certificate, key },
    });
  }

  async #startComponents(workers: typeof Workers, controllers: readonly BuiltInControllerFactory[]): Promise<void> {
    const { options, clients, volumes } = this.#parts;
    const { clock, random, log } = options;
    const components = new workers.Components({ clock, random, log, reader: clients.as(controllerManagerIdentity) });
    this.#parts.components = components;
    await startComponents(components, { workers, controllers, clients, options, volumes });
  }

  async #startNodes(workers: typeof Workers, controllers: readonly BuiltInControllerFactory[]): Promise<void> {
    const { options, directory, clients, connector, nodes, volumes } = this.#parts;
    const { clock, random, log, selection, network } = options;
    const settings = nodesOf(options, selection);
    if (settings === undefined) return;
    const parts = {
      settings,
      volumeRoot: volumes.root,
      controlPlane: controlPlanePods(selection, controllers),
      client: (name: string, link: NodeLink) => clients.forNode(name, link),
      directory: (name: string) => directory.file(name === 'kubewright' ? 'node' : name),
      apiServer: { url: this.url, ca: this.#trust },
      network: (index: number) => network.forNode(index),
      clock,
      random,
      log: log.named('node'),
    };
    await workers.startNodes(parts, (node) => {
      nodes.set(node.name, node);
      connector.targets.set(node.name, node.connector);
    });
  }
}

interface Parts extends StoppableParts {
  readonly certificates: CertificateStore;
  readonly clients: ClusterClients;
  readonly takenPort: number | undefined;
  readonly logins: ServiceAccountLogin[];
  readonly connector: LateConnector;
  /** Set after the server has started. */
  components: Components | undefined;
  readonly nodes: Map<string, ClusterNode>;
}

/** Returns the parts of the control plane that nodes show as static pods. There is no etcd: state is kept in the process. */
function controlPlanePods(
  selection: ComponentSelection,
  controllers: readonly BuiltInControllerFactory[],
): readonly string[] {
  const manager = controllers.some(({ actsAsServer }) => !actsAsServer) ? ['kube-controller-manager'] : [];
  return ['kube-apiserver', ...manager, ...(selection.includes('scheduler') ? ['kube-scheduler'] : [])];
}
