/**
 * Returns the known name that is most similar to a misspelled one, ignoring case; `undefined` if none is similar. A third of
 * the letters, but at least two, may be wrong.
 *
 * @example
 * nearestName('requeueAfter', ['requeue', 'requeueAfterMs']); // 'requeueAfterMs'
 */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const each of names) {
    const edits = editsBetween(name.toLowerCase(), each.toLowerCase());
    if (edits < (best?.edits ?? Number.POSITIVE_INFINITY)) best = { name: each, edits };
  }
  if (!best) return undefined;
  const letters = Math.max(name.length, best.name.length);
  return best.edits <= Math.max(2, Math.ceil(letters / 3)) ? best.name : undefined;
}

/** Returns the Levenshtein distance: the number of letters to insert, delete or replace. */
function editsBetween(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const row = [line];
    for (let column = 1; column <= to.length; column++) {
      const kept = (above[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      row.push(Math.min(kept, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1));
    }
    above = row;
  }
  return above[to.length] ?? 0;
}
