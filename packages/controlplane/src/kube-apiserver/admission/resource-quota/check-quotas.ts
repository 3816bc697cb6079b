import type { KubernetesObject, Stored } from '@kubewright/apimachinery';
import type { ResourceQuota } from '@kubewright/apimachinery/core/v1';
import { scopesOf } from '../../../usage/quota-scopes.ts';
import { addAmounts, amountsOf, type ResourceAmounts } from '../../../usage/resource-amounts.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';

/** A write to check before it is stored. */
export interface ChargedWrite {
  readonly object: KubernetesObject;
  /** The object before the update; undefined for a creation. */
  readonly old: KubernetesObject | undefined;
  readonly nowMs: number;
}

/** The quotas to charge, with their new usage; or the reason for the rejection. */
export type QuotaDecision =
  | { readonly rejection: string }
  | { readonly charged: readonly { readonly quota: Stored<ResourceQuota>; readonly used: ResourceAmounts }[] };

/** Checks whether a write fits the quotas of its namespace. Mirrors `CheckRequest` of k8s.io/apiserver's quota admission (1.36). */
export function checkQuotas(
  quotas: readonly Stored<ResourceQuota>[],
  write: ChargedWrite,
  evaluator: QuotaEvaluator,
): QuotaDecision {
  const matching: { readonly quota: Stored<ResourceQuota>; readonly names: readonly string[] }[] = [];
  for (const quota of quotas) {
    if (!matches(quota, write.object, evaluator)) continue;
    const { name } = quota.metadata;
    const names = Object.keys(quota.status?.hard ?? {}).filter(evaluator.uses);
    const missing = evaluator.missing?.(write.object, names);
    if (missing !== undefined) return { rejection: `failed quota: ${name}: ${missing}` };
    if (names.some((each) => quota.status?.used?.[each] === undefined))
      return { rejection: `status unknown for quota: ${name}, resources: ${names.toSorted().join(',')}` };
    matching.push({ quota, names });
  }
  const usage = evaluator.usage(write.object, write.nowMs);
  const charged: { readonly quota: Stored<ResourceQuota>; readonly used: ResourceAmounts }[] = [];
  for (const { quota, names } of matching) {
    // An object that was outside the quota's scopes before is charged in full.
    const isCharged = write.old !== undefined && matches(quota, write.old, evaluator);
    const before = isCharged && write.old ? evaluator.usage(write.old, write.nowMs) : {};
    const requested = increase(usage, before, names);
    if (Object.keys(requested).length === 0) continue;
    const used = addAmounts(amountsOf(quota.status?.used), requested);
    const rejection = exceeded(quota, requested, used);
    if (rejection !== undefined) return { rejection };
    charged.push({ quota, used });
  }
  return { charged };
}

/** True if a quota limits something that the object uses, and the object matches all scopes of the quota. */
function matches(quota: ResourceQuota, object: KubernetesObject, evaluator: QuotaEvaluator): boolean {
  const names = Object.keys(quota.status?.hard ?? {});
  return names.some(evaluator.uses) && scopesOf(quota).every((scope) => evaluator.isInScope(object, scope));
}

/** Returns the increase in usage of the named resources. */
function increase(after: ResourceAmounts, before: ResourceAmounts, names: readonly string[]): ResourceAmounts {
  const amounts = names.flatMap((name) => {
    const amount = after[name];
    if (amount === undefined) return [];
    const more = before[name] ? amount.sub(before[name]) : amount;
    return more.sign > 0 ? [[name, more] as const] : [];
  });
  return Object.fromEntries(amounts);
}

function exceeded(quota: ResourceQuota, requested: ResourceAmounts, used: ResourceAmounts): string | undefined {
  const hard = amountsOf(quota.status?.hard);
  const over = Object.keys(requested)
    .filter((name) => hard[name] && used[name] && used[name].compare(hard[name]) > 0)
    .toSorted();
  if (over.length === 0) return undefined;
  const before = amountsOf(quota.status?.used);
  const list = (amounts: ResourceAmounts): string => over.map((name) => `${name}=${amounts[name]}`).join(',');
  return `exceeded quota: ${quota.metadata.name}, requested: ${list(requested)}, used: ${list(before)}, limited: ${list(hard)}`;
}
