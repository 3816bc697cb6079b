import { type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { TransportError } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { InformerCache } from '../cache/informer-cache.ts';
import { defineKind } from '../kind/define-kind.ts';
import { jsonLogger } from '../log/json-logger.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import { ServerAvailability } from './server-availability.ts';

const refused = new TransportError('KW2001', { what: 'no connection to 10.0.0.1:6443 (ECONNREFUSED)' });
const reset = new TransportError('KW2003', { what: 'the connection was lost' });

function collect(): { readonly lines: Record<string, unknown>[]; readonly log: ReturnType<typeof jsonLogger> } {
  const lines: Record<string, unknown>[] = [];
  return { lines, log: jsonLogger({ destination: { write: (line) => void lines.push(JSON.parse(line)) } }) };
}

describe('ServerAvailability', () => {
  it('logs the start and end of an outage once, for all reflectors', async () => {
    const clock = new VirtualClock();
    const { lines, log } = collect();
    const availability = new ServerAvailability({ clock, log });
    availability.responded();
    const [one, two] = [{}, {}];
    expect(availability.failed(one, refused)).toBe(true);
    expect(availability.failed(two, refused)).toBe(true);
    await clock.advance(12_340);
    availability.responded();
    availability.responded();
    availability.failed(one, refused);
    expect(lines.map(({ level, error, unreachableForSeconds }) => [level, error ?? unreachableForSeconds])).toEqual([
      ['warn', refused.message],
      ['info', 12.3],
      ['warn', refused.message],
    ]);
  });

  it('reports an outage when a second connection in a row is lost', () => {
    const { lines, log } = collect();
    const availability = new ServerAvailability({ clock: new VirtualClock(), log });
    const [one, two] = [{}, {}];
    for (const who of [one, two]) expect(availability.failed(who, reset)).toBe(true);
    availability.responded();
    availability.failed(one, reset);
    expect(lines).toEqual([]);
    availability.failed(one, reset);
    expect(lines).toHaveLength(1);
  });

  it('ignores errors that the server returned', () => {
    const { lines, log } = collect();
    const availability = new ServerAvailability({ clock: new VirtualClock(), log });
    expect(availability.failed({}, new Error('the watch is silent'))).toBe(false);
    expect(availability.failed({}, new TransportError('KW2006', { what: 'no watch event' }))).toBe(false);
    expect(lines).toEqual([]);
  });
});

describe('a cache of several kinds that loses its server', () => {
  it('logs the loss in one line and the recovery in another', async () => {
    const clock = new VirtualClock();
    const { lines, log } = collect();
    const kinds = ['Apple', 'Pear', 'Plum'].map((kind) =>
      defineKind<object>({ group: 'example.com', version: 'v1', kind }),
    );
    const server = new FakeApiServer(kinds, { clock });
    let isDown = false;
    const client = server.client.intercepted((call, next) => (isDown ? Promise.reject(refused) : next(call)));
    const cache = new InformerCache({ client, clock, random: seededRandom(1), log });
    for (const kind of kinds) cache.declare({ kind });
    const stop = new AbortController();
    const running = cache.run(stop.signal);
    await cache.waitForSync(stop.signal);
    expect(lines).toEqual([]);

    isDown = true;
    server.cutWatches();
    await clock.advance(60_000);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'warn', error: refused.message });

    isDown = false;
    const plum: Partial<KubernetesObject> = { metadata: { name: 'a' } };
    server.put(kinds[2]!, plum);
    await clock.advance(60_000);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatchObject({ level: 'info', event: 'api-server.reachable' });
    expect(lines[1]?.['unreachableForSeconds']).toBeGreaterThanOrEqual(50);
    expect(cache.lister(kinds[2]!).get({ namespace: 'default', name: 'a' })).toBeDefined();
    stop.abort();
    await running;
  });
});
