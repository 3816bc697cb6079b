import { findCondition, type Stored } from '@kubewright/apimachinery';
import type { Pod, Service } from '@kubewright/apimachinery/core/v1';

/**
 * Tracks when the changes shown by a slice happened: the earliest change not seen before, such as the service's creation or a pod
 * becoming ready or unready. Readers use it to measure how long changes take to reach them.
 */
export class TriggerTimes {
  readonly #seen = new Map<string, ReadonlyMap<string, string>>();

  /** Returns the time of the earliest change since the last call for this service; undefined if no change has a time. */
  next(service: Service, pods: readonly Stored<Pod>[]): string | undefined {
    const key = `${service.metadata.namespace}/${service.metadata.name}`;
    const before = this.#seen.get(key);
    const times = new Map<string, string>();
    const { creationTimestamp } = service.metadata;
    if (creationTimestamp) times.set('', creationTimestamp);
    for (const { metadata, status } of pods) {
      const since = findCondition(status?.conditions, 'Ready')?.lastTransitionTime;
      if (since) times.set(metadata.name, since);
    }
    this.#seen.set(key, times);
    // All times have the same format, so their text order is their time order.
    return [...times]
      .filter(([name, time]) => time > (before?.get(name) ?? ''))
      .map(([, time]) => time)
      .sort()[0];
  }

  forget(key: { readonly namespace: string; readonly name: string }): void {
    this.#seen.delete(`${key.namespace}/${key.name}`);
  }
}
