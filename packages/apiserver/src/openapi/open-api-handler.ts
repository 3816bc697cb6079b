import { createHash } from 'node:crypto';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import { BuiltinDescriptions, groupVersionDocument } from '@kubewright/schema/internal';
import type { RemoteGroups } from '../aggregation/remote-groups.ts';
import type { NonResourceHandler } from '../api-server-options.ts';
import type { RequestContext } from '../endpoints/index.ts';
import type { ApiResponse } from '../http/api-request.ts';
import { methodNotSupported, notAcceptable } from '../http/failures.ts';
import type { ResourceCatalog, ResourceDefinition } from '../registry/index.ts';
import { type DocumentOptions, type SwaggerParts, swaggerDocument, swaggerParts } from './swagger-document.ts';

/** Part of every hash: increase it when the form of the documents changes. */
const form = 'kubewright 2';

/** Options for {@link openApiHandler}. */
export interface OpenApiHandlerOptions {
  readonly catalog: ResourceCatalog;
  /** Groups that other servers serve. */
  readonly remote?: RemoteGroups | undefined;
  /** Source of the descriptions of built-in kinds. @defaultValue the package `kubernetes-types`, if installed */
  readonly description?: DocumentOptions['description'];
}

/**
 * Serves `/openapi/v3` (an index with hashes, so that clients fetch only what has changed), the documents of each group and
 * version below it, and `/openapi/v2` as JSON. Documents are built on first use and dropped when their resources change; those of
 * other servers are fetched for each client, under its identity.
 *
 * @example
 * ```ts
 * const catalog = new MutableCatalog([flunders]);
 * const openApi: NonResourceHandler = openApiHandler({ catalog });
 * ```
 */
export function openApiHandler(options: OpenApiHandlerOptions): NonResourceHandler {
  const documents = new OpenApiDocuments(options);
  return (context) => {
    const path = context.info.path.replace(/\/+$/, '');
    if (!path.startsWith('/openapi/')) return undefined;
    const respond = route(path, { context, documents });
    if (respond && !/^(?:GET|HEAD)$/.test(context.request.method)) throw methodNotSupported();
    return respond?.();
  };
}

function route(
  path: string,
  { context, documents }: { readonly context: RequestContext; readonly documents: OpenApiDocuments },
): (() => Promise<ApiResponse> | ApiResponse) | undefined {
  const { request, info } = context;
  if (path === '/openapi/v3') return () => jsonResponse(documents.index());
  if (path === '/openapi/v2') {
    return async () => {
      assertJson(request.headers['accept']);
      return documentResponse(await documents.swagger(), { context, hash: undefined });
    };
  }
  const name = path.slice('/openapi/v3/'.length);
  const fetched = path.startsWith('/openapi/v3/') && documents.fetched(name, context);
  if (fetched) return fetched;
  const hash = path.startsWith('/openapi/v3/') ? documents.hash(name) : undefined;
  if (hash === undefined) return () => ({ status: 404, headers: {}, body: new Uint8Array(0) });
  const requested = info.query.get('hash');
  if (requested !== null && requested !== hash) {
    const location = `/openapi/v3/${name}?hash=${hash}`;
    return () => ({
      status: 301,
      headers: { location, 'cache-control': 'no-cache, private' },
      body: new Uint8Array(0),
    });
  }
  return () => {
    assertJson(request.headers['accept']);
    return documentResponse(documents.document(name), { context, hash: requested ?? undefined });
  };
}

/** Rejects requests for protobuf only: every client that requests protobuf also accepts JSON, or falls back to it. */
function assertJson(accept: string | undefined): void {
  if (accept === undefined || /(?:^|[,\s])(?:application\/json|application\/\*|\*\/\*)/.test(accept)) return;
  throw notAcceptable(['application/json']);
}

interface Encoded {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

class OpenApiDocuments {
  readonly #catalog: ResourceCatalog;
  readonly #remote: RemoteGroups | undefined;
  readonly #options: DocumentOptions;
  #generation = -1;
  /** Definitions by `api/v1`, `apis/apps/v1`. */
  #parts = new Map<string, ResourceDefinition[]>();
  #hashes = new Map<string, string>();
  /** Digests of definitions, which never change once they are in the catalog: a new one costs only its own. */
  readonly #fingerprints = new WeakMap<ResourceDefinition, Uint8Array>();
  /** Documents by hash, kept across changes of the catalog. */
  readonly #documents = new Map<string, Encoded>();
  /** Parts of the OpenAPI v2 document by hash, so that a change costs no more than the parts that it affects. */
  readonly #swaggerParts = new Map<string, SwaggerParts>();
  #swagger: Promise<Encoded> | undefined;

