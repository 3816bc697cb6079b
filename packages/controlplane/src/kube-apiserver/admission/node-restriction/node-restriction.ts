import type { KubernetesObject } from '@kubewright/apimachinery';
import { SigningRequest, sameJson } from '@kubewright/apimachinery/internal';
import type { AdmissionPlugin, Authorizer } from '@kubewright/apiserver';
import type { ReadObject } from '@kubewright/apiserver/internal';
import { nodeNameOf } from '../../authorization/node/node-identity.ts';
import { admitNode } from './node-object.ts';
import { admitEviction, admitPod, admitPodStatus } from './node-pods.ts';
import { admitToken } from './node-tokens.ts';
import { type NodeWrite, quoted, rejection } from './node-write.ts';

/**
 * Restricts nodes to writing their own Node, Lease, CSINode, ResourceSlices and pods. The node authorizer cannot check this,
 * because it does not get the objects. Mirrors `NodeRestriction` (1.36).
 */
export function nodeRestriction(options: {
  readonly read: ReadObject;
  readonly authorizer: Authorizer;
}): AdmissionPlugin {
  const { read, authorizer } = options;
  return {
    name: 'NodeRestriction',
    async mutate(attributes) {
      const node = nodeNameOf(attributes.user);
      if (node === undefined) return;
      const write: NodeWrite = { node, attributes, read };
      if (node === '') {
        throw rejection(write, `could not determine node from user ${quoted(attributes.user.username)}`);
      }
      const { definition } = attributes;
      await admitters[`${definition.group}/${definition.resource}`]?.(write, authorizer);
    },
  };
}

/** Restrictions, by `<group>/<resource>`. */
const admitters: Readonly<Record<string, (write: NodeWrite, authorizer: Authorizer) => Promise<void>>> = {
  '/pods': admitPods,
  '/nodes': admitNode,
  '/persistentvolumeclaims': admitClaim,
  '/serviceaccounts': admitToken,
  'certificates.k8s.io/certificatesigningrequests': admitSigningRequest,
  'coordination.k8s.io/leases': admitLease,
  'storage.k8s.io/csinodes': (write) => admitOwnName(write, 'CSINode'),
  'resource.k8s.io/resourceslices': admitResourceSlice,
};

async function admitPods(write: NodeWrite): Promise<void> {
  const { subresource } = write.attributes;
  if (subresource === '') return admitPod(write);
  if (subresource === 'status') return admitPodStatus(write);
  if (subresource === 'eviction') return admitEviction(write);
  throw rejection(write, `unexpected pod subresource ${quoted(subresource)}, only 'status' and 'eviction' are allowed`);
}

/** Allows a node to report only the capacity, resize state and conditions of a claim. */
async function admitClaim(write: NodeWrite): Promise<void> {
  const { node, attributes } = write;
  const { operation, subresource, object, oldObject } = attributes;
  if (subresource !== 'status') throw rejection(write, 'may only update PVC status');
  if (operation !== 'UPDATE') throw rejection(write, `unexpected operation ${quoted(operation)}`);
  if (sameJson(withoutNodeFields(object), withoutNodeFields(oldObject))) return;
  throw rejection(
    write,
    `node ${quoted(node)} is not allowed to update fields other than status.quantity and status.conditions`,
  );
}

/** Returns a claim without the fields that a node or the server may change. */
function withoutNodeFields(object: object | undefined): object {
  const claim = object as KubernetesObject & { readonly status?: Readonly<Record<string, unknown>> };
  const { resourceVersion: _version, managedFields: _fields, ...metadata } = claim.metadata;
  const {
    capacity: _capacity,
    conditions: _conditions,
    allocatedResources: _resources,
    allocatedResourceStatuses: _statuses,
    ...status
  } = claim.status ?? {};
  return { ...claim, metadata, status };
}

async function admitLease(write: NodeWrite): Promise<void> {
  if (write.attributes.namespace !== 'kube-node-lease') {
    throw rejection(write, 'can only access leases in the "kube-node-lease" system namespace');
  }
  await admitOwnName(write, 'node lease');
}

/** Allows a node to request kubelet certificates only for itself. The signer checks everything else. */
async function admitSigningRequest(write: NodeWrite): Promise<void> {
  const { node, attributes } = write;
  if (attributes.operation !== 'CREATE') return;
  const { spec } = attributes.object as { readonly spec?: { readonly signerName?: string; readonly request?: string } };
  const ofKubelets = ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet'];
  if (!ofKubelets.includes(spec?.signerName ?? '')) return;
  const commonName = `system:node:${node}`;
  let request: SigningRequest;
  try {
    request = new SigningRequest(Buffer.from(spec?.request ?? '', 'base64').toString('latin1'));
  } catch (error) {
    throw rejection(write, `unable to parse csr: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (request.commonName !== commonName) throw rejection(write, `can only create a node CSR with CN=${commonName}`);
}

async function admitOwnName(write: NodeWrite, what: string): Promise<void> {
  if (write.attributes.name === write.node) return;
  throw rejection(write, `can only access ${what} with the same name as the requesting node`);
}

async function admitResourceSlice(write: NodeWrite): Promise<void> {
  const { node, attributes } = write;
  const { operation, object, oldObject } = attributes;
  const nodeOf = (slice: object | undefined) =>
    (slice as { readonly spec?: { readonly nodeName?: string | null } } | undefined)?.spec?.nodeName;
  if (operation === 'CREATE' && nodeOf(object) !== node) {
    throw rejection(write, 'can only create ResourceSlice with the same NodeName as the requesting node');
  }
  // Admission runs twice for a DELETE, first without the object.
  if (operation === 'DELETE' && oldObject !== undefined && nodeOf(oldObject) !== node) {
    throw rejection(write, 'can only delete ResourceSlice with the same NodeName as the requesting node');
  }
}
