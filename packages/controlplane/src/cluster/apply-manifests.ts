import { readFile } from 'node:fs/promises';
import {
  type Kind,
  type KubernetesObject,
  KubewrightError,
  parseApiVersion,
  type UnstructuredObject,
} from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';

/** Thrown if a manifest cannot be applied. The message names the file, the object and the reason. */
class ManifestError extends KubewrightError {
  override readonly name = 'ManifestError';
  readonly code = 'KW5501';
}

/**
 * Applies every object of the YAML files in order with server-side apply. Returns the objects as stored by the server.
 *
 * @example
 * ```ts
 * await applyManifests(client, { files: ['config/crd/bases/example.com_websites.yaml'], fieldManager: 'test' });
 * ```
 */
export async function applyManifests(
  client: KubernetesClient,
  options: { readonly files: readonly string[]; readonly fieldManager: string; readonly signal?: AbortSignal },
): Promise<readonly KubernetesObject[]> {
  const applied: KubernetesObject[] = [];
  for (const file of options.files) {
    for (const object of await readManifests(file)) {
      try {
        applied.push(await applyOne(client, object, options));
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new ManifestError(
          { what: `cannot apply ${object.kind} ${object.metadata?.name ?? ''} from ${file}`, why: reason },
          {
            cause,
          },
        );
      }
    }
  }
  return applied;
}

async function applyOne(
  client: KubernetesClient,
  object: UnstructuredObject,
  { fieldManager, signal }: { readonly fieldManager: string; readonly signal?: AbortSignal },
): Promise<KubernetesObject> {
  const { name } = object.metadata ?? {};
  if (!name) throw new Error('metadata.name is required');
  const kind = await kindOf(client, object);
  const configuration = { ...object, metadata: { ...object.metadata, name } };
  return client.resource(kind).apply(configuration, { fieldManager, force: true, signal });
}

async function readManifests(file: string): Promise<readonly UnstructuredObject[]> {
  // Loaded lazily: not needed until there is a cluster to apply to.
  const { parseAllDocuments } = await import('yaml');
  return parseAllDocuments(await readFile(file, 'utf8')).flatMap((document) => {
    const [fault] = document.errors;
    if (fault)
      throw new ManifestError({ what: `cannot read ${file}`, why: `invalid YAML: ${fault.message}` }, { cause: fault });
    const object: unknown = document.toJS({ maxAliasCount: 100 });
    // The server validates the object.
    return object === null || object === undefined ? [] : [object as UnstructuredObject];
  });
}

/**
 * Finds the kind by discovery. Refreshes discovery once if the kind is missing, because an earlier manifest may have
 * just added it.
 */
async function kindOf(client: KubernetesClient, object: UnstructuredObject): Promise<Kind<UnstructuredObject>> {
  const { group, version } = parseApiVersion(object.apiVersion);
  const wanted = { group, version, kind: object.kind };
  const find = async () => (await client.discovery.mapper()).forKind(wanted);
  let found = await find();
  if (!found) {
    client.discovery.invalidate();
    found = await find();
  }
  if (!found)
    throw new Error(
      `no matches for kind "${object.kind}" in version "${object.apiVersion}"; ensure CRDs are installed first`,
    );
  return found;
}
