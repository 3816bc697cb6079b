import type { QueuedPod } from './queued-pod.ts';

/**
 * The pods that wait for an event, indexed by the plugins that rejected them, so that an event checks only the pods that it may
 * help.
 */
export class WaitingPods {
  readonly #pods = new Set<QueuedPod>();
  readonly #byPlugin = new Map<string, Set<QueuedPod>>();

  get size(): number {
    return this.#pods.size;
  }

  has(queued: QueuedPod): boolean {
    return this.#pods.has(queued);
  }

  /** Adds a pod. Call {@link WaitingPods.delete} before you change its `rejectors`. */
  add(queued: QueuedPod): void {
    this.delete(queued);
    this.#pods.add(queued);
    for (const plugin of queued.rejectors) {
      const pods = this.#byPlugin.get(plugin) ?? new Set<QueuedPod>();
      this.#byPlugin.set(plugin, pods);
      pods.add(queued);
    }
  }

  delete(queued: QueuedPod): boolean {
    if (!this.#pods.delete(queued)) return false;
    for (const plugin of queued.rejectors) {
      const pods = this.#byPlugin.get(plugin);
      pods?.delete(queued);
      if (pods?.size === 0) this.#byPlugin.delete(plugin);
    }
    return true;
  }

  /** Returns the waiting pods that a plugin rejected. */
  rejectedBy(plugin: string): readonly QueuedPod[] {
    return [...(this.#byPlugin.get(plugin) ?? [])];
  }

  /** Returns the pods that started to wait before the given time. */
  waitingSince(latestMs: number): readonly QueuedPod[] {
    return [...this.#pods].filter(({ sinceMs }) => sinceMs < latestMs);
  }
}
