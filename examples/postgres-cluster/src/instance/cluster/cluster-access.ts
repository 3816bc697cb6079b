import { type Clock, isConflict, type Stored } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import { type FailoverQuorum, PostgresCluster } from '../../api/v1/postgres-cluster.ts';
import { clusterLabel } from '../protocol.ts';
import { follow } from './follow.ts';

export interface ClusterAccessOptions {
  readonly client: KubernetesClient;
  readonly namespace: string;
  /** Name of the `PostgresCluster`. */
  readonly cluster: string;
  readonly lease: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onChange: () => void;
  readonly onLease: (lease: Stored<Lease> | undefined) => void;
}

/** The status fields that a new primary writes to its cluster. */
export interface PrimaryReport {
  readonly currentPrimary: string;
  readonly timeline: number;
  readonly systemID: string;
}

/**
 * Watches the cluster in the API server: its object, its Lease, and the addresses of its instances. Keeps the last
 * state that was read.
 */
export class ClusterAccess {
  readonly #options: ClusterAccessOptions;
  #cluster: Stored<PostgresCluster> | undefined;
  /** Addresses by pod name. Pods without an address are included, because they are instances, too. */
  #addresses: ReadonlyMap<string, string | undefined> = new Map();
  #clusterReadAtMs = Number.NEGATIVE_INFINITY;
  #podsReadAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ClusterAccessOptions) {
    this.#options = options;
  }

  /** The cluster as last read; undefined until it has been read once. */
  get cluster(): Stored<PostgresCluster> | undefined {
    return this.#cluster;
  }

  /** Names of the other instances that have a pod, or that the operator reports. */
  othersOf(name: string): readonly string[] {
    const reported = this.#cluster?.status?.instanceStatuses?.map((instance) => instance.name) ?? [];
    return [...new Set([...reported, ...this.#addresses.keys()])].filter((other) => other !== name).sort();
  }

  /** Returns the address of an instance, or undefined if it currently has none. */
  addressOf(name: string): string | undefined {
    return this.#addresses.get(name);
  }

  /**
   * Returns true if the cluster and its pods were read from the API server within the last `ms`, so that `othersOf` is
   * complete.
   */
  wasReadWithin(ms: number): boolean {
    return this.#options.clock.monotonic() - Math.min(this.#clusterReadAtMs, this.#podsReadAtMs) <= ms;
  }

  /** Watches the cluster until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, namespace, cluster, lease, clock, log, onChange, onLease } = this.#options;
    let isReachable = true;
    const reached = (): void => {
      if (!isReachable) log.info('the API server responds again');
      isReachable = true;
    };
    const onError = (error: unknown): void => {
      if (isReachable) log.warn('cannot watch the cluster; keeping the last known state', { error });
      isReachable = false;
    };
    const base = { namespace, clock, signal, onError };
    await Promise.all([
      follow(client.resource(PostgresCluster), {
        ...base,
        fieldSelector: `metadata.name=${cluster}`,
        onChange: ([found]) => {
          reached();
          if (found) this.#cluster = found;
          this.#clusterReadAtMs = clock.monotonic();
          onChange();
        },
      }),
      follow(client.resource(Lease), {
        ...base,
        fieldSelector: `metadata.name=${lease}`,
        onChange: ([found]) => onLease(found),
      }),
      follow(client.resource(Pod), {
        ...base,
        labelSelector: `${clusterLabel}=${cluster}`,
        onChange: (pods) => {
          this.#addresses = new Map(pods.map(({ metadata, status }) => [metadata.name, status?.podIP]));
          this.#podsReadAtMs = clock.monotonic();
          onChange();
        },
      }),
    ]);
  }

  /** Records in the cluster's status that this instance is the primary. */
  async reportPrimary(status: PrimaryReport, signal: AbortSignal): Promise<void> {
    const { client, namespace, cluster: name } = this.#options;
    const patch = { type: 'merge', body: { status } } as const;
    this.#cluster = await client.resource(PostgresCluster).status.patch({ namespace, name }, patch, { signal });
  }

  /**
   * Writes the commit quorums to the cluster's status. Returns false if the cluster has changed since it was last read: an
   * election that relies on the old quorums may have begun.
   */
  async publishQuorums(failoverQuorums: readonly FailoverQuorum[], signal: AbortSignal): Promise<boolean> {
    const { client, namespace, cluster: name } = this.#options;
    const { resourceVersion } = this.#cluster?.metadata ?? {};
    const body = { metadata: { resourceVersion }, status: { failoverQuorums } };
    try {
      const options = { signal };
      this.#cluster = await client
        .resource(PostgresCluster)
        .status.patch({ namespace, name }, { type: 'merge', body }, options);
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }

  /** Returns true if the API server responds, even with an error. */
  async isReachable(signal: AbortSignal): Promise<boolean> {
    const { client, namespace, lease: name } = this.#options;
    try {
      await client.resource(Lease).get({ namespace, name }, { signal });
      return true;
    } catch (error) {
      return error instanceof Error && error.name === 'StatusError';
    }
  }
}
