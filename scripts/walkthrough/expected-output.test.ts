import { describe, expect, it } from 'vitest';
import { expectedOutput } from './expected-output.mjs';

describe('expectedOutput', () => {
  it.each([
    ['a  b\n', 'a b'],
    ['NAME   AGE\nmydb   …\n', 'NAME AGE\nmydb   12s\n'],
    ['…\nlast\n', 'one\ntwo\nlast\n'],
    ['…\nlast\n', 'last\n'],
    ['first\n…\n', 'first\n'],
    ['pod/…-x 1/1\n', 'pod/a.b-x       1/1\n'],
  ])('%j shows %j', (shown, output) => {
    expect(expectedOutput(shown)(output)).toBe(true);
  });

  it.each([
    ['a\n', 'a\nb\n'],
    ['a\nb\n', 'a\n'],
    ['a…c\n', 'a\nc\n'],
    ['1/1\n', '1.1\n'],
    ['…\nlast\n', 'last\nmore\n'],
  ])('%j does not show %j', (shown, output) => {
    expect(expectedOutput(shown)(output)).toBe(false);
  });
});
