import type { RemoteGroups } from '../aggregation/remote-groups.ts';
import type { NonResourceHandler } from '../api-server-options.ts';
import type { RequestContext } from '../endpoints/index.ts';
import type { ApiResponse } from '../http/api-request.ts';
import { methodNotSupported, notAcceptable } from '../http/failures.ts';
import { parseAccept } from '../negotiation/accept.ts';
import type { ResourceCatalog } from '../registry/index.ts';
import {
  type DocumentOptions,
  type EncodedDocument,
  OpenApiDocuments,
  type SwaggerFormat,
} from './open-api-documents.ts';

const json = 'application/json';
const swaggerTypes = { json, protobuf: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' } as const;

/** Options for {@link openApiHandler}. */
export interface OpenApiHandlerOptions {
  readonly catalog: ResourceCatalog;
  /** Groups that other servers serve. */
  readonly remote?: RemoteGroups | undefined;
  /** Source of the descriptions of built-in kinds. @defaultValue the package `kubernetes-types`, if installed */
  readonly description?: DocumentOptions['description'];
}

/**
 * Serves `/openapi/v3`, the documents of each group and version below it, and `/openapi/v2` as JSON or protobuf. The
 * index at `/openapi/v3` contains hashes, so that clients fetch only changed documents. Documents are built on first
 * use and dropped when their resources change. Documents of other servers are fetched for each client, under the
 * client's identity.
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
      const format = swaggerFormat(request.headers['accept']);
      return documentResponse(await documents.swagger(format), { context, type: swaggerTypes[format] });
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
    return documentResponse(documents.document(name), { context, type: json, hash: requested ?? undefined });
  };
}

/** Chooses the format of an OpenAPI v2 document. client-go (1.36) requests protobuf by its older name, with `@`. */
function swaggerFormat(accept: string | undefined): SwaggerFormat {
  for (const { type } of parseAccept(accept ?? '*/*')) {
    if (isJson(type)) return 'json';
    if (/^application\/com\.github\.proto-openapi\.spec\.v2[@.]v1\.0\+protobuf$/.test(type)) return 'protobuf';
  }
  throw notAcceptable(Object.values(swaggerTypes));
}

/** Rejects requests for protobuf only: every client that requests OpenAPI v3 as protobuf also accepts JSON. */
function assertJson(accept: string | undefined): void {
  if (!parseAccept(accept ?? '*/*').some(({ type }) => isJson(type))) throw notAcceptable([json]);
}

function isJson(type: string): boolean {
  return type === json || type === 'application/*' || type === '*/*';
}

function jsonResponse(document: object): ApiResponse {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(document)) };
}

function documentResponse(
  { bytes, etag }: EncodedDocument,
  document: { readonly context: RequestContext; readonly type: string; readonly hash?: string | undefined },
): ApiResponse {
  const { context, type, hash } = document;
  // The document under a hash never changes, so clients may cache it for a year.
  const caching = hash === undefined ? 'no-cache, private' : 'public, immutable, max-age=31536000';
  const headers = { etag, vary: 'Accept', 'cache-control': caching };
  const known = context.request.headers['if-none-match'];
  if (known?.split(',').some((tag) => tag.trim() === etag)) return { status: 304, headers, body: new Uint8Array(0) };
  return { status: 200, headers: { ...headers, 'content-type': type }, body: bytes };
}
