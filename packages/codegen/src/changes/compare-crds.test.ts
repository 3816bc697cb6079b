import type { JsonSchema } from '@kubewright/schema';
import { describe, expect, it } from 'vitest';
import type { Crd, CrdVersion } from '../crd/crd.ts';
import type { CrdChangeKind } from './change.ts';
import { compareCrds } from './compare-crds.ts';

type Names = Partial<Crd['spec']['names']>;

function crd(
  spec: JsonSchema,
  more: { names?: Names; version?: Partial<CrdVersion>; spec?: Partial<Crd['spec']> } = {},
): Crd {
  const openAPIV3Schema: JsonSchema = { type: 'object', properties: { spec }, required: ['spec'] };
  const version: CrdVersion = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...more.version };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Thing', plural: 'things', ...more.names },
      scope: 'Namespaced',
      versions: [version],
      ...more.spec,
    },
  };
}

const kindsOf = (before: Crd, after: Crd): readonly string[] =>
  compareCrds(before, after).map(({ kind, severity }) => `${severity} ${kind}`);

const object = (properties: Record<string, JsonSchema>, ...required: string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
});
const text: JsonSchema = { type: 'string' };
const keepsAll: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A field before and after, and the expected change. */
const fields: readonly (readonly [JsonSchema, JsonSchema, CrdChangeKind, 'breaking' | 'safe'])[] = [
  [{ type: 'string' }, { type: 'boolean' }, 'type-changed', 'breaking'],
  [{ type: 'integer' }, { type: 'number' }, 'type-changed', 'breaking'],
  [{ type: 'string' }, { type: 'string', format: 'uri' }, 'format-changed', 'breaking'],
  [{ type: 'string' }, { type: 'string', enum: ['a'] }, 'enum-added', 'breaking'],
  [{ type: 'string', enum: ['a'] }, { type: 'string' }, 'enum-removed', 'safe'],
  [{ type: 'string', enum: ['a', 'b'] }, { type: 'string', enum: ['a'] }, 'enum-value-removed', 'breaking'],
  [{ type: 'string', enum: ['a'] }, { type: 'string', enum: ['a', 'b'] }, 'enum-value-added', 'safe'],
  [{ type: 'string' }, { type: 'string', pattern: 'a' }, 'pattern-changed', 'breaking'],
  [{ type: 'string', pattern: 'a' }, { type: 'string', pattern: 'b' }, 'pattern-changed', 'breaking'],
  [{ type: 'string', pattern: 'a' }, { type: 'string' }, 'pattern-removed', 'safe'],
  [{ type: 'string' }, { type: 'string', maxLength: 3 }, 'limit-added', 'breaking'],
  [{ type: 'string', maxLength: 4 }, { type: 'string', maxLength: 3 }, 'limit-tightened', 'breaking'],
  [{ type: 'integer', minimum: 1 }, { type: 'integer', minimum: 2 }, 'limit-tightened', 'breaking'],
  [
    { type: 'integer', minimum: 1 },
    { type: 'integer', minimum: 1, exclusiveMinimum: true },
    'limit-tightened',
    'breaking',
  ],
  [{ type: 'string', maxLength: 3 }, { type: 'string', maxLength: 4 }, 'limit-loosened', 'safe'],
  [{ type: 'string', maxLength: 3 }, { type: 'string' }, 'limit-removed', 'safe'],
  [{ type: 'integer' }, { type: 'integer', multipleOf: 2 }, 'multiple-of-changed', 'breaking'],
  [{ type: 'string', nullable: true }, { type: 'string' }, 'nullable-removed', 'breaking'],
  [{ type: 'string' }, { type: 'string', nullable: true }, 'nullable-added', 'safe'],
  [{ type: 'string' }, { type: 'string', default: 'a' }, 'default-added', 'breaking'],
  [{ type: 'string', default: 'a' }, { type: 'string', default: 'b' }, 'default-changed', 'breaking'],
  [
    { ...object({}), default: { r: { cpu: '1', memory: '1' } } },
    { ...object({}), default: { r: { memory: '1', cpu: '2' } } },
    'default-changed',
    'breaking',
  ],
  [{ type: 'object', additionalProperties: text }, object({}), 'map-removed', 'breaking'],
  [object({}), { type: 'object', additionalProperties: text }, 'map-added', 'safe'],
  [
    { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
    { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', optionalOldSelf: true }] },
    'rule-changed',
    'breaking',
  ],
  [{ type: 'string', default: 'a' }, { type: 'string' }, 'default-removed', 'breaking'],
  [
    { type: 'array', items: { type: 'string' } },
    { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    'list-type-changed',
    'breaking',
  ],
  [
    { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
    { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a', 'b'] },
    'list-keys-changed',
    'breaking',
  ],
  [{ type: 'object' }, { type: 'object', 'x-kubernetes-map-type': 'atomic' }, 'map-type-changed', 'breaking'],
  [
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    { type: 'object' },
    'unknown-fields-pruned',
    'breaking',
  ],
  [{ type: 'object' }, { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, 'unknown-fields-kept', 'safe'],
  [
    { type: 'object' },
    { type: 'object', 'x-kubernetes-embedded-resource': true },
    'embedded-resource-changed',
    'breaking',
  ],
  [{ 'x-kubernetes-int-or-string': true }, { type: 'string' }, 'int-or-string-removed', 'breaking'],
  [{ type: 'string' }, { 'x-kubernetes-int-or-string': true }, 'int-or-string-added', 'safe'],
  [{ type: 'string' }, { type: 'string', 'x-kubernetes-validations': [{ rule: 'a' }] }, 'rule-added', 'breaking'],
  [{ type: 'string', 'x-kubernetes-validations': [{ rule: 'a' }] }, { type: 'string' }, 'rule-removed', 'safe'],
  [
    { type: 'string', 'x-kubernetes-validations': [{ rule: 'a' }] },
    { type: 'string', 'x-kubernetes-validations': [{ rule: 'b' }] },
    'rule-changed',
    'breaking',
  ],
  [{ type: 'string' }, { type: 'string', not: { enum: ['a'] } }, 'alternatives-changed', 'breaking'],
  [{ type: 'string' }, { type: 'string', description: 'a' }, 'description-changed', 'safe'],
];

/** Two CRDs and the expected change. */
const wholes: readonly (readonly [Crd, Crd, CrdChangeKind, 'breaking' | 'safe'])[] = [
  [crd(text), crd(text, { spec: { group: 'b.com' } }), 'group-changed', 'breaking'],
  [crd(text), crd(text, { names: { kind: 'Other', singular: 'thing' } }), 'kind-changed', 'breaking'],
  [crd(text), crd(text, { names: { plural: 'others' } }), 'plural-changed', 'breaking'],
  [crd(text), crd(text, { names: { singular: 'one' } }), 'singular-changed', 'breaking'],
  [crd(text), crd(text, { spec: { scope: 'Cluster' } }), 'scope-changed', 'breaking'],
  [crd(text, { names: { shortNames: ['t'] } }), crd(text), 'short-name-removed', 'breaking'],
  [crd(text), crd(text, { names: { shortNames: ['t'] } }), 'short-name-added', 'safe'],
  [crd(text, { names: { categories: ['all'] } }), crd(text), 'category-removed', 'breaking'],
  [crd(text), crd(text, { names: { categories: ['all'] } }), 'category-added', 'safe'],
  [crd(text), crd(text, { version: { served: false } }), 'version-not-served', 'breaking'],
  [crd(text, { version: { served: false } }), crd(text), 'version-served', 'safe'],
  [crd(text), crd(text, { version: { deprecated: true } }), 'version-deprecated', 'safe'],
  [crd(text, { version: { subresources: { status: {} } } }), crd(text), 'status-subresource-removed', 'breaking'],
  [crd(text), crd(text, { version: { subresources: { status: {} } } }), 'status-subresource-added', 'breaking'],
  [scaled('.a'), crd(text), 'scale-subresource-removed', 'breaking'],
  [crd(text), scaled('.a'), 'scale-subresource-added', 'safe'],
  [scaled('.a'), scaled('.b'), 'scale-path-changed', 'breaking'],
  [column('.a'), crd(text), 'column-removed', 'breaking'],
  [column('.a'), column('.b'), 'column-changed', 'breaking'],
  [crd(text), column('.a'), 'column-added', 'safe'],
  [
    crd(text, { version: { selectableFields: [{ jsonPath: '.a' }] } }),
    crd(text),
    'selectable-field-removed',
    'breaking',
  ],
  [crd(text), crd(text, { version: { selectableFields: [{ jsonPath: '.a' }] } }), 'selectable-field-added', 'safe'],
  [crd(object({ a: text })), crd(object({})), 'field-removed', 'breaking'],
  [crd(object({})), crd(object({ a: text })), 'field-added', 'safe'],
  [crd(object({})), crd(object({ a: text }, 'a')), 'required-field-added', 'breaking'],
  [crd(object({ a: text })), crd(object({ a: text }, 'a')), 'field-required', 'breaking'],
  [crd(object({ a: text }, 'a')), crd(object({ a: text })), 'field-optional', 'safe'],
];

function scaled(path: string): Crd {
  const scale = { specReplicasPath: path, statusReplicasPath: '.c' };
  return crd(text, { version: { subresources: { scale } } });
}

function column(jsonPath: string): Crd {
  return crd(text, { version: { additionalPrinterColumns: [{ name: 'A', jsonPath, type: 'string' }] } });
}

describe('compareCrds', () => {
  it.each(fields)('reports a change from %j to %j as %s', (before, after, kind, severity) => {
    const wrap = (field: JsonSchema): Crd => crd(object({ list: { type: 'array', items: object({ a: field }) } }));
    expect(kindsOf(wrap(before), wrap(after))).toEqual([`${severity} ${kind}`]);
    expect(compareCrds(wrap(before), wrap(after))[0]).toMatchObject({ path: 'spec.list[].a', version: 'v1' });
  });

  it.each(wholes)('reports a change of the whole CRD (%#)', (before, after, kind, severity) => {
    expect(kindsOf(before, after)).toEqual([`${severity} ${kind}`]);
  });

  it('reports fields that are added to or removed from a schema that keeps unknown fields', () => {
    const naming = (b: JsonSchema): Crd => crd({ ...keepsAll, properties: { b } });
    expect(kindsOf(crd(keepsAll), naming(keepsAll))).toEqual(['breaking type-changed', 'safe field-added']);
    expect(kindsOf(naming(keepsAll), crd(keepsAll))).toEqual(['breaking type-changed', 'safe field-unnamed']);
  });

  it('reports added and removed versions and a new storage version', () => {
    const two = (stored: string): Crd => {
      const { spec, ...rest } = crd(text);
      const versions = ['v1', 'v2'].map((name) => ({
        ...(spec.versions[0] as CrdVersion),
        name,
        storage: name === stored,
      }));
      return { ...rest, spec: { ...spec, versions } };
    };
    expect(kindsOf(crd(text), two('v1'))).toEqual(['safe version-added']);
    expect(kindsOf(two('v1'), crd(text))).toEqual(['breaking version-removed']);
    expect(kindsOf(two('v1'), two('v2'))).toEqual(['breaking storage-version-changed']);
  });

  it('reports nothing for equal CRDs and treats a required field with a default as optional', () => {
    expect(compareCrds(scaled('.a'), scaled('.a'))).toEqual([]);
    const withDefault = object({ a: { type: 'string', default: 'x' } }, 'a');
    expect(kindsOf(crd(object({})), crd(withDefault))).toEqual(['safe field-added']);
  });

  it('lists breaking changes first and covers more than thirty kinds of them', () => {
    const before = crd(object({ a: text, b: text }));
    const after = crd(object({ a: { type: 'string', maxLength: 1 }, c: text }));
    expect(kindsOf(before, after)).toEqual(['breaking limit-added', 'breaking field-removed', 'safe field-added']);
    const breaking = [...fields, ...wholes]
      .filter(([, , , severity]) => severity === 'breaking')
      .map(([, , kind]) => kind);
    expect(new Set(breaking).size).toBeGreaterThanOrEqual(30);
  });
});
