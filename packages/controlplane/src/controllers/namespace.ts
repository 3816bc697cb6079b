import { isConflict, isDeleting, isNotFound, type KubernetesObject } from '@kubewright/apimachinery';
import { Namespace } from '@kubewright/apimachinery/core/v1';
import type { ApiResource } from '@kubewright/client';
import { controller, type RequestContext } from '@kubewright/runtime';
import type { BuiltInController } from './built-in-controller.ts';

/** How long to wait for what lingers (finalizers, grace) before looking again, in milliseconds. */
const LOOK_AGAIN_MS = 1_000;

/** Empties namespaces that are being deleted, pods first, and lets them go when nothing is left (KEP-5080). */
export function namespaceController(): BuiltInController {
  return {
    account: 'namespace-controller',
    definition: controller({
      name: 'namespace',
      for: Namespace,
      maxConcurrentReconciles: 10,
      async reconcile(namespace, ctx) {
        const finalizers = namespace.spec?.finalizers ?? [];
        if (!isDeleting(namespace) || !finalizers.includes('kubernetes')) return undefined;
        const remaining = await emptyOut(namespace.metadata.name ?? '', ctx);
        if (remaining.size > 0) {
          await reportRemaining(namespace, remaining, ctx);
          return { requeueAfterMs: LOOK_AGAIN_MS };
        }
        await finalize(namespace, ctx);
        return undefined;
      },
    }),
  };
}

/** Deletes all objects of a namespace; answers how many of which resource are still there. */
async function emptyOut(namespace: string, ctx: RequestContext): Promise<ReadonlyMap<string, number>> {
  ctx.client.discovery.invalidate();
  const { resources } = await ctx.client.discovery.mapper({ signal: ctx.signal });
  const deletable = preferred(resources).filter(
    ({ scope, verbs }) => scope === 'Namespaced' && verbs.includes('delete') && verbs.includes('list'),
  );
  const isPod = ({ group, plural }: ApiResource): boolean => group === '' && plural === 'pods';
  const pods = await emptyAll(deletable.filter(isPod), namespace, ctx);
  return pods.size > 0
    ? pods
    : emptyAll(
        deletable.filter((each) => !isPod(each)),
        namespace,
        ctx,
      );
}

/** One version of each resource is enough: the others are views of the same objects. */
function preferred(resources: readonly ApiResource[]): readonly ApiResource[] {
  const seen = new Set<string>();
  return resources.filter(({ group, plural }) => {
    const name = group === 'events.k8s.io' ? 'events.' : `${plural}.${group}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

async function emptyAll(
  resources: readonly ApiResource[],
  namespace: string,
  ctx: RequestContext,
): Promise<ReadonlyMap<string, number>> {
  const remaining = new Map<string, number>();
  for (const resource of resources) {
    const client = ctx.client.resource<KubernetesObject>(resource);
    const scope = { namespace, signal: ctx.signal };
    try {
      const before = await client.list({ ...scope, limit: 1 });
      if (before.items.length === 0) continue;
      if (resource.verbs.includes('deletecollection')) {
        await client.deleteCollection({ ...scope, propagationPolicy: 'Background' });
      } else {
        for await (const { metadata } of client.listAll(scope)) {
          await client.delete({ namespace, name: metadata.name ?? '' }, { signal: ctx.signal }).catch(ignoreNotFound);
        }
      }
      const after = await client.list(scope);
      if (after.items.length > 0) remaining.set(resourceName(resource), after.items.length);
    } catch (error) {
      // The kind went away while we worked.
      ignoreNotFound(error);
    }
  }
  return remaining;
}

async function reportRemaining(
  namespace: Namespace,
  remaining: ReadonlyMap<string, number>,
  ctx: RequestContext,
): Promise<void> {
  const listed = [...remaining].map(([name, count]) => `${name} has ${count} resource instances`).join(', ');
  const message = `Some resources are remaining: ${listed}`;
  const conditions = namespace.status?.conditions ?? [];
  const present = conditions.find(({ type }) => type === 'NamespaceContentRemaining');
  if (present?.message === message) return;
  const lastTransitionTime = `${new Date(ctx.clock.now()).toISOString().slice(0, 19)}Z`;
  const type = 'NamespaceContentRemaining';
  const condition = { type, status: 'True', lastTransitionTime, reason: 'SomeResourcesRemain', message };
  const status = { ...namespace.status, conditions: [...conditions.filter((each) => each.type !== type), condition] };
  // Somebody else's change of the namespace only means that this note is written at the next look.
  await ctx.client
    .resource(Namespace)
    .status.update({ ...namespace, status }, { signal: ctx.signal })
    .catch(ignoreConflict);
}

async function finalize(namespace: Namespace, ctx: RequestContext): Promise<void> {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((name) => name !== 'kubernetes');
  const body = { ...namespace, spec: { ...namespace.spec, finalizers } };
  await ctx.client
    .resource(Namespace)
    .subresource<Namespace>('finalize')
    .update(body, { signal: ctx.signal })
    .catch(ignoreNotFound);
}

function resourceName({ plural, group }: ApiResource): string {
  return group === '' ? `${plural}.` : `${plural}.${group}`;
}

function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

function ignoreConflict(error: unknown): void {
  if (!isConflict(error)) throw error;
}
