import { LabelSelector } from '@kubewright/apimachinery';
import type { PodTemplateSpec } from '@kubewright/apimachinery/core/v1';
import type { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';
import type { EventHandler, ReconcileRequest } from '@kubewright/runtime';

interface Workload {
  readonly spec?: { readonly replicas?: number; readonly template?: PodTemplateSpec };
}

/** Finds the budgets that cover a pod. Requires a watch of budgets whose handler is {@link BudgetSelectors.track}. */
export class BudgetSelectors {
  readonly #selectors = new Map<string, Map<string, LabelSelector>>();

  /** Handler for a watch of budgets. Records their selectors and enqueues nothing. */
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

  /** Handler for watches of workloads. If a workload's size changed, enqueues the budgets that cover its pods. */
  readonly enqueueScaled: EventHandler<Workload> = (event, context) => {
    const { namespace, object } = event.object;
    if (event.type === 'update' && event.old.object.spec?.replicas === object.spec?.replicas) return;
    const labels = object.spec?.template?.metadata?.labels ?? {};
    for (const budget of this.matching(namespace, labels)) context.enqueue(budget);
  };
}
