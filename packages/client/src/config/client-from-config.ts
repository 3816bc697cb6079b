import { defined } from '@kubewright/apimachinery/internal';
import { KubernetesClient, type KubernetesClientOptions } from '../client.ts';
import type { HttpTuning } from '../transport/http/http-options.ts';
import { HttpTransport } from '../transport/http-transport.ts';
import type { ClientConfig } from './client-config.ts';

/** Options for {@link clientFromConfig}: the options of the client, and the transport's limits. */
export interface ClientFromConfigOptions extends Omit<KubernetesClientOptions, 'transport'> {
  readonly tuning?: HttpTuning;
}

/**
 * Creates a client from a configuration. The client opens no connection until the first call, and owns its transport.
 *
 * @example
 * await using client = clientFromConfig(await loadClientConfig());
 */
export function clientFromConfig(config: ClientConfig, options: ClientFromConfigOptions = {}): KubernetesClient {
  const { tuning, ...clientOptions } = options;
  const transport = new HttpTransport({
    server: config.server,
    trust: config.trust,
    credentials: config.credentials,
    headers: config.headers,
    ...defined({ proxyUrl: config.proxyUrl, compression: config.compression, tuning, clock: options.clock }),
  });
  return new KubernetesClient({ defaultNamespace: config.namespace, ...clientOptions, transport });
}
