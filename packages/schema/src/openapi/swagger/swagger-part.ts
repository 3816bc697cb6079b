import { type JsonObject, parseExactJson, stringifyJson } from '@kubewright/apimachinery/internal';
import type { OpenApiOptions } from '../../builtin/open-api.ts';
import type { DocumentedResource } from '../documented-resource.ts';
import { documentParts } from '../group-version-document.ts';
import { pathV2, schemaV2 } from './swagger-form.ts';
import { encodeSwagger, encodeSwaggerMember } from './swagger-protobuf.ts';

const about = {
  swagger: '2.0',
  info: { title: 'Kubernetes', version: 'v1.36.3' },
  securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
  security: [{ BearerToken: [] }],
};

/** Encoded members of an OpenAPI v2 document, by name. */
interface Members<T> {
  readonly paths: ReadonlyMap<string, T>;
  readonly definitions: ReadonlyMap<string, T>;
}

/**
 * A part of the OpenAPI v2 document: the paths of some resources and all schemas that they refer to. Each part is
 * encoded separately. This way, a document with thousands of kinds can be built in steps, and unchanged parts are
 * reused when a few kinds change.
 */
export class SwaggerPart {
  readonly #json: Members<string>;
  #protobuf: Members<Uint8Array> | undefined;

  constructor(definitions: readonly DocumentedResource[], options: OpenApiOptions) {
    const { paths, schemas } = documentParts(definitions.map(withoutOpenSchema), options);
    this.#json = {
      paths: changed(Object.entries(paths), (path) => stringifyJson(pathV2(path as JsonObject))),
      definitions: changed(Object.entries(schemas), (schema) => stringifyJson(schemaV2(schema))),
    };
  }

  /** Encodes this part as protobuf. Returns false if this part has been encoded before. */
  encodeProtobuf(): boolean {
    if (this.#protobuf) return false;
    const { paths, definitions } = this.#json;
    this.#protobuf = {
      paths: changed(paths, (path, name) => encodeSwaggerMember('path', name, parseExactJson(path))),
      definitions: changed(definitions, (schema, name) =>
        encodeSwaggerMember('definition', name, parseExactJson(schema)),
      ),
    };
    return true;
  }

  /** Assembles the document of all resources as JSON. */
  static json(parts: readonly SwaggerPart[]): Uint8Array {
    const object = (members: ReadonlyMap<string, string>): string =>
      `{${[...members].map(([name, member]) => `${JSON.stringify(name)}:${member}`).join(',')}}`;
    const { paths, definitions } = merged(parts.map((each) => each.#json));
    const start = stringifyJson(about).slice(0, -1);
    return Buffer.from(`${start},"paths":${object(paths)},"definitions":${object(definitions)}}`);
  }

  /** Assembles the document of all resources as protobuf, in the messages of `openapi.v2` that client-go reads. */
  static protobuf(parts: readonly SwaggerPart[]): Uint8Array {
    for (const part of parts) part.encodeProtobuf();
    const { paths, definitions } = merged(parts.flatMap((each) => each.#protobuf ?? []));
    return encodeSwagger(about, { paths: [...paths.values()], definitions: [...definitions.values()] });
  }
}

/**
 * Merges the members of all parts and sorts them by name. A schema that several parts contain, such as ObjectMeta's, is
 * included once.
 */
function merged<T>(parts: readonly Members<T>[]): Members<T> {
  const join = (maps: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> =>
    new Map(maps.flatMap((map) => [...map]).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { paths: join(parts.map((part) => part.paths)), definitions: join(parts.map((part) => part.definitions)) };
}

function changed<T, R>(entries: Iterable<[string, T]>, change: (value: T, name: string) => R): ReadonlyMap<string, R> {
  return new Map([...entries].map(([name, value]) => [name, change(value, name)]));
}

/**
 * Removes the schema of a custom kind that allows unknown fields at its root: v2 cannot express these fields, and kubectl
 * would reject them.
 */
function withoutOpenSchema(definition: DocumentedResource): DocumentedResource {
  const isOpen = definition.openApiSchema?.['x-kubernetes-preserve-unknown-fields'] === true;
  return isOpen ? { ...definition, openApiSchema: undefined } : definition;
}
