import { sameJson } from '@kubewright/apimachinery/internal';
import { type NodeWrite, quoted, rejection } from './node-write.ts';

/** The parts of a Node that the node itself may not change. */
interface StoredNode {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly unknown[];
  };
  readonly spec?: { readonly configSource?: unknown; readonly taints?: readonly unknown[] | null };
}

const nodeRestriction = 'node-restriction.kubernetes.io';
/** Labels in the `kubernetes.io` and `k8s.io` namespaces that a kubelet may set. */
const kubeletLabels: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);
const kubeletDomains = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

/** Allows a node to write its own Node, except for fields that would let it attract pods: taints, owners and protected labels. */
export async function admitNode(write: NodeWrite): Promise<void> {
  const { node, attributes } = write;
  const { operation, name, object, oldObject } = attributes;
  const who = `node ${quoted(node)}`;
  if (name !== node) throw rejection(write, `${who} is not allowed to modify node ${quoted(name)}`);
  if (operation !== 'CREATE' && operation !== 'UPDATE') return;
  const after = object as unknown as StoredNode;
  const before = oldObject as unknown as StoredNode | undefined;
  const forbidden = modifiedLabels(after, before).filter(isForbiddenLabel).sort().join(', ');
  if (before === undefined) {
    if (after.spec?.configSource) {
      throw rejection(write, `${who} is not allowed to create pods with a non-nil configSource`);
    }
    if (forbidden !== '') throw rejection(write, `${who} is not allowed to set the following labels: ${forbidden}`);
    return;
  }
  const { configSource } = after.spec ?? {};
  if (configSource && !sameJson(configSource, before.spec?.configSource ?? null)) {
    throw rejection(write, `${who} is not allowed to update configSource to a new non-nil configSource`);
  }
  if (!sameJson(after.spec?.taints ?? [], before.spec?.taints ?? [])) {
    throw rejection(write, `${who} is not allowed to modify taints`);
  }
  if (!sameJson(after.metadata.ownerReferences ?? [], before.metadata.ownerReferences ?? [])) {
    throw rejection(write, `${who} is not allowed to modify ownerReferences`);
  }
  if (forbidden !== '') throw rejection(write, `is not allowed to modify labels: ${forbidden}`);
}

function modifiedLabels(after: StoredNode, before: StoredNode | undefined): readonly string[] {
  const [now, then] = [after.metadata.labels ?? {}, before?.metadata.labels ?? {}];
  return Object.keys({ ...now, ...then }).filter((key) => now[key] !== then[key]);
}

function isForbiddenLabel(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  if (isWithin(domain, nodeRestriction)) return true;
  if (!isWithin(domain, 'kubernetes.io') && !isWithin(domain, 'k8s.io')) return false;
  return !kubeletLabels.has(key) && !kubeletDomains.some((allowed) => isWithin(domain, allowed));
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}
