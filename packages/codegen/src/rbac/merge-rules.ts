import type { RbacRule } from './rule.ts';

type Part = 'groups' | 'resources' | 'resourceNames' | 'urls' | 'verbs';

const parts: readonly Part[] = ['groups', 'resources', 'resourceNames', 'urls', 'verbs'];

/**
 * Merges rules like controller-gen. Joins rules that differ only in their verbs, then those that differ only in resources,
 * groups and URLs, in this order. `core` becomes the empty group; `*` replaces all other values of its list. The result is
 * sorted by group, resource and resource name.
 */
export function mergeRules(rules: readonly RbacRule[]): readonly RbacRule[] {
  let merged = rules.flatMap(({ groups, resources, ...rest }) =>
    // Splits rules into one resource each, so that rules about the same resource are merged.
    resources.length === 0
      ? [normal({ groups, resources, ...rest })]
      : resources.map((resource) => normal({ groups, resources: [resource], ...rest })),
  );
  for (const part of ['verbs', 'resources', 'groups', 'urls'] as const) merged = joinBy(merged, part);
  return merged.sort((a, b) => compare(a, b));
}

function normal(rule: RbacRule): RbacRule {
  const groups = rule.groups.map((group) => (group === 'core' ? '' : group));
  return { ...rule, groups: tidy(groups), verbs: tidy(rule.verbs), urls: tidy(rule.urls) };
}

function tidy(values: readonly string[]): readonly string[] {
  return values.includes('*') ? ['*'] : [...new Set(values)].sort();
}

function joinBy(rules: readonly RbacRule[], part: Part): RbacRule[] {
  const byRest = new Map<string, RbacRule>();
  for (const rule of rules) {
    const key = JSON.stringify(parts.filter((each) => each !== part).map((each) => rule[each]));
    const known = byRest.get(key);
    byRest.set(key, known === undefined ? rule : { ...known, [part]: tidy([...known[part], ...rule[part]]) });
  }
  return [...byRest.values()];
}

function compare(a: RbacRule, b: RbacRule): number {
  for (const part of parts) {
    const [x, y] = [a[part].join('&'), b[part].join('&')];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}
