import { apiVersionOf, type KubernetesObject, parseApiVersion } from '@kubewright/apimachinery';
import type { ApiHandler } from '../http/index.ts';
import type { ResourceCatalog, ResourceDefinition } from '../registry/index.ts';
import { asServer } from './as-server.ts';
import { bootstrapObjects } from './bootstrap-objects.ts';

/** A bootstrap object could not be made; the server is of no use without it. */
export class BootstrapError extends Error {
  readonly code = 'KW5401';

  constructor(message: string) {
    super(message);
    this.name = 'BootstrapError';
  }
}

/** Makes the objects of {@link bootstrapObjects} that are missing, through the server itself. */
export async function bootstrap(options: {
  readonly handle: ApiHandler;
  readonly catalog: ResourceCatalog;
  /** More objects, made after the usual ones. */
  readonly objects?: readonly KubernetesObject[];
}): Promise<void> {
  const { handle, catalog, objects = [] } = options;
  const ask = asServer(handle);
  for (const object of [...bootstrapObjects(), ...objects]) {
    const definition = definitionOf(catalog, object);
    const { status, text } = await ask('POST', collectionPath(definition, object), { body: object });
    // 409: it is there already, from an earlier start.
    if (status !== 201 && status !== 409) {
      throw new BootstrapError(`making ${object.kind} ${object.metadata.name} at start: ${status} ${text}`);
    }
  }
}

function definitionOf(catalog: ResourceCatalog, { apiVersion, kind }: KubernetesObject): ResourceDefinition {
  const { group, version } = parseApiVersion(apiVersion);
  const found = catalog.all().find((each) => each.group === group && each.version === version && each.kind === kind);
  if (!found) throw new BootstrapError(`the server does not serve ${apiVersion} ${kind}, which it needs at start`);
  return found;
}

function collectionPath(definition: ResourceDefinition, { metadata }: KubernetesObject): string {
  const root = definition.group === '' ? '/api' : '/apis';
  const scope = definition.scope === 'Namespaced' ? `/namespaces/${metadata.namespace}` : '';
  return `${root}/${apiVersionOf(definition)}${scope}/${definition.resource}`;
}
