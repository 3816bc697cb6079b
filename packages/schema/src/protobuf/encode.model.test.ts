import type { KubernetesObject } from '@kubewright/apimachinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from './decode.ts';
import { encodeProtobuf } from './encode.ts';
import { type MessageField, MessageTable } from './message-table.ts';
import { ProtobufError } from './protobuf-error.ts';

const table = new MessageTable();
const utf8 = new TextEncoder();
const varint = (value: number): number[] => {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return [...bytes, Number(rest)];
};
const block = (number: number, bytes: readonly number[]): number[] => [
  ...varint((number << 3) | 2),
  ...varint(bytes.length),
  ...bytes,
];
const text = (number: number, value: string): number[] => block(number, [...utf8.encode(value)]);
const envelope = (type: { apiVersion: string; kind: string }, raw: readonly number[]): Uint8Array =>
  new Uint8Array([
    0x6b,
    0x38,
    0x73,
    0,
    ...block(1, [...text(1, type.apiVersion), ...text(2, type.kind)]),
    ...block(2, raw),
  ]);

/** Generates JSON objects for a message, with only the fields that have a plain JSON form. */
function arbitrary(index: number, depth: number): fc.Arbitrary<Record<string, unknown>> {
  const model: Record<string, fc.Arbitrary<unknown>> = {};
  const inline: fc.Arbitrary<Record<string, unknown>>[] = [];
  for (const field of table.at(index).fields.values()) {
    if (field.inline) inline.push(arbitrary(field.message, depth));
    const one = plainValue(field, depth);
    if (one === undefined || field.inline || field.omitEmpty) continue;
    if (field.shape === 'list') model[field.name] = fc.array(one, { minLength: 1, maxLength: 2 });
    else if (field.shape === 'map')
      model[field.name] = fc.dictionary(fc.constantFrom('a', '__proto__', 'é'), one, { minKeys: 1 });
    else model[field.name] = one;
  }
  const own = fc.record(model, { requiredKeys: [] });
  return fc.tuple(own, ...inline).map((parts) => Object.assign({}, ...parts) as Record<string, unknown>);
}

function plainValue(field: MessageField, depth: number): fc.Arbitrary<unknown> | undefined {
  const plain = field.shape === 'single' && !field.keepZero;
  if (field.type === 's') return fc.string({ unit: 'grapheme', minLength: plain ? 1 : 0, maxLength: 5 });
  if (field.type === 'b') return plain ? fc.constant(true) : fc.boolean();
  if (field.type === 'i') return fc.integer().filter((value) => !plain || value !== 0);
  if (field.type === 'l') return fc.maxSafeInteger().filter((value) => !plain || value !== 0);
  return field.type === '@' && depth > 0 ? arbitrary(field.message, depth - 1) : undefined;
}

describe('decodeProtobuf', () => {
  it.each([
    ['v1', 'Pod', 'io.k8s.api.core.v1.Pod'],
    ['v1', 'Service', 'io.k8s.api.core.v1.Service'],
    ['apps/v1', 'StatefulSet', 'io.k8s.api.apps.v1.StatefulSet'],
    ['authorization.k8s.io/v1', 'SelfSubjectAccessReview', 'io.k8s.api.authorization.v1.SelfSubjectAccessReview'],
    ['v1', 'Status', 'io.k8s.apimachinery.pkg.apis.meta.v1.Status'],
  ])('decodes any encoded %s %s', (apiVersion, kind, name) => {
    const index = table.indexOf(name) ?? -1;
    fc.assert(
      fc.property(arbitrary(index, 2), (object) => {
        const { object: decoded } = decodeProtobuf(encodeProtobuf({ apiVersion, kind }, object));
        expect(decoded).toEqual({ ...object, apiVersion, kind });
      }),
      { numRuns: 60 },
    );
  });

  it('decodes DeleteOptions with the apiVersion of any group', () => {
    const raw = [...varint(1 << 3), 0, ...block(2, text(1, 'u-1')), ...text(4, 'Foreground')];
    for (const apiVersion of ['v1', 'apps/v1', 'meta.k8s.io/v1']) {
      expect(decodeProtobuf(envelope({ apiVersion, kind: 'DeleteOptions' }, raw)).object).toEqual({
        apiVersion,
        kind: 'DeleteOptions',
        gracePeriodSeconds: 0,
        preconditions: { uid: 'u-1' },
        propagationPolicy: 'Foreground',
      });
    }
  });

  it('decodes integers above 2^53 as bigints', () => {
    const generation = (bytes: number[]): unknown => {
      const body = envelope({ apiVersion: 'v1', kind: 'Pod' }, block(1, [7 << 3, ...bytes]));
      return (decodeProtobuf(body).object as unknown as KubernetesObject).metadata.generation;
    };
    const ones = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    expect(generation([...ones, 0x7f])).toBe(2n ** 63n - 1n);
    expect(generation([0x81, ...Array<number>(6).fill(0x80), 0x10])).toBe(2n ** 53n + 1n);
    expect(generation([...Array<number>(9).fill(0x80), 0x01])).toBe(-(2n ** 63n));
    expect(generation([...ones.slice(1), 0x0f])).toBe(Number.MAX_SAFE_INTEGER);
    expect(generation(varint(-5))).toBe(-5);
  });

  it('rejects values that exceed the limits', () => {
    const pod = { apiVersion: 'v1', kind: 'Pod' };
    const many = Array.from({ length: 2000 }, () => block(14, [])).flat();
    const limits = { maxValues: 1000 };
    expect(() => decodeProtobuf(envelope(pod, block(1, many)), undefined, limits)).toThrow(ProtobufError);
    let props: number[] = [];
    for (let i = 0; i < 300; i++) props = block(28, props);
    const type = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
    const crd = envelope(type, block(2, block(7, block(4, block(1, props)))));
    expect(() => decodeProtobuf(crd)).toThrow(expect.objectContaining({ kind: 'tooDeep' }));
    expect(() => decodeProtobuf(envelope({ apiVersion: 'x/v1', kind: 'Y' }, []))).toThrow(
      expect.objectContaining({ kind: 'unknownKind' }),
    );
  });
});
