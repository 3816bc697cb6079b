import { createHash } from 'node:crypto';
import type { RemoteGroups } from '../aggregation/remote-groups.ts';
import type { NonResourceHandler } from '../api-server-options.ts';
import type { RequestContext } from '../endpoints/index.ts';
import { jsonResponse } from '../endpoints/object-response.ts';
import type { ApiResponse } from '../http/api-request.ts';
import { methodNotSupported, pathNotFound } from '../http/failures.ts';
import { negotiateOutput, type ProtobufCodec } from '../negotiation/index.ts';
import type { ResourceCatalog } from '../registry/index.ts';
import { aggregatedDocument } from './aggregated-document.ts';
import { type ApiGroup, arrangeGroups } from './api-groups.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './legacy-documents.ts';
import type { GroupPriorities } from './priorities.ts';

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Options for {@link discoveryHandler}. */
export interface DiscoveryOptions {
  readonly catalog: ResourceCatalog;
  /** Groups that other servers serve. */
  readonly remote?: RemoteGroups | undefined;
  /** The order of groups and versions. @defaultValue groups by name, versions by maturity */
  readonly priorities?: GroupPriorities | undefined;
  /** Returns the `host:port` where clients reach the server. Called for each document that contains it. */
  readonly serverAddress: () => string;
  /** Encodes the documents as protobuf. @defaultValue JSON and YAML only */
  readonly protobuf?: ProtobufCodec | undefined;
}

/**
 * Serves discovery from a live catalog: `/api`, `/apis`, and the paths of groups and versions below them. Clients that request
 * aggregated discovery get a single document, with an ETag; others get the legacy documents.
 *
 * @example
 * ```ts
 * const catalog = new MutableCatalog([flunders]);
 * const handlers: readonly NonResourceHandler[] = [
 *   discoveryHandler({ catalog, serverAddress: () => '127.0.0.1:6443' }),
 *   openApiHandler({ catalog }),
 * ];
 * ```
 */
export function discoveryHandler(options: DiscoveryOptions): NonResourceHandler {
  const documents = new DiscoveryDocuments(options);
  return (context) => {
    const { isResource, path, verb } = context.info;
    if (isResource || !path.startsWith('/api')) return undefined;
    const key = path.replace(/\/+$/, '');
    if ((key === '/api' || key === '/apis') && wantsAggregated(context.request.headers['accept'])) {
      return aggregatedResponse(context, documents.aggregated(key));
    }
    const document = documents.legacy(key);
    if (document && verb !== 'get' && isRoutedByMethod(key, options)) throw methodNotSupported();
    if (document) return legacyResponse(context, document, options.protobuf);
    // As in upstream, an unknown version gets a Status, and an unknown group gets a plain-text 404.
    const [, group] = /^\/(?:api|apis\/([^/]+))\/[^/]+$/.exec(key) ?? [];
    // In upstream, groups of custom resources have a separate router, which responds in plain text.
    if (group === undefined ? /^\/api\/[^/]+$/.test(key) : options.catalog.servesGroup(group)) throw pathNotFound();
    return undefined;
  };
}

/**
 * Reports whether upstream serves a document to GET only; `/apis` and the documents of custom resources accept any
 * method.
 */
function isRoutedByMethod(path: string, { catalog }: DiscoveryOptions): boolean {
  if (path === '/api') return true;
  const [, group = ''] = /^\/(?:api|apis\/([^/]+))\/[^/]+$/.exec(path) ?? [undefined, '/'];
  return group !== '/' && !catalog.all().some((definition) => definition.custom && definition.group === group);
}

interface Encoded {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/** The documents of the current catalog: built on first use, dropped when the catalog changes. */
class DiscoveryDocuments {
  readonly #catalog: ResourceCatalog;
  readonly #remote: RemoteGroups | undefined;
  readonly #priorities: GroupPriorities | undefined;
  readonly #serverAddress: () => string;
  #generation = '';
  #groups: readonly ApiGroup[] = [];
  readonly #legacy = new Map<string, Uint8Array | undefined>();
  readonly #aggregated = new Map<string, Encoded>();

