import { ageOf } from '@kubewright/apiserver/internal';
import type { Node } from '../generated/drafts.ts';
import { orNone } from '../table/cell-text.ts';
import { type CellsEntry, cellsOf } from '../table/kind-cells.ts';

const rolePrefix = 'node-role.kubernetes.io/';

/** Table row of a node: `node-1  Ready,SchedulingDisabled  worker  5d  v1.36.3 …`. */
export const nodeCells: CellsEntry = cellsOf<Node>('/v1/nodes', (node, nowMs) => {
  const { nodeInfo } = node.status;
  const kernel = nodeInfo.kernelVersion || '<unknown>';
  return [
    node.metadata.name,
    statusOf(node),
    orNone(rolesOf(node).join(',')),
    ageOf(node.metadata.creationTimestamp, nowMs),
    nodeInfo.kubeletVersion,
    addressOf(node, 'InternalIP'),
    addressOf(node, 'ExternalIP'),
    nodeInfo.osImage || '<unknown>',
    nodeInfo.architecture ? `${kernel} (${nodeInfo.architecture})` : kernel,
    nodeInfo.containerRuntimeVersion || '<unknown>',
  ];
});

function statusOf({ spec, status }: Node): string {
  const ready = (status.conditions ?? []).find(({ type }) => type === 'Ready');
  const text = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec.unschedulable ? `${text},SchedulingDisabled` : text;
}

function rolesOf({ metadata }: Node): readonly string[] {
  const roles = Object.entries(metadata.labels ?? {}).map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length);
    return key === 'kubernetes.io/role' ? value : '';
  });
  return [...new Set(roles.filter((role) => role !== ''))].sort();
}

function addressOf({ status }: Node, wanted: string): string {
  return orNone((status.addresses ?? []).find(({ type }) => type === wanted)?.address);
}
