// The rules whose cost at run time record-runtime-costs.mjs records and runtime-costs.test.ts compares.
import { expressions as measured, measuredSchema } from './cost-cases.mjs';
import { commonObject, commonSchema, expressions as answered } from './rule-cases.mjs';

const letters = (length) => 'abcdefghij'.repeat(Math.ceil(length / 10)).slice(0, length);
const numbers = (length) => Array.from({ length }, (_, i) => i);
const words = (length) => numbers(length).map((i) => `word-${i}`);

const measuredObject = {
  s: 'héllo wörld, with 30 characters',
  t: '1.2.3.4',
  i: 5,
  j: 7,
  d: 2.5,
  b: true,
  e: 'medium',
  when: '2024-02-29T12:30:45Z',
  then: '2024-02-28T12:30:45Z',
  day: '2024-02-29',
  lasts: '90m',
  bytes: 'aGVsbG8gd29ybGQsIGhlbGxv',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  is: '50%',
  ls: ['alpha', 'beta', 'gamma delta', '', 'epsilon zeta'],
  ms: ['alpha', 'beta'],
  li: numbers(12),
  ll: [['a', 'bc'], ['def'], []],
  mi: { a: 1, bb: 2, ccc: 3 },
  mt: { a: 'a', second: 'a text of some length', '': '' },
  ml: { a: ['b', 'cd'], e: [] },
  o: { x: 1, y: 'y', z: ['a', 'bcd'] },
  p: { x: 1, y: 'y', z: ['a', 'bcd'] },
  lo: [
    { a: ['one', 'two'], b: 'one', c: 4, d: ['x', 'y', 'z'], o: { f: 'f', g: 'longer than ten' } },
    { a: [], b: 'b', c: 1, d: [], o: { f: 'ff', g: 'g' } },
    { a: ['abc'], b: 'bb', c: 9, d: ['abc', 'one'] },
  ],
  namespace: 'default',
  'a-b': 'a text',
  open: { q: 1 },
};

const largeSchema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    none: { type: 'string' },
    wide: { type: 'string' },
    bytes: { type: 'string', format: 'byte' },
    numbers: { type: 'array', items: { type: 'integer' } },
    words: { type: 'array', items: { type: 'string' } },
    map: { type: 'object', additionalProperties: { type: 'string' } },
    objects: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' }, n: { type: 'integer' } } },
    },
    six: { type: 'string' },
  },
};

const largeObject = {
  text: letters(1234),
  none: '',
  wide: '😀é'.repeat(57),
  bytes: Buffer.from(letters(321)).toString('base64'),
  numbers: numbers(700),
  words: words(123),
  map: Object.fromEntries(words(45).map((word) => [word, letters(17)])),
  objects: numbers(60).map((n) => ({ name: `object-${n}`, n })),
  six: '2001:db8::1',
};

