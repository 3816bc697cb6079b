import { isNotFound, sleep, type UnstructuredObject } from '@kubewright/apimachinery';
import { kindOf, type Target } from '../deploy/apply-objects.ts';
import { CliError } from '../program/cli-error.ts';

/** How long finalizers may take, in milliseconds. */
const patienceMs = 15_000;
const pollMs = 100;

/** Deletes the objects of kinds that are to go, while the operator still runs to clean up after them. */
export async function removeCustomObjects(target: Target, made: readonly UnstructuredObject[]): Promise<void> {
  for (const crd of made.filter(({ kind }) => kind === 'CustomResourceDefinition')) {
    const { group, names, versions } = crd['spec'] as {
      readonly group: string;
      readonly names: { readonly kind: string };
      readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
    };
    const version = versions.find(({ storage }) => storage)?.name ?? '';
    await removeAll(target, { apiVersion: `${group}/${version}`, kind: names.kind });
  }
}

async function removeAll(
  { client, surroundings }: Target,
  type: { readonly apiVersion: string; readonly kind: string },
): Promise<void> {
  const { clock, signal } = surroundings;
  const resource = client.resource(await kindOf(client, { ...type, metadata: {} }));
  const all = async (): Promise<readonly UnstructuredObject[]> => (await resource.list({ signal })).items;
  for (const { metadata } of await all()) {
    const { name = '', namespace } = metadata ?? {};
    try {
      await resource.delete({ name, ...(namespace !== undefined && { namespace }) }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  let left = await all();
  for (const end = clock.monotonic() + patienceMs; left.length > 0 && clock.monotonic() < end; left = await all())
    await sleep(clock, { ms: pollMs, signal });
  if (left.length === 0) return;
  throw new CliError('KW7307', {
    what: `${left.length} objects of ${type.kind} do not go`,
    why: `finalizers hold them: ${left.flatMap(({ metadata }) => metadata?.finalizers ?? []).join(', ')}`,
    remedy: 'kubewright uninstall --force',
  });
}
