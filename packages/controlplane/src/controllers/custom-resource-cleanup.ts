import {
  findCondition,
  isDeleting,
  isInvalid,
  type Kind,
  type KubernetesObject,
  type Stored,
} from '@kubewright/apimachinery';
import {
  CustomResourceDefinition,
  type CustomResourceDefinitionCondition,
} from '@kubewright/apimachinery/apiextensions/v1';
import { formatTime } from '@kubewright/apimachinery/internal';
import { controller, type ReconcileContext } from '@kubewright/runtime';
import { clusterLogEvents } from '../log/cluster-log-events.ts';
import type { BuiltInController } from './built-in-controller.ts';
import { ignoreNotFound } from './ignore-not-found.ts';

const finalizer = 'customresourcecleanup.apiextensions.k8s.io';
export const inProgress: Cause = {
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};

/** Reason and message of the `Terminating` condition. */
interface Cause {
  readonly reason: string;
  readonly message: string;
}

type Context = ReconcileContext<CustomResourceDefinition>;

/**
 * Deletes the objects of a CRD that is being deleted and then removes its finalizer. The `Terminating` condition reports
 * progress. Upstream's API server does this itself, so the controller acts under the server's identity, to which the server also
 * serves the objects of a CRD without a served version.
 */
export function customResourceCleanup(): BuiltInController {
  return {
    account: 'apiextensions',
    actsAsServer: true,
    definition: controller({
      name: 'customresourcecleanup',
      for: CustomResourceDefinition,
      async reconcile(crd, ctx) {
        if (!isDeleting(crd) || !crd.metadata.finalizers?.includes(finalizer)) return undefined;
        // A CRD that was never served has no objects.
        if (findCondition(crd.status?.conditions, 'Established')?.status !== 'True') return release(crd, ctx);
        const kind = instanceKind(crd);
        await explain(crd, ctx, inProgress);
        if ((await deleteInstances(kind, ctx)) > 0) return { requeueAfterMs: 200 };
        return release(crd, ctx);
      },
    }),
  };
}

/** Writes why the CRD still exists, unless its conditions already say so. */
async function explain(crd: Stored<CustomResourceDefinition>, ctx: Context, cause: Cause): Promise<undefined> {
  const conditions = terminatingBecause(cause, { conditions: crd.status?.conditions ?? [], nowMs: ctx.clock.now() });
  if (!conditions) return;
  const body = { status: { conditions } };
  const crds = ctx.client.resource(CustomResourceDefinition);
  try {
    await crds.status.patch({ name: crd.metadata.name }, { type: 'merge', body }, { signal: ctx.signal });
  } catch (error) {
    // The server may reject other fields of the CRD, such as a finalizer's name. That must not keep the objects alive.
    if (!isInvalid(error)) throw error;
    ctx.log.info('the server rejected the Terminating condition of a CRD', {
      event: clusterLogEvents.crdConditionRejected,
      ...cause,
      error: error.message,
    });
  }
}

/** Returns conditions with the reason why a CRD still exists, or `undefined` if they already say so. Pure. */
export function terminatingBecause(
  cause: Cause,
  { conditions, nowMs }: { readonly conditions: readonly CustomResourceDefinitionCondition[]; readonly nowMs: number },
): readonly CustomResourceDefinitionCondition[] | undefined {
  const before = conditions.find(({ type }) => type === 'Terminating');
  const holds = before?.status === 'True';
  if (holds && before.reason === cause.reason && before.message === cause.message) return undefined;
  const lastTransitionTime = (holds && before.lastTransitionTime) || formatTime(nowMs);
  const terminating = { type: 'Terminating', status: 'True', lastTransitionTime, ...cause } as const;
  return [...conditions.filter(({ type }) => type !== 'Terminating'), terminating];
}

async function release(crd: Stored<CustomResourceDefinition>, ctx: Context): Promise<undefined> {
  const name = crd.metadata.name;
  const crds = ctx.client.resource(CustomResourceDefinition);
  // Read live, because the condition may have just been written.
  const latest = await crds.get({ name }, { signal: ctx.signal });
  if (latest.metadata.uid !== crd.metadata.uid) return;
  const finalizers = (latest.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  const body = { metadata: { finalizers, resourceVersion: latest.metadata.resourceVersion } };
  await crds.patch({ name }, { type: 'merge', body }, { signal: ctx.signal });
}

/** Returns the kind of the objects in a version that the server serves to itself. */
function instanceKind({ spec }: CustomResourceDefinition): Kind<KubernetesObject> {
  const { group, names, scope, versions } = spec;
  const version = versions.find(({ served }) => served) ?? versions.find(({ storage }) => storage);
  return {
    group,
    version: version?.name ?? '',
    kind: names.kind,
    plural: names.plural,
    scope: scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
  };
}

/**
 * Deletes all objects of a kind and returns how many are left.
 *
 * @throws StatusError if the server rejects a request or does not serve the kind (yet): the number of objects left is then
 * unknown.
 */
async function deleteInstances(kind: Kind<KubernetesObject>, ctx: Context): Promise<number> {
  const client = ctx.client.resource(kind);
  let left = 0;
  for await (const { metadata } of client.listAll({ signal: ctx.signal })) {
    left++;
    if (metadata.deletionTimestamp) continue;
    const { namespace, name } = metadata;
    const key = namespace === undefined ? { name } : { namespace, name };
    await client.delete(key, { signal: ctx.signal }).catch(ignoreNotFound);
  }
  return left;
}
