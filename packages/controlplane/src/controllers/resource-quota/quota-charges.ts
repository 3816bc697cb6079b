import type { PersistentVolumeClaim, Pod, ResourceQuota, Service } from '@kubewright/apimachinery/core/v1';
import { claimUsage, deletionDeadlineMs, podUsage, serviceUsage } from '../../usage/object-usage.ts';
import { countedResource, isOfClaims, isOfPods, isOfServices } from '../../usage/quota-names.ts';
import { isClaimInScope, isPodInScope, scopesOf } from '../../usage/quota-scopes.ts';
import type { ResourceAmounts } from '../../usage/resource-amounts.ts';
import { Charges } from './charges.ts';

/** An object that a quota can charge. */
export type Chargeable =
  | { readonly kind: 'Pod'; readonly object: Pod }
  | { readonly kind: 'Service'; readonly object: Service }
  | { readonly kind: 'PersistentVolumeClaim'; readonly object: PersistentVolumeClaim };

/**
 * Computes the usage of a quota from the objects of its namespace. Keeps the charge of each object, so that a change recalculates
 * only one object. Mirrors `CalculateUsage` (1.36).
 */
export class QuotaCharges {
  readonly #names: readonly string[];
  readonly #scopes: ReturnType<typeof scopesOf>;
  readonly #identity: string;
  readonly #charges = new Charges();
  /** Terminating pods that stop being charged when their deletion is overdue, by key. */
  readonly #ending = new Map<string, { readonly pod: Pod; readonly deadlineMs: number }>();

  constructor(quota: ResourceQuota) {
    this.#names = Object.keys(quota.spec?.hard ?? {});
    this.#scopes = scopesOf(quota);
    this.#identity = identityOf(quota);
  }

  /** True if a new version of the quota still charges the same objects for the same resources. */
  isFor(quota: ResourceQuota): boolean {
    return this.#identity === identityOf(quota);
  }

  /** Charges an object that was created or changed. Returns true if the usage may differ. */
  charge(charged: Chargeable): boolean {
    const { kind, object } = charged;
    const key = keyOf(kind, object.metadata.uid);
    const hasNewEnd = kind === 'Pod' && this.#noteEnd(key, object);
    return this.#charges.set(key, this.#amountsOf(charged)) || hasNewEnd;
  }

  /** Stops charging an object that was deleted. Returns true if the usage may differ. */
  release(kind: Chargeable['kind'], uid: string): boolean {
    const key = keyOf(kind, uid);
    this.#ending.delete(key);
    return this.#charges.set(key, undefined);
  }

  /**
   * Stops charging pods whose deletion is overdue. Returns the time, in milliseconds, until the next pod's deletion is
   * overdue, or undefined if no other pod is being deleted.
   */
  expire(nowMs: number): number | undefined {
    let nextMs: number | undefined;
    for (const [key, { pod, deadlineMs }] of this.#ending) {
      if (nowMs > deadlineMs) {
        this.#ending.delete(key);
        this.#charges.set(key, this.#amountsOf({ kind: 'Pod', object: pod }, nowMs));
      } else {
        nextMs = Math.min(nextMs ?? Number.POSITIVE_INFINITY, deadlineMs + 1 - nowMs);
      }
    }
    return nextMs;
  }

  /** Returns the usage of the quota's resources. Leaves out resources whose count is unknown. */
  used(count: (resource: string) => number | undefined): Readonly<Record<string, string>> {
    const used: Record<string, string> = {};
    for (const name of this.#names) {
      const resource = countedResource(name);
      if (resource !== undefined) {
        const number = count(resource);
        // Scopes select only pods and claims, so a quota with scopes counts no other objects.
        if (number !== undefined) used[name] = String(this.#scopes.length > 0 ? 0 : number);
      } else if (isOfPods(name) || isOfServices(name) || isOfClaims(name)) {
        used[name] = this.#charges.total(name).toString();
      }
    }
    return used;
  }

  #noteEnd(key: string, pod: Pod): boolean {
    const deadlineMs = deletionDeadlineMs(pod);
    const before = this.#ending.get(key)?.deadlineMs;
    if (deadlineMs === undefined) this.#ending.delete(key);
    else this.#ending.set(key, { pod, deadlineMs });
    return before !== deadlineMs;
  }

  #amountsOf(charged: Chargeable, nowMs = 0): ResourceAmounts {
    switch (charged.kind) {
      case 'Pod': {
        const isIn = this.#scopes.every((scope) => isPodInScope(charged.object, scope));
        return isIn ? this.#pick(isOfPods, () => podUsage(charged.object, nowMs)) : {};
      }
      case 'Service':
        return this.#scopes.length === 0 ? this.#pick(isOfServices, () => serviceUsage(charged.object)) : {};
      case 'PersistentVolumeClaim': {
        const isIn = this.#scopes.every((scope) => isClaimInScope(charged.object, scope));
        return isIn ? this.#pick(isOfClaims, () => claimUsage(charged.object)) : {};
      }
    }
  }

  #pick(isWanted: (name: string) => boolean, usage: () => ResourceAmounts): ResourceAmounts {
    const names = this.#names.filter(isWanted);
    if (names.length === 0) return {};
    const amounts = usage();
    const picked: Record<string, NonNullable<(typeof amounts)[string]>> = {};
    for (const name of names) if (amounts[name]) picked[name] = amounts[name];
    return picked;
  }
}

function keyOf(kind: string, uid = ''): string {
  return `${kind}/${uid}`;
}

function identityOf(quota: ResourceQuota): string {
  return JSON.stringify([Object.keys(quota.spec?.hard ?? {}).toSorted(), scopesOf(quota)]);
}
