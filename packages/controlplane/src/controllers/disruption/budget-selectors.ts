import { LabelSelector } from '@kubewright/apimachinery';
import type { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';
import { type EventHandler, enqueueMapped, type ReconcileRequest } from '@kubewright/runtime';

/** Index of the budgets that cover a pod, fed by a watch of the budgets. */
export class BudgetSelectors {
  readonly #selectors = new Map<string, Map<string, LabelSelector>>();

  /** Handler for a watch of the budgets; enqueues nothing. */
  readonly track: EventHandler<PodDisruptionBudget> = ({ type, object }) => {
    const { namespace, name } = object;
    const budgets = this.#selectors.get(namespace) ?? new Map<string, LabelSelector>();
    if (type === 'delete') budgets.delete(name);
    else budgets.set(name, LabelSelector.ofObject(object.object.spec?.selector));
    if (budgets.size > 0) this.#selectors.set(namespace, budgets);
    else this.#selectors.delete(namespace);
  };

  /** Returns the budgets of a namespace that cover a pod with these labels. */
  matching(namespace: string, labels: Readonly<Record<string, string>>): readonly ReconcileRequest[] {
    const budgets = [...(this.#selectors.get(namespace) ?? [])];
    return budgets.filter(([, selector]) => selector.matches(labels)).map(([name]) => ({ namespace, name }));
  }

  /** Handler for watches of controllers; enqueues all budgets of the namespace. */
  readonly enqueueAll: EventHandler<unknown> = enqueueMapped(({ namespace }) =>
    [...(this.#selectors.get(namespace)?.keys() ?? [])].map((name) => ({ namespace, name })),
  );
}
