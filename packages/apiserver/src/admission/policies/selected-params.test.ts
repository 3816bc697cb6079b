import { Buffer } from 'node:buffer';
import { type KubernetesObject, systemClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryStorage } from '../../storage/memory-storage.ts';
import type { StoredObject } from '../../storage/storage.ts';
import { SelectedParams } from './selected-params.ts';

const prefix = '/registry/configmaps/default/';

describe('SelectedParams', () => {
  const storage = new MemoryStorage({ clock: systemClock });
  const served: string[] = [];
  const made: Disposable[] = [];
  afterEach(() => {
    served.length = 0;
    for (const one of made) one[Symbol.dispose]();
  });

  async function write(name: string, labels?: object): Promise<void> {
    const key = prefix + name;
    const expected = (await storage.get(key))?.revision ?? 0;
    const bytes = labels && Buffer.from(JSON.stringify({ metadata: { name, labels } }));
    await storage.commit([{ key, expected, bytes }]);
  }

  function select(converts = false): SelectedParams {
    const params = new SelectedParams({
      storage,
      clock: systemClock,
      prefix,
      selector: { matchLabels: { limits: 'yes' } },
      converts,
      served: async (stored: StoredObject) => {
        served.push(stored.key.slice(prefix.length));
        return JSON.parse(Buffer.from(stored.bytes).toString('utf8')) as KubernetesObject;
      },
    });
    made.push(params);
    return params;
  }

  const names = async (params: SelectedParams) => (await params.all()).map(({ metadata }) => metadata.name);

  it('decodes only matching objects, and each of them only once', async () => {
    for (let index = 0; index < 50; index++) await write(`other-${index}`, {});
    await write('b', { limits: 'yes' });
    await write('a', { limits: 'yes' });
    const params = select();
    expect(await names(params)).toEqual(['a', 'b']);
    expect(await names(params)).toEqual(['a', 'b']);
    expect(served).toEqual(['a', 'b']);
    await write('other-0', { limits: 'yes' });
    await write('b', {});
    expect(await names(params)).toEqual(['a', 'other-0']);
    await write('a');
    expect(await names(params)).toEqual(['other-0']);
    expect(served).toEqual(['a', 'b', 'other-0']);
  });

  it('converts objects before it matches their labels, if a conversion may change them', async () => {
    expect(await names(select(true))).toEqual(['other-0']);
    expect(served.length).toBeGreaterThan(49);
  });

  it('lets other work run while it matches many objects', async () => {
    for (let index = 0; index < 6000; index++) await write(`many-${index}`, { a: 'b'.repeat(200) });
    const params = select();
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await params.all();
    isDone = true;
    expect(turns).toBeGreaterThan(0);
  });
});
