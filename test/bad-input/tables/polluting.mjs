import { definition, definitionSteps, first, get, namespaceSteps, patch, post, put } from './steps.mjs';

const namespace = 'bad-polluting';
const maps = `/api/v1/namespaces/${namespace}/configmaps`;
const toys = `/apis/bad.example.com/v1/namespaces/${namespace}/toys`;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const evil = '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}';
const toy = (name, spec) =>
  `{"apiVersion":"bad.example.com/v1","kind":"Toy","metadata":{"name":"${name}"},"spec":${spec}}`;
const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        tags: { type: 'object', additionalProperties: { type: 'string' } },
        list: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, value: { type: 'string' } },
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
      },
    },
  },
};
const text = { type: 'string' };
const keyedDefinition = definition('keyeds', {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        both: {
          type: 'array',
          items: {
            type: 'object',
            required: ['constructor', '__proto__'],
            properties: { constructor: text, ['__proto__']: text, value: text },
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['constructor', '__proto__'],
        },
        one: {
          type: 'array',
          items: { type: 'object', properties: { toString: { ...text, default: 'd' }, value: text } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['toString'],
        },
      },
    },
  },
});
const pickSchema = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { a: text } } },
};
const keyeds = `/apis/bad.example.com/v1/namespaces/${namespace}/keyeds`;
const keyed = (name, spec) =>
  `{"apiVersion":"bad.example.com/v1","kind":"Keyed","metadata":{"name":"${name}"},"spec":${spec}}`;
const shows = ['spec'];
const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

