// What the recorder asks the real API server, and what rule-answers.test.ts asks this package.

const string = (extra = {}) => ({ type: 'string', maxLength: 100, ...extra });
const rules = (...list) => ({
  'x-kubernetes-validations': list.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});

/** The schema that expressions and faulty rules are tried on. */
export const commonSchema = {
  type: 'object',
  properties: {
    s: string(),
    i: { type: 'integer' },
    d: { type: 'number' },
    b: { type: 'boolean' },
    l: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 10 } },
    li: { type: 'array', maxItems: 10, items: { type: 'integer' } },
    ld: { type: 'array', maxItems: 10, items: { type: 'number' } },
    m: { type: 'object', maxProperties: 5, additionalProperties: { type: 'integer' } },
    o: { type: 'object', properties: { x: { type: 'integer' }, y: string() } },
    p: { type: 'object', properties: { x: { type: 'integer' }, y: string() } },
    is: { 'x-kubernetes-int-or-string': true, maxLength: 20 },
    is2: { 'x-kubernetes-int-or-string': true, maxLength: 20 },
    t: { type: 'string', format: 'date-time' },
    date: { type: 'string', format: 'date' },
    du: { type: 'string', format: 'duration' },
    by: { type: 'string', format: 'byte', maxLength: 20 },
    set: { type: 'array', maxItems: 10, 'x-kubernetes-list-type': 'set', items: { type: 'string', maxLength: 10 } },
    set2: { type: 'array', maxItems: 10, 'x-kubernetes-list-type': 'set', items: { type: 'string', maxLength: 10 } },
    ml: {
      type: 'array',
      maxItems: 10,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: string(), v: { type: 'integer' } } },
    },
    ml2: {
      type: 'array',
      maxItems: 10,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: string(), v: { type: 'integer' } } },
    },
    n: string({ nullable: true }),
    absent: string(),
    namespace: string(),
    'a-b': string(),
    'a.b': string(),
    'a/b': string(),
    __x: string(),
    'has space': string(),
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    emb: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
};

export const commonObject = {
  s: 'héllo😀',
  i: 5,
  d: 2,
  b: true,
  l: ['a', 'b', 'c'],
  li: [3, 1, 2],
  ld: [1, 2.5],
  m: { one: 1, two: 2 },
  o: { x: 1, y: 'y' },
  p: { x: 1, y: 'y' },
  is: 5,
  is2: '50%',
  t: '2024-02-29T12:30:45.5Z',
  date: '2024-02-29',
  du: '90m',
  by: 'aGk=',
  set: ['x', 'y'],
  set2: ['y', 'x'],
  ml: [{ k: 'a', v: 1 }, { k: 'b' }],
  ml2: [{ k: 'b' }, { k: 'a', v: 1 }],
  n: null,
  namespace: 'ns',
  'a-b': 'dash',
  'a.b': 'dot',
  'a/b': 'slash',
  __x: 'under',
  'has space': 'no',
  any: { a: 1 },
  open: { q: 1 },
  emb: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'pod' } },
};

