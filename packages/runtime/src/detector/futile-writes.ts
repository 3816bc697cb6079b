import {
  type Clock,
  formatObjectKey,
  type KubernetesObject,
  type ObjectKey,
  objectKey,
  parseApiVersion,
} from '@kubewright/apimachinery';
import type { CallTarget, ClientCall, ClientInterceptor, KubernetesClient, WriteObserver } from '@kubewright/client';
import type { InformerCache } from '../cache/informer-cache.ts';
import { Few } from '../collection/few.ts';
import { isWrite } from '../controller/gated.ts';
import { fieldOwners } from './field-owners.ts';
import type { Finding, FutileWrite } from './finding.ts';
import { differences, formatPath } from './json-difference.ts';
import { patience, WrittenObject } from './written-object.ts';

const mostKeys = 512;
const mostObjects = 8;
const mostVersions = 32;
/** The same finding is told again only after this time, in milliseconds. */
const silenceMs = 600_000;
const noVersions: ReadonlySet<string> = new Set();

/** What {@link FutileWrites} needs. */
export interface FutileWritesOptions {
  readonly cache: InformerCache;
  readonly clock: Clock;
  readonly fieldManager: string;
  /** Told of every write that was in vain, whether or not a pattern is seen yet. */
  readonly onFutile: (what: FutileWrite) => void;
}

/** An object in a version, as events show it. */
interface ShownVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** What is remembered of one key. Nearly always nothing: what it consists of is made when there is something to remember. */
class Trail {
  /** Versions that came of its own writes, oldest first. */
  #versions: Set<string> | undefined;
  #objects: Map<string, WrittenObject> | undefined;
  #told: Map<string, number> | undefined;
  /**
   * Versions of the objects whose events asked for the next reconcile. Which of them are echoes of its own writes is known
   * when it begins: an event may come before the answer to the write.
   */
  #askedBy: Set<string> | undefined;
  /** Whether something else asked, too: a timer of another, a source, too many events to tell. */
  #foreign = false;

  get objects(): Map<string, WrittenObject> {
    this.#objects ??= new Map();
    return this.#objects;
  }

  get told(): Map<string, number> {
    this.#told ??= new Map();
    return this.#told;
  }

