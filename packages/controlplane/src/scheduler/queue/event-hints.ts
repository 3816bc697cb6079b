import type { PendingPod } from '../cluster/pod-info.ts';
import type { ClusterEvent } from '../framework/cluster-event.ts';
import type { ClusterView } from '../framework/cluster-view.ts';
import type { EventHint } from '../framework/plugin.ts';

/** A plugin with a hint for an event, and the function that decides whether the event may help a pod. */
export interface PluginHint {
  readonly plugin: string;
  readonly helps: NonNullable<EventHint['helps']>;
}

/** The event hints of all plugins, by resource and action. */
export class EventHints {
  readonly #hints = new Map<string, PluginHint[]>();

  constructor(plugins: readonly { readonly name: string; readonly hints?: readonly EventHint[] }[]) {
    for (const { name, hints = [] } of plugins) {
      for (const { resource, actions, helps = () => true } of hints) {
        for (const action of actions) {
          const key = `${resource}/${action}`;
          const known = this.#hints.get(key) ?? [];
          this.#hints.set(key, known);
          known.push({ plugin: name, helps });
        }
      }
    }
  }

  /** Returns the hints for an event. */
  for({ resource, action }: ClusterEvent): readonly PluginHint[] {
    return this.#hints.get(`${resource}/${action}`) ?? [];
  }
}

/** True if the event may make the pod schedulable. A hint that throws counts as true, so that it cannot keep a pod waiting. */
export function helps(
  { helps: hint }: PluginHint,
  about: { readonly pod: PendingPod; readonly event: ClusterEvent; readonly view: ClusterView },
): boolean {
  try {
    return hint(about.pod, about.event, about.view);
  } catch {
    // A hint throws, for example, if a stored selector predates stricter validation and no longer parses.
    return true;
  }
}
