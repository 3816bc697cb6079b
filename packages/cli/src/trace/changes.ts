import { type Clock, isGone, type KubernetesObject, StatusError, type Stored, sleep } from '@kubewright/apimachinery';
import { exponentialDelay } from '@kubewright/apimachinery/internal';
import { type ResourceClient, TransportError } from '@kubewright/client';
import type { Change } from './change.ts';

/** Initial and maximum delay before a watch is reopened, as in client-go's reflector. */
const pauses = { initialMs: 800, maxMs: 30_000 };

/** Options for {@link changesOf}. */
export interface ChangesOptions {
  readonly namespace: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Called when a watch or list failed and will be retried. */
  readonly onRetry: (error: unknown) => void;
}

/**
 * Yields the objects of a namespace, then each change. A watch that ended or lost its connection is resumed at the version it
 * reached; if the server rejects that version, the objects are listed again.
 *
 * @throws the error of the first list, errors that retries do not fix, and the signal's reason
 */
export async function* changesOf<T extends KubernetesObject>(
  resource: Pick<ResourceClient<T>, 'list' | 'watch'>,
  { namespace, signal, clock, onRetry }: ChangesOptions,
): AsyncGenerator<Change<Stored<T>>> {
  let hasListed = false;
  let resourceVersion: string | undefined;
  for (let failures = 0; ; failures++) {
    try {
      if (resourceVersion === undefined) {
        const { items, metadata } = await resource.list({ namespace, signal });
        for (const object of items) yield { type: 'FOUND', object };
        ({ resourceVersion } = metadata);
        hasListed = true;
      }
      for await (const event of resource.watch({ namespace, resourceVersion, signal })) {
        if (event.type === 'ERROR') throw event.error;
        failures = 0;
        resourceVersion = event.object.metadata?.resourceVersion ?? resourceVersion;
        if (event.type !== 'BOOKMARK') yield event;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!hasListed || !isTransient(error)) throw error;
      if (error instanceof StatusError) resourceVersion = undefined;
      onRetry(error);
    }
    // Also pauses after a watch that ended without an error: a server that ends every watch immediately must not be flooded.
    await sleep(clock, { ms: exponentialDelay(failures, pauses), signal });
  }
}

/** True for failures that may end on their own: an expired version, a lost connection, an overloaded server. */
function isTransient(error: unknown): boolean {
  return isGone(error) || ((error instanceof StatusError || error instanceof TransportError) && error.retryable);
}
