import { clientFromConfig, type KubernetesClient, loadClientConfig, processEnvironment } from '@kubewright/client';
import { StateFolder } from '../cluster/state-folder.ts';
import type { CliEnvironment } from '../program/cli-environment.ts';

/** Flags that select a cluster. */
export interface ClusterFlags {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** A client and the address of its server. */
export interface Connection extends AsyncDisposable {
  readonly client: KubernetesClient;
  readonly server: string;
  /** The kubeconfig, unless it is one of the defaults. */
  readonly kubeconfig: string | undefined;
}

/**
 * Connects to the cluster that the flags or `KUBECONFIG` select. Without either, connects to the embedded cluster of this
 * folder if it is running, otherwise to the cluster of the default kubeconfig.
 */
export async function connect(environment: CliEnvironment, flags: ClusterFlags): Promise<Connection> {
  const { clock, cwd, env } = environment;
  const isNamed = flags.kubeconfig !== undefined || flags.context !== undefined || Boolean(env['KUBECONFIG']);
  const own = isNamed ? undefined : new StateFolder(cwd).running;
  const config = await loadClientConfig({
    ...(own ? { kubeconfig: own.kubeconfig } : flags),
    environment: environmentOf(environment),
  });
  const client = clientFromConfig(config, { clock, userAgent: 'kubewright' });
  return {
    client,
    server: String(config.server),
    kubeconfig: own?.kubeconfig ?? flags.kubeconfig,
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** Returns the environment from which the client reads its configuration, with the values of this command-line run. */
export function environmentOf({
  env,
  homeDirectory,
  platform,
  clock,
}: CliEnvironment): ReturnType<typeof processEnvironment> {
  return { ...processEnvironment(), env, homeDirectory, platform, clock };
}
