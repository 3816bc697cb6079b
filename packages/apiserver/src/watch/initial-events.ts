import type { Clock } from '@kubewright/apimachinery';
import {
  CompactedError,
  type Storage,
  type StorageChange,
  type StorageWatch,
  type StoredObject,
} from '../storage/index.ts';
import { historyBacklog, stateBacklog } from './backlog.ts';
import type { DecodeStored } from './change-frames.ts';
import type { ConvertStored, OrderedConversion } from './ordered-conversion.ts';
import { waitForRevision } from './wait-for-revision.ts';
import { isInScope } from './watch-class.ts';
import { expired, tooLargeResourceVersion } from './watch-failures.ts';
import type { WatchRequest } from './watch-request.ts';
import type { WatchStart } from './watch-start.ts';
import type { Watcher } from './watcher.ts';

/** Options for {@link InitialEvents}. */
export interface InitialEventsOptions {
  readonly storage: Storage;
  readonly prefix: string;
  readonly clock: Clock;
  readonly decode: DecodeStored;
  readonly convert: ConvertStored | undefined;
  readonly conversion: OrderedConversion | undefined;
  /** The revision up to which changes have been delivered. */
  readonly progress: () => number;
}

/** Starts watchers: before new changes, they receive the past changes or the state that they requested. */
export class InitialEvents {
  readonly #options: InitialEventsOptions;

  constructor(options: InitialEventsOptions) {
    this.#options = options;
  }

  /** Starts a watcher that has joined the hub. */
  async begin(
    watcher: Watcher,
    options: { readonly request: WatchRequest; readonly start: WatchStart; readonly source: StorageWatch },
  ): Promise<void> {
    const { start, request, source } = options;
    switch (start.type) {
      case 'now':
        watcher.begin({ backlog: undefined, afterRevision: await source.synced() });
        return;
      case 'after':
        await this.#beginAfter(watcher, { request, revision: start.revision });
        return;
      case 'state':
        await this.#beginWithState(watcher, { request, start });
        return;
    }
  }

  async #beginAfter(
    watcher: Watcher,
    options: { readonly request: WatchRequest; readonly revision: number },
  ): Promise<void> {
    const { request, revision } = options;
    const { storage, prefix, conversion, decode } = this.#options;
    // Later changes, even if they are already visible in storage, will arrive through the ring.
    const upTo = this.#options.progress();
    const changes: StorageChange[] = [];
    try {
      using history = await storage.watch({ prefix: scopePrefix(prefix, request), fromRevision: revision }, (past) => {
        for (const change of past) {
          if (change.revision <= upTo && isInScope(change.key.slice(prefix.length), request)) changes.push(change);
        }
      });
      if (revision < upTo) await history.synced();
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error;
      watcher.fail(expired(revision, error.compactedRevision));
      return;
    }
    const shown = conversion && changes.length > 0 ? await conversion.changes(changes) : changes;
    const backlog = shown.length > 0 ? historyBacklog(shown, { request, decode }) : undefined;
    watcher.begin({ backlog, afterRevision: Math.max(revision, upTo) });
  }

  async #beginWithState(
    watcher: Watcher,
    options: { readonly request: WatchRequest; readonly start: Extract<WatchStart, { type: 'state' }> },
  ): Promise<void> {
    const { request, start } = options;
    const { storage, clock, decode } = this.#options;
    const { notOlderThan } = start;
    if (notOlderThan > 0) {
      const reached = await waitForRevision(storage, { revision: notOlderThan, clock, signal: request.signal });
      if (reached < notOlderThan) {
        watcher.fail(tooLargeResourceVersion(notOlderThan, reached));
        return;
      }
    }
    const { objects, revision } = await this.#state(request);
    const endMark = start.markEnd ? `${revision}` : undefined;
    watcher.begin({
      backlog: stateBacklog(objects, { request, decode, endMark }),
      afterRevision: revision,
    });
  }

  async #state(
    request: WatchRequest,
  ): Promise<{ readonly objects: readonly StoredObject[]; readonly revision: number }> {
    const { storage, prefix, convert } = this.#options;
    const { revision, objects } = await storage.list({ prefix: scopePrefix(prefix, request) });
    const isWanted = ({ key }: StoredObject): boolean => isInScope(key.slice(prefix.length), request);
    const wanted = request.name === undefined ? objects : objects.filter(isWanted);
    return { revision, objects: convert ? await convert(wanted) : wanted };
  }
}

function scopePrefix(prefix: string, { namespace }: WatchRequest): string {
  return namespace ? `${prefix}${namespace}/` : prefix;
}
