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

/** The reason and message of the `Terminating` condition. */
interface Cause {
  readonly reason: string;
  readonly message: string;
}

type Context = ReconcileContext<CustomResourceDefinition>;

/**
 * Deletes the objects of a CRD that is being deleted, then removes the CRD's finalizer. The `Terminating` condition reports
 * progress. Upstream, this is part of kube-apiserver, so the controller acts under the server's identity. For that identity, the
 * server also serves the objects of a CRD that has no served version.
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
        // A CRD that was never established has no objects.
        if (findCondition(crd.status?.conditions, 'Established')?.status !== 'True') return release(crd, ctx);
        const kind = instanceKind(crd);
        await explain(crd, ctx, inProgress);
        if ((await deleteInstances(kind, ctx)) > 0) return { requeueAfterMs: 200 };
        return release(crd, ctx);
      },
    }),
  };
}

/** Writes the `Terminating` condition with the reason why the CRD still exists, unless the CRD already has it. */
async function explain(crd: Stored<CustomResourceDefinition>, ctx: Context, cause: Cause): Promise<undefined> {
  const conditions = terminatingBecause(cause, { conditions: crd.status?.conditions ?? [], nowMs: ctx.clock.now() });
  if (!conditions) return;
  const body = { status: { conditions } };
  const crds = ctx.client.resource(CustomResourceDefinition);
  try {
    await crds.status.patch({ name: crd.metadata.name }, { type: 'merge', body }, { signal: ctx.signal });
  } catch (error) {
    // The server may reject the CRD because of other fields, such as an invalid finalizer name. The objects must be deleted even
    // so.
    if (!isInvalid(error)) throw error;
    ctx.log.info('the server rejected the Terminating condition of a CRD', {
      event: clusterLogEvents.crdConditionRejected,
      ...cause,
      error: error.message,
    });
  }
}

/** Returns the conditions with a `Terminating` condition for this cause, or undefined if they already contain it. Pure. */
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
  // Read the CRD live, because its condition may have just been written.
  const latest = await crds.get({ name }, { signal: ctx.signal });
  if (latest.metadata.uid !== crd.metadata.uid) return;
  const finalizers = (latest.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  const body = { metadata: { finalizers, resourceVersion: latest.metadata.resourceVersion } };
  await crds.patch({ name }, { type: 'merge', body }, { signal: ctx.signal });
}

/**
 * Returns the kind of the CRD's objects in a served version, or in the storage version, which the server always serves to itself.
 */
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
 * Deletes all objects of a kind, and returns the number of objects that still existed when they were listed.
 *
 * @throws StatusError if the server rejects a request or does not serve the kind yet: then the number of remaining objects is
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
