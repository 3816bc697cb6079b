import { isNotFound } from '@kubewright/apimachinery';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import type { Project } from '../project/find-project.ts';
import type { Target } from '../target/apply-objects.ts';

/**
 * Returns where a project's operator is running, as far as the cluster shows it: ready pods of its deployment, or a lease in
 * its domain that is being renewed. An operator that runs outside the cluster without a lease is not detected.
 */
export async function operatorPresence(target: Target, project: Project): Promise<string | undefined> {
  return (await readyDeployment(target, project)) ?? (await renewedLease(target, project));
}

async function readyDeployment(
  { client, environment }: Target,
  { name }: Pick<Project, 'name'>,
): Promise<string | undefined> {
  const key = { namespace: `${name}-system`, name: `${name}-controller-manager` };
  try {
    const { status } = await client.resource(Deployment).get(key, { signal: environment.signal });
    return (status?.readyReplicas ?? 0) > 0 ? `deployment ${key.namespace}/${key.name}` : undefined;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return undefined;
  }
}

async function renewedLease(
  { client, environment }: Target,
  { domain }: Pick<Project, 'domain'>,
): Promise<string | undefined> {
  const { clock, signal } = environment;
  const now = clock.now();
  const { items } = await client.resource(Lease).list({ signal });
  const held = items.find(({ metadata, spec }) => {
    if (!metadata.name?.endsWith(`.${domain}`) || !spec?.holderIdentity) return false;
    return Date.parse(spec.renewTime ?? '') + (spec.leaseDurationSeconds ?? 0) * 1_000 > now;
  });
  return held && `lease ${held.metadata.namespace}/${held.metadata.name}, held by ${held.spec?.holderIdentity}`;
}
