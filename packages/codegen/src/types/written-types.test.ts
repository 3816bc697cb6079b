import { beforeAll, describe, expect, it } from 'vitest';
import { Fixture } from '../testdata/fixture.ts';

const fixture = new Fixture();
// Read the types of the packages once, because reading them takes longer than running all tests.
beforeAll(() => fixture.generate(''));

const text = { type: 'string' };
const flag = { type: 'boolean' };
const enumOf = (...values: readonly (string | number | boolean)[]) => ({
  type: typeof values[0] === 'number' ? 'integer' : typeof values[0],
  enum: values,
});
const object = (properties: object, ...required: readonly string[]) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});
const listOf = (items: object) => ({ type: 'array', items });
const mapOf = (additionalProperties: object) => ({ type: 'object', additionalProperties });
const anything = { 'x-kubernetes-preserve-unknown-fields': true };

const part = 'interface Part { /** The b. @maxLength 5 */ b: string; c?: boolean | null }';
const B = { type: 'string', description: 'The b.', maxLength: 5 };
const C = { type: 'boolean', nullable: true };
const color = `enum Color { Red = 'red', Green = 'green' }`;
const id = `type Id = string & { readonly __brand: 'Id' };`;

describe('common TypeScript types', () => {
  it.each<readonly [field: string, declarations: string, schema: object]>([
    // Enums, in source order.
    ['a?: Color', color, enumOf('red', 'green')],
    ['a?: Color.Green', color, enumOf('green')],
    ['a?: Level', 'enum Level { Low, High = 5 }', enumOf(0, 5)],
    ['a?: Level', 'const enum Level { Low = 2, High = 1 }', enumOf(2, 1)],
    ['a?: keyof Part', part, enumOf('b', 'c')],
    ['a?: (typeof names)[number]', `const names = ['y', 'x'] as const;`, enumOf('y', 'x')],
    ["a?: Exclude<'x' | 'y' | 'z', 'y'>", '', enumOf('x', 'z')],
    ["a?: Extract<Name, 'x'>", `type Name = 'x' | 'y'`, enumOf('x')],
    ["a?: Uppercase<'x' | 'y'>", '', enumOf('X', 'Y')],
    [`a?: \`\${'a' | 'b'}-\${1 | 2}\``, '', enumOf('a-1', 'a-2', 'b-1', 'b-2')],
    ['a?: -1 | 1', '', enumOf(-1, 1)],
    ['a?: true', '', enumOf(true)],
    // Brands, which do not exist at run time.
    ['a?: Id', id, text],
    [
      '/** @int32 */ a?: Port',
      `type Port = number & { readonly __brand: 'Port' }`,
      { type: 'integer', format: 'int32' },
    ],
    ['a?: Id', 'declare const id: unique symbol; type Id = string & { readonly [id]: true };', text],
    ['a?: Record<Id, Id[]>', id, mapOf(listOf(text))],
    ["a?: 'known' | (string & {})", '', text],
    // Mapped types, which keep the comments of the original fields.
    ['a?: Partial<Part>', part, object({ b: B, c: C })],
    ['a?: Required<Part>', part, object({ b: B, c: C }, 'b', 'c')],
    ['a?: Readonly<Part>', part, object({ b: B, c: C }, 'b')],
    ["a?: Pick<Part, 'b'>", part, object({ b: B }, 'b')],
    ["a?: Omit<Part, 'b'>", part, object({ c: C })],
    [
      'a?: Loose<Part>',
      `type Loose<T> = { [K in keyof T]?: T[K] | null }; ${part}`,
      object({ b: { ...B, nullable: true }, c: C }),
    ],
    ["a?: { readonly [K in 'x' | 'y']: boolean }", '', object({ x: flag, y: flag }, 'x', 'y')],
    ["a?: Record<'x' | 'y', string>", '', object({ x: text, y: text }, 'x', 'y')],
    ['a?: Record<Color, string>', color, object({ red: text, green: text }, 'green', 'red')],
    ['a?: Partial<Record<Color, string>>', color, object({ red: text, green: text })],
    // Fields of other types, with their comments.
    ["a?: Part['b']", part, B],
    ["a?: Part['c']", part, C],
    ["a?: NonNullable<Part['c']>", part, flag],
    ["a?: Outer['inner']['deep']", 'interface Outer { inner: { deep: { x: string } } }', object({ x: text }, 'x')],
    // Generics, conditional types, intersections, namespaces.
    [
      'a?: Box<Box<string>>',
      'interface Box<T> { /** It. */ value?: T }',
      object({ value: { description: 'It.', ...object({ value: { description: 'It.', ...text } }) } }),
    ],
    [
      'a?: Box<string>',
      'interface Box<T extends string> { list: T[]; by: Record<string, T> }',
      object({ by: mapOf(text), list: listOf(text) }, 'by', 'list'),
    ],
    [
      'a?: Pair<string, boolean>',
      'type Pair<A, B> = { first: A; second?: B }',
      object({ first: text, second: flag }, 'first'),
    ],
    ['a?: Lists<string>', 'type Lists<T> = T extends string ? T[] : never', listOf(text)],
    ['a?: Part & { d: string }', part, object({ b: B, c: C, d: text }, 'b', 'd')],
    ['a?: space.Inner', 'declare namespace space { interface Inner { x: string } }', object({ x: text }, 'x')],
    ['a?: typeof preset', `const preset = { size: 'small' } as const;`, object({ size: enumOf('small') }, 'size')],
    ['a?: ReturnType<typeof make>', `function make() { return { b: 'x' }; }`, object({ b: text }, 'b')],
    [
      "a?: import('@kubewright/apimachinery/core/v1').LocalObjectReference",
      '',
      { ...object({ name: { ...text, default: '' } }), 'x-kubernetes-map-type': 'atomic' },
    ],
    // Lists and maps.
    ['a?: readonly (readonly string[])[]', '', listOf(listOf(text))],
    ['a?: (string | null)[]', '', listOf({ ...text, nullable: true })],
    [
      'a?: { /** A size. @int32 */ [name: string]: number }',
      '',
      mapOf({ type: 'integer', format: 'int32', description: 'A size.' }),
    ],
    ['a?: Sizes', 'interface Sizes { /** @maxLength 3 */ [name: string]: string }', mapOf({ ...text, maxLength: 3 })],
    ['a?: Record<string, unknown>', '', mapOf(anything)],
    // Unknown, empty and optional values.
    ['a?: object', '', anything],
    ['a?: unknown', '', anything],
    ['a?: {}', '', { type: 'object' }],
    ['a?: string | undefined', '', text],
    ['a?: string | null | undefined', '', { ...text, nullable: true }],
    ['a?: { get b(): string }', '', object({ b: text }, 'b')],
    ["'a-b'?: string", '', text],
  ])('%s (%s)', async (field, declarations, schema) => {
    expect(await fixture.field(field, declarations)).toEqual(schema);
  });
});
