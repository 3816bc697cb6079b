import { isNotFound, type Kind, type KubernetesObject, type UnstructuredObject } from '@kubewright/apimachinery';
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '@kubewright/apimachinery/admissionregistration/v1';
import type { Project } from '../project/find-project.ts';
import type { Target } from './apply-objects.ts';

interface Asking extends KubernetesObject {
  readonly webhooks?: readonly { readonly clientConfig: { readonly service?: { readonly namespace: string } } }[];
}

/**
 * Removes the webhook configurations of an earlier deployment that the code has no webhooks for any more: they would go on
 * refusing writes, for nobody answers them. Answers their names.
 */
export async function removeStaleWebhooks(
  target: Target,
  { project, objects }: { readonly project: Pick<Project, 'name'>; readonly objects: readonly UnstructuredObject[] },
): Promise<readonly string[]> {
  const removed = [
    await removeStale(target, { kind: MutatingWebhookConfiguration, prefix: 'mutating', project, objects }),
    await removeStale(target, { kind: ValidatingWebhookConfiguration, prefix: 'validating', project, objects }),
  ];
  return removed.filter((name) => name !== undefined);
}

interface Stale<T extends Asking> {
  readonly kind: Kind<T>;
  readonly prefix: string;
  readonly project: Pick<Project, 'name'>;
  readonly objects: readonly UnstructuredObject[];
}

async function removeStale<T extends Asking>(
  { client, surroundings: { signal } }: Target,
  { kind, prefix, project, objects }: Stale<T>,
): Promise<string | undefined> {
  const name = `${project.name}-${prefix}-webhook-configuration`;
  if (objects.some((each) => each.kind === kind.kind && each.metadata?.name === name)) return undefined;
  const configurations = client.resource(kind);
  try {
    const { metadata, webhooks = [] } = await configurations.get({ name }, { signal });
    // Of that name, and somebody else's: it asks a service elsewhere.
    const isOurs = webhooks.every(({ clientConfig }) => clientConfig.service?.namespace === `${project.name}-system`);
    if (!isOurs) return undefined;
    const { uid } = metadata;
    await configurations.delete({ name }, { signal, ...(uid !== undefined && { preconditions: { uid } }) });
    return name;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
