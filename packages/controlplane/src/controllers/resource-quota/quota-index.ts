import type { ResourceQuota } from '@kubewright/apimachinery/core/v1';
import type { EventHandler, ReconcileRequest } from '@kubewright/runtime';
import { countedResource } from '../../usage/quota-names.ts';
import type { QuotaCharges } from './quota-charges.ts';

interface Entry {
  /** The resources whose objects the quota counts. */
  readonly resources: ReadonlySet<string>;
  /** The quota's charges; undefined until its first reconcile. */
  charges: QuotaCharges | undefined;
}

/**
 * The quotas of each namespace, with their charges. Requires a watch of quotas whose handler is {@link
 * QuotaIndex.track}.
 */
export class QuotaIndex {
  readonly #namespaces = new Map<string, Map<string, Entry>>();
  /** The number of quotas that count a resource. */
  readonly #uses = new Map<string, number>();
  readonly #unused: (resource: string) => void;

  /** @param unused - called with a resource that no quota counts any longer. */
  constructor(unused: (resource: string) => void) {
    this.#unused = unused;
  }

  /** Handler for a watch of quotas. Records them and enqueues nothing. */
  readonly track: EventHandler<ResourceQuota> = ({ type, object: { namespace, name, object } }) => {
    const quotas = this.#namespaces.get(namespace) ?? new Map<string, Entry>();
    const before = quotas.get(name);
    if (type === 'delete') {
      quotas.delete(name);
    } else {
      const resources = new Set(Object.keys(object.spec?.hard ?? {}).flatMap((each) => countedResource(each) ?? []));
      quotas.set(name, { resources, charges: before?.charges });
      for (const resource of resources) this.#use(resource, 1);
    }
    for (const resource of before?.resources ?? []) this.#use(resource, -1);
    if (quotas.size > 0) this.#namespaces.set(namespace, quotas);
    else this.#namespaces.delete(namespace);
  };

  /** True if any quota counts a resource. */
  counts(resource: string): boolean {
    return this.#uses.has(resource);
  }

  /** Returns the quotas of a namespace that count a resource. */
  counting(namespace: string, resource: string): readonly ReconcileRequest[] {
    const quotas = [...(this.#namespaces.get(namespace) ?? [])];
    return quotas.filter(([, { resources }]) => resources.has(resource)).map(([name]) => ({ namespace, name }));
  }

  /** Returns a quota's charges, or undefined if they are not known yet. */
  charges(namespace: string, name: string): QuotaCharges | undefined {
    return this.#namespaces.get(namespace)?.get(name)?.charges;
  }

  setCharges({ namespace = '', name }: ReconcileRequest, charges: QuotaCharges): void {
    const entry = this.#namespaces.get(namespace)?.get(name);
    if (entry) entry.charges = charges;
  }

  /** Applies a change to the charges of all quotas of a namespace. Returns the quotas whose usage may have changed. */
  change(namespace: string, change: (charges: QuotaCharges) => boolean): readonly ReconcileRequest[] {
    const changed: ReconcileRequest[] = [];
    for (const [name, { charges }] of this.#namespaces.get(namespace) ?? []) {
      if (charges && change(charges)) changed.push({ namespace, name });
    }
    return changed;
  }

  /** Drops all charges, so that they are recalculated; called when changes may have been missed. */
  forgetCharges(): void {
    for (const quotas of this.#namespaces.values()) {
      for (const entry of quotas.values()) entry.charges = undefined;
    }
  }

  #use(resource: string, change: 1 | -1): void {
    const uses = (this.#uses.get(resource) ?? 0) + change;
    if (uses > 0) {
      this.#uses.set(resource, uses);
      return;
    }
    this.#uses.delete(resource);
    this.#unused(resource);
  }
}
