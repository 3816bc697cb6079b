import type { Clock } from '@kubewright/apimachinery';

/** Calls a function, and rejects after `ms` even if the call ignores its aborted signal. */
export async function within<T>(
  call: (signal: AbortSignal) => Promise<T>,
  { clock, ms, signal }: { readonly clock: Clock; readonly ms: number; readonly signal?: AbortSignal | undefined },
): Promise<T> {
  const limit = new AbortController();
  using _timer = clock.setTimer(Math.max(ms, 1), () => limit.abort(new Error(`no response within ${ms} ms`)));
  const limited = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
  limited.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    limited.addEventListener('abort', () => reject(limited.reason), { once: true });
  });
  return await Promise.race([call(limited), aborted]);
}
