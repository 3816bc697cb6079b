import { describe, expect, it } from 'vitest';
import { compilePattern, PatternError } from './pattern.ts';
import { PatternCache } from './pattern-cache.ts';
import { withoutGroups } from './without-groups.ts';

describe('compilePattern', () => {
  it.each([
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['^a.c$', 'abc', true],
    ['a.c', 'a\nc', false],
    ['(?s)a.c', 'a\nc', true],
    ['a$', 'a\n', false],
    ['(?i)ABC', 'abc', true],
    ['^\\pL+$', 'héé', true],
    ['^[[:alpha:]]+$', 'abc', true],
    ['^.$', '😀', true],
    ['\\s', '\u00a0', false],
    ['(?P<n>a)', 'a', true],
    ['\\z', 'x', true],
  ])('finds %s in %j: %s', (source, text, found) => {
    expect(compilePattern(source).test(text)).toBe(found);
  });

  it.each([
    ['^b', 'a', 'b', false],
    ['b$', 'a', 'b', true],
    ['b$', 'a', 'b\n', false],
    ['a.a', '\n', 'aba', true],
    ['a.a', '\n', 'a\na', false],
    ['(?i)B{3}', 'a', 'bbb', true],
    ['^\\pL+$', 'é', '', true],
    ['^.+$', '😀', '', true],
    ['\\bb\\b', ' a', ' b', true],
    ['\\bb\\b', 'ab', 'b', false],
    ['^(a?){999}b$', 'a', 'b', false],
  ])('finds %s in a long text, many %j and %j: %s', (source, many, rest, found) => {
    expect(compilePattern(source).test(`${many.repeat(2_000)}${rest}`)).toBe(found);
  });

  it.each([
    ['(a)(?P<n>b)(?<m>c)', '(?:a)(?:b)(?:c)'],
    ['(?i)(?s:a)(?:b)()', '(?i)(?s:a)(?:b)(?:)'],
    ['\\(a\\)\\\\(b)', '\\(a\\)\\\\(?:b)'],
    ['[(](a)[](][^](][\\](]', '[(](?:a)[](][^](][\\](]'],
    ['[[:alpha:](]([^[:digit:](])', '[[:alpha:](](?:[^[:digit:](])'],
    ['\\Q(a\\E(b)\\Q(', '\\Q(a\\E(?:b)\\Q('],
    ['((a)|(b))*', '(?:(?:a)|(?:b))*'],
  ])('matches %s as %s', (source, plain) => {
    expect(withoutGroups(source)).toBe(plain);
    expect(() => compilePattern(source)).not.toThrow();
  });

  it('compiles a repeated capturing group to the same size as a non-capturing group', () => {
    const plain = compilePattern('^(?:a?){1000}$');
    expect(compilePattern('^(a?){1000}$').size).toBe(plain.size);
  });

  it('tests a long text faster than it finds the matches', () => {
    const pattern = compilePattern('^(([a-z])+.)+[A-Z]([a-z])+$');
    const text = 'a'.repeat(200_000);
    const cpuMs = (work: () => unknown): number => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    const withGroupsMs = cpuMs(() => pattern.findAll(text));
    expect(cpuMs(() => pattern.test(text))).toBeLessThan(withGroupsMs / 2);
  });

  it.each(['(', '[', 'a**', '(?=a)', '(?!a)', '(?<!a)b', '\\1', 'a{1001}', '\\u0041'])('rejects %s', (source) => {
    expect(() => compilePattern(source)).toThrow(PatternError);
    expect(() => compilePattern(source)).toThrow(/^error parsing regexp: /);
  });

  it('takes linear time in the length of the text', () => {
    expect(compilePattern('^(a+)+$').test(`${'a'.repeat(100_000)}b`)).toBe(false);
  });

  it('finds all non-overlapping matches, up to a limit', () => {
    expect(compilePattern('a.').findAll('abacad')).toEqual(['ab', 'ac', 'ad']);
    expect(compilePattern('a.').findAll('abacad', 2)).toEqual(['ab', 'ac']);
    expect(compilePattern('x').findAll('abc')).toEqual([]);
  });
});

describe('PatternCache', () => {
  it('keeps the most recently used patterns up to its capacity', () => {
    const cache = new PatternCache(2);
    const a = cache.get('a');
    cache.get('b');
    expect(cache.get('a')).toBe(a);
    cache.get('c');
    expect(cache.has('b')).toBe(false);
    expect(cache.get('a')).toBe(a);
  });

  it('does not cache invalid patterns', () => {
    const cache = new PatternCache();
    expect(() => cache.get('(')).toThrow(PatternError);
    expect(cache.has('(')).toBe(false);
  });
});
