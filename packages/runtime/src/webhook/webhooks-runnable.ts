import type { HealthCheck } from '../health/checks-handler.ts';
import { logEvents } from '../log/log-events.ts';
import { Milestone } from '../runnable/milestone.ts';
import type { Runnable } from '../runnable/runnable.ts';
import type { WebhookDefinition } from './webhook-definition.ts';
import { WebhookError } from './webhook-error.ts';
import type { WebhookServer, WebhookServerOptions, WebhookServerParts } from './webhook-server.ts';

/** Options for {@link WebhooksRunnable}. */
export interface WebhooksRunnableOptions {
  readonly webhooks: readonly WebhookDefinition[];
  readonly server: WebhookServerOptions;
  /** Called when the server starts; before that, a manager has no client. */
  readonly parts: () => Omit<WebhookServerParts, 'failed'>;
}

/**
 * Runs the webhook server in a manager, on every replica. Starts before the caches, because their initial lists may
 * need a conversion.
 */
export class WebhooksRunnable implements Runnable {
  readonly name = 'webhooks';
  readonly beforeCaches = true;
  readonly needLeaderElection = false;
  readonly #options: WebhooksRunnableOptions;
  readonly #serving = new Milestone();
  #server: WebhookServer | undefined;

  constructor(options: WebhooksRunnableOptions) {
    this.#options = options;
  }

  /** The bound port. */
  get port(): number | undefined {
    return this.#server?.port;
  }

  /** Health check that passes while the server responds. */
  readonly check: HealthCheck = (signal) => {
    if (this.#isDisabled) return undefined;
    if (this.#server) return this.#server.startedCheck(signal);
    throw new WebhookError({ what: 'webhook server has not been started yet' });
  };

  get #isDisabled(): boolean {
    return this.#options.server.port === -1;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { webhooks, server: settings, parts } = this.#options;
    if (this.#isDisabled) {
      parts().log.named('webhook').info('Webhook server is disabled', { event: logEvents.webhookServerDisabled });
      this.#serving.reach();
      return;
    }
    try {
      // Loaded with Node's HTTPS server only if there are webhooks.
      const { WebhookServer } = await import('./webhook-server.ts');
      await new Promise<void>((resolve, reject) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
        this.#server = new WebhookServer(webhooks, settings, { ...parts(), failed: reject });
        this.#server.start().then(() => this.#serving.reach(), reject);
      });
    } catch (error) {
      this.#serving.fail(error);
      throw error;
    } finally {
      await this.#server?.[Symbol.asyncDispose]();
    }
  }

  /** Waits until the server responds; the manager starts no other part before then. */
  async ready(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([this.#serving.promise, stopped]);
  }
}
