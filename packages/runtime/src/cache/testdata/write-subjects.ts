import { type Kind, type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import type { CallTarget, WriteOutcome } from '@kubewright/client/internal';
import { silentLogger } from '../../log/silent-logger.ts';
import { CacheScope } from '../cache-scope.ts';
import { Informer } from '../informer.ts';
import { WriteNotes } from '../write-notes.ts';

const Thing: Kind<KubernetesObject> = {
  group: '',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
};
/** Names of all objects that may exist. */
export const keys: readonly string[] = ['a', 'b', 'c'];
const namespace = 'default';

type State = ReadonlyMap<string, KubernetesObject>;
interface Change {
  readonly type: 'PUT' | 'DELETE';
  readonly object: KubernetesObject;
}

/** A model of a server that keeps every state it ever had, by version. */
export class VersionedServer {
  readonly states: State[] = [new Map()];
  readonly changes: (Change | undefined)[] = [undefined];
  #uids = 0;

  get version(): number {
    return this.states.length - 1;
  }

  put(name: string, fits: boolean): KubernetesObject {
    const old = this.states[this.version]!.get(name);
    const uid = old?.metadata.uid ?? `u${++this.#uids}`;
    const resourceVersion = String(this.version + 1);
    const labels = { fits: String(fits) };
    const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name, namespace, uid, resourceVersion, labels } };
    this.#commit({ type: 'PUT', object });
    return object;
  }

  delete(name: string): KubernetesObject | undefined {
    const old = this.states[this.version]!.get(name);
    if (!old) return undefined;
    const metadata = { ...old.metadata, resourceVersion: String(this.version + 1) };
    this.#commit({ type: 'DELETE', object: { ...old, metadata } });
    return old;
  }

  #commit(change: Change): void {
    const next = new Map(this.states[this.version]);
    if (change.type === 'PUT') next.set(change.object.metadata.name!, change.object);
    else next.delete(change.object.metadata.name!);
    this.states.push(next);
    this.changes.push(change);
  }
}

/** The implementation under test, or a naive one: receives writes and watch events, and answers reads. */
export interface Subject {
  begin(write: {
    readonly verb: 'create' | 'update' | 'delete';
    readonly name: string;
    readonly subresource?: string;
  }): (outcome: WriteOutcome) => void;
  put(object: KubernetesObject): void;
  remove(object: KubernetesObject): void;
  list(objects: readonly KubernetesObject[], version: number): void;
  bookmark(version: number): void;
  /** Returns the version of the object that a read returns; 'ask' if the server must be queried. */
  get(name: string): string | undefined | 'ask';
  names(): readonly string[];
}

const bytesOf = (object: unknown): Buffer => Buffer.from(JSON.stringify(object));
/** True for objects that match the label selector of the selecting cache. */
export function isFitting(object: KubernetesObject): boolean {
  return object.metadata.labels?.['fits'] === 'true';
}

/** Creates the runtime's implementation. */
export function real(selecting: boolean): Subject {
  const informer = new Informer<KubernetesObject>({
    kind: Thing,
    listWatcher: { list: () => Promise.reject(new Error('no')), watch: () => Promise.reject(new Error('no')) },
    clock: new VirtualClock(),
    random: seededRandom(1),
    log: silentLogger,
    ...(selecting && { scope: new CacheScope({ labelSelector: 'fits=true' }) }),
  });
  const notes = new WriteNotes({ kindsOf: () => [Thing], informersOf: () => [informer] });
  return {
    begin: ({ verb, name, subresource }) => {
      const key = { namespace, name };
      const target = {
        group: '',
        version: 'v1',
        resource: 'things',
        kind: 'Thing',
        namespace,
        name,
        key,
        ...(subresource && { subresource }),
      };
      return notes.observer({ verb, target: target as CallTarget, key }) ?? (() => {});
    },
    put: (object) => void informer.sink.put(bytesOf(object), 0, bytesOf(object).length),
    remove: (object) => void informer.sink.remove(bytesOf(object), 0, bytesOf(object).length),
    list: (objects, version) => {
      informer.sink.beginListing();
      for (const object of objects) informer.sink.put(bytesOf(object), 0, bytesOf(object).length);
      informer.sink.endListing(String(version));
    },
    bookmark: (version) => informer.sink.reached(String(version)),
    get: (name) => {
      const key = { namespace, name };
      if (informer.ownWrites.isUncertain(key) || informer.ownWrites.isOutside(key)) return 'ask';
      return informer.lister.get(key)?.metadata.resourceVersion;
    },
    names: () => informer.lister.list().map((object) => object.metadata.name!),
  };
}

/** Creates a naive implementation: another client's informer cache, or one of the two fixes that come to mind first. */
export function naive(flaw: Flaw): Subject {
  const stored = new Map<string, KubernetesObject>();
  const written = new Map<string, KubernetesObject | undefined>();
  const note = (name: string, object: KubernetesObject | undefined): void =>
    void (flaw !== 'remembers nothing' && written.set(name, object));
  const seen = (name: string): void =>
    void (flaw === 'forgets a write at the next event of its key' && written.delete(name));
  return {
    begin:
      ({ verb, name }) =>
      (outcome) => {
        if ('error' in outcome) return;
        if (verb === 'delete') note(name, undefined);
        else if ((outcome.response as KubernetesObject).kind === 'Thing') note(name, outcome.response as KubernetesObject);
      },
    put: (object) => {
      stored.set(object.metadata.name!, object);
      seen(object.metadata.name!);
      const own = written.get(object.metadata.name!);
      if (own && Number(object.metadata.resourceVersion) >= Number(own.metadata.resourceVersion))
        written.delete(object.metadata.name!);
    },
    remove: (object) => {
      stored.delete(object.metadata.name!);
      written.delete(object.metadata.name!);
    },
    list: (objects) => {
      stored.clear();
      for (const object of objects) stored.set(object.metadata.name!, object);
      for (const name of keys) seen(name);
    },
    bookmark: () => {},
    get: (name) => (written.has(name) ? written.get(name) : stored.get(name))?.metadata.resourceVersion,
    names: () => keys.filter((name) => (written.has(name) ? written.get(name) : stored.get(name))),
  };
}
export type Flaw = 'remembers nothing' | 'forgets a write at the next event of its key' | 'never forgets a deletion';
