import { del, first, get, namespaceSteps, post } from './steps.mjs';

const namespace = 'bad-transport';
const maps = `/api/v1/namespaces/${namespace}/configmaps`;
const map = { metadata: { name: 'a' } };

/** Paths, methods, headers and content types (rows 5, 12–16 and 37–38). */
export const transport = {
  namespace,
  cases: [
    ...namespaceSteps(namespace),
    get('a path with a bad escape', '/api/v1/namespaces/%zz'),
    get('a path with a NUL', '/api/v1/namespaces/%00'),
    get('a path that climbs, escaped', '/api/v1/namespaces/%2e%2e%2f%2e%2e%2fetc%2fpasswd'),
    get('a path that climbs', '/api/v1/namespaces/../../../etc/passwd'),
    get('two slashes', '//'),
    get('two slashes within', '/api//v1/namespaces'),
    get('a path of 10 kB', `/${'x'.repeat(10_000)}`),
    get('a name of 10 kB', `${maps}/${'x'.repeat(10_000)}`),
    get('a name that is __proto__', `${maps}/__proto__`),
    get('a resource that is __proto__', `/api/v1/namespaces/${namespace}/__proto__`),
    get('a resource that is constructor', '/api/v1/constructor'),
    get('a group that is __proto__', '/apis/__proto__/v1/things'),
    get('an unknown group', '/apis/nobody.example.com/v1/things'),
    get('an unknown version', '/apis/apps/v99/deployments'),
    get('an unknown resource', '/api/v1/nothings'),
    get('an unknown subresource', `${maps}/a/nothing`),
    get('too many segments', `${maps}/a/b/c/d/e`),
    post('a POST on an object', `${maps}/a`, map),
    { name: 'a PUT on a collection', method: 'PUT', path: maps, body: map },
    { name: 'a PATCH on a collection', method: 'PATCH', path: maps, body: map },
    { name: 'TRACE', method: 'TRACE', path: maps },
    { name: 'OPTIONS', method: 'OPTIONS', path: maps },
    { name: 'OPTIONS from another origin', method: 'OPTIONS', path: maps, headers: { origin: 'https://evil.example' } },
    { name: 'PURGE', method: 'PURGE', path: maps },
    get('an answer as an image', maps, { headers: { accept: 'image/png' } }),
    get('an Accept of nonsense', maps, { headers: { accept: ';;;q=,,/' } }),
    get('an Accept of 1,000 types', maps, { headers: { accept: 'a/b,'.repeat(1000) } }),
    get('an Accept with a wrong weight', maps, { headers: { accept: 'application/json;q=7' } }),
    get('an unknown view', maps, { headers: { accept: 'application/json;as=Nothing;v=v1;g=meta.k8s.io' } }),
    post('no content type', maps, '{"metadata":{"name":"no-type"}}', { headers: { 'content-type': undefined } }),
    post('plain text', maps, map, { headers: { 'content-type': 'text/plain' } }),
    post('a form', maps, 'a=b', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    post('a content type of nonsense', maps, map, { headers: { 'content-type': ';;=' } }),
    post(
      'a content type with a charset',
      maps,
      { metadata: { name: 'charset' } },
      { headers: { 'content-type': 'application/json; charset=latin1' } },
    ),
    post('invalid protobuf', maps, 'no protobuf', {
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
    }),
    post('protobuf of an unknown type', maps, Buffer.from('6b38730032', 'hex'), {
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
    }),
    post('CBOR', maps, Buffer.from('d9d9f7a0', 'hex'), { headers: { 'content-type': 'application/cbor' } }),
    post('a gzip body', maps, Buffer.from('1f8b08', 'hex'), { headers: { 'content-encoding': 'gzip' } }),
    post(
      'an unknown content encoding',
      maps,
      { metadata: { name: 'encoded' } },
      { headers: { 'content-encoding': 'br' } },
    ),
    post('a body of 4 MB', maps, { metadata: { name: 'big' }, data: { a: 'x'.repeat(4_000_000) } }),
    post('a body of 3 MiB and one byte', maps, Buffer.alloc(3 * 1024 * 1024 + 1, 0x20)),
    post(
      'a body of 4 MB in chunks',
      maps,
      { metadata: { name: 'big' }, data: { a: 'x'.repeat(4_000_000) } },
      { headers: { 'transfer-encoding': 'chunked' } },
    ),
    first(post('an object', maps, { metadata: { name: 'kept' } })),
    del('a deletion with a body of 4 MB', `${maps}/kept`, 'x'.repeat(4_000_000)),
    {
      name: 'a patch of 4 MB',
      method: 'PATCH',
      path: `${maps}/kept`,
      body: ' '.repeat(4_000_000),
      headers: { 'content-type': 'application/merge-patch+json' },
    },
    post('an object that is too large to keep', maps, {
      metadata: { name: 'large' },
      data: { a: 'x'.repeat(1_200_000) },
    }),
  ],
};
