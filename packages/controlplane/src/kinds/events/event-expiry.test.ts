import { VirtualClock } from '@kubewright/apimachinery';
import { MemoryStorage } from '@kubewright/apiserver';
import { describe, expect, it } from 'vitest';
import { EventExpiry } from './event-expiry.ts';

const minuteMs = 60_000;
const key = (name: string): string => `/registry/events/default/${name}`;
const encode = (): Uint8Array => Buffer.from('{}');

describe('EventExpiry', () => {
  it('deletes only events, an hour after their last write', async () => {
    const clock = new VirtualClock();
    await using storage = new MemoryStorage({ clock });
    const faults: unknown[] = [];
    await storage.commit([{ key: key('old'), expected: 0, encode }]);
    using expiry = new EventExpiry({ clock, storage, onError: (error) => void faults.push(error) });
    await expiry.start();
    const names = async (): Promise<readonly string[]> =>
      (await storage.list({ prefix: '/registry/' })).objects.map((each) => each.key.split('/').at(-1) ?? '');
    await storage.commit([{ key: '/registry/pods/default/pod', expected: 0, encode }]);
    await clock.advance(10 * minuteMs);
    const { revision } = await storage.commit([{ key: key('again'), expected: 0, encode }]);
    await storage.commit([{ key: key('gone'), expected: 0, encode }]);
    await clock.advance(20 * minuteMs);
    await storage.commit([{ key: key('again'), expected: revision, encode }]);
    await storage.commit([
      { key: key('gone'), expected: (await storage.get(key('gone')))?.revision ?? 0, encode: undefined },
    ]);
    await clock.advance(29 * minuteMs);
    expect(await names()).toEqual(['again', 'old', 'pod']);
    await clock.advance(2 * minuteMs);
    expect(await names()).toEqual(['again', 'pod']);
    await clock.advance(27 * minuteMs);
    expect(await names()).toEqual(['again', 'pod']);
    await clock.advance(3 * minuteMs);
    expect(await names()).toEqual(['pod']);
    expect(faults).toEqual([]);
  });
});