  asked(by: ShownVersion | undefined): void {
    this.#askedBy ??= new Set();
    if (by === undefined || this.#askedBy.size >= mostVersions) this.#foreign = true;
    else this.#askedBy.add(versionName(by));
  }

  /** Begins a reconcile; answers whether nothing but its own writes brought it about. */
  begin(): boolean {
    const versions = this.#versions;
    const askedBy = this.#askedBy ?? noVersions;
    const isOwn = !this.#foreign && askedBy.size > 0 && [...askedBy].every((each) => versions?.has(each));
    if (!isOwn) for (const each of this.#objects?.values() ?? []) each.calm();
    this.#askedBy = undefined;
    this.#foreign = false;
    return isOwn;
  }

  wrote(version: string): void {
    this.#versions ??= new Set();
    remember(this.#versions, version);
  }
}

/** One reconcile, as far as its writes go. */
export interface WriteSession {
  readonly observer: WriteObserver;
  readonly interceptor: ClientInterceptor;
  /** Says what the next write to an object is meant to bring about. */
  intends(object: KubernetesObject): void;
  /** Says that it is over. */
  ended(): void;
}

/**
 * Notices writes of a controller that lead nowhere: a reconcile that brings itself about, a field that two writers pull at,
 * writes that change nothing. Remembers the newest 512 keys, of each 8 objects with 4 places, and no values: a few hundred
 * kilobytes, 5 MB at the very most.
 *
 * Not noticed: writes by raw requests, and objects that are not cached, for nothing is known of what they were before.
 */
export class FutileWrites {
  readonly #options: FutileWritesOptions;
  /** Of keys whose reconciles have written. */
  readonly #trails = new Map<string, Trail>();
  readonly #running = new Few<Run>();

  constructor(options: FutileWritesOptions) {
    this.#options = options;
  }

  /** Notes what asked for a reconcile: an object's event, or something else. */
  asked(key: string, by: ShownVersion | undefined): void {
    this.#trailOf(key)?.asked(by);
  }

  /** Begins a reconcile; `tell` is called when a pattern was seen. */
  begin(
    key: string,
    to: { readonly client: KubernetesClient; readonly tell: (finding: Finding, written: KubernetesObject) => void },
  ): WriteSession {
    const trail = this.#trailOf(key) ?? new Trail();
    const run: Run = { key, trail, selfTriggered: trail.begin(), intended: undefined, tell: to.tell };
    this.#running.add(run);
    return {
      observer: (write) => this.#observe(run, write.target),
      interceptor: async (call, next) => {
        if (isWrite(call)) await this.#lookForOthers(key, { call, client: to.client });
        return next(call);
      },
      intends: (object) => {
        run.intended ??= new Map();
        run.intended.set(idOfObject(object), object);
      },
      ended: () => this.#running.delete(run),
    };
  }

  #observe(run: Run, target: CallTarget): ReturnType<WriteObserver> {
    const { cache, clock, onFutile } = this.#options;
    const kind = target.key && cache.kindOf({ apiVersion: apiVersionOf(target), kind: target.kind });
    const before = kind && cache.peek(kind, target.key!)?.object;
    return (outcome) => {
      const answer = 'answer' in outcome ? asObject(outcome.answer) : undefined;
      if (!answer || answer.kind !== target.kind) return;
      const trail = this.#trail(run);
      trail.wrote(versionOf(answer));
      if (!before || before.metadata.uid !== answer.metadata.uid) return;
      const id = idOfObject(answer);
      const object = this.#written(trail, id);
      if (before.metadata.resourceVersion === answer.metadata.resourceVersion) {
        onFutile('no-op');
        this.#noop(run, { trail, object, answer, id });
        return;
      }
      object.noops = 0;
      if (run.selfTriggered) onFutile('self-triggered');
      const changes = differences(before, answer, 16);
      for (const { pattern, path, times } of object.note(changes, { nowMs: clock.monotonic(), ...run })) {
        const managers = object.others.get(path) ?? [];
        this.#tell(run, { trail, answer, finding: { pattern, object: nameOf(answer), path, times, managers } });
      }
    };
  }

  #noop(
    run: Run,
    what: {
      readonly trail: Trail;
      readonly object: WrittenObject;
      readonly answer: KubernetesObject;
      readonly id: string;
    },
  ): void {
    const { trail, object, answer, id } = what;
    if (++object.noops < patience) return;
    const wanted = run.intended?.get(id);
    const [lost] = wanted ? differences(wanted, onlyMembersOf(wanted, answer), 1) : [];
    const path = lost ? formatPath(lost.steps) : '(the set of owned fields)';
    const finding: Finding = { pattern: 'no-op', object: nameOf(answer), path, times: object.noops, managers: [] };
    this.#tell(run, { trail, answer, finding });
  }

  /** Before a value is put back once more, the one who holds the field can be seen. */
  async #lookForOthers(
    key: string,
    on: { readonly call: ClientCall; readonly client: KubernetesClient },
  ): Promise<void> {
    const { client, call } = on;
    const { target, request } = call;
    const name = target?.key;
    const kind = name && this.#options.cache.kindOf({ apiVersion: apiVersionOf(target), kind: target.kind });
    if (!kind) return;
    const object = this.#trails.get(key)?.objects.get(idOf(kind, name));
    if (!object || object.suspicious.length === 0) return;
    try {
      const { metadata } = await client.metadata(kind).get(name, { signal: request.signal });
      const others = (metadata.managedFields ?? []).filter((each) => each.manager !== this.#options.fieldManager);
      for (const { path, steps } of object.suspicious) object.others.set(path, fieldOwners(others, { steps }));
    } catch {
      // Told without the name, then.
    }
  }

  #tell(run: Run, what: { readonly trail: Trail; readonly answer: KubernetesObject; readonly finding: Finding }): void {
    const { trail, answer, finding } = what;
    const id = idOfObject(answer);
    const now = this.#options.clock.monotonic();
    const told = `${finding.pattern} ${id}`;
    if (now - (trail.told.get(told) ?? Number.NEGATIVE_INFINITY) < silenceMs) return;
    trail.told.set(told, now);
    if (trail.told.size > mostObjects) trail.told.delete(trail.told.keys().next().value ?? '');
    if (finding.pattern === 'conflict') this.#options.onFutile('conflict');
    run.tell(finding, answer);
  }

