import { type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryStorage, type StorageChange } from '../storage/index.ts';
import { plainRepresentation } from './plain-representation.ts';
import { WatchHub } from './watch-hub.ts';
import type { WatchFilter } from './watch-request.ts';

const podsPrefix = '/registry/core/pods/';
const plain = plainRepresentation({ apiVersion: 'v1', kind: 'Pod' });

interface Watching {
  /**
   * The revision after which the watch starts. If the watch starts with the state, the bookmark after the state sets
   * this revision.
   */
  from: number;
  readonly state: boolean;
  readonly namespace: string | undefined;
  readonly color: string | undefined;
  readonly seen: string[];
  readonly done: Promise<void>;
  readonly abort: AbortController;
}

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('write' as const),
      key: fc.constantFrom('a/1', 'a/2', 'b/1', 'b/2', 'a-b/1'),
      color: fc.constantFrom('red', 'blue'),
      remove: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('watch' as const),
      namespace: fc.constantFrom(undefined, 'a', 'b'),
      color: fc.constantFrom(undefined, 'red', 'blue'),
      back: fc.option(fc.nat(10), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('turn' as const) }) },
);

describe('WatchHub', () => {
  it('sends every watcher exactly the changes of its selection, in order', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const clock = new VirtualClock();
      const storage = new MemoryStorage({ clock });
      const hub = new WatchHub({ storage, prefix: podsPrefix, clock, random: seededRandom(1) });
      const changes: StorageChange[] = [];
      await storage.watch({ prefix: podsPrefix, fromRevision: 0 }, (more) => changes.push(...more));
      const watching: Promise<Watching>[] = [];
      for (const next of steps) {
        if (next.type === 'turn') await turn();
        else if (next.type === 'write') await write(storage, next);
        else watching.push(watch({ hub, storage }, next));
      }
      await turn();
      for (const watcher of await Promise.all(watching)) {
        await turn();
        watcher.abort.abort();
        await watcher.done;
        expect(watcher.seen).toEqual(await expected(storage, { watcher, changes }));
      }
    });
    await fc.assert(property, { numRuns: 300 });
  });
});

type Step<T> = Extract<typeof step extends fc.Arbitrary<infer S> ? S : never, { type: T }>;

async function write(storage: MemoryStorage, { key, color, remove }: Step<'write'>): Promise<void> {
  const current = await storage.get(podsPrefix + key);
  if (remove && !current) return;
  const bytes = Buffer.from(JSON.stringify({ metadata: { name: key, labels: { color } } }));
  await storage.commit([
    { key: podsPrefix + key, expected: current?.revision ?? 0, bytes: remove ? undefined : bytes },
  ]);
}

async function watch(
  world: { readonly hub: WatchHub; readonly storage: MemoryStorage },
  { namespace, color, back }: Step<'watch'>,
): Promise<Watching> {
  const { hub, storage } = world;
  const newest = await storage.revision();
  const fromState = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };
  const abort = new AbortController();
  const filter: WatchFilter | undefined =
    color === undefined
      ? undefined
      : {
          id: color,
          matches: ({ object }) => object.metadata.labels?.['color'] === color,
          // Filters for red have no trigger, like filters that require no exact value.
          trigger:
            color === 'red'
              ? undefined
              : { field: 'color', value: color, of: ({ object }) => object.metadata.labels?.['color'] ?? '' },
        };
  const stream = await hub.watch({
    representation: plain,
    namespace,
    filter,
    resourceVersion: back === undefined ? '' : `${Math.max(1, newest - back)}`,
    ...(back === undefined && fromState),
    signal: abort.signal,
  });
  const seen: string[] = [];
  const watching = {
    from: Math.max(1, newest - (back ?? 0)),
    state: back === undefined,
    namespace,
    color,
    seen,
    abort,
  };
  const read = async (): Promise<void> => {
    for await (const chunk of stream) {
      for (const line of Buffer.from(chunk).toString().trimEnd().split('\n')) {
        const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: KubernetesObject };
        if (type === 'BOOKMARK') watching.from = Number(object.metadata.resourceVersion);
        else seen.push(`${type} ${object.metadata.name}@${object.metadata.resourceVersion}`);
      }
    }
  };
  return Object.assign(watching, { done: read() });
}

async function expected(
  storage: MemoryStorage,
  options: { readonly watcher: Watching; readonly changes: readonly StorageChange[] },
): Promise<readonly string[]> {
  const { watcher, changes } = options;
  const selects = (bytes: Uint8Array | undefined): boolean => {
    if (!bytes) return false;
    return watcher.color === undefined || decode(bytes).metadata.labels?.['color'] === watcher.color;
  };
  const prefix = watcher.namespace === undefined ? podsPrefix : `${podsPrefix}${watcher.namespace}/`;
  const state = watcher.state ? (await storage.list({ prefix, revision: watcher.from })).objects : [];
  const events = state
    .filter(({ bytes }) => selects(bytes))
    .map(({ bytes, revision }) => `ADDED ${decode(bytes).metadata.name}@${revision}`);
  for (const { key, revision, current, previous } of changes) {
    if (!key.startsWith(prefix) || revision <= watcher.from) continue;
    const [now, before] = [selects(current?.bytes), selects(previous?.bytes)];
    if (now || before)
      events.push(`${now ? (before ? 'MODIFIED' : 'ADDED') : 'DELETED'} ${key.slice(podsPrefix.length)}@${revision}`);
  }
  return events;
}

function decode(bytes: Uint8Array): KubernetesObject {
  return JSON.parse(Buffer.from(bytes).toString()) as KubernetesObject;
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