  constructor({ catalog, remote, description }: OpenApiHandlerOptions) {
    this.#catalog = catalog;
    this.#remote = remote;
    const texts = new BuiltinDescriptions();
    this.#options = { description: description ?? ((definition, field) => texts.description(definition, field)) };
  }

  index(): object {
    this.#refresh();
    const urls = new Map([...this.#hashes].map(([name, hash]) => [name, `/openapi/v3/${name}?hash=${hash}`]));
    for (const [name, url] of this.#remote?.openApiPaths() ?? []) urls.set(name, url);
    const paths = [...urls]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, serverRelativeURL]) => [name, { serverRelativeURL }]);
    return { paths: Object.fromEntries(paths) };
  }

  /** Returns a function that fetches another server's document, or undefined. */
  fetched(name: string, context: RequestContext): (() => Promise<ApiResponse>) | undefined {
    const remote = this.#remote;
    return remote?.openApiPaths().has(name) ? () => remote.openApiDocument(name, context) : undefined;
  }

  hash(name: string): string | undefined {
    this.#refresh();
    return this.#hashes.get(name);
  }

  document(name: string): Encoded {
    const hash = this.hash(name) ?? '';
    let known = this.#documents.get(hash);
    if (!known) {
      known = encode(groupVersionDocument(this.#parts.get(name) ?? [], this.#options));
      this.#documents.set(hash, known);
    }
    return known;
  }

  swagger(): Promise<Encoded> {
    this.#refresh();
    this.#swagger ??= this.#makeSwagger([...this.#parts]);
    return this.#swagger;
  }

  async #makeSwagger(groups: readonly (readonly [string, readonly ResourceDefinition[]])[]): Promise<Encoded> {
    const hashes = new Map(this.#hashes);
    const parts: SwaggerParts[] = [];
    for (const [name, definitions] of groups) {
      const hash = hashes.get(name) ?? '';
      const part = this.#swaggerParts.get(hash) ?? (await swaggerParts(definitions, this.#options));
      this.#swaggerParts.set(hash, part);
      parts.push(part);
    }
    const etag = createHash('sha512')
      .update([...hashes.values()].sort().join())
      .digest('hex')
      .toUpperCase();
    return { bytes: swaggerDocument(parts), etag: `"${etag}"` };
  }

  #refresh(): void {
    const { generation } = this.#catalog;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#swagger = undefined;
    this.#parts = new Map();
    for (const definition of this.#catalog.all()) {
      const { group, version } = definition;
      const name = group === '' ? `api/${version}` : `apis/${group}/${version}`;
      const siblings = this.#parts.get(name);
      if (siblings) siblings.push(definition);
      else this.#parts.set(name, [definition]);
    }
    this.#hashes = new Map([...this.#parts].map(([name, definitions]) => [name, this.#hashOf(name, definitions)]));
    const current = new Set(this.#hashes.values());
    for (const kept of [this.#documents, this.#swaggerParts])
      for (const hash of kept.keys()) if (!current.has(hash)) kept.delete(hash);
  }

  /** Returns a hash that changes with the document, computed without building it. */
  #hashOf(name: string, definitions: readonly ResourceDefinition[]): string {
    const hash = createHash('sha512').update(form).update(name);
    for (const definition of definitions) {
      const known = this.#fingerprints.get(definition) ?? fingerprint(definition);
      this.#fingerprints.set(definition, known);
      hash.update(known);
    }
    return hash.digest('hex').toUpperCase();
  }
}

function fingerprint(definition: ResourceDefinition): Uint8Array {
  const { resource, kind, listKind, scope, verbs, subresources, openApiSchema } = definition;
  const described = [resource, kind, listKind, scope, verbs, [...subresources.keys()], openApiSchema];
  return createHash('sha512').update(stringifyJson(described)).digest();
}

function encode(document: object): Encoded {
  const bytes = Buffer.from(stringifyJson(document));
  return { bytes, etag: `"${createHash('sha512').update(bytes).digest('hex').toUpperCase()}"` };
}

function jsonResponse(document: object): ApiResponse {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(document)) };
}

function documentResponse(
  { bytes, etag }: Encoded,
  { context, hash }: { readonly context: RequestContext; readonly hash: string | undefined },
): ApiResponse {
  // The document under a hash never changes, so clients may cache it for a year.
  const caching = hash === undefined ? 'no-cache, private' : 'public, immutable, max-age=31536000';
  const headers = { etag, vary: 'Accept', 'cache-control': caching };
  const known = context.request.headers['if-none-match'];
  if (known?.split(',').some((tag) => tag.trim() === etag)) return { status: 304, headers, body: new Uint8Array(0) };
  return { status: 200, headers: { ...headers, 'content-type': 'application/json' }, body: bytes };
}
