import { Node } from '@kubewright/apimachinery/core/v1';
import { controller } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { patchObject } from '../object-writes.ts';

const annotation = 'node.alpha.kubernetes.io/ttl';

/** The TTL of cached Secrets and ConfigMaps in kubelets, by cluster size. */
const steps: readonly { readonly least: number; readonly most: number; readonly seconds: number }[] = [
  { least: 0, most: 100, seconds: 0 },
  { least: 90, most: 500, seconds: 15 },
  { least: 450, most: 1_000, seconds: 30 },
  { least: 900, most: 2_000, seconds: 60 },
  { least: 1_800, most: Number.POSITIVE_INFINITY, seconds: 300 },
];

/**
 * Annotates nodes with the time that their kubelets may cache Secrets and ConfigMaps. Mirrors the TTL controller
 * (1.36).
 */
export function nodeTtlController(): BuiltInController {
  let step = 0;
  return {
    account: 'ttl-controller',
    definition: controller({
      name: 'ttl-controller',
      for: Node,
      // The controller's bootstrap role cannot get single nodes.
      fenced: false,
      async reconcile(node, ctx) {
        step = stepFor(ctx.cache.lister(Node).size, step);
        const value = String(steps[step]?.seconds ?? 0);
        if (node.metadata.annotations?.[annotation] === value) return;
        const body = { metadata: { annotations: { [annotation]: value } } };
        await patchObject(ctx, { kind: Node, object: node, patch: { type: 'strategic', body } });
      },
    }),
  };
}

/**
 * Returns the index of the step for a number of nodes. The steps overlap, so that small changes in cluster size do not
 * switch back and forth between two steps.
 */
export function stepFor(nodes: number, before: number): number {
  let step = before;
  while (nodes > (steps[step]?.most ?? 0)) step++;
  while (nodes < (steps[step]?.least ?? 0)) step--;
  return step;
}
