import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '../log/logger.ts';
import { silentLogger } from '../log/silent-logger.ts';
import type { WebhookDefinition } from './webhook-definition.ts';
import { webhookListener } from './webhook-listener.ts';
import { webhookRoutes } from './webhook-router.ts';

/** Options for {@link standaloneWebhooks}. */
export interface StandaloneWebhooksOptions {
  /** Available in the functions' contexts. @defaultValue none */
  readonly client?: KubernetesClient;
  /** @defaultValue no logging */
  readonly log?: Logger;
  readonly clock?: Clock;
}

/**
 * Creates a request listener for the caller's own server, without a manager (controller-runtime's `StandaloneWebhook`). The API
 * server calls webhooks only over TLS, which the caller must provide.
 *
 * @example
 * ```ts
 * createServer({ key, cert }, standaloneWebhooks([rules])).listen(9443);
 * ```
 * @throws WebhookError (KW3031) for webhooks that cannot be served together.
 */
export function standaloneWebhooks(
  webhooks: readonly WebhookDefinition[],
  options: StandaloneWebhooksOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  const { client, log = silentLogger, clock = systemClock } = options;
  const parts = { clock, log, client };
  return webhookListener(webhookRoutes(webhooks, parts), parts);
}
