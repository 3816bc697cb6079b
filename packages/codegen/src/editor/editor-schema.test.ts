import { describe, expect, it } from 'vitest';
import { crdsOf, Fixture } from '../testdata/fixture.ts';
import { editorSchemas } from './editor-schema.ts';

describe('editorSchemas', () => {
  it('converts a CRD to draft 7', async () => {
    const result = await new Fixture().generate(`
      interface Spec {
        /** How many. @int32 @exclusiveMaximum 9 @example 3 */ n: number;
        target?: IntOrString;
        /** @listType set */ names?: string[];
        none?: string | null;
        open?: unknown;
        labels?: Record<string, string>;
      }
      export const Thing = defineKind<Spec>({ group: 'example.com', version: 'v1', kind: 'Thing' });`);
    const [crd] = crdsOf(result);
    const [file] = crd === undefined ? [] : editorSchemas(crd);
    expect(file?.path).toBe('schemas/example.com/thing_v1.json');
    const schema = JSON.parse(file?.text ?? '');
    expect(schema).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      required: ['apiVersion', 'kind', 'metadata', 'spec'],
      additionalProperties: false,
      properties: { apiVersion: { const: 'example.com/v1' }, kind: { const: 'Thing' } },
    });
    expect(schema.properties.spec).toEqual({
      type: 'object',
      required: ['n'],
      additionalProperties: false,
      properties: {
        n: { description: 'How many.', type: 'integer', format: 'int32', exclusiveMaximum: 9, examples: [3] },
        target: { type: ['integer', 'string'] },
        names: { type: 'array', items: { type: 'string' }, uniqueItems: true },
        none: { type: ['string', 'null'] },
        open: {},
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    });
  });
});
