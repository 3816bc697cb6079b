import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { KeyDirectory } from './key-directory.ts';

/** Adds members and removes them at once, as events come and go: nobody ever lists them. */
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
  it('lets go of members that were removed, though nobody reads it', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const directory = new KeyDirectory('/events/', undefined);
    const stays = { key: '/events/stays', home: directory, removed: false };
    directory.add({ ...stays, head: { revision: 1, object: undefined, previous: undefined } });
    const gone = comeAndGo(directory, 50);
    // What was looked at in a turn is not collected in it.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(gone.filter((entry) => entry.deref() !== undefined).length).toBeLessThan(3);
    expect(directory.members().map(({ key }) => key)).toEqual(['/events/stays']);
  });
});
