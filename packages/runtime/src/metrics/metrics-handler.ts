import type { PathHandler } from '../health/probe-server.ts';
import type { MetricsAccessOptions } from './metrics-access.ts';
import type { MetricsSecurity } from './metrics-security.ts';
import type { RuntimeMetrics } from './runtime-metrics.ts';

/** Serves `/metrics`, guarded if there are settings of security. */
export async function metricsHandler(
  metrics: RuntimeMetrics,
  options: MetricsAccessOptions & { readonly security: MetricsSecurity | undefined },
): Promise<PathHandler> {
  const { security } = options;
  const isGuarded = security !== undefined && (security.authorize ?? true);
  const access = isGuarded ? new (await import('./metrics-access.ts')).MetricsAccess(options) : undefined;
  return async (request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const { authorization } = request.headers;
    const refusal = await access?.refusal({ authorization, method: request.method ?? 'GET', path });
    if (refusal) {
      response.writeHead(refusal.status, {
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
      });
      response.end(refusal.text);
      return;
    }
    const { contentType, text } = await metrics.render();
    response.writeHead(200, { 'content-type': contentType });
    response.end(text);
  };
}