const large = String.raw`
self.text == self.text
self.text != self.none
self.none == ''
self.wide == self.text
self.wide < self.text
self.text + self.wide != ''
self.wide.size() == 114
self.wide.startsWith('😀')
self.text.startsWith(self.wide)
self.text.endsWith('j')
self.text.contains(self.wide)
self.text.contains('')
self.text.matches('^[a-j]+$')
self.wide.matches('^.{3,}$')
self.none.matches('.*')
matches(self.text, 'a+')
self.text.find('[b-d]+') == 'bcd'
self.text.findAll('b[c-e]+').size() > 3
self.text.split('a').size() > 3
self.text.split('a', 3).join('-') != ''
self.text.replace('a', 'xyz') != self.text
self.text.upperAscii().lowerAscii().trim() == self.text
self.text.substring(3, 900).indexOf('b') == 8
self.text.charAt(3) == 'd'
self.text.lastIndexOf('a') > 0
strings.quote(self.text).size() > 3
'%s and %d'.format([self.text, 3]) != ''
bytes(self.text) == self.bytes
string(self.bytes).size() == 321
self.bytes == self.bytes
self.bytes.size() == 321
self.bytes + self.bytes != self.bytes
self.numbers.size() == 700
self.numbers == self.numbers
self.numbers + self.numbers == []
self.numbers.sum() > 3
self.numbers.isSorted() && self.numbers.max() == 699 && self.numbers.min() == 0
self.numbers.indexOf(5) == 5
self.words.isSorted() || self.words.max() != ''
self.words.indexOf('word-9') == 9
self.words.join(', ') != ''
self.words.sort().size() == 123
self.numbers.slice(0, 100).reverse().size() == 100
self.words.distinct().size() == 123
self.objects.sortBy(o, o.name).size() == 60
self.objects.sortBy(o, o.n).size() == 60
lists.range(50).map(i, i * i).sum() > 3
[self.numbers, self.numbers].flatten().size() == 1400
[[self.numbers]].flatten(2).size() == 700
sets.contains(self.words, ['word-1'])
sets.intersects(self.numbers, [1, 2, 3])
sets.equivalent(self.words, self.words)
5 in self.numbers
self.text in self.words
self.text in ['a', 'b']
self.text in []
self.text in ['a', self.none]
1.5 in [1.5, 2.5]
'word-3' in self.map
self.map['word-3'] == self.map['word-4']
self.map[self.words[0]] == self.map[self.words[1]]
self.map['word-' + '3'] == ''
self.words[size(self.words) - 1] == 'word-122'
self.words[true ? 0 : 1] == 'word-0'
self.numbers.all(x, x >= 0)
self.numbers.all(x, x < 10)
self.numbers.all(x, true)
self.numbers.exists(x, x == 10)
self.numbers.exists(x, x == -1)
self.numbers.exists_one(x, x == 10)
self.numbers.exists_one(x, x > 10)
self.numbers.map(x, x).size() == 700
self.numbers.map(x, 1).size() == 700
self.numbers.map(x, [x, 1]).size() == 700
self.numbers.map(x, x > 10, x * 2).size() == 689
self.numbers.filter(x, x % 2 == 0).size() == 350
self.numbers.filter(x, false).size() == 0
self.words.all(w, w.startsWith('word'))
self.words.all(w, w.matches('^word-[0-9]+$'))
self.map.all(k, self.map[k].size() == 17)
self.map.all(k, v, v.size() == 17)
self.map.exists(k, v, v == k)
self.words.all(i, w, w == 'word-' + string(i))
self.words.transformList(i, w, i).sum() > 3
self.words.transformList(i, w, i > 5, w).size() > 3
self.map.transformMap(k, v, v + 'x').size() == 45
self.map.transformMap(k, v, k > 'word-3', v).size() > 3
self.words.transformMapEntry(i, w, {w: i}).size() == 123
self.words.existsOne(i, w, i == 3)
self.objects.all(x, self.objects.exists_one(y, x.name == y.name))
self.objects.all(x, has(x.name) && has(x.n) ? x.n >= 0 : x.name == '')
self.objects.map(x, x.name).all(n, n.contains('-'))
self.objects.filter(x, x.n > 50).map(x, {'name': x.name, 'n': string(x.n)}).size() == 9
self.objects == self.objects
self.objects[3] == self.objects[4]
self.objects[3].n + self.objects[4].n == 7
true ? self.text == '' : self.none == ''
(true ? self.text : self.none) == ''
(false ? self.text : 'x') == ''
(true ? self.objects[0] : self.objects[1]).name == ''
(true ? (false ? self.text : self.none) : self.wide) == ''
(true ? [self.text] : [])[0] == ''
(true ? has(self.text) : has(self.none)) && true
[self.text, self.none][1] == ''
{'a': self.text}.a == ''
{'a': self.text}['a'] == ''
has({'a': {'b': self.text}}.a.b)
has({'a': self.text}.b)
has(self.text)
has(self.objects[0].name)
!has(self.text)
-self.numbers[3] == -3
self.numbers[3] - 1 > 3 || self.numbers[4] * 2 == 7 || self.numbers[5] / 2 == 9
self.?text.hasValue()
self.?absent.hasValue()
self.?objects[?0].?name.orValue('') == ''
self.?objects[?99].?name.orValue('') == ''
self.?objects[?99].name.orValue('') == ''
self.map[?'word-3'].orValue('') == ''
self.map[?'nothing'].orValue(self.text) == ''
self.map[?self.text].hasValue()
self.?text.optMap(t, t.size()).orValue(0) == 3
self.?map.optMap(m, m.size() + m.size()).orValue(0) == 3
[1, 2].all(x, [3, 4].all(y, x < y))
[[1, 2], [3]].all(x, x.size() > 0)
[1, 2, 3] == [1, 2, 3]
{'a': 1} == {'a': 1}
type(self.text) == string
type(self.numbers) == list
type(1) == int
dyn(self.text) == self.text
dyn(self.text) + 'x' == ''
dyn(self.numbers).all(x, x == x)
3 in dyn(self.numbers)
dyn(self.text) < dyn(self.none)
dyn(self.words).sort().size() == 123
dyn(self.text).size() == 3
timestamp('2024-01-01T00:00:00Z') < timestamp('2024-01-02T00:00:00Z')
duration('1h') + duration('2h') == duration('3h')
ip(self.six) == ip('::1')
ip(self.six) != ip('::1')
cidr('2001:db8::/32').containsIP(self.six)
cidr('2001:db8::/32').containsIP(ip(self.six))
cidr('2001:db8::/32').containsCIDR(cidr('2001:db8:1::/48'))
cidr('2001:db8::/32') != cidr('10.0.0.0/8')
ip.isCanonical(self.six) && isIP(self.six)
quantity('1Gi') != quantity('2Gi')
url('https://example.com/a/longer/path') == url('https://example.com/')
format.dns1123Label().validate(self.text).hasValue()
format.dns1123Subdomain().validate('abc').hasValue()
format.uri().validate(self.text).hasValue()
format.labelValue() == format.labelValue()
`
  .trim()
  .split('\n');

