/** Writes a wall-clock reading (milliseconds since the epoch) as the API writes times: UTC, whole seconds. */
export function rfc3339(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
