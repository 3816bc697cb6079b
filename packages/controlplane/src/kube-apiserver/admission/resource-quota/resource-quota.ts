import { Buffer } from 'node:buffer';
import { type Clock, type KubernetesObject, type Status, StatusError, type Stored } from '@kubewright/apimachinery';
import type { ResourceQuota } from '@kubewright/apimachinery/core/v1';
import type { AdmissionAttributes, AdmissionPlugin, ApiHandler, Storage } from '@kubewright/apiserver';
import { asServer, storagePrefix } from '@kubewright/apiserver/internal';
import type { ResourceAmounts } from '../../../usage/resource-amounts.ts';
import { rejection } from '../rejection.ts';
import { checkQuotas } from './check-quotas.ts';
import { type QuotaEvaluator, quotaEvaluator } from './quota-evaluator.ts';

const prefix = storagePrefix({ group: '', resource: 'resourcequotas' });
/** Maximum number of attempts to charge a quota that changes concurrently. */
const attempts = 4;

/** Parts that {@link resourceQuotaAdmission} needs. */
export interface QuotaAdmissionParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly handle: ApiHandler;
}

/**
 * Rejects writes that would exceed a ResourceQuota, and charges accepted writes to it (`ResourceQuota` admission, 1.36). Charges
 * the writes of a namespace one at a time, so that concurrent writes cannot exceed a quota together.
 */
export function resourceQuotaAdmission({ storage, clock, handle }: QuotaAdmissionParts): AdmissionPlugin {
  const send = asServer(handle);
  /** The last charge of each namespace, which the next charge waits for. */
  const last = new Map<string, Promise<void>>();

  async function quotasOf(namespace: string): Promise<readonly Stored<ResourceQuota>[]> {
    const { status, text } = await send('GET', `/api/v1/namespaces/${namespace}/resourcequotas`);
    // The server's own response: a list, or a Status on failure.
    if (status !== 200) throw new StatusError(JSON.parse(text) as Status);
    return (JSON.parse(text) as { readonly items: readonly Stored<ResourceQuota>[] }).items;
  }

  /** True if a quota of the namespace limits something that the evaluator charges. */
  async function isLimited(namespace: string, { uses }: QuotaEvaluator): Promise<boolean> {
    const { objects } = await storage.list({ prefix: `${prefix}${namespace}/` });
    return objects.some(({ bytes }) => {
      // The server stores only ResourceQuotas under this prefix.
      const { spec, status } = JSON.parse(Buffer.from(bytes).toString('utf8')) as ResourceQuota;
      return Object.keys({ ...spec?.hard, ...status?.hard }).some(uses);
    });
  }

  /** Writes a quota's usage. Returns false if the quota has changed in the meantime. */
  async function update(quota: ResourceQuota, used: ResourceAmounts): Promise<boolean> {
    const { namespace, name } = quota.metadata;
    const body = { ...quota, apiVersion: 'v1', kind: 'ResourceQuota', status: { ...quota.status, used } };
    const { status } = await send('PUT', `/api/v1/namespaces/${namespace}/resourcequotas/${name}/status`, { body });
    // A deleted quota no longer limits anything.
    return status === 200 || status === 404;
  }

  async function charge(
    attributes: AdmissionAttributes,
    { object, evaluator }: { readonly object: KubernetesObject; readonly evaluator: QuotaEvaluator },
  ): Promise<void> {
    const { namespace, oldObject: old, dryRun } = attributes;
    /** Names of the quotas that still have to be charged; undefined means all. */
    let left: ReadonlySet<string> | undefined;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const quotas = (await quotasOf(namespace)).filter((quota) => left?.has(quota.metadata.name) ?? true);
      const decision = checkQuotas(quotas, { object, old, nowMs: clock.now() }, evaluator);
      if ('rejection' in decision) throw rejection(attributes, decision.rejection);
      if (dryRun) return;
      const failed = new Set<string>();
      for (const { quota, used } of decision.charged) if (!(await update(quota, used))) failed.add(quota.metadata.name);
      if (failed.size === 0) return;
      left = failed;
    }
    throw rejection(attributes, `concurrent writes keep changing the quota ${[...(left ?? [])].join(', ')}; retry`);
  }

  return {
    name: 'ResourceQuota',
    async validate(attributes) {
      const { namespace, object, definition } = attributes;
      if (!object || namespace === '') return;
      const evaluator = quotaEvaluator(definition.resource, definition.group);
      if (!evaluator?.handles(attributes) || !(await isLimited(namespace, evaluator))) return;
      const before = last.get(namespace);
      // Admission validates only objects that have been decoded and defaulted.
      const write = { object: object as unknown as KubernetesObject, evaluator };
      const mine = (before ?? Promise.resolve()).then(() => charge(attributes, write));
      const settled = mine.catch(() => {});
      last.set(namespace, settled);
      try {
        await mine;
      } finally {
        if (last.get(namespace) === settled) last.delete(namespace);
      }
    },
  };
}