/** Expressions that exceed a limit, with what is left of the object's budget. */
const costly = String.raw`
self.numbers.all(x, self.numbers.all(y, x != y + 700))
self.numbers.map(x, self.numbers.map(y, x + y).sum()).sum() > 0
self.objects.all(x, self.objects.all(y, self.objects.all(z, x.n + y.n + z.n < 1000)))
self.numbers.exists(x, self.numbers.all(y, y < 0 || y + x >= 0) && x > 900)
`
  .trim()
  .split('\n');

const withRules = (schema, object, rules) => ({
  schema: {
    type: 'object',
    properties: { spec: { ...schema, 'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)) } },
  },
  object: { apiVersion: 'cel.example.com/v1', kind: 'Thing', metadata: { name: 'thing' }, spec: object },
});

const each = (expressions, schema, object) =>
  expressions.map((expression) => ({ name: expression, ...withRules(schema, object, [expression]) }));

const squares = (count) => Array.from({ length: count }, (_, n) => `self.numbers.all(x, self.numbers.all(y, x != y + ${700 + n}) || x > 200)`);

export const cases = [
  ...each(answered, commonSchema, commonObject),
  ...each(measured.filter((rule) => !rule.includes('oldSelf')), measuredSchema, measuredObject),
  ...each(large, largeSchema, largeObject),
  ...each(costly, largeSchema, largeObject),
  { name: 'rules that exceed the budget of the object together', ...withRules(largeSchema, largeObject, squares(20)) },
  {
    name: 'a message that is too costly',
    ...withRules(largeSchema, largeObject, [
      { rule: 'self.text == ""', messageExpression: 'self.numbers.map(x, self.numbers.map(y, x + y).sum()).sum() > 0 ? "a" : "b"' },
      'self.text == ""',
    ]),
  },
];
