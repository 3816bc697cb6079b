import { definitionSteps, first, get, namespaceSteps, patch, post } from './steps.mjs';

const namespace = 'bad-patches';
const maps = `/api/v1/namespaces/${namespace}/configmaps`;
const pods = `/api/v1/namespaces/${namespace}/pods`;
const parts = `/apis/bad.example.com/v1/namespaces/${namespace}/parts`;
const kept = `${maps}/kept`;
const applied = (name, rest = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...rest });
const json = (name, body, more = {}) => patch(name, kept, { type: 'json', body, ...more });
const merge = (name, body, more = {}) => patch(name, kept, { type: 'merge', body, ...more });
const strategic = (name, body, more = {}) => patch(name, kept, { type: 'strategic', body, ...more });
const apply = (name, body, more = {}) => patch(name, `${kept}?fieldManager=x`, { type: 'apply', body, ...more });
const onPod = (name, body) => patch(name, `${pods}/kept`, { type: 'strategic', body });
const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const doubling = [{ op: 'add', path: '/x', value: ['0123456789'.repeat(100)] }];
for (let i = 0; i < 40; i++) doubling.push({ op: 'copy', from: '/x', path: '/x/-' });

/** Patches (rows 52–60). */
export const patches = {
  namespace,
  cases: [
    ...namespaceSteps(namespace),
    ...definitionSteps('parts', schema),
    first(post('an object', maps, { metadata: { name: 'kept' }, data: { a: 'b' } })),
    first(post('a part', parts, { apiVersion: 'bad.example.com/v1', kind: 'Part', metadata: { name: 'kept' } })),
    first(
      post('a pod', pods, {
        metadata: { name: 'kept' },
        spec: { schedulerName: 'nobody', containers: [{ name: 'c', image: 'i' }] },
      }),
    ),
    json('an empty patch', ''),
    json('an object', {}),
    json('a list of numbers', [1, 2]),
    json('a list of null', '[null]'),
    json('an operation without op', [{ path: '/data/a' }]),
    json('an unknown op', [{ op: 'steal', path: '/data/a' }]),
    json('an add without a path', [{ op: 'add', value: 1 }]),
    json('an add without a value', [{ op: 'add', path: '/data/x' }]),
    json('a move without from', [{ op: 'move', path: '/data/x' }]),
    json('a path without a slash', [{ op: 'add', path: 'data', value: {} }]),
    json('a path to nowhere', [{ op: 'add', path: '/data/x/y/z', value: 'v' }]),
    json('a removal of nothing', [{ op: 'remove', path: '/data/nothing' }]),
    json('a replacement of nothing', [{ op: 'replace', path: '/data/nothing', value: 'x' }]),
    json('a test that fails', [{ op: 'test', path: '/data/a', value: 'x' }]),
    json('a test of nothing', [{ op: 'test', path: '/nothing', value: 'x' }]),
    json('a dash where nothing is a list', [{ op: 'add', path: '/data/-', value: 'x' }], { shows: ['data'] }),
    json('a removal of a dash', [{ op: 'remove', path: '/metadata/managedFields/-' }]),
    json('an index beyond the end', [{ op: 'add', path: '/metadata/managedFields/99', value: {} }]),
    json('a negative index', [{ op: 'remove', path: '/metadata/managedFields/-1' }]),
    json('an index with a leading zero', [{ op: 'test', path: '/metadata/managedFields/00', value: {} }]),
    json('an index of letters', [{ op: 'remove', path: '/metadata/managedFields/x' }]),
    json('a wrong escape', [{ op: 'add', path: '/data/a~2b', value: 'x' }]),
    json('the whole document', [{ op: 'replace', path: '', value: {} }]),
    json('the whole document, removed', [{ op: 'remove', path: '' }]),
    json('a move into itself', [{ op: 'move', from: '/data', path: '/data/inner' }]),
    json(
      '10,001 operations',
      Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: 'b' })),
    ),
    json(
      '10,000 operations',
      Array.from({ length: 10_000 }, () => ({ op: 'test', path: '/metadata/name', value: 'kept' })),
      { shows: ['metadata', 'name'] },
    ),
    json('copies that double', doubling),
    json('a path of 100,000 segments', [{ op: 'add', path: '/a'.repeat(100_000), value: 1 }]),
    json('the name', [{ op: 'replace', path: '/metadata/name', value: 'other' }]),
    json('the kind', [{ op: 'replace', path: '/kind', value: 'Secret' }]),
    json('the apiVersion', [{ op: 'replace', path: '/apiVersion', value: 'v2' }]),
    json('the metadata removed', [{ op: 'remove', path: '/metadata' }]),
    json('the uid', [{ op: 'replace', path: '/metadata/uid', value: 'x' }]),
    json('a wrong type', [{ op: 'replace', path: '/data', value: [] }]),
    merge('a merge patch of nothing', ''),
    merge('a list', []),
    merge('null', 'null'),
    merge('a string', '"x"'),
    merge('JSON cut off', '{"data":'),
    merge('a wrong type for data', { data: 'x' }),
    merge('null for metadata', { metadata: null }),
    merge('a number for a datum', { data: { a: 1 } }),
    merge('a duplicate key', '{"data":{"d":"1","d":"2"}}', { shows: ['data'] }),
    patch('a duplicate key, strict', `${kept}?fieldValidation=Strict`, {
      type: 'merge',
      body: '{"data":{"d":"1","d":"2"}}',
    }),
    patch('an unknown field, strict', `${kept}?fieldValidation=Strict`, { type: 'merge', body: { bogus: 1 } }),
    patch('force on a merge patch', `${kept}?force=true`, { type: 'merge', body: {} }),
    merge('an old resourceVersion', { metadata: { resourceVersion: '1' }, data: { z: '1' } }),
    patch('a merge patch of a missing object', `${maps}/nobody`, { type: 'merge', body: {} }),
    strategic('a strategic patch of a list', []),
    strategic('an unknown directive', { data: { $patch: 'steal' } }),
    strategic('a retainKeys of numbers', { data: { $retainKeys: [1] } }),
    strategic('a delete directive at the top', { $patch: 'delete' }),
    onPod('a list item without its merge key', { spec: { containers: [{ image: 'i' }] } }),
    onPod('a list of strings for one of objects', { spec: { containers: ['x'] } }),
    onPod('a wrong order', {
      spec: { '$setElementOrder/containers': [{ name: 'nobody' }], containers: [{ name: 'c' }] },
    }),
    onPod('an object for a list', { spec: { containers: {} } }),
    onPod('a deletion from a primitive list that is none', {
      metadata: { '$deleteFromPrimitiveList/finalizers': 'x' },
    }),
    patch('a strategic patch of a custom resource', `${parts}/kept`, { type: 'strategic', body: {} }),
    apply('an apply of nothing', ''),
    apply('an apply of a list', '[]'),
    apply('an apply of text', 'hello'),
    apply('an apply of invalid YAML', 'a: [b'),
    apply('an apply without a kind', { apiVersion: 'v1', metadata: { name: 'kept' } }),
    apply('an apply of another kind', { ...applied('kept'), kind: 'Secret' }),
    apply('an apply of another version', { ...applied('kept'), apiVersion: 'v7' }),
    apply('an apply of another name', applied('other')),
    apply('an apply with managed fields', {
      ...applied('kept'),
      metadata: { name: 'kept', managedFields: [{ manager: 'x' }] },
    }),
    apply('an apply with a resourceVersion of the past', {
      ...applied('kept'),
      metadata: { name: 'kept', resourceVersion: '1' },
    }),
    apply('an apply of a wrong type', applied('kept', { data: [] })),
    apply('an apply of an unknown field', applied('kept', { bogus: { a: 1 } })),
    apply(
      'an apply of a duplicate key',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kept"},"data":{"q":"1","q":"2"}}',
    ),
    apply(
      'an apply of an alias bomb',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 10 }, (_, i) => `${'bcdefghijk'[i]}: &${'bcdefghijk'[i]} [${Array(9).fill(`*${'abcdefghij'[i]}`)}]\n`).join('')}`,
    ),
    patch('an apply without a manager', kept, { type: 'apply', body: applied('kept') }),
    patch('an apply with a manager of 129 characters', `${kept}?fieldManager=${'x'.repeat(129)}`, {
      type: 'apply',
      body: applied('kept'),
    }),
    first(apply('an owner of a field', applied('kept', { data: { owned: '1' } }))),
    patch('a conflict', `${kept}?fieldManager=y`, { type: 'apply', body: applied('kept', { data: { owned: '2' } }) }),
    patch('a list map with a key twice', `${pods}/kept?fieldManager=x`, {
      type: 'apply',
      body: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'kept' },
        spec: { containers: [{ name: 'c' }, { name: 'c' }] },
      },
    }),
    patch('a list map without a key', `${pods}/kept?fieldManager=x`, {
      type: 'apply',
      body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'kept' }, spec: { containers: [{ image: 'i' }] } },
    }),
    {
      name: 'an unknown patch type',
      method: 'PATCH',
      path: kept,
      body: {},
      headers: { 'content-type': 'application/json' },
    },
    { name: 'a patch without a type', method: 'PATCH', path: kept, body: {}, headers: { 'content-type': undefined } },
    get('what is left of the object', kept, { shows: ['data'] }),
  ],
};
