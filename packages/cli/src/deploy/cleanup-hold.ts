import { isConflict, isInvalid, isNotFound, StatusError, type UnstructuredObject } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { ResourceClient } from '@kubewright/client';

/** Keeps an object that is deleted until the other finalizers have been handled, and then its children are deleted. */
const holdFinalizer = 'kubewright.dev/uninstall';
/** How often the removal of our finalizer is tried: other clients may change the objects in between. */
const releaseRounds = 10;

/**
 * Deletes objects with finalizers in two steps: their controllers clean up first, while the children still exist; then the
 * garbage collector deletes the children, in the foreground. Without a finalizer of our own, the object would be gone after the
 * first step, and its children would stay if its kind is removed before the garbage collector has discovered it.
 */
export class CleanupHold {
  readonly #resource: ResourceClient<UnstructuredObject>;
  readonly #signal: AbortSignal;
  /** UIDs of the objects whose children are being deleted. */
  readonly #collected = new Set<string>();

  constructor(resource: ResourceClient<UnstructuredObject>, options: { readonly signal: AbortSignal }) {
    this.#resource = resource;
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
      // The object is deleted without this step.
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
      if (this.#collected.has(uid)) await this.#lift(object, { signal: this.#signal });
      else if (finalizers.length === 1) {
        const options = { propagationPolicy: 'Foreground', preconditions: { uid }, signal: this.#signal } as const;
        await this.#resource.delete(keyOf(metadata), options).catch(ignoreChanged);
        this.#collected.add(uid);
      }
    }
  }

  /** Removes our finalizer from the objects that remain, even after Ctrl-C, so that they do not wait for a command that has ended. */
  async release(namespace?: string): Promise<void> {
    for (let round = 0; round < releaseRounds; round++) {
      const { items } = await this.#resource.list(defined({ namespace }));
      const held = items.filter(({ metadata }) => metadata?.finalizers?.includes(holdFinalizer));
      if (held.length === 0) return;
      // One that fails must not keep the others from being released; the next round tries it again.
      await Promise.allSettled(held.map((object) => this.#lift(object, {})));
    }
  }

  async #lift({ metadata }: UnstructuredObject, options: { readonly signal?: AbortSignal }): Promise<void> {
    const path = `/metadata/finalizers/${(metadata?.finalizers ?? []).indexOf(holdFinalizer)}`;
    const body = [
      { op: 'test', path, value: holdFinalizer },
      { op: 'remove', path },
    ] as const;
    await this.#resource.patch(keyOf(metadata), { type: 'json', body }, options).catch(ignoreChanged);
  }
}

/** Returns the finalizers of an object that others handle. */
export function finalizersOf({ metadata }: UnstructuredObject): readonly string[] {
  return (metadata?.finalizers ?? []).filter((name) => name !== holdFinalizer);
}

type Metadata = UnstructuredObject['metadata'];

/** Returns the key of an object that was read from the server. */
export function keyOf(metadata: Metadata): { readonly name: string; readonly namespace?: string } {
  const { name = '', namespace } = metadata ?? {};
  return { name, ...defined({ namespace }) };
}

function ignoreChanged(error: unknown): void {
  // Already deleted, or changed since it was read: the next call sees it.
  if (!isNotFound(error) && !isConflict(error) && !isInvalid(error)) throw error;
}
