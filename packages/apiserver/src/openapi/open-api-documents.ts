import { createHash } from 'node:crypto';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import { BuiltinDescriptions, groupVersionDocument, SwaggerPart } from '@kubewright/schema/internal';
import type { RemoteGroups } from '../aggregation/remote-groups.ts';
import type { RequestContext } from '../endpoints/index.ts';
import type { ApiResponse } from '../http/api-request.ts';
import { nextTurn } from '../next-turn.ts';
import type { ResourceCatalog, ResourceDefinition } from '../registry/index.ts';

/** Part of every hash: increase it when the form of the documents changes. */
const form = 'kubewright 2';
/** Number of kinds that are described without yielding to other requests. */
const stride = 16;

/** Options for OpenAPI documents. */
export type DocumentOptions = ConstructorParameters<typeof SwaggerPart>[1];

/** Options for {@link OpenApiDocuments}. */
export interface OpenApiDocumentsOptions {
  readonly catalog: ResourceCatalog;
  readonly remote?: RemoteGroups | undefined;
  readonly description?: DocumentOptions['description'];
}

/** The bytes of a document. */
export interface EncodedDocument {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/** The formats of an OpenAPI v2 document. */
export type SwaggerFormat = 'json' | 'protobuf';

/**
 * The OpenAPI documents of a catalog. The documents are built on first use; after a change, only the affected groups
 * and versions are rebuilt.
 */
export class OpenApiDocuments {
  readonly #catalog: ResourceCatalog;
  readonly #remote: RemoteGroups | undefined;
  readonly #options: DocumentOptions;
  #generation = -1;
  /** Definitions by `api/v1`, `apis/apps/v1`. */
  #parts = new Map<string, ResourceDefinition[]>();
  #hashes = new Map<string, string>();
  /** Digests of definitions. A definition in the catalog never changes, so each one is digested only once. */
  readonly #fingerprints = new WeakMap<ResourceDefinition, Uint8Array>();
  /** Documents by hash, kept across changes of the catalog. */
  readonly #documents = new Map<string, EncodedDocument>();
  /** Parts of the OpenAPI v2 document by hash, so that a change rebuilds only the parts that it affects. */
  readonly #swaggerParts = new Map<string, SwaggerPart[]>();
  readonly #swagger = new Map<SwaggerFormat, Promise<EncodedDocument>>();

  constructor({ catalog, remote, description }: OpenApiDocumentsOptions) {
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

  document(name: string): EncodedDocument {
    const hash = this.hash(name) ?? '';
    let known = this.#documents.get(hash);
    if (!known) {
      known = encode(groupVersionDocument(this.#parts.get(name) ?? [], this.#options));
      this.#documents.set(hash, known);
    }
    return known;
  }

  /** Returns the OpenAPI v2 document of all kinds. Other requests are served while it is built. */
  async swagger(format: SwaggerFormat): Promise<EncodedDocument> {
    this.#refresh();
    let known = this.#swagger.get(format);
    if (!known) {
      known = this.#makeSwagger(format);
      this.#swagger.set(format, known);
    }
    return known;
  }

  async #makeSwagger(format: SwaggerFormat): Promise<EncodedDocument> {
    // As in upstream, both formats have the same ETag; caches distinguish them by `Vary`.
    const etag = tagOf([...this.#hashes.values()].sort().join());
    const groups = [...this.#parts].map(([name, definitions]) => ({ hash: this.#hashes.get(name) ?? '', definitions }));
    const all: SwaggerPart[] = [];
    for (const { hash, definitions } of groups) {
      const parts = this.#swaggerParts.get(hash) ?? [];
      this.#swaggerParts.set(hash, parts);
      for (let at = 0; at * stride < definitions.length; at++) {
        const described = definitions.slice(at * stride, (at + 1) * stride);
        if (!parts[at]) await nextTurn();
        const part = parts[at] ?? new SwaggerPart(described, this.#options);
        parts[at] = part;
        if (format === 'protobuf' && part.encodeProtobuf()) await nextTurn();
        all.push(part);
      }
    }
    return { bytes: SwaggerPart[format](all), etag };
  }

  #refresh(): void {
    const { generation } = this.#catalog;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#swagger.clear();
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

  /** Returns a hash that changes whenever the document would change. Does not build the document. */
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

function encode(document: object): EncodedDocument {
  const bytes = Buffer.from(stringifyJson(document));
  return { bytes, etag: tagOf(bytes) };
}

function tagOf(content: string | Uint8Array): string {
  return `"${createHash('sha512').update(content).digest('hex').toUpperCase()}"`;
}
