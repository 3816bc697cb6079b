import { type KubernetesObject, KubewrightError } from '@kubewright/apimachinery';
import type { ApiResource } from '@kubewright/client';
import type { RequestContext } from '@kubewright/runtime';
import { clusterLogEvents } from '../../log/cluster-log-events.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import type { Remaining } from './namespace-conditions.ts';

/** Deletes all objects of a namespace, starting with its pods (KEP-5080). Returns the remaining content. */
export async function emptyNamespace(namespace: string, ctx: RequestContext): Promise<Remaining> {
  ctx.client.discovery.invalidate();
  const { resources } = await ctx.client.discovery.mapper({ signal: ctx.signal });
  const deletable = preferred(resources).filter(
    ({ scope, verbs }) => scope === 'Namespaced' && verbs.includes('delete') && verbs.includes('list'),
  );
  const isPod = ({ group, plural }: ApiResource): boolean => group === '' && plural === 'pods';
  const pods = await emptyAll(deletable.filter(isPod), namespace, ctx);
  if (pods.resources.size > 0) return pods;
  return emptyAll(
    deletable.filter((each) => !isPod(each)),
    namespace,
    ctx,
  );
}

/** Returns one version of each resource. Its other versions serve the same objects. */
function preferred(resources: readonly ApiResource[]): readonly ApiResource[] {
  const seen = new Set<string>();
  return resources.filter(({ group, plural }) => {
    const name = group === 'events.k8s.io' ? 'events.' : `${plural}.${group}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

async function emptyAll(resources: readonly ApiResource[], namespace: string, ctx: RequestContext): Promise<Remaining> {
  const counts = new Map<string, number>();
  const finalizers = new Map<string, number>();
  const failures: string[] = [];
  for (const resource of resources) {
    ctx.signal.throwIfAborted();
    try {
      const left = await emptyOne(resource, namespace, ctx);
      if (left.length > 0) counts.set(resourceName(resource), left.length);
      for (const { metadata } of left) {
        for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
      }
    } catch (error) {
      // A resource that cannot be deleted must not block the others.
      ctx.log.info('failed to delete the objects of a resource in a terminating namespace', {
        event: clusterLogEvents.namespaceNotEmptied,
        resource: resourceName(resource),
        error,
      });
      failures.push(error instanceof Error ? error.message : String(error));
      counts.set(resourceName(resource), counts.get(resourceName(resource)) ?? 1);
    }
  }
  return { resources: counts, finalizers, failures };
}

async function emptyOne(
  resource: ApiResource,
  namespace: string,
  ctx: RequestContext,
): Promise<readonly KubernetesObject[]> {
  const client = ctx.client.resource<KubernetesObject>(resource);
  const scope = { namespace, signal: ctx.signal };
  try {
    const before = await client.list({ ...scope, limit: 1 });
    if (before.items.length === 0) return [];
    if (resource.verbs.includes('deletecollection')) {
      await client.deleteCollection({ ...scope, propagationPolicy: 'Background' });
    } else {
      for await (const { metadata } of client.listAll(scope)) {
        await client.delete({ namespace, name: metadata.name }, { signal: ctx.signal }).catch(ignoreNotFound);
      }
    }
    return (await ctx.client.metadata(resource).list(scope)).items;
  } catch (error) {
    // The kind was removed in the meantime, so it has no objects left.
    if (!isUnknownKind(error)) ignoreNotFound(error);
    return [];
  }
}

function resourceName({ plural, group }: ApiResource): string {
  return group === '' ? `${plural}.` : `${plural}.${group}`;
}

/** True if, according to discovery, the server no longer serves the kind. */
function isUnknownKind(error: unknown): boolean {
  return error instanceof KubewrightError && error.code === 'KW3004';
}
