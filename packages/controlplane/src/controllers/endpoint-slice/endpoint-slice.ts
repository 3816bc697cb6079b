import { isDeleting, LabelSelector, type Stored, setControllerReference } from '@kubewright/apimachinery';
import { Node, Pod, Service } from '@kubewright/apimachinery/core/v1';
import { type Endpoint, EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import { controller, enqueueMapped, type ReconcileContext, watch } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { ignoreRejectedCreate } from '../ignore-rejected-create.ts';
import { createObject, deleteObject, updateObject } from '../object-writes.ts';
import { canonicalJson } from '../template-hash.ts';
import { type AddressType, endpointOf, isEndpoint, portsOf } from './endpoint.ts';
import { inPortOrder } from './port-order.ts';
import { ServiceSelectors } from './service-selectors.ts';
import { type EndpointGroup, planSlices } from './slice-plan.ts';
import { TriggerTimes } from './trigger-times.ts';

const account = 'endpointslice-controller';
const serviceLabel = 'kubernetes.io/service-name';
const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
const managedBy = 'endpointslice-controller.k8s.io';
const headlessLabel = 'service.kubernetes.io/headless';
const triggerAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';
const reserved = new Set([serviceLabel, managedByLabel, headlessLabel]);

/** Maintains the EndpointSlices of services with a selector. */
export function endpointSliceController(): BuiltInController {
  const selectors = new ServiceSelectors();
  const triggers = new TriggerTimes();
  return {
    account,
    definition: controller({
      name: account,
      for: Service,
      maxConcurrentReconciles: 5,
      caches: [Node],
      watches: [
        watch(Service, selectors.track),
        watch<Service>(Service, ({ type, object: { namespace, name } }) => {
          if (type === 'delete') triggers.forget({ namespace, name });
        }),
        watch(
          Pod,
          enqueueMapped<Pod>(({ namespace, labels }) => selectors.matching(namespace, labels)),
        ),
        watch(
          EndpointSlice,
          enqueueMapped<EndpointSlice>(({ namespace, labels }) => {
            const name = labels[serviceLabel];
            return name !== undefined && labels[managedByLabel] === managedBy ? [{ namespace, name }] : [];
          }),
        ),
      ],
      reconcile: (service, ctx) => reconcile(service, { ctx, triggers }),
    }),
  };
}

async function reconcile(
  service: Stored<Service>,
  { ctx, triggers }: { readonly ctx: ReconcileContext<Service>; readonly triggers: TriggerTimes },
): Promise<void> {
  const { spec } = service;
  const selects = Object.keys(spec?.selector ?? {}).length > 0;
  if (!selects || spec?.type === 'ExternalName' || isDeleting(service)) return;
  const { namespace, name } = service.metadata;
  const selector = LabelSelector.ofLabels(spec?.selector ?? {});
  const pods = ctx.cache
    .lister(Pod)
    .views({ namespace })
    .filter((view) => selector.matches(view.labels))
    .map((view) => view.object)
    .filter(isEndpoint);
  const slices = ctx.cache
    .lister(EndpointSlice)
    .list({ namespace, labelSelector: { [serviceLabel]: name, [managedByLabel]: managedBy } })
    .filter((slice) => !isDeleting(slice));
  const trigger = triggers.next(service, pods);
  const families = (spec?.ipFamilies ?? ['IPv4']) as readonly AddressType[];
  for (const slice of slices) {
    const known = families.includes(slice.addressType as AddressType);
    if (!known) await deleteObject(ctx, { kind: EndpointSlice, object: slice });
  }
  for (const family of families) {
    const groups = groupsOf(service, { pods, family, zoneOf: (node) => zoneOf(ctx, node) });
    const own = slices.filter(({ addressType }) => addressType === family);
    await apply(service, { ctx, family, groups, trigger, slices: own });
  }
}

function groupsOf(
  service: Service,
  options: {
    readonly pods: readonly Stored<Pod>[];
    readonly family: AddressType;
    readonly zoneOf: (node: string | undefined) => string | undefined;
  },
): readonly EndpointGroup[] {
  const { pods, family, zoneOf: zone } = options;
  const groups = new Map<string, { readonly ports: EndpointGroup['ports']; readonly endpoints: Endpoint[] }>();
  for (const pod of pods) {
    const endpoint = endpointOf(pod, { service, family, zone: zone(pod.spec?.nodeName) });
    if (!endpoint) continue;
    const ports = portsOf(service, pod);
    const key = canonicalJson(ports);
    const group = groups.get(key) ?? { ports: inPortOrder(ports), endpoints: [] };
    group.endpoints.push(endpoint);
    groups.set(key, group);
  }
  return groups.size > 0 ? [...groups.values()] : [{ ports: [], endpoints: [] }];
}

async function apply(
  service: Stored<Service>,
  options: {
    readonly ctx: ReconcileContext<Service>;
    readonly family: AddressType;
    readonly groups: readonly EndpointGroup[];
    readonly slices: readonly Stored<EndpointSlice>[];
    readonly trigger: string | undefined;
  },
): Promise<void> {
  const { ctx, family, groups, slices, trigger } = options;
  const labels = labelsFor(service);
  const plan = planSlices(groups, slices);
  const annotations: Readonly<Record<string, string>> = trigger === undefined ? {} : { [triggerAnnotation]: trigger };
  for (const { slice, endpoints } of plan.update) {
    const { [triggerAnnotation]: _earlier, ...others } = slice.metadata.annotations ?? {};
    const metadata = { ...slice.metadata, labels, annotations: { ...others, ...annotations } };
    await updateObject(ctx, { kind: EndpointSlice, object: { ...slice, metadata, endpoints } });
  }
  const touched = new Set([...plan.update.map(({ slice }) => slice), ...plan.remove]);
  for (const slice of slices) {
    if (touched.has(slice) || sameJson(slice.metadata.labels, labels)) continue;
    await updateObject(ctx, { kind: EndpointSlice, object: { ...slice, metadata: { ...slice.metadata, labels } } });
  }
  for (const { ports, endpoints } of plan.create) {
    const object = newSlice(service, { family, ports, endpoints, labels, annotations });
    // The server generates the name. If the name is taken, the next reconcile tries another name.
    await createObject(ctx, { kind: EndpointSlice, object }).catch(ignoreRejectedCreate);
  }
  for (const object of plan.remove) await deleteObject(ctx, { kind: EndpointSlice, object });
}

function newSlice(
  service: Stored<Service>,
  parts: EndpointGroup & {
    readonly family: AddressType;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  },
): EndpointSlice {
  const { family, ports, endpoints, labels, annotations } = parts;
  const { namespace, name } = service.metadata;
  const slice = EndpointSlice({
    metadata: { generateName: `${name}-`, namespace, labels, annotations },
    addressType: family,
    endpoints,
    ports,
  });
  return setControllerReference(slice, service);
}

function labelsFor({ metadata, spec }: Stored<Service>): Readonly<Record<string, string>> {
  const own = Object.entries(metadata.labels ?? {}).filter(([key]) => !reserved.has(key));
  return {
    ...Object.fromEntries(own),
    [serviceLabel]: metadata.name,
    [managedByLabel]: managedBy,
    ...(spec?.clusterIP === 'None' && { [headlessLabel]: '' }),
  };
}

function zoneOf(ctx: ReconcileContext<Service>, name: string | undefined): string | undefined {
  return name ? ctx.cache.lister(Node).view({ name })?.labels['topology.kubernetes.io/zone'] : undefined;
}
