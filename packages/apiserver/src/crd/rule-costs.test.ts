import { type JsonSchema, kubernetesEnvironment, PatternCache } from '@kubewright/schema';
import { describe, expect, it } from 'vitest';
import { validateCrd, validateCrdUpdate } from './crd-validation.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';

const patterns = new PatternCache();
const tools = {
  compilePattern: (pattern: string): ReturnType<PatternCache['get']> => patterns.get(pattern),
  environment: kubernetesEnvironment({ patterns }),
};

function crd(spec: JsonSchema): CustomResourceDefinition {
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
    status: { storedVersions: ['v1'] },
  } as unknown as CustomResourceDefinition; // validation reads only these fields
}

const texts = (rule: string, more: JsonSchema = {}): JsonSchema => ({
  type: 'array',
  maxItems: 900,
  items: { type: 'string', maxLength: 10 },
  'x-kubernetes-validations': [{ rule }],
  ...more,
});
const costly = texts('self.all(x, self.all(y, x + y != y + x))');

describe('rules that cost too much', () => {
  it('are rejected in a new CRD and in a changed schema', () => {
    const field = 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule';
    const body = expect.stringMatching(/^Forbidden: estimated rule cost exceeds budget by factor of 2\.5x \(try /);
    const refused = [{ type: 'FieldValueForbidden', field, body }];
    expect(validateCrd(crd(costly), tools)).toMatchObject(refused);
    const before = crd(texts('self.size() < 5'));
    expect(validateCrdUpdate(crd(costly), before, tools)).toMatchObject(refused);
  });

  it('are tolerated if unchanged, so that other fields can be updated', () => {
    const changed = crd(costly);
    const reordered = crd(Object.fromEntries(Object.entries(costly).reverse()));
    expect(validateCrdUpdate(changed, reordered, tools)).toEqual([]);
  });

  it('are accepted if the schema limits the size', () => {
    expect(validateCrd(crd({ ...costly, maxItems: 500 }), tools)).toEqual([]);
  });
});
