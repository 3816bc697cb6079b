import type { KubernetesClient } from '@kubewright/client';
import type { NodeFault } from './cluster-nodes.ts';
import { type ClusterSnapshot, restoreSnapshot, takeSnapshot } from './cluster-snapshot.ts';
import type { EmbeddedClusterOptions } from './embedded-cluster-options.ts';
import { adminIdentity, type Identity } from './identities.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { failNode } from './node-faults.ts';
import { ServiceAccountLogin } from './service-account-login.ts';
import type { SnapshotPlaces, SnapshotSummary } from './snapshot-file.ts';
import { type ClusterParts, startCluster, trustOf } from './start-cluster.ts';
import { defaultStopMs, stopCluster } from './stop-cluster.ts';

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
  readonly #parts: ClusterParts;
  #stopped: Promise<void> | undefined;

  private constructor(parts: ClusterParts) {
    this.#parts = parts;
  }

  /**
   * Starts a cluster. Resolves once it serves requests and accepts pods.
   *
   * @throws StateDirectoryError if the folder cannot be used or is locked; ListenError (KW5101) if the port is busy;
   * ComponentsError if the list of components is invalid.
   */
  static async start(options: EmbeddedClusterOptions = {}): Promise<EmbeddedCluster> {
    return new EmbeddedCluster(await startCluster(options));
  }

  /** `https://127.0.0.1:<port>` */
  get url(): string {
    return this.#parts.http.url;
  }

  /** The port of the last start, if another process now uses it and this cluster has a different port; otherwise `undefined`. */
  get takenPort(): number | undefined {
    return this.#parts.takenPort;
  }

  /** Path of the administrator's kubeconfig. */
  get kubeconfig(): string {
    return this.#parts.directory.file('kubeconfig');
  }

  /** Returns an in-process client that acts as `identity`. @defaultValue the administrator */
  client(identity: Identity = adminIdentity): KubernetesClient {
    return this.#parts.clients.as(identity);
  }

  /**
   * Takes a snapshot of all objects. Pass it to `restore`, or start other clusters from it. Takes milliseconds for
   * 1,000 objects.
   */
  snapshot(): Promise<ClusterSnapshot> {
    const { storage, plane } = this.#parts;
    return takeSnapshot(storage, plane.ttls());
  }

  /**
   * Restores all objects to their state in a snapshot, under new resource versions. Objects created since the snapshot
   * are deleted. Controllers and nodes keep running and see the changes like any others.
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
   * Replaces all objects of a stopped cluster with the objects in a snapshot file. Objects created since the snapshot
   * are deleted.
   *
   * @throws SnapshotFileError (KW5506) if the file cannot be read; DiskStorageError (KW5012) if the cluster runs.
   */
  static async loadSnapshot(places: SnapshotPlaces): Promise<SnapshotSummary> {
    return (await import('./snapshot-file.ts')).loadSnapshot(places);
  }

  /**
   * Writes a kubeconfig for a program that runs outside pods as a service account, and returns its path. The token is renewed
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
    writeKubeconfig(path, { server: this.url, ca: trustOf(this.#parts), user: { name, tokenFile } });
    return path;
  }

  /**
   * Injects a fault into a node, for tests: `partitioned` cuts the node off from the API server, `stopped` hangs its
   * agent as SIGSTOP does, `killed` ends its agent and containers without notice. The node's lease then expires, and
   * controllers taint the node and evict its pods.
   *
   * @returns the fault; dispose it to bring the node back. The node then ends the pods that were deleted in the
   *   meantime.
   * @throws NodeFaultError (KW5507) if the cluster has no such node, or the node has failed already
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
}
