/** Formats the time since a timestamp like `kubectl get`: `47s`, `2m5s`, `3h12m`, `5d`, `<unknown>`. */
export function ageOf(timestamp: string | null | undefined, nowMs: number): string {
  const ms = timestamp ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(ms) ? '<unknown>' : humanDuration(nowMs - ms);
}

/** Formats a duration like `kubectl get`, with decreasing precision. Mirrors `duration.HumanDuration`. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return pair([minutes, 'm'], [seconds % 60, 's']);
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return pair([hours, 'h'], [minutes % 60, 'm']);
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 192) return pair([days, 'd'], [hours % 24, 'h']);
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.trunc(hours / (24 * 365));
  if (hours < 24 * 365 * 8) return pair([years, 'y'], [days % 365, 'd']);
  return `${years}y`;
}

function pair(large: readonly [number, string], small: readonly [number, string]): string {
  return small[0] === 0 ? large.join('') : `${large.join('')}${small.join('')}`;
}
