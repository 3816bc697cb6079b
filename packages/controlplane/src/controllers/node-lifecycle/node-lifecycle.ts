import { Node, type Taint } from '@kubewright/apimachinery/core/v1';
import { formatTime } from '@kubewright/apimachinery/internal';
import { controller } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { patchObject } from '../object-writes.ts';

/** Taint keys by condition type and status. */
const byCondition: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: 'node.kubernetes.io/not-ready', Unknown: 'node.kubernetes.io/unreachable' },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
};
const unschedulable = 'node.kubernetes.io/unschedulable';
const ours: ReadonlySet<string> = new Set([
  unschedulable,
  ...Object.values(byCondition).flatMap((keys) => Object.values(keys)),
]);

/**
 * Maintains the NoSchedule taints that follow from a node's conditions and from cordoning. Mirrors this part of the node
 * lifecycle controller (1.36). It does not detect unreachable nodes and evicts no pods.
 */
export function nodeLifecycleController(): BuiltInController {
  return {
    account: 'node-controller',
    definition: controller({
      name: 'node-lifecycle-controller',
      for: Node,
      async reconcile(node, ctx) {
        const taints = taintsOf(node, formatTime(ctx.clock.now()));
        if (taints === undefined) return;
        // Patch with the resource version, so that other writers' taints are not lost.
        const { resourceVersion } = node.metadata;
        const body = { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } };
        await patchObject(ctx, { kind: Node, object: node, patch: { type: 'merge', body } });
      },
    }),
  };
}

/** Returns the taints that a node should have; undefined if it already has them. */
export function taintsOf({ spec, status }: Node, now: string): readonly Taint[] | undefined {
  const wanted = new Set(spec?.unschedulable ? [unschedulable] : []);
  for (const { type, status: value } of status?.conditions ?? []) {
    const key = byCondition[type]?.[value];
    if (key !== undefined) wanted.add(key);
  }
  const stored = spec?.taints ?? [];
  const kept = stored.filter(({ key, effect }) => !(effect === 'NoSchedule' && ours.has(key) && !wanted.has(key)));
  for (const { key, effect } of kept) if (effect === 'NoSchedule') wanted.delete(key);
  if (kept.length === stored.length && wanted.size === 0) return undefined;
  const added = [...wanted].map((key): Taint => ({ key, effect: 'NoSchedule', timeAdded: now }));
  return [...kept, ...added];
}
