import { type Clock, type Random, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { builtinSchema, type SchemaNode } from '@kubewright/schema/internal';
import type { AdmissionPlugin } from '../admission/admission-plugin.ts';
import { namespaceLifecycle } from '../admission/namespace-lifecycle.ts';
import { ApiServer } from '../api-server.ts';
import type { ApiServerOptions } from '../api-server-options.ts';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { ApiRequest, ApiResponse } from '../http/api-request.ts';
import { MutableCatalog } from '../registry/resource-catalog.ts';
import type { ResourceDefinition, SubresourceDefinition } from '../registry/resource-definition.ts';
import { MemoryStorage } from '../storage/memory-storage.ts';

const string: SchemaNode = { type: 'string' };
const any: SchemaNode = { type: 'any' };
const map = (values: SchemaNode): SchemaNode => ({ type: 'object', additionalProperties: values });
const fields = (properties: Record<string, SchemaNode>): SchemaNode => ({
  type: 'object',
  properties: new Map(Object.entries(properties)),
});

/** A custom resource as its CRD would define it, with spec, status and both subresources. */
export function widgets(overrides: Partial<ResourceDefinition> = {}): ResourceDefinition {
  const metadata = metadataSchema();
  const schema = fields({
    apiVersion: string,
    kind: string,
    metadata,
    spec: fields({ size: { type: 'integer', format: 'int64' }, color: string, tags: map(string) }),
    status: fields({ size: { type: 'integer', format: 'int64' }, selector: string, phase: string }),
  });
  const strategy: ResourceDefinition['strategy'] = {
    generation: 'object',
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: false,
    prepareForCreate(object) {
      delete object['status'];
    },
    prepareForUpdate(object, old) {
      const { status } = old as unknown as { readonly status?: unknown };
      if (status === undefined) delete object['status'];
      else object['status'] = status;
    },
  };
  return {
    group: 'example.com',
    version: 'v1',
    resource: 'widgets',
    singular: 'widget',
    kind: 'Widget',
    listKind: 'WidgetList',
    scope: 'Namespaced',
    shortNames: ['wd'],
    categories: [],
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    storagePrefix: '/registry/example.com/widgets/',
    storageApiVersion: 'example.com/v1',
    schema,
    strategy,
    custom: true,
    columns: [
      { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
      { name: 'Size', type: 'integer', format: '', description: '', priority: 0 },
    ],
    cells: (object) => [object.metadata.name, (object as unknown as { spec?: { size?: number } }).spec?.size ?? null],
    fieldLabels: new Map(),
    subresources: new Map<string, SubresourceDefinition>([
      [
        'status',
        {
          group: 'example.com',
          version: 'v1',
          kind: 'Widget',
          verbs: ['get', 'patch', 'update'],
          behavior: {
            type: 'status',
            strategy: {
              ...strategy,
              prepareForUpdate(object, old) {
                const { metadata: _metadata, status: _status, ...rest } = old as unknown as Record<string, unknown>;
                for (const key of Object.keys(object)) if (key !== 'metadata' && key !== 'status') delete object[key];
                Object.assign(object, rest);
              },
            },
          },
        },
      ],
      [
        'scale',
        {
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
          verbs: ['get', 'patch', 'update'],
          behavior: {
            type: 'scale',
            specReplicasPath: ['spec', 'size'],
            statusReplicasPath: ['status', 'size'],
            selectorPath: ['status', 'selector'],
          },
        },
      ],
    ]),
    ...overrides,
  };
}

/** A cluster-scoped custom resource without subresources. */
export function planets(): ResourceDefinition {
  return widgets({
    resource: 'planets',
    singular: 'planet',
    kind: 'Planet',
    listKind: 'PlanetList',
    scope: 'Cluster',
    storagePrefix: '/registry/example.com/planets/',
    subresources: new Map(),
    strategy: { generation: 'object', allowUnconditionalUpdate: false, allowCreateOnUpdate: false },
  });
}

/** A kind of the core group without special rules. */
function plainKind(names: Pick<ResourceDefinition, 'resource' | 'singular' | 'kind' | 'scope' | 'shortNames'>): ResourceDefinition {
  const schema = builtinSchema({ group: '', version: 'v1', kind: names.kind });
  if (!schema) throw new Error(`the type table has no schema for ${names.kind}`);
  return {
    ...widgets(),
    ...names,
    group: '',
    version: 'v1',
    listKind: `${names.kind}List`,
    storagePrefix: `/registry/${names.resource}/`,
    storageApiVersion: 'v1',
    schema,
    strategy: { generation: 'none', allowUnconditionalUpdate: true, allowCreateOnUpdate: false },
    custom: false,
    columns: [{ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }],
    cells: ({ metadata }) => [metadata.name],
    subresources: new Map(),
  };
}

/** Namespaces and ConfigMaps, which behave like built-in kinds, and two kinds that behave like custom resources. */
function sampleDefinitions(): readonly ResourceDefinition[] {
  return [
    plainKind({ resource: 'namespaces', singular: 'namespace', kind: 'Namespace', scope: 'Cluster', shortNames: ['ns'] }),
    plainKind({ resource: 'configmaps', singular: 'configmap', kind: 'ConfigMap', scope: 'Namespaced', shortNames: ['cm'] }),
    widgets(),
    planets(),
  ];
}

function metadataSchema(): SchemaNode {
  const owner = fields({
    apiVersion: string,
    kind: string,
    name: string,
    uid: string,
    controller: { type: 'boolean' },
    blockOwnerDeletion: { type: 'boolean' },
  });
  const strings: SchemaNode = { type: 'array', items: string, listType: 'set' };
  return fields({
    name: string,
    generateName: string,
    namespace: string,
    uid: string,
    resourceVersion: string,
    generation: { type: 'integer', format: 'int64' },
    creationTimestamp: string,
    deletionTimestamp: string,
    deletionGracePeriodSeconds: { type: 'integer', format: 'int64' },
    labels: map(string),
    annotations: map(string),
    finalizers: strings,
    ownerReferences: { type: 'array', items: owner, listType: 'map', listMapKeys: ['uid'] },
    managedFields: { type: 'array', items: any },
    selfLink: string,
  });
}

/** A response whose body has been read. */
export interface Answer {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  readonly text: string;
  /** The parsed body. It is `any` on purpose, because tests read deeply nested fields. */
  readonly json: Json;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look deep into answers
export type Json = any;

/** The parts of a server that a test's own kinds and plugins need. */
export type TestServerParts = Pick<TestServer, 'clock' | 'random' | 'storage'>;

/** Parts of a {@link TestServer} that a test replaces. */
export type TestServerOptions = Partial<ApiServerOptions> & {
  readonly clock?: Clock;
  /** Limits the storage. */
  readonly maxBytes?: number;
  /** Kinds that replace the sample kinds. */
  readonly definitions?: (parts: TestServerParts) => readonly ResourceDefinition[];
  /** Plugins in addition to NamespaceLifecycle. */
  readonly plugins?: (parts: TestServerParts) => readonly AdmissionPlugin[];
};

/** An in-memory server with a few kinds, and shorthands for requests. */
export class TestServer implements AsyncDisposable {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly storage: MemoryStorage;
  readonly catalog: MutableCatalog;
  readonly server: ApiServer;
  readonly errors: unknown[] = [];
  user: UserInfo = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };

  constructor({ maxBytes, definitions = sampleDefinitions, plugins, ...options }: TestServerOptions = {}) {
    this.clock = new VirtualClock(Date.UTC(2026, 0, 2, 3, 4, 5));
    this.random = seededRandom(1);
    this.storage = new MemoryStorage({ clock: this.clock, maxBytes });
    this.catalog = new MutableCatalog(definitions(this));
    this.server = new ApiServer({
      storage: this.storage,
      clock: this.clock,
      random: this.random,
      catalog: this.catalog,
      authenticators: [{ authenticate: async () => this.user }],
      authorizer: { authorize: async () => ({ decision: 'allow', reason: '' }) },
      admissionPlugins: [namespaceLifecycle({ storage: this.storage }), ...(plugins?.(this) ?? [])],
      onError: (error) => this.errors.push(error),
      ...options,
    });
  }

  /** Starts with the namespaces that every cluster has. */
  static async start(options: TestServerOptions = {}): Promise<TestServer> {
    const server = new TestServer(options);
    for (const name of ['default', 'kube-system']) {
      await server.post('/api/v1/namespaces', { metadata: { name } });
    }
    return server;
  }

  async send(
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly headers?: Record<string, string>; readonly signal?: AbortSignal } = {},
  ): Promise<Answer> {
    const response = await this.server.handle(this.request(method, path, options));
    const text = await readBody(response);
    const { status, headers } = response;
    const isJson = String(headers['content-type']).startsWith('application/json');
    return { status, headers, text, json: isJson && text !== '' && !text.includes('\n{') ? JSON.parse(text) : undefined };
  }

  request(
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly headers?: Record<string, string>; readonly signal?: AbortSignal } = {},
  ): ApiRequest {
    const { body, headers = {}, signal = new AbortController().signal } = options;
    const bytes = body === undefined ? undefined : bytesOf(body);
    const type: Record<string, string> = bytes === undefined ? {} : { 'content-type': 'application/json' };
    return {
      method,
      path,
      headers: { 'user-agent': 'test/1.0', ...type, ...headers },
      body: bytes,
      signal,
      connection: { remoteAddress: '127.0.0.1', protocol: 'in-process' },
    };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, { headers });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('POST', path, { body, headers });
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.send('PUT', path, { body });
  }

  patch(path: string, type: 'json' | 'merge' | 'strategic' | 'apply', body: unknown): Promise<Answer> {
    const contentType = {
      json: 'application/json-patch+json',
      merge: 'application/merge-patch+json',
      strategic: 'application/strategic-merge-patch+json',
      apply: 'application/apply-patch+yaml',
    }[type];
    return this.send('PATCH', path, { body, headers: { 'content-type': contentType } });
  }

  delete(path: string, body?: unknown): Promise<Answer> {
    return this.send('DELETE', path, { body });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.storage[Symbol.asyncDispose]();
  }
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

async function readBody({ body }: ApiResponse): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString('utf8');
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
