import type { StorageChange } from './storage.ts';

/**
 * Returns a watch handler that calls a function for each change. A change that the function fails on is skipped; the others
 * are still applied, then the first failure is thrown, with the key in its message.
 */
export function eachChange(apply: (change: StorageChange) => void): (changes: readonly StorageChange[]) => void {
  return (changes) => {
    let failure: Error | undefined;
    for (const change of changes) {
      try {
        apply(change);
      } catch (cause) {
        failure ??= new Error(`cannot apply the change of ${change.key} at revision ${change.revision}`, { cause });
      }
    }
    if (failure) throw failure;
  };
}
