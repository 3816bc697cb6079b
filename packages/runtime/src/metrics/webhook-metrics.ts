import type { CertificateMetrics } from '../certificates/certificate-source.ts';
import type { WebhookMetrics } from '../webhook/webhook-parts.ts';
import { exponentialBuckets } from './exponential-buckets.ts';
import type { MetricFactory } from './metric-factory.ts';

/** Creates controller-runtime's webhook metrics. As in upstream, denials count as 200. */
export function webhookMetrics(make: MetricFactory): WebhookMetrics {
  const prefix = 'controller_runtime';
  const latency = make.histogram(
    `${prefix}_webhook_latency_seconds`,
    'Duration of webhook requests',
    exponentialBuckets(),
  );
  const requests = make.counter(`${prefix}_webhook_requests_total`, 'Webhook requests by path and HTTP status code', [
    'webhook',
    'code',
  ]);
  const inFlight = make.gauge(`${prefix}_webhook_requests_in_flight`, 'Webhook requests in progress', ['webhook']);
  const verdicts = make.counter('kubewright_webhook_verdicts_total', 'Admission reviews by path and verdict', [
    'webhook',
    'verdict',
  ]);
  const panics = {
    admission: make.counter(`${prefix}_webhook_panics_total`, 'Unexpected errors in admission webhooks', []),
    conversion: make.counter(
      `${prefix}_conversion_webhook_panics_total`,
      'Unexpected errors in conversion webhooks',
      [],
    ),
  };
  return {
    path(webhook) {
      for (const code of ['200', '500']) requests.inc({ webhook, code }, 0);
      inFlight.set({ webhook }, 0);
      return {
        started: () => inFlight.inc({ webhook }),
        finished(code, seconds) {
          inFlight.dec({ webhook });
          requests.inc({ webhook, code: String(code) });
          latency.observe({ webhook }, seconds);
        },
        judged: (verdict) => verdicts.inc({ webhook, verdict }),
      };
    },
    panicked: (what) => panics[what].inc(),
  };
}

/** Creates the counters for certificates that are read from files. */
export function certificateMetrics(make: MetricFactory): CertificateMetrics {
  const reads = make.counter('certwatcher_read_certificate_total', 'Certificates read from files', []);
  const errors = make.counter('certwatcher_read_certificate_errors_total', 'Certificates that could not be read', []);
  return { read: () => reads.inc(), failed: () => errors.inc() };
}
