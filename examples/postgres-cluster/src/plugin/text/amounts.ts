const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a number of bytes, for example `1.5 GiB`. */
export function bytes(count: number): string {
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** Formats a duration as kubectl does, for example `5m` and `3d`. */
export function age(ms: number): string {
  const seconds = Math.max(Math.floor(ms / 1000), 0);
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 120 * 60) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
