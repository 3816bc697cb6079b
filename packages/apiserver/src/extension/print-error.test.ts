import { describe, expect, it } from 'vitest';
import { printError } from './print-error.ts';

describe('printError', () => {
  it.each([
    [new TypeError('no\n  such field'), 'apiserver: TypeError: no such field\n'],
    ['refused', 'apiserver: refused\n'],
    [new Error('Authorization: Bearer abc.def is expired'), 'apiserver: Error: Authorization: Bearer *** is expired\n'],
    [new Error('bad token eyJhbGciOi.eyJpc3Mi.c2ln'), 'apiserver: Error: bad token ***\n'],
  ])('prints %j', (error, line) => {
    const lines: string[] = [];
    printError(error, { write: (text: string) => lines.push(text) });
    expect(lines).toEqual([line]);
  });
});
