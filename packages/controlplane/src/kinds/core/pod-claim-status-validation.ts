import { duplicateField, type FieldError, FieldPath, invalidField, requiredField } from '@kubewright/apimachinery';
import type { ContainerExtendedResourceRequest, Pod, PodSpec } from '../generated/drafts.ts';
import { dnsLabel, dnsSubdomain } from '../validation/rules.ts';

const path = FieldPath.of('status', 'extendedResourceClaimStatus');

/** Validates the status of the claim that the scheduler created for a pod's extended resources. */
export function extendedClaimFaults({ spec, status }: Pod): readonly FieldError[] {
  const claim = status.extendedResourceClaimStatus;
  if (!claim) return [];
  const mappings = claim.requestMappings ?? [];
  const name = path.child('resourceClaimName');
  return [
    ...(claim.resourceClaimName === '' ? [requiredField(name)] : dnsSubdomain(claim.resourceClaimName, name)),
    ...(mappings.length === 0
      ? [requiredField(path.child('requestMappings'), 'at least one request mapping is required')]
      : mappings.flatMap((mapping, index) => mappingFaults(mapping, { spec, earlier: mappings.slice(0, index) }))),
  ];
}

function mappingFaults(
  { containerName, resourceName, requestName }: ContainerExtendedResourceRequest,
  { spec, earlier }: { readonly spec: PodSpec; readonly earlier: readonly ContainerExtendedResourceRequest[] },
): readonly FieldError[] {
  const at = path.child('requestMappings').index(earlier.length);
  const isRepeated = earlier.some(
    (one) =>
      one.containerName === containerName && one.resourceName === resourceName && one.requestName === requestName,
  );
  const repeated = [
    duplicateField(at.child('containerName'), containerName),
    duplicateField(at.child('resourceName'), resourceName),
    duplicateField(at.child('requestName'), requestName),
  ];
  return [
    ...(isRepeated ? repeated : []),
    ...placeFaults({ containerName, resourceName }, { spec, at }),
    // Upstream omits the mapping from this path.
    ...dnsLabel(requestName, path.child('requestName')),
  ];
}

function placeFaults(
  { containerName, resourceName }: Pick<ContainerExtendedResourceRequest, 'containerName' | 'resourceName'>,
  { spec, at }: { readonly spec: PodSpec; readonly at: FieldPath },
): readonly FieldError[] {
  const container = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].find(
    ({ name }) => name === containerName,
  );
  if (!container) {
    const detail = 'must match the name of an entry in spec.initContainers.name or spec.containers.name';
    return [invalidField(at.child('containerName'), containerName, detail)];
  }
  if (Object.hasOwn(container.resources.requests ?? {}, resourceName)) return [];
  const detail =
    'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests';
  return [invalidField(at.child('resourceName'), resourceName, detail)];
}
