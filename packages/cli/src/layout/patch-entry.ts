/** Returns an entry of a kustomization's patches: a file and its target. */
export function patchEntry(path: string, kind: string, name?: string): string {
  return `- path: ${path}\n  target:\n    kind: ${kind}\n${name === undefined ? '' : `    name: ${name}\n`}`;
}

/** Returns the field `patches` of a kustomization, or an empty string if there are no patches. */
export function patchesOf(entries: readonly string[]): string {
  return entries.length === 0 ? '' : `patches:\n${entries.join('')}`;
}
