import type { Service } from '@kubewright/apimachinery/core/v1';
import type { ObjectView } from '@kubewright/runtime';
import type { Labels } from './cluster/affinity-term.ts';

/** The selectors of all Services, by namespace. */
export class ServiceSelectors {
  readonly #byNamespace = new Map<string, Map<string, Labels>>();

  put({ namespace, name, object }: ObjectView<Service>): void {
    const { selector } = object.spec ?? {};
    this.delete({ namespace, name });
    if (!selector) return;
    const own = this.#byNamespace.get(namespace) ?? new Map<string, Labels>();
    this.#byNamespace.set(namespace, own);
    own.set(name, selector);
  }

  delete({ namespace, name }: { readonly namespace: string; readonly name: string }): void {
    const own = this.#byNamespace.get(namespace);
    own?.delete(name);
    if (own?.size === 0) this.#byNamespace.delete(namespace);
  }

  /** Returns the merged selectors of the Services that select a pod. */
  selecting(pod: { readonly namespace: string; readonly labels: Labels }): Labels {
    const merged: Record<string, string> = {};
    for (const selector of this.#byNamespace.get(pod.namespace)?.values() ?? []) {
      const selects = Object.entries(selector).every(([key, value]) => pod.labels[key] === value);
      if (selects) Object.assign(merged, selector);
    }
    return merged;
  }
}
