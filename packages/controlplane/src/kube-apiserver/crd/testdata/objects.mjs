/** Requests for custom objects: schemas, rules, subresources, tables, selectors, apply, versions, deletion. */
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROUP = 'obj.example.com';
const V1 = `/apis/${GROUP}/v1/namespaces/default`;
const V2 = `/apis/${GROUP}/v2/namespaces/default`;
const STRING = { type: 'string' };
const INTEGER = { type: 'integer' };
const merge = { type: 'merge' };
const json = { type: 'json' };
const apply = { type: 'apply' };
const table = { headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } };

const object = (properties, more = {}) => ({ type: 'object', properties, ...more });
const rules = (...list) => ({ 'x-kubernetes-validations': list });

const definition = (plural, kind, versions, more = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${GROUP}` },
  spec: { group: GROUP, scope: 'Namespaced', names: { plural, kind }, versions, ...more },
});

const shipSchema = (spec = {}) =>
  object({
    spec: object({
      size: { ...INTEGER, minimum: 0, maximum: 10, default: 3 },
      color: { type: 'string', enum: ['red', 'green', 'blue'] },
      label: { type: 'string', nullable: true },
      plain: { type: 'string', default: 'p' },
      port: { 'x-kubernetes-int-or-string': true },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: STRING } },
      template: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      tags: { type: 'array', items: STRING, 'x-kubernetes-list-type': 'set' },
      parts: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: object({ name: STRING, count: { ...INTEGER, default: 1 } }, { required: ['name'] }),
      },
      atoms: { type: 'array', items: object({ a: STRING }) },
      words: { type: 'object', additionalProperties: STRING },
      when: { type: 'string', format: 'date-time' },
      name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5, minLength: 2 },
      ratio: { type: 'number', exclusiveMinimum: true, minimum: 0 },
      step: { ...INTEGER, multipleOf: 5 },
      either: object({ a: STRING, b: STRING }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
      few: { type: 'array', items: INTEGER, maxItems: 2 },
      on: { type: 'boolean' },
      ...spec,
    }, { required: ['color'] }),
    status: object({ ready: INTEGER, selector: STRING, phase: STRING, since: { type: 'string', format: 'date-time' } }),
  });

const columns = [
  { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
  { name: 'Color', type: 'string', jsonPath: '.spec.color', description: 'its color' },
  { name: 'On', type: 'boolean', jsonPath: '.spec.on' },
  { name: 'Ratio', type: 'number', jsonPath: '.spec.ratio' },
  { name: 'Since', type: 'date', jsonPath: '.status.since' },
  { name: 'Tags', type: 'string', jsonPath: '.spec.tags', priority: 1 },
  { name: 'Parts', type: 'string', jsonPath: '.spec.parts[*].name' },
  { name: 'Two', type: 'integer', jsonPath: ".spec.parts[?(@.name=='two')].count" },
  { name: 'Wrong', type: 'integer', jsonPath: '.spec.color' },
  { name: 'Words', type: 'string', jsonPath: '.spec.words' },
  { name: 'AsDate', type: 'date', jsonPath: '.spec.color' },
  { name: 'Text', type: 'string', jsonPath: '.spec.size' },
];

const ships = definition('ships', 'Ship', [
  {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: shipSchema() },
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.ready', labelSelectorPath: '.status.selector' },
    },
    additionalPrinterColumns: columns,
    selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }, { jsonPath: '.spec.on' }],
  },
]);

const ship = (name, spec = {}, more = {}) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Ship',
  metadata: { name },
  spec: { color: 'red', ...spec },
  ...more,
});
const S = `${V1}/ships`;
const dry = `${S}?dryRun=All`;

const creation = [
  ['POST', CRDS, ships],
  ['POST', S, ship('a', {}, { status: { ready: 1 } }), { remember: 'a' }],
  ['POST', `${S}?fieldValidation=Strict`, ship('b', { bogus: 1, free: { deep: { x: 1 } } }, { other: 1 })],
  ['POST', S, ship('b', { bogus: 1, free: { deep: { x: 1 }, known: 'k' } }, { other: 1 })],
  ['POST', `${S}?fieldValidation=Ignore`, ship('b2', { bogus: 1 })],
  ['POST', S, ship('a')],
  ['POST', dry, ship('c', { color: undefined })],
  ['POST', dry, ship('c', { color: 'pink' })],
  ['POST', dry, ship('c', { size: '3' })],
  ['POST', dry, ship('c', { size: 11, step: 7, ratio: 0 })],
  ['POST', dry, ship('c', { size: 1.5 })],
  ['POST', dry, ship('c', { size: null, label: null, plain: null, name: null })],
  ['POST', dry, ship('c', { port: 80 })],
  ['POST', dry, ship('c', { port: 'http' })],
  ['POST', dry, ship('c', { port: true })],
  ['POST', dry, ship('c', { template: { a: 1 } })],
  ['POST', dry, ship('c', { template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', labels: { a: 1 }, bogus: 1 }, spec: {} } })],
  ['POST', dry, ship('c', { template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'Not Valid' } } })],
  ['POST', dry, ship('c', { template: { apiVersion: 'v1', kind: '', metadata: {} } })],
  ['POST', `${dry}&fieldValidation=Strict`, ship('c', { template: { apiVersion: 'v1', kind: 'Pod', metadata: { bogus: 1 } } })],
  ['POST', dry, ship('c', { tags: ['x', 'y', 'x'] })],
  ['POST', dry, ship('c', { parts: [{ name: 'one' }, { name: 'two', count: 5 }, { name: 'one', count: 2 }] })],
  ['POST', dry, ship('c', { parts: [{ count: 1 }] })],
  ['POST', dry, ship('c', { when: 'now', name: 'X' })],
  ['POST', dry, ship('c', { name: 'toolong' })],
  ['POST', dry, ship('c', { either: {} })],
  ['POST', dry, ship('c', { either: { a: '1', b: '2' } })],
  ['POST', dry, ship('c', { few: [1, 2, 3] })],
  ['POST', dry, ship('c', { words: { a: 1 } })],
  ['POST', dry, ship('c', { on: 'yes', atoms: {} })],
  ['POST', dry, { ...ship('c'), spec: undefined }],
  ['POST', dry, { ...ship('c'), spec: 'text' }],
  ['POST', dry, { ...ship('c'), kind: 'Boat' }],
  ['POST', dry, { ...ship('c'), apiVersion: 'obj.example.com/v7' }],
  ['POST', dry, { ...ship('c'), kind: undefined }],
  ['POST', dry, { spec: { color: 'red' }, metadata: { name: 'c' } }],
  ['POST', dry, ship('Not_Valid')],
  ['POST', dry, { ...ship('c'), metadata: {} }],
  ['POST', dry, { ...ship('c'), metadata: { name: 'c', labels: { 'a b': 'c' } } }],
  ['POST', dry, { ...ship('c'), metadata: { name: 'c', labels: { a: 1 } } }],
  ['POST', dry, { ...ship('c'), metadata: { name: 'c', namespace: 'other' } }],
  ['POST', S.replace('default', 'missing'), ship('c')],
  ['POST', dry, ship('c', {}, { status: { ready: 'many' } })],
];

const updates = [
  ['PUT', `${S}/a`, { $merge: { spec: { size: 4 }, status: { ready: 9 } } }],
  ['PUT', `${S}/a`, { $merge: { metadata: { labels: { x: 'y' } } } }],
  ['PUT', `${S}/a`, { $merge: {} }],
  ['PUT', `${S}/a`, ship('a')],
  ['PUT', `${S}/a`, { ...ship('a'), metadata: { name: 'a', resourceVersion: '1' } }],
  ['PUT', `${S}/a`, { $merge: { metadata: { uid: '00000000-0000-4000-8000-000000000000' } } }],
  ['PUT', `${S}/nothing`, { ...ship('nothing'), metadata: { name: 'nothing', resourceVersion: '{a.rv}' } }],
  ['PUT', `${S}/a`, { $merge: { metadata: { name: 'z' } } }],
  ['PUT', `${S}/a/status`, { $merge: { spec: { size: 9 }, metadata: { labels: { z: 'z' }, annotations: { q: 'r' } }, status: { ready: 2, selector: 'a=b', phase: 'up' } } }],
  ['GET', `${S}/a`],
  ['PUT', `${S}/a/status`, { ...ship('a'), status: { ready: 3 } }],
  ['PATCH', `${S}/a/status`, { spec: { size: 1 }, status: { phase: 'down', bogus: 1 } }, merge],
  ['PATCH', `${S}/a/status`, { status: { ready: 'x' } }, merge],
  ['PATCH', `${S}/a/status`, { status: null }, merge],
  ['PATCH', `${S}/a/status`, { status: { ready: 1, selector: 'a=b', since: '2020-01-01T00:00:00Z' } }, merge],
  ['PATCH', `${S}/a`, { status: { ready: 7 } }, merge],
  ['PATCH', `${S}/a`, { spec: { size: null, plain: null, color: 'blue', nothing: 1 } }, merge],
  ['PATCH', `${S}/a?fieldValidation=Strict`, { spec: { nothing: 1 } }, merge],
  ['PATCH', `${S}/a`, { spec: { color: null } }, merge],
  ['PATCH', `${S}/a`, [{ op: 'add', path: '/spec/tags', value: ['x'] }, { op: 'test', path: '/spec/color', value: 'blue' }], json],
  ['PATCH', `${S}/a`, [{ op: 'test', path: '/spec/color', value: 'red' }], json],
  ['PATCH', `${S}/a`, [{ op: 'remove', path: '/spec/none' }], json],
  ['PATCH', `${S}/a`, { spec: { size: 1 } }, { type: 'strategic' }],
  ['PATCH', `${S}/a`, { metadata: { annotations: { a: 'b' } } }, merge],
  ['PATCH', `${S}/a`, { metadata: { generation: 77, creationTimestamp: null } }, merge],
  ['GET', `${S}/a/status`],
  ['GET', `${S}/a/scale`],
  ['PUT', `${S}/a/scale`, { $merge: { spec: { replicas: 5 } } }],
  ['PATCH', `${S}/a/scale`, { spec: { replicas: 6 } }, merge],
  ['PATCH', `${S}/a/scale`, { spec: { replicas: 60 } }, merge],
  ['PATCH', `${S}/a/scale`, { spec: { replicas: -1 } }, merge],
  ['PATCH', `${S}/a/scale?fieldManager=scaler`, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 7 } }, apply],
  ['GET', `${S}/a`],
  ['PUT', `${S}/a/scale`, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'other' }, spec: { replicas: 5 } }],
  ['PUT', `${S}/a/scale`, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a', resourceVersion: '1' }, spec: { replicas: 5 } }],
  ['PUT', `${S}/a/scale`, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 8 } }],
  ['GET', `${S}/a/nothing`],
  ['POST', `${S}/a/status`, ship('a')],
  ['GET', `${S}/nothing/scale`],
];

const applying = [
  ['PATCH', `${S}/s?fieldManager=one`, ship('s', { size: 2, parts: [{ name: 'one' }], tags: ['x'] }, { status: { ready: 4 } }), apply],
  ['PATCH', `${S}/s?fieldManager=two`, ship('s', { color: 'green', parts: [{ name: 'two', count: 2 }], tags: ['y'] }), apply],
  ['PATCH', `${S}/s?fieldManager=two&force=true`, ship('s', { color: 'green', parts: [{ name: 'two', count: 2 }], tags: ['y'] }), apply],
  ['PATCH', `${S}/s?fieldManager=one`, ship('s', { color: 'green' }), apply],
  ['PATCH', `${S}/s/status?fieldManager=one`, ship('s', { size: 9 }, { metadata: { name: 's', labels: { l: 'm' } }, status: { ready: 1, phase: 'up' } }), apply],
  ['PATCH', `${S}/s/status?fieldManager=two`, ship('s', {}, { status: { ready: 2 } }), apply],
  ['PATCH', `${S}/s/status?fieldManager=one`, { apiVersion: `${GROUP}/v1`, kind: 'Ship', metadata: { name: 's' }, status: { phase: 'up' } }, apply],
  ['GET', `${S}/s`],
  ['PATCH', `${S}/none/status?fieldManager=one`, ship('none', {}, { status: { ready: 1 } }), apply],
  ['PATCH', `${S}/s?fieldManager=one`, ship('s', { bogus: 1, color: 'green' }), apply],
  ['PATCH', `${S}/s?fieldManager=one&fieldValidation=Strict`, ship('s', { bogus: 1, color: 'green' }), apply],
  ['PATCH', `${S}/s?fieldManager=one`, ship('s', { color: 'pink' }), apply],
  ['PATCH', `${S}/s?fieldManager=one&force=true`, ship('s', { color: 'pink' }), apply],
  ['PATCH', `${S}/s?fieldManager=one&force=true`, ship('s', { tags: ['x', 'x'] }), apply],
  ['PATCH', `${S}/s?fieldManager=one&force=true`, ship('s', { size: 'big' }), apply],
  ['PATCH', `${S}/s`, ship('s'), apply],
  ['PUT', `${S}/s?fieldManager=three`, { $merge: { spec: { size: 5, plain: 'q' }, status: { ready: 77 } } }],
];

const reading = [
  ['PATCH', `${S}/a`, { spec: { on: true, ratio: 0.5, tags: ['x', 'y'], parts: [{ name: 'one' }, { name: 'two', count: 4 }], words: { k: 'v' } } }, merge],
  ['GET', S, undefined, table],
  ['GET', `${S}/a?includeObject=None`, undefined, table],
  ['GET', `${S}?fieldSelector=spec.color%3Dblue`],
  ['GET', `${S}?fieldSelector=spec.color!%3Dblue,spec.size%3D3`],
  ['GET', `${S}?fieldSelector=spec.on%3Dtrue`],
  ['GET', `${S}?fieldSelector=spec.plain%3Dp`],
  ['GET', `${S}?fieldSelector=metadata.name%3Da`],
  ['GET', `${S}?labelSelector=x%3Dy`],
  ['GET', `${S}?limit=1`],
  ['PATCH', `${S}/b`, { spec: { color: 'green' } }, { ...merge, remember: 'mark' }],
  ['PATCH', `${S}/b`, { spec: { color: 'blue' } }, merge],
  ['PATCH', `${S}/b`, { spec: { size: 7 } }, merge],
  ['PATCH', `${S}/b`, { spec: { color: 'red' } }, merge],
  ['DELETE', `${S}/b2`],
  ['GET', `${S}?watch=true&timeoutSeconds=2&fieldSelector=spec.color%3Dblue&resourceVersion={mark.rv}`],
  ['GET', `${S}?watch=true&timeoutSeconds=2&fieldSelector=spec.color%3Dred`],
  ['GET', `${S}?watch=true&timeoutSeconds=2&fieldSelector=spec.plain%3Dp`],
  ['GET', `/apis/${GROUP}/v1/ships`],
  ['GET', `/apis/${GROUP}/v1/ships/a`],
  ['GET', `${S}/a`, undefined, { headers: { accept: 'application/vnd.kubernetes.protobuf' } }],
  ['GET', `${S}/a`, undefined, { headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' } }],
];

// Defaults added later, which apply on read; ratcheting; rules
const later = [
  ['PATCH', `${CRDS}/ships.${GROUP}`, [
    { op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/later', value: { type: 'string', default: 'added' } },
    { op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/plain', value: { type: 'string', maxLength: 0 } },
  ], json],
  ['GET', `${S}/a`],
  ['GET', `${S}?fieldSelector=metadata.name%3Da`],
  ['PATCH', `${S}/a`, { spec: { size: 1 } }, merge],
  ['PATCH', `${S}/a`, { spec: { plain: 'other' } }, merge],
  ['PATCH', `${S}/a`, { metadata: { labels: { again: 'yes' } } }, merge],
  ['PATCH', `${CRDS}/ships.${GROUP}`, [{ op: 'remove', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/words' }], json],
  ['GET', `${S}/a`],
  ['PATCH', `${S}/a`, { spec: { size: 2 } }, merge],
];

const rulesSchema = object({
  spec: object(
    {
      min: INTEGER,
      max: INTEGER,
      fixed: { type: 'string', maxLength: 30, ...rules({ rule: 'self == oldSelf', message: 'fixed is immutable' }) },
      once: { type: 'string', maxLength: 30, ...rules({ rule: '!oldSelf.hasValue() || self == oldSelf.value()', optionalOldSelf: true, message: 'set once' }) },
      up: { ...INTEGER, ...rules({ rule: 'self >= oldSelf', messageExpression: '"must not shrink" + (oldSelf > 3 ? " again" : " at all")' }) },
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: object({ name: { type: 'string', maxLength: 20 }, v: { ...INTEGER, ...rules({ rule: 'self >= oldSelf', reason: 'FieldValueForbidden' }) } }, { required: ['name'] }),
        maxItems: 10,
      },
      kind: { type: 'string', maxLength: 30, ...rules({ rule: "self != 'bad'" }) },
      'with-dash': { ...INTEGER },
      secret: { type: 'string', maxLength: 40 },
      names: { type: 'array', items: { type: 'string', maxLength: 10 }, maxItems: 5 },
      amount: { 'x-kubernetes-int-or-string': true, maxLength: 20 },
      at: { type: 'string', format: 'date-time' },
      ip: { type: 'string', maxLength: 40 },
    },
    rules(
          { rule: 'self.min <= self.max', message: 'min may not exceed max', fieldPath: '.min' },
          { rule: "!has(self.secret) || self.secret.startsWith('s-')", messageExpression: "'secret is ' + self.secret", reason: 'FieldValueRequired', fieldPath: '.secret' },
          { rule: '!has(self.with__dash__dash) || self.with__dash__dash > 1' },
          { rule: "!has(self.names) || self.names.all(n, n.matches('^[a-z]+$'))", message: 'lower case names' },
          { rule: "!has(self.amount) || quantity(string(self.amount)).isGreaterThan(quantity('1'))" },
          { rule: "!has(self.at) || self.at > timestamp('2020-01-01T00:00:00Z')" },
          { rule: "!has(self.ip) || ip(self.ip).family() == 4" },
    ),
  ),
});
const R = `${V1}/rulers`;
const ruler = (name, spec) => ({ apiVersion: `${GROUP}/v1`, kind: 'Ruler', metadata: { name }, spec: { min: 1, max: 2, ...spec } });
const dryR = `${R}?dryRun=All`;

const ruled = [
  ['POST', CRDS, definition('rulers', 'Ruler', [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: rulesSchema } }])],
  ['POST', R, ruler('a', { fixed: 'x', up: 3, list: [{ name: 'l', v: 3 }], status: 1 })],
  ['POST', dryR, ruler('b', { min: 3 })],
  ['POST', dryR, ruler('b', { min: 3, secret: 'x', kind: 'bad' })],
  ['POST', dryR, ruler('b', { min: 'x', kind: 'bad' })],
  ['POST', dryR, ruler('b', { min: 5, at: 'never' })],
  ['POST', dryR, { apiVersion: `${GROUP}/v1`, kind: 'Ruler', metadata: { name: 'b' }, spec: {} }],
  ['POST', dryR, ruler('b', { 'with-dash': 1 })],
  ['POST', dryR, ruler('b', { names: ['ok', 'No'] })],
  ['POST', dryR, ruler('b', { names: ['ok', 'waytoolongname'] })],
  ['POST', dryR, ruler('b', { amount: '500m' })],
  ['POST', dryR, ruler('b', { amount: 'lots' })],
  ['POST', dryR, ruler('b', { amount: 5, at: '2019-01-01T00:00:00Z' })],
  ['POST', dryR, ruler('b', { ip: '::1' })],
  ['PATCH', `${R}/a`, { spec: { fixed: 'y' } }, merge],
  ['PATCH', `${R}/a`, { spec: { up: 2 } }, merge],
  ['PATCH', `${R}/a`, { spec: { up: 4 } }, merge],
  ['PATCH', `${R}/a`, { spec: { list: [{ name: 'new', v: 1 }, { name: 'l', v: 2 }] } }, merge],
  ['PATCH', `${R}/a`, { spec: { list: [{ name: 'new', v: 1 }] } }, merge],
  ['PATCH', `${R}/a`, { spec: { once: 'a' } }, merge],
  ['PATCH', `${R}/a`, { spec: { once: 'b' } }, merge],
  ['PATCH', `${R}/a`, { spec: { fixed: null } }, merge],
  ['PATCH', `${R}/a`, { spec: { fixed: 'z' } }, merge],
  // a stored object that violates a rule added later
  ['PATCH', `${CRDS}/rulers.${GROUP}`, [
    { op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/fixed/x-kubernetes-validations/-', value: { rule: "self.startsWith('n')", message: 'begins with n' } },
    { op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations/-', value: { rule: 'self.max > 100', message: 'max over 100' } },
  ], json],
  ['PATCH', `${R}/a`, { metadata: { labels: { a: 'b' } } }, merge],
  ['PATCH', `${R}/a`, { spec: { up: 5 } }, merge],
  ['PATCH', `${R}/a`, { spec: { max: 101 } }, merge],
  ['GET', `${R}/a`],
];

// No status subresource; several versions with one storage version; cluster scope
const tree = (name, extra = {}) => ({ apiVersion: `${GROUP}/v1`, kind: 'Tree', metadata: { name }, ...extra });
const treeVersion = (name, properties, more = {}) => ({ name, served: true, storage: false, schema: { openAPIV3Schema: object(properties) }, ...more });
const T1 = `/apis/${GROUP}/v1/trees`;
const T2 = `/apis/${GROUP}/v2/trees`;
const treeSpec = { spec: object({ old: STRING, neu: STRING, both: STRING }), status: object({ x: INTEGER }) };

const versions = [
  ['POST', CRDS, definition('trees', 'Tree', [
    treeVersion('v1', treeSpec, { storage: true }),
    treeVersion('v2', { spec: object({ old: STRING, neu: { type: 'string', default: 'd' }, both: STRING }), status: object({ x: INTEGER }) }, { subresources: { status: {} } }),
  ], { scope: 'Cluster' })],
  ['POST', T1, tree('a', { spec: { old: 'o', both: 'b' }, status: { x: 1 } })],
  ['GET', `${T2}/a`],
  ['GET', T2],
  ['PATCH', `${T2}/a`, { spec: { neu: 'n', both: 'c' } }, merge],
  ['GET', `${T1}/a`],
  ['PATCH', `${T1}/a`, { status: { x: 5 } }, merge],
  ['PATCH', `${T2}/a`, { status: { x: 6 } }, merge],
  ['PATCH', `${T2}/a/status`, { status: { x: 6 } }, merge],
  ['PATCH', `${T1}/a/status`, { status: { x: 6 } }, merge],
  ['PATCH', `${T2}/t?fieldManager=m`, { ...tree('t', { spec: { both: 'x', neu: 'y' } }), apiVersion: `${GROUP}/v2` }, apply],
  ['PATCH', `${T1}/t?fieldManager=m`, tree('t', { spec: { both: 'z' } }), apply],
  ['GET', `/apis/${GROUP}/v1/namespaces/default/trees`],
  ['POST', `/apis/${GROUP}/v1/namespaces/default/trees`, tree('x')],
  ['GET', T1, undefined, table],
  ['GET', `/apis/${GROUP}/v1`],
  ['PATCH', `${CRDS}/trees.${GROUP}`, [
    { op: 'replace', path: '/spec/versions/0/storage', value: false },
    { op: 'replace', path: '/spec/versions/1/storage', value: true },
  ], json],
  ['GET', `${T1}/a`],
  ['PATCH', `${T1}/a`, { spec: { both: 'switch' } }, merge],
  ['GET', `${T2}/a`],
  ['DELETE', `${T1}/a`],
  ['DELETE', `${T1}/none`],
  ['DELETE', `${T2}?labelSelector=a%3Db`],
];

const removal = [
  ['PATCH', `${S}/a`, { metadata: { finalizers: ['example.com/keep'] } }, merge],
  ['DELETE', `${S}/a`],
  ['PATCH', `${S}/a`, { metadata: { finalizers: ['example.com/keep', 'example.com/more'] } }, merge],
  ['PATCH', `${S}/a`, { metadata: { finalizers: null } }, merge],
  ['GET', `${S}/a`],
  ['POST', S, { ...ship('w'), metadata: { name: 'w', finalizers: ['x'] } }],
  ['DELETE', `${S}/s?propagationPolicy=Foreground`],
  ['DELETE', `${S}/b`, { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: '00000000-0000-4000-8000-000000000000' } }],
  ['DELETE', `${S}/b`, { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Orphan' }],
  ['DELETE', `${CRDS}/rulers.${GROUP}`],
  ['GET', R],
  ['GET', `${R}/a`],
  ['POST', R, ruler('b')],
  ['PATCH', `${S}/w`, { metadata: { finalizers: [] } }, merge],
  ['DELETE', `${CRDS}/ships.${GROUP}`],
  ['DELETE', `${CRDS}/trees.${GROUP}`],
];

export const steps = [...creation, ...updates, ...applying, ...reading, ...later, ...ruled, ...versions, ...removal];
