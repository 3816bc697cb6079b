import { isDeleting, LabelSelector, type Stored } from '@kubewright/apimachinery';
import { Endpoints, Pod, Service } from '@kubewright/apimachinery/core/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import { enqueueForObject, enqueueMapped, type RequestContext, requestController, watch } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { ServiceSelectors } from '../endpoint-slice/service-selectors.ts';
import { TriggerTimes } from '../endpoint-slice/trigger-times.ts';
import { ignoreRejectedCreate } from '../ignore-rejected-create.ts';
import { createObject, deleteObject, updateObject } from '../object-writes.ts';
import { endpointPods, isOverCapacity, subsetsOf } from './endpoint-subsets.ts';

const account = 'endpoint-controller';
const managedByLabel = 'endpoints.kubernetes.io/managed-by';
const headlessLabel = 'service.kubernetes.io/headless';
const triggerAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';
const capacityAnnotation = 'endpoints.kubernetes.io/over-capacity';

/**
 * Maintains the Endpoints of services with a selector, for clients that do not support EndpointSlices. The Endpoints have the
 * service's name and are deleted with the service.
 */
export function endpointsController(): BuiltInController {
  const selectors = new ServiceSelectors();
  const triggers = new TriggerTimes();
  return {
    account,
    definition: requestController({
      name: account,
      for: Service,
      maxConcurrentReconciles: 5,
      watches: [
        watch(Service, selectors.track),
        watch(Service, enqueueForObject<Service>()),
        watch<Service>(Service, ({ type, object: { namespace, name } }) => {
          if (type === 'delete') triggers.forget({ namespace, name });
        }),
        watch(
          Pod,
          enqueueMapped<Pod>(({ namespace, labels }) => selectors.matching(namespace, labels)),
        ),
        watch(Endpoints, enqueueForObject<Endpoints>()),
      ],
      async reconcile({ namespace = '', name }, ctx) {
        const service = ctx.cache.lister(Service).get({ namespace, name });
        const found = ctx.cache.lister(Endpoints).get({ namespace, name });
        if (service) await reconcile(service, { ctx, triggers, found });
        // Keep Endpoints that this controller did not create.
        else if (found?.metadata.labels?.[managedByLabel] === account && !isDeleting(found)) {
          await deleteObject(ctx, { kind: Endpoints, object: found });
        }
      },
    }),
  };
}

async function reconcile(
  service: Stored<Service>,
  parts: { readonly ctx: RequestContext; readonly triggers: TriggerTimes; readonly found: Endpoints | undefined },
): Promise<void> {
  const { ctx, triggers, found } = parts;
  const { spec } = service;
  const selects = Object.keys(spec?.selector ?? {}).length > 0;
  if (!selects || spec?.type === 'ExternalName' || isDeleting(service) || (found && isDeleting(found))) return;
  const { namespace, name } = service.metadata;
  const selector = LabelSelector.ofLabels(spec?.selector ?? {});
  const all = ctx.cache
    .lister(Pod)
    .views({ namespace })
    .filter((view) => selector.matches(view.labels))
    .map((view) => view.object);
  const pods = endpointPods(service, all);
  const subsets = subsetsOf(service, pods);
  const labels = labelsFor(service);
  const trigger = triggers.next(service, pods);
  const same = sameJson(found?.subsets ?? [], subsets) && sameJson(found?.metadata.labels ?? {}, labels);
  const truncated = isOverCapacity(pods);
  const wasTruncated = found?.metadata.annotations?.[capacityAnnotation] !== undefined;
  if (found && same && truncated === wasTruncated) return;
  const {
    [triggerAnnotation]: earlier,
    [capacityAnnotation]: _capacity,
    ...others
  } = found?.metadata.annotations ?? {};
  const time = trigger ?? earlier;
  const annotations = {
    ...others,
    ...(time !== undefined && { [triggerAnnotation]: time }),
    ...(truncated && { [capacityAnnotation]: 'truncated' }),
  };
  const metadata = { ...found?.metadata, namespace, name, labels, annotations };
  const object = Endpoints({ metadata, subsets });
  if (found) await updateObject(ctx, { kind: Endpoints, object });
  else await createObject(ctx, { kind: Endpoints, object }).catch(ignoreRejectedCreate);
}

function labelsFor({ metadata, spec }: Service): Readonly<Record<string, string>> {
  return {
    ...metadata.labels,
    [managedByLabel]: account,
    ...(spec?.clusterIP === 'None' && { [headlessLabel]: '' }),
  };
}
