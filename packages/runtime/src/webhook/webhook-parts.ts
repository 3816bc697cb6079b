import type { Clock } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Cache } from '../cache/cache.ts';
import type { Logger } from '../log/logger.ts';

/** Records events of webhooks; the source of controller-runtime's metrics. */
export interface WebhookMetrics {
  /** Creates the counters of one path, all at 0. */
  path(path: string): WebhookPathMetrics;
  /** Counts a user function that threw an error other than a `StatusError`. */
  panicked(what: 'admission' | 'conversion'): void;
}

/** Counters of one path. */
export interface WebhookPathMetrics {
  started(): void;
  /** @param code - the HTTP code; 200 even for denials. */
  finished(code: number, seconds: number): void;
  /** Counts the verdict of an admission review, which the HTTP code does not show. */
  judged(verdict: 'allowed' | 'denied' | 'error'): void;
}

/** The parts that webhooks are served with. */
export interface WebhookParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Client available in the functions' contexts. */
  readonly client?: KubernetesClient | undefined;
  readonly cache?: Cache | undefined;
  readonly metrics?: WebhookMetrics | undefined;
}

/** A request to a webhook, with its body read. */
export interface WebhookCall {
  readonly body: Uint8Array;
  readonly contentType: string | undefined;
  readonly signal: AbortSignal;
}

/** The JSON response to a {@link WebhookCall}. */
export interface WebhookReply {
  readonly status: number;
  readonly json: unknown;
  /** The verdict of an admission review. */
  readonly verdict?: 'allowed' | 'denied' | 'error';
}
