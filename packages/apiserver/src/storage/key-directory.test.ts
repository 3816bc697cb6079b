import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { KeyDirectory } from './key-directory.ts';

/** Adds members and removes them immediately, without ever listing them, as happens with Events. */
function addAndRemove(directory: KeyDirectory, count: number): readonly WeakRef<object>[] {
  return Array.from({ length: count }, (_, i) => {
    const key = `/events/${i}`;
    const entry = {
      key,
      home: directory,
      head: { revision: i, object: undefined, previous: undefined },
      removed: false,
    };
    directory.add(entry);
    entry.removed = true;
    directory.noteRemoved();
    return new WeakRef(entry);
  });
}

describe('KeyDirectory', () => {
  it('releases removed members even if it is never read', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const directory = new KeyDirectory('/events/', undefined);
    const stays = { key: '/events/stays', home: directory, removed: false };
    directory.add({ ...stays, head: { revision: 1, object: undefined, previous: undefined } });
    const gone = addAndRemove(directory, 50);
    // The target of a WeakRef is not collected in the turn that created the WeakRef.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(gone.filter((entry) => entry.deref() !== undefined).length).toBeLessThan(3);
    expect(directory.members().map(({ key }) => key)).toEqual(['/events/stays']);
  });
});
