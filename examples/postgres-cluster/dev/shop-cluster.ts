import { PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { PostgresCluster, type PostgresClusterSpec } from '../src/api/v1/postgres-cluster.ts';

const namespace = 'default';
const key = { namespace, name: 'shop' };

/** The cluster `shop`, which the operator reconciles, with small servers that do not sync to disk. */
export class ShopCluster {
  readonly #client: KubernetesClient;

  constructor(client: KubernetesClient) {
    this.#client = client;
  }

  async create({ parameters, ...spec }: Partial<PostgresClusterSpec>): Promise<void> {
    const defaults = { storage: { size: '1Gi' }, parameters: { fsync: 'off', shared_buffers: '16MB', ...parameters } };
    await this.#client
      .resource(PostgresCluster)
      .create(PostgresCluster({ metadata: key, spec: { ...defaults, ...spec } }));
  }

  /** Creates the cluster with an archive on the claim `archive`, which all instances mount. */
  async createWithArchive({ parameters, ...spec }: Partial<PostgresClusterSpec>): Promise<void> {
    const resources = { requests: { storage: '1Gi' } };
    const claim = { accessModes: ['ReadWriteMany'], resources } as const;
    await this.#client
      .resource(PersistentVolumeClaim)
      .create(PersistentVolumeClaim({ metadata: { namespace, name: 'archive' }, spec: claim }));
    const backup = { volume: { claimName: 'archive' } };
    await this.create({ ...spec, backup, parameters: { archive_timeout: '1s', ...parameters } });
  }

  /** Returns the phase, and the number of instances that are ready. */
  async state(): Promise<readonly [string | undefined, number | undefined]> {
    const { phase, readyInstances } = (await this.#client.resource(PostgresCluster).get(key)).status ?? {};
    return [phase, readyInstances];
  }
}
