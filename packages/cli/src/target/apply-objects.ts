import {
  isNotFound,
  type Kind,
  parseApiVersion,
  sleep,
  type UnstructuredObject,
  upgradeManagedFieldsPatch,
} from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { defined } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';
import type { CliEnvironment } from '../program/cli-environment.ts';
import { CliError } from '../program/cli-error.ts';

/**
 * The field manager of this program: the name that `kubectl apply --server-side` uses. Both apply the same manifests; under
 * different names, each would conflict with the other's fields.
 */
const fieldManager = 'kubectl';
/** The field manager of `kubectl apply` without `--server-side`. */
const clientSideManager = 'kubectl-client-side-apply';
/** The time in which the server must serve a new kind, in milliseconds. */
const establishMs = 15_000;
const pollMs = 50;

/** The cluster that objects are written to. */
export interface Target {
  readonly client: KubernetesClient;
  readonly environment: Pick<CliEnvironment, 'clock' | 'signal'>;
}

/** Applies objects in order with server-side apply and waits until the server serves the kinds among them. */
export async function applyObjects(target: Target, objects: readonly UnstructuredObject[]): Promise<void> {
  const { client, environment } = target;
  const { signal } = environment;
  for (const object of objects) {
    const { name = '' } = object.metadata ?? {};
    const resource = client.resource(await kindOf(client, object));
    const configuration = { ...object, metadata: { ...object.metadata, name } };
    const apply = () => resource.apply(configuration, { fieldManager, force: true, signal });
    const applied = await apply();
    // Like `kubectl apply --server-side`: fields of an earlier client-side apply would otherwise stay forever.
    const body = upgradeManagedFieldsPatch(applied, { from: [clientSideManager], to: fieldManager });
    if (body) {
      await resource.patch(applied.metadata, { type: 'json', body }, { signal });
      await apply();
    }
    if (object.kind === 'CustomResourceDefinition') await established(target, name);
  }
}

/** Deletes the objects that exist, in reverse order, and returns their number. */
export async function deleteObjects(
  { client, environment }: Target,
  objects: readonly UnstructuredObject[],
): Promise<number> {
  const { signal } = environment;
  let found = 0;
  for (const object of [...objects].reverse()) {
    const { name = '', namespace } = object.metadata ?? {};
    try {
      const resource = client.resource(await kindOf(client, object));
      await resource.delete({ name, ...defined({ namespace }) }, { signal });
      found++;
    } catch (error) {
      // If the kind no longer exists, neither do its objects.
      if (!isNotFound(error) && !isUnknownKind(error)) throw error;
    }
  }
  return found;
}

async function established({ client, environment }: Target, name: string): Promise<void> {
  const { clock, signal } = environment;
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
    what: `the API server does not serve the kind ${name}`,
    why: `its CRD was not established within ${establishMs / 1000} s`,
    remedy: `check the conditions of the CRD: kubectl describe crd ${name}`,
  });
}

/** True if the server does not know the kind. */
export function isUnknownKind(error: unknown): boolean {
  return error instanceof CliError && error.code === 'KW7305';
}

/** Finds the kind by discovery. Retries once with a fresh cache, because an earlier object may have just added the kind. */
export async function kindOf(client: KubernetesClient, object: UnstructuredObject): Promise<Kind<UnstructuredObject>> {
  const { group, version } = parseApiVersion(object.apiVersion);
  const find = async () => (await client.discovery.mapper()).forKind({ group, version, kind: object.kind });
  const found = await find();
  if (found) return found;
  client.discovery.invalidate();
  const again = await find();
  if (again) return again;
  throw new CliError('KW7305', {
    what: `the API server does not serve ${object.kind} of ${object.apiVersion}`,
    why: 'its CRD is not installed, or apiVersion or kind is misspelled',
    remedy:
      group === 'cert-manager.io'
        ? 'install cert-manager, or remove "certificates" from package.json to let the operator create its own certificates'
        : 'correct the misspelling, or install the CRDs: kubewright install',
  });
}
