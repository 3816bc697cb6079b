import { type Clock, formatObjectKey, type KubernetesObject } from '@kubewright/apimachinery';
import type { CallTarget, WriteObserver } from '@kubewright/client';
import type { InformerCache } from '../cache/informer-cache.ts';
import type { ObjectEvent } from '../handler/events.ts';
import { LineLogger } from '../log/line-logger.ts';
import type { Logger } from '../log/logger.ts';

/** Keys whose causes are kept until their next reconcile, at most; and what is kept of each. */
const mostKeys = 1_000;
const mostCauses = 4;
const mostWrites = 20;
const mostVersions = 32;

/** What happened to a watched object. */
export interface Cause {
  /** As `kubectl` names kinds. */
  readonly kind: string;
  readonly event: ObjectEvent<KubernetesObject>;
}

interface Told {
  /** What is said of each, and the version of the object that it is about. */
  readonly causes: Map<string, { readonly text: string; readonly version: string | undefined }>;
  /** Versions that the key's own reconciles have written. */
  readonly versions: Set<string>;
  /** What is said when no event came: why it runs by itself. */
  otherwise: string | undefined;
  /** What has asked for a reconcile later than at once. */
  later: string | undefined;
}

/**
 * Tells each reconcile as a story, for whoever debugs: what woke it, what it wrote, how long it took, when it runs again. One
 * line of level `debug` a reconcile; nothing is collected where nobody reads these.
 */
export class ReconcileStories {
  readonly #options: { readonly clock: Clock; readonly cache: InformerCache };
  readonly #told = new Map<string, Told>();

  private constructor(options: { readonly clock: Clock; readonly cache: InformerCache }) {
    this.#options = options;
  }

  /** Makes the teller; nothing when the log leaves out what it would tell. */
  static for(
    log: Logger,
    options: { readonly clock: Clock; readonly cache: InformerCache },
  ): ReconcileStories | undefined {
    return log instanceof LineLogger && log.level === 'debug' ? new ReconcileStories(options) : undefined;
  }

  /** Notes what asked for a reconcile, at once or after some time. */
  asked(key: string, cause: Cause | undefined, afterMs = 0): void {
    const told = this.#of(key);
    const text = cause
      ? `${cause.kind} ${formatObjectKey(cause.event.object.key)} ${happened(cause.event)}`
      : 'another source asked for it';
    if (afterMs > 0) told.later = `${text}, a while ago`;
    else if (told.causes.size < mostCauses)
      told.causes.set(text, { text, version: cause && versionOf(cause.event.object) });
  }

  /** Begins a reconcile. */
  begin(key: string): Story {
    const told = this.#of(key);
    // Only now: an event may come before the answer to the write that it is of.
    const because = [...told.causes.values()].map(({ text, version = '' }) =>
      told.versions.has(version) ? `${text}, its own write` : text,
    );
    if (because.length === 0) {
      const reason = told.otherwise ?? told.later;
      if (reason === told.later) told.later = undefined;
      // Nobody knows why any more, of one key among very many: nothing is said then.
      if (reason !== undefined) because.push(reason);
    }
    told.causes.clear();
    told.otherwise = undefined;
    return new Story({ ...this.#options, told, because });
  }

  #of(key: string): Told {
    const told = this.#told.get(key) ?? {
      causes: new Map(),
      versions: new Set(),
      otherwise: undefined,
      later: undefined,
    };
    this.#told.delete(key);
    this.#told.set(key, told);
    if (this.#told.size > mostKeys) this.#told.delete(this.#told.keys().next().value ?? '');
    return told;
  }
}

/** One reconcile. */
export class Story {
  readonly #options: { readonly clock: Clock; readonly cache: InformerCache; readonly told: Told };
  readonly #because: readonly string[];
  readonly #wrote: string[] = [];
  readonly #startMs: number;

