import type { GroupVersionKind } from '@kubewright/apimachinery';
import type { JsonObject } from '@kubewright/apimachinery/internal';
import { builtinDefinitionName } from '../builtin/builtin-schema.ts';
import { componentName, metaComponents } from './component-names.ts';
import type { DocumentedResource } from './documented-resource.ts';
import {
  deleteCollectionParameters,
  deleteParameters,
  listParameters,
  patchParameters,
  pathParameter,
  queryParameters,
  writeParameters,
} from './parameters.ts';

type Subresource = DocumentedResource['subresources'] extends ReadonlyMap<string, infer Sub> ? Sub : never;

const mediaTypes = ['application/json', 'application/yaml'];
const patchTypes = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

/** Returns the paths of a resource and their operations, as OpenAPI v3. */
export function resourcePaths(definition: DocumentedResource): ReadonlyMap<string, JsonObject> {
  const { group, version, resource, scope } = definition;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = scope === 'Namespaced' ? `${root}/namespaces/{namespace}/${resource}` : `${root}/${resource}`;
  const writer = new OperationWriter(definition);
  const paths: [string, JsonObject | undefined][] = [
    [collection, writer.collection()],
    [`${collection}/{name}`, writer.item()],
    ...[...definition.subresources].map(
      ([name, sub]) => [`${collection}/{name}/${name}`, writer.subresource(name, sub)] as [string, JsonObject],
    ),
  ];
  if (scope === 'Namespaced') paths.push([`${root}/${resource}`, writer.allNamespaces()]);
  return new Map(paths.filter((path): path is [string, JsonObject] => path[1] !== undefined));
}

const connectMethods: Readonly<Record<string, string>> = {
  get: 'get',
  create: 'post',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
};

/**
 * True if the kind of a subresource has a schema. The options of exec, attach and proxy have no schema, because they
 * are query parameters.
 */
export function hasComponent(sub: GroupVersionKind, definition: DocumentedResource): boolean {
  return definition.custom || builtinDefinitionName(sub) !== undefined;
}

interface OperationParts {
  readonly id: string;
  readonly action: string;
  readonly kind: GroupVersionKind;
  readonly query?: readonly string[];
  readonly body?: string;
  readonly bodyTypes?: readonly string[];
  readonly response: string;
  readonly codes?: readonly string[];
}

class OperationWriter {
  readonly #definition: DocumentedResource;
  readonly #suffix: string;
  readonly #kind: string;
  readonly #list: string;

  constructor(definition: DocumentedResource) {
    const { group, version, kind, listKind, scope } = definition;
    this.#definition = definition;
    this.#suffix = `${operationGroup(group, version)}${scope === 'Namespaced' ? 'Namespaced' : ''}${kind}`;
    this.#kind = componentName(definition);
    this.#list = componentName({ group, version, kind: listKind });
  }

