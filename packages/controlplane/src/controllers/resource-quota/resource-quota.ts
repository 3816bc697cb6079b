import { Quantity, type Stored } from '@kubewright/apimachinery';
import { PersistentVolumeClaim, Pod, ResourceQuota, Service } from '@kubewright/apimachinery/core/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import {
  controller,
  type EventHandler,
  type ReconcileContext,
  type ReconcileOutcome,
  type Source,
  watch,
} from '@kubewright/runtime';
import { countedResource } from '../../usage/quota-names.ts';
import type { BuiltInController } from '../built-in-controller.ts';
import { updateStatus } from '../object-writes.ts';
import { ObjectCounts } from './object-counts.ts';
import { type Chargeable, QuotaCharges } from './quota-charges.ts';
import { QuotaIndex } from './quota-index.ts';

/** The delay before a quota is recalculated. Objects often change together, and one calculation covers all of them. */
const gatherMs = 50;
/** The delay before a quota is recalculated while a resource is still being listed. */
const unsyncedMs = 100;
/** The interval at which resources that the server does not serve are looked up again. */
const unknownMs = 300_000;
/** The interval at which usage is recalculated, because admission may have charged writes that then failed. */
const resyncMs = 300_000;

/** Keeps the usage of ResourceQuotas up to date. Mirrors the ResourceQuota controller (1.36). */
export function resourceQuotaController(): BuiltInController {
  let enqueueCounting: (namespace: string, resource: string) => void = () => {};
  const counts = new ObjectCounts((namespace, resource) => enqueueCounting(namespace, resource));
  const quotas = new QuotaIndex((resource) => void counts.forget(resource));
  const source: Source = {
    name: 'counted resources',
    async start(context, { signal }) {
      quotas.forgetCharges();
      enqueueCounting = (namespace, resource) => {
        for (const quota of quotas.counting(namespace, resource)) context.enqueue(quota, { afterMs: gatherMs });
      };
      signal.addEventListener('abort', () => void counts.stop(), { once: true });
    },
  };
  const charge =
    <T>(kind: Chargeable['kind']): EventHandler<T> =>
    ({ type, object }, context) => {
      const change = (charges: QuotaCharges): boolean =>
        type === 'delete'
          ? charges.release(kind, object.uid)
          : charges.charge({ kind, object: object.object } as unknown as Chargeable); // The watch delivers only objects of this kind.
      for (const quota of quotas.change(object.namespace, change)) context.enqueue(quota, { afterMs: gatherMs });
    };
  return {
    account: 'resourcequota-controller',
    definition: controller({
      name: 'resourcequota-controller',
      for: ResourceQuota,
      // Ignore status changes: admission charges an object before it is stored, and a calculation in between would remove the
      // charge.
      predicates: [(event) => event.type !== 'update' || !sameJson(event.old.object.spec, event.object.object.spec)],
      maxConcurrentReconciles: 5,
      watches: [
        watch(ResourceQuota, quotas.track),
        watch(Pod, charge('Pod')),
        watch(Service, charge('Service')),
        watch(PersistentVolumeClaim, charge('PersistentVolumeClaim')),
      ],
      sources: [source],
      reconcile: (quota, ctx) => reconcile(quota, { ctx, counts, quotas }),
    }),
  };
}

interface Parts {
  readonly ctx: ReconcileContext<ResourceQuota>;
  readonly counts: ObjectCounts;
  readonly quotas: QuotaIndex;
}

async function reconcile(quota: Stored<ResourceQuota>, { ctx, counts, quotas }: Parts): Promise<ReconcileOutcome> {
  const { namespace } = quota.metadata;
  const { client, clock, log, signal } = ctx;
  const hard = quota.spec?.hard ?? {};
  const unsynced = new Set<string>();
  for (const resource of Object.keys(hard).map(countedResource)) {
    if (resource === undefined) continue;
    const isWanted = (): boolean => quotas.counts(resource);
    if (!(await counts.follow(resource, { client, clock, log, signal, isWanted }))) unsynced.add(resource);
  }
  const charges = chargesOf(quota, { ctx, quotas });
  const nextMs = charges.expire(clock.now());
  const computed = charges.used((resource) => (unsynced.has(resource) ? undefined : counts.count(namespace, resource)));
  const before = quota.status?.used ?? {};
  const known = Object.keys(hard).filter((name) => computed[name] !== undefined || before[name] !== undefined);
  const used = Object.fromEntries(known.map((name) => [name, computed[name] ?? before[name] ?? '0']));
  if (!sameJson(hard, quota.status?.hard ?? {}) || !sameAmounts(used, quota.status?.used)) {
    await updateStatus(ctx, { kind: ResourceQuota, object: { ...quota, status: { hard, used } } });
  }
  const following = [...unsynced].some((resource) => counts.count(namespace, resource) !== undefined);
  const waits = [...(nextMs === undefined ? [] : [nextMs])].concat(
    following ? [unsyncedMs] : unsynced.size > 0 ? [unknownMs] : [],
  );
  return { requeueAfterMs: Math.min(resyncMs, ...waits) };
}

/** Returns a quota's charges. Reads all objects of its namespace, but only if the quota is new or its spec has changed. */
function chargesOf(quota: Stored<ResourceQuota>, { ctx, quotas }: Omit<Parts, 'counts'>): QuotaCharges {
  const { namespace, name } = quota.metadata;
  const known = quotas.charges(namespace, name);
  if (known?.isFor(quota)) return known;
  const charges = new QuotaCharges(quota);
  for (const object of ctx.cache.lister(Pod).list({ namespace })) charges.charge({ kind: 'Pod', object });
  for (const object of ctx.cache.lister(Service).list({ namespace })) charges.charge({ kind: 'Service', object });
  for (const object of ctx.cache.lister(PersistentVolumeClaim).list({ namespace })) {
    charges.charge({ kind: 'PersistentVolumeClaim', object });
  }
  quotas.setCharges({ namespace, name }, charges);
  return charges;
}

function sameAmounts(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>> | undefined): boolean {
  const names = Object.keys(a);
  if (b === undefined || names.length !== Object.keys(b).length) return false;
  return names.every((name) => b[name] !== undefined && Quantity.parse(b[name]).equals(Quantity.parse(a[name] ?? '0')));
}
