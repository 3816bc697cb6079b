import { Quantity } from '@kubewright/apimachinery';
import type { ResourceAmounts } from '../../usage/resource-amounts.ts';

/** Keeps the charge of each object, and the total per resource. An update processes only the object that changes. */
export class Charges {
  readonly #objects = new Map<string, ResourceAmounts>();
  readonly #sums = new Map<string, { amount: Quantity; objects: number }>();

  /** Sets an object's charge, or removes it if `amounts` is undefined. Returns true if the charge has changed. */
  set(key: string, amounts: ResourceAmounts | undefined): boolean {
    const before = this.#objects.get(key) ?? {};
    const after = amounts ?? {};
    if (isSame(before, after)) return false;
    for (const [name, amount] of Object.entries(before)) this.#add(name, { amount: amount.negate(), objects: -1 });
    for (const [name, amount] of Object.entries(after)) this.#add(name, { amount, objects: 1 });
    if (Object.keys(after).length === 0) this.#objects.delete(key);
    else this.#objects.set(key, after);
    return true;
  }

  total(name: string): Quantity {
    return this.#sums.get(name)?.amount ?? Quantity.zero;
  }

  #add(name: string, { amount, objects }: { readonly amount: Quantity; readonly objects: number }): void {
    const sum = this.#sums.get(name);
    if (!sum) this.#sums.set(name, { amount, objects });
    else if (sum.objects + objects === 0) this.#sums.delete(name);
    else this.#sums.set(name, { amount: sum.amount.add(amount), objects: sum.objects + objects });
  }
}

function isSame(a: ResourceAmounts, b: ResourceAmounts): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => b[name] && a[name]?.equals(b[name]));
}