/** Each is one rule on the common object: true passes, false fails, and errors say what they are. */
export const expressions = String.raw`
self.s.size() == 6
self.s.charAt(5) == '😀'
self.s.substring(1, 2) == 'é'
self.s.indexOf('😀') == 5
self.s.indexOf('l', 99) == -1
self.s.upperAscii() == 'HéLLO😀'
self.s.split('l') == ['hé', '', 'o😀']
self.s.split('', 2) == ['h', 'éllo😀']
self.s.replace('l', 'L', 1) == 'héLlo😀'
self.s.replace('', '-', 2) == '-h-éllo😀'
self.s.matches('^h.*o')
self.s.matches('LL')
self.s.find('l+') == 'll'
self.s.findAll('l') == ['l', 'l']
self.s.findAll('l', 1) == ['l']
self.s.lowerAscii().trim().startsWith('h')
strings.quote(self.s) == '"héllo😀"'
['a', 'b'].join('-') == 'a-b'
self.i / 2 == 2
-self.i % 3 == -2
self.i + 9223372036854775807 > 0
self.i * 2.0 == 10.0
self.i / 0 == 1
self.i % 0 == 1
9223372036854775807 == self.i + 9223372036854775802
-9223372036854775808 < self.i
self.d == 2.0
self.d == 2
self.d / 4.0 == 0.5
self.d > 1
self.i > 1.5
self.i in [1, 5]
self.ld.sum() == 3.5
self.li.sum() == 6
self.li.min() == 1 && self.li.max() == 3
self.li.isSorted()
[1, 2, 3].isSorted()
self.li.indexOf(2) == 2
self.li.lastIndexOf(7) == -1
self.li.sort() == [1, 2, 3]
self.li.slice(0, 2) == [3, 1]
self.li.slice(0, 7) == []
self.li.reverse() == [2, 1, 3]
[1, 1, 2].distinct() == [1, 2]
[[1], [2, 3]].flatten() == [1, 2, 3]
lists.range(3) == [0, 1, 2]
self.ml.sortBy(e, e.k).map(e, e.k) == ['a', 'b']
[].sum() == 0
self.l.filter(x, x > 'a').min() == 'b'
self.l.filter(x, x > 'z').min() == 'b'
self.l[3] == 'x'
self.l[0] == 'a'
self.l.all(x, x.size() == 1)
self.l.exists(x, x == 'c')
self.l.exists_one(x, x == 'c')
self.l.all(x, x == 'a' || self.l[9] == 'z')
self.l.all(i, x, i < 3 && x != '')
self.l.transformList(i, x, x + string(i)) == ['a0', 'b1', 'c2']
self.m.transformMap(k, v, v * 2) == {'one': 2, 'two': 4}
self.m.all(k, self.m[k] > 0)
self.m.exists(k, v, v == 2)
self.m['three'] == 3
'one' in self.m
self.m == {'two': 2, 'one': 1}
self.m.one == 1
has(self.m.three)
has(self.absent)
self.absent == 'x'
has(self.n)
self.?absent.orValue('none') == 'none'
self.?s.hasValue()
self.o.?x.optMap(x, x + 1).orValue(0) == 2
self.m[?'three'].orValue(3) == 3
self.l[?9].hasValue()
optional.of(self.i).value() == 5
optional.none().value() == 1
self.o == self.p
self.o != self.p
self.set == self.set2
self.l == ['c', 'b', 'a']
self.set + ['z', 'x'] == ['x', 'y', 'z']
self.ml == self.ml2
(self.ml + self.ml2).size() == 2
self.is == 5
self.is2 == '50%'
self.is > 3
self.is2 > 3
type(self.is) == int
type(self.is2) == string && self.is2.endsWith('%')
type(self.is2) == int ? self.is2 > 3 : self.is2 == '50%'
self.is == self.is2
self.is + 1 == 6
self.is2.size() == 3
self.t > timestamp('2024-01-01T00:00:00Z')
self.t.getFullYear() == 2024 && self.t.getMonth() == 1 && self.t.getDate() == 29
self.t.getHours('America/New_York') == 7
self.t.getHours('+02:00') == 14
self.t.getMilliseconds() == 500
self.t - self.date == duration('12h30m45.5s')
self.date == timestamp('2024-02-29T00:00:00Z')
self.t.getHours('Nowhere') == 1
self.du == duration('1h30m')
self.du.getMinutes() == 90
self.du + duration('30m') == duration('2h')
string(self.du) == '5400s'
string(self.t) == '2024-02-29T12:30:45.5Z'
string(1.5) == '1.5'
string(1e21) == '1e+21'
string(1234567.0) == '1.234567e+06'
int('5') == self.i
int('x') == 1
int(2.9) == 2
uint(self.i) == 5u
uint(-1) == 1u
double('1e3') == 1000.0
bool('true')
bool('yes')
self.by == b'hi'
string(self.by) == 'hi'
bytes('hi') == self.by
self.emb.kind == 'Pod' && self.emb.metadata.name == 'pod'
self.namespace == 'ns'
self.__namespace__ == 'ns'
self.a__dash__b == 'dash' && self.a__dot__b == 'dot' && self.a__slash__b == 'slash'
self.__underscores__x == 'under'
self.n == 'x'
dyn(self.i) == 5
dyn(self.s) + 1 == 2
dyn(self.o).x == 1
sets.contains(self.l, ['a', 'c'])
sets.intersects(self.l, ['q'])
sets.equivalent(self.set, ['y', 'x', 'x'])
quantity('1.5Gi').isGreaterThan(quantity('1G'))
quantity('100m').compareTo(quantity('0.1')) == 0
quantity('100m') == quantity('0.1')
quantity('1k').asInteger() == 1000
quantity('1000m').isInteger()
quantity('1.0').isInteger()
quantity('5Ki').isInteger()
quantity('9999999999999999999').isInteger()
quantity('50k').add(20).asInteger() == 50020
quantity('50k').sub(quantity('1')).asInteger() == 49999
quantity('50k').add(quantity('20m')).isInteger()
quantity('1.5').asApproximateFloat() == 1.5
sign(quantity('-5')) == -1
isQuantity('1Gi') && !isQuantity('1gi')
isQuantity('')
quantity('x').isInteger()
quantity('10').isLessThan(quantity('9'))
ip('127.0.0.1').isLoopback() && ip('::1').isLoopback()
ip('10.0.0.1').family() == 4 && ip('2001:db8::1').family() == 6
ip('0.0.0.0').isUnspecified()
ip('224.0.0.1').isLinkLocalMulticast()
ip('169.254.1.1').isLinkLocalUnicast()
ip('8.8.8.8').isGlobalUnicast()
ip.isCanonical('2001:DB8::1')
ip.isCanonical('2001:db8::1')
isIP('1.2.3.4') && !isIP('1.2.3')
isIP('::ffff:1.2.3.4')
isIP('fe80::1%eth0')
ip('1.2.3') == ip('1.2.3.4')
ip('01.2.3.4') == ip('1.2.3.4')
ip('1.2.3.400') == ip('1.2.3.4')
ip('1::2::3') == ip('::1')
ip('12345::') == ip('::1')
ip('::ffff:1.2.3.4') == ip('1.2.3.4')
ip('fe80::1%eth0') == ip('::1')
ip('nonsense') == ip('::1')
string(ip('2001:0db8:0:0::1')) == '2001:db8::1'
type(ip('::1')) == net.IP
cidr('10.0.0.0/8').containsIP('10.1.2.3')
cidr('10.0.0.0/8').containsIP(ip('11.1.2.3'))
cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')
cidr('10.0.0.0/8').containsCIDR(cidr('0.0.0.0/0'))
cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')
cidr('10.1.2.3/8').ip() == ip('10.1.2.3')
cidr('2001:db8::/32').prefixLength() == 32
string(cidr('10.1.2.3/8')) == '10.1.2.3/8'
isCIDR('10.0.0.0/33')
isCIDR('10.0.0.0/8')
cidr('10.0.0.0') == cidr('10.0.0.0/8')
cidr('10.0.0.0/33') == cidr('10.0.0.0/8')
cidr('10.0.0.0/x') == cidr('10.0.0.0/8')
cidr('10.0.0/8') == cidr('10.0.0.0/8')
cidr('10.0.0.0/8').containsIP('x')
url('https://user@example.com:80/a%20b?k=1&k=2#frag').getHost() == 'example.com:80'
url('https://example.com:80/a b').getEscapedPath() == '/a%20b'
url('https://[::1]:80/').getHostname() == '::1'
url('https://example.com:80/').getPort() == '80'
url('https://example.com/?k=1&k=2&x').getQuery() == {'k': ['1', '2'], 'x': ['']}
url('/path?x=1').getScheme() == ''
isURL('https://a.b/c') && !isURL('../rel')
isURL('mailto:a@b')
url('nonsense').getHost() == ''
url('http://a b/').getHost() == ''
url('http://a:b/').getHost() == ''
url('').getHost() == ''
url('http://a/%zz').getHost() == ''
!format.dns1123Label().validate('my-name').hasValue()
format.dns1123Label().validate('My_Name').value() == ['x']
format.dns1123Label().validate('a.b').hasValue()
format.dns1123Subdomain().validate('a.b').hasValue()
format.dns1035Label().validate('1a').hasValue()
format.qualifiedName().validate('a/b/c').hasValue()
format.labelValue().validate('').hasValue()
format.dns1123LabelPrefix().validate('my-').hasValue()
format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()
format.uuid().validate('x').hasValue()
format.uri().validate('x').hasValue()
format.byte().validate('aGk=').hasValue()
format.byte().validate('aGk').hasValue()
format.byte().validate('').hasValue()
format.date().validate('2024-02-30').hasValue()
format.datetime().validate('2024-02-29T00:00:00Z').hasValue()
format.datetime().validate('2024-02-29').hasValue()
format.named('dns1123Label').hasValue() && !format.named('nope').hasValue()
semver('1.2.3').isLessThan(semver('1.10.0'))
semver('1.0.0-alpha.1').compareTo(semver('1.0.0-alpha.beta')) == -1
semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))
semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3
semver('1.2.3+x') == semver('1.2.3+y')
isSemver('1.2') || isSemver('v1.2.3') || isSemver('01.2.3')
isSemver('v1.2', true)
semver('v01.02', true) == semver('1.2.0')
semver('1.2').major() == 1
semver('').major() == 1
semver('a.2.3').major() == 1
semver('01.2.3').major() == 1
semver('1.2.x').major() == 1
semver('1.2.3-').major() == 1
semver('1.2.3-01').major() == 1
semver('1.2.3+').major() == 1
semver('v1-rc', true).major() == 1
'%s %d %s'.format([self.s, self.i, self.d]) == 'x'
'%s'.format([self.l]) == 'x'
'%s'.format([self.m]) == 'x'
'%s'.format([[1.5, 2]]) == 'x' || true
'%s'.format([self.ld]) == 'x'
'%s'.format([[self.t]]) == 'x'
'%.2f'.format([1234567.891]) == '1234567.89'
'%.2f'.format([2.5]) == '2.50'
'%e'.format([1234.5]) == '1.234500e+03'
'%x %X %o %b'.format([255, 255, 8, 5]) == 'ff FF 10 101'
'%d'.format(['x']) == 'x'
'%s'.format([]) == 'x'
'%q'.format([1]) == 'x'
'%s'.format([type(self.i)]) == 'int'
'%s'.format([self.du]) == '5400s'
'%s'.format([null]) == 'null'
'%%%s'.format([true]) == '%true'
'100%'.format([]) == '100%'
'%s'.format([{'b': 1, 'a': 2}]) == '{"a":2, "b":1}'
'%s'.format([[self.t, timestamp(0)]]) == '[timestamp("2024-02-29T12:30:45.5Z"), timestamp("1970-01-01T00:00:00Z")]'
'%s'.format([[1.5, 2.0]]) == '[1.500000, 2.000000]'
'%s'.format([[self.s, 'q"']]) == '["héllo😀", "q\\""]'
'%.2f'.format([1234567.891]) == '1,234,567.89'
'%e'.format([1234.5]) == '1.234500×10⁰³'
'%.20e'.format([1234.5]) == '       1.234500×10⁰³'
'%.2e'.format([-0.00012]) == '-1.200000×10⁻⁰⁴'
'%.0f %.0f'.format([2.5, 3.5]) == '2 4'
'%s'.format([[b'hi\xff']]) == '[b"hi\\xff"]'
'%f'.format(['Infinity']) == '∞'
'%s'.format([[null, true, 5u, int]]) == '[null, true, 5, int]'
`
  .trim()
  .split('\n');

