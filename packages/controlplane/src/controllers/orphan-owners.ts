import { type KubernetesObject, LabelSelector, type LabelSelectorObject } from '@kubewright/apimachinery';
import type { EventHandler, IndexFunc, ObjectView, ReconcileRequest } from '@kubewright/runtime';

/**
 * Indexes objects by the uid of their controller. Objects without a controller are indexed by namespace, see {@link orphansOf}.
 */
export const byController: IndexFunc<KubernetesObject> = ({ ownerReferences, namespace }) => {
  const controller = ownerReferences.find((reference) => reference.controller === true);
  return [controller ? controller.uid : orphansOf(namespace)];
};

/** Returns the {@link byController} index value for the objects of a namespace that have no controller. */
export function orphansOf(namespace: string): string {
  return `orphans/${namespace}`;
}

/**
 * Finds the owners whose selectors match an orphan, so that they can be enqueued to adopt it. Requires a watch of the
 * owners whose handler comes from {@link OrphanOwners.track}.
 */
export class OrphanOwners {
  readonly #selectors = new Map<string, Map<string, LabelSelector>>();

  /** Returns a handler for a watch of the owners. It records their selectors and enqueues nothing. */
  track<O extends KubernetesObject>(selectorOf: (owner: O) => LabelSelectorObject | undefined): EventHandler<O> {
    return (event) => {
      const { namespace, name } = event.object;
      if (event.type === 'delete') {
        const owners = this.#selectors.get(namespace);
        owners?.delete(name);
        if (owners?.size === 0) this.#selectors.delete(namespace);
        return;
      }
      const owners = this.#selectors.get(namespace) ?? new Map<string, LabelSelector>();
      owners.set(name, LabelSelector.ofObject(selectorOf(event.object.object)));
      this.#selectors.set(namespace, owners);
    };
  }

  /** Returns the owners that may adopt an object. Returns none if the object has a controller or is being deleted. */
  of(view: ObjectView<unknown>): readonly ReconcileRequest[] {
    if (view.deletionTimestamp !== undefined) return [];
    if (view.ownerReferences.some((reference) => reference.controller === true)) return [];
    const owners = this.#selectors.get(view.namespace) ?? new Map<string, LabelSelector>();
    return [...owners]
      .filter(([, selector]) => !selector.isEmpty && selector.matches(view.labels))
      .map(([name]) => ({ namespace: view.namespace, name }));
  }
}
