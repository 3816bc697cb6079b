import type { Stored } from '@kubewright/apimachinery';
import { type Pod, Secret } from '@kubewright/apimachinery/core/v1';
import type { ReconcileContext } from '@kubewright/runtime';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import type { InstanceReport } from '../instance/protocol.ts';
import { clusterNames } from '../spec/cluster-names.ts';
import { secretValue } from '../spec/credentials.ts';
import type { InstanceAddress, InstanceClient } from './instance-client.ts';

/** Calls the instance managers of one cluster, with the operator's certificate from the cluster's Secret. */
export class InstancePoll {
  readonly #ctx: ReconcileContext<PostgresCluster>;
  readonly #instances: InstanceClient;
  readonly #access: Omit<InstanceAddress, 'instance' | 'podIP'> | undefined;

  constructor(
    { metadata: { name } }: Stored<PostgresCluster>,
    { ctx, instances }: { readonly ctx: ReconcileContext<PostgresCluster>; readonly instances: InstanceClient },
  ) {
    this.#ctx = ctx;
    this.#instances = instances;
    const names = clusterNames(name);
    const secret = ctx.observed.get(Secret, names.operatorCertificate);
    const [certificate, key, authorities] = ['tls.crt', 'tls.key', 'ca.crt'].map((part) => secretValue(secret, part));
    if (certificate === undefined || key === undefined || authorities === undefined) return;
    this.#access = { serverName: names.readWrite, certificate, key, authorities };
  }

  /** Returns the reports of all reachable instances, by name. */
  async reports(pods: readonly Stored<Pod>[]): Promise<ReadonlyMap<string, InstanceReport>> {
    const { signal, log } = this.#ctx;
    const entries = await Promise.all(
      pods.map(async (pod) => {
        const address = this.#addressOf(pod);
        if (!address) return [];
        try {
          return [[pod.metadata.name, await this.#instances.report(address, { signal })] as const];
        } catch (error) {
          log.debug('cannot reach the instance', { instance: pod.metadata.name, error });
          return [];
        }
      }),
    );
    return new Map(entries.flat());
  }

  /** Requests a restart of an instance's server. */
  async restart(pods: readonly Stored<Pod>[], name: string): Promise<void> {
    const pod = pods.find(({ metadata }) => metadata.name === name);
    const address = pod && this.#addressOf(pod);
    if (address) await this.#instances.restart(address, { signal: this.#ctx.signal });
  }

  #addressOf({ metadata: { name: instance }, status }: Stored<Pod>): InstanceAddress | undefined {
    return this.#access && status?.podIP ? { ...this.#access, instance, podIP: status.podIP } : undefined;
  }
}