/** Rules that the API server refuses when the CRD is created. */
export const badRules = [
  'x',
  'self.s == ',
  'self.s = 1',
  'self.i +',
  '(self.i',
  'self.l.all(x, ',
  'self.l.all(x)',
  "self.s == 'abc",
  'self..s',
  'self.i == 1)',
  'for == 1',
  'self.nope',
  'self.l.all(1, true)',
  '[1, "a"].size() > 0',
  '{"a": 1, "b": "c"}.size() > 0',
  'cel.bind(x, 1, x == 1)',
  'base64.encode(b"a") == ""',
  'math.greatest(1,2)==2',
  'self.s == 1',
  'self.s == "\\z"',
  'duration("x") == duration("1s")',
  'self.s.matches("(")',
  'self.i == 99999999999999999999',
  'has(self)',
  'has(self.s, self.i)',
  'self.s ? true : false',
  'self.s + "a"',
  'a ? : b',
  'self.i 1',
  '@',
  'self.m.all(k, self.m[k] > 0) && foo',
  'optional.none()',
  'timestamp("a") == self.t',
  'self.s.size(1) == 2',
  'self.s.foo() == 1',
  'foo(1) == 2',
  'self.i.all(x, true)',
  'self.o.all(x, true)',
  'self.any == 1',
  'self.open.q == 1',
  'self.has_space == ""',
  'self.l + 1 == []',
  '!self.i',
  '-self.s == ""',
  'self.l[self.s] == ""',
  'self.i in self.l',
  'size(self.i) == 1',
  'self.t + self.t == self.t',
  'self.l.map(x, y, z) == []',
  'self.l.all(x, x.y)',
  'true && 1',
  'oldSelf.nope == 1',
  'self.s.matches(1)',
  'self.?s',
  'self.?s == "a"',
  'type(self.i) == foo',
  'Foo{a: 1} == 1',
  '"\\u00e9" + x == ""',
  'self.l.exists_one(x, y)',
  'self.emb.spec.x == 1',
  'self.metadata.name == ""',
  '\t x',
  'self.l.all(x, x > 0) && self.i.size() > 0 && y',
  'isSorted([1,2])',
  "'a' 'b'",
  'self.b && ',
  '[1, 2',
  '{1: 2',
  '{"a" 1}',
  'self.s.',
  'self.s.1',
  'if',
  'self.i == 1 ? 2',
  '1 +* 2',
  'self.l[',
  ',',
  'self.l.all(x, x, x, x, x)',
  "b'é' == '\\xff'",
  '1u == -1u',
  'self.i >',
  '5.size() == 1',
  "r'a\\' == 1",
  'self.i === 1',
  'self.i & 1',
  'self.i | 1 == 2',
  'self.b and self.b',
  'self.b || not self.b',
  "self.s == 'it's'",
  '🙂 == 1',
  "[",
  "[1,",
  "{",
  "{1:",
  "{1: 2,",
  "size(",
  "size(1",
  "size(1,",
  "[1 2]",
  "{1: 2 3}",
  "(1 2)",
  "size(1 2)",
  "self.l[1",
  "self.l[1 2]",
  "a b c",
  "self.i == == 1",
  "(",
  "()",
  "[]]",
  "1 < ",
  "a.?",
  "self.in",
  "self.true",
  "true false",
  "\"a\" \"b\" \"c\"",
  "self.b ? ",
  "self.b ? 1",
  "self.b ? 1 :",
  "1 ++ 2",
  "))",
  "1 1 1",
  ".",
  ".1.",
  "{\"a\": 1",
  "\"abc",
  "b'",
  "[1, dyn(1)] == []",
  "{'a': [1], 'b': ['c']} == {}",
  "'%s'.format([self.s, 1]) == ''",
  "'%d'.format([self.s]) == ''",
  "'%s'.format([optional.of(1)]) == ''",
  "'%.f'.format([1.0]) == ''",
  "'%.'.format([1.0]) == ''",
  "'%s %s'.format([[self.is, optional.none()]]) == ''",
  "duration('1x') == self.du",
  "int('9223372036854775808') == 1",
  "double('x') == 1.0",
  "timestamp(1e3) == self.t",
  "self.l.map(x, x + 1) == []",
  "[self.i, self.d] == []",
  "{1: 2, 'a': 3} == {}",
].map((rule) => ({ rule }));
badRules.push(
  { rule: 'true\n&&\nx', message: 'm' },
  { rule: 'x', fieldPath: '.nope' },
  { rule: 'self.i < 3', fieldPath: 'i' },
  { rule: 'self.i < 3', fieldPath: ".o['z']" },
  { rule: 'self.i < 3', fieldPath: '.l[0]' },
  { rule: 'self.i < 3', fieldPath: ".o['x" },
  { rule: 'self.i < 3', messageExpression: 'self.i' },
  { rule: 'self.i < 3', messageExpression: 'x' },
  { rule: 'self.i < 3', messageExpression: "'a' + " },
  { rule: 'self.i < 3', optionalOldSelf: true },
  { rule: 'self.i < 3', message: 'm', reason: 'FieldValueForbidden', fieldPath: '.i', messageExpression: '1' },
  { rule: 'self.i <', message: '<b>&' },
);

