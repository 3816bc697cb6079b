import {
  isControlledBy,
  type Kind,
  type KubernetesObject,
  type Stored,
  setControllerReference,
} from '@kubewright/apimachinery';
import type { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Pod, type Secret, type Service } from '@kubewright/apimachinery/core/v1';
import type { ReconcileContext } from '@kubewright/runtime';
import type { PostgresPooler } from '../api/v1/postgres-pooler.ts';
import { poolerLabel } from '../spec/pooler-objects.ts';

type PoolerContext = ReconcileContext<PostgresPooler>;

/**
 * Creates or updates an object of a pooler. Returns the reason if a foreign object has its name.
 *
 * @rbac groups="" resources=secrets;services verbs=get;list;watch;create;patch
 * @rbac groups=apps resources=deployments verbs=get;list;watch;create;patch
 */
export async function applyOwn<T extends Secret | Service | Deployment>(
  kind: Kind<T>,
  object: T,
  { pooler, ctx }: { readonly pooler: Stored<PostgresPooler>; readonly ctx: PoolerContext },
): Promise<string | undefined> {
  const { namespace } = pooler.metadata;
  const { name = '' } = object.metadata;
  const found: KubernetesObject | undefined = await ctx.get(kind, { namespace, name });
  if (!found) {
    // Unlike an apply, a create fails if the object exists but is not in the cache yet, so a foreign object is never changed.
    const placed = { ...object, metadata: { ...object.metadata, namespace } };
    const options = { fieldManager: 'postgrespooler', signal: ctx.signal };
    await ctx.client.resource(kind).create(setControllerReference(placed, pooler), options);
  } else if (isControlledBy(found, pooler)) await ctx.apply(object);
  else
    return `${kind.kind} "${name}" does not belong to this pooler; delete it, or recreate the pooler under another name`;
  return undefined;
}

/** Returns the messages of the pooler's failed containers. */
export async function podFailures(
  { metadata: { name, namespace } }: Stored<PostgresPooler>,
  ctx: PoolerContext,
): Promise<readonly string[]> {
  const pods = await ctx.list(Pod, { namespace, labelSelector: { [poolerLabel]: name } });
  return pods.flatMap(({ metadata, status }) =>
    (status?.containerStatuses ?? []).flatMap(({ ready, state, lastState }) => {
      const { message, exitCode = 0 } = state?.terminated ?? lastState?.terminated ?? {};
      if (ready) return [];
      if (exitCode !== 0) return [`${metadata.name}: ${message?.trim() || `exit code ${exitCode}`}`];
      const { reason, message: waiting } = state?.waiting ?? {};
      return reason !== undefined && waiting !== undefined ? [`${metadata.name}: ${reason}: ${waiting}`] : [];
    }),
  );
}