  collection(): JsonObject | undefined {
    const { kind, verbs } = this.#definition;
    const own = { kind: this.#definition };
    return this.#path([], {
      ...(verbs.includes('list') && {
        get: this.#operation({ ...own, id: 'list', action: 'list', query: listParameters, response: this.#list }),
      }),
      ...(verbs.includes('create') && {
        post: this.#operation({
          ...own,
          id: 'create',
          action: 'post',
          query: writeParameters,
          body: this.#kind,
          response: this.#kind,
          codes: ['200', '201', '202'],
        }),
      }),
      ...(verbs.includes('deletecollection') && {
        delete: this.#operation({
          ...own,
          id: `deleteCollection${kind}Of`,
          action: 'deletecollection',
          query: deleteCollectionParameters,
          body: metaComponents.deleteOptions,
          response: metaComponents.status,
        }),
      }),
    });
  }

  allNamespaces(): JsonObject | undefined {
    if (!this.#definition.verbs.includes('list')) return undefined;
    const parts = { kind: this.#definition, response: this.#list };
    const get = this.#operation({ ...parts, id: 'listForAllNamespaces', action: 'list' });
    return { get, parameters: queryParameters([...listParameters, 'pretty']) };
  }

  item(): JsonObject | undefined {
    const { verbs } = this.#definition;
    const deletion = verbs.includes('delete') && {
      delete: this.#operation({
        kind: this.#definition,
        id: 'delete',
        action: 'delete',
        query: deleteParameters,
        body: metaComponents.deleteOptions,
        response: metaComponents.status,
        codes: ['200', '202'],
      }),
    };
    const kind = { ...this.#definition, component: this.#kind };
    return this.#path(['name'], { ...this.#readWrite(verbs, { kind, id: '' }), ...deletion });
  }

  subresource(name: string, sub: Subresource): JsonObject | undefined {
    const id = name.charAt(0).toUpperCase() + name.slice(1);
    if (!hasComponent(sub, this.#definition)) return this.#path(['name'], this.#connect(sub, id));
    const kind = { ...sub, component: componentName(sub) };
    const creation = sub.verbs.includes('create') && {
      post: this.#operation({
        kind,
        id: `create${id}`,
        action: 'post',
        query: writeParameters,
        body: kind.component,
        response: kind.component,
      }),
    };
    return this.#path(['name'], { ...this.#readWrite(sub.verbs, { kind, id }), ...creation });
  }

  #readWrite(
    verbs: readonly string[],
    options: { readonly kind: GroupVersionKind & { readonly component: string }; readonly id: string },
  ): Record<string, JsonObject> {
    const { kind, id } = options;
    const own = { kind, response: kind.component };
    return {
      ...(verbs.includes('get') && { get: this.#operation({ ...own, id: `read${id}`, action: 'get' }) }),
      ...(verbs.includes('update') && {
        put: this.#operation({
          ...own,
          id: `replace${id}`,
          action: 'put',
          query: writeParameters,
          body: kind.component,
          codes: ['200', '201'],
        }),
      }),
      ...(verbs.includes('patch') && {
        patch: this.#operation({
          ...own,
          id: `patch${id}`,
          action: 'patch',
          query: patchParameters,
          body: metaComponents.patch,
          bodyTypes: this.#definition.custom ? patchTypes.slice(0, 3) : patchTypes,
          codes: ['200', '201'],
        }),
      }),
    };
  }

  /** Returns the operations of a streaming subresource, such as exec, whose content has no schema. */
  #connect(sub: Subresource, id: string): Record<string, JsonObject> {
    const { group, version, kind } = sub;
    const operations = sub.verbs.flatMap((verb) => {
      const method = connectMethods[verb];
      if (method === undefined) return [];
      const operation = {
        operationId: `connect${method.charAt(0).toUpperCase()}${method.slice(1)}${id}${this.#suffix}`,
        responses: { '200': { description: 'Done.', content: { '*/*': { schema: { type: 'string' } } } } },
        'x-kubernetes-action': 'connect',
        'x-kubernetes-group-version-kind': { group, version, kind },
      };
      return [[method, operation] as const];
    });
    return Object.fromEntries(operations);
  }

  #path(names: readonly 'name'[], operations: Record<string, JsonObject>): JsonObject | undefined {
    if (Object.keys(operations).length === 0) return undefined;
    const { kind, scope } = this.#definition;
    const inPath = [...names, ...(scope === 'Namespaced' ? (['namespace'] as const) : [])];
    return {
      ...operations,
      parameters: [...inPath.map((name) => pathParameter(name, kind)), ...queryParameters(['pretty'])],
    };
  }

  #operation(parts: OperationParts): JsonObject {
    const { id, action, query = [], body, bodyTypes = ['*/*'], response, codes = ['200'] } = parts;
    const { group, version } = this.#definition;
    const { group: ofGroup, version: ofVersion, kind } = parts.kind;
    const described = codes.map((code) => [code, { description: 'Done.', content: content(mediaTypes, response) }]);
    return {
      tags: [`${group === '' ? 'core' : group.split('.')[0]}_${version}`],
      operationId: `${id}${this.#suffix}`,
      ...(query.length > 0 && { parameters: queryParameters(query) }),
      ...(body !== undefined && {
        requestBody: { content: content(bodyTypes, body), ...(action.startsWith('delete') ? {} : { required: true }) },
      }),
      responses: { ...Object.fromEntries(described), '401': { description: 'Unauthorized' } },
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': { group: ofGroup, version: ofVersion, kind },
    };
  }
}

function content(types: readonly string[], component: string): JsonObject {
  const schema = { $ref: `#/components/schemas/${component}` };
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

/** Returns the part of operation ids for a group and version: `AppsV1` for `apps` and `v1`. */
function operationGroup(group: string, version: string): string {
  return [group === '' ? 'core' : group.replace(/\.k8s\.io$/, ''), version]
    .flatMap((text) => text.split(/[^A-Za-z0-9]+/))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
