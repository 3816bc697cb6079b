/**
 * Removes fields of features that are off by default, as upstream does on every write. An update can keep a field that
 * is already set, but cannot add it.
 */
export function dropUnused<T extends object>(now: T, old: T | undefined, names: readonly (keyof T)[]): void {
  for (const name of names) if (old?.[name] === undefined) delete now[name];
}