  constructor(
    options: { readonly clock: Clock; readonly cache: InformerCache; readonly told: Told } & {
      readonly because: readonly string[];
    },
  ) {
    this.#options = options;
    this.#because = options.because;
    this.#startMs = options.clock.monotonic();
  }

  /** Notes writes; `created`, `changed`, `unchanged` as the cache and the answer tell. */
  readonly observer: WriteObserver = ({ verb, target }) => {
    const { cache, told } = this.#options;
    // Events tell of what is told here.
    if (target.kind === 'Event' || target.kind === 'Lease') return undefined;
    const kind = target.key && cache.kindOf({ apiVersion: apiVersionOf(target), kind: target.kind });
    const before = kind && cache.peek(kind, target.key!)?.object;
    return (outcome) => {
      if (!('answer' in outcome)) {
        this.#note(outcome.sent ? 'was refused' : 'could not send', target);
        return;
      }
      if (verb === 'delete' || verb === 'deletecollection') return this.#note('deleted', target);
      const answer = objectOf(outcome.answer);
      if (answer) remember(told.versions, versionOf(answer.metadata));
      const isSame = before !== undefined && before.metadata.resourceVersion === answer?.metadata.resourceVersion;
      const isNew = verb === 'create' || (verb === 'apply' && kind !== undefined && before === undefined);
      this.#note(isSame ? 'left unchanged' : isNew ? 'created' : 'changed', {
        ...target,
        name: target.name ?? answer?.metadata.name,
        namespace: target.namespace ?? answer?.metadata.namespace,
      });
    };
  };

  /** Says how it ended, and in how many milliseconds it runs again by itself. */
  ended(log: Logger, how: { readonly failed: boolean; readonly nextMs: number | undefined }): void {
    const { clock, told } = this.#options;
    const { failed, nextMs } = how;
    if (nextMs !== undefined) told.otherwise = failed ? 'it had failed' : 'it had asked to run again';
    log.debug(failed ? 'reconcile failed' : 'reconciled', {
      because: this.#because,
      wrote: this.#wrote,
      tookMs: Math.round((clock.monotonic() - this.#startMs) * 10) / 10,
      ...(nextMs !== undefined && { nextInMs: Math.round(nextMs) }),
    });
  }

  #note(
    what: string,
    target: Pick<CallTarget, 'kind' | 'version' | 'group' | 'subresource'> & {
      readonly namespace?: string | undefined;
      readonly name?: string | undefined;
    },
  ): void {
    if (this.#wrote.length >= mostWrites) return;
    const { kind, version, group, subresource, namespace, name = '' } = target;
    const type = [kind, version, ...(group === '' ? [] : [group])].join('.');
    const where = namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
    this.#wrote.push(`${what} ${type} ${where}${subresource === undefined ? '' : ` ${subresource}`}`);
  }
}

function happened(event: ObjectEvent<KubernetesObject>): string {
  if (event.type === 'create') return event.isInInitialList ? 'was there at the start' : 'was created';
  if (event.type === 'delete') return 'was deleted';
  if (event.type === 'generic') return 'needs a look';
  const { old, object } = event;
  if (old.deletionTimestamp === undefined && object.deletionTimestamp !== undefined) return 'is being deleted';
  return old.generation === object.generation ? 'changed' : `changed to generation ${object.generation}`;
}

function versionOf({ uid, resourceVersion }: { readonly uid?: string; readonly resourceVersion?: string }): string {
  return `${uid}/${resourceVersion}`;
}

function remember(versions: Set<string>, version: string): void {
  versions.add(version);
  if (versions.size > mostVersions) versions.delete(versions.values().next().value ?? '');
}

function apiVersionOf({ group, version }: CallTarget): string {
  return group === '' ? version : `${group}/${version}`;
}

function objectOf(answer: unknown): KubernetesObject | undefined {
  const isObject = typeof answer === 'object' && answer !== null && 'metadata' in answer && 'kind' in answer;
  return isObject ? (answer as KubernetesObject) : undefined;
}
