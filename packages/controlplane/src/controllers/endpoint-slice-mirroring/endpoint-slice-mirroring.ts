import { isDeleting, type Stored, setControllerReference } from '@kubewright/apimachinery';
import { Endpoints, Service } from '@kubewright/apimachinery/core/v1';
import { type Endpoint, EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import {
  enqueueForObject,
  enqueueMapped,
  type ReconcileRequest,
  type RequestContext,
  requestController,
  watch,
} from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { CoreEventRecorder } from '../core-event-recorder.ts';
import { createObject, deleteObject, updateObject } from '../object-writes.ts';
import { isNamespaceTerminating } from '../pods/pod-control.ts';
import { canonicalJson } from '../template-hash.ts';
import { type MirroredSlice, maxAddresses, mirroredSlices } from './mirrored-slices.ts';

const managedBy = 'endpointslicemirroring-controller.k8s.io';
const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
const serviceLabel = 'kubernetes.io/service-name';
const skipLabel = 'endpointslice.kubernetes.io/skip-mirror';
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';
const notMirrored: ReadonlySet<string> = new Set([
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
]);

/**
 * Mirrors user-written Endpoints to EndpointSlices, for Services without a selector. Follows the EndpointSlice
 * mirroring controller (1.36).
 */
export function endpointSliceMirroringController(): BuiltInController {
  const events = new CoreEventRecorder('endpoint-slice-mirroring-controller');
  return {
    account: 'endpointslicemirroring-controller',
    definition: requestController({
      name: 'endpointslice-mirroring-controller',
      for: Endpoints,
      maxConcurrentReconciles: 5,
      watches: [
        watch(Endpoints, enqueueForObject<Endpoints>()),
        watch(Service, enqueueForObject<Service>()),
        watch(
          EndpointSlice,
          enqueueMapped<EndpointSlice>(({ namespace, labels }) => {
            const name = labels[serviceLabel];
            return name !== undefined && labels[managedByLabel] === managedBy ? [{ namespace, name }] : [];
          }),
        ),
      ],
      reconcile: (request, ctx) => events.during(ctx, () => reconcile(request, { ctx, events })),
    }),
  };
}

async function reconcile(
  { namespace = '', name }: ReconcileRequest,
  { ctx, events }: { readonly ctx: RequestContext; readonly events: CoreEventRecorder },
): Promise<void> {
  const labelSelector = { [serviceLabel]: name, [managedByLabel]: managedBy };
  const existing = ctx.cache
    .lister(EndpointSlice)
    .list({ namespace, labelSelector })
    .filter((slice) => !isDeleting(slice));
  const endpoints = ctx.cache.lister(Endpoints).get({ namespace, name });
  const service = ctx.cache.lister(Service).get({ namespace, name });
  if (!endpoints || !service || service.spec?.selector || !isMirrored(endpoints)) {
    for (const object of existing) await deleteObject(ctx, { kind: EndpointSlice, object });
    return;
  }
  const { slices, invalid, skipped } = mirroredSlices(endpoints);
  if (invalid > 0) {
    const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
    events.record(ctx, { about: endpoints, type: 'Warning', reason: 'InvalidIPAddress', message });
  }
  if (skipped > invalid) {
    const message = `A max of ${maxAddresses} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`;
    events.record(ctx, { about: endpoints, type: 'Warning', reason: 'TooManyAddressesToMirror', message });
  }
  const unused = new Set(existing);
  for (const slice of slices) {
    const present = existing.find((each) => unused.has(each) && isFor(each, slice));
    if (present) unused.delete(present);
    await write(endpoints, { ctx, slice, present });
  }
  for (const object of unused) await deleteObject(ctx, { kind: EndpointSlice, object });
}

function isMirrored({ metadata }: Endpoints): boolean {
  return metadata.labels?.[skipLabel] !== 'true' && metadata.annotations?.[leaderAnnotation] === undefined;
}

function isFor({ addressType, ports }: EndpointSlice, slice: MirroredSlice): boolean {
  return addressType === slice.family && canonicalJson(ports ?? []) === canonicalJson(slice.ports);
}

async function write(
  owner: Stored<Endpoints>,
  of: { readonly ctx: RequestContext; readonly slice: MirroredSlice; readonly present: EndpointSlice | undefined },
): Promise<void> {
  const { ctx, slice, present } = of;
  const { namespace, name } = owner.metadata;
  const labels = { ...owner.metadata.labels, [serviceLabel]: name, [managedByLabel]: managedBy };
  const kept = Object.entries(owner.metadata.annotations ?? {}).filter(([key]) => !notMirrored.has(key));
  const annotations = Object.fromEntries(kept);
  const endpoints = slice.endpoints.slice(0, maxAddresses);
  if (present) {
    const isCurrent =
      sameJson(present.metadata.labels ?? {}, labels) &&
      sameJson(present.metadata.annotations ?? {}, annotations) &&
      sameJson(sorted(present.endpoints ?? []), sorted(endpoints));
    if (isCurrent) return;
    const metadata = { ...present.metadata, labels, annotations };
    await updateObject(ctx, { kind: EndpointSlice, object: { ...present, metadata, endpoints } });
    return;
  }
  const object: EndpointSlice = setControllerReference(
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { generateName: `${name}-`, namespace, labels, annotations },
      addressType: slice.family,
      endpoints,
      ports: slice.ports,
    },
    owner,
  );
  try {
    await createObject(ctx, { kind: EndpointSlice, object });
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error;
  }
}

function sorted(endpoints: readonly Endpoint[]): readonly string[] {
  return endpoints.map(canonicalJson).sort();
}
