import { beforeAll, describe, expect, it } from 'vitest';
import { Fixture, headLines } from '../testdata/fixture.ts';

const fixture = new Fixture();
// Read the types of the packages once, because reading them takes longer than running all tests.
beforeAll(() => fixture.generate(''));
const first = async (declarations: string) => (await fixture.problems(declarations))[0];

describe('tags', () => {
  it.each([
    ['/** @exclusiveMinimum 0 @float */ a?: number', { type: 'number', minimum: 0, exclusiveMinimum: true }],
    ['/** @double */ a?: number', { type: 'number', format: 'double' }],
    ['/** @default "a b" */ a?: string', { type: 'string', default: 'a b' }],
    ['/** @default a b */ a?: string', { type: 'string', default: 'a b' }],
    ['/** @default 80 */ a?: string', { type: 'string', default: '80' }],
    ['/** @default 80 @int32 */ a?: number', { type: 'integer', format: 'int32', default: 80 }],
    ['/** @enum 1 2 @int32 */ a?: number', { type: 'integer', format: 'int32', enum: [1, 2] }],
    [
      '/** @items.int32 @items.minimum 1 */ a?: number[]',
      {
        type: 'array',
        items: { type: 'integer', format: 'int32', minimum: 1 },
      },
    ],
    ['/** @values.float */ a?: Record<string, number>', { type: 'object', additionalProperties: { type: 'number' } }],
    ['/** @deprecated use b. */ a?: string', { type: 'string', description: 'Deprecated: use b.' }],
    ['/** Some words. @skipDescription */ a?: string', { type: 'string' }],
    ['/** @nullable @format uri */ a?: string', { type: 'string', nullable: true, format: 'uri' }],
    [
      '/** @externalDocs https://example.com More of it */ a?: string',
      {
        type: 'string',
        externalDocs: { url: 'https://example.com', description: 'More of it' },
      },
    ],
    [
      '/** @immutable */ a: string',
      {
        type: 'string',
        'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'field is immutable' }],
      },
    ],
    [
      '/** @rule self > oldSelf.orValue(0) @optionalOldSelf @int32 */ a?: number',
      {
        type: 'integer',
        format: 'int32',
        'x-kubernetes-validations': [{ rule: 'self > oldSelf.orValue(0)', optionalOldSelf: true }],
      },
    ],
  ])('convert %s to the schema', async (field, schema) => {
    expect(await fixture.field(field)).toEqual(schema);
  });

  it('prevent the removal of an optional immutable field', async () => {
    const spec = await fixture.spec('interface Spec { /** @immutable */ namespace?: string }');
    expect(spec['x-kubernetes-validations']).toEqual([
      {
        rule: '!has(oldSelf.__namespace__) || has(self.__namespace__)',
        message: 'field namespace is immutable once set',
      },
    ]);
  });

  it.each([
    ['@minLenght 3', 'use @minLength'],
    ['@kubebuilder:validation:MinLength=3', 'use @minLength'],
    ['@XValidation:rule="a"', 'use @rule with the CEL expression, then @message'],
    ['@k8s:immutable', 'use @immutable'],
    ['@optional', 'make the field optional with a question mark: `name?: …`'],
    ['@uniqueItems', 'use @listType set: the API server rejects uniqueItems because of its cost'],
    ['@printcolumn', 'set `columns` in defineKind'],
    ['@frobnicate', 'remove the tag, or put it in backticks if it is part of the text'],
  ])('report the unknown tag %s and suggest the correct tag', async (tag, fix) => {
    const problem = await first(`interface Spec {\n  /** ${tag} */\n  a?: string }`);
    expect(problem).toMatchObject({ code: 'KW6201', fix, line: headLines + 2, column: 7, path: 'spec.a' });
  });

  it.each([
    ['/** @minLength 3 @int32 */ a?: number', 'use @minimum'],
    ['/** @minimum 3 */ a?: string', 'use @minLength'],
    ['/** @minLength 3 */ a?: string[]', 'use @minItems'],
    ['/** @pattern x */ a?: string[]', 'use @items.pattern to apply it to the elements'],
    ['/** @listType set */ a?: Record<string, string>', 'use @mapType'],
    ['/** @items.pattern x */ a?: string', 'remove the tag, or move it to the field that it describes'],
  ])('report tags without effect, such as %s, and suggest the correct tag', async (field, fix) => {
    expect(await first(`interface Spec { ${field} }`)).toMatchObject({ code: 'KW6202', fix });
  });

  it.each([
    ['/** @minLength x */ a?: string', '"x" is not a number'],
    ['/** @minLength -1 */ a?: string', 'the argument must be a non-negative integer, got -1'],
    ['/** @int32 yes */ a?: number', 'the tag takes no argument, got "yes"'],
    ['/** @default x @int32 */ a?: number', '"x" is not valid JSON'],
    ['/** @listType bag */ a?: string[]', 'the argument must be one of atomic, set, map, got "bag"'],
    ['/** @message x */ a?: string', 'the tag must follow a @rule'],
    ['/** @atMostOneOf b c */ a?: { b?: string }', 'the field c does not exist'],
    [
      '/** @atMostOneOf b c */ a?: { b?: string; c: string }',
      'the field c is required: make it optional with a question mark',
    ],
    ['/** @externalDocs there */ a?: string', '"there" is not a valid URL'],
  ])('report invalid arguments, such as %s', async (field, why) => {
    expect(await first(`interface Spec { ${field} }`)).toMatchObject({ code: 'KW6203', why });
  });

  it.each(['// @minLength 3\n a?: string', '/* @minLength 3 */ a?: string', 'a?: string; // @minLength 3'])(
    'report %j, which is not a documentation comment',
    async (field) => {
      expect(await first(`interface Spec {\n ${field}\n }`)).toMatchObject({ code: 'KW6204' });
    },
  );
});
