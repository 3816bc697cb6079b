/** The name among `names` that somebody may have meant; undefined if none is like it. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const each of names) {
    const distance = editDistance(name.toLowerCase(), each.toLowerCase());
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name: each, distance };
  }
  return best && best.distance <= Math.max(2, Math.ceil(name.length / 3)) ? best.name : undefined;
}

/** How many letters have to be put in, taken out or changed. */
function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const row = [index + 1];
    for (let column = 1; column <= to.length; column++) {
      const kept = (above[column - 1] ?? 0) + (letter === to[column - 1] ? 0 : 1);
      row.push(Math.min(kept, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1));
    }
    above = row;
  }
  return above[to.length] ?? 0;
}
