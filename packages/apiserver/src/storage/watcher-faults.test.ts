import { VirtualClock } from '@kubewright/apimachinery';
import { expect, it } from 'vitest';
import { eachChange } from './each-change.ts';
import { MemoryStorage, type StorageChange } from './index.ts';

const prefix = '/registry/things/';

it('reports a failing watcher and still delivers later changes to it and the others', async () => {
  const faults: unknown[] = [];
  await using storage = new MemoryStorage({ clock: new VirtualClock(), onWatcherFault: (error) => faults.push(error) });
  const seen: Record<'failing' | 'other', string[]> = { failing: [], other: [] };
  const note =
    (who: 'failing' | 'other') =>
    ({ key }: StorageChange) => {
      if (who === 'failing' && key.endsWith('bad')) throw new Error('injected fault');
      seen[who].push(key.slice(prefix.length));
    };
  for (const who of ['failing', 'other'] as const)
    await storage.watch({ prefix, fromRevision: 1 }, eachChange(note(who)));
  for (const name of ['a', 'bad', 'b']) {
    await storage.commit([{ key: prefix + name, expected: 0, bytes: new Uint8Array() }]);
  }
  await storage.commit([{ key: `${prefix}c`, expected: 0, bytes: new Uint8Array() }]);
  await Promise.resolve();
  expect(seen).toEqual({ failing: ['a', 'b', 'c'], other: ['a', 'bad', 'b', 'c'] });
  expect(faults.map(String)).toEqual(['Error: cannot apply the change to /registry/things/bad at revision 3']);
});
