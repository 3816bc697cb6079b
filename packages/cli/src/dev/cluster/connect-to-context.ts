import { type ClientConfig, clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { CliError } from '../../program/cli-error.ts';
import type { Context } from '../../program/context.ts';
import { environmentOf } from '../../target/connect.ts';
import { isLoopback } from '../../webhooks/webhook-address.ts';
import { hasLocalNodes } from './local-nodes.ts';

/** Context names that tools use for clusters on this machine. */
const localNames = /^(kind-.+|k3d-.+|minikube|docker-desktop|rancher-desktop)$/;

export interface ContextName {
  readonly context: string;
  /** Name of a context that may be on another machine. */
  readonly allowContext?: string | undefined;
}

/** A connection to the cluster of a context. */
export interface ContextConnection {
  readonly config: ClientConfig;
  readonly client: KubernetesClient;
  /** True if the server has a loopback address. */
  readonly isLoopbackServer: boolean;
}

/**
 * Connects to the cluster of a context in the default kubeconfig.
 *
 * @throws CliError KW7308 if the cluster may be on another machine and the user did not allow it
 */
export async function connectToContext(
  { environment, reporter }: Context,
  { context, allowContext }: ContextName,
): Promise<ContextConnection> {
  const { clock, signal } = environment;
  const config = await loadClientConfig({ context, environment: environmentOf(environment) });
  const isLoopbackServer = isLoopback(new URL(config.server).hostname.replace(/^\[|\]$/g, ''));
  const client = clientFromConfig(config, { clock, userAgent: 'kubewright-dev' });
  const isNamed = localNames.test(context);
  const reject = (isLocal: boolean): void => {
    if (isLocal || allowContext === context) return;
    throw notLocal(context, { server: config.server, isTunnel: isLoopbackServer });
  };
  reject(isNamed || isLoopbackServer);
  const { gitVersion } = await client.discovery.serverVersion({ signal });
  // Simulated nodes do not run on any machine, so `hasLocalNodes` cannot find them.
  const isSimulated = gitVersion.endsWith('+kubewright');
  const isLocal = isNamed || (isLoopbackServer && (isSimulated || (await hasLocalNodes({ client, environment }))));
  reject(isLocal);
  reporter.step('context', `${context}: ${config.server}, Kubernetes ${gitVersion}${isLocal ? ', local' : ''}`);
  return { config, client, isLoopbackServer };
}

function notLocal(
  context: string,
  { server, isTunnel }: { readonly server: string; readonly isTunnel: boolean },
): CliError {
  const where = isTunnel ? 'belongs to a cluster with nodes on other machines' : 'is not local';
  return new CliError('KW7308', {
    what: `cannot develop in context ${context}`,
    why: `the API server ${server} ${where}, and kubewright dev would change kinds and roles in that cluster`,
    remedy: `allow this context: kubewright dev --context ${context} --allow-context ${context}`,
  });
}
