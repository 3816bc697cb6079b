/** Requests for objects that a webhook converts between versions, for the recorder and the replay. */
const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const NAME = 'gadgets.conv.example.com';
const at = (version) => `/apis/conv.example.com/${version}/namespaces/conv-rec/gadgets`;
const merge = { type: 'merge' };
const json = { type: 'json' };
const apply = { type: 'apply' };
const table = { headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } };

const object = (properties) => ({ type: 'object', properties });
const STRING = { type: 'string' };
const INTEGER = { type: 'integer' };
const common = { replicas: INTEGER, color: { type: 'string', default: 'red' }, list: { type: 'array', items: STRING } };
const status = object({ message: STRING, replicas: INTEGER });
const subresources = { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } };
const versions = [
  { name: 'v1', served: true, storage: true, subresources, schema: { openAPIV3Schema: object({ spec: object({ ...common, hostPort: STRING }), status }) }, additionalPrinterColumns: [{ name: 'HostPort', type: 'string', jsonPath: '.spec.hostPort' }] },
  { name: 'v2', served: true, storage: false, subresources, schema: { openAPIV3Schema: object({ spec: object({ ...common, host: STRING, port: { type: 'integer', maximum: 70000 }, later: { type: 'string', default: 'l' } }), status }) }, additionalPrinterColumns: [{ name: 'Host', type: 'string', jsonPath: '.spec.host' }], selectableFields: [{ jsonPath: '.spec.host' }] },
];
const through = (path, more = {}) => ({ strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: `{url}/${path}`, caBundle: '{ca}' }, ...more } });
const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: NAME }, spec: { group: 'conv.example.com', scope: 'Namespaced', names: { plural: 'gadgets', kind: 'Gadget' }, versions, conversion: through('convert') } };
const convertBy = (conversion) => ['PATCH', `${CRD}/${NAME}`, { spec: { conversion } }, merge];
const service = (name) => ({ strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: null, service: { namespace: 'conv-rec', name, path: '/convert', port: 443 }, caBundle: '{ca}' } } });
const gadget = (version, name, spec, more = {}) => ({ apiVersion: `conv.example.com/${version}`, kind: 'Gadget', metadata: { name, ...more }, spec });
const bad = ['fail-message', 'fail-silent', 'no-result', 'wrong-uid', 'no-response', 'no-type', 'wrong-version', 'none-converted', 'one-too-many', 'unconverted', 'other-kind', 'other-name', 'other-namespace', 'other-uid', 'no-metadata', 'text-metadata', 'bad-labels', 'number-labels', 'other-metadata', 'unknown-fields', 'nulls', 'http-500', 'not-json', 'cut'];

