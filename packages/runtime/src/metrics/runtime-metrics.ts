import type { ClientInterceptor } from '@kubewright/client';
import type { CertificateMetrics } from '../certificates/certificate-source.ts';
import type { ControllerMetrics } from '../controller/controller-metrics.ts';
import type { WebhookMetrics } from '../webhook/webhook-parts.ts';
import type { WorkQueueMetrics } from '../workqueue/work-queue.ts';

/** What is read when metrics are asked for, rather than counted. */
export interface ControllerGauges {
  /** Milliseconds that each key in work has been worked on. */
  readonly workingFor: () => readonly number[];
}

/** State of a cache, read when metrics are asked for. */
export interface CacheGauges {
  readonly kind: string;
  readonly objects: number;
  /** Since anything came from the server. */
  readonly ageSeconds: number;
  /** For which a newer state is known to be awaited. */
  readonly lagSeconds: number;
  readonly bytes: number;
  /** Watches opened, and listings begun, since the start. */
  readonly watches: number;
  readonly lists: number;
}

/** Where the runtime's numbers go. */
export interface RuntimeMetrics {
  /** Makes the counters of one controller, all of them at 0. */
  controller(
    name: string,
    options: { readonly maxConcurrentReconciles: number; readonly gauges: ControllerGauges },
  ): { readonly controller: ControllerMetrics; readonly queue: WorkQueueMetrics };
  /** Tells of leadership. */
  leader(name: string, isLeader: boolean): void;
  caches(read: () => readonly CacheGauges[]): void;
  readonly webhooks: WebhookMetrics;
  readonly certificates: CertificateMetrics;
  /** Counts a client's requests to a host. */
  clientInterceptor(host: string): ClientInterceptor;
  /** Writes everything in Prometheus' text format. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}
