import { LabelSelector } from '@kubewright/apimachinery';
import type { Service } from '@kubewright/apimachinery/core/v1';
import type { EventHandler, ReconcileRequest } from '@kubewright/runtime';

/**
 * Finds the services that select a pod. Requires a watch of services whose handler is {@link ServiceSelectors.track}.
 */
export class ServiceSelectors {
  readonly #selectors = new Map<string, Map<string, LabelSelector>>();

  /** Handler for a watch of services. Records their selectors and enqueues nothing. */
  readonly track: EventHandler<Service> = ({ type, object }) => {
    const services = this.#selectors.get(object.namespace) ?? new Map<string, LabelSelector>();
    const { selector } = object.object.spec ?? {};
    const selects = type !== 'delete' && Object.keys(selector ?? {}).length > 0;
    if (selects) services.set(object.name, LabelSelector.ofLabels(selector ?? {}));
    else services.delete(object.name);
    if (services.size > 0) this.#selectors.set(object.namespace, services);
    else this.#selectors.delete(object.namespace);
  };

  /** Returns the services of a namespace that select an object with these labels. */
  matching(namespace: string, labels: Readonly<Record<string, string>>): readonly ReconcileRequest[] {
    const services = this.#selectors.get(namespace) ?? new Map<string, LabelSelector>();
    return [...services].filter(([, selector]) => selector.matches(labels)).map(([name]) => ({ namespace, name }));
  }
}
