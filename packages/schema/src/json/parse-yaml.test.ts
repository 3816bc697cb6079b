import { describe, expect, it } from 'vitest';
import { parseYaml } from './parse-yaml.ts';

const read = (text: string): ReturnType<typeof parseYaml> => parseYaml(new TextEncoder().encode(text));

// Recorded from kube-apiserver 1.36.3 with Content-Type application/yaml.
describe('parseYaml', () => {
  it.each([
    ['a: yes', true],
    ['a: on', true],
    ['a: n', false],
    ['a: 0777', 511],
    ['a: 0o17', 15],
    ['a: 0x1F', 31],
    ['a: 0b11', 3],
    ['a: 1_000', 1000],
    ['a: 1.5', 1.5],
    ['a: 09', 9],
    ['a: 2001-12-14', '2001-12-14'],
    ['a: 12:30:45', '12:30:45'],
    ['a: ~', null],
    ['a:', null],
    ['a: !!binary aGk=', 'hi'],
    ['a: !!foo b', 'b'],
    ['a: !!str 12', '12'],
    ['a: "yes"', 'yes'],
    ['a: |\n  x\n  y\n', 'x\ny\n'],
  ])('resolves %j', (text, value) => {
    expect(read(text).value).toEqual({ a: value });
  });

  it('converts keys to strings, resolves aliases and merge keys, and parses only the first document', () => {
    const body = read('1: x\ntrue: v\nno: z\nbase: &b {p: "1", q: "2"}\nd: {<<: *b, q: "3"}\ne: *b\n---\nsecond: 1\n');
    expect(body.value).toEqual({
      '1': 'x',
      true: 'v',
      false: 'z',
      base: { p: '1', q: '2' },
      d: { p: '1', q: '3' },
      e: { p: '1', q: '2' },
    });
  });

  it('reports duplicate keys with their line', () => {
    const body = read('apiVersion: v1\ndata:\n  a: "1"\n  a: "2"\n');
    expect(body.duplicates).toEqual(['line 4: key "a" already set in map']);
    expect(read('{"a":1,"a":2}').duplicates).toEqual(['line 1: key "a" already set in map']);
  });

  it.each([
    ['data:\n\ta: 1\n', 'yaml: line 2: found character that cannot start any token'],
    ['data: a: b', 'yaml: line 1: mapping values are not allowed in this context'],
    ['data: *x', "yaml: unknown anchor 'x' referenced"],
    ['a: &a [*a]', "yaml: anchor 'a' value contains itself"],
    ['a: .inf', 'json: unsupported value: +Inf'],
    ['? [a]\n: x', 'yaml: invalid map key'],
    ['a\0b: c', 'yaml: control characters are not allowed'],
    [`a: ${'['.repeat(3000)}`, 'yaml: exceeded max depth of 500'],
    [`a: ${'['.repeat(600)}${']'.repeat(600)}`, 'yaml: exceeded max depth of 500'],
    ['a: 9223372036854775809', 'cannot be represented exactly'],
  ])('rejects %.30j', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it('parses 64-bit integers exactly', () => {
    expect(read('[9007199254740993, -9223372036854775808]').value).toEqual([2n ** 53n + 1n, -(2n ** 63n)]);
  });

  it('rejects an alias bomb', () => {
    const lines = ['a: &a ["x","x","x","x","x","x","x","x","x"]'];
    for (const [name, from] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg'] as const) {
      lines.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${from}`).join(',')}]`);
    }
    expect(() => read(lines.join('\n'))).toThrow('yaml: document contains excessive aliasing');
  });

  it('treats __proto__ as an ordinary key', () => {
    const { value } = read('__proto__: {x: 1}\nq: {<<: {__proto__: 1}}');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'q']);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

describe('parseYaml of malicious bodies', () => {
  it.each([
    ['a sequence of scalars', `data:\n${'- a\n'.repeat(725_000)}`],
    ['a flow sequence', `data: [${'a,'.repeat(1_450_000)}]\n`],
    ['empty lines', `data:\n${'\n'.repeat(2_900_000)}  a: 1\n`],
  ])('parses 2.9 MB of %s without blocking the process', (_name, text) => {
    const before = process.cpuUsage();
    expect(read(text).value).toBeDefined();
    // Takes 0.1 to 0.7 s. With the YAML library, it took 5 to 20 s.
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(4);
  });

  const excessive = 'yaml: document contains excessive aliasing';

  it('rejects aliases that expand exponentially', () => {
    const levels = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join()}]\n`);
    const bomb = `a0: &a0 [x]\n${levels.join('')}`;
    expect(() => read(bomb)).toThrow(excessive);
    expect(() => read(`# ${'x'.repeat(10_000)}\n${bomb}`)).toThrow(excessive);
  });

  it('rejects aliases that repeat a long text', () => {
    expect(() => read(`a: &a ${'x'.repeat(1_000_000)}\nb: [${'*a,'.repeat(50)}]\n`)).toThrow(excessive);
  });

  it('parses numbers of a million digits', () => {
    expect(read(`a: ${'1'.repeat(1_000_000)}`).value).toEqual({ a: Number.POSITIVE_INFINITY });
  });

  it('reports at most 100 duplicates', () => {
    expect(read('a: 1\n'.repeat(10_000)).duplicates).toHaveLength(100);
  });
});
