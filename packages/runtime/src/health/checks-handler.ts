import type { Clock, Timer } from '@kubewright/apimachinery';
import { type HttpHandler, respond } from './probe-server.ts';

/**
 * A check of `/healthz` or `/readyz`: passes if it returns, fails if it throws or rejects.
 *
 * @example
 * ```ts
 * const check: HealthCheck = () => {
 *   if (!connected) throw new Error('the backend is not connected');
 * };
 * ```
 */
export type HealthCheck = (signal: AbortSignal) => void | Promise<void>;

/** Time limit of a single check, in milliseconds. */
const checkTimeoutMs = 10_000;

/** Options for {@link checksHandler}. */
export interface ChecksOptions {
  readonly checks: () => ReadonlyMap<string, HealthCheck>;
  readonly clock: Clock;
}

/** Serves checks like controller-runtime: `/readyz`, `/readyz/<name>`, `?verbose`, `?exclude=<name>`. */
export function checksHandler(path: string, options: ChecksOptions): HttpHandler {
  const { checks, clock } = options;
  return async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://probe');
    const single = url.pathname.slice(path.length + 1);
    const excluded = new Set(url.searchParams.getAll('exclude'));
    const all = [...checks()].filter(([name]) => (single === '' ? !excluded.has(name) : name === single));
    if (single !== '' && all.length === 0) return respond(response, { status: 404, text: '404 page not found\n' });
    const results = await Promise.all(
      all.map(async ([name, check]) => ({ name, failure: await runCheck(check, clock) })),
    );
    const healthy = results.every((result) => result.failure === undefined);
    const lines = results.map(({ name, failure }) =>
      failure === undefined ? `[+]${name} ok` : `[-]${name} failed: ${single === '' ? 'reason withheld' : failure}`,
    );
    const title = path.slice(1);
    if (healthy && !url.searchParams.has('verbose')) return respond(response, { status: 200, text: 'ok' });
    const text = `${lines.join('\n')}\n${title} check ${healthy ? 'passed' : 'failed'}\n`;
    return respond(response, { status: healthy ? 200 : 500, text });
  };
}

async function runCheck(check: HealthCheck, clock: Clock): Promise<string | undefined> {
  const controller = new AbortController();
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = clock.setTimer(checkTimeoutMs, () => {
      controller.abort();
      reject(new Error(`timed out after ${checkTimeoutMs} ms`));
    });
  });
  try {
    await Promise.race([new Promise<void>((resolve) => resolve(check(controller.signal))), late]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    timer?.[Symbol.dispose]();
  }
}
