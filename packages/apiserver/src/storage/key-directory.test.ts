import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { KeyDirectory } from './key-directory.ts';

/** Adds members and removes them right away without ever listing them, as happens with events. */
function comeAndGo(directory: KeyDirectory, count: number): readonly WeakRef<object>[] {
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
    const gone = comeAndGo(directory, 50);
    // WeakRefs dereferenced in the current turn are not collected in it.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(gone.filter((entry) => entry.deref() !== undefined).length).toBeLessThan(3);
    expect(directory.members().map(({ key }) => key)).toEqual(['/events/stays']);
  });
});
