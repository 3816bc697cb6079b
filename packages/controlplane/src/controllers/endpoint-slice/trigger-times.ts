import { findCondition } from '@kubewright/apimachinery';
import type { Pod, Service } from '@kubewright/apimachinery/core/v1';

/**
 * Finds out when what a slice shows came about: the earliest of the changes (the service's creation, pods becoming ready or
 * not) that were not seen before. Readers measure with it how long changes take to reach them.
 */
export class TriggerTimes {
  readonly #seen = new Map<string, ReadonlyMap<string, string>>();

  /** The time of the earliest change since the last call for this service; undefined when none has a time. */
  next(service: Service, pods: readonly Pod[]): string | undefined {
    const key = `${service.metadata.namespace}/${service.metadata.name}`;
    const before = this.#seen.get(key);
    const times = new Map<string, string>();
    const { creationTimestamp } = service.metadata;
    if (creationTimestamp) times.set('', creationTimestamp);
    for (const { metadata, status } of pods) {
      const since = findCondition(status?.conditions, 'Ready')?.lastTransitionTime;
      if (since) times.set(metadata.name ?? '', since);
    }
    this.#seen.set(key, times);
    // All in one form, so that the order of texts is the order of times.
    return [...times]
      .filter(([name, time]) => time > (before?.get(name) ?? ''))
      .map(([, time]) => time)
      .sort()[0];
  }

  forget(key: { readonly namespace: string; readonly name: string }): void {
    this.#seen.delete(`${key.namespace}/${key.name}`);
  }
}
