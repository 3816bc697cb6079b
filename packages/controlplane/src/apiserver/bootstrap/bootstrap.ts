import { Buffer } from 'node:buffer';
import { apiVersionOf, type KubernetesObject, parseApiVersion } from '@kubewright/apimachinery';
import type { ApiHandler } from '../http/index.ts';
import type { ResourceCatalog, ResourceDefinition } from '../registry/index.ts';
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
  for (const object of [...bootstrapObjects(), ...objects]) {
    const definition = definitionOf(catalog, object);
    const response = await handle({
      method: 'POST',
      path: `${collectionPath(definition, object)}?fieldManager=kube-apiserver`,
      headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'kube-apiserver' },
      body: Buffer.from(JSON.stringify(object)),
      signal: new AbortController().signal,
      connection: {
        remoteAddress: '127.0.0.1',
        protocol: 'in-process',
        clientCertificate: { commonName: 'system:apiserver', organizations: ['system:masters'] },
      },
    });
    // 409: it is there already, from an earlier start.
    if (response.status !== 201 && response.status !== 409) {
      const answer = Buffer.from(response.body instanceof Uint8Array ? response.body : []).toString('utf8');
      throw new BootstrapError(`making ${object.kind} ${object.metadata.name} at start: ${response.status} ${answer}`);
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
