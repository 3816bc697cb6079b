import {
  type Clock,
  isConflict,
  isInvalid,
  isNotFound,
  StatusError,
  sleep,
  type UnstructuredObject,
} from '@kubewright/apimachinery';
import { defined, exponentialDelay } from '@kubewright/apimachinery/internal';
import type { ResourceClient } from '@kubewright/client';

/** Our finalizer: keeps a deleted object until its other finalizers are removed and its children are deleted. */
export const holdFinalizer = 'kubewright.dev/uninstall';
/** Time limit for removing our finalizer from all objects, in milliseconds. */
const releaseMs = 15_000;
/**
 * The delay between attempts to remove the finalizer: other clients can change the objects in between, and the server
 * can be busy.
 */
const retryDelay = { initialMs: 50, maxMs: 1_000 } as const;

/** An object that still has our finalizer, and the error that prevented its removal. */
export interface HeldObject {
  readonly object: UnstructuredObject;
  readonly error: unknown;
}

/**
 * Deletes objects with finalizers in two steps: their controllers clean up first, while the children still exist; then
 * the garbage collector deletes the children, in the foreground. Without a finalizer of our own, the object would be
 * gone after the first step. If the kind were then removed before the garbage collector discovered it, the children
 * would remain.
 */
export class CleanupHold {
  readonly #resource: ResourceClient<UnstructuredObject>;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  /** UIDs of the objects whose children are being deleted. */
  readonly #collected = new Set<string>();

  constructor(
    resource: ResourceClient<UnstructuredObject>,
    options: { readonly clock: Clock; readonly signal: AbortSignal },
  ) {
    this.#resource = resource;
    this.#clock = options.clock;
    this.#signal = options.signal;
  }

  /** Adds our finalizer, unless the object is already being deleted, or a webhook rejects the update. */
  async place({ metadata }: UnstructuredObject): Promise<void> {
    if (metadata?.deletionTimestamp !== undefined || (metadata?.finalizers ?? []).includes(holdFinalizer)) return;
    const body = [
      { op: 'test', path: '/metadata/uid', value: metadata?.uid },
      { op: 'add', path: '/metadata/finalizers/-', value: holdFinalizer },
    ] as const;
    try {
      await this.#resource.patch(keyOf(metadata), { type: 'json', body }, { signal: this.#signal });
    } catch (error) {
      // The object can be deleted without our finalizer.
      if (!(error instanceof StatusError)) throw error;
    }
  }

  /** Continues with the children of each object whose other finalizers have been handled. */
  async advance(objects: readonly UnstructuredObject[]): Promise<void> {
    for (const object of objects) {
      const { metadata } = object;
      const finalizers = metadata?.finalizers ?? [];
      if (!finalizers.includes(holdFinalizer) || metadata?.deletionTimestamp === undefined) continue;
      const uid = metadata.uid ?? '';
      if (this.#collected.has(uid)) await this.#lift(object);
      else if (finalizers.length === 1) {
        const options = { propagationPolicy: 'Foreground', preconditions: { uid }, signal: this.#signal } as const;
        await this.#resource.delete(keyOf(metadata), options).catch(ignoreChanged);
        this.#collected.add(uid);
      }
    }
  }

  /**
   * Removes our finalizer from the objects that remain, even after Ctrl-C, so deletion does not wait for a command that
   * has exited. Returns the objects that still have our finalizer when time runs out.
   *
   * @throws if the objects cannot be listed before time runs out
   */
  async release(namespace?: string): Promise<readonly HeldObject[]> {
    const deadline = new AbortController();
    const { signal } = deadline;
    const late = new Error(`the API server did not respond within ${releaseMs / 1_000} s`);
    using _timer = this.#clock.setTimer(releaseMs, () => deadline.abort(late));
    let held: readonly HeldObject[] | undefined;
    let failure: unknown;
    for (let round = 0; !signal.aborted; round++) {
      try {
        held = await this.#releaseOnce({ namespace, signal });
        if (held.length === 0) return held;
      } catch (error) {
        if (!signal.aborted || failure === undefined) failure = error;
      }
      // The sleep ends early at the deadline, which the loop checks.
      await sleep(this.#clock, { ms: exponentialDelay(round, retryDelay), signal }).catch(() => undefined);
    }
    if (held === undefined) throw failure;
    return held;
  }

  async #releaseOnce(options: {
    readonly namespace: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<readonly HeldObject[]> {
    const { items } = await this.#resource.list(options);
    const held = items.filter(({ metadata }) => metadata?.finalizers?.includes(holdFinalizer));
    // A failure for one object must not prevent the release of the other objects.
    const results = await Promise.allSettled(held.map((object) => this.#remove(object, options)));
    return results.flatMap((result, index) =>
      result.status === 'rejected' && !isNotFound(result.reason)
        ? [{ object: held[index] as UnstructuredObject, error: result.reason }]
        : [],
    );
  }

  async #lift(object: UnstructuredObject): Promise<void> {
    await this.#remove(object, { signal: this.#signal }).catch(ignoreChanged);
  }

  async #remove({ metadata }: UnstructuredObject, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    const path = `/metadata/finalizers/${(metadata?.finalizers ?? []).indexOf(holdFinalizer)}`;
    const body = [
      { op: 'test', path, value: holdFinalizer },
      { op: 'remove', path },
    ] as const;
    await this.#resource.patch(keyOf(metadata), { type: 'json', body }, { signal });
  }
}

/** Returns an object's finalizers, without ours. */
export function finalizersOf({ metadata }: UnstructuredObject): readonly string[] {
  return (metadata?.finalizers ?? []).filter((name) => name !== holdFinalizer);
}

type Metadata = UnstructuredObject['metadata'];

/** Returns the key of an object that was read from the server. */
export function keyOf(metadata: Metadata): { readonly name: string; readonly namespace?: string } {
  const { name = '', namespace } = metadata ?? {};
  return { name, ...defined({ namespace }) };
}

/** Formats an object's name for messages, such as `default/a`. */
export function nameOf({ metadata }: UnstructuredObject): string {
  return metadata?.namespace === undefined ? `${metadata?.name}` : `${metadata.namespace}/${metadata.name}`;
}

function ignoreChanged(error: unknown): void {
  // The object was already deleted, or has changed since it was read; the next call reads it again.
  if (!isNotFound(error) && !isConflict(error) && !isInvalid(error)) throw error;
}
