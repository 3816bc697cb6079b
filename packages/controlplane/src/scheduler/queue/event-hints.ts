import type { PendingPod } from '../cluster/pod-info.ts';
import type { ClusterEvent } from '../framework/cluster-event.ts';
import type { ClusterView } from '../framework/cluster-view.ts';
import type { EventHint } from '../framework/plugin.ts';

/** A plugin that is interested in an event, and its hint for one pod. */
export interface PluginHint {
  readonly plugin: string;
  readonly helps: NonNullable<EventHint['helps']>;
}

/** The hints of all plugins, by event. */
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

  /** Returns the plugins that are interested in an event. */
  for({ resource, action }: ClusterEvent): readonly PluginHint[] {
    return this.#hints.get(`${resource}/${action}`) ?? [];
  }
}

/** Decides whether a hint helps; a failing hint must not keep a pod waiting. */
export function helps(
  { helps: hint }: PluginHint,
  about: { readonly pod: PendingPod; readonly event: ClusterEvent; readonly view: ClusterView },
): boolean {
  try {
    return hint(about.pod, about.event, about.view);
  } catch {
    // For example a selector that the API server accepted before its rules were tightened.
    return true;
  }
}
