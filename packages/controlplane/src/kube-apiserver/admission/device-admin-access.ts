import { type FieldError, FieldPath, forbiddenField, invalid } from '@kubewright/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '@kubewright/apiserver';
import type { ReadObject } from '@kubewright/apiserver/internal';
import { handles } from './handles.ts';

const label = 'resource.kubernetes.io/admin-access';

interface DeviceRequests {
  readonly devices?: { readonly requests?: readonly { readonly exactly?: { readonly adminAccess?: boolean } }[] };
}

interface Allocated {
  readonly allocation?: { readonly devices?: { readonly results?: readonly { readonly adminAccess?: boolean }[] } };
}

/**
 * Allows administrative access to devices only in namespaces with a label. Upstream checks this in the strategies of claims and of
 * their templates (`AuthorizedForAdmin`, 1.36); here it is a plugin, because a strategy cannot read the namespace.
 */
export function deviceAdminAccess(read: ReadObject): AdmissionPlugin {
  return {
    name: 'DeviceAdminAccess',
    handles: handles('resource.k8s.io', 'resourceclaims', 'resourceclaimtemplates'),
    async validate({ definition, operation, subresource, namespace, object, oldObject }: AdmissionAttributes) {
      if (object === undefined) return;
      const path = requestedPath({ resource: definition.resource, operation, subresource, object, oldObject });
      if (path === undefined) return;
      const found = await read({ group: '', resource: 'namespaces', name: namespace });
      if (found?.metadata.labels?.[label] === 'true') return;
      const detail = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
      const fault: FieldError = forbiddenField(path, detail);
      throw invalid({ group: definition.group, kind: definition.kind }, object.metadata.name ?? '', [fault]);
    },
  };
}

/** Returns the field that requests administrative access; undefined if none does, or if it is already granted. */
function requestedPath({
  resource,
  operation,
  subresource,
  object,
  oldObject,
}: Pick<AdmissionAttributes, 'operation' | 'subresource' | 'object' | 'oldObject'> & {
  readonly resource: string;
}): FieldPath | undefined {
  if (resource === 'resourceclaims' && subresource === 'status') {
    return grantedIndex(oldObject) < 0 ? grantedPath(grantedIndex(object)) : undefined;
  }
  // The spec cannot change later.
  if (operation !== 'CREATE' || subresource !== '') return undefined;
  const spec = object?.['spec'] as DeviceRequests & { readonly spec?: DeviceRequests };
  const claim = resource === 'resourceclaimtemplates' ? spec?.spec : spec;
  const index = claim?.devices?.requests?.findIndex(({ exactly }) => exactly?.adminAccess === true) ?? -1;
  return index < 0 ? undefined : FieldPath.of('spec', 'devices', 'requests').index(index).child('adminAccess');
}

function grantedIndex(claim: unknown): number {
  const { status } = claim as { readonly status?: Allocated };
  return status?.allocation?.devices?.results?.findIndex(({ adminAccess }) => adminAccess === true) ?? -1;
}

function grantedPath(index: number): FieldPath | undefined {
  if (index < 0) return undefined;
  return FieldPath.of('status', 'allocation', 'devices', 'results').index(index).child('adminAccess');
}
