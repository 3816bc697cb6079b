import { isNotFound, type Kind, type KubernetesObject, type UnstructuredObject } from '@kubewright/apimachinery';
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '@kubewright/apimachinery/admissionregistration/v1';
import type { Project } from '../project/find-project.ts';
import type { Target } from '../target/apply-objects.ts';

interface WebhookConfiguration extends KubernetesObject {
  readonly webhooks?: readonly { readonly clientConfig: { readonly service?: { readonly namespace: string } } }[];
}

/**
 * Removes webhook configurations of an earlier deployment whose webhooks no longer exist in the code: nothing serves them, so
 * they would keep rejecting writes. Returns their names.
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

interface Stale<T extends WebhookConfiguration> {
  readonly kind: Kind<T>;
  readonly prefix: string;
  readonly project: Pick<Project, 'name'>;
  readonly objects: readonly UnstructuredObject[];
}

async function removeStale<T extends WebhookConfiguration>(
  { client, environment: { signal } }: Target,
  { kind, prefix, project, objects }: Stale<T>,
): Promise<string | undefined> {
  const name = `${project.name}-${prefix}-webhook-configuration`;
  if (objects.some((each) => each.kind === kind.kind && each.metadata?.name === name)) return undefined;
  const configurations = client.resource(kind);
  try {
    const { metadata, webhooks = [] } = await configurations.get({ name }, { signal });
    // A configuration with the same name that calls a service in another namespace is not ours.
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
