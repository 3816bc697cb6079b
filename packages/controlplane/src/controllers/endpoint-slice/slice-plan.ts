import type { Stored } from '@kubewright/apimachinery';
import type { Endpoint, EndpointPort, EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import { canonicalJson } from '../template-hash.ts';

/** Endpoints that share the same ports. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** The writes that bring slices up to date. */
export interface SlicePlan {
  readonly create: readonly EndpointGroup[];
  readonly update: readonly { readonly slice: EndpointSlice; readonly endpoints: readonly Endpoint[] }[];
  readonly remove: readonly Stored<EndpointSlice>[];
}

/** The maximum number of endpoints in one slice. */
export const sliceSize = 100;

/**
 * Distributes endpoints over slices with few writes. An endpoint stays in its slice, new endpoints fill the fullest slices that
 * have room, and empty slices are removed. Pure.
 */
export function planSlices(groups: readonly EndpointGroup[], existing: readonly Stored<EndpointSlice>[]): SlicePlan {
  const create: EndpointGroup[] = [];
  const update: { readonly slice: EndpointSlice; readonly endpoints: readonly Endpoint[] }[] = [];
  const remove: Stored<EndpointSlice>[] = [];
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
    // A service without endpoints gets one empty slice, which shows that the controller has processed the service.
    if (group.endpoints.length === 0 && slices.length === 0) create.push(group);
  }
  return { create, update, remove };
}

/** Returns the current versions of the endpoints that stay in a slice, and removes them from `missing`. */
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
