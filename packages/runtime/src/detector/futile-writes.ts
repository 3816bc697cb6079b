import { type Clock, formatObjectKey, type KubernetesObject, objectKey } from '@kubewright/apimachinery';
import type { ClientCall, ClientInterceptor } from '@kubewright/client';
import type { CallTarget, WriteObserver } from '@kubewright/client/internal';
import type { InformerCache } from '../cache/informer-cache.ts';
import { SmallSet } from '../collection/small-set.ts';
import { isWrite } from '../fencing/gated.ts';
import { fieldOwners } from './field-owners.ts';
import type { Finding, FutileWrite } from './finding.ts';
import { differences, formatPath } from './json-difference.ts';
import { idOf, idOfObject } from './object-id.ts';
import { type ShownVersion, WriteHistory } from './write-history.ts';
import { WriteSession, type WritingRun } from './write-session.ts';
import { reportThreshold, type WrittenObject } from './written-object.ts';

const maxKeys = 512;

/** Options for {@link FutileWrites}. */
export interface FutileWritesOptions {
  readonly cache: InformerCache;
  readonly clock: Clock;
  readonly fieldManager: string;
  /** Called for every futile write, even before a pattern is detected. */
  readonly onFutile: (what: FutileWrite) => void;
}

/**
 * Detects futile writes of a controller: a reconcile that triggers itself, a field that two writers fight over, and writes that
 * change nothing. Remembers the newest 512 keys, with 8 objects each and 4 paths per object, but no values: a few hundred
 * kilobytes, and never more than 5 MB.
 *
 * Does not detect writes through raw requests, or writes to objects that are not cached, because their previous state is
 * unknown.
 */
export class FutileWrites {
  readonly #options: FutileWritesOptions;
  /** Keys whose reconciles have written. */
  readonly #histories = new Map<string, WriteHistory>();
  readonly #running = new SmallSet<WriteSession>();

  constructor(options: FutileWritesOptions) {
    this.#options = options;
  }

  /** Records what requested a reconcile: an object's event, or another source. */
  requested(key: string, by: ShownVersion | undefined): void {
    this.#historyOf(key)?.requested(by);
  }

  /** Starts a reconcile. */
  begin(run: WritingRun): WriteSession {
    const session = new WriteSession(run, this.#historyOf(run.key) ?? new WriteHistory());
    this.#running.add(session);
    return session;
  }

  ended(session: WriteSession): void {
    this.#running.delete(session);
  }

  /** Returns the interceptor of a reconcile's calls. */
  interceptor(session: WriteSession): ClientInterceptor {
    return (call, next) => (isWrite(call) && !call.request.upgrade ? this.#write(session, { call, next }) : next(call));
  }

  /** Returns the observer of a reconcile's writes. */
  observer(session: WriteSession): WriteObserver {
    return (write) => this.#observe(session, write.target);
  }

  async #write(
    session: WriteSession,
    { call, next }: { readonly call: ClientCall; readonly next: Parameters<ClientInterceptor>[1] },
  ): ReturnType<ClientInterceptor> {
    await this.#lookForOthers(session.run, call);
    return next(call);
  }

  #observe(session: WriteSession, target: CallTarget): ReturnType<WriteObserver> {
    const { cache, clock, onFutile } = this.#options;
    const kind = target.key && cache.kindOf({ apiVersion: apiVersionOf(target), kind: target.kind });
    const before = kind && cache.peek(kind, target.key!)?.object;
    return (outcome) => {
      const stored = 'response' in outcome ? asObject(outcome.response) : undefined;
      if (!stored || stored.kind !== target.kind) return;
      const history = this.#history(session);
      history.wrote(stored.metadata);
      if (!before || before.metadata.uid !== stored.metadata.uid) return;
      const id = idOfObject(stored);
      const object = history.object(id);
      if (before.metadata.resourceVersion === stored.metadata.resourceVersion) {
        onFutile('no-op');
        this.#noop(session, { object, stored, id });
        return;
      }
      if (session.selfTriggered) onFutile('self-triggered');
      const changes = differences(before, stored, 16);
      for (const { pattern, path, times } of object.note(changes, {
        nowMs: clock.monotonic(),
        selfTriggered: session.selfTriggered,
      })) {
        const managers = object.others.get(path) ?? [];
        this.#report(session, { stored, finding: { pattern, object: nameOf(stored), path, times, managers } });
      }
    };
  }

  #noop(
    session: WriteSession,
    what: {
      readonly object: WrittenObject;
      readonly stored: KubernetesObject;
      readonly id: string;
    },
  ): void {
    const { object, stored, id } = what;
    const times = object.noteNoop(this.#options.clock.monotonic());
    if (times < reportThreshold) return;
    const wanted = session.intended(id);
    const [lost] = wanted ? differences(wanted, onlyMembersOf(wanted, stored), 1) : [];
    const path = lost ? formatPath(lost.steps) : 'the set of owned fields';
    const finding: Finding = { pattern: 'no-op', object: nameOf(stored), path, times, managers: [] };
    this.#report(session, { stored, finding });
  }

  /** Looks up the field's other managers before a value is written back again. */
  async #lookForOthers({ key, unguarded: client }: WritingRun, { target, request }: ClientCall): Promise<void> {
    const name = target?.key;
    const kind = name && this.#options.cache.kindOf({ apiVersion: apiVersionOf(target), kind: target.kind });
    if (!kind) return;
    const object = this.#histories.get(key)?.remembered(idOf(kind, name));
    if (!object || object.suspicious.length === 0) return;
    try {
      const { metadata } = await client.metadata(kind).get(name, { signal: request.signal });
      const others = (metadata.managedFields ?? []).filter((each) => each.manager !== this.#options.fieldManager);
      for (const { path, steps } of object.suspicious) object.others.set(path, fieldOwners(others, { steps }));
    } catch {
      // Report the finding without the manager's name.
    }
  }

  #report(
    { run, history }: WriteSession,
    { stored, finding }: { readonly stored: KubernetesObject; readonly finding: Finding },
  ): void {
    const id = idOfObject(stored);
    if (!history.noteReport(`${finding.pattern} ${id}`, this.#options.clock.monotonic())) return;
    if (finding.pattern === 'conflict') this.#options.onFutile('conflict');
    run.report(finding, stored);
  }

  /** Returns the history of a reconcile that has written or is still running. */
  #historyOf(key: string): WriteHistory | undefined {
    return this.#histories.get(key) ?? this.#running.find(({ run }) => run.key === key)?.history;
  }

  /** Stores the history of a key. Called on writes, so only keys that write are remembered. */
  #history({ run: { key }, history }: WriteSession): WriteHistory {
    this.#histories.delete(key);
    this.#histories.set(key, history);
    if (this.#histories.size > maxKeys) this.#histories.delete(this.#histories.keys().next().value ?? '');
    return history;
  }
}

/** Formats an object for messages. */
function nameOf(object: KubernetesObject): string {
  return `${object.kind} ${formatObjectKey(objectKey(object))}`;
}

function apiVersionOf({ group, version }: CallTarget): string {
  return group === '' ? version : `${group}/${version}`;
}

function asObject(stored: unknown): KubernetesObject | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined;
  return 'kind' in stored && 'metadata' in stored ? (stored as KubernetesObject) : undefined;
}

/** Drops the fields of `value` that `shape` does not set: the write did not set them, so it did not lose them. */
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
