import type { StorageChange } from './storage.ts';

/**
 * Returns a watch handler that calls a function for each change. If the function throws, that change is skipped and the others
 * are still applied. The first error is then thrown, with the key in its message.
 */
export function eachChange(apply: (change: StorageChange) => void): (changes: readonly StorageChange[]) => void {
  return (changes) => {
    let failure: Error | undefined;
    for (const change of changes) {
      try {
        apply(change);
      } catch (cause) {
        failure ??= new Error(`cannot apply the change to ${change.key} at revision ${change.revision}`, { cause });
      }
    }
    if (failure) throw failure;
  };
}
