import { isNotFound } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { Node } from '@kubewright/apimachinery/core/v1';
import type { ReconcileRequest, ReconcileResult, RequestContext } from '@kubewright/runtime';
import { formatMicroTime } from './micro-time.ts';

/** Interval between renewals, in milliseconds. */
const heartbeatMs = 10_000;
const leaseDurationSeconds = 40;

/** Returns the key of a node's lease. */
export function nodeLeaseKey(nodeName: string): ReconcileRequest {
  return { namespace: 'kube-node-lease', name: nodeName };
}

/** Renews the lease that shows that the node is alive; creates the lease if needed. */
export async function reconcileLease(key: ReconcileRequest, ctx: RequestContext): Promise<ReconcileResult> {
  const { name } = key;
  const { signal } = ctx;
  const leases = ctx.client.resource(Lease);
  const renewTime = formatMicroTime(ctx.clock.now());
  const spec = { holderIdentity: name, leaseDurationSeconds, renewTime };
  try {
    await leases.patch(key, { type: 'merge', body: { spec } }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const node = ctx.cache.lister(Node).get({ name });
    const owner = node && { apiVersion: 'v1', kind: 'Node', name, uid: node.metadata.uid };
    const metadata = { ...key, ...(owner && { ownerReferences: [owner] }) };
    await leases.create(Lease({ metadata, spec }), { signal });
  }
  return { requeueAfterMs: heartbeatMs };
}
