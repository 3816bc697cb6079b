import type { Clock } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Cache } from '../cache/cache.ts';
import type { Logger } from '../log/logger.ts';

/** What is counted of webhooks; controller-runtime's metrics are made from it. */
export interface WebhookMetrics {
  /** Makes the counters of one path, all of them at 0. */
  path(path: string): WebhookPathMetrics;
  /** Counts a function of the user that threw what is no `StatusError`. */
  panicked(what: 'admission' | 'conversion'): void;
}

/** Counters of one path. */
export interface WebhookPathMetrics {
  started(): void;
  /** @param code - of HTTP: refusals are answered with 200 too. */
  finished(code: number, seconds: number): void;
  /** What was answered to a review of admission; the HTTP code does not say. */
  judged(verdict: 'allowed' | 'denied' | 'error'): void;
}

/** What webhooks are served with. */
export interface WebhookParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** For the functions' contexts. */
  readonly client?: KubernetesClient;
  readonly cache?: Cache;
  readonly metrics?: WebhookMetrics;
}

/** A request to a webhook, its body read. */
export interface WebhookCall {
  readonly body: Uint8Array;
  readonly contentType: string | undefined;
  readonly signal: AbortSignal;
}

/** The answer to a {@link WebhookCall}: JSON. */
export interface WebhookAnswer {
  readonly status: number;
  readonly json: unknown;
  /** The JSON as text, where it holds integers that a number would round. */
  readonly text?: string;
  /** Of reviews of admission. */
  readonly verdict?: 'allowed' | 'denied' | 'error';
}
