import { LabelSelector } from '@kubewright/apimachinery';
import { sameJson } from '@kubewright/apimachinery/internal';
import { ClusterRole, type PolicyRule } from '@kubewright/apimachinery/rbac/v1';
import { controller, enqueueMapped, type RequestContext, watch } from '@kubewright/runtime';
import type { BuiltInController } from './built-in-controller.ts';

/** Aggregates cluster roles: gives each role with an aggregation rule the combined rules of the roles that it selects. */
export function clusterRoleAggregation(): BuiltInController {
  const aggregating = new Set<string>();
  return {
    account: 'clusterrole-aggregation-controller',
    definition: controller({
      name: 'clusterrole-aggregation',
      for: ClusterRole,
      // A change to any role may affect any aggregated role, so enqueue them all: there are few of them.
      watches: [
        watch(
          ClusterRole,
          enqueueMapped(() => [...aggregating].map((name) => ({ name }))),
        ),
      ],
      async reconcile(role, ctx) {
        const name = role.metadata.name;
        const selectors = role.aggregationRule?.clusterRoleSelectors;
        if (selectors === undefined) {
          aggregating.delete(name);
          return;
        }
        aggregating.add(name);
        const rules = aggregated(
          name,
          selectors.map((selector) => LabelSelector.ofObject(selector)),
          ctx,
        );
        if (sameJson(rules, role.rules ?? [])) return;
        await ctx.client
          .resource(ClusterRole)
          .patch({ name }, { type: 'merge', body: { rules } }, { signal: ctx.signal });
      },
    }),
  };
}

function aggregated(own: string, selectors: readonly LabelSelector[], ctx: RequestContext): readonly PolicyRule[] {
  const rules: PolicyRule[] = [];
  const known = new Set<string>();
  for (const view of ctx.cache.lister(ClusterRole).views()) {
    if (view.name === own || !selectors.some((selector) => selector.matches(view.labels))) continue;
    for (const rule of view.object.rules ?? []) {
      const text = JSON.stringify(rule);
      if (!known.has(text)) rules.push(rule);
      known.add(text);
    }
  }
  return rules;
}
