import { sameJson } from '@kubewright/apimachinery';
import type { Endpoint, EndpointPort, EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { canonicalJson } from '../template-hash.ts';

/** Endpoints that share their ports. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** What to do so that slices hold the groups. */
export interface SlicePlan {
  readonly create: readonly EndpointGroup[];
  readonly update: readonly { readonly slice: EndpointSlice; readonly endpoints: readonly Endpoint[] }[];
  readonly remove: readonly EndpointSlice[];
}

/** Most endpoints in one slice. */
export const sliceSize = 100;

/**
 * Fits endpoints into slices with as few writes as may be: an endpoint stays in its slice, new ones fill the fullest slices
 * that have room, and what is empty goes. Pure.
 */
export function planSlices(groups: readonly EndpointGroup[], existing: readonly EndpointSlice[]): SlicePlan {
  const create: EndpointGroup[] = [];
  const update: { readonly slice: EndpointSlice; readonly endpoints: readonly Endpoint[] }[] = [];
  const remove: EndpointSlice[] = [];
  const byPorts = new Map(groups.map((group) => [canonicalJson(group.ports), group]));
  for (const slice of existing) if (!byPorts.has(canonicalJson(slice.ports ?? []))) remove.push(slice);
  for (const [ports, group] of byPorts) {
    const slices = existing.filter((slice) => canonicalJson(slice.ports ?? []) === ports);
    const missing = new Map(group.endpoints.map((endpoint) => [identityOf(endpoint), endpoint]));
    const kept = slices.map((slice) => ({ slice, endpoints: take(slice.endpoints ?? [], missing) }));
    const rest = [...missing.values()];
    for (const each of [...kept].sort((a, b) => b.endpoints.length - a.endpoints.length)) {
      if (each.endpoints.length > 0) each.endpoints.push(...rest.splice(0, sliceSize - each.endpoints.length));
    }
    for (const each of kept) {
      if (each.endpoints.length === 0 && rest.length > 0) each.endpoints.push(...rest.splice(0, sliceSize));
      if (each.endpoints.length === 0 && group.endpoints.length > 0) remove.push(each.slice);
      else if (!sameJson(each.slice.endpoints ?? [], each.endpoints)) update.push(each);
    }
    while (rest.length > 0) create.push({ ports: group.ports, endpoints: rest.splice(0, sliceSize) });
    // A service without endpoints has one empty slice, so that readers know that somebody looked.
    if (group.endpoints.length === 0 && slices.length === 0) create.push(group);
  }
  return { create, update, remove };
}

/** Takes the present endpoints of a slice that are still wanted, as they are wanted now. */
function take(endpoints: readonly Endpoint[], missing: Map<string, Endpoint>): Endpoint[] {
  return endpoints.flatMap((endpoint) => {
    const identity = identityOf(endpoint);
    const wanted = missing.get(identity);
    missing.delete(identity);
    return wanted ? [wanted] : [];
  });
}

function identityOf({ targetRef, addresses }: Endpoint): string {
  return `${targetRef?.uid ?? ''}/${addresses.join()}`;
}
