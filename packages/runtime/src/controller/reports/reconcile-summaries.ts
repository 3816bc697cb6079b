import { type Clock, formatObjectKey, type KubernetesObject } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { CallTarget, WriteObserver } from '@kubewright/client/internal';
import type { InformerCache } from '../../cache/informer-cache.ts';
import type { ObjectEvent } from '../../handler/events.ts';
import { LineLogger } from '../../log/line-logger.ts';
import { logEvents } from '../../log/log-events.ts';
import type { Logger } from '../../log/logger.ts';

/** Maximum number of keys whose causes are kept until their next reconcile; the other limits apply to each key. */
const maxKeys = 1_000;
const maxCauses = 4;
const maxWrites = 20;
const maxVersions = 32;

/** A watch event that caused a reconcile. */
export interface Cause {
  /** The kind, in `kubectl` notation. */
  readonly kind: string;
  readonly event: ObjectEvent<KubernetesObject>;
}

/** A write of a reconcile, as listed in its log record. */
interface Write {
  readonly action: 'created' | 'changed' | 'unchanged' | 'deleted' | 'rejected' | 'not sent';
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly subresource?: string;
}

interface KeyHistory {
  /** Description of each cause, with the version of the object in the event. */
  readonly causes: Map<string, { readonly text: string; readonly version: string | undefined }>;
  /** Versions written by the key's own reconciles. */
  readonly versions: Set<string>;
  /** Reason to log if no event triggered the reconcile. */
  otherwise: string | undefined;
  /** The cause of a delayed reconcile. */
  later: string | undefined;
}

/**
 * Logs a summary of each reconcile for debugging: what triggered it, what it wrote, how long it took, and when it runs
 * again. One `debug` line per reconcile; collects no data unless this level is enabled.
 */
export class ReconcileSummaries {
  readonly #options: { readonly clock: Clock; readonly cache: InformerCache };
  readonly #histories = new Map<string, KeyHistory>();

  private constructor(options: { readonly clock: Clock; readonly cache: InformerCache }) {
    this.#options = options;
  }

  /** Creates the recorder of summaries; undefined if the log drops `debug` lines. */
  static for(
    log: Logger,
    options: { readonly clock: Clock; readonly cache: InformerCache },
  ): ReconcileSummaries | undefined {
    return log instanceof LineLogger && log.level === 'debug' ? new ReconcileSummaries(options) : undefined;
  }

  /** Records what requested a reconcile, immediately or after a delay. */
  requested(key: string, cause: Cause | undefined, afterMs = 0): void {
    const history = this.#of(key);
    const text = cause
      ? `${cause.kind} ${formatObjectKey(cause.event.object.key)} ${happened(cause.event)}`
      : 'requested by another source';
    if (afterMs > 0) history.later = `${text}, earlier`;
    else if (history.causes.size < maxCauses)
      history.causes.set(text, { text, version: cause && versionOf(cause.event.object) });
  }

  /** Starts a reconcile. */
  begin(key: string): ReconcileSummary {
    const history = this.#of(key);
    // Evaluate causes only now, because an event may arrive before the response to the write that caused it.
    const causes = [...history.causes.values()].map(({ text, version = '' }) => ({
      text,
      isOwn: history.versions.has(version),
    }));
    const because = causes.map(({ text, isOwn }) => (isOwn ? `${text} (own write)` : text));
    const isSelfTriggered = causes.length > 0 && causes.every(({ isOwn }) => isOwn);
    if (because.length === 0) {
      const reason = history.otherwise ?? history.later;
      if (reason === history.later) history.later = undefined;
      // The reason is missing if it was dropped because there were too many keys.
      if (reason !== undefined) because.push(reason);
    }
    history.causes.clear();
    history.otherwise = undefined;
    return new ReconcileSummary({ ...this.#options, history, because, isSelfTriggered });
  }

  #of(key: string): KeyHistory {
    const history = this.#histories.get(key) ?? {
      causes: new Map(),
      versions: new Set(),
      otherwise: undefined,
      later: undefined,
    };
    this.#histories.delete(key);
    this.#histories.set(key, history);
    if (this.#histories.size > maxKeys) this.#histories.delete(this.#histories.keys().next().value ?? '');
    return history;
  }
}

/** The summary of one reconcile: its causes and its writes, to be logged when it ends. */
export class ReconcileSummary {
  readonly #options: { readonly clock: Clock; readonly cache: InformerCache; readonly history: KeyHistory };
  readonly #because: readonly string[];
  readonly #isSelfTriggered: boolean;
  readonly #wrote: Write[] = [];
  readonly #startMs: number;

