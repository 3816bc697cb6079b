import {
  isGone,
  type Kind,
  type KubernetesObject,
  seededRandom,
  sleep,
  StatusError,
  type VirtualClock,
} from '@kubewright/apimachinery';
import { Informer } from '../../cache/informer.ts';
import type { ObjectEvent } from '../../handler/events.ts';
import { silentLogger } from '../../log/silent-logger.ts';
import type { FaultyServer } from './faulty-server.ts';

export const Thing: Kind<KubernetesObject> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' };

/** An implementation that follows the server and answers reads. */
export interface Subject {
  run(signal: AbortSignal): void;
  state(): ReadonlyMap<string, string>;
  /** Records the response to a write of this process; later reads show at least that version. */
  wrote?(object: KubernetesObject): void;
  /** The result of a read at this moment. */
  read?(name: string): string | undefined;
  /** The reason why reads may be stale; undefined if the subject considers itself up to date. */
  fault(): string | undefined;
}

/** Formats one version of one object. */
export function idOf(uid: string | undefined, version: string | undefined): string {
  return `${uid}@${version}`;
}

/** The runtime's cache. Also checks that the events its handlers receive add up to its contents. */
export function real(server: FaultyServer, clock: VirtualClock, seed: number): Subject {
  const parts = { kind: Thing, listWatcher: server, clock, random: seededRandom(seed), log: silentLogger };
  const informer = new Informer<KubernetesObject>({ ...parts, resyncMs: 0 });
  const seen = new Map<string, string>();
  const faults: string[] = [];
  informer.subscribe((event) => tell(event, { seen, faults }));
  const shown = (): ReadonlyMap<string, string> =>
    new Map(informer.lister.views().map((view) => [view.name, idOf(view.uid, view.resourceVersion)]));
  return {
    run: (signal) => void informer.run(signal),
    state: () => {
      const state = shown();
      const same = seen.size === state.size && [...state].every(([name, id]) => seen.get(name) === id);
      if (faults.length > 0 || !same) throw new Error(`events differ from the cache: ${faults.join(', ')}`);
      return state;
    },
    wrote: (object) => informer.noteWrite(object),
    read: (name) => informer.lister.view({ namespace: 'default', name })?.resourceVersion,
    fault: () => informer.fault,
  };
}

function tell(
  event: ObjectEvent<KubernetesObject>,
  to: { readonly seen: Map<string, string>; readonly faults: string[] },
): void {
  const { name, uid, resourceVersion } = event.object;
  const before = to.seen.get(name);
  if (event.type === 'create' && before !== undefined) to.faults.push(`created twice: ${name}`);
  if (event.type === 'update' && before !== idOf(uid, event.old.resourceVersion))
    to.faults.push(`update of another: ${name}`);
  if (event.type === 'delete' && !before?.startsWith(`${uid}@`)) to.faults.push(`delete of another: ${name}`);
  if (event.type === 'delete') to.seen.delete(name);
  else to.seen.set(name, idOf(uid, resourceVersion));
}

export type Flaw = 'trusts every connection' | 'resumes without a version' | 'ends at an error' | 'resumes after 410';

/** A naive reflector like those of other clients: lists, watches, and restarts in one of several ways. */
export function naive(flaw: Flaw): (server: FaultyServer, clock: VirtualClock) => Subject {
  return (server, clock) => {
    const state = new Map<string, string>();
    let version = '';
    const apply = (text: string): void => {
      for (const each of text.split('\n').filter((part) => part !== '')) {
        const { type, object } = JSON.parse(each) as { type: string; object: KubernetesObject };
        if (type === 'ERROR') throw new StatusError(object as never);
        const { name = '', uid, resourceVersion = '' } = object.metadata;
        if (type === 'DELETED') state.delete(name);
        else if (type !== 'BOOKMARK') state.set(name, idOf(uid, resourceVersion));
        version = resourceVersion;
      }
    };
    const list = async (): Promise<void> => {
      let text = '';
      const { body } = await server.list({});
      for await (const chunk of body) text += Buffer.from(chunk).toString();
      const parsed = JSON.parse(text) as { metadata: { resourceVersion: string }; items: KubernetesObject[] };
      state.clear();
      for (const { metadata } of parsed.items) state.set(metadata.name!, idOf(metadata.uid, metadata.resourceVersion));
      version = parsed.metadata.resourceVersion;
    };
    const watch = async (signal: AbortSignal): Promise<void> => {
      const resume = flaw === 'resumes without a version' ? {} : { resourceVersion: version };
      const initial = flaw === 'resumes without a version' ? { sendInitialEvents: true } : {};
      const { body } = await server.watch({ ...resume, ...initial, allowWatchBookmarks: true, signal });
      for await (const chunk of body) apply(Buffer.from(chunk).toString());
    };
    return {
      run: (signal) => void follow({ list, watch, signal, clock, flaw }),
      state: () => state,
      fault: () => 'does not know',
    };
  };
}

async function follow(parts: {
  readonly list: () => Promise<void>;
  readonly watch: (signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  readonly clock: VirtualClock;
  readonly flaw: Flaw;
}): Promise<void> {
  const { list, watch, signal, clock, flaw } = parts;
  let listed = false;
  while (!signal.aborted) {
    try {
      if (!listed) await list();
      listed = true;
      await watch(signal);
    } catch (error) {
      if (flaw === 'ends at an error') return;
      if (flaw !== 'resumes without a version' && (flaw !== 'resumes after 410' || !isGone(error))) listed = false;
    }
    await sleep(clock, { ms: 1_000, signal }).catch(() => {});
  }
}

