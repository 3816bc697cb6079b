/** An entry among a kustomization's patches: a file, and what it changes. */
export function patchEntry(path: string, kind: string, name?: string): string {
  return `- path: ${path}\n  target:\n    kind: ${kind}\n${name === undefined ? '' : `    name: ${name}\n`}`;
}

/** The field `patches` of a kustomization; nothing where there are none. */
export function patchesOf(entries: readonly string[]): string {
  return entries.length === 0 ? '' : `patches:\n${entries.join('')}`;
}
