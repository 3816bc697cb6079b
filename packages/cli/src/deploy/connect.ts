import { clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { StateFolder } from '../cluster/state-folder.ts';
import { environmentOf } from '../doctor/examine.ts';
import type { Surroundings } from '../program/surroundings.ts';

/** Flags that name a cluster. */
export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** A client, and where it leads. */
export interface Connection extends AsyncDisposable {
  readonly client: KubernetesClient;
  readonly server: string;
  /** Its kubeconfig, where it is none of the usual ones. */
  readonly kubeconfig: string | undefined;
}

/**
 * Connects to the cluster that flags or `KUBECONFIG` name; without either, to the embedded one of this folder while it runs,
 * else to what the usual kubeconfig names.
 */
export async function connect(surroundings: Surroundings, flags: ClusterFlags): Promise<Connection> {
  const { clock, cwd, env } = surroundings;
  const isNamed = flags.kubeconfig !== undefined || flags.context !== undefined || Boolean(env['KUBECONFIG']);
  const own = isNamed ? undefined : new StateFolder(cwd).running;
  const config = await loadClientConfig({
    ...(own ? { kubeconfig: own.kubeconfig } : flags),
    environment: environmentOf(surroundings),
  });
  const client = clientFromConfig(config, { clock, userAgent: 'kubewright' });
  return {
    client,
    server: String(config.server),
    kubeconfig: own?.kubeconfig ?? flags.kubeconfig,
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}
