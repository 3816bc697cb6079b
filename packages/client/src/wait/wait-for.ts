import {
  type Clock,
  isGone,
  type KubernetesObject,
  type ObjectKey,
  type Random,
  StatusError,
  type Stored,
  sleep,
} from '@kubewright/apimachinery';
import { exponentialDelay } from '@kubewright/apimachinery/internal';
import type { CallOptions, CollectionScope } from '../resource/call-options.ts';
import type { ResourceClient } from '../resource/resource-client.ts';
import { TransportError } from '../transport/transport-error.ts';

/** Delays between attempts to watch; the same as in client-go's reflector. */
const delays = { initialMs: 800, maxMs: 30_000 };

/** An object to wait for, with the resource client that lists and watches it. */
export interface WaitRequest<T> {
  readonly resource: Pick<ResourceClient<T>, 'list' | 'watch'>;
  readonly key: ObjectKey;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Waits until `isDone` returns true for the current state of one object; returns that state. While the object does not
 * exist, its state is undefined. Lists once, then watches from the list's version. A watch that has ended or lost its
 * connection resumes at the last version seen; the object is listed again only if the server rejects that version.
 */
export async function waitUntil<T extends KubernetesObject>(
  { resource, key, clock, random }: WaitRequest<T>,
  isDone: (object: Stored<T> | undefined) => boolean,
  { signal }: CallOptions = {},
): Promise<Stored<T> | undefined> {
  const scope: CollectionScope & CallOptions = {
    namespace: key.namespace,
    fieldSelector: { 'metadata.name': key.name },
    signal,
  };
  let resourceVersion: string | undefined;
  for (let failures = 0; ; failures++) {
    try {
      if (resourceVersion === undefined) {
        const list = await resource.list(scope);
        const [object] = list.items;
        if (isDone(object)) return object;
        ({ resourceVersion } = list.metadata);
      }
      for await (const event of resource.watch({ ...scope, resourceVersion })) {
        if (event.type === 'ERROR') throw event.error;
        failures = 0;
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        if (event.type === 'BOOKMARK') continue;
        const object = event.type === 'DELETED' ? undefined : event.object;
        if (isDone(object)) return object;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof StatusError) resourceVersion = undefined;
      if (!isTransient(error)) throw error;
    }
    // Wait even after a watch that ended without an error, to avoid flooding a server that ends every watch
    // immediately.
    await sleep(clock, { ms: exponentialDelay(failures, delays) * (1 + random.next()), signal });
  }
}

/** True for failures that can resolve on their own: an expired version, a lost connection, an overloaded server. */
function isTransient(error: unknown): boolean {
  return isGone(error) || ((error instanceof StatusError || error instanceof TransportError) && error.retryable);
}
