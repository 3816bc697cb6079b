import { findCondition, type Stored } from '@kubewright/apimachinery';
import type { Pod, Service } from '@kubewright/apimachinery/core/v1';

/**
 * Finds the time of the change that triggered an update of a service's slices. This is the earliest change not seen
 * before, such as the service's creation or a pod that became ready or unready. Clients use it to measure how long
 * changes take to reach them.
 */
export class TriggerTimes {
  readonly #seen = new Map<string, ReadonlyMap<string, string>>();

  /** Returns the time of the earliest change since the last call for this service, or undefined if nothing changed. */
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
    // All times have the same format, so they can be compared as strings.
    return [...times]
      .filter(([name, time]) => time > (before?.get(name) ?? ''))
      .map(([, time]) => time)
      .sort()[0];
  }

  forget(key: { readonly namespace: string; readonly name: string }): void {
    this.#seen.delete(`${key.namespace}/${key.name}`);
  }
}
