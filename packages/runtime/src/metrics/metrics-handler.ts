import type { HttpHandler } from '../health/probe-server.ts';
import type { MetricsAccess, MetricsAccessOptions } from './metrics-access.ts';
import type { MetricsSecurity } from './metrics-security.ts';
import type { RuntimeMetrics } from './runtime-metrics.ts';

/** Options for {@link metricsPaths}. */
export interface MetricsPathsOptions extends MetricsAccessOptions {
  readonly security: MetricsSecurity | undefined;
  /** Additional paths defined by the program. */
  readonly more: Readonly<Record<string, HttpHandler>>;
}

/**
 * Returns the paths of the metrics server: `/metrics` and the program's own paths, all guarded in the same way.
 * @throws TypeError if the program would replace `/metrics`, or a path does not begin with a slash.
 */
export async function metricsPaths(
  metrics: RuntimeMetrics,
  options: MetricsPathsOptions,
): Promise<Readonly<Record<string, HttpHandler>>> {
  const { security, more } = options;
  const isGuarded = security !== undefined && (security.authorize ?? true);
  const access = isGuarded ? new (await import('./metrics-access.ts')).MetricsAccess(options) : undefined;
  const paths: Record<string, HttpHandler> = { '/metrics': guarded(render(metrics), access) };
  for (const [path, handler] of Object.entries(more)) {
    if (!path.startsWith('/') || path === '/metrics')
      throw new TypeError(
        `cannot serve ${JSON.stringify(path)} along with /metrics; use another path that begins with "/"`,
      );
    paths[path] = guarded(handler, access);
  }
  return paths;
}

function render(metrics: RuntimeMetrics): HttpHandler {
  return async (_, response) => {
    const { contentType, text } = await metrics.render();
    response.writeHead(200, { 'content-type': contentType });
    response.end(text);
  };
}

function guarded(handler: HttpHandler, access: MetricsAccess | undefined): HttpHandler {
  if (!access) return handler;
  return async (request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const { authorization } = request.headers;
    const rejection = await access.rejection({ authorization, method: request.method ?? 'GET', path });
    if (!rejection) return handler(request, response);
    response.writeHead(rejection.status, {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    response.end(rejection.text);
    return undefined;
  };
}
