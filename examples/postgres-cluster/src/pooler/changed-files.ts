import type { PoolerFiles } from './pooler-files.ts';

/** Returns the signals that apply changed files to PgBouncer: first reload, then pause or resume. */
export function signalsFor(before: PoolerFiles | undefined, now: PoolerFiles): readonly NodeJS.Signals[] {
  const wasPaused = before?.paused === 'true';
  const isPaused = now.paused === 'true';
  const isReread = before && JSON.stringify({ ...before, paused: '' }) !== JSON.stringify({ ...now, paused: '' });
  return [
    ...(isReread ? (['SIGHUP'] as const) : []),
    ...(isPaused && !wasPaused ? (['SIGUSR1'] as const) : []),
    ...(wasPaused && !isPaused ? (['SIGUSR2'] as const) : []),
  ];
}