  constructor(options: DiscoveryOptions) {
    this.#catalog = options.catalog;
    this.#remote = options.remote;
    this.#priorities = options.priorities;
    this.#serverAddress = options.serverAddress;
  }

  legacy(path: string): Uint8Array | undefined {
    this.#refresh();
    if (path === '/api') return encode(apiVersions(this.#core(), this.#serverAddress()));
    if (this.#legacy.has(path)) return this.#legacy.get(path);
    const document = this.#document(path);
    // Unknown paths are not cached, because clients could invent any number of them.
    if (!document) return undefined;
    const bytes = encode(document);
    this.#legacy.set(path, bytes);
    return bytes;
  }

  aggregated(path: '/api' | '/apis'): Encoded {
    this.#refresh();
    let known = this.#aggregated.get(path);
    if (!known) {
      const bytes = encode(aggregatedDocument(this.#groups.filter(({ name }) => (name === '') === (path === '/api'))));
      known = { bytes, etag: `"${createHash('sha512').update(bytes).digest('hex').toUpperCase()}"` };
      this.#aggregated.set(path, known);
    }
    return known;
  }

  #document(path: string): object | undefined {
    if (path === '/apis') return apiGroupList(this.#groups.filter(({ name }) => name !== ''));
    const [, root, ...rest] = path.split('/');
    const [name = '', version] = root === 'apis' ? rest : ['', ...rest];
    const group = this.#groups.find((candidate) => candidate.name === name);
    if (!group || (root !== 'apis' && root !== 'api') || rest.length > (root === 'apis' ? 2 : 1)) return undefined;
    if (version === undefined) return root === 'apis' && name !== '' ? apiGroup(group) : undefined;
    const found = group.versions.find((candidate) => candidate.version === version);
    return found && apiResourceList(group, found);
  }

  #core(): ApiGroup | undefined {
    return this.#groups.find(({ name }) => name === '');
  }

  #refresh(): void {
    const generation = `${this.#catalog.generation} ${this.#remote?.generation}`;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#groups = arrangeGroups(this.#catalog.all(), {
      remote: this.#remote?.versions(),
      priorities: this.#priorities,
    });
    this.#legacy.clear();
    this.#aggregated.clear();
  }
}

/** Reports whether the first supported form in `Accept` is the aggregated form. */
function wantsAggregated(accept: string | undefined): boolean {
  if (!accept?.includes('APIGroupDiscoveryList')) return false;
  for (const clause of accept.split(',', 64)) {
    const [type, ...params] = clause.split(';').map((part) => part.trim());
    if (type !== 'application/json') continue;
    const parameters = new Map(params.map((param) => param.split('=', 2) as [string, string | undefined]));
    if (!parameters.has('as')) return false;
    const isAggregated =
      parameters.get('as') === 'APIGroupDiscoveryList' && parameters.get('g') === 'apidiscovery.k8s.io';
    if (isAggregated && parameters.get('v') === 'v2') return true;
  }
  return false;
}

function aggregatedResponse({ request }: RequestContext, { bytes, etag }: Encoded): ApiResponse {
  const headers = { 'cache-control': 'public', etag, vary: 'Accept' };
  const known = request.headers['if-none-match'];
  if (known?.split(',').some((tag) => tag.trim() === etag)) return { status: 304, headers, body: new Uint8Array(0) };
  return { status: 200, headers: { ...headers, 'content-type': aggregatedType }, body: bytes };
}

function legacyResponse(
  { request, info }: RequestContext,
  document: Uint8Array,
  codec: ProtobufCodec | undefined,
): ApiResponse {
  const type = { apiVersion: 'v1', kind: 'APIResourceList' };
  const response = jsonResponse(
    200,
    document,
    negotiateOutput(request.headers, info.query, { table: false, codec, type }),
  );
  return info.path.replace(/\/+$/, '').split('/').length > 2
    ? response
    : { ...response, headers: { ...response.headers, vary: 'Accept' } };
}

function encode(document: object): Uint8Array {
  return Buffer.from(JSON.stringify(document));
}
