import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WireReader } from '../../protobuf/wire-reader.ts';
import { encodeSwagger, encodeSwaggerMember } from './swagger-protobuf.ts';

// `protobuf` is `document` as encoded in Go with gnostic-models v0.7.0 (package openapiv2) and
// google.golang.org/protobuf. The members of `document` are in the order of their field numbers.
const recorded = JSON.parse(readFileSync(new URL('testdata/document.json', import.meta.url), 'utf8'));

describe('OpenAPI v2 as protobuf', () => {
  it('equals the encoding by the library that Go clients use for decoding', () => {
    const { swagger, info, security, securityDefinitions, paths, definitions } = recorded.document;
    const bytes = encodeSwagger(
      { swagger, info, security, securityDefinitions },
      {
        paths: Object.entries(paths).map(([name, path]) => encodeSwaggerMember('path', name, path)),
        definitions: Object.entries(definitions).map(([name, schema]) =>
          encodeSwaggerMember('definition', name, schema),
        ),
      },
    );
    const hexOf = (message: Uint8Array) =>
      fieldsOf(message).map(([field, value]) => [field, Buffer.from(value).toString('hex')]);
    expect(hexOf(bytes)).toEqual(hexOf(Buffer.from(recorded.protobuf, 'base64')));
  });

  it('encodes values of any type as YAML', () => {
    const kinds = [{ group: 'g', version: 'v1', kind: 'Thing' }];
    const schema = { default: { a: 1 }, enum: ['x', true], 'x-kubernetes-group-version-kind': kinds, unknown: 1 };
    const member = contentOf(encodeSwaggerMember('definition', 'g.Thing', schema), 1);
    const fields = fieldsOf(contentOf(member, 2)).map(([field, value]) => [
      field,
      field === 31 ? contentOf(value, 2) : value,
    ]);
    const texts = fields.map(([field, value]) => [field, Buffer.from(contentOf(value as Uint8Array, 2)).toString()]);
    expect(texts).toEqual([
      [5, '{"a":1}\n'],
      [20, '"x"\n'],
      [20, 'true\n'],
      [31, `${JSON.stringify(kinds)}\n`],
    ]);
  });
});

/** Returns the string and message fields of a message, sorted by field number. */
function fieldsOf(bytes: Uint8Array): (readonly [number, Uint8Array])[] {
  const reader = new WireReader(bytes);
  const fields: (readonly [number, Uint8Array])[] = [];
  while (!reader.atEnd) fields.push([reader.tag() >>> 3, reader.bytes()]);
  return fields.sort(([a], [b]) => a - b);
}

function contentOf(bytes: Uint8Array, field: number): Uint8Array {
  return fieldsOf(bytes).find(([number]) => number === field)?.[1] ?? expect.unreachable(`field ${field} is missing`);
}
