import { definitionSteps, first, get, namespaceSteps, patch, post } from './steps.mjs';

const namespace = 'bad-decoding';
const maps = `/api/v1/namespaces/${namespace}/configmaps`;
const gadgets = `/apis/bad.example.com/v1/namespaces/${namespace}/gadgets`;
const pods = `/api/v1/namespaces/${namespace}/pods`;
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const map = (name, rest = {}) => ({ metadata: { name }, ...rest });
const gadget = (name, spec) =>
  `{"apiVersion":"bad.example.com/v1","kind":"Gadget","metadata":{"name":"${name}"},"spec":${spec}}`;
const yaml = { headers: { 'content-type': 'application/yaml' } };
const nested = (levels) => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', format: 'int64' },
        small: { type: 'integer', format: 'int32' },
        ratio: { type: 'number' },
        color: { type: 'string' },
        when: { type: 'string', format: 'date-time' },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        tags: { type: 'object', additionalProperties: { type: 'string' } },
        list: { type: 'array', items: { type: 'string' } },
      },
    },
  },
};

/** Bodies that are not objects, or objects of another type than expected (rows 21–36). */
export const decoding = {
  namespace,
  cases: [
    ...namespaceSteps(namespace),
    ...definitionSteps('gadgets', schema),
    first(post('an object', maps, map('kept', { data: { a: 'b' } }))),
    post('an empty body', maps, ''),
    post('white space', maps, '  \n'),
    post('truncated JSON', maps, '{"metadata":{"name":"a"'),
    post('something after the object', maps, '{"metadata":{"name":"a"}} x'),
    post('two objects', maps, '{"metadata":{"name":"a"}}{"metadata":{"name":"b"}}'),
    post('a byte order mark', maps, '\ufeff{"metadata":{"name":"a"}}'),
    post('NaN', maps, '{"metadata":{"name":"a","generation":NaN}}'),
    post('single quotes', maps, "{'metadata':{}}"),
    post('a trailing comma', maps, '{"metadata":{"name":"a",}}'),
    post('a comment', maps, '{"metadata":{"name":"a"}/* */}'),
    post('null', maps, 'null'),
    post('a number', maps, '5'),
    post('a string', maps, '"x"'),
    post('an array', maps, '[]'),
    post('100,000 nested arrays', maps, `{"metadata":{"name":"a"},"x":${nested(100_000)}}`),
    post('100,000 nested objects', maps, `{"metadata":{"name":"a"},"x":${objects(100_000)}}`),
    post('100,000 open brackets', maps, '['.repeat(100_000)),
    patch('a merge patch of 100,000 levels', `${maps}/kept`, { type: 'merge', body: `{"x":${objects(100_000)}}` }),
    patch('a JSON patch with a value of 100,000 levels', `${maps}/kept`, {
      type: 'json',
      body: `[{"op":"add","path":"/x","value":${nested(100_000)}}]`,
    }),
    patch('a strategic patch of 100,000 levels', `${maps}/kept`, {
      type: 'strategic',
      body: `{"x":${objects(100_000)}}`,
    }),
    patch('an apply of 100,000 levels', `${maps}/kept?fieldManager=x`, {
      type: 'apply',
      body: `{"x":${objects(100_000)}}`,
    }),
    post('a custom resource of 100,000 levels', gadgets, gadget('deep', `{"any":{"x":${nested(100_000)}}}`)),
    post('a custom resource of 2,000 levels', gadgets, gadget('deep', `{"any":{"x":${nested(2_000)}}}`)),
    post('an unknown field, strict', `${maps}?fieldValidation=Strict`, map('a', { bogus: 1 })),
    post('an unknown field, warned about', `${maps}?fieldValidation=Warn`, map('warned', { bogus: 1 }), {
      shows: ['bogus'],
    }),
    post('an unknown field, ignored', `${maps}?fieldValidation=Ignore`, map('ignored', { bogus: 1 }), {
      shows: ['bogus'],
    }),
    post('an unknown field, default validation', maps, map('nothing-said', { bogus: 1 }), { shows: ['bogus'] }),
    post('an unknown field validation', `${maps}?fieldValidation=Loose`, map('a')),
    post(
      '100 unknown fields, strict',
      `${maps}?fieldValidation=Strict`,
      map('a', Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`bogus${i}`, i]))),
    ),
    post(
      'a duplicate key, strict',
      `${maps}?fieldValidation=Strict`,
      '{"metadata":{"name":"a"},"data":{"a":"b","a":"c"}}',
    ),
    post(
      'a duplicate key, warned about',
      `${maps}?fieldValidation=Warn`,
      '{"metadata":{"name":"twice"},"data":{"a":"b","a":"c"}}',
      { shows: ['data'] },
    ),
    post(
      'a duplicate key, ignored',
      `${maps}?fieldValidation=Ignore`,
      '{"metadata":{"name":"twice-ignored"},"data":{"a":"b","a":"c"}}',
      { shows: ['data'] },
    ),
    post(
      'a duplicate key of a custom resource, strict',
      `${gadgets}?fieldValidation=Strict`,
      gadget('a', '{"size":1,"size":2}'),
    ),
    post('a duplicate key of a custom resource', gadgets, gadget('twice', '{"size":1,"size":2}'), { shows: ['spec'] }),
    post(
      'an unknown field of a custom resource, strict',
      `${gadgets}?fieldValidation=Strict`,
      gadget('a', '{"bogus":1}'),
    ),
    post('an unknown field of a custom resource', gadgets, gadget('bogus', '{"bogus":1}'), { shows: ['spec'] }),
    post(
      'an unknown field of metadata, strict',
      `${gadgets}?fieldValidation=Strict`,
      '{"apiVersion":"bad.example.com/v1","kind":"Gadget","metadata":{"name":"a","bogus":1}}',
    ),
    ...[
      ['an array for metadata', '[]'],
      ['a string for metadata', '"x"'],
      ['null for metadata', 'null'],
      ['a number for a name', '{"name":5}'],
      ['a number for a label', '{"name":"m1","labels":{"a":1}}'],
      ['an array for labels', '{"name":"m2","labels":[]}'],
      ['a string for finalizers', '{"name":"m3","finalizers":"x"}'],
      ["a number for an owner's uid", '{"name":"m4","ownerReferences":[{"uid":5}]}'],
      ['a wrong time in metadata', '{"name":"m5","creationTimestamp":"x"}'],
      ['an upper-case field of metadata', '{"name":"m6","Labels":{"a":"b"}}'],
      ['an unknown field of an owner', '{"name":"m7","ownerReferences":[{"bogus":5}]}'],
    ].map(([name, metadata]) =>
      post(
        `${name}, custom resource`,
        `${gadgets}?fieldValidation=Strict`,
        `{"apiVersion":"bad.example.com/v1","kind":"Gadget","metadata":${metadata}}`,
      ),
    ),
    post('a custom resource without a version', gadgets, { kind: 'Gadget', metadata: { name: 'a' } }),
    post('a string for an integer', deployments, { metadata: { name: 'a' }, spec: { replicas: 'three' } }),
    post('a fraction for an integer', deployments, { metadata: { name: 'a' }, spec: { replicas: 1.5 } }),
    post('an integer beyond 32 bits', deployments, { metadata: { name: 'a' }, spec: { replicas: 3_000_000_000 } }),
    post('a number for a string', maps, map('a', { data: { a: 1 } })),
    post('an object for a string', maps, map('a', { data: { a: {} } })),
    post('an array for an object', maps, '{"metadata":[]}'),
    post('a string for an object', maps, '{"metadata":"a"}'),
    post('an object for an array', pods, { metadata: { name: 'a' }, spec: { containers: {} } }),
    post('a boolean for an integer', pods, {
      metadata: { name: 'a' },
      spec: { terminationGracePeriodSeconds: true, containers: [] },
    }),
    post('a wrong time', maps, { metadata: { name: 'a', creationTimestamp: 'yesterday' } }),
    post('a wrong quantity', pods, {
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: 'lots' } } }] },
    }),
    post('invalid base64', `/api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name: 'a' },
      data: { a: '*' },
    }),
    post('2^53 + 1 in an integer of a custom resource', gadgets, gadget('exact', '{"size":9007199254740993}'), {
      shows: ['spec', 'size'],
    }),
    post(
      '2^53 + 1 in an integer of a built-in kind',
      pods,
      '{"metadata":{"name":"a"},"spec":{"activeDeadlineSeconds":9007199254740993,"containers":[{"name":"c","image":"i"}]}}',
    ),
    post('2^63', gadgets, gadget('a', '{"size":9223372036854775808}')),
    post('a number of 400 digits', gadgets, gadget('a', `{"size":${'9'.repeat(400)}}`)),
    post('2^31 in an int32', gadgets, gadget('a', '{"small":2147483648}')),
    post('1e400', gadgets, gadget('a', '{"ratio":1e400}')),
    post('-0', gadgets, gadget('minus-zero', '{"size":-0}')),
    post('1.0 in an integer', gadgets, gadget('one', '{"size":1.0}'), { shows: ['spec', 'size'] }),
    post('1e3 in an integer', gadgets, gadget('thousand', '{"size":1e3}'), { shows: ['spec', 'size'] }),
    post('01', gadgets, gadget('a', '{"size":01}')),
    post('a wrong type in a custom resource', gadgets, gadget('a', '{"size":"three","color":5,"list":"x","tags":[]}')),
    post('a null for a value', gadgets, gadget('nulls', '{"size":null,"color":null}'), { shows: ['spec'] }),
    post('a null in a list', gadgets, gadget('a', '{"list":[null]}')),
    post('a null in a map', gadgets, gadget('null-tag', '{"tags":{"a":null}}'), { shows: ['spec'] }),
    post('a null in a map of a built-in kind', maps, map('null-datum', { data: { a: null } }), { shows: ['data'] }),
    post(
      'bytes that are not UTF-8',
      maps,
      Buffer.from('{"metadata":{"name":"utf8"},"data":{"a":"\xff\xfe"}}', 'latin1'),
    ),
    post('bytes that are not UTF-8 in a key', maps, Buffer.from('{"metadata":{"name":"utf8-key"},"\xff":1}', 'latin1')),
    post('half a surrogate pair', maps, '{"metadata":{"name":"surrogate"},"data":{"a":"\\ud800"}}', {
      shows: ['data'],
    }),
    post('half a surrogate pair in a custom resource', gadgets, gadget('surrogate', '{"color":"\\udfff x"}'), {
      shows: ['spec'],
    }),
    post('U+2028', maps, '{"metadata":{"name":"line"},"data":{"a":"x\\u2028y\u2029z"}}', { shows: ['data'] }),
    get('U+2028, read again', `${maps}/line`, { shows: ['data'] }),
    post('a NUL in a value', maps, '{"metadata":{"name":"nul"},"data":{"a":"\\u0000"}}', { shows: ['data'] }),
    post('a raw control character', maps, '{"metadata":{"name":"control"},"data":{"a":"\u0001"}}'),
    post('a wrong escape', maps, '{"metadata":{"name":"a"},"data":{"a":"\\x41"}}'),
    post(
      '100,000 keys',
      maps,
      map('many', { data: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, ''])) }),
    ),
    post(
      '100,000 unknown keys',
      maps,
      map('many-unknown', Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, 1]))),
      { warns: false },
    ),
    post('another kind', maps, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }),
    post('another version', maps, { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } }),
    post('a kind without a version', maps, { kind: 'ConfigMap', metadata: { name: 'only-kind' } }),
    post('a kind that is not a string', maps, { apiVersion: 'v1', kind: 5, metadata: { name: 'a' } }),
    post('a version that is an object', maps, { apiVersion: {}, kind: 'ConfigMap', metadata: { name: 'a' } }),
    post('a custom resource without a kind', gadgets, { metadata: { name: 'a' } }),
    post('another custom kind', gadgets, { apiVersion: 'bad.example.com/v1', kind: 'Widget', metadata: { name: 'a' } }),
    post('another version of a custom kind', gadgets, {
      apiVersion: 'bad.example.com/v9',
      kind: 'Gadget',
      metadata: { name: 'a' },
    }),
    post('YAML', maps, 'metadata:\n  name: from-yaml\ndata:\n  a: "1"\n', { ...yaml, shows: ['data'] }),
    post('YAML 1.1 words', maps, 'metadata:\n  name: from-yaml11\ndata:\n  a: yes\n', yaml),
    post('YAML with tabs', maps, 'metadata:\n\tname: a\n', yaml),
    post(
      'YAML with a duplicate key',
      `${maps}?fieldValidation=Strict`,
      'metadata:\n  name: a\ndata:\n  a: "1"\n  a: "2"\n',
      yaml,
    ),
    post('an alias bomb', maps, bomb(), yaml),
    post('a YAML alias of itself', maps, 'metadata: &a\n  name: x\n  labels: *a\n', yaml),
    post('YAML with a tag', maps, 'metadata:\n  name: !!js/function "function () {}"\n', yaml),
    post('YAML with an unknown anchor', maps, 'metadata: *nobody\n', yaml),
    post('YAML of 3,000 levels', maps, `metadata: {name: a}\nx: ${nested(3000)}\n`, yaml),
    post('YAML of two documents', maps, 'metadata: {name: first-document}\n---\nmetadata: {name: b}\n', yaml),
    post('YAML that is a word', maps, 'hello', yaml),
    post('YAML of nothing', maps, '# nothing\n', yaml),
    post('YAML with __proto__', maps, 'metadata:\n  name: proto-yaml\n__proto__:\n  polluted: "yes"\n', yaml),
    post('YAML in UTF-16', maps, Buffer.from('\ufeffmetadata:\n  name: utf16\n', 'utf16le'), yaml),
  ],
};

function bomb() {
  const lines = ['metadata: {name: a}', 'a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
  for (let i = 1; i < 12; i++)
    lines.push(
      `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(',')}]`,
    );
  return `${lines.join('\n')}\n`;
}