  /** That of a reconcile that has written, or still may. */
  #trailOf(key: string): Trail | undefined {
    return this.#trails.get(key) ?? this.#running.find((run) => run.key === key)?.trail;
  }

  /** What wrote nothing leaves nothing: the newest keys that are remembered are those that write. */
  #trail({ key, trail }: Run): Trail {
    this.#trails.delete(key);
    this.#trails.set(key, trail);
    if (this.#trails.size > mostKeys) this.#trails.delete(this.#trails.keys().next().value ?? '');
    return trail;
  }

  #written(trail: Trail, id: string): WrittenObject {
    const object = trail.objects.get(id) ?? new WrittenObject();
    trail.objects.delete(id);
    trail.objects.set(id, object);
    if (trail.objects.size > mostObjects) trail.objects.delete(trail.objects.keys().next().value ?? '');
    return object;
  }
}

interface Run {
  readonly key: string;
  readonly trail: Trail;
  readonly selfTriggered: boolean;
  intended: Map<string, KubernetesObject> | undefined;
  readonly tell: (finding: Finding, written: KubernetesObject) => void;
}

/** Names a version of an object, as events and answers show it. */
function versionName({ uid, resourceVersion }: KubernetesObject['metadata']): string {
  return `${uid}/${resourceVersion}`;
}

function versionOf({ metadata }: { readonly metadata: KubernetesObject['metadata'] }): string {
  return versionName(metadata);
}

function remember(versions: Set<string>, version: string): void {
  versions.add(version);
  if (versions.size > mostVersions) versions.delete(versions.values().next().value ?? '');
}

/** Tells an object from those of another group's kind of the same name, too. */
function idOf({ group, kind }: { readonly group: string; readonly kind: string }, key: ObjectKey): string {
  return `${kind}.${group} ${formatObjectKey(key)}`;
}

function idOfObject(object: KubernetesObject): string {
  return idOf({ group: parseApiVersion(object.apiVersion).group, kind: object.kind }, objectKey(object));
}

/** As messages say it. */
function nameOf(object: KubernetesObject): string {
  return `${object.kind} ${formatObjectKey(objectKey(object))}`;
}

function apiVersionOf({ group, version }: CallTarget): string {
  return group === '' ? version : `${group}/${version}`;
}

function asObject(answer: unknown): KubernetesObject | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  return 'kind' in answer && 'metadata' in answer ? (answer as KubernetesObject) : undefined;
}

/** The part of `value` that `shape` speaks of: what was not asked for is no loss. */
function onlyMembersOf(shape: unknown, value: unknown): unknown {
  if (Array.isArray(shape) && Array.isArray(value)) {
    return shape.length === value.length ? shape.map((each, i) => onlyMembersOf(each, value[i])) : value;
  }
  if (typeof shape !== 'object' || shape === null || typeof value !== 'object' || value === null) return value;
  const members = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(shape).map(([key, each]) => [
      key,
      Object.hasOwn(members, key) ? onlyMembersOf(each, members[key]) : undefined,
    ]),
  );
}
