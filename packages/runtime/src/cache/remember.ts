/** Maximum number of entries in a map whose entries otherwise expire only by time. */
const maxEntries = 10_000;

/** Adds an entry at the end, and drops the oldest entry if there are too many. */
export function remember<V>(entries: Map<string, V>, id: string, value: V): void {
  entries.delete(id);
  entries.set(id, value);
  if (entries.size <= maxEntries) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
