import { definitionSteps, del, first, get, namespaceSteps, patch, post, put } from './steps.mjs';

const namespace = 'bad-semantics';
const maps = `/api/v1/namespaces/${namespace}/configmaps`;
const pods = `/api/v1/namespaces/${namespace}/pods`;
const tools = `/apis/bad.example.com/v1/namespaces/${namespace}/tools`;
const map = (name, metadata = {}, rest = {}) => ({ metadata: { name, ...metadata }, ...rest });
const tool = (name, metadata = {}, rest = {}) => ({
  apiVersion: 'bad.example.com/v1',
  kind: 'Tool',
  metadata: { name, ...metadata },
  ...rest,
});
const owner = (name, uid, more = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid, ...more });
const uid = (i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const keepVersion = { keep: ({ metadata }) => ({ old: metadata.resourceVersion, uid: metadata.uid }) };
const lists = { data: { a: 'b' } };

/** Names, metadata, versions, finalizers, owners, deletion, namespaces and status (rows 31, 39–51). */
export const semantics = {
  namespace,
  cases: [
    ...namespaceSteps(namespace),
    ...definitionSteps('tools', schema),
    first(post('an object', maps, map('kept', {}, lists), keepVersion)),
    first(post('a tool', tools, tool('kept'))),
    ...[
      ['an upper-case name', 'Upper'],
      ['a name with a slash', 'a/b'],
      ['a name of two dots', '..'],
      ['a name of one dot', '.'],
      ['a name with a percent sign', 'a%b'],
      ['a name that begins with a dash', '-rf'],
      ['a name with a line feed', 'a\nb'],
      ['a name in another script', 'имя'],
      ['an emoji', '\u{1f600}'],
      ['a name of 254 characters', 'x'.repeat(254)],
      ['a name of 1 MB', 'x'.repeat(1_000_000)],
      ['a blank name', ' '],
      ['a name with a NUL', 'a\u0000b'],
    ].map(([name, value]) => post(name, maps, map(value))),
    post('a name that is a command', maps, map('$(id)')),
    post('a bad name of a custom resource', tools, tool('Not_Good')),
    post('a Service with a name for a ConfigMap', `/api/v1/namespaces/${namespace}/services`, {
      metadata: { name: 'a.b' },
      spec: { ports: [{ port: 80 }] },
    }),
    post('a namespace with a dot', '/api/v1/namespaces', { metadata: { name: 'a.b' } }),
    post('no name at all', maps, { metadata: {} }),
    post('no metadata', maps, { data: {} }),
    post('a generateName of 300 characters', maps, { metadata: { generateName: 'x'.repeat(300) } }),
    post('a bad generateName', maps, { metadata: { generateName: 'Not_Good-' } }),
    post(
      'a generateName with a name',
      maps,
      { metadata: { generateName: 'other-', name: 'both' } },
      { shows: ['metadata', 'name'] },
    ),
    post(
      'a generateName of 62 characters',
      `/api/v1/namespaces/${namespace}/services`,
      { metadata: { generateName: `${'y'.repeat(62)}` }, spec: { ports: [{ port: 80 }] } },
      { shows: ['spec', 'type'] },
    ),
    post('an existing name', maps, map('kept')),
    post('a label value of 64 characters', maps, map('a', { labels: { a: 'x'.repeat(64) } })),
    post('a label value of 1 MB', maps, map('a', { labels: { a: 'x'.repeat(1_000_000) } })),
    post('a label key with two slashes', maps, map('a', { labels: { 'a/b/c': 'x' } })),
    post('a label value with a blank', maps, map('a', { labels: { a: 'b c' } })),
    post('annotations of 256 KiB and one byte', maps, map('a', { annotations: { a: 'x'.repeat(262_144) } })),
    post('an annotation key of 300 characters', maps, map('a', { annotations: { [`${'x'.repeat(300)}/a`]: '' } })),
    post('a finalizer without a domain', maps, map('a', { finalizers: ['mine'] })),
    post('a finalizer with a blank', maps, map('a', { finalizers: ['a b/c'] })),
    post('two finalizers that contradict', maps, map('a', { finalizers: ['orphan', 'foregroundDeletion'] })),
    post('10,000 finalizers', maps, map('a', { finalizers: Array.from({ length: 10_000 }, (_, i) => `x.y/${i}`) }), {
      shows: ['metadata', 'finalizers', 'length'],
    }),
    first(del('so many finalizers', `${maps}/a`)),
    first(
      patch('so many finalizers, removed', `${maps}/a`, { type: 'merge', body: { metadata: { finalizers: null } } }),
    ),
    post('an owner without a uid', maps, map('a', { ownerReferences: [owner('x', '')] })),
    post('an owner without anything', maps, map('a', { ownerReferences: [{}] })),
    post(
      'an owner of a wrong version',
      maps,
      map('a', { ownerReferences: [owner('x', 'u', { apiVersion: 'a/b/c' })] }),
    ),
    post('an Event as the owner', maps, map('a', { ownerReferences: [owner('x', 'u', { kind: 'Event' })] })),
    post(
      'two controllers',
      maps,
      map('a', { ownerReferences: [1, 2].map((i) => owner(`x${i}`, uid(i), { controller: true })) }),
    ),
    post(
      'an owner named twice',
      maps,
      map('twice-owned', { finalizers: ['x.y/z'], ownerReferences: [1, 1].map((i) => owner(`x${i}`, uid(i))) }),
    ),
    post(
      '1,000 owners',
      maps,
      map('owned', {
        finalizers: ['x.y/z'],
        ownerReferences: Array.from({ length: 1000 }, (_, i) => owner('kept', uid(i))),
      }),
      { shows: ['metadata', 'ownerReferences', 'length'] },
    ),
    post('owners that are not a list', maps, map('a', { ownerReferences: { name: 'x' } })),
    post(
      'an owner that blocks without permission',
      maps,
      map('blocked', { finalizers: ['x.y/z'], ownerReferences: [owner('kept', uid(7), { blockOwnerDeletion: true })] }),
      { as: 'nobody' },
    ),
    post(
      'managed fields of nonsense',
      maps,
      map('nonsense', {
        managedFields: [
          { manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { nonsense: 1 } },
        ],
      }),
    ),
    post(
      'managed fields of an unknown type',
      maps,
      map('nonsense2', {
        managedFields: [{ manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV7', fieldsV1: {} }],
      }),
    ),
    post(
      'managed fields of an unknown operation',
      maps,
      map('nonsense3', {
        managedFields: [{ manager: 'x', operation: 'Steal', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }],
      }),
    ),
    post(
      'a manager of 129 characters in managed fields',
      maps,
      map('nonsense4', {
        managedFields: [
          { manager: 'x'.repeat(129), operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
        ],
      }),
    ),
    post('managed fields that are not a list', maps, map('a', { managedFields: {} })),
    put(
      'managed fields of another version',
      `${maps}/kept`,
      map(
        'kept',
        {
          managedFields: [
            {
              manager: 'x',
              operation: 'Update',
              apiVersion: 'bogus/v9',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:x': {} },
            },
          ],
        },
        lists,
      ),
    ),
    put('managed fields emptied', `${maps}/kept`, map('kept', { managedFields: [] }, lists), {
      shows: ['metadata', 'managedFields', 'length'],
    }),
    post('a resourceVersion on create', maps, map('versioned', { resourceVersion: '5' })),
    post(
      'what only the server sets',
      maps,
      map('forged', {
        uid: 'mine',
        creationTimestamp: '2001-01-01T00:00:00Z',
        generation: 77,
        selfLink: '/x',
        deletionTimestamp: '2001-01-01T00:00:00Z',
      }),
      { shows: ['metadata', 'generation'] },
    ),
    get('what only the server sets, read again', `${maps}/forged`, { shows: ['metadata', 'deletionTimestamp'] }),
    put('another uid', `${maps}/kept`, map('kept', { uid: uid(1) })),
    put(
      'another creationTimestamp',
      `${maps}/kept`,
      map('kept', { creationTimestamp: '2001-01-01T00:00:00Z' }, lists),
      { shows: ['data'] },
    ),
    put('a deletionTimestamp', `${maps}/kept`, map('kept', { deletionTimestamp: '2001-01-01T00:00:00Z' }, lists), {
      shows: ['metadata', 'deletionTimestamp'],
    }),
    put('another name', `${maps}/kept`, map('other')),
    put('another namespace', `${maps}/kept`, map('kept', { namespace: 'default' })),
    put('a resourceVersion of letters', `${maps}/kept`, map('kept', { resourceVersion: 'abc' })),
    put('a negative resourceVersion', `${maps}/kept`, map('kept', { resourceVersion: '-5' })),
    put('a resourceVersion of 30 digits', `${maps}/kept`, map('kept', { resourceVersion: '9'.repeat(30) })),
    put('a resourceVersion of the future', `${maps}/kept`, map('kept', { resourceVersion: '99999999999' })),
    put('an old resourceVersion', `${maps}/kept`, ({ old }) =>
      map('kept', { resourceVersion: old }, { data: { a: 'c' } }),
    ),
    put('a custom resource without resourceVersion', `${tools}/kept`, tool('kept')),
    put('a missing custom resource', `${tools}/nobody`, tool('nobody', { resourceVersion: '5' })),
    put('a missing object, with a uid', `${maps}/nobody`, map('nobody', { uid: uid(1) })),
    del('a deletion of nothing', `${maps}/nobody`),
    del('a deletion with a wrong uid', `${maps}/kept`, { preconditions: { uid: uid(9) } }),
    del('a deletion with a wrong version', `${maps}/kept`, { preconditions: { resourceVersion: '1' } }),
    del('an unknown propagation policy', `${maps}/kept`, { propagationPolicy: 'Sideways' }),
    del('two propagation policies', `${maps}/kept`, { propagationPolicy: 'Orphan', orphanDependents: true }),
    del('a negative grace period', `${maps}/kept`, { gracePeriodSeconds: -5, dryRun: ['All'] }),
    del('a grace period of letters', `${maps}/kept?gracePeriodSeconds=soon`),
    del('options of another kind', `${maps}/kept`, { apiVersion: 'v1', kind: 'Pod' }),
    del('options with unknown fields', `${maps}/kept`, { bogus: 1, dryRun: ['All'] }),
    del('options that are not an object', `${maps}/kept`, '[1]'),
    del('options that are not JSON', `${maps}/kept`, 'please'),
    del('a collection by a bad selector', `${maps}?labelSelector=a%3D(`),
    del('a collection by an unknown field', `${maps}?fieldSelector=spec.x%3Dy`),
    first(post('a held object', maps, map('held', { finalizers: ['x.y/z'] }))),
    first(del('a held object', `${maps}/held`)),
    del('a deletion of what is being deleted', `${maps}/held`, undefined, { shows: ['metadata', 'finalizers'] }),
    put('a finalizer added while deleting', `${maps}/held`, map('held', { finalizers: ['x.y/z', 'more.y/z'] })),
    patch('a finalizer exchanged while deleting', `${maps}/held`, {
      type: 'json',
      body: [{ op: 'replace', path: '/metadata/finalizers/0', value: 'new.y/z' }],
    }),
    patch('a deletion taken back', `${maps}/held`, {
      type: 'merge',
      body: { metadata: { deletionTimestamp: null } },
      shows: ['metadata', 'finalizers'],
    }),
    post('the same name while deleting', maps, map('held')),
    patch('the finalizer removed', `${maps}/held`, {
      type: 'merge',
      body: { metadata: { finalizers: [] } },
      shows: ['metadata', 'name'],
    }),
    get('gone then', `${maps}/held`),
    patch('a finalizer twice', `${maps}/kept`, {
      type: 'merge',
      body: { metadata: { finalizers: ['x.y/z', 'x.y/z'] } },
      shows: ['metadata', 'finalizers'],
    }),
    first(patch('no finalizers', `${maps}/kept`, { type: 'merge', body: { metadata: { finalizers: null } } })),
    del('the namespace default', '/api/v1/namespaces/default'),
    del('the namespace kube-system', '/api/v1/namespaces/kube-system'),
    del('the namespace kube-public', '/api/v1/namespaces/kube-public'),
    del('all namespaces', '/api/v1/namespaces'),
    post('into a missing namespace', '/api/v1/namespaces/nowhere/configmaps', map('a')),
    post('a namespaced kind without a namespace', '/api/v1/configmaps', map('a')),
    post('a namespace of another name in the body', maps, map('a', { namespace: 'default' })),
    first(
      post('a namespace that ends', '/api/v1/namespaces', { metadata: { name: 'bad-ending', finalizers: ['x.y/z'] } }),
    ),
    first(del('the end', '/api/v1/namespaces/bad-ending')),
    post('into a terminating namespace', '/api/v1/namespaces/bad-ending/configmaps', map('a')),
    post('a namespace while it terminates', '/api/v1/namespaces', { metadata: { name: 'bad-ending' } }),
    put('a namespace finalized under another name', '/api/v1/namespaces/bad-ending/finalize', {
      metadata: { name: 'default' },
      spec: {},
    }),
    post(
      'status on create',
      pods,
      {
        metadata: { name: 'spoof' },
        spec: { schedulerName: 'nobody', containers: [{ name: 'c', image: 'i' }] },
        status: { phase: 'Succeeded', podIP: '10.0.0.1' },
      },
      { shows: ['status', 'phase'] },
    ),
    patch('status through the object', `${pods}/spoof`, {
      type: 'merge',
      body: { status: { phase: 'Running' } },
      shows: ['status', 'phase'],
    }),
    patch('the spec through status', `${pods}/spoof/status`, {
      type: 'merge',
      body: { spec: { nodeName: 'stolen' } },
      shows: ['spec', 'nodeName'],
    }),
    patch('a spec field that may not change', `${pods}/spoof`, {
      type: 'merge',
      body: { spec: { nodeName: 'stolen' } },
    }),
    patch('labels through status', `${pods}/spoof/status`, {
      type: 'merge',
      body: { metadata: { labels: { a: 'b' } } },
      shows: ['metadata', 'labels'],
    }),
    get('a missing status', `${tools}/kept/status`),
    patch('a missing scale', `${tools}/kept/scale`, { type: 'merge', body: { spec: { replicas: 1 } } }),
    post('a binding to nowhere', `${pods}/nobody/binding`, {
      target: { kind: 'Node', name: 'n' },
      metadata: { name: 'nobody' },
    }),
    post('a binding to a Pod', `${pods}/spoof/binding`, {
      target: { kind: 'Pod', name: 'n' },
      metadata: { name: 'spoof' },
    }),
    post('a dry run of maybe', `${maps}?dryRun=maybe`, map('a')),
    post('a manager of 129 characters', `${maps}?fieldManager=${'x'.repeat(129)}`, map('a')),
    post('a manager with a bell', `${maps}?fieldManager=%07`, map('a')),
    post('an account of another namespace', pods, {
      metadata: { name: 'a' },
      spec: { serviceAccountName: 'nobody', containers: [{ name: 'c', image: 'i' }] },
    }),
  ],
};
