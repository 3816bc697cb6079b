import { isDeleting, isNotFound, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { controller, type ReconcileContext } from '@kubewright/runtime';
import type { BuiltInController } from './built-in-controller.ts';

const FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/**
 * Deletes the objects of a CRD that is being deleted, and lets the CRD go when they are gone. Upstream's API server does
 * this by itself, so it acts under the server's own identity.
 */
export function customResourceCleanup(): BuiltInController {
  return {
    account: 'apiextensions',
    definition: controller({
      name: 'customresourcecleanup',
      for: CustomResourceDefinition,
      async reconcile(crd, ctx) {
        if (!isDeleting(crd) || !crd.metadata.finalizers?.includes(FINALIZER)) return undefined;
        if ((await deleteInstances(crd, ctx)) > 0) return { requeueAfterMs: 200 };
        const finalizers = crd.metadata.finalizers.filter((name) => name !== FINALIZER);
        const body = { metadata: { finalizers, resourceVersion: crd.metadata.resourceVersion } };
        const crds = ctx.client.resource(CustomResourceDefinition);
        await crds.patch({ name: crd.metadata.name ?? '' }, { type: 'merge', body }, { signal: ctx.signal });
        return undefined;
      },
    }),
  };
}

async function deleteInstances(crd: CustomResourceDefinition, ctx: ReconcileContext): Promise<number> {
  const { group, names, scope, versions } = crd.spec;
  const version = versions.find(({ served }) => served);
  if (!version) return 0;
  const kind: Kind<KubernetesObject> = {
    group,
    version: version.name,
    kind: names.kind,
    plural: names.plural,
    scope: scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
  };
  const client = ctx.client.resource(kind);
  try {
    let left = 0;
    for await (const { metadata } of client.listAll({ signal: ctx.signal })) {
      left++;
      if (metadata.deletionTimestamp) continue;
      const { namespace, name = '' } = metadata;
      const key = namespace === undefined ? { name } : { namespace, name };
      await client.delete(key, { signal: ctx.signal }).catch(ignoreNotFound);
    }
    return left;
  } catch (error) {
    ignoreNotFound(error);
    return 0;
  }
}

function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
