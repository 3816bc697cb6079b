import { definitionSteps, first, get, namespaceSteps, post } from './steps.mjs';

const namespace = 'bad-reads';
const maps = `/api/v1/namespaces/${namespace}/configmaps`;
const pods = `/api/v1/namespaces/${namespace}/pods`;
const items = `/apis/bad.example.com/v1/namespaces/${namespace}/items`;
const token = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const list = (name, query, more = {}) => get(name, `${maps}?${query}`, more);
const encoded = encodeURIComponent;
const terms = (n, term) => encoded(Array.from({ length: n }, (_, i) => term(i)).join(','));
const names = { shows: ['kind'] };
const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** Lists and watches with invalid selectors, resource versions and continue tokens (rows 61–66). */
export const reads = {
  namespace,
  cases: [
    ...namespaceSteps(namespace),
    ...definitionSteps('items', schema),
    ...[1, 2, 3].map((i) =>
      first(post(`object ${i}`, maps, { metadata: { name: `object-${i}`, labels: { a: 'b' } } })),
    ),
    ...[
      ['an open parenthesis', 'a=('],
      ['only an operator', '=='],
      ['three equal signs', 'a===b'],
      ['an unknown operator', 'a ~ b'],
      ['a set without values', 'a in ()'],
      ['a set without a parenthesis', 'a in b'],
      ['a set without an end', 'a in (b'],
      ['two commas', 'a=b,,c=d'],
      ['a trailing comma', 'a=b,'],
      ['a value of 64 characters', `a=${'x'.repeat(64)}`],
      ['a key with two slashes', 'a/b/c=d'],
      ['a key of 300 characters', `${'x'.repeat(300)}=a`],
      ['a greater-than of letters', 'a>b'],
      ['a NUL', 'a=\u0000'],
      ['an exclamation mark', '!'],
      ['two exclamation marks', '!!a'],
      ['another script', 'ключ=значение'],
      ['__proto__', '__proto__=x'],
      ['an injection', "a=b'; DROP TABLE pods"],
    ].map(([name, selector]) => list(`a label selector with ${name}`, `labelSelector=${encoded(selector)}`)),
    list('a label selector of 3,000 terms', `labelSelector=${terms(3_000, (i) => `l${i}!=x`)}`, names),
    list(
      'a label selector of 3,000 values',
      `labelSelector=${encoded(`a in (${Array.from({ length: 3_000 }, (_, i) => `v${i}`)})`)}`,
      names,
    ),
    list('a label selector of 5,000 parentheses', `labelSelector=${'('.repeat(5_000)}`),
    list('a field selector of an unknown field', 'fieldSelector=spec.bogus%3Dx'),
    list('a field selector without an operator', 'fieldSelector=metadata.name'),
    list('a field selector with a wrong escape', `fieldSelector=${encoded('metadata.name=a\\x')}`),
    list('a field selector of set words', `fieldSelector=${encoded('metadata.name in (a,b)')}`),
    list('a field selector of 2,000 terms', `fieldSelector=${terms(2_000, (i) => `metadata.name!=n${i}`)}`, names),
    get('a field selector of pods', `${pods}?fieldSelector=spec.bogus%3Dx`),
    get('a field selector of a custom resource', `${items}?fieldSelector=spec.size%3D1`),
    list('a limit of letters', 'limit=abc'),
    list('a negative limit', 'limit=-5', names),
    list('a huge limit', 'limit=9223372036854775807', names),
    list('a limit beyond 64 bits', 'limit=99999999999999999999'),
    list('a fractional limit', 'limit=1.5'),
    list('a continue token of nonsense', 'limit=1&continue=nonsense'),
    list('a continue token of other letters', 'limit=1&continue=%25%25%25'),
    list('a continue token of an empty object', `limit=1&continue=${token({})}`),
    list('a continue token of a number', `limit=1&continue=${token('5')}`),
    list(
      'a continue token of another version',
      `limit=1&continue=${token({ v: 'meta.k8s.io/v9', rv: 1, start: 'a' })}`,
    ),
    list('a continue token without a start', `limit=1&continue=${token({ v: 'meta.k8s.io/v1', rv: 1 })}`),
    list(
      'a continue token that climbs',
      `limit=1&continue=${token({ v: 'meta.k8s.io/v1', rv: 1, start: '../../secrets/x\u0000' })}`,
    ),
    list(
      'a continue token with a revision of letters',
      `limit=1&continue=${token({ v: 'meta.k8s.io/v1', rv: 'x', start: 'a\u0000' })}`,
    ),
    list(
      'a continue token of the future',
      `limit=1&continue=${token({ v: 'meta.k8s.io/v1', rv: 99999999999, start: 'a\u0000' })}`,
    ),
    list(
      'a continue token with a resourceVersion',
      `limit=1&resourceVersion=5&continue=${token({ v: 'meta.k8s.io/v1', rv: 1, start: 'a\u0000' })}`,
    ),
    list('a continue token of 100 kB', `limit=1&continue=${'A'.repeat(50_000)}`),
    list('a resourceVersion of letters', 'resourceVersion=abc'),
    list('a negative resourceVersion', 'resourceVersion=-1'),
    list('a resourceVersion of 30 digits', `resourceVersion=${'9'.repeat(30)}`),
    list('a resourceVersion in hexadecimal', 'resourceVersion=0x10'),
    list('a resourceVersion of the future', 'resourceVersion=99999999999'),
    get('a resourceVersion of the future for one object', `${maps}/object-1?resourceVersion=99999999999`),
    get('a resourceVersion of letters for one object', `${maps}/object-1?resourceVersion=abc`),
    list('an exact match without a version', 'resourceVersionMatch=Exact'),
    list('an exact match of zero', 'resourceVersionMatch=Exact&resourceVersion=0'),
    list('an exact match of the future', 'resourceVersionMatch=Exact&resourceVersion=99999999999'),
    list('an unknown match', 'resourceVersionMatch=Roughly&resourceVersion=1'),
    list(
      'a match with a continue token',
      `resourceVersionMatch=NotOlderThan&limit=1&continue=${token({ v: 'meta.k8s.io/v1', rv: 1, start: 'a\u0000' })}`,
    ),
    list('initial events of a list', 'sendInitialEvents=true'),
    list('a watch of initial events without a match', 'watch=1&sendInitialEvents=true'),
    list('a watch of initial events with another match', 'watch=1&sendInitialEvents=true&resourceVersionMatch=Exact'),
    list('initial events of maybe', 'watch=1&sendInitialEvents=maybe&timeoutSeconds=1'),
    list('a watch with a match alone', 'watch=1&resourceVersionMatch=NotOlderThan'),
    list('a watch from letters', 'watch=1&resourceVersion=abc'),
    list('a watch from 2^64', 'watch=1&timeoutSeconds=1&resourceVersion=18446744073709551616'),
    list('a watch from the future', 'watch=1&timeoutSeconds=1&resourceVersion=99999999999', {
      shows: ['object', 'message'],
    }),
    list('a watch from the largest version', 'watch=1&timeoutSeconds=1&resourceVersion=18446744073709551615', {
      shows: ['object', 'message'],
    }),
    list('a watch with a bad label selector', 'watch=1&labelSelector=a%3D('),
    list('a watch with a bad field selector', 'watch=1&fieldSelector=x%3Dy'),
    list('a watch with a timeout of letters', 'watch=1&timeoutSeconds=soon'),
    list('a watch as an image', 'watch=1', { headers: { accept: 'image/png' } }),
    list('a watch of maybe', 'watch=maybe&timeoutSeconds=1'),
    list('bookmarks of maybe', 'allowWatchBookmarks=maybe', names),
    list('a query with wrong escapes', 'labelSelector=%zz', names),
    list('a query with a semicolon', 'limit=1;watch=1', names),
    list('a limit twice', 'limit=1&limit=abc', { shows: ['items', 'length'] }),
    list('an unknown parameter', 'bogus=1&__proto__=2&constructor=3', names),
    list('a query of 2,000 parameters', Array.from({ length: 2_000 }, (_, i) => `p${i}=1`).join('&'), names),
    get('a watch of nothing', '/api/v1/watch/nothings'),
    get('a table without objects', maps, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
      ...names,
    }),
    list('a table of an unknown part', 'includeObject=Everything', {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    }),
    get('a table of another version', maps, { headers: { accept: 'application/json;as=Table;v=v9;g=meta.k8s.io' } }),
    get('logs of a missing pod', `${pods}/nobody/log`),
    get('logs with wrong options', `${pods}/nobody/log?tailLines=abc`),
  ],
};
