import { checkDns1123Subdomain } from '@kubewright/apimachinery';
import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type { EndpointSlice } from '../generated/drafts.ts';
import { semanticEqual } from '../validation/check.ts';

const hostname = 'kubernetes.io/hostname';

/** The kind EndpointSlice. */
export const endpointSlice: BuiltinKind = builtinKind<EndpointSlice>({
  resource: 'discovery.k8s.io/v1/endpointslices',
  struct: 'discoveryv1.EndpointSlice',
  generation: 'object-or-labels',
  strategy: {
    prepareForCreate: (slice) => void dropTopology(slice, undefined),
    prepareForUpdate(slice, old) {
      // Upstream compares the generation first, so that even a change of this field increases it.
      if (dropTopology(slice, old)) slice.metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
  },
});

/**
 * Drops `deprecatedTopology`, which cannot be set in version 1. Endpoints that an older version stored with it keep their node's
 * name. Mirrors `dropTopologyOnV1` (1.36). Returns true if there was such a field.
 */
function dropTopology(slice: EndpointSlice, old: EndpointSlice | undefined): boolean {
  const endpoints = slice.endpoints ?? [];
  if (old && semanticEqual(old.endpoints, slice.endpoints)) return false;
  const known = new Set((old?.endpoints ?? []).map(({ deprecatedTopology }) => deprecatedTopology?.[hostname]));
  let dropped = false;
  for (const endpoint of endpoints) {
    if (endpoint.deprecatedTopology === undefined) continue;
    const name = endpoint.deprecatedTopology[hostname];
    if (name && known.has(name) && checkDns1123Subdomain(name).length === 0) endpoint.nodeName ??= name;
    delete endpoint.deprecatedTopology;
    dropped = true;
  }
  return dropped;
}
