import { type JsonObject, stringifyJson } from '@kubewright/apimachinery/internal';
import { WireWriter } from '../../protobuf/wire-writer.ts';

/** Writes a field: first its value, then its tag, because a {@link WireWriter} writes backwards. */
type Write = (out: WireWriter, field: number, value: unknown) => void;
/** Writes the fields of a message. */
type Fill = (out: WireWriter, value: unknown) => void;
/** The fields of a message by JSON name: the field number, and the function that writes the value. */
type Fields = Readonly<Record<string, readonly [number, Write]>>;

const text: Write = (out, field, value) => out.string(field, String(value));
const alternative: Write = (out, field, value) => {
  out.varint(value === true ? 1 : 0);
  out.tag(field, 0);
};
/** Writes a boolean; omits false, which is the default. */
const flag: Write = (out, field, value) => {
  if (value === true) alternative(out, field, value);
};
const integer: Write = (out, field, value) => {
  out.integer(value as number | bigint);
  out.tag(field, 0);
};
const double: Write = (out, field, value) => {
  out.double(Number(value));
  out.tag(field, 1);
};

const message =
  (fill: Fill): Write =>
  (out, field, value) => {
    const before = out.length;
    fill(out, value);
    out.message(field, before);
  };
const list =
  (write: Write): Write =>
  (out, field, value) => {
    for (const item of [...(value as readonly unknown[])].reverse()) write(out, field, item);
  };
/** Writes a message with a single field. The format wraps lists, maps and alternatives in these messages. */
const wrapped = (field: number, write: Write): Write => message((out, value) => write(out, field, value));
/** Writes a map as a list of messages, each with a name and a value. */
const named =
  (write: Write): Write =>
  (out, field, value) => {
    for (const [name, item] of Object.entries(value as JsonObject).reverse())
      writeNamed(out, field, { name, item, write });
  };

function writeNamed(
  out: WireWriter,
  field: number,
  member: { readonly name: string; readonly item: unknown; readonly write: Write },
): void {
  const before = out.length;
  member.write(out, 2, member.item);
  out.string(1, member.name);
  out.message(field, before);
}

/** Writes any value as YAML. JSON is valid YAML. */
const any: Write = message((out, value) => out.string(2, `${stringifyJson(value)}\n`));

/** Writes the fields of an object. `extensions` is the number of the field that contains the extensions (`x-…`). */
const fields =
  (known: Fields, extensions: number): Fill =>
  (out, value) => {
    for (const [name, item] of Object.entries(value as JsonObject).reverse()) {
      const [field, write] = known[name] ?? [];
      if (field !== undefined && write) write(out, field, item);
      else if (name.startsWith('x-')) writeNamed(out, extensions, { name, item, write: any });
    }
  };

// Field numbers: openapiv2/OpenAPIv2.proto of github.com/google/gnostic-models v0.7.0.
const schema: Write = message((out, value) => fillSchema(out, value));
const fillSchema = fields(
  {
    $ref: [1, text],
    format: [2, text],
    title: [3, text],
    description: [4, text],
    default: [5, any],
    multipleOf: [6, double],
    maximum: [7, double],
    exclusiveMaximum: [8, flag],
    minimum: [9, double],
    exclusiveMinimum: [10, flag],
    maxLength: [11, integer],
    minLength: [12, integer],
    pattern: [13, text],
    maxItems: [14, integer],
    minItems: [15, integer],
    uniqueItems: [16, flag],
    maxProperties: [17, integer],
    minProperties: [18, integer],
    required: [19, list(text)],
    enum: [20, list(any)],
    additionalProperties: [
      21,
      message((out, value) => (typeof value === 'boolean' ? alternative(out, 2, value) : schema(out, 1, value))),
    ],
    type: [22, wrapped(1, (out, field, value) => list(text)(out, field, [value].flat()))],
    items: [23, wrapped(1, schema)],
    properties: [25, wrapped(1, named(schema))],
    example: [30, any],
  },
  31,
);

const parameterFields = {
  required: [1, flag],
  in: [2, text],
  description: [3, text],
  name: [4, text],
} as const satisfies Fields;
const queryParameter = message(
  fields({ ...parameterFields, type: [6, text], format: [7, text], uniqueItems: [20, flag] }, 23),
);
const otherParameter = message(
  fields({ ...parameterFields, type: [5, text], format: [6, text], uniqueItems: [19, flag] }, 22),
);
const bodyParameter = message(
  fields({ description: [1, text], name: [2, text], in: [3, text], required: [4, flag], schema: [5, schema] }, 6),
);
/** Writes a parameter, nested in three levels of alternatives: parameter or reference, body or not, location. */
const parameter: Write = wrapped(
  1,
  message((out, value) => {
    const { in: place } = value as { readonly in: string };
    if (place === 'body') bodyParameter(out, 1, value);
    else if (place === 'query') wrapped(3, queryParameter)(out, 2, value);
    else wrapped(place === 'path' ? 4 : 1, otherParameter)(out, 2, value);
  }),
);
const response: Write = message(fields({ description: [1, text], schema: [2, wrapped(1, schema)] }, 5));
const operation: Write = message(
  fields(
    {
      tags: [1, list(text)],
      summary: [2, text],
      description: [3, text],
      operationId: [5, text],
      produces: [6, list(text)],
      consumes: [7, list(text)],
      parameters: [8, list(parameter)],
      responses: [9, wrapped(1, named(wrapped(1, response)))],
      schemes: [10, list(text)],
      deprecated: [11, flag],
    },
    13,
  ),
);
const path: Write = message(
  fields(
    {
      get: [2, operation],
      put: [3, operation],
      post: [4, operation],
      delete: [5, operation],
      patch: [8, operation],
      parameters: [9, list(parameter)],
    },
    10,
  ),
);
const apiKey = message(fields({ type: [1, text], name: [2, text], in: [3, text] }, 5));
const fillDocument = fields(
  {
    swagger: [1, text],
    info: [2, message(fields({ title: [1, text], version: [2, text] }, 7))],
    security: [12, list(wrapped(1, named(message((out, value) => list(text)(out, 1, value)))))],
    securityDefinitions: [13, wrapped(1, named(wrapped(2, apiKey)))],
  },
  16,
);

/** Encodes a named path or definition as a field of the message that contains all paths or all definitions. */
export function encodeSwaggerMember(kind: 'path' | 'definition', name: string, item: unknown): Uint8Array {
  const out = new WireWriter();
  if (kind === 'path') writeNamed(out, 2, { name, item, write: path });
  else writeNamed(out, 1, { name, item, write: schema });
  return out.finish();
}

/** Encodes a document from members that are already encoded. */
export function encodeSwagger(
  about: JsonObject,
  members: { readonly paths: readonly Uint8Array[]; readonly definitions: readonly Uint8Array[] },
): Uint8Array {
  const start = new WireWriter();
  fillDocument(start, about);
  const size = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0);
  const head = (field: number, length: number): Uint8Array => {
    const out = new WireWriter(16);
    out.varint(length);
    out.tag(field, 2);
    return out.finish();
  };
  const { paths, definitions } = members;
  return Buffer.concat([start.finish(), head(8, size(paths)), ...paths, head(9, size(definitions)), ...definitions]);
}
