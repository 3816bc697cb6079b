import { beforeAll, describe, expect, it } from 'vitest';
import { Fixture, headLines } from '../testdata/fixture.ts';

const fixture = new Fixture();
// Read the types of the packages once, because reading them takes longer than running all tests.
beforeAll(() => fixture.generate(''));

describe('schemas of types', () => {
  it.each([
    ['a?: string', { type: 'string' }],
    ['a?: boolean', { type: 'boolean' }],
    ['/** @int32 */ a?: number', { type: 'integer', format: 'int32' }],
    ['/** @float */ a?: number', { type: 'number' }],
    ["a?: 'x' | 'y'", { type: 'string', enum: ['x', 'y'] }],
    ['a?: 2 | 1', { type: 'integer', enum: [2, 1] }],
    ["a?: 'x'", { type: 'string', enum: ['x'] }],
    ['a?: string | null', { type: 'string', nullable: true }],
    ["a?: 'x' | 'y' | null", { type: 'string', enum: ['x', 'y', null], nullable: true }],
    ['a?: readonly string[]', { type: 'array', items: { type: 'string' } }],
    ['a?: Array<boolean>', { type: 'array', items: { type: 'boolean' } }],
    ['a?: Record<string, string>', { type: 'object', additionalProperties: { type: 'string' } }],
    [
      'a?: { b: string; c?: string }',
      {
        type: 'object',
        properties: { b: { type: 'string' }, c: { type: 'string' } },
        required: ['b'],
      },
    ],
    [
      "a?: Pick<PodSpec, 'nodeName' | 'priority'>",
      {
        type: 'object',
        properties: { nodeName: { type: 'string' }, priority: { type: 'integer', format: 'int32' } },
      },
    ],
    [
      "a?: Partial<Record<'x' | 'y', string>>",
      {
        type: 'object',
        properties: { x: { type: 'string' }, y: { type: 'string' } },
      },
    ],
    ['a?: unknown', { 'x-kubernetes-preserve-unknown-fields': true }],
    [
      'a?: KubernetesObject',
      {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    ],
    ['a?: IntOrString', { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true }],
  ])('converts %s to the schema', async (field, schema) => {
    expect(await fixture.field(field)).toEqual(schema);
  });

  it('applies comments and tags of aliases, interfaces and fields, the field last', async () => {
    const declarations = '/** A name. @maxLength 9 @minLength 1 */\ntype Name = string;';
    expect(await fixture.field('/** Its name. @maxLength 5 */ a?: Name', declarations)).toEqual({
      type: 'string',
      description: 'Its name.',
      maxLength: 5,
      minLength: 1,
    });
  });

  it('reads number | bigint as a 64-bit integer', async () => {
    const int64 = { type: 'integer', format: 'int64' };
    expect(await fixture.field('a?: number | bigint')).toEqual(int64);
    expect(await fixture.field('/** @minimum 1 */ a?: bigint | number | null')).toEqual({
      ...int64,
      nullable: true,
      minimum: 1,
    });
    expect(await fixture.field('a?: readonly Nanos[]', 'type Nanos = number | bigint;')).toMatchObject({
      items: int64,
    });
  });

  it('follows generic types, inherited fields and intersections', async () => {
    const spec = await fixture.spec(`
      interface Base<T> { /** The value. */ value: T }
      interface Spec extends Base<string> { other?: Base<boolean> & { more?: string } }`);
    expect(spec).toEqual({
      type: 'object',
      required: ['value'],
      properties: {
        value: { type: 'string', description: 'The value.' },
        other: {
          type: 'object',
          required: ['value'],
          properties: { value: { type: 'boolean', description: 'The value.' }, more: { type: 'string' } },
        },
      },
    });
  });

  it('embeds a pod template without descriptions but with its list keys', async () => {
    const template = await fixture.field('a?: PodTemplateSpec');
    expect(JSON.stringify(template)).not.toContain('description');
    expect(template.properties?.['metadata']).toEqual({ type: 'object' });
    const { containers } = template.properties?.['spec']?.properties ?? {};
    expect(containers).toMatchObject({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] });
  });

  it.each([
    ['a?: number', 'KW6101', 'add the tag @int32 or @int64 (integers), or @float (floating-point)'],
    ['a?: any', 'KW6102', 'use a specific type, or, for any JSON value, unknown with the tag @preserveUnknownFields'],
    ['a?: Date', 'KW6102', 'use string with the tag @dateTime'],
    ['a?: Quantity', 'KW6102', 'use string with the tag @quantity, and Quantity.parse to compute with the value'],
    ['a?: Map<string, string>', 'KW6102', 'use Readonly<Record<string, …>>'],
    ['a?: bigint', 'KW6102', 'use number | bigint: only integers beyond 2^53 are bigints'],
    ['a?: () => void', 'KW6102', 'remove the function: spec and status can contain only JSON data'],
    [
      'a?: [string, boolean]',
      'KW6102',
      'use an object with named fields, or an array of one type with @minItems and @maxItems',
    ],
    [
      'a?: string | number',
      'KW6102',
      'use IntOrString from @kubewright/apimachinery, or string with the tag @quantity',
    ],
    [
      'a?: string | { b: string }',
      'KW6102',
      'use one object with an optional field for each case, and list the fields in the tag @exactlyOneOf',
    ],
    ['a?: Record<number, string>', 'KW6102', 'use Readonly<Record<string, …>>'],
    ['a?: Missing', 'KW6104', 'correct the name of the type, or import it'],
    [
      'a?: Spec',
      'KW6103',
      'refer to nested items by name in a flat list, or use unknown with the tag @preserveUnknownFields',
    ],
    ['a?: CustomResourceDefinition', 'KW6103', 'use unknown with the tag @preserveUnknownFields'],
  ])('rejects %s and suggests what to write', async (field, code, fix) => {
    const [problem, ...more] = await fixture.problems(`interface Spec { ${field} }`);
    expect(problem).toMatchObject({
      severity: 'error',
      code,
      fix,
      file: 'kind.ts',
      line: headLines + 1,
      path: 'spec.a',
    });
    expect(more).toEqual([]);
  });
});