/** Kinds with rules of their own: what the rules say about objects and updates. */
export const kinds = [
  {
    name: 'basics',
    schema: {
      type: 'object',
      properties: {
        r: { type: 'integer' },
        q: string(),
        l: {
          type: 'array',
          maxItems: 5,
          items: { type: 'string', maxLength: 5, ...rules("self != 'bad'") },
          ...rules({ rule: 'self.size() < 3', message: 'too long' }),
        },
        m: {
          type: 'object',
          maxProperties: 3,
          additionalProperties: { type: 'integer', ...rules({ rule: 'self > 0', reason: 'FieldValueForbidden' }) },
        },
        deep: {
          type: 'object',
          properties: {
            'my.key': {
              type: 'object',
              maxProperties: 3,
              additionalProperties: { type: 'object', properties: { v: { type: 'integer' } } },
            },
          },
          ...rules(
            { rule: "!('a' in self.my__dot__key) || self.my__dot__key['a'].v < 3", fieldPath: "['my.key']['a'].v" },
            { rule: "!('b' in self.my__dot__key) || self.my__dot__key['b'].v < 3", fieldPath: "['my.key']['b']" },
          ),
        },
      },
      ...rules(
        '!has(self.r) || self.r <= 10',
        { rule: '!has(self.r) || self.r < 9', message: ' m ', fieldPath: '.r', reason: 'FieldValueRequired' },
        { rule: '!has(self.r) || self.r < 8', messageExpression: "self.r > 5 ? 'big r' : 'r'" },
        '!has(self.r) || 10/(self.r-10) > 100000000',
        { rule: '!has(self.r) || self.r < 8', reason: 'FieldValueDuplicate' },
        { rule: '!has(self.r) || self.r < 8', reason: 'FieldValueDuplicate', fieldPath: '.r' },
        { rule: '!has(self.r) || self.r < 8', messageExpression: "self.r > 5 ? '' : 'r'", message: 'fallback' },
        { rule: '!has(self.r) || self.r < 8', messageExpression: "self.q + '!'", message: 'fallback' },
        { rule: '!has(self.r) || self.r < 8', messageExpression: "'two\\nlines'" },
      ),
    },
    root: rules("self.metadata.name != 'forbidden'", { rule: "self.kind == 'Other'", message: 'kind' }),
    objects: [
      { r: 1 },
      { r: 8 },
      { r: 9 },
      { r: 10 },
      { r: 11 },
      { l: ['bad', 'ok'] },
      { l: ['a', 'b', 'bad'] },
      { m: { a: -1, b: 1 } },
      { deep: { 'my.key': { a: { v: 5 }, b: { v: 5 } } } },
      { deep: { 'my.key': {} } },
      { deep: {} },
    ],
    updates: [],
  },
  {
    name: 'transitions',
    schema: {
      type: 'object',
      properties: {
        fixed: string(rules('self == oldSelf')),
        grow: { type: 'integer', ...rules({ rule: 'self >= oldSelf', message: 'may not shrink' }) },
        set: {
          type: 'array',
          maxItems: 5,
          'x-kubernetes-list-type': 'set',
          items: { type: 'string', maxLength: 5 },
          ...rules('oldSelf.all(x, x in self)'),
        },
        ml: {
          type: 'array',
          maxItems: 5,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: {
            type: 'object',
            required: ['k'],
            properties: { k: string(), v: { type: 'integer', ...rules('self == oldSelf') } },
            ...rules('!has(oldSelf.v) || has(self.v)'),
          },
        },
        m: {
          type: 'object',
          maxProperties: 5,
          additionalProperties: { type: 'integer', ...rules('self >= oldSelf') },
        },
        opt: string({
          ...rules(
            { rule: "oldSelf.hasValue() || self == 'first'", optionalOldSelf: true, message: 'must begin as first' },
            { rule: "oldSelf.optMap(o, o != self).orValue(true)", optionalOldSelf: true, message: 'must change' },
          ),
        }),
        plain: { type: 'integer', ...rules('self < 10') },
        obj: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' } },
          ...rules('!has(self.a) || self.a < 10'),
        },
      },
      ...rules("!has(oldSelf.fixed) || has(self.fixed)"),
    },
    root: {},
    objects: [{ fixed: 'a', grow: 1, set: ['a'], opt: 'first' }, { opt: 'second' }],
    updates: [
      { old: { fixed: 'a' }, next: { fixed: 'a' } },
      { old: { fixed: 'a' }, next: { fixed: 'b' } },
      { old: { fixed: 'a' }, next: {} },
      { old: {}, next: { fixed: 'a' } },
      { old: { grow: 5 }, next: { grow: 4 } },
      { old: { grow: 5 }, next: { grow: 6 } },
      { old: { set: ['a', 'b'] }, next: { set: ['b', 'a', 'c'] } },
      { old: { set: ['a', 'b'] }, next: { set: ['b'] } },
      { old: { ml: [{ k: 'a', v: 1 }] }, next: { ml: [{ k: 'b' }, { k: 'a', v: 1 }] } },
      { old: { ml: [{ k: 'a', v: 1 }] }, next: { ml: [{ k: 'b', v: 5 }, { k: 'a', v: 2 }] } },
      { old: { ml: [{ k: 'a', v: 1 }] }, next: { ml: [{ k: 'a' }] } },
      { old: { m: { a: 1, b: 2 } }, next: { m: { a: 0, b: 2 } } },
      { old: { m: { a: 1 } }, next: { m: { b: 0 } } },
      { old: { opt: 'first' }, next: { opt: 'first' } },
      { old: { opt: 'first' }, next: { opt: 'second' } },
      { old: {}, next: { opt: 'second' } },
    ],
  },
];
