import { definition, first, get, namespaceSteps, patch, post, put } from './steps.mjs';

const namespace = 'bad-definitions';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const string = { type: 'string' };
const withSpec = (spec) => ({ type: 'object', properties: { spec } });
const make = (name, plural, schema, then = {}) => post(name, definitions, definition(plural, schema, then));
const deep = (levels) => (levels === 0 ? string : { type: 'object', properties: { a: deep(levels - 1) } });
const version = (name, more = {}) => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object' } },
  ...more,
});
const rule = (text, more = {}) =>
  withSpec({
    type: 'object',
    properties: { a: { type: 'string' }, n: { type: 'integer' }, list: { type: 'array', items: string } },
    'x-kubernetes-validations': [{ rule: text, ...more }],
  });
const names = (more) => ({
  names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList', ...more },
});
const of = (plural) => `/apis/bad.example.com/v1/namespaces/${namespace}/${plural}`;
const object = (kind, spec) => ({ apiVersion: 'bad.example.com/v1', kind, metadata: { generateName: 'x-' }, spec });

/** CRDs that must be rejected, and objects that violate their schema (rows 68–72). */
export const crds = {
  namespace,
  cases: [
    ...namespaceSteps(namespace),
    make('a schema without a type', 'things', { properties: { spec: {} } }),
    make('a property without a type', 'things', { type: 'object', properties: { spec: { properties: {} } } }),
    make('an unknown type', 'things', withSpec({ type: 'banana' })),
    make('a null schema', 'things', null),
    make('patternProperties', 'things', withSpec({ type: 'object', patternProperties: { a: string } })),
    make('a $ref', 'things', withSpec({ $ref: '#/definitions/x' })),
    make('a $ref to itself', 'things', withSpec({ $ref: '#' })),
    make('definitions', 'things', { type: 'object', definitions: { x: string } }),
    make('dependencies', 'things', { type: 'object', dependencies: { x: ['y'] } }),
    make('deprecated uniqueItems', 'things', withSpec({ type: 'array', items: string, uniqueItems: true })),
    make(
      'properties next to additionalProperties',
      'things',
      withSpec({ type: 'object', properties: { a: string }, additionalProperties: string }),
    ),
    make('additionalProperties of false', 'closeds', withSpec({ type: 'object', additionalProperties: false })),
    make('a list without items', 'things', withSpec({ type: 'array' })),
    make('a list of two types', 'things', withSpec({ type: 'array', items: [string, string] })),
    make('a default of another type', 'things', withSpec({ type: 'integer', default: 'three' })),
    make('a default of null', 'nulls', withSpec({ type: 'string', default: null })),
    make(
      'a default that is pruned',
      'things',
      withSpec({ type: 'object', properties: { a: string }, default: { b: 1 } }),
    ),
    make('a pattern with a look-ahead', 'things', withSpec({ type: 'string', pattern: '(?=a)b' })),
    make('a pattern with a back reference', 'things', withSpec({ type: 'string', pattern: '(a)\\1' })),
    make('a pattern without an end', 'things', withSpec({ type: 'string', pattern: '(((' })),
    make('a pattern of a huge repetition', 'things', withSpec({ type: 'string', pattern: 'a{1,100000}' })),
    make('an unknown format', 'formats', withSpec({ type: 'string', format: 'banana' })),
    make(
      'an unknown list type',
      'things',
      withSpec({ type: 'array', items: string, 'x-kubernetes-list-type': 'heap' }),
    ),
    make(
      'a list map without keys',
      'things',
      withSpec({
        type: 'array',
        items: { type: 'object', properties: { a: string } },
        'x-kubernetes-list-type': 'map',
      }),
    ),
    make(
      'a list map with an unknown key',
      'things',
      withSpec({
        type: 'array',
        items: { type: 'object', properties: { a: string } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['b'],
      }),
    ),
    make(
      'a set of objects',
      'things',
      withSpec({
        type: 'array',
        items: { type: 'object', properties: { a: string } },
        'x-kubernetes-list-type': 'set',
      }),
    ),
    make('a schema for metadata', 'things', {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
    }),
    make('a schema of 100 levels', 'deeps', deep(100)),
    make('an unknown keyword', 'keywords', withSpec({ type: 'string', banana: 1 })),
    make(
      'two storage versions',
      'things',
      {},
      { versions: [version('v1', { storage: true }), version('v2', { storage: true })] },
    ),
    make('no storage version', 'things', {}, { versions: [version('v1')] }),
    make('no version', 'things', {}, { versions: [] }),
    make('a version twice', 'things', {}, { versions: [version('v1', { storage: true }), version('v1')] }),
    make('a version with a dot', 'things', {}, { versions: [version('v1.5', { storage: true })] }),
    make('a version without a schema', 'things', {}, { versions: [{ name: 'v1', served: true, storage: true }] }),
    make('a version that is __proto__', 'things', {}, { versions: [version('__proto__', { storage: true })] }),
    make('an unknown scope', 'things', { type: 'object' }, { scope: 'Galaxy' }),
    make('a group without a dot', 'things', { type: 'object' }, { group: 'bad' }),
    make('another plural than its name', 'things', { type: 'object' }, names({ plural: 'others' })),
    make('an upper-case plural', 'things', { type: 'object' }, names({ plural: 'Things' })),
    make(
      'a kind with a dash',
      'dashes',
      { type: 'object' },
      { names: { plural: 'dashes', singular: 'dash', kind: 'Da-sh', listKind: 'Da-shList' } },
    ),
    make('a kind like its list', 'things', { type: 'object' }, names({ listKind: 'Thing' })),
    make('a bad short name', 'things', { type: 'object' }, names({ shortNames: ['T!'] })),
    make('no names', 'things', { type: 'object' }, { names: {} }),
    make(
      'a column of a wrong type',
      'things',
      { type: 'object' },
      {
        versions: [
          version('v1', {
            storage: true,
            additionalPrinterColumns: [{ name: 'A', type: 'banana', jsonPath: '.spec.a' }],
          }),
        ],
      },
    ),
    make(
      'a column with a bad path',
      'things',
      { type: 'object' },
      {
        versions: [
          version('v1', {
            storage: true,
            additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: 'spec[' }],
          }),
        ],
      },
    ),
    make(
      'a column that runs a script',
      'scripts',
      { type: 'object' },
      {
        versions: [
          version('v1', {
            storage: true,
            additionalPrinterColumns: [
              { name: 'A', type: 'string', jsonPath: '.spec[?(@.constructor.constructor("return 1")())]' },
            ],
          }),
        ],
      },
    ),
    make(
      'a scale without paths',
      'things',
      { type: 'object' },
      { versions: [version('v1', { storage: true, subresources: { scale: {} } })] },
    ),
    make(
      'a scale of other paths',
      'things',
      { type: 'object' },
      {
        versions: [
          version('v1', {
            storage: true,
            subresources: { scale: { specReplicasPath: '.metadata.x', statusReplicasPath: '.spec.y' } },
          }),
        ],
      },
    ),
    make(
      'nine selectable fields',
      'things',
      { type: 'object' },
      {
        versions: [
          version('v1', {
            storage: true,
            selectableFields: Array.from({ length: 9 }, (_, i) => ({ jsonPath: `.spec.f${i}` })),
          }),
        ],
      },
    ),
    make(
      'a missing selectable field',
      'things',
      { type: 'object' },
      { versions: [version('v1', { storage: true, selectableFields: [{ jsonPath: '.spec.nothing' }] })] },
    ),
    make('a conversion without a webhook', 'things', { type: 'object' }, { conversion: { strategy: 'Webhook' } }),
    make('preserveUnknownFields', 'things', { type: 'object' }, { preserveUnknownFields: true }),
    make('a rule with a syntax error', 'things', rule('self.a ==')),
    make('a rule that is empty', 'things', rule('')),
    make('a rule about an unknown field', 'things', rule('self.nothing == "a"')),
    make('a rule of another type', 'things', rule('self.a')),
    make('a rule that compares types', 'things', rule('self.a == 1')),
    make('a rule that calls a missing function', 'things', rule('system("rm -rf /")')),
    make('a rule with a constructor', 'things', rule('self.constructor.constructor("return process")()')),
    make('a rule with an unknown reason', 'things', rule('self.n > 1', { reason: 'Because' })),
    make('a rule with a field path to nowhere', 'things', rule('self.n > 1', { fieldPath: '.nothing' })),
    make('a rule with a message of two lines', 'things', rule('self.n > 1', { message: 'a\nb' })),
    make('a rule whose messageExpression is none', 'things', rule('self.n > 1', { messageExpression: 'self.n' })),
    post('another name than group and plural', definitions, {
      ...definition('things', { type: 'object' }),
      metadata: { name: 'others.bad.example.com' },
    }),
    first(
      make(
        'a pattern that would run forever elsewhere',
        'slows',
        withSpec({
          type: 'object',
          properties: {
            a: { type: 'string', pattern: '^(a+)+$' },
            b: { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' },
          },
        }),
      ),
    ),
    first(get('slows are served', '/apis/bad.example.com/v1/slows', { until: 200 })),
    post('a value for that pattern', of('slows'), object('Slow', { a: `${'a'.repeat(190)}!` })),
    post('a value for the other pattern', of('slows'), object('Slow', { b: 'a'.repeat(190) })),
    post('a long value for that pattern', of('slows'), object('Slow', { a: 'a'.repeat(500_000) }), { shows: ['kind'] }),
    first(
      make(
        'rules over an object',
        'ruleds',
        withSpec({
          type: 'object',
          properties: { n: { type: 'integer' }, s: { type: 'string', maxLength: 100 } },
          'x-kubernetes-validations': [
            { rule: 'self.n < 10', message: 'n must be small', reason: 'FieldValueForbidden', fieldPath: '.n' },
            { rule: '10 / self.n > 0' },
            { rule: "!has(self.s) || self.s.matches('^(a+)+$')" },
          ],
        }),
      ),
    ),
    first(get('ruleds are served', '/apis/bad.example.com/v1/ruleds', { until: 200 })),
    post('a value that a rule refuses', of('ruleds'), object('Ruled', { n: 11 })),
    post('a value that a rule divides by', of('ruleds'), object('Ruled', { n: 0 })),
    post('a value that a rule misses', of('ruleds'), object('Ruled', {})),
    post('a value for a rule with a pattern', of('ruleds'), object('Ruled', { n: 1, s: `${'a'.repeat(99)}!` })),
    first(
      make('a kind to change', 'changes', {
        type: 'object',
        properties: { spec: { type: 'object', properties: { a: string } } },
      }),
    ),
    first(get('changes are served', '/apis/bad.example.com/v1/changes', { until: 200 })),
    patch('another scope', `${definitions}/changes.bad.example.com`, {
      type: 'merge',
      body: { spec: { scope: 'Cluster' } },
    }),
    patch('another kind', `${definitions}/changes.bad.example.com`, {
      type: 'merge',
      body: { spec: { names: { kind: 'Other' } } },
    }),
    patch('another group', `${definitions}/changes.bad.example.com`, {
      type: 'merge',
      body: { spec: { group: 'other.example.com' } },
    }),
    patch('conditions of nonsense', `${definitions}/changes.bad.example.com`, {
      type: 'merge',
      body: { status: { acceptedNames: { kind: 'Stolen' } } },
      shows: ['status', 'acceptedNames', 'kind'],
    }),
    put('a PUT without a version', `${definitions}/changes.bad.example.com`, definition('changes', { type: 'object' })),
    first(
      make(
        'the same kind for another plural',
        'twins',
        { type: 'object' },
        { names: { plural: 'twins', singular: 'twin', kind: 'Change', listKind: 'ChangeList' } },
      ),
    ),
    get('a kind whose names are taken', '/apis/bad.example.com/v1/twins'),
    get('a kind that is not established', '/apis/bad.example.com/v1/things'),
  ],
};
