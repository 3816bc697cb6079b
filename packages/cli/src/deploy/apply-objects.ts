import { isNotFound, type Kind, parseApiVersion, sleep, type UnstructuredObject } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import type { KubernetesClient } from '@kubewright/client';
import { CliError } from '../program/cli-error.ts';
import type { Surroundings } from '../program/surroundings.ts';

/**
 * Owner of the fields that this program writes: the name that `kubectl apply --server-side` uses. Both apply the same manifests,
 * and under two names each would conflict with what the other has written.
 */
const fieldManager = 'kubectl';
/** How long the server may take to serve a new kind, in milliseconds. */
const establishMs = 15_000;
const pollMs = 50;

/** Where objects are written. */
export interface Target {
  readonly client: KubernetesClient;
  readonly surroundings: Pick<Surroundings, 'clock' | 'signal'>;
}

/** Applies objects in order, by server-side apply; waits for the kinds among them to be served. */
export async function applyObjects(target: Target, objects: readonly UnstructuredObject[]): Promise<void> {
  const { client, surroundings } = target;
  const { signal } = surroundings;
  for (const object of objects) {
    const { name = '' } = object.metadata ?? {};
    const kind = await kindOf(client, object);
    const configuration = { ...object, metadata: { ...object.metadata, name } };
    await client.resource(kind).apply(configuration, { fieldManager, force: true, signal });
    if (object.kind === 'CustomResourceDefinition') await established(target, name);
  }
}

/** Deletes objects that are there, the last one first; answers how many there were. */
export async function deleteObjects(
  { client, surroundings }: Target,
  objects: readonly UnstructuredObject[],
): Promise<number> {
  const { signal } = surroundings;
  let found = 0;
  for (const object of [...objects].reverse()) {
    const { name = '', namespace } = object.metadata ?? {};
    try {
      const resource = client.resource(await kindOf(client, object));
      await resource.delete({ name, ...(namespace !== undefined && { namespace }) }, { signal });
      found++;
    } catch (error) {
      // Of a kind that has gone, nothing is there either.
      if (!isNotFound(error) && !isUnknownKind(error)) throw error;
    }
  }
  return found;
}

async function established({ client, surroundings }: Target, name: string): Promise<void> {
  const { clock, signal } = surroundings;
  for (
    const end = clock.monotonic() + establishMs;
    clock.monotonic() < end;
    await sleep(clock, { ms: pollMs, signal })
  ) {
    const { status } = await client.resource(CustomResourceDefinition).get({ name }, { signal });
    if (status?.conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True'))
      return;
  }
  throw new CliError('KW7307', {
    what: `the kind ${name} is not served`,
    why: `it was not established within ${establishMs / 1000} s`,
    remedy: `kubectl describe crd ${name}`,
  });
}

/** True if a server does not know a kind. */
export function isUnknownKind(error: unknown): boolean {
  return error instanceof CliError && error.code === 'KW7305';
}

/** Finds the kind by discovery, asked anew once: an earlier object may just have brought it. */
export async function kindOf(client: KubernetesClient, object: UnstructuredObject): Promise<Kind<UnstructuredObject>> {
  const { group, version } = parseApiVersion(object.apiVersion);
  const find = async () => (await client.discovery.mapper()).forKind({ group, version, kind: object.kind });
  const found = await find();
  if (found) return found;
  client.discovery.invalidate();
  const again = await find();
  if (again) return again;
  throw new CliError('KW7305', {
    what: `the server does not know ${object.kind} of ${object.apiVersion}`,
    why: 'its CRD is not installed there',
    remedy:
      group === 'cert-manager.io'
        ? 'install cert-manager there, or leave "certificates" out of package.json: the operator then signs for itself'
        : 'kubewright install',
  });
}