  constructor(
    options: { readonly clock: Clock; readonly cache: InformerCache; readonly history: KeyHistory } & {
      readonly because: readonly string[];
      readonly isSelfTriggered: boolean;
    },
  ) {
    this.#options = options;
    this.#because = options.because;
    this.#isSelfTriggered = options.isSelfTriggered;
    this.#startMs = options.clock.monotonic();
  }

  /** Records writes as `created`, `changed` or `unchanged`, by comparing the cached object with the response. */
  readonly observer: WriteObserver = ({ verb, target }) => {
    const { cache, history } = this.#options;
    // Leave out Events, because they only repeat the summary, and Leases, because they are not part of the work.
    if (target.kind === 'Event' || target.kind === 'Lease') return undefined;
    const kind = target.key && cache.kindOf({ apiVersion: apiVersionOf(target), kind: target.kind });
    const before = kind && cache.peek(kind, target.key!)?.object;
    return (outcome) => {
      if (!('response' in outcome)) {
        this.#note(outcome.sent ? 'rejected' : 'not sent', target);
        return;
      }
      if (verb === 'delete' || verb === 'deletecollection') return this.#note('deleted', target);
      const reply = objectOf(outcome.response);
      if (reply) remember(history.versions, versionOf(reply.metadata));
      const isSame = before !== undefined && before.metadata.resourceVersion === reply?.metadata.resourceVersion;
      const isNew = verb === 'create' || (verb === 'apply' && kind !== undefined && before === undefined);
      this.#note(isSame ? 'unchanged' : isNew ? 'created' : 'changed', {
        ...target,
        name: target.name ?? reply?.metadata.name,
        namespace: target.namespace ?? reply?.metadata.namespace,
      });
    };
  };

  /** Logs the outcome of the reconcile and the delay until its next run, in milliseconds. */
  ended(log: Logger, how: { readonly failed: boolean; readonly nextMs: number | undefined }): void {
    const { clock, history } = this.#options;
    const { failed, nextMs } = how;
    if (nextMs !== undefined)
      history.otherwise = failed ? 'the previous attempt failed' : 'the previous reconcile requested a requeue';
    log.debug(failed ? 'reconcile failed' : 'reconciled', {
      event: logEvents.reconcileEnded,
      failed,
      because: this.#because,
      ...(this.#isSelfTriggered && { selfTriggered: true }),
      wrote: this.#wrote,
      tookMs: Math.round((clock.monotonic() - this.#startMs) * 10) / 10,
      ...(nextMs !== undefined && { nextInMs: Math.round(nextMs) }),
    });
  }

  #note(
    action: Write['action'],
    target: Pick<CallTarget, 'kind' | 'version' | 'group' | 'subresource'> & {
      readonly namespace?: string | undefined;
      readonly name?: string | undefined;
    },
  ): void {
    if (this.#wrote.length >= maxWrites) return;
    const { kind, subresource, namespace, name = '' } = target;
    this.#wrote.push({
      action,
      apiVersion: apiVersionOf(target),
      kind,
      ...defined({ namespace: namespace || undefined, subresource }),
      name,
    });
  }
}

function happened(event: ObjectEvent<KubernetesObject>): string {
  if (event.type === 'create') return event.isInInitialList ? 'existed at startup' : 'was created';
  if (event.type === 'delete') return 'was deleted';
  if (event.type === 'generic') return 'was triggered';
  const { old, object } = event;
  if (old.deletionTimestamp === undefined && object.deletionTimestamp !== undefined) return 'is being deleted';
  return old.generation === object.generation ? 'changed' : `changed to generation ${object.generation}`;
}

function versionOf({ uid, resourceVersion }: { readonly uid?: string; readonly resourceVersion?: string }): string {
  return `${uid}/${resourceVersion}`;
}

function remember(versions: Set<string>, version: string): void {
  versions.add(version);
  if (versions.size > maxVersions) versions.delete(versions.values().next().value ?? '');
}

function apiVersionOf({ group, version }: Pick<CallTarget, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

function objectOf(reply: unknown): KubernetesObject | undefined {
  const isObject = typeof reply === 'object' && reply !== null && 'metadata' in reply && 'kind' in reply;
  return isObject ? (reply as KubernetesObject) : undefined;
}
