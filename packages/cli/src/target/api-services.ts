import { sleep, type UnstructuredObject } from '@kubewright/apimachinery';
import { APIService } from '@kubewright/apimachinery/apiregistration/v1';
import type { KubernetesClient } from '@kubewright/client';
import { CliError } from '../program/cli-error.ts';
import type { Target } from './apply-objects.ts';

/** Time limit in milliseconds: an API server checks an unavailable server again after at most 30 s. */
const patienceMs = 40_000;
const pollMs = 50;

/** The Service that an APIService refers to. */
export interface ServicePlace {
  readonly namespace: string;
  readonly name: string;
}

/** True for APIServices of servers other than the cluster's own. */
export function isDelegated(object: UnstructuredObject): boolean {
  return object.kind === 'APIService' && serviceOf(object) !== undefined;
}

/** Returns the Service that an APIService refers to. */
export function serviceOf(object: UnstructuredObject): ServicePlace | undefined {
  return (object['spec'] as { readonly service?: ServicePlace } | undefined)?.service;
}

/**
 * Waits until the cluster's API server reaches the server of an APIService and lists its kinds. These two steps are
 * independent of each other.
 * @throws CliError KW7307 with the message of the condition
 */
export async function available({ client, environment }: Target, name: string): Promise<void> {
  const { clock, signal } = environment;
  let why = 'the APIService has no condition Available';
  for (
    const end = clock.monotonic() + patienceMs;
    clock.monotonic() < end;
    await sleep(clock, { ms: pollMs, signal })
  ) {
    const { status } = await client.resource(APIService).get({ name }, { signal });
    const condition = status?.conditions?.find(({ type }) => type === 'Available');
    if (condition?.status === 'True') {
      client.discovery.invalidate();
      if (await isDiscovered(client, name)) return;
      why = 'the kinds of the APIService are missing from the discovery documents';
    } else why = condition?.message ?? why;
  }
  throw new CliError('KW7307', {
    what: `the API server of the cluster does not forward requests for ${name}`,
    why,
    remedy:
      'check the output of the operator, and that the cluster can reach this machine (kubewright dev --webhook-host HOST)',
  });
}

async function isDiscovered(client: KubernetesClient, apiService: string): Promise<boolean> {
  const groups = await client.discovery.groups();
  return groups.some(({ name, versions }) =>
    versions.some(({ version, resources }) => `${version}.${name}` === apiService && resources.length > 0),
  );
}