/** Keys with a special meaning in JavaScript (rows 28, 29 and 56). */
export const polluting = {
  namespace,
  cases: [
    ...namespaceSteps(namespace),
    ...definitionSteps('toys', schema),
    first(post('an object', maps, { metadata: { name: 'kept' }, data: { a: 'b' } })),
    first(post('a toy', toys, toy('kept', '{"tags":{"a":"b"},"any":{}}'))),
    post('at the top', maps, `{"metadata":{"name":"top"},"__proto__":{"polluted":"yes"}}`),
    post(
      'at the top, strict',
      `${maps}?fieldValidation=Strict`,
      `{"metadata":{"name":"top"},"__proto__":{"polluted":"yes"}}`,
    ),
    post('in metadata', maps, `{"metadata":{"name":"in-metadata","__proto__":{"polluted":"yes"}}}`),
    post('as data', maps, '{"metadata":{"name":"data"},"data":{"__proto__":"p","constructor":"c","toString":"t"}}', {
      shows: ['data'],
    }),
    get('as data, read again', `${maps}/data`, { shows: ['data'] }),
    post(
      'as data without __proto__',
      maps,
      '{"metadata":{"name":"legal"},"data":{"constructor":"c","prototype":"p","toString":"t","hasOwnProperty":"h"}}',
      { shows: ['data'] },
    ),
    post('as labels', maps, '{"metadata":{"name":"labels","labels":{"__proto__":"p","constructor":"c"}}}', {
      shows: ['metadata', 'labels'],
    }),
    post('as legal labels', maps, '{"metadata":{"name":"legal-labels","labels":{"constructor":"c","toString":"t"}}}', {
      shows: ['metadata', 'labels'],
    }),
    get('selected by such a label', `${maps}?labelSelector=constructor%3Dc`, {
      shows: ['items', '0', 'metadata', 'name'],
    }),
    get('selected by a label that no object has', `${maps}?labelSelector=valueOf`, { shows: ['items'] }),
    get('not selected by what objects inherit', `${maps}?labelSelector=%21hasOwnProperty,constructor`, {
      shows: ['items', '0', 'metadata', 'name'],
    }),
    get('a field that objects inherit', `${maps}?fieldSelector=constructor%3Dx`),
    post(
      'as annotations',
      maps,
      '{"metadata":{"name":"annotations","annotations":{"__proto__":"p","constructor":"c"}}}',
      { shows: ['metadata', 'annotations'] },
    ),
    post(
      'as legal annotations',
      maps,
      '{"metadata":{"name":"legal-annotations","annotations":{"constructor":"c","a/toString":"t"}}}',
      { shows: ['metadata', 'annotations'] },
    ),
    ...names.map((name) => post(`as the name ${name}`, maps, { metadata: { name } })),
    ...names.map((name) =>
      post(`as the kind ${name}`, maps, { apiVersion: 'v1', kind: name, metadata: { name: 'a' } }),
    ),
    ...names.map((name) => get(`as the resource ${name}`, `/apis/bad.example.com/v1/${name}`)),
    post('in a free-form field', toys, toy('free', `{"any":${evil}}`), { shows }),
    get('in a free-form field, read again', `${toys}/free`, { shows }),
    post('in a map', toys, toy('map', '{"tags":{"__proto__":"p","constructor":"c"}}'), { shows }),
    post('as an unknown field', toys, toy('unknown', '{"constructor":"c","toString":1}'), { shows }),
    post('as an unknown field, strict', `${toys}?fieldValidation=Strict`, toy('unknown-strict', '{"constructor":"c"}')),
    post(
      'as a key of a list map',
      toys,
      toy('list', '{"list":[{"name":"__proto__","value":"a"},{"name":"constructor","value":"b"}]}'),
      { shows },
    ),
    patch('a merge patch of __proto__', `${maps}/kept`, {
      type: 'merge',
      body: '{"__proto__":{"polluted":"yes"}}',
      shows: ['data'],
    }),
    patch('a merge patch of constructor.prototype', `${maps}/kept`, {
      type: 'merge',
      body: '{"constructor":{"prototype":{"polluted":"yes"}}}',
      shows: ['data'],
    }),
    patch('a merge patch of data', `${maps}/kept`, {
      type: 'merge',
      body: '{"data":{"constructor":"c"}}',
      shows: ['data'],
    }),
    patch('a merge patch of data.__proto__', `${maps}/kept`, {
      type: 'merge',
      body: '{"data":{"__proto__":"p"}}',
      shows: ['data'],
    }),
    patch('a merge patch of an object at data.__proto__', `${maps}/kept`, {
      type: 'merge',
      body: '{"data":{"__proto__":{"polluted":"yes"}}}',
    }),
    patch('a merge patch that removes __proto__', `${maps}/kept`, {
      type: 'merge',
      body: '{"__proto__":null,"data":{"__proto__":null,"constructor":null}}',
      shows: ['data'],
    }),
    patch('a merge patch of a toy', `${toys}/kept`, { type: 'merge', body: `{"spec":{"any":${evil}}}`, shows }),
    patch('a merge patch into existing fields', `${toys}/kept`, {
      type: 'merge',
      body: '{"spec":{"any":{"__proto__":{"more":"1"}}}}',
      shows,
    }),
    patch('a merge patch of labels', `${maps}/kept`, {
      type: 'merge',
      body: '{"metadata":{"labels":{"__proto__":"x"}}}',
    }),
    patch('a strategic patch of __proto__', `${maps}/kept`, {
      type: 'strategic',
      body: '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}',
      shows: ['data'],
    }),
    patch('a strategic patch of data.__proto__', `${maps}/kept`, {
      type: 'strategic',
      body: '{"data":{"__proto__":"p"}}',
    }),
    patch('a JSON patch to /__proto__/polluted', `${maps}/kept`, {
      type: 'json',
      body: [{ op: 'add', path: '/__proto__/polluted', value: 'yes' }],
    }),
    patch('a JSON patch to /constructor/prototype/polluted', `${maps}/kept`, {
      type: 'json',
      body: [{ op: 'add', path: '/constructor/prototype/polluted', value: 'yes' }],
    }),
    patch('a JSON patch that tests an inherited value', `${maps}/kept`, {
      type: 'json',
      body: [{ op: 'test', path: '/toString', value: null }],
    }),
    patch('a JSON patch that removes what is inherited', `${maps}/kept`, {
      type: 'json',
      body: [{ op: 'remove', path: '/hasOwnProperty' }],
    }),
    patch('a JSON patch that copies a prototype', `${toys}/kept`, {
      type: 'json',
      body: [{ op: 'copy', from: '/__proto__', path: '/spec/any/x' }],
    }),
    patch('a JSON patch that adds /__proto__', `${maps}/kept`, {
      type: 'json',
      body: '[{"op":"add","path":"/__proto__","value":{"polluted":"yes"}}]',
      shows: ['data'],
    }),
    patch('a JSON patch of data/__proto__', `${maps}/kept`, {
      type: 'json',
      body: [{ op: 'add', path: '/data/__proto__', value: 'x' }],
    }),
    patch('a JSON patch of a legal datum', `${maps}/kept`, {
      type: 'json',
      body: [
        { op: 'add', path: '/data', value: {} },
        { op: 'add', path: '/data/constructor', value: 'x' },
      ],
      shows: ['data'],
    }),
    patch('an apply of data', `${maps}/applied?fieldManager=x`, {
      type: 'apply',
      body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"applied"},"data":{"constructor":"c","toString":"t"}}',
      shows: ['data'],
    }),
    patch('an apply of __proto__', `${maps}/applied?fieldManager=x`, {
      type: 'apply',
      body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"applied"},"data":{"__proto__":"p"}}',
    }),
    patch('an apply of a toy', `${toys}/applied?fieldManager=x`, {
      type: 'apply',
      body: toy('applied', `{"any":${evil},"list":[{"name":"__proto__"}]}`),
      shows,
    }),
    patch('an apply of a toy, again', `${toys}/applied?fieldManager=x`, {
      type: 'apply',
      body: toy('applied', '{"any":{"__proto__":{"other":1}},"list":[{"name":"constructor"}]}'),
      shows,
    }),
    patch('an apply by a manager called __proto__', `${toys}/applied?fieldManager=__proto__`, {
      type: 'apply',
      body: toy('applied', '{"tags":{"constructor":"x"}}'),
      shows: ['spec', 'tags'],
    }),
    put('a PUT of a toy', `${toys}/kept`, toy('kept', `{"any":${evil}}`)),
    post('properties called __proto__ and constructor', definitions, {
      ...definition('protos', {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: JSON.parse(
              '{"__proto__":{"type":"string"},"constructor":{"type":"integer"},"toString":{"type":"string","default":"d"}}',
            ),
          },
        },
      }),
    }),
    first(get('protos are served', '/apis/bad.example.com/v1/protos', { until: 200 })),
    post(
      'an object with such properties',
      `/apis/bad.example.com/v1/namespaces/${namespace}/protos`,
      '{"apiVersion":"bad.example.com/v1","kind":"Proto","metadata":{"name":"a"},"spec":{"__proto__":"x","constructor":3,"valueOf":1}}',
      { shows },
    ),
    post(
      'an object with such properties of wrong types',
      `/apis/bad.example.com/v1/namespaces/${namespace}/protos`,
      '{"apiVersion":"bad.example.com/v1","kind":"Proto","metadata":{"name":"b"},"spec":{"constructor":"three"}}',
    ),
    post(
      'required properties that objects inherit',
      definitions,
      definition('needs', {
        type: 'object',
        properties: {
          spec: { type: 'object', required: ['constructor'], properties: { constructor: { type: 'string' } } },
        },
      }),
    ),
    first(get('needs are served', '/apis/bad.example.com/v1/needs', { until: 200 })),
    post(
      'an object without what is required',
      `/apis/bad.example.com/v1/namespaces/${namespace}/needs`,
      '{"apiVersion":"bad.example.com/v1","kind":"Need","metadata":{"name":"a"},"spec":{}}',
    ),
    post('lists keyed by what objects inherit', definitions, keyedDefinition),
    first(get('lists are served', '/apis/bad.example.com/v1/keyeds', { until: 200 })),
    post(
      'items that differ in __proto__ only',
      keyeds,
      keyed('a', '{"both":[{"constructor":"a","__proto__":"b"},{"constructor":"a","__proto__":"c"}]}'),
      { shows },
    ),
    post(
      'items with the same keys',
      keyeds,
      keyed('b', '{"both":[{"constructor":"a","__proto__":"b"},{"constructor":"a","__proto__":"b"}]}'),
    ),
    post('items without a key', keyeds, keyed('c', '{"both":[{"value":"1"}]}')),
    post('items whose keys have defaults', keyeds, keyed('d', '{"one":[{"value":"1"},{"value":"2"}]}')),
    patch('an apply of such items', `${keyeds}/applied?fieldManager=x`, {
      type: 'apply',
      body: keyed('applied', '{"both":[{"constructor":"a","__proto__":"b","value":"1"}],"one":[{"value":"1"}]}'),
      shows,
    }),
    patch('an apply of such items, again', `${keyeds}/applied?fieldManager=x`, {
      type: 'apply',
      body: keyed('applied', '{"both":[{"constructor":"a","__proto__":"c"}]}'),
      shows,
    }),
    patch('an apply of such items by another manager', `${keyeds}/applied?fieldManager=y`, {
      type: 'apply',
      body: keyed('applied', '{"both":[{"constructor":"a","__proto__":"b","value":"2"}]}'),
      shows,
    }),
    post(
      'selectable fields that objects inherit',
      definitions,
      definition('picks', pickSchema, {
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: pickSchema },
            selectableFields: [{ jsonPath: '.spec.constructor' }, { jsonPath: '.toString' }],
          },
        ],
      }),
    ),
    first(
      post(
        'an object with such a secret',
        `/api/v1/namespaces/${namespace}/secrets`,
        '{"metadata":{"name":"s"},"stringData":{"constructor":"c"}}',
      ),
    ),
    get('such a secret', `/api/v1/namespaces/${namespace}/secrets/s`, { shows: ['data'] }),
    get('a user who is __proto__', maps, { as: '__proto__' }),
    get('extras that are __proto__', maps, {
      as: 'someone',
      headers: { 'impersonate-extra-__proto__': 'x', 'impersonate-extra-constructor': 'y' },
    }),
  ],
};