export const steps = [
  ['POST', '/api/v1/namespaces', { metadata: { name: 'conv-rec' } }],
  ['POST', CRD, crd],
  // reading and writing in every version
  ['POST', at('v1'), gadget('v1', 'a', { hostPort: 'one:1', replicas: 1 }, { labels: { app: 'a' } })],
  ['GET', `${at('v1')}/a`],
  ['GET', `${at('v2')}/a`],
  ['POST', at('v2'), gadget('v2', 'b', { host: 'two', port: 2 })],
  ['GET', `${at('v1')}/b`],
  ['GET', `${at('v2')}/b`],
  ['GET', at('v1')],
  ['GET', at('v2')],
  ['GET', `${at('v2')}?fieldSelector=spec.host%3Dtwo`],
  ['GET', `${at('v2')}?labelSelector=app%3Da`],
  ['GET', at('v2'), undefined, table],
  ['PUT', `${at('v2')}/b`, { $merge: { spec: { port: 22 } } }],
  ['PUT', `${at('v1')}/b`, { $merge: { spec: { hostPort: 'two:222' } } }],
  ['PATCH', `${at('v2')}/a?fieldManager=patcher`, { spec: { host: 'uno' } }, merge],
  ['PATCH', `${at('v2')}/a`, [{ op: 'test', path: '/spec/host', value: 'uno' }, { op: 'replace', path: '/spec/port', value: 11 }], json],
  ['PATCH', `${at('v2')}/a`, { spec: { port: 80000 } }, merge],
  ['PATCH', `${at('v2')}/a/status`, { status: { message: 'hello' } }, merge],
  ['PATCH', `${at('v2')}/a/scale`, { spec: { replicas: 5 } }, merge],
  ['GET', `${at('v1')}/a`],
  ['POST', `${at('v2')}?dryRun=All`, gadget('v2', 'dry', { host: 'dry', port: 1 })],
  ['POST', at('v2'), gadget('v2', 'b', { host: 'again' })],
  // apply, with owners in several versions
  ['PATCH', `${at('v2')}/c?fieldManager=one`, gadget('v2', 'c', { host: 'h', port: 1, replicas: 1 }), apply],
  ['PATCH', `${at('v1')}/c?fieldManager=two`, gadget('v1', 'c', { hostPort: 'g:1' }), apply],
  ['PATCH', `${at('v1')}/c?fieldManager=two&force=true`, gadget('v1', 'c', { hostPort: 'g:1' }), apply],
  ['PATCH', `${at('v2')}/c?fieldManager=one`, gadget('v2', 'c', { replicas: 1 }), apply],
  ['PATCH', `${at('v1')}/c?fieldManager=one`, gadget('v1', 'c', { color: 'blue' }), apply],
  ['PATCH', `${at('v1')}/c?fieldManager=three`, { spec: { replicas: 7 } }, merge],
  ['PATCH', `${at('v2')}/c?fieldManager=three`, { spec: { host: 'k' } }, merge],
  ['GET', `${at('v1')}/c`],
  // watches
  ['GET', `${at('v2')}?watch=true&timeoutSeconds=1&resourceVersion=0`],
  ['GET', `${at('v2')}?watch=true&timeoutSeconds=1&resourceVersion=0&fieldSelector=spec.host%3Dtwo`],
  // deletion
  ['PATCH', `${at('v2')}/b`, { metadata: { finalizers: ['example.com/keep'] } }, merge],
  ['DELETE', `${at('v2')}/b`],
  ['PATCH', `${at('v1')}/b`, { metadata: { finalizers: null } }, merge],
  ['GET', `${at('v2')}/b`],
  // invalid responses
  ...bad.flatMap((path) => [convertBy(through(path)), ['GET', `${at('v2')}/a`]]),
  convertBy(through('fail-message')),
  ['POST', at('v2'), gadget('v2', 'n', { host: 'x' })],
  ['PATCH', `${at('v2')}/a`, { spec: { port: 1 } }, merge],
  ['PATCH', `${at('v2')}/n?fieldManager=one`, gadget('v2', 'n', { port: 1 }), apply],
  ['DELETE', `${at('v2')}/a`],
  ['GET', `${at('v1')}/a`],
  convertBy(through('bad-type')),
  ['GET', `${at('v2')}/a`],
  ['PATCH', `${at('v2')}/a`, { metadata: { labels: { x: 'y' } } }, merge],
  // ways to reach the webhook
  convertBy(through('convert', { conversionReviewVersions: ['v2', 'v1beta1'] })),
  ['GET', `${at('v2')}/a`],
  convertBy(through('convert', { conversionReviewVersions: ['v1'], clientConfig: { url: '{url}/convert', caBundle: '{otherCa}' } })),
  ['GET', `${at('v2')}/a`],
  convertBy(through('convert', { clientConfig: { url: 'https://127.0.0.1:1/none', caBundle: '{ca}' } })),
  ['GET', `${at('v2')}/a`],
  convertBy(service('nobody')),
  ['GET', `${at('v2')}/a`],
  ['PATCH', `${CRD}/${NAME}`, { spec: { conversion: { webhook: { clientConfig: { service: null, url: '{url}/convert' } } } } }, merge],
  ['GET', `${at('v2')}/a`],
  // another storage version: stored objects stay unchanged until they are written
  ['PATCH', `${CRD}/${NAME}`, [{ op: 'replace', path: '/spec/versions/0/storage', value: false }, { op: 'replace', path: '/spec/versions/1/storage', value: true }], json],
  ['GET', `${at('v1')}/a`],
  ['GET', `${at('v2')}/a`],
  ['POST', at('v1'), gadget('v1', 'e', { hostPort: 'e:5' })],
  ['GET', `${at('v2')}/e`],
  ['GET', at('v1')],
  ['PATCH', `${at('v1')}/a`, { metadata: { labels: { moved: 'yes' } } }, merge],
  ['GET', `${at('v2')}/a`],
  // without a webhook
  convertBy({ strategy: 'None', webhook: null }),
  ['GET', `${at('v1')}/e`],
  ['GET', `${at('v2')}/e`],
  ['DELETE', `${at('v1')}/e`],
];
