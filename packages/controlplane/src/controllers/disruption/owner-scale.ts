import { isNotFound, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import { Deployment, ReplicaSet, StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { ReplicationController } from '@kubewright/apimachinery/core/v1';
import type { RequestContext } from '@kubewright/runtime';
import { type ControllerReference, controllerReference, type OwnerScale, UnknownScaleError } from './expected-pods.ts';

/** A workload with a desired number of pods. */
export interface Scalable extends KubernetesObject {
  readonly spec?: { readonly replicas?: number };
}

/** The built-in kinds whose `spec.replicas` is the desired number of pods. */
export const scalableKinds: readonly Kind<Scalable>[] = [ReplicationController, ReplicaSet, StatefulSet, Deployment];

/**
 * Returns the scale of a pod's controller. For the ReplicaSet of a Deployment, returns the Deployment's scale. For kinds that are
 * not built in, reads the scale subresource.
 *
 * @throws {@link UnknownScaleError} if the kind does not exist or has no scale subresource.
 */
export async function ownerScale(
  reference: ControllerReference,
  at: { readonly namespace: string; readonly ctx: RequestContext },
): Promise<OwnerScale | undefined> {
  const { kind, name, uid, apiVersion } = reference;
  const { namespace, ctx } = at;
  const known = scalableKinds.find((one) => one.kind === kind && one.group === groupOf(apiVersion));
  if (!known) return customScale(reference, at);
  const owner = ctx.cache.lister(known).get({ namespace, name });
  if (owner === undefined || owner.metadata.uid !== uid) return undefined;
  const above = kind === 'ReplicaSet' ? controllerReference(owner) : undefined;
  return above === undefined ? { uid, replicas: owner.spec?.replicas ?? 1 } : ownerScale(above, at);
}

async function customScale(
  { kind, name, uid, apiVersion }: ControllerReference,
  { namespace, ctx }: { readonly namespace: string; readonly ctx: RequestContext },
): Promise<OwnerScale | undefined> {
  const { client, signal } = ctx;
  const group = groupOf(apiVersion);
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const resource = (await client.discovery.mapper({ signal })).forKind({ group, version, kind });
  if (!resource) throw new UnknownScaleError({ what: `no matches for kind "${kind}" in version "${apiVersion}"` });
  if (!resource.subresources.some((each) => each.name === 'scale')) {
    const what = `${resource.plural}${group === '' ? '' : `.${group}`} does not implement the scale subresource`;
    throw new UnknownScaleError({ what });
  }
  try {
    const scales = client.resource(resource as Kind<Scalable>).subresource<Scalable>('scale');
    const scale = await scales.get({ namespace, name }, { signal });
    return scale.metadata.uid === uid ? { uid, replicas: scale.spec?.replicas ?? 0 } : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
