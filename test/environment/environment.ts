import { join } from 'node:path';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger } from '@kubewright/runtime';

/** A cluster for a test, with administrator access. */
export interface Environment extends AsyncDisposable {
  readonly client: KubernetesClient;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
}

/** Reports whether tests run on an existing cluster that outlives them, so they must clean up after themselves. */
export function isExisting(): boolean {
  return process.env['USE_EXISTING_CLUSTER'] === 'true';
}

/**
 * Starts an embedded cluster in a folder. If `USE_EXISTING_CLUSTER` is `true`, as in envtest, uses the cluster of
 * `KUBECONFIG` instead, which must be new and on this machine.
 */
export async function startEnvironment(folder: string): Promise<Environment> {
  return isExisting() ? existing() : embedded(join(folder, 'cluster'));
}

async function embedded(directory: string): Promise<Environment> {
  const cluster = await EmbeddedCluster.start({
    directory,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
  });
  const client = cluster.client();
  return { client, kubeconfig: cluster.kubeconfig, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

async function existing(): Promise<Environment> {
  const kubeconfig = process.env['KUBECONFIG'] ?? '';
  const client = clientFromConfig(await loadClientConfig({ kubeconfig }));
  return { client, kubeconfig, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}
