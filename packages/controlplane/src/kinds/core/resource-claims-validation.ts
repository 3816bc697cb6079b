import { duplicateField, type FieldError, invalidField, requiredField } from '@kubewright/apimachinery';
import type { PodResourceClaim, PodSpec, ResourceClaim } from '../generated/drafts.ts';
import { type Check, present } from '../validation/check.ts';
import { dnsLabel, dnsSubdomain } from '../validation/rules.ts';
import { notFound } from './not-found.ts';

/** Validates the resource claims of a pod: unique names, and either a claim or a template for each. */
export const podResourceClaims: Check<PodResourceClaim[]> = (list, path) => {
  const seen = new Set<string>();
  return (list ?? []).flatMap((claim, index) => {
    const at = path.index(index);
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    const faults: FieldError[] = [];
    if (!name) faults.push(requiredField(at.child('name')));
    else if (seen.has(name)) faults.push(duplicateField(at.child('name'), name));
    else faults.push(...dnsLabel(name, at.child('name')));
    if (name) seen.add(name);
    const given = [resourceClaimName, resourceClaimTemplateName].filter((each) => each !== undefined).length;
    if (given !== 1) faults.push(invalidField(at, goClaim(claim), sourceDetail(given)));
    faults.push(...present(dnsSubdomain)(resourceClaimName, at.child('resourceClaimName')));
    faults.push(...present(dnsSubdomain)(resourceClaimTemplateName, at.child('resourceClaimTemplateName')));
    return faults;
  });
};

function sourceDetail(given: number): string {
  return given > 1
    ? 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'
    : 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
}

/** Formats a claim with Go's field names, for error messages. */
function goClaim({ name, resourceClaimName, resourceClaimTemplateName }: PodResourceClaim): Record<string, unknown> {
  return {
    Name: name ?? '',
    ResourceClaimName: resourceClaimName ?? null,
    ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
  };
}

/** Validates references to the resource claims of a pod: a container can refer to a claim, or to each of its requests, only once. */
export function claimReferences(spec: PodSpec): Check<ResourceClaim[]> {
  const known = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  const none = known.size === 0 ? ' which is empty' : `: ${[...known].sort().join(', ')}`;
  const unknown = `must be one of the names in pod.spec.resourceClaims${none}`;
  return (list, path) => {
    const seen = new Set<string>();
    return (list ?? []).flatMap(({ name, request }, index) => {
      const at = path.index(index);
      if (!name) return [requiredField(at)];
      const faults: FieldError[] = [];
      if (seen.has(name)) faults.push(duplicateField(at, name));
      else {
        if (request) faults.push(...dnsLabel(request, at.child('request')));
        const key = request ? `${name}/${request}` : name;
        const overlaps = request ? [] : [...seen].filter((other) => other.startsWith(`${name}/`));
        if (seen.has(key)) faults.push(duplicateField(at, key));
        else faults.push(...overlaps.map(() => duplicateField(at, name)));
        seen.add(key);
      }
      if (!known.has(name)) faults.push(notFound(at, name, unknown));
      return faults;
    });
  };
}
