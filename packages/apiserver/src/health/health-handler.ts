import type { NonResourceHandler } from '../api-server-options.ts';
import type { ApiResponse } from '../http/api-request.ts';
import { methodNotSupported } from '../http/failures.ts';

/** A named health check of an API server. */
export interface HealthCheck {
  readonly name: string;
  /** The only endpoint that runs the check; `/healthz` runs the same checks as `/livez`. @defaultValue all endpoints */
  readonly for?: 'livez' | 'readyz' | undefined;
  /** Returns the reason for a failure. Must be quick: probes wait for it. */
  check(): string | undefined | Promise<string | undefined>;
}

const endpoints = ['livez', 'readyz', 'healthz'] as const;
type Endpoint = (typeof endpoints)[number];

/**
 * Serves `/livez`, `/readyz` and `/healthz` from the given checks, in their order. The response is `ok` or, if a check fails, the
 * results of all checks. `?verbose` always lists the results, `?exclude=name` skips checks, `/livez/<name>` runs one check.
 * Mirrors k8s.io/apiserver's `healthz` package (1.36). Reasons are not shown, because any client may call these endpoints.
 *
 * @example
 * ```ts
 * const health = healthHandler({
 *   checks: [{ name: 'storage', for: 'readyz', check: () => (disk.isFull ? 'the disk is full' : undefined) }],
 * });
 * ```
 */
export function healthHandler(options: { readonly checks: readonly HealthCheck[] }): NonResourceHandler {
  const { checks } = options;
  return ({ info, request }) => {
    const [, root, ...rest] = info.path.replace(/\/+$/, '').split('/');
    const endpoint = endpoints.find((known) => known === root);
    if (!endpoint) return undefined;
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotSupported();
    const only = endpoint === 'healthz' ? 'livez' : endpoint;
    const included = checks.filter((check) => check.for === undefined || check.for === only);
    if (rest.length === 0) return runAll(included, { endpoint, query: info.query });
    // Names may have slashes: `poststarthook/rbac/bootstrap-roles`.
    const single = included.find((check) => check.name === rest.join('/'));
    return single && runOne(single);
  };
}

async function runAll(
  checks: readonly HealthCheck[],
  options: { readonly endpoint: Endpoint; readonly query: URLSearchParams },
): Promise<ApiResponse> {
  const { endpoint, query } = options;
  const excluded = new Set(query.getAll('exclude').flatMap((names) => names.split(',')));
  const lines: string[] = [];
  let failed = false;
  for (const check of checks) {
    if (excluded.delete(check.name)) lines.push(`[+]${check.name} excluded: ok`);
    else if ((await reasonOf(check)) === undefined) lines.push(`[+]${check.name} ok`);
    else {
      lines.push(`[-]${check.name} failed: reason withheld`);
      failed = true;
    }
  }
  if (excluded.size > 0) {
    const names = [...excluded].map((unknown) => JSON.stringify(unknown)).join(', ');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  if (failed) return text(500, `${lines.join('\n')}\n${endpoint} check failed\n`);
  return query.has('verbose') ? text(200, `${lines.join('\n')}\n${endpoint} check passed\n`) : text(200, 'ok');
}

async function runOne(check: HealthCheck): Promise<ApiResponse> {
  const reason = await reasonOf(check);
  return reason === undefined ? text(200, 'ok') : text(500, 'internal server error: reason withheld\n');
}

async function reasonOf(check: HealthCheck): Promise<string | undefined> {
  try {
    return await check.check();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function text(status: number, body: string): ApiResponse {
  return {
    status,
    headers: {
      'cache-control': 'no-cache, private',
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    },
    body: Buffer.from(body),
  };
}
