import { type Clock, type KubernetesObject, type Stored, sleep } from '@kubewright/apimachinery';
import type { ResourceClient } from '@kubewright/client';

export interface FollowOptions<T> {
  readonly namespace: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with all objects after each list, and whenever one changes. */
  readonly onChange: (objects: readonly Stored<T>[]) => void;
  readonly onError: (error: unknown) => void;
}

/** Maximum duration of a watch. Everything is then listed again, in case the connection is broken but still open. */
const watchSeconds = 10;
const listMs = 5_000;
const retryMs = 1_000;

/** Lists and watches a few objects until `signal` is aborted. Keeps the last state while the API server is unreachable. */
export async function follow<T extends KubernetesObject>(
  resource: ResourceClient<T>,
  options: FollowOptions<T>,
): Promise<void> {
  const { clock, signal, onError } = options;
  while (!signal.aborted) {
    try {
      await listAndWatch(resource, options);
    } catch (error) {
      if (signal.aborted) return;
      onError(error);
      await sleep(clock, { ms: retryMs, signal }).catch(() => undefined);
    }
  }
}

async function listAndWatch<T extends KubernetesObject>(
  resource: ResourceClient<T>,
  { clock, signal, onChange, ...scope }: FollowOptions<T>,
): Promise<void> {
  const { namespace, fieldSelector, labelSelector } = scope;
  const selected = { namespace, fieldSelector, labelSelector };
  const limit = new AbortController();
  const expire = (ms: number): Disposable =>
    clock.setTimer(ms, () => limit.abort(new Error('the API server did not respond')));
  const limited = AbortSignal.any([signal, limit.signal]);
  const list = await (async () => {
    using _timer = expire(listMs);
    return await resource.list({ ...selected, signal: limited });
  })();
  const objects = new Map(list.items.map((object) => [object.metadata.name, object]));
  onChange([...objects.values()]);
  using _timer = expire((watchSeconds + 2) * 1000);
  const { resourceVersion } = list.metadata ?? {};
  const events = resource.watch({ ...selected, resourceVersion, timeoutSeconds: watchSeconds, signal: limited });
  for await (const event of events) {
    if (event.type === 'ERROR') throw event.error;
    if (event.type === 'BOOKMARK') continue;
    const { object } = event;
    if (event.type === 'DELETED') objects.delete(object.metadata.name);
    else objects.set(object.metadata.name, object);
    onChange([...objects.values()]);
  }
}
